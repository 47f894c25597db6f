/**
 * Fault switches of the paper exchange, for tests and experiments: what real exchanges do to requests,
 * answers and event streams. Seeded, so that a run can be repeated. Faults affect the connection only; the
 * exchange behind it stays correct.
 */
import type { Random } from '../../domain/clock.ts';

/** Lasting faults. Probabilities are 0 .. 1; everything is off by default. */
export interface FaultMix {
  /** Every Nth submit is refused by the exchange; 0: none. Counted from when it was set. */
  readonly rejectNth: number;
  /** The request never arrives; the caller gets no answer. */
  readonly loseRequest: number;
  /** The caller gets no answer; the request arrives later, within the validity window. */
  readonly lateArrival: number;
  /** Executed, but the answer is lost. */
  readonly loseAnswer: number;
  /** Executed, but the answer is a 5xx. */
  readonly serverErrorAfterAccept: number;
  /**
   * The request is delayed by 0 .. `delayMs` while the caller waits. Beyond the validity window it is
   * refused.
   */
  readonly delay: number;
  readonly delayMs: number;
  /** How long the caller waits before it gives up on a lost answer, ms. */
  readonly answerTimeoutMs: number;
  /** Events of the stream are dropped, sent twice, or sent after the next one. */
  readonly dropEvent: number;
  readonly duplicateEvent: number;
  readonly reorderEvent: number;
  /** A question (query, open orders, fills, balances) fails. */
  readonly queryFails: number;
  /** A finished order's id is accepted again, as Binance does. */
  readonly acceptUsedId: boolean;
}

export const NO_FAULTS: FaultMix = {
  rejectNth: 0,
  loseRequest: 0,
  lateArrival: 0,
  loseAnswer: 0,
  serverErrorAfterAccept: 0,
  delay: 0,
  delayMs: 1_000,
  answerTimeoutMs: 0,
  dropEvent: 0,
  duplicateEvent: 0,
  reorderEvent: 0,
  queryFails: 0,
  acceptUsedId: false,
};

export type RequestFault =
  | 'reject'
  | 'loseRequest'
  | 'lateArrival'
  | 'loseAnswer'
  | 'serverErrorAfterAccept'
  | 'delay';
export type EventFault = 'dropEvent' | 'duplicateEvent' | 'reorderEvent';
export type EventKind = 'order' | 'fill' | 'balances' | 'positions' | 'ledger';

export interface OneShot {
  /**
   * What the fault affects: the next submit unless set otherwise; an event fault affects the next event of
   * any kind.
   */
  readonly on?: 'submit' | 'cancel' | EventKind;
  /** How many times, 1 by default. */
  readonly times?: number;
  /** The exact delay for `delay` and `lateArrival`, ms. */
  readonly ms?: number;
}

/** What happens to one request. */
export interface RequestFate {
  readonly fault: Exclude<RequestFault, 'delay'> | 'none';
  /** Time until it arrives, ms. */
  readonly delayMs: number;
}

interface Shot {
  readonly fault: RequestFault | EventFault | 'queryFails';
  readonly on: OneShot['on'] | undefined;
  readonly ms: number | undefined;
}

const UNHARMED: RequestFate = { fault: 'none', delayMs: 0 };
const LOST: readonly Exclude<RequestFault, 'delay' | 'reject'>[] = [
  'loseRequest',
  'lateArrival',
  'loseAnswer',
  'serverErrorAfterAccept',
];

export class PaperFaults {
  readonly #random: Pick<Random, 'next'>;
  #mix: FaultMix = NO_FAULTS;
  #shots: Shot[] = [];
  #submits = 0;
  #quiet = true;
  /** Set by the venue that these faults belong to. */
  onDown: ((ms: number) => void) | null = null;
  /** Called when faults were set or healed, or a single fault has occurred. */
  onChanged: (() => void) | null = null;

  constructor(random: Pick<Random, 'next'>) {
    this.#random = random;
  }

  get mix(): FaultMix {
    return this.#mix;
  }

  /** The number of single faults that are still to come. */
  get toCome(): number {
    return this.#shots.length;
  }

  /** Changes the given lasting faults and leaves the others. */
  set(change: Partial<FaultMix>): void {
    this.#mix = { ...this.#mix, ...change };
    if (change.rejectNth !== undefined) this.#submits = 0;
    this.#renew();
  }

  /** Sets a fault for the next request, event or question only. */
  next(fault: Shot['fault'], shot: OneShot = {}): void {
    const isRequest = fault === 'reject' || fault === 'delay' || (LOST as readonly string[]).includes(fault);
    const on = shot.on ?? (isRequest ? 'submit' : undefined);
    for (let n = 0; n < (shot.times ?? 1); n++) this.#shots.push({ fault, on, ms: shot.ms });
    this.#renew();
  }

  /**
   * Breaks the connection for `ms`: every request's outcome is unknown, no event arrives; then it is up
   * again, with a gap.
   */
  downFor(ms: number): void {
    this.onDown?.(ms);
  }

  /** Turns all faults off, including those still to come. */
  heal(): void {
    this.#mix = NO_FAULTS;
    this.#shots = [];
    this.#renew();
  }

  request(kind: 'submit' | 'cancel', validityWindowMs: number): RequestFate {
    if (this.#quiet) return UNHARMED;
    const mix = this.#mix;
    if (kind === 'submit') {
      this.#submits++;
      const nth = mix.rejectNth > 0 && this.#submits % mix.rejectNth === 0;
      if (this.#shot('reject', kind) || nth) return { fault: 'reject', delayMs: 0 };
    }
    const delay = this.#shot('delay', kind);
    const delayMs = delay ? (delay.ms ?? mix.delayMs) : this.#draw(mix.delay) ? this.#upTo(mix.delayMs) : 0;
    for (const fault of LOST) {
      const shot = this.#shot(fault, kind);
      if (!shot && !this.#draw(mix[fault])) continue;
      const late = fault === 'lateArrival' ? (shot?.ms ?? this.#upTo(validityWindowMs)) : 0;
      return { fault, delayMs: delayMs + late };
    }
    return { fault: 'none', delayMs };
  }

  event(kind: EventKind): EventFault | 'none' {
    if (this.#quiet) return 'none';
    for (const fault of ['dropEvent', 'duplicateEvent', 'reorderEvent'] as const) {
      if (this.#shot(fault, kind) || this.#draw(this.#mix[fault])) return fault;
    }
    return 'none';
  }

  question(): boolean {
    if (this.#quiet) return false;
    return this.#shot('queryFails', undefined) !== null || this.#draw(this.#mix.queryFails);
  }

  #shot(fault: Shot['fault'], on: Shot['on']): Shot | null {
    const at = this.#shots.findIndex((shot) => shot.fault === fault && (!shot.on || shot.on === on));
    if (at < 0) return null;
    const [shot] = this.#shots.splice(at, 1);
    this.#renew();
    return shot ?? null;
  }

  #draw(probability: number): boolean {
    return probability > 0 && this.#random.next() < probability;
  }

  #upTo(ms: number): number {
    return Math.floor(this.#random.next() * (ms + 1));
  }

  #renew(): void {
    const { delayMs: _, answerTimeoutMs: __, acceptUsedId: ___, ...chances } = this.#mix;
    this.#quiet = this.#shots.length === 0 && Object.values(chances).every((chance) => chance === 0);
    this.onChanged?.();
  }
}
