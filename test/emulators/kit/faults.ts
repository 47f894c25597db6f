/**
 * Faults on the way to the exchange and back, drawn from a seed: both fronts (virtual network, real sockets)
 * apply them to requests, answers and messages.
 */
import type { Dice } from '../../simulation/dice.ts';
import type { EmulatorAnswer, Gate, VenueEmulator } from './wire.ts';

/** Chances per request, or per message of a socket. All default to none. */
export interface NetFaults {
  /** Delay in one direction, ms: least and most. */
  readonly delayMs?: readonly [number, number];
  /** No connection is made: not a byte is sent. */
  readonly unsent?: number;
  /** The request never arrives; the caller waits in vain. */
  readonly requestLost?: number;
  /** The request is executed, but its answer is lost. */
  readonly answerLost?: number;
  /** The request is executed, but the answer does not tell the outcome (Binance: 503, 504). */
  readonly executedUnknown?: number;
  /** The request is not executed; the answer is documented as a failure. */
  readonly failed?: number;
  /** The request is not executed: an HTML page of the gate in front, 403, 502 or 200. */
  readonly htmlPage?: number;
  /** The request is not executed: one request too many (Binance: 429 with Retry-After). */
  readonly limited?: number;
  /** The address is banned: this request and the following ones are refused (Binance: 418; Bybit: 403). */
  readonly banned?: number;
  /**
   * The order is acknowledged and then rejected, by exchanges that acknowledge before they decide (Bybit).
   */
  readonly lateReject?: number;
  /** Delay of an answer, ms: least and most, so that events overtake it. */
  readonly lateAnswer?: readonly [number, number];
  /** Mean time between cuts of one socket, ms; 0: never. */
  readonly cutEveryMs?: number;
  /** The socket does not open. */
  readonly socketRefused?: number;
  /** The message comes twice. */
  readonly duplicate?: number;
  /** The message comes after the next one. */
  readonly swapped?: number;
  /** Extra delay of a message and all later ones, ms: least and most. */
  readonly stall?: readonly [number, number];
  /** The message is lost, the socket stays open. */
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

  /** Draws whether the fault happens now; if so, reports it. */
  strikes(name: string, chance: number | undefined): boolean {
    if (chance === undefined || chance <= 0 || !this.#dice.chance(chance)) return false;
    this.#struck(name);
    return true;
  }

  /** Passes on the faults that the exchange itself must make. */
  aim(emulator: VenueEmulator): void {
    emulator.lateRejects?.(() => this.strikes('rejected after its acknowledgement', this.plan.lateReject));
  }

  /** Delay in one direction, ms. */
  delay(): number {
    const [least, most] = this.plan.delayMs ?? [1, 1];
    return this.#dice.int(least, most);
  }

  /** Extra delay of an answer, ms. */
  late(): number {
    const { lateAnswer } = this.plan;
    const ms = lateAnswer ? this.#dice.int(...lateAnswer) : 0;
    if (ms > 0) this.#struck('late answer');
    return ms;
  }

  /** Extra delay of a message and all later ones, ms. */
  stall(): number {
    const { stall } = this.plan;
    if (!stall || !this.#dice.chance(0.01)) return 0;
    this.#struck('stall');
    return this.#dice.int(...stall);
  }

  /** Time after which a new socket is cut, ms; 0: never. */
  cutAfter(): number {
    const { cutEveryMs = 0 } = this.plan;
    return cutEveryMs > 0 ? this.#dice.int(1, cutEveryMs * 2) : 0;
  }

  /** The answer of the gate in front of the exchange; null: it passes the request on. */
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

  /** The answer to an executed request with an unknown outcome. */
  unknown(): EmulatorAnswer {
    return this.#gate.unknown(this.#dice);
  }
}
