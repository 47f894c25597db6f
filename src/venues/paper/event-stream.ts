/**
 * The stream of the paper exchange's events to the desk, with the faults of a real stream. Sends nothing
 * after `close`.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { assertNever } from '../../domain/errors.ts';
import type { VenueSink } from '../venue.ts';
import type { PaperEvent } from './changes.ts';
import type { PaperFaults } from './faults.ts';

/** A reordered event waits for the next one, but not longer than this. */
const REORDER_HOLD_MS = 50;

export class EventStream {
  readonly #clock: Clock;
  readonly #faults: PaperFaults;
  readonly #sink: VenueSink;
  #down = false;
  #closed = false;
  #held: PaperEvent[] = [];
  #timer: Cancelable | null = null;

  constructor(sink: VenueSink, clock: Clock, faults: PaperFaults) {
    this.#sink = sink;
    this.#clock = clock;
    this.#faults = faults;
  }

  /** Sends one event; it is lost while the connection is down. */
  tell(event: PaperEvent): void {
    if (this.#down || this.#closed) return;
    const fault = this.#faults.event(event.kind);
    if (fault === 'dropEvent') return;
    if (fault === 'reorderEvent') {
      this.#held.push(event);
      this.#timer ??= this.#clock.after(REORDER_HOLD_MS, () => this.#release());
      return;
    }
    this.#pass(event);
    if (fault === 'duplicateEvent') this.#pass(event);
    if (this.#held.length > 0) this.#release();
  }

  /** Reports the state of the stream; `gap` may be reported while up or down. */
  state(state: 'up' | 'down' | 'gap'): void {
    if (this.#closed) return;
    if (state !== 'gap') this.#down = state === 'down';
    if (this.#down) this.#held = [];
    this.#sink.stream(state);
  }

  close(): void {
    this.#closed = true;
    this.#held = [];
    this.#timer?.cancel();
  }

  #release(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const held = this.#held;
    this.#held = [];
    for (const event of held) this.#pass(event);
  }

  #pass(event: PaperEvent): void {
    if (this.#closed) return;
    switch (event.kind) {
      case 'order':
        this.#sink.order(event.state);
        break;
      case 'fill':
        this.#sink.fill(event.fill);
        break;
      case 'balances':
        this.#sink.balances(event.changed);
        break;
      case 'positions':
        this.#sink.positions?.(event.changed);
        break;
      case 'ledger':
        this.#sink.ledger?.();
        break;
      default:
        assertNever(event);
    }
  }
}
