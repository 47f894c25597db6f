/**
 * The parts of a split equal the order that was split, except that each has its own price and its share of
 * the quantity. Compared as a whole, so that any field that a part loses is found.
 */
import { describe, expect, it } from 'vitest';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { formsOf } from '../support/forms.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { NATIVE, OPERATOR, START } from './support/market.ts';

const POSITION: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '2',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: '0',
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: START,
};

/** A futures account that holds what the order may close. */
function futures(hedge: boolean): Bench {
  const bench = new Bench({ futures: true });
  const { exchange } = bench;
  bench.event({ type: 'venue.settings', exchange, hedge });
  const sides = hedge ? (['LONG', 'SHORT'] as const) : (['BOTH'] as const);
  const changed = sides.map((side) => ({ ...POSITION, side }));
  bench.event({ type: 'venue.positions', exchange, changed, all: true });
  return bench;
}

const spot = (options: BenchOptions = {}) => new Bench(options);

const END = { timeInForce: 'GTD', goodTillDate: START + 3_600_000 } as const;

const ORDERS: [string, () => Bench, Partial<CreateOrder>][] = [
  ['a plain order', spot, {}],
  ['a SELL', spot, { side: 'SELL', price: '70000' }],
  ['an order with an end date that the desk keeps', spot, END],
  [
    'one that the exchange keeps',
    () => spot({ caps: { forms: formsOf({ native: NATIVE, endDate: true }) } }),
    END,
  ],
  ['an iceberg', spot, { icebergQty: '0.3' }],
  ['an order on futures', () => futures(false), {}],
  ['one that only reduces', () => futures(false), { side: 'SELL', price: '70000', reduceOnly: true }],
  ['one by the last price', () => futures(false), { workingType: 'CONTRACT_PRICE' }],
  ['one with an end date on futures', () => futures(false), END],
  ['one that opens a LONG in hedge mode', () => futures(true), { positionSide: 'LONG' }],
  ['one that closes it', () => futures(true), { positionSide: 'LONG', side: 'SELL', price: '70000' }],
  ['one that opens a SHORT', () => futures(true), { positionSide: 'SHORT', side: 'SELL', price: '70000' }],
  ['one that closes it', () => futures(true), { positionSide: 'SHORT', reduceOnly: true }],
  [
    'one with an end date that closes',
    () => futures(true),
    { positionSide: 'SHORT', reduceOnly: true, ...END },
  ],
];

/** Orders sent to the exchange. */
function sent(effects: readonly Effect[]) {
  return effects.flatMap((effect) => (effect.kind === 'submit' ? [effect.order] : []));
}

describe('a part of a split', () => {
  it.each(ORDERS)(
    'of %s is that order in every field, at its price and with its share',
    (_name, desk, wanted) => {
      const bench = desk();
      const { order, reply } = bench.place({ price: '50000', quantity: '1', ...wanted });
      const [whole] = sent(bench.effects);
      bench.accepted(order);
      expect(reply().status).toBe(200);
      const before = structuredClone(bench.order(order.id));
      const prices = wanted.side === 'SELL' ? ['71000', '72000'] : ['49000', '48000'];
      const split = bench.split(order.id, prices);
      bench.cancelDone(order);
      expect(sent(bench.effects)).toEqual(
        prices.map((price) => ({
          ...whole,
          clientId: expect.not.stringMatching(order.id),
          price,
          quantity: '0.5',
        })),
      );
      const parts = [...bench.engine.memory.orders.values()].filter((one) => one.splitFrom === order.id);
      for (const part of parts) bench.accepted(part);
      expect(parts).toEqual(
        prices.map(
          (price): OrderRecord => ({
            ...before,
            id: expect.not.stringMatching(order.id),
            price,
            origQty: '0.5',
            splitFrom: order.id,
            seq: expect.any(Number),
          }),
        ),
      );
      expect(split.reply().orders).toHaveLength(2);
    },
  );

  it('is of the moment at which it is placed, and of who has asked for the split; what a bot has noted on its order stays', () => {
    const bench = spot();
    const order = bench.resting();
    const metadata = '{"level":2}';
    Object.assign(order, { creator: 'BOT', creatorId: 'bot00001', metadata });
    bench.pass(5_000);
    bench.split(order.id, ['49000', '48000'], { actor: OPERATOR });
    bench.pass(1_000);
    bench.cancelDone(order);
    const parts = [...bench.engine.memory.orders.values()].filter((one) => one.splitFrom === order.id);
    const at = START + 6_000;
    expect(parts).toMatchObject(
      Array(2).fill({ creator: 'UI', creatorId: 'owner000', metadata, orderTime: at, createdAt: at }),
    );
  });
});
