/**
 * Faults of the way to the exchange and back, drawn from a seed: what each front (virtual network, real sockets) lets happen to
 * requests, answers and messages.
 */
import type { Dice } from '../../../simulation/dice.ts';
import type { EmulatorAnswer, Gate } from './wire.ts';

/** Chances are of one request, or of one message of a socket. All default to none. */
export interface NetFaults {
  /** One way, ms: least and most. */
  readonly delayMs?: readonly [number, number];
  /** No connection is made: not a byte leaves. */
  readonly unsent?: number;
  /** It never arrives; the caller waits in vain. */
  readonly requestLost?: number;
  /** It is executed, its answer is lost. */
  readonly answerLost?: number;
  /** It is executed, and answered with what says nothing of its outcome (Binance: 503, 504). */
  readonly executedUnknown?: number;
  /** It is not executed, and answered with what is documented as failed. */
  readonly failed?: number;
  /** It is not executed: an HTML page of the gate in front, 403, 502 or 200. */
  readonly htmlPage?: number;
  /** Not executed: one request too many (Binance: 429 with Retry-After). */
  readonly limited?: number;
  /** Shut out, and so is everything that follows (Binance: 418; Bybit: 403). */
  readonly banned?: number;
  /** Answer and events change places: an answer waits so long, ms at most. */
  readonly lateAnswer?: readonly [number, number];
  /** Mean time between cuts of one socket, ms; 0: never. */
  readonly cutEveryMs?: number;
  /** A socket does not open. */
  readonly socketRefused?: number;
  /** A message comes twice. */
  readonly duplicate?: number;
  /** A message comes after the one behind it. */
  readonly swapped?: number;
  /** A message and all behind it come so much later, ms at most. */
  readonly stall?: readonly [number, number];
  /** A message is lost, the socket stays open. */
  readonly messageLost?: number;
}

export const GATE_PAGE = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

export class Faults {
  readonly #gate: Gate;
  readonly #dice: Dice;
  readonly #struck: (fault: string) => void;
  plan: NetFaults;

  constructor(gate: Gate, dice: Dice, plan: NetFaults, struck: (fault: string) => void = () => {}) {
    this.#gate = gate;
    this.#dice = dice;
    this.#struck = struck;
    this.plan = plan;
  }

  /** Whether it happens now; told when it does. */
  strikes(name: string, chance: number | undefined): boolean {
    if (chance === undefined || chance <= 0 || !this.#dice.chance(chance)) return false;
    this.#struck(name);
    return true;
  }

  /** One way, ms. */
  delay(): number {
    const [least, most] = this.plan.delayMs ?? [1, 1];
    return this.#dice.int(least, most);
  }

  /** So much longer an answer takes, ms. */
  late(): number {
    const { lateAnswer } = this.plan;
    const ms = lateAnswer ? this.#dice.int(...lateAnswer) : 0;
    if (ms > 0) this.#struck('late answer');
    return ms;
  }

  /** So much longer a message takes, and all behind it, ms. */
  stall(): number {
    const { stall } = this.plan;
    if (!stall || !this.#dice.chance(0.01)) return 0;
    this.#struck('stall');
    return this.#dice.int(...stall);
  }

  /** When a socket that opens now is cut, ms; 0: never. */
  cutAfter(): number {
    const { cutEveryMs = 0 } = this.plan;
    return cutEveryMs > 0 ? this.#dice.int(1, cutEveryMs * 2) : 0;
  }

  /** What the gate in front of the exchange says instead of it; null: it lets the request through. */
  gate(): EmulatorAnswer | null {
    const { plan } = this;
    if (this.strikes('failed, not executed', plan.failed)) return this.#gate.failed();
    if (this.strikes('HTML page', plan.htmlPage))
      return {
        status: this.#dice.pick([403, 502, 200]),
        headers: { 'content-type': 'text/html' },
        body: GATE_PAGE,
      };
    if (this.strikes('limited', plan.limited)) return this.#gate.limited();
    if (this.strikes('banned', plan.banned)) return this.#gate.banned();
    return null;
  }

  /** What is said of a request that was executed. */
  unknown(): EmulatorAnswer {
    return this.#gate.unknown(this.#dice);
  }
}
