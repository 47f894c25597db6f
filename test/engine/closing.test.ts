/**
 * What closes and what protects a position: side, position side, symbol, account and state of an order each
 * decide separately (S61, engine.md).
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { ExchangeCaps } from '../../src/domain/exchange.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { isClosing } from '../../src/engine/closing.ts';
import { closes } from '../../src/engine/entries.ts';
import type { EngineMemory } from '../../src/engine/memory.ts';
import {
  costOf,
  markOf,
  protection,
  reducible,
  signedAmount,
  unrealized,
} from '../../src/engine/positions.ts';
import type { CreateOrder, PositionSide, Side } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { CAPS, FUTURES, FUTURES_ACCOUNT, FUTURES_BTC, SPOT, START } from './support/market.ts';

const POSITION: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '3',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '61000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: START,
};
const ETH = { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' };
const OTHER = 'other-futures';

function futures(
  positions: readonly Partial<ExchangePosition>[] = [{}],
  hedge = false,
  caps: Partial<ExchangeCaps> = {},
): Bench {
  const bench = new Bench({
    futures: true,
    caps,
    instruments: [FUTURES_BTC, ETH],
    more: [{ ...FUTURES_ACCOUNT, id: OTHER }],
  });
  bench.event({ type: 'venue.settings', exchange: FUTURES, hedge });
  const changed = positions.map((more) => ({ ...POSITION, ...more }));
  bench.event({ type: 'venue.positions', exchange: FUTURES, changed, all: true });
  return bench;
}
const accountOf = (bench: Bench) => bench.engine.memory.account(bench.exchange);

describe('the size that an order would reduce', () => {
  it.each<[PositionSide, string, Side, string]>([
    ['BOTH', '3', 'SELL', '3'],
    ['BOTH', '3', 'BUY', '0'],
    ['BOTH', '-3', 'BUY', '3'],
    ['BOTH', '-3', 'SELL', '0'],
    ['LONG', '3', 'SELL', '3'],
    ['LONG', '3', 'BUY', '0'],
    ['SHORT', '3', 'BUY', '3'],
    ['SHORT', '3', 'SELL', '0'],
  ])('of %s %s by a %s is %s', (side, amount, order, size) => {
    const account = accountOf(futures([{ side, amount }]));
    const of = (symbol: string) => account.futures && str(reducible(account.futures, symbol, order, side));
    expect(of('BTCUSDT')).toBe(size);
    expect(of('ETHUSDT')).toBe('0');
    for (const another of ['BOTH', 'LONG', 'SHORT'] as const) {
      if (another === side || !account.futures) continue;
      expect(reducible(account.futures, 'BTCUSDT', order, another)).toBe(0n);
    }
  });
});

describe('a position', () => {
  it.each([
    ['BOTH', '2', '2', '120000', '2000'],
    ['BOTH', '-2', '-2', '-120000', '-2000'],
    ['LONG', '2', '2', '120000', '2000'],
    ['SHORT', '2', '-2', '-120000', '-2000'],
  ] as const)(
    '%s of %s has the sign of its direction in every figure',
    (side, amount, size, cost, profit) => {
      const bench = futures([]);
      const { futures: memory } = accountOf(bench);
      const position = { ...POSITION, side, amount };
      if (!memory) throw new Error('no futures');
      expect([signedAmount(position), costOf(position), unrealized(memory, position)].map(str)).toEqual([
        size,
        cost,
        profit,
      ]);
      expect(str(costOf({ ...position, cost: '7' }))).toBe('7');
      expect(str(markOf(memory, position))).toBe('61000');
      bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '62000' });
      expect(str(markOf(memory, position))).toBe('62000');
    },
  );
});

describe('an order that can only shrink a position', () => {
  it.each([
    ['reduceOnly', false, { side: 'BUY', reduceOnly: true }, true],
    ['closePosition', false, { side: 'BUY', closePosition: true }, true],
    ['a plain SELL in one-way mode', false, { side: 'SELL', positionSide: 'BOTH' }, false],
    ['a position side that the mode does not have', false, { side: 'SELL', positionSide: 'LONG' }, false],
    ['SELL of a LONG', true, { side: 'SELL', positionSide: 'LONG' }, true],
    ['BUY of a LONG', true, { side: 'BUY', positionSide: 'LONG' }, false],
    ['BUY of a SHORT', true, { side: 'BUY', positionSide: 'SHORT' }, true],
    ['SELL of a SHORT', true, { side: 'SELL', positionSide: 'SHORT' }, false],
  ] as const)('%s (hedge mode: %s)', (_name, hedge, request, is) => {
    const account = accountOf(futures([], hedge));
    expect(isClosing(account, request)).toBe(is);
    expect(isClosing(accountOf(new Bench()), request)).toBe(false);
    // While the position mode is unknown, only the position side says so.
    account.unread.add('settings');
    const bySide = 'positionSide' in request && request.positionSide !== 'BOTH';
    const closing = bySide && (request.positionSide === 'LONG') === (request.side === 'SELL');
    expect(isClosing(account, request)).toBe(is || closing);
  });
});

describe('what closes while no entries are taken', () => {
  const asks = (memory: EngineMemory, exchange: string, more: object = {}) =>
    closes(memory, memory.account(exchange), {
      symbol: 'BTCUSDT',
      side: 'SELL',
      quantity: '3',
      ...more,
    });

  it('on spot is every SELL, and no BUY', () => {
    const { memory } = new Bench().engine;
    expect(asks(memory, SPOT)).toBe(true);
    expect(asks(memory, SPOT, { side: 'BUY' })).toBe(false);
  });

  it.each([
    ['as large as the position', {}, true],
    ['a step larger', { quantity: '3.001' }, false],
    ['of the other side', { side: 'BUY' }, false],
    ['of another contract', { symbol: 'ETHUSDT' }, false],
    ['without a quantity', { quantity: undefined }, false],
    ['with a quantity that is none', { quantity: 'x' }, false],
    ['larger, but reducing only', { quantity: '9', reduceOnly: true }, true],
    ['that closes the position', { quantity: undefined, closePosition: true }, true],
    ['closing a LONG', { quantity: '9', positionSide: 'LONG' }, true],
    ['opening a SHORT', { positionSide: 'SHORT' }, false],
    ['closing a SHORT', { side: 'BUY', quantity: '9', positionSide: 'SHORT' }, true],
    ['opening a LONG', { side: 'BUY', positionSide: 'LONG' }, false],
  ])('on futures is one %s', (_name, more, is) => {
    expect(asks(futures().engine.memory, FUTURES, more)).toBe(is);
  });

  it('on futures is less what other orders of that contract, side and account would still close', () => {
    const bench = futures();
    const { memory } = bench.engine;
    const placed = Array.from(
      { length: 7 },
      () => bench.place({ side: 'SELL', price: '70000', quantity: '1' }).order,
    );
    // No order counts before it gets its tested state.
    for (const order of placed) order.status = 'CLOSED';
    const add = (more: Partial<OrderRecord>) => Object.assign(placed.pop() ?? {}, { status: 'NEW' }, more);
    for (const elsewhere of [
      { symbol: 'ETHUSDT' },
      { side: 'BUY' },
      { exchange: OTHER },
      { status: 'CLOSED' },
      { status: 'CANCELLED', contradiction: { at: 'WORKING', goneAt: START } as never },
    ] as Partial<OrderRecord>[])
      add(elsewhere);
    expect(asks(memory, FUTURES)).toBe(true);
    add({ executedQty: '0.4' });
    expect(asks(memory, FUTURES)).toBe(false);
    expect(asks(memory, FUTURES, { quantity: '2.401' })).toBe(false);
    expect(asks(memory, FUTURES, { quantity: '2.4' })).toBe(true);
    add({ status: 'CANCELLED', contradiction: { at: 'WORKING' } as never });
    expect(asks(memory, FUTURES, { quantity: '1.4' })).toBe(true);
    expect(asks(memory, FUTURES, { quantity: '1.401' })).toBe(false);
  });
});

describe('what protects a position', () => {
  const STOP: Partial<OrderRecord> = {
    type: 'STOP_MARKET',
    phase: 'live',
    status: 'NEW',
    side: 'SELL',
    reduceOnly: true,
    origQty: '1',
    executedQty: '0.25',
  };
  const rows: [string, Partial<ExchangePosition>, Partial<OrderRecord>, string][] = [
    ['a stop that reduces, for what of it has not executed', {}, {}, '0.75'],
    ['one with a limit', {}, { type: 'STOP_LIMIT' }, '0.75'],
    ['no take-profit', {}, { type: 'TAKE_PROFIT_MARKET' }, '0'],
    ['no plain limit', {}, { type: 'LIMIT' }, '0'],
    ['one that closes the position, for all of it', {}, { reduceOnly: false, closePosition: true }, '3'],
    ['never more than there is', {}, { origQty: '9' }, '3'],
    ['none that could open', {}, { reduceOnly: false }, '0'],
    ['none of the other side', {}, { side: 'BUY' }, '0'],
    ['none of another contract', {}, { symbol: 'ETHUSDT' }, '0'],
    ['none of another account', {}, { exchange: OTHER }, '0'],
    ['none of another position side', {}, { positionSide: 'LONG' }, '0'],
    ['none that is on its way', {}, { phase: 'sending' }, '0'],
    ['none that is held here', {}, { phase: 'held' }, '0'],
    ['none that has ended', {}, { phase: 'done', status: 'CANCELLED' }, '0'],
    [
      'one that has ended here and proved to be alive',
      {},
      { phase: 'done', status: 'CANCELLED', contradiction: { at: 'PENDING' } as never },
      '0.75',
    ],
    [
      'not once that has ended, too',
      {},
      { phase: 'live', status: 'CANCELLED', contradiction: { at: 'ENDED' } as never },
      '0',
    ],
    ['of a short one that buys', { amount: '-3' }, { side: 'BUY' }, '0.75'],
    ['of a short no seller', { amount: '-3' }, {}, '0'],
    [
      'of a LONG its closing side, whatever it says of reducing',
      { side: 'LONG' },
      { positionSide: 'LONG', reduceOnly: false },
      '0.75',
    ],
    [
      'of a SHORT likewise',
      { side: 'SHORT' },
      { positionSide: 'SHORT', side: 'BUY', reduceOnly: false },
      '0.75',
    ],
    ['of a SHORT no seller', { side: 'SHORT' }, { positionSide: 'SHORT' }, '0'],
  ];
  it.each(rows)('is %s', (_name, position, more, cover) => {
    const bench = futures();
    const { order } = bench.place({ side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '1' });
    // The record in memory: an order that has ended in itself, or is alive although it has ended.
    Object.assign(order, STOP, more);
    const held = { ...POSITION, ...position };
    const found = protection(bench.engine.memory, accountOf(bench), held);
    expect(found.cover).toBe(cover);
    expect(found.since).toBe(cover === '0' ? null : START);
  });

  it('is what all of them cover together, since the oldest of them', () => {
    const bench = futures();
    const stops = [
      ['1', START + 20],
      ['0.5', START + 10],
      ['0.25', START + 30],
    ] as const;
    const placed = stops.map(
      ([quantity]) => bench.place({ side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity }).order,
    );
    for (const [i, [origQty, createdAt]] of stops.entries())
      Object.assign(placed[i] ?? {}, { ...STOP, origQty, createdAt, executedQty: '0' });
    const { memory } = bench.engine;
    const account = accountOf(bench);
    expect(protection(memory, account, POSITION)).toEqual({ cover: '1.75', since: START + 10, held: '0' });
    expect(protection(memory, account, { ...POSITION, amount: '1.5' }).cover).toBe('1.5');
  });

  it.each([
    // At the exchange, held here: what is covered, and what of the rest would be closed from here.
    ['1', '1', '1', '1'],
    ['2.5', '1', '2.5', '0.5'],
    ['3', '1', '3', '0'],
    ['9', '9', '3', '0'],
    ['0', '9', '0', '3'],
  ])('with %s there and %s held here is %s, and %s beside it', (there, here, cover, held) => {
    const bench = futures();
    const stop = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '1' } as const;
    const placed = [bench.place(stop).order, bench.place(stop).order];
    // The records in memory: one that waits at the exchange, one that waits here.
    Object.assign(placed[0] ?? {}, { ...STOP, origQty: there, executedQty: '0' });
    Object.assign(placed[1] ?? {}, { ...STOP, phase: 'held', origQty: here, executedQty: '0' });
    expect(protection(bench.engine.memory, accountOf(bench), POSITION)).toMatchObject({ cover, held });
  });
});

describe('a held exit of hedge mode', () => {
  const STOP: Partial<CreateOrder> = {
    type: 'STOP_MARKET',
    side: 'SELL',
    positionSide: 'LONG',
    stopPrice: '55000',
    workingType: 'CONTRACT_PRICE',
  };
  /** The size sent for an exit of 3 after a fall in price, when the position has changed since. */
  const sentOf = (amount: string, more: object = {}) => {
    const bench = futures([{ side: 'LONG', amount: '3' }], true, { forms: CAPS.forms });
    const { order } = bench.place({ ...STOP, quantity: '3', ...more });
    bench.event({
      type: 'venue.positions',
      exchange: FUTURES,
      changed: [{ ...POSITION, side: 'LONG', amount, updateTime: START + 1 }],
    });
    bench.tick('50000');
    const sent = bench.kinds('submit').flatMap((one) => (one.kind === 'submit' ? [one.order.quantity] : []));
    return { sent, log: bench.store.eventsOf(order.id).map(({ text }) => text) };
  };

  it('goes out as large as its position is by then, and says so', () => {
    const { sent, log } = sentOf('1');
    expect(sent).toEqual(['1']);
    expect(log).toContain('1 of 3: the LONG position is no larger');
  });

  it.each([
    ['3', '3'],
    ['5', '3'],
    // The exchange itself reports that there is nothing to close.
    ['0', '3'],
  ])('of a position of %s closes %s', (amount, quantity) => {
    expect(sentOf(amount).sent).toEqual([quantity]);
  });
});
