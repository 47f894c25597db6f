/** The history: trades by time and all orders, read page by page and written as CSV. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeColumns, rowLine } from '../../../src/console/lists/table.ts';
import {
  FIRST_TRADES,
  noTrades,
  shownTrades,
  TRADE_SORTS,
  type TradesView,
  tradeColumns,
  tradeId,
  withNewest,
} from '../../../src/console/orders/trades/trade-list.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import { refuse } from '../../../src/domain/errors.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

function trade(at: number, change: Partial<FillRecord> = {}): FillRecord {
  return {
    exchange: 'paper-spot',
    tradeId: `t${at}`,
    orderId: 'oc-7f3k2m9q1a2f',
    user: 'owner',
    symbol: at % 3 === 0 ? 'ETHUSDT' : 'BTCUSDT',
    side: at % 2 === 0 ? 'BUY' : 'SELL',
    price: `${60_000 + at}.10`,
    qty: '0.0125',
    comm: '0.0000125',
    commAsset: 'BTC',
    maker: at % 4 === 0,
    rPnl: null,
    posSide: 'BOTH',
    time: NOON - (1_000 - at) * 60_000,
    ...change,
  };
}

/** The store of a desk: `count` trades, newest first, in pages. */
function store(desk: FakeDesk, count: number): FillRecord[] {
  const all = Array.from({ length: count }, (_, at) => trade(at)).reverse();
  all.splice(
    3,
    0,
    trade(900, {
      time: NOON - 963.5 * 60_000,
      exchange: 'paper-futures',
      rPnl: '-12.5',
      posSide: 'LONG',
      commAsset: 'USDT',
      comm: '0.42',
    }),
  );
  desk.answers['trades.page'] = ({ before, limit }) => {
    const from = before === undefined ? 0 : Number(before);
    const next = from + limit < all.length ? String(from + limit) : null;
    return { trades: all.slice(from, from + limit), next };
  };
  return all;
}

const pages = (desk: FakeDesk) =>
  desk.calls.filter(({ method }) => method === 'trades.page').map(({ params }) => params);
const view = (change: Partial<TradesView>): TradesView => ({
  ...FIRST_TRADES,
  open: true,
  next: null,
  ...change,
});

const someTrades = fc
  .uniqueArray(fc.integer({ min: 0, max: 999 }), { maxLength: 60 })
  .map((list) => list.sort((a, b) => b - a).map((at) => trade(at)));

describe('rows', () => {
  it('a filter finds prices as they are shown, with their separators or without', () => {
    const trades = [trade(1, { price: '60001.1' }), trade(2, { symbol: 'ETHUSDT', price: '3300' })];
    const { instruments } = deskState();
    const shown = (filter: string) =>
      shownTrades(view({ trades, filter }), instruments).map(({ symbol }) => symbol.slice(0, 3));
    expect([shown('60,001'), shown('60001.10'), shown('3,300.00')]).toEqual([['BTC'], ['BTC'], ['ETH']]);
    expect(shown('60,002')).toEqual([]);
  });

  it('every sort shows every trade once; time keeps the order of the store', () => {
    fc.assert(
      fc.property(someTrades, fc.constantFrom(...TRADE_SORTS), fc.boolean(), (trades, sort, reverse) => {
        const rows = shownTrades(view({ trades, sort, reverse }));
        expect(rows.map(({ id }) => id).sort()).toEqual(trades.map(tradeId).sort());
        const forth = shownTrades(view({ trades, sort }));
        expect(rows.map(({ id }) => id)).toEqual(
          (reverse ? [...forth].reverse() : forth).map(({ id }) => id),
        );
        if (sort === 'time' && !reverse) expect(rows.map(({ id }) => id)).toEqual(trades.map(tradeId));
      }),
    );
  });

  it('a filter takes words in any order, of symbol, side, account, order and role', () => {
    const trades = Array.from({ length: 12 }, (_, at) => trade(at));
    const shown = (filter: string) => shownTrades(view({ trades, filter })).length;
    expect([
      shown('btc'),
      shown('eth sell'),
      shown('maker spot'),
      shown('7f3k2m9q1a2f'),
      shown('nothing'),
    ]).toEqual([8, 2, 3, 12, 0]);
  });

  it('what has come since is put before what is here, once, however pages overlap', () => {
    fc.assert(
      fc.property(someTrades, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 20 }), (all, a, b, limit) => {
        const known = all.slice(a % (all.length + 1), (a % (all.length + 1)) + 10 + (b % 10));
        const page = { trades: all.slice(0, limit), next: limit < all.length ? 'more' : null };
        const before = { trades: known, next: 'older' };
        const after = withNewest(before, page);
        const ids = after.trades.map(tradeId);
        expect(new Set(ids).size).toBe(ids.length);
        const meets = page.trades.some((one) => known.includes(one));
        // Pages with a gap between them are never joined.
        if (!meets) expect(after).toEqual({ trades: page.trades, next: page.next });
        else {
          expect(ids.slice(-known.length)).toEqual(known.map(tradeId));
          expect(after.next).toBe('older');
        }
        const times = after.trades.map(({ time }) => time);
        expect(times).toEqual([...times].sort((x, y) => y - x));
      }),
    );
  });

  it('no row is wider than the screen', () => {
    fc.assert(
      fc.property(someTrades, fc.integer({ min: 60, max: 220 }), (trades, width) => {
        const placed = placeColumns(tradeColumns(deskState().instruments), width - 4);
        for (const row of shownTrades(view({ trades })))
          expect(lineWidth(rowLine(placed, row, true))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('says what is the matter when there is none', () => {
    const text = (change: Partial<TradesView>) =>
      noTrades(view(change))
        .map((part) => part.text)
        .join('')
        .trim();
    expect(text({ next: undefined, loading: true })).toBe('reading …');
    expect(text({ failed: true, next: undefined })).toBe('the trades could not be read · r tries again');
    expect(text({ filter: 'x' })).toBe('no trade read so far matches "x" · esc clears the filter');
    expect(text({})).toBe('no trades yet · t back to the orders');
  });
});

describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('trades by time at $columns x $rows', (size) => {
  it('shows the newest first', async () => {
    const desk = new FakeDesk();
    store(desk, 40);
    const screen = await open(desk, size);
    await screen.press('2', 't');
    await screen.shows('41 shown');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('says so when there is none, and when they cannot be read', async () => {
    const desk = new FakeDesk();
    store(desk, 0).splice(0);
    const screen = await open(desk, size);
    await screen.press('2', 't');
    await screen.shows('no trades yet');
    expect(screen.screenText()).toMatchSnapshot();
    desk.answers['trades.page'] = () => {
      throw new Error('the store could not be read');
    };
    await screen.press('r');
    await screen.shows('the trades could not be read · r tries again');
    expect(screen.screenText()).toMatchSnapshot();
  });
});

describe('keys', () => {
  it('reads on as one moves down, to the end and no further', async () => {
    const desk = new FakeDesk();
    const all = store(desk, 249);
    const screen = await open(desk);
    await screen.press('2', 't');
    await screen.shows('100+ shown');
    await screen.press('G');
    await screen.shows('200+ shown');
    await screen.press('G');
    await screen.shows(`${all.length} shown`);
    await screen.press('G', 'G', 'g', 'G');
    expect(pages(desk).filter((page) => 'before' in (page as object))).toEqual([
      { limit: 100, before: '100' },
      { limit: 100, before: '200' },
    ]);
    expect(screen.screenText()).toContain('▸');
  });

  it('a fill that comes while one looks is there at once, and the selection stays on its trade', async () => {
    const desk = new FakeDesk();
    const all = store(desk, 40);
    const screen = await open(desk);
    await screen.press('2', 't');
    await screen.shows('41 shown');
    await screen.press('j');
    const selected = screen.screenLines().find((line) => line.startsWith('▸'));
    all.unshift(trade(999, { symbol: 'SOLUSDT' }));
    desk.push({ orders: { 'oc-x': order('oc-x', { executedQty: '1', updatedAt: NOON + 1 }) } });
    await screen.shows('42 shown');
    expect(screen.screenText()).toContain('SOLUSDT');
    expect(screen.screenLines().find((line) => line.startsWith('▸'))).toBe(selected);
  });

  it('filter, sort, and back: each esc leaves one mode', async () => {
    const desk = new FakeDesk();
    store(desk, 40);
    const screen = await open(desk);
    await screen.press('2', 't');
    await screen.shows('41 shown');
    await screen.press('/', 'futures', ENTER);
    expect(screen.screenText()).toContain('Trades matching "futures"');
    expect(screen.screenText()).toContain('1 shown');
    await screen.press('o', 'O');
    expect(screen.screenText()).toContain('symbol ▲');
    await screen.press(ESC);
    expect(screen.screenText()).toContain('41 shown');
    await screen.press(ESC);
    expect(screen.screenText()).toContain('─ Orders ─');
  });

  it('enter goes to the order, if it is a recent one', async () => {
    const desk = new FakeDesk();
    const all = store(desk, 5);
    all[1] = trade(3, { orderId: 'oc-long-ago' });
    const screen = await open(desk);
    await screen.press('2', 't');
    await screen.shows('6 shown');
    await screen.press('j', ENTER);
    await screen.shows('order oc-long-ago is not a recent one');
    await screen.press('k', ENTER);
    await screen.shows('Order oc-7f3k2m9q1a2f');
  });

  it('writes trades and every order that has ended, and says where and whether that is all', async () => {
    const desk = new FakeDesk();
    store(desk, 5);
    const screen = await open(desk);
    await screen.press('2', 'e');
    await screen.shows('1 row: /home/owner/.outcry/exports/o.csv');
    await screen.press('t', 'e');
    await screen.shows('2 rows, there are more: /home/owner/.outcry/exports/t.csv');
    desk.answers['trades.export'] = () => refuse('SERVICE_UNAVAILABLE', 'another file is being written');
    await screen.press('e');
    await screen.shows('refused: another file is being written');
    expect(desk.acting).toEqual([]);
  });

  it('all orders ever are read page by page below the open ones', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'a');
    await screen.shows('106+ shown');
    await screen.press('G');
    await screen.shows('206 shown');
    expect(desk.calls.filter(({ method }) => method === 'orders.closed')).toHaveLength(2);
  });

  it('they are read from the newest on when they are shown again', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'a');
    await screen.shows('106+ shown');
    await screen.press('G');
    await screen.shows('206 shown');
    await screen.press('a', 'a');
    await screen.shows('106+ shown');
    const asked = desk.calls.filter(({ method }) => method === 'orders.closed');
    expect(asked[2]?.params).toEqual(asked[0]?.params);
  });
});
