/**
 * The connection between the desk and the paper exchange: latency, faults, outages. A request arrives once,
 * within its validity window, or never; its answer may be lost.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import type { Rejected } from '../../domain/exchange.ts';
import type { PaperFaults } from './faults.ts';
import { refusal } from './filters.ts';

/** How long after sending a request may still take effect (Binance recvWindow). */
export const VALIDITY_WINDOW_MS = 5_000;

/** Binance's code for a server that currently takes no more requests. */
const OVERLOADED = '-1008';

/** The outcome of a request to which the exchange itself gives no answer. */
export type Undelivered = { readonly kind: 'unknown'; readonly cause: string } | Rejected;

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly faults: PaperFaults;
  readonly delays: () => { readonly latencyMs: number; readonly jitterMs: number };
  /** Runs an answer at the end of the turn. */
  readonly deliver: (answer: () => void) => void;
}

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #timers = new Set<Cancelable>();
  #outage: Cancelable | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get down(): boolean {
    return this.#outage !== null;
  }

  /**
   * Takes the connection down from now for `ms`; `ended` is called when it is up again. A second outage
   * replaces the first.
   */
  breakFor(ms: number, ended: () => void): void {
    this.#outage?.cancel();
    this.#outage = this.#options.clock.after(ms, () => {
      this.#outage = null;
      ended();
    });
  }

  /**
   * Sends a request. `arrive` runs when the exchange gets it, and is given two callbacks: `answer` for what
   * the exchange says, `lost` for when it cannot say. `undelivered` is called in place of an answer that
   * never came or got lost.
   */
  send<T>(
    kind: 'submit' | 'cancel',
    arrive: (answer: (outcome: T) => void, lost: (cause: string) => void) => void,
    answered: (outcome: T) => void,
    undelivered: (outcome: Undelivered) => void,
  ): void {
    const { clock, faults, deliver } = this.#options;
    const end = (outcome: Undelivered) => deliver(() => undelivered(outcome));
    if (this.down) {
      end(unknown('the connection to the exchange is down'));
      return;
    }
    const fate = faults.request(kind, VALIDITY_WINDOW_MS);
    const timeout = () => this.#after(faults.mix.answerTimeoutMs, () => end(unknown('timeout')));
    const late = fate.fault === 'lateArrival';
    if (late || fate.fault === 'loseRequest') timeout();
    if (fate.fault === 'loseRequest') return;
    const sentAt = clock.monotonic();
    this.#after(this.travelMs() + fate.delayMs, () => {
      const stopped = this.#stopped(fate.fault, clock.monotonic() - sentAt);
      if (stopped) {
        if (!late) end(stopped);
        return;
      }
      arrive(
        (outcome) => {
          if (fate.fault === 'none') answered(outcome);
          else if (fate.fault === 'loseAnswer') timeout();
          else if (!late) undelivered(unknown('HTTP 503 Service Unavailable'));
        },
        (cause) => undelivered(unknown(cause)),
      );
    });
  }

  /** Asks a question; `run` gets false when it fails. */
  ask(run: (arrived: boolean) => void): void {
    const failed = this.down || this.#options.faults.question();
    if (failed) run(false);
    else this.#after(this.travelMs(), () => run(!this.down));
  }

  travelMs(): number {
    const { latencyMs, jitterMs } = this.#options.delays();
    return jitterMs === 0 ? latencyMs : latencyMs + Math.floor(this.#options.random.next() * (jitterMs + 1));
  }

  /** Closes the connection; everything in flight is lost. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#outage?.cancel();
    this.#outage = null;
  }

  #stopped(fault: string, ageMs: number): Undelivered | null {
    if (this.down) return unknown('the connection to the exchange broke');
    if (fault === 'reject') {
      return refusal(OVERLOADED, 'Refused by a fault switch of the paper exchange.');
    }
    if (ageMs <= VALIDITY_WINDOW_MS) return null;
    return refusal('-1021', 'Timestamp for this request is outside of the recvWindow.');
  }

  #after(ms: number, run: () => void): void {
    if (ms <= 0) {
      run();
      return;
    }
    const timer = this.#options.clock.after(ms, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}

function unknown(cause: string): Undelivered {
  return { kind: 'unknown', cause };
}
