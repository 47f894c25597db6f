/**
 * Amendments of resting orders at the rough exchange: what every adapter must do; lagging answers are off,
 * events come late.
 */
import { describe } from 'vitest';
import type { ExchangeFill, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import { type ChangedExchange, changesOrders } from '../../venues/contract/changes.ts';
import { Dice } from '../dice.ts';
import { SimClock } from '../sim-clock.ts';
import { SimFaults } from '../sim-faults.ts';
import type { RoughExchange, RoughExchangeOptions } from './rough-exchange.ts';
import { RoughFutures } from './rough-futures.ts';
import { type RoughPlan, roughPlansOf } from './rough-plan.ts';
import { RoughSpot } from './rough-spot.ts';
import { RoughLine } from './rough-venue.ts';

const START = Date.UTC(2026, 0, 5, 1);
/** Plans of a seed whose exchange has a futures account. */
const PLANS = roughPlansOf([1, 2, 3, 4, 5, 6, 7, 8].find((seed) => roughPlansOf(seed).futures !== null) ?? 0);
const CALM = {
  eventDelayMs: 1_500,
  lagMs: 0,
  forgetMs: Number.POSITIVE_INFINITY,
  lateRefusal: 0,
  namesCancelled: 0.5,
  nativeStops: true,
  waitingMax: Number.POSITIVE_INFINITY,
  symbolsEveryMs: 0,
  driftMs: 0,
} satisfies Partial<RoughPlan>;
const NEVER = { healed: () => false, struck: () => {}, stored: () => {} };

async function opened(
  make: (o: RoughExchangeOptions) => RoughExchange,
  plan: RoughPlan,
): Promise<ChangedExchange> {
  const dice = (stream: string) => new Dice(1, stream);
  const clock = new SimClock(START, dice('clock'), 0);
  const faults = new SimFaults(dice('faults'), new Map());
  const exchange = make({
    ...NEVER,
    clock,
    faults,
    plan,
    paper: { participation: '1' },
    stride: 0.001,
    dice: dice('exchange'),
    marketDice: dice('market'),
    ledgerDice: dice('ledger'),
    tickEveryMs: () => 1_000,
    isKnown: () => true,
  });
  const line = new RoughLine({
    ...NEVER,
    clock,
    exchange,
    dice: dice('line'),
    symbolDice: dice('symbols'),
    ledgerDice: dice('ledger line'),
  });
  // Without the account's own market, and without strangers.
  await exchange.inner.open();
  const orders: ExchangeOrderState[] = [];
  const fills: ExchangeFill[] = [];
  line.connect({
    order: (state) => orders.push(state),
    fill: (fill) => fills.push(fill),
    balances: () => {},
    stream: () => {},
  });
  const run = () => clock.runUntil(clock.now + 20_000, () => false);
  const trade = async (price: string, volume: string, symbol = 'BTCUSDT') => {
    void exchange.inner.venue.tick({ time: clock.now, symbol, price, volume });
    await run();
  };
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) await trade('60000', '1000', symbol);
  return {
    venue: line.venue,
    symbol: 'BTCUSDT',
    other: 'ETHUSDT',
    orders,
    fills,
    trade: (price, volume) => trade(price, volume),
    settle: async (answer) => {
      await run();
      return answer;
    },
    lose: (what) => faults.next(what === 'request' ? 'loseRequest' : 'loseAnswer', { on: 'cancel' }),
  };
}

describe('on the rough spot account', () => {
  changesOrders(() => opened((o) => new RoughSpot(o), { ...PLANS.spot, ...CALM }));
});

describe('on the rough futures account', () => {
  const { futures } = PLANS;
  if (!futures) throw new Error('the seeds have no futures account');
  const plan = { ...futures, ...CALM, startsHedged: false, taste: { ...futures.taste, wallet: '100000' } };
  changesOrders(() => opened((o) => new RoughFutures({ ...o, plan }), plan));
});
