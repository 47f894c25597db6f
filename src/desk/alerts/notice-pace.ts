/**
 * Limits the notices of each kind per minute: more of them are only counted, and the count is logged once.
 */
import { NOTICE_KINDS, type NoticeKind } from '../../domain/notices.ts';

export const NOTICES_PER_MINUTE = 30;
const MINUTE_MS = 60_000;

export class NoticePace {
  readonly #warn: (text: string) => void;
  readonly #counts = new Map<NoticeKind, { minute: number; count: number }>();

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** Whether one more is sent. Wall time, Unix ms. */
  admits(kind: NoticeKind, now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    this.#closeBefore(minute);
    const known = this.#counts.get(kind) ?? { minute, count: 0 };
    known.count += 1;
    this.#counts.set(kind, known);
    return known.count <= NOTICES_PER_MINUTE;
  }

  #closeBefore(minute: number): void {
    for (const kind of NOTICE_KINDS) {
      const known = this.#counts.get(kind);
      if (!known || known.minute === minute) continue;
      this.#counts.delete(kind);
      const more = known.count - NOTICES_PER_MINUTE;
      if (more > 0) this.#warn(`notices: ${more} more of ${kind} within a minute were not told`);
    }
  }
}
