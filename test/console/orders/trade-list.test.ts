/** Pages of trades: the newest page joins what was read before, each trade once. */
import { describe, expect, it } from 'vitest';
import {
  FIRST_TRADES,
  shownTrades,
  type TradesView,
  withNewest,
} from '../../../src/console/orders/trades/trade-list.ts';
import type { FillRecord } from '../../../src/domain/order.ts';

const trade = (n: number, more: Partial<FillRecord> = {}): FillRecord => ({
  user: 'owner',
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  tradeId: String(n),
  orderId: `o${n}`,
  side: 'BUY',
  price: '60000',
  qty: '0.1',
  comm: '0',
  commAsset: 'USDT',
  maker: false,
  rPnl: null,
  posSide: 'BOTH',
  time: n,
  ...more,
});
const idsOf = ({ trades }: { readonly trades: readonly FillRecord[] }) =>
  trades.map(({ tradeId }) => tradeId);

describe('the newest page', () => {
  const read = { trades: [4, 3, 2, 1].map((n) => trade(n)), next: 'behind 1' };

  it('joins what was read: older pages go on behind its oldest, not behind the newest page', () => {
    const joined = withNewest(read, { trades: [6, 5, 4].map((n) => trade(n)), next: 'behind 4' });
    expect(idsOf(joined)).toEqual(['6', '5', '4', '3', '2', '1']);
    expect(joined.next).toBe('behind 1');
  });

  it('stands alone when it does not reach what was read', () => {
    const apart = withNewest(read, { trades: [9, 8].map((n) => trade(n)), next: 'behind 8' });
    expect([idsOf(apart), apart.next]).toEqual([['9', '8'], 'behind 8']);
  });

  it('changes nothing where nothing is new', () => {
    expect(withNewest(read, { trades: [4, 3].map((n) => trade(n)), next: 'behind 3' })).toBe(read);
  });

  it('stands alone where nobody knows what is behind the trades that were read', () => {
    const open = { ...read, next: undefined };
    const page = { trades: [6, 5, 4].map((n) => trade(n)), next: 'behind 4' };
    expect(withNewest(open, page)).toEqual(page);
    // Everything was read.
    expect(withNewest({ ...read, next: null }, page)).toMatchObject({ next: null });
  });

  it('has the trade of another symbol or order that its exchange calls the same', () => {
    const same = [
      trade(4, { symbol: 'ETHUSDT', time: 6 }),
      trade(4, { orderId: 'the other side', time: 5 }),
      trade(4),
    ];
    const joined = withNewest(read, { trades: same, next: 'behind 4' });
    expect(joined.trades).toHaveLength(6);
    const rows = shownTrades({ ...FIRST_TRADES, ...joined });
    expect(new Set(rows.map(({ id }) => id)).size).toBe(6);
  });
});

describe('the trades that are shown', () => {
  const trades = [
    trade(5, { symbol: 'ETHUSDT', side: 'SELL', qty: '1', price: '10', posSide: 'SHORT' }),
    trade(4, { qty: '2', price: '10', maker: true }),
    trade(3, { symbol: 'ETHUSDT', qty: '1', price: '20' }),
    trade(2, { side: 'SELL', qty: '3', price: '1', posSide: 'LONG' }),
  ];
  const shown = (view: Partial<TradesView>) =>
    idsOf({ trades: shownTrades({ ...FIRST_TRADES, trades, ...view }) }).join('');

  it.each([
    ['time', '5432'],
    ['symbol', '4253'],
    ['side', '4352'],
    ['value', '4352'],
  ] as const)(
    'stand in the order of their %s, equals newest first; backwards the other way round',
    (sort, ids) => {
      expect(shown({ sort })).toBe(ids);
      expect(shown({ sort, reverse: true })).toBe([...ids].reverse().join(''));
    },
  );

  it.each([
    ['eth sell', '5'],
    ['SHORT', '5'],
    ['maker', '4'],
    ['taker btc', '2'],
    ['o3', '3'],
    ['long taker', '2'],
    ['nothing', ''],
  ])('are those with all words of the filter: %s', (filter, ids) => {
    expect(shown({ filter })).toBe(ids);
  });
});
