/**
 * Reports problems with an exchange's messages, each kind once a minute, so that many bad messages do not
 * make many log lines.
 */
import type { Clock } from '../../domain/clock.ts';
import { visible } from '../../domain/visible.ts';

export const SAY_EVERY_MS = 60_000;
/** The number of kinds that are remembered; beyond it the oldest is dropped. */
const KINDS_MAX = 100;
const TEXT_MAX = 300;

export interface ComplaintsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly report: (text: string) => void;
}

export class Complaints {
  readonly #o: ComplaintsOptions;
  /** Kind -> when it was last reported, and how often it came since. */
  readonly #said = new Map<string, { at: number; more: number }>();

  constructor(options: ComplaintsOptions) {
    this.#o = options;
  }

  /** Reports a problem. `kind`: our name for the kind of message; `text`: what is wrong with this one. */
  say(kind: string, text: string): void {
    const now = this.#o.clock.monotonic();
    const said = this.#said.get(kind);
    if (said && now - said.at < SAY_EVERY_MS) {
      said.more += 1;
      return;
    }
    const before = said && said.more > 0 ? ` (and ${said.more} times before)` : '';
    this.#said.delete(kind);
    this.#said.set(kind, { at: now, more: 0 });
    for (const oldest of this.#said.keys()) {
      if (this.#said.size <= KINDS_MAX) break;
      this.#said.delete(oldest);
    }
    this.#o.report(`${kind}: ${visible(text).slice(0, TEXT_MAX)}${before}`);
  }
}
