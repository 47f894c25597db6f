/** What the rough exchange of a seed does: every seed draws its own mix, most switches off in most seeds. */
import { Dice } from '../dice.ts';

export interface RoughPlan {
  /** Events of each kind arrive so late at most, each kind by itself: orders, executions, balances. */
  readonly eventDelayMs: number;
  /** Answers tell how it was so long ago at most. */
  readonly lagMs: number;
  /** Prices arrive so late at most. */
  readonly priceDelayMs: number;
  /** Its clock less ours. */
  readonly driftMs: number;
  /** Executions of one answer. */
  readonly page: number;
  /** Orders that have ended are forgotten after this; Infinity: never. */
  readonly forgetMs: number;
  /** Chance that a refusal comes after the order has been taken. */
  readonly lateRefusal: number;
  /** Others trade on the account, one order in so many ms; 0: nobody does. */
  readonly strangersEveryMs: number;
  /** Somebody pays in or takes out, once in so many ms; 0: never. */
  readonly transfersEveryMs: number;
  /** The trigger of a conditional order makes another one, with an id of its own. */
  readonly triggersMakeOrders: boolean;
  /** It triggers stops by itself; else they are held here. */
  readonly nativeStops: boolean;
  /** Chance that a figure which it need not tell is an empty string. */
  readonly emptyFigures: number;
  readonly makerFee: string;
  readonly takerFee: string;
}

export function roughPlanOf(seed: number): RoughPlan {
  const dice = new Dice(seed, 'rough plan');
  const some = <T>(likely: number, off: T, of: () => T): T => (dice.chance(likely) ? of() : off);
  return {
    eventDelayMs: some(0.6, 0, () => dice.pick([200, 1_500, 4_000])),
    lagMs: some(0.5, 0, () => dice.pick([300, 1_500, 4_000])),
    priceDelayMs: some(0.5, 0, () => dice.pick([100, 900])),
    driftMs: some(0.4, 0, () => dice.int(-900, 900)),
    page: dice.pick([1, 3, 100]),
    forgetMs: some(0.4, Number.POSITIVE_INFINITY, () => dice.pick([20_000, 120_000])),
    lateRefusal: some(0.4, 0, () => dice.between(0.2, 1)),
    strangersEveryMs: some(0.5, 0, () => dice.pick([1_500, 5_000])),
    transfersEveryMs: some(0.4, 0, () => dice.pick([3_000, 15_000])),
    triggersMakeOrders: dice.chance(0.5),
    nativeStops: dice.chance(0.6),
    emptyFigures: some(0.3, 0, () => dice.between(0.05, 0.5)),
    makerFee: dice.pick(['0.001', '0.0002', '0']),
    takerFee: dice.pick(['0.001', '0.0015']),
  };
}
