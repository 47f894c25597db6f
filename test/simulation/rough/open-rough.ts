/** The rough exchange of a world and the way to it: what it does follows from the seed, like everything else. */
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { Dice } from '../dice.ts';
import type { SeedPlan } from '../plan.ts';
import type { SimClock } from '../sim-clock.ts';
import { SimFaults, type Strikes, strike } from '../sim-faults.ts';
import { RoughExchange } from './rough-exchange.ts';
import type { RoughPlan } from './rough-plan.ts';
import { RoughPrices } from './rough-prices.ts';
import { RoughLine } from './rough-venue.ts';

export interface RoughGiven {
  readonly plan: SeedPlan;
  readonly rough: RoughPlan;
  readonly clock: SimClock;
  readonly strikes: Strikes;
  readonly healed: () => boolean;
  /** Wall time between two ticks. */
  readonly tickEveryMs: () => number;
  readonly stored: (rows: readonly Row[]) => void;
  /** The desk of now hears. */
  readonly awake: () => boolean;
  /** An order has left the desk. */
  readonly sent: (order: ExchangeOrder) => void;
}

export interface Rough {
  readonly exchange: RoughExchange;
  readonly line: RoughLine;
  readonly prices: RoughPrices;
  readonly faults: SimFaults;
}

export async function openRough(given: RoughGiven): Promise<Rough> {
  const { plan, rough, clock, strikes, healed, awake } = given;
  const dice = (stream: string) => new Dice(plan.seed, stream);
  const faults = new SimFaults(dice('rough faults'), strikes);
  faults.set(plan.faults);
  const common = { clock, healed, struck: (name: string) => strike(strikes, `rough: ${name}`) };
  const exchange = new RoughExchange({
    ...common,
    ...{ plan: rough, paper: plan.paper, stride: plan.stride, faults },
    ...{ dice: dice('rough'), marketDice: dice('rough market') },
    tickEveryMs: given.tickEveryMs,
    stored: given.stored,
  });
  const prices = new RoughPrices({
    ...common,
    ...{ exchange, dice: dice('rough prices'), queryFails: plan.faults.queryFails ?? 0 },
  });
  exchange.onTick = (tick) => prices.tick(tick, awake);
  await exchange.open();
  const line = new RoughLine({ ...common, exchange, sent: given.sent, dice: dice('rough line') });
  return { exchange, line, prices, faults };
}
