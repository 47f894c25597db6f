/** What the rough exchange of a seed does: every seed draws its own mix, most switches off in most seeds. */
import { LIMITS, type Limits } from '../../support/limited-exchange.ts';
import { Dice } from '../dice.ts';
import type { FuturesPlan } from '../plan.ts';
import { DEAD_MAN_LEAST_S, type RoughDeadMan } from './rough-switch.ts';

/** How it errs on one of its accounts. */
export interface RoughPlan {
  /** Events of each kind arrive so late at most, each kind by itself: orders, executions, balances, positions. */
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
  /** So many orders of a symbol wait there for their triggers at most; further ones are held here. */
  readonly waitingMax: number;
  /** Chance that a figure which it need not tell is an empty string. */
  readonly emptyFigures: number;
  readonly makerFee: string;
  readonly takerFee: string;
  /** Asset in which fees are paid; null: what is traded for. */
  readonly feeAsset: string | null;
  /** Chance that what somebody pays in or takes out is in no row of its ledger. */
  readonly hides: number;
  /** A symbol goes or comes back, or gets another tick size, once in so many ms; 0: never. */
  readonly symbolsEveryMs: number;
  /** Chance that the answer to a cancel of all of a symbol names an order that it has ended. */
  readonly namesCancelled: number;
  /** What it lets be sent; null: everything. */
  readonly limits: RoughLimits | null;
  /** Its dead-man switch, which the desk sets; null or left out: it has none. */
  readonly deadMan?: RoughDeadMan | null;
}

export interface RoughLimits extends Limits {
  /** Its address is banned for some seconds, once in so many ms; 0: never. */
  readonly bansEveryMs: number;
  /** Others use the account's orders, once in so many ms; 0: nobody does. */
  readonly othersEveryMs: number;
}

type Drawn<P extends RoughPlan> = Omit<
  P,
  'symbolsEveryMs' | 'waitingMax' | 'hides' | 'limits' | 'namesCancelled' | 'deadMan'
>;

/** Its futures account, which errs by itself. */
export interface RoughFuturesPlan extends RoughPlan {
  /** What its owner does on it. */
  readonly taste: FuturesPlan;
  /** It is in hedge mode from the first. */
  readonly startsHedged: boolean;
  /** It reduces somebody's position by itself, once in so many ms; 0: never. */
  readonly adlEveryMs: number;
  /** Somebody changes leverage, margin type or mode, once in so many ms; 0: nobody does. */
  readonly settingsEveryMs: number;
}

/** The accounts of a seed's rough exchange. */
export interface RoughPlans {
  readonly spot: RoughPlan;
  /** Null: it has none. */
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

/** One world in twelve has it. */
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

/** One world in five has them, and half of those nothing but them. */
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
