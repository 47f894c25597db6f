/**
 * The rough exchange of a world and the connections to its accounts: their behaviour follows from the seed,
 * like everything else.
 */
import type { Row } from '../../../src/domain/rows.ts';
import { ExchangeLimits } from '../../support/limited-exchange.ts';
import { Dice } from '../dice.ts';
import type { SeedPlan } from '../plan.ts';
import type { SimClock } from '../sim-clock.ts';
import { SimFaults, type Strikes, strike } from '../sim-faults.ts';
import type { RoughExchange, RoughExchangeOptions } from './rough-exchange.ts';
import { RoughFutures } from './rough-futures.ts';
import type { RoughLimits, RoughPlan, RoughPlans } from './rough-plan.ts';
import { RoughPrices } from './rough-prices.ts';
import { RoughSpot } from './rough-spot.ts';
import { RoughLine } from './rough-venue.ts';

export interface RoughGiven {
  readonly plan: SeedPlan;
  readonly rough: RoughPlans;
  readonly clock: SimClock;
  readonly strikes: Strikes;
  readonly healed: () => boolean;
  /** Wall time between two ticks, ms. */
  readonly tickEveryMs: () => number;
  readonly stored: (rows: readonly Row[]) => void;
  /** Whether the present desk is awake and receives messages. */
  readonly awake: () => boolean;
  /** Whether a desk has been connected to an account. */
  readonly isKnown: (account: string) => boolean;
}

/** One account of the rough exchange. */
export interface Rough {
  readonly exchange: RoughExchange;
  readonly line: RoughLine;
  readonly prices: RoughPrices;
  readonly faults: SimFaults;
  /** Its request limits; null: none. */
  readonly limits: ExchangeLimits | null;
}

export async function openRough(given: RoughGiven): Promise<Rough[]> {
  const { spot, futures } = given.rough;
  const all = [await openAccount(given, spot, 'rough', (o) => new RoughSpot(o))];
  if (!futures) return all;
  const { stride } = given.plan;
  // A greedy client is liquidated only where prices move.
  const far = futures.taste.greed > 0.5 ? Math.max(stride, 0.01) : stride;
  const open = (o: RoughExchangeOptions) => new RoughFutures({ ...o, plan: futures, stride: far });
  return [...all, await openAccount(given, futures, 'rough futures', open)];
}

/**
 * Lets others use up budget that the desk has counted on, and bans its address, until the faults have healed.
 */
function trouble(
  limits: ExchangeLimits,
  plan: RoughLimits,
  { clock, healed }: RoughGiven,
  dice: Dice,
  struck: (fault: string) => void,
): void {
  const every = (ms: number, act: () => void): void => {
    if (ms === 0) return;
    const next = () => {
      if (healed()) return;
      act();
      every(ms, act);
    };
    clock.after(ms * dice.between(0.3, 1.7), next);
  };
  every(plan.bansEveryMs, () => {
    struck('address banned');
    limits.ban(dice.int(1_000, 6_000));
  });
  every(plan.othersEveryMs, () => {
    struck('others use up its orders');
    limits.others(dice.int(1, plan.orders));
  });
}

async function openAccount(
  given: RoughGiven,
  rough: RoughPlan,
  name: string,
  make: (o: RoughExchangeOptions) => RoughExchange,
): Promise<Rough> {
  const { plan, clock, strikes, healed, awake } = given;
  const dice = (stream: string) => new Dice(plan.seed, stream);
  const struck = (fault: string) => strike(strikes, `${name}: ${fault}`);
  const faults: SimFaults = new SimFaults(dice(`${name} faults`), strikes, (kind, fault) => {
    if (fault === 'dropEvent') line.lost();
    if (kind === 'positions') struck(`positions ${fault}`);
  });
  faults.set(plan.faults);
  const common = { clock, healed, struck };
  const exchange: RoughExchange = make({
    ...common,
    isKnown: () => given.isKnown(exchange.account.id),
    plan: rough,
    paper: plan.paper,
    stride: plan.stride,
    faults,
    dice: dice(name),
    marketDice: dice(`${name} market`),
    ledgerDice: dice(`${name} ledger`),
    tickEveryMs: given.tickEveryMs,
    stored: given.stored,
  });
  const line = new RoughLine({
    ...common,
    exchange,
    dice: dice(`${name} line`),
    symbolDice: dice(`${name} symbols`),
    ledgerDice: dice(`${name} ledger line`),
    deadManDice: dice(`${name} dead-man`),
  });
  const prices = new RoughPrices({
    ...common,
    exchange,
    dice: dice(`${name} prices`),
    queryFails: plan.faults.queryFails ?? 0,
  });
  exchange.onTick = (tick) => prices.tick(tick, awake);
  await exchange.open();
  const limits = rough.limits && new ExchangeLimits(rough.limits, () => clock.now + rough.driftMs);
  if (limits) trouble(limits, rough.limits as RoughLimits, given, dice(`${name} limits`), struck);
  return { exchange, line, prices, faults, limits };
}
