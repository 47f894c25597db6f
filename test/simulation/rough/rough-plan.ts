/**
 * The behaviour of a seed's rough exchange: every seed draws its own mix, with most switches off in most
 * seeds.
 */
import { LIMITS, type Limits } from '../../support/limited-exchange.ts';
import { Dice } from '../dice.ts';
import type { FuturesPlan } from '../plan.ts';
import { DEAD_MAN_LEAST_S, type RoughDeadMan } from './rough-switch.ts';

/** How the exchange errs on one of its accounts. */
export interface RoughPlan {
  /** Largest delay of events, ms, drawn for each kind separately: orders, executions, balances, positions. */
  readonly eventDelayMs: number;
  /** Largest age of the state that answers report, ms. */
  readonly lagMs: number;
  /** Largest delay of prices, ms. */
  readonly priceDelayMs: number;
  /** Its clock minus the desk's, ms. */
  readonly driftMs: number;
  /** Largest number of executions in one answer. */
  readonly page: number;
  /** Time after which ended orders are forgotten, ms; Infinity: never. */
  readonly forgetMs: number;
  /** Chance that an accepted order is refused afterwards. */
  readonly lateRefusal: number;
  /** Mean time between orders that others place on the account, ms; 0: nobody does. */
  readonly strangersEveryMs: number;
  /** Mean time between deposits or withdrawals by others, ms; 0: never. */
  readonly transfersEveryMs: number;
  /** Whether the trigger of a conditional order makes another order, with an id of its own. */
  readonly triggersMakeOrders: boolean;
  /** Whether it triggers stops itself; otherwise the desk holds them. */
  readonly nativeStops: boolean;
  /** Most orders of a symbol that wait for their triggers there; the desk holds further ones. */
  readonly waitingMax: number;
  /** Chance that an optional figure is an empty string. */
  readonly emptyFigures: number;
  readonly makerFee: string;
  readonly takerFee: string;
  /** Asset in which fees are paid; null: the traded asset. */
  readonly feeAsset: string | null;
  /** Chance that a deposit or withdrawal by others has no ledger row. */
  readonly hides: number;
  /** Mean time between changes of a symbol (delisted, listed again, another tick size), ms; 0: never. */
  readonly symbolsEveryMs: number;
  /** Chance that the answer to a cancel of all of a symbol's orders names an order that it has ended. */
  readonly namesCancelled: number;
  /** Its request limits; null: none. */
  readonly limits: RoughLimits | null;
  /** Its dead-man switch, which the desk sets; null or left out: it has none. */
  readonly deadMan?: RoughDeadMan | null;
}

export interface RoughLimits extends Limits {
  /** Mean time between bans of the desk's address for some seconds, ms; 0: never. */
  readonly bansEveryMs: number;
  /** Mean time between orders of others that use up the account's order limit, ms; 0: nobody does. */
  readonly othersEveryMs: number;
}

type Drawn<P extends RoughPlan> = Omit<
  P,
  'symbolsEveryMs' | 'waitingMax' | 'hides' | 'limits' | 'namesCancelled' | 'deadMan'
>;

/** Its futures account, which has faults of its own. */
export interface RoughFuturesPlan extends RoughPlan {
  /** How its owner trades on it. */
  readonly taste: FuturesPlan;
  /** Whether it is in hedge mode from the start. */
  readonly startsHedged: boolean;
  /** Mean time between reductions of a position by the exchange, ms; 0: never. */
  readonly adlEveryMs: number;
  /** Mean time between changes of leverage, margin type or mode by others, ms; 0: nobody does. */
  readonly settingsEveryMs: number;
}

/** The accounts of a seed's rough exchange. */
export interface RoughPlans {
  readonly spot: RoughPlan;
  /** Null: it has no futures account. */
  readonly futures: RoughFuturesPlan | null;
}

export function roughPlansOf(seed: number): RoughPlans {
  const dice = new Dice(seed, 'rough futures plan');
  const waiting = new Dice(seed, 'rough triggers');
  const waitingMax = () => (waiting.chance(0.4) ? waiting.int(1, 3) : Number.POSITIVE_INFINITY);
  const symbols = new Dice(seed, 'rough symbols plan');
  const symbolsEveryMs = () => some(symbols)(0.4, 0, () => symbols.pick([2_000, 8_000]));
  const ledger = new Dice(seed, 'rough ledger plan');
  const hides = () => some(ledger)(0.3, 0, () => ledger.pick([0.1, 0.5]));
  const cancels = new Dice(seed, 'rough cancels plan');
  const limits = new Dice(seed, 'rough limits plan');
  const drawn = () => ({
    hides: hides(),
    waitingMax: waitingMax(),
    symbolsEveryMs: symbolsEveryMs(),
    limits: limitsOf(seed, limits),
    namesCancelled: cancels.pick([0, 0.5, 1]),
  });
  const deadMan = (form: RoughDeadMan['form']) => deadManOf(seed, form);
  return {
    spot: { ...spotPlanOf(new Dice(seed, 'rough plan')), ...drawn(), deadMan: deadMan('account') },
    futures: dice.chance(0.6) ? { ...futuresPlanOf(dice), ...drawn(), deadMan: deadMan('symbol') } : null,
  };
}

/** Draws the dead-man switch: one world in twelve has it. */
function deadManOf(seed: number, form: RoughDeadMan['form']): RoughDeadMan | null {
  if (seed % 12 !== 3) return null;
  const dice = new Dice(seed, `rough dead-man plan ${form}`);
  return {
    form,
    seconds: dice.pick([DEAD_MAN_LEAST_S, 8]),
    mostSymbols: dice.pick([1, 40]),
    endsConditionals: dice.chance(0.5),
    loses: dice.pick([0, 0.1, 0.4]),
  };
}

/** Draws the limits: one world in five has them, and half of those have no other faults. */
function limitsOf(seed: number, dice: Dice): RoughLimits | null {
  const orders = dice.pick([1, 2, 5]);
  const isTrue = dice.chance(0.5);
  const trouble = (ms: readonly number[]) => (isTrue ? 0 : dice.pick(ms));
  const [bansEveryMs, othersEveryMs] = [trouble([0, 15_000]), trouble([2_000, 8_000])];
  if (seed % 5 !== 4) return null;
  return { ...LIMITS, orders, weight: 6_000, bansEveryMs, othersEveryMs };
}

function some(dice: Dice) {
  return <T>(likely: number, off: T, of: () => T): T => (dice.chance(likely) ? of() : off);
}

function spotPlanOf(dice: Dice): Drawn<RoughPlan> {
  return {
    ...commonOf(dice),
    makerFee: dice.pick(['0.001', '0.0002', '0']),
    takerFee: dice.pick(['0.001', '0.0015']),
    feeAsset: null,
  };
}

function commonOf(dice: Dice) {
  const draw = some(dice);
  return {
    eventDelayMs: draw(0.6, 0, () => dice.pick([200, 1_500, 4_000])),
    lagMs: draw(0.5, 0, () => dice.pick([300, 1_500, 4_000])),
    priceDelayMs: draw(0.5, 0, () => dice.pick([100, 900])),
    driftMs: draw(0.4, 0, () => dice.int(-900, 900)),
    page: dice.pick([1, 3, 100]),
    forgetMs: draw(0.4, Number.POSITIVE_INFINITY, () => dice.pick([20_000, 120_000])),
    lateRefusal: draw(0.4, 0, () => dice.between(0.2, 1)),
    strangersEveryMs: draw(0.5, 0, () => dice.pick([1_500, 5_000])),
    transfersEveryMs: draw(0.4, 0, () => dice.pick([3_000, 15_000])),
    triggersMakeOrders: dice.chance(0.5),
    nativeStops: dice.chance(0.6),
    emptyFigures: draw(0.3, 0, () => dice.between(0.05, 0.5)),
  };
}

function futuresPlanOf(dice: Dice): Drawn<RoughFuturesPlan> {
  const draw = some(dice);
  const high = dice.chance(0.5);
  return {
    ...commonOf(dice),
    makerFee: dice.pick(['0.0002', '0', '-0.0001']),
    takerFee: dice.pick(['0.0005', '0.0004']),
    feeAsset: draw(0.35, null, () => 'ETH'),
    taste: {
      alone: false,
      wallet: dice.pick(['400', '3000', '60000']),
      leverages: high ? [75, 100, 125] : [1, 3, 10, 20, 50],
      greed: high ? 0.9 : 0.25,
      hedge: dice.pick([0, 0.05, 0.3]),
    },
    startsHedged: dice.chance(0.3),
    adlEveryMs: draw(0.5, 0, () => dice.pick([2_000, 8_000])),
    settingsEveryMs: draw(0.5, 0, () => dice.pick([2_000, 10_000])),
  };
}
