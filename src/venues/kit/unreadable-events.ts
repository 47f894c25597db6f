/**
 * Handles events that cannot be read: each is reported, and from time to time a gap is declared, so that what
 * they may have said is asked for.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Complaints } from './complaints.ts';
import type { Message } from './messages.ts';

/** Many such events lead to at most one reconciliation in this time, ms. */
const GAP_EVERY_MS = 60_000;

export interface UnreadableOptions {
  readonly complaints: Complaints;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Called when something may have been missed. */
  gap(): void;
}

export class UnreadableEvents {
  readonly #o: UnreadableOptions;
  #gapAt = Number.NEGATIVE_INFINITY;

  constructor(options: UnreadableOptions) {
    this.#o = options;
  }

  /** Returns the content of a message; null: it cannot be read. `kind`: the kind of event, for the report. */
  read<T>(kind: string, message: Message<T>): T | null {
    if (message.ok) return message.value;
    this.say(kind, message.problem);
    return null;
  }

  say(kind: string, problem: string): void {
    const { complaints, clock, gap } = this.#o;
    complaints.say(kind, problem);
    const now = clock.monotonic();
    if (now - this.#gapAt < GAP_EVERY_MS) return;
    this.#gapAt = now;
    gap();
  }
}
