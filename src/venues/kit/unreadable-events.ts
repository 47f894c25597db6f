/** Events that cannot be read: each is said, and what it may have told is asked for, now and then. */
import type { Clock } from '../../domain/clock.ts';
import type { Complaints } from './complaints.ts';
import type { Message } from './messages.ts';

/** A stream of them leads to one comparison in so long, ms. */
const GAP_EVERY_MS = 60_000;

export interface UnreadableOptions {
  readonly complaints: Complaints;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Something may have been missed. */
  gap(): void;
}

export class UnreadableEvents {
  readonly #o: UnreadableOptions;
  #gapAt = Number.NEGATIVE_INFINITY;

  constructor(options: UnreadableOptions) {
    this.#o = options;
  }

  /** What a message says; null: it cannot be read. `kind`: of the event, for whoever reads the complaint. */
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
