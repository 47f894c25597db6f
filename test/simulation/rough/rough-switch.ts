/**
 * The rough exchange's dead-man switch: countdowns that requests renew, per symbol or per account, on the
 * exchange's own clock. When one expires it ends the resting orders, whatever the desk and its connection do;
 * the seed decides about conditional orders.
 */
import type { Cancelable } from '../../../src/domain/clock.ts';
import { type DeadManCaps, WHOLE_ACCOUNT } from '../../../src/domain/dead-man.ts';
import { ENDS } from '../../../src/domain/exchange.ts';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import { isConditional, type PaperOrderDoc } from '../../../src/venues/paper/paper-order.ts';
import type { DeadManVenue } from '../../../src/venues/venue.ts';
import type { Dice } from '../dice.ts';
import { FOREVER, type SimClock } from '../sim-clock.ts';
import type { RoughExchange } from './rough-exchange.ts';

export interface RoughDeadMan {
  readonly form: 'symbol' | 'account';
  /** The countdown that the desk sets, seconds. */
  readonly seconds: number;
  /** Most symbols with a countdown at the same time; for the form `symbol`. */
  readonly mostSymbols: number;
  readonly endsConditionals: boolean;
  /** Chance that a renewal, or its answer, is lost. */
  readonly loses: number;
}

export const DEAD_MAN_LEAST_S = 3;

export function deadManCaps({ form, mostSymbols }: RoughDeadMan): DeadManCaps {
  const bounds = { leastSeconds: DEAD_MAN_LEAST_S, mostSeconds: 600, source: 'the rough exchange' };
  return form === 'symbol' ? { form, mostSymbols, ...bounds } : { form, ...bounds };
}

type Arm = Required<DeadManVenue>['arm'];

export class RoughSwitch {
  readonly plan: RoughDeadMan;
  /** Ids, in the exchange's own books, of orders that the switch has ended. */
  readonly ended = new Set<string>();
  /** Called when a countdown is over. */
  onFired: ((key: string) => void) | null = null;
  /** Called when a renewal or its answer got lost. */
  onLost: (() => void) | null = null;
  /** Moments at which a countdown expired, by its key; true time. */
  readonly firedAt = new Map<string, number>();
  readonly #exchange: RoughExchange;
  readonly #clock: SimClock;
  readonly #dice: Dice;
  readonly #healed: () => boolean;
  readonly #running = new Map<string, Cancelable>();
  #losesNext = false;

  constructor(o: {
    plan: RoughDeadMan;
    exchange: RoughExchange;
    clock: SimClock;
    dice: Dice;
    healed: () => boolean;
  }) {
    this.plan = o.plan;
    this.#exchange = o.exchange;
    this.#clock = o.clock;
    this.#dice = o.dice;
    this.#healed = o.healed;
  }

  get running(): ReadonlySet<string> {
    return new Set(this.#running.keys());
  }

  /** Loses the next request. */
  loseNext(): void {
    this.#losesNext = true;
  }

  /** Sets a countdown. `isDown`: nothing reaches the exchange. */
  async arm({ symbol, seconds }: Parameters<Arm>[0], isDown: () => boolean): Promise<SettingOutcome> {
    const unknown = { kind: 'unknown', cause: 'no answer' } as const;
    const lost = !this.#healed() && this.#dice.chance(this.plan.loses);
    const unsent = this.#losesNext || (lost && this.#dice.chance(0.5));
    this.#losesNext = false;
    if (lost || isDown()) this.onLost?.();
    if (unsent || isDown()) return unknown;
    await new Promise<void>((resolve) => this.#clock.after(this.#dice.int(1, 200), resolve, FOREVER));
    if (isDown()) return unknown;
    const key = this.plan.form === 'symbol' ? (symbol ?? 'none') : WHOLE_ACCOUNT;
    const refused = this.#refused(key, seconds);
    if (refused) return refused;
    this.#running.get(key)?.cancel();
    this.#running.delete(key);
    if (seconds > 0)
      this.#running.set(
        key,
        this.#clock.after(seconds * 1_000, () => void this.#fire(key), FOREVER),
      );
    return lost ? unknown : { kind: 'done' };
  }

  #refused(key: string, seconds: number): SettingOutcome | null {
    const { form, mostSymbols } = this.plan;
    if (form === 'symbol' && !this.#exchange.instruments.some((one) => one.symbol === key))
      return { kind: 'rejected', code: '-1121', message: 'Invalid symbol.' };
    if (seconds > 0 && seconds < DEAD_MAN_LEAST_S)
      return { kind: 'rejected', code: '-1102', message: 'countdownTime is too short.' };
    if (seconds === 0 || form === 'account' || this.#running.has(key) || this.#running.size < mostSymbols)
      return null;
    return { kind: 'rejected', code: '-4000', message: 'Too many countdowns.' };
  }

  async #fire(key: string): Promise<void> {
    this.#running.delete(key);
    this.firedAt.set(key, this.#clock.now);
    const rests = ({ status, symbol, type }: PaperOrderDoc) =>
      !ENDS.has(status) &&
      (key === WHOLE_ACCOUNT || symbol === key) &&
      (this.plan.endsConditionals || !isConditional(type) || status === 'WORKING');
    const orders = this.#exchange.docs<PaperOrderDoc>('order').filter(rests);
    for (const { clientId } of orders) this.ended.add(clientId);
    this.onFired?.(key);
    await Promise.all(
      orders.map(({ clientId, symbol }) => this.#exchange.inner.venue.end({ clientId, symbol })),
    );
  }
}
