/**
 * The contract of futures accounts beyond their orders: hedge mode, and positions that the exchange closes by
 * itself.
 */
import { expect, it } from 'vitest';
import { dec, str } from '../../../src/domain/decimal.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import type { PositionSide } from '../../../src/schemas/order.ts';
import type { OrderedExchange } from './orders.ts';

export interface ContractsExchange extends OrderedExchange {
  /** Positions reported so far. */
  readonly positions: readonly ExchangePosition[];
  /** How often the adapter reported news of the ledger. */
  readonly moved: () => number;
  /** Moves the mark price so far that every position of this side is liquidated. */
  readonly liquidate: (side: 'LONG' | 'SHORT') => Promise<void>;
  /** The exchange reduces the only position by itself (auto-deleveraging). */
  readonly reduce: (quantity: string) => Promise<void>;
}

export function tradesContracts(open: () => Promise<ContractsExchange>): void {
  const trade = async (x: ContractsExchange, clientId: string, side: 'BUY' | 'SELL', more: object = {}) => {
    const order = { symbol: x.symbol, type: 'MARKET', quantity: '0.02', timeInForce: 'GTC' } as const;
    return x.settle(x.venue.submit({ ...order, clientId, side, ...more }));
  };
  const sizes = async (x: ContractsExchange) => {
    const all = (await x.settle(x.venue.futures?.positions() ?? Promise.resolve(null))) ?? [];
    return Object.fromEntries(
      all.filter(({ amount }) => dec(amount) !== 0n).map(({ side, amount }) => [side, str(dec(amount))]),
    );
  };
  const told = (x: ContractsExchange, side: PositionSide) =>
    x.positions.findLast((one) => one.side === side && one.symbol === x.symbol)?.amount;

  it('one-way: what is bought is one position, which a reduce-only order makes smaller and never turns', async () => {
    const x = await open();
    expect(await trade(x, 'a', 'BUY')).toMatchObject({ kind: 'accepted' });
    expect([await sizes(x), told(x, 'BOTH')]).toEqual([{ BOTH: '0.02' }, '0.02']);
    await trade(x, 'b', 'SELL', { quantity: '0.03', reduceOnly: true });
    const left = await sizes(x);
    expect(left.BOTH ?? '0').toMatch(/^0(\.02)?$/);
    await trade(x, 'c', 'SELL', { reduceOnly: true });
    expect([await sizes(x), told(x, 'BOTH')]).toEqual([{}, '0']);
    expect((await trade(x, 'd', 'SELL', { reduceOnly: true })).kind).toBe('rejected');
  });

  it('hedge mode: both sides stand beside each other, each closed by its own orders', async () => {
    const x = await open();
    const { futures } = x.venue;
    if (!futures) throw new Error('it has no contracts');
    expect(await x.settle(futures.setHedgeMode(true))).toMatchObject({ kind: 'done' });
    expect(await x.settle(futures.hedgeMode())).toBe(true);
    await trade(x, 'long', 'BUY', { positionSide: 'LONG', quantity: '0.03' });
    await trade(x, 'short', 'SELL', { positionSide: 'SHORT' });
    const both = await sizes(x);
    expect([both.LONG, both.SHORT?.replace('-', '')]).toEqual(['0.03', '0.02']);
    expect((await trade(x, 'one-way', 'BUY')).kind).toBe('rejected');
    await trade(x, 'close', 'SELL', { positionSide: 'LONG', quantity: '0.03' });
    expect(Object.keys(await sizes(x))).toEqual(['SHORT']);
    // Open orders and positions keep the mode.
    expect((await x.settle(futures.setHedgeMode(false))).kind).toBe('rejected');
    expect(await x.settle(futures.hedgeMode())).toBe(true);
  });

  it('a liquidation is told as an order of the exchange, with its execution, and nothing is left', async () => {
    const x = await open();
    await x.settle(x.venue.futures?.setLeverage({ symbol: x.symbol, leverage: 20 }) ?? Promise.resolve(null));
    await trade(x, 'a', 'BUY', { quantity: '1' });
    const before = x.moved();
    await x.liquidate('LONG');
    expect([await sizes(x), told(x, 'BOTH')]).toEqual([{}, '0']);
    const own = x.fills.filter(({ clientId }) => clientId === 'a').map(({ tradeId }) => tradeId);
    const theirs = x.fills.filter(({ tradeId }) => !own.includes(tradeId));
    expect(theirs.map(({ side, liquidation }) => [side, liquidation])).toContainEqual(['SELL', true]);
    const numbers = new Set(theirs.map(({ venueId }) => venueId));
    expect(x.orders.some(({ venueIds = [] }) => venueIds.some((id) => numbers.has(id)))).toBe(true);
    expect(
      x.orders.filter(({ clientId }) => clientId === 'a').every(({ status }) => status !== 'CANCELLED'),
    ).toBe(true);
    expect(x.moved()).toBeGreaterThanOrEqual(before);
  });

  it('a reduction for the sake of others is told as an order of theirs, also the second one of the same name', async () => {
    const x = await open();
    await trade(x, 'a', 'BUY', { quantity: '0.05' });
    for (const left of ['0.03', '0.01']) {
      await x.reduce('0.02');
      expect([await sizes(x), told(x, 'BOTH')]).toEqual([{ BOTH: left }, left]);
    }
    const numbers = new Set(x.fills.filter(({ side }) => side === 'SELL').map(({ venueId }) => venueId));
    expect(numbers.size).toBe(2);
  });
}
