/** The pure parts behind the screens. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPublicKey } from '../../../src/console/api-keys/key-draft.ts';
import { headerLine } from '../../../src/console/app/header.ts';
import { shortMoney } from '../../../src/console/bots/bot-columns.ts';
import { selectedIndex, windowStart } from '../../../src/console/lists/cursor.ts';
import { placeColumns } from '../../../src/console/lists/table.ts';
import { orderColumns } from '../../../src/console/orders/order-columns.ts';
import { askedBy } from '../../../src/console/orders/order-detail.ts';
import { orderRows } from '../../../src/console/orders/order-list.ts';
import { parseSplitPrices } from '../../../src/console/orders/split-prices.ts';
import {
  draftOrder,
  emptyDraft,
  ORDER_TYPES,
  parseGoodTill,
  ticketFields,
} from '../../../src/console/orders/ticket/ticket-draft.ts';
import { feedLines, moneyLines, orderLines } from '../../../src/console/overview/summary.ts';
import { nearestOrders } from '../../../src/console/overview/watchlist.ts';
import { shownPrices } from '../../../src/console/trading/watch.ts';
import { cellWidth } from '../../../src/console/ui/clean.ts';
import { breakText, lineWidth, rule, spread, wrapWords } from '../../../src/console/ui/line.ts';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order, someOrders } from '../support/some-orders.ts';

const LIST = { filter: '', sort: 'time', reverse: false, closed: null } as const;
const ids = (rows: readonly { id: string }[]) => rows.map((row) => row.id.at(-1)).join('');

describe('order rows', () => {
  it('unresolved first, then open, then ended, each newest first', () => {
    expect(ids(orderRows(someOrders(), LIST))).toBe('ebcdfg');
  });

  it('keeps that order however it is sorted', () => {
    for (const sort of ['time', 'symbol', 'side', 'price', 'status'] as const) {
      for (const reverse of [false, true]) {
        const rows = orderRows(someOrders(), { ...LIST, sort, reverse });
        expect(rows[0]?.unresolved).toBeDefined();
        expect(
          rows
            .slice(-2)
            .map((row) => row.status)
            .sort(),
        ).toEqual(['CANCELLED', 'CLOSED']);
      }
    }
  });

  it('filters by all words, over every field a person knows', () => {
    expect(ids(orderRows(someOrders(), { ...LIST, filter: 'sell api' }))).toBe('c');
    expect(ids(orderRows(someOrders(), { ...LIST, filter: 'FUTURES' }))).toBe('d');
    expect(ids(orderRows(someOrders(), { ...LIST, filter: 'unresolved' }))).toBe('e');
  });

  it('filters by prices as they are shown, with their separators or without', () => {
    const { instruments } = deskState();
    const orders = {
      a: order('oc-a', { price: '60000.1' }),
      b: order('oc-b', { price: undefined, type: 'STOP_MARKET', stopPrice: '60000' }),
      c: order('oc-c', { symbol: 'ETHUSDT', price: '3300' }),
    };
    const shown = (filter: string) => ids(orderRows(orders, { ...LIST, filter, instruments }));
    // The step of BTCUSDT is 0.01: the screen has 60,000.10 and 60,000.00.
    expect(shown('60,000')).toBe('ba');
    expect(shown('60000.1')).toBe('a');
    expect(shown('60,000.10 buy')).toBe('a');
    expect(shown('60000.00')).toBe('b');
    expect(shown('3,300')).toBe('c');
    expect(shown('60,000.2')).toBe('');
  });

  it('does not show an order twice when the store has it too', () => {
    const rows = orderRows(someOrders(), { ...LIST, closed: [order('oc-7f3k2m9q1a2f'), order('oc-z')] });
    expect(rows).toHaveLength(7);
  });

  it('the selection follows the id, and stays near when the row has gone', () => {
    const rows = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
    expect(selectedIndex(rows, { id: 'c', index: 0 })).toBe(2);
    expect(selectedIndex(rows, { id: 'x', index: 1 })).toBe(1);
    expect(selectedIndex(rows, { id: 'x', index: 9 })).toBe(2);
    expect(selectedIndex([], { id: 'x', index: 9 })).toBe(-1);
    expect(windowStart(99, 100, 10)).toBe(90);
    expect(windowStart(0, 3, 10)).toBe(0);
  });
});

describe('split prices', () => {
  it('reads lists and ranges exactly', () => {
    expect(parseSplitPrices('61000, 61200.5', '0.01')).toEqual({
      prices: ['61000', '61200.5'],
      problem: null,
    });
    expect(parseSplitPrices('61000..62000 5', '0.01').prices).toEqual([
      '61000',
      '61250',
      '61500',
      '61750',
      '62000',
    ]);
    expect(parseSplitPrices('1..2 4', '0.1').prices).toEqual(['1', '1.3', '1.7', '2']);
    expect(parseSplitPrices('2..1 2', '0.1').prices).toEqual(['2', '1']);
  });

  it('says what it cannot read', () => {
    expect(parseSplitPrices('61000', '1').problem).toBe('at least 2 prices');
    expect(parseSplitPrices('61000 abc', '1').problem).toBe('"abc" is not a price');
    expect(parseSplitPrices('1..2', '1').problem).toContain('from..to');
    expect(parseSplitPrices('1..2 99', '1').problem).toBe('2 to 50 parts');
    expect(parseSplitPrices('', '1')).toEqual({ prices: [], problem: null });
  });
});

describe('ticket', () => {
  const { accounts } = deskState();
  const fields = (change: object) =>
    ticketFields({ ...emptyDraft('paper-spot', 'BTCUSDT'), ...change }, accounts).map((f) => f.id);

  it.each(ORDER_TYPES)('%s shows price and stop only where they apply', (type) => {
    const shown = fields({ type });
    expect(shown.includes('price')).toBe(/LIMIT/.test(type));
    expect(shown.includes('stopPrice')).toBe(/STOP|PROFIT/.test(type));
  });

  it('spot has no futures fields', () => {
    expect(fields({})).not.toContain('reduceOnly');
    expect(fields({ exchange: 'paper-futures' })).toContain('reduceOnly');
  });

  it('leaves out empty fields, defaults and fields that do not apply', () => {
    const draft = { ...emptyDraft('paper-spot', 'BTCUSDT'), quantity: '0.5', price: '60000', stopPrice: '1' };
    const { order: made } = draftOrder(draft, ticketFields(draft, accounts), NOON);
    expect(made).toEqual({
      exchange: 'paper-spot',
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      quantity: '0.5',
      price: '60000',
    });
  });

  it('reads good-till as a span or a date', () => {
    expect(parseGoodTill('+2h', NOON)).toBe(NOON + 7_200_000);
    expect(parseGoodTill('2026-03-03 10:00', NOON)).toBe(Date.UTC(2026, 2, 3, 10));
    expect(parseGoodTill('tomorrow', NOON)).toBeNull();
  });

  it('puts the line ends of a pasted PEM back', () => {
    const pem = '-----BEGIN PUBLIC KEY----- MCowBQ YDK2Vw -----END PUBLIC KEY-----';
    expect(readPublicKey(pem)).toBe('-----BEGIN PUBLIC KEY-----\nMCowBQYDK2Vw\n-----END PUBLIC KEY-----\n');
  });
});

describe('order detail', () => {
  const created = (text: string) => ({
    order: order('a'),
    fills: [],
    events: [
      {
        orderId: 'a',
        user: 'owner',
        at: NOON,
        market: NOON,
        kind: 'created' as const,
        text,
        status: 'NEW' as const,
      },
    ],
  });

  it('names who asked, as the order was created', () => {
    const asked = (text: string, creator: 'UI' | 'API') =>
      askedBy(order('a', { creator, creatorId: 'owner000' }), created(text));
    expect(asked('BUY 0.5 BTCUSDT LIMIT, asked by operator', 'UI')).toBe('operator');
    expect(asked('BUY 0.5 BTCUSDT LIMIT, asked by key A6EHv_PO', 'API')).toBe('key A6EHv_PO');
    expect(asked('part of oc-1: BUY LIMIT 1 BTCUSDT at 2', 'API')).toBe('a key');
    expect(askedBy(order('a', { creator: 'UI', creatorId: 'owner000' }), null)).toBe('operator');
  });
});

describe('clock and change', () => {
  const text = (state: DeskState, minute: number) =>
    headerLine(state, minute, 160)
      .map((part) => part.text)
      .join('');
  const base = deskState();
  const minute = NOON / 60_000;

  it('shows one time in header and Overview: the market’s as soon as the feed is held', () => {
    const held = { ...base, clock: { ...base.clock, held: true } };
    expect(text(held, minute + 1)).toContain('HELD 14:07');
    const lines = feedLines(held, minute + 1).flat();
    expect(lines.some((part) => part.text === '14:07')).toBe(true);
    expect(text(base, minute + 1)).toContain('14:08');
    expect(
      feedLines(base, minute + 1)
        .flat()
        .some((part) => part.text === '14:08'),
    ).toBe(true);
  });

  it('calls a fast synthetic market synthetic, a file a replay', () => {
    const fast = { ...base.clock, live: false, speed: 20 };
    expect(text({ ...base, clock: fast }, minute)).toContain('SYNTHETIC 2026-03-02 14:07 x20');
    expect(text({ ...base, clock: { ...fast, feed: 'csv:./data' } }, minute)).toContain('REPLAY 2026-03-02');
  });

  // proves: S53
  it('says in red, in header and Overview, that a stop does not reach its exchange', () => {
    const stop = { ...order('a', { type: 'STOP_MARKET', status: 'NEW' }), withoutStop: true as const };
    const state = deskState({ orders: { a: stop } });
    for (const width of [80, 100, 160]) {
      const line = headerLine(state, minute, width);
      expect(lineWidth(line)).toBe(width);
      expect(line.find((part) => part.text.includes('STOP'))).toMatchObject({ tone: 'danger' });
    }
    const shown = orderLines(state).flat();
    expect(shown.find((part) => part.text === '1 not reached')).toMatchObject({ tone: 'danger' });
    expect(text(base, minute)).not.toContain('STOP');
  });

  // proves: D22
  it('shows for an hour by how much the wall clock was set, and which way', () => {
    const shownFor = (byMs: number, minutes: number) =>
      feedLines({ ...base, clock: { ...base.clock, jump: { at: NOON, byMs } } }, minute + minutes)
        .flat()
        .map((part) => part.text)
        .join('');
    expect(shownFor(3 * 3_600_000, 1)).toContain('UTC  +3 h');
    expect(shownFor(-90_000, 60)).toContain('UTC  -');
    expect(shownFor(-90_000, 61)).toMatch(/UTC(?! {2}[+-])/);
  });

  it('signs a small change, the same in header and Overview', () => {
    const equity = { ...base.equity, usd: '99998', dayStartUsd: '100000' };
    const state = { ...base, equity };
    const overview = moneyLines(state, 40)
      .flat()
      .map((part) => part.text)
      .join('');
    expect(text(state, minute)).toContain('-<0.01 %');
    expect(overview).toContain('-2.00  -<0.01 %');
  });
});

describe('layout', () => {
  it('columns go by priority and never take more than there is', () => {
    const columns = orderColumns({ instruments: [], accounts: [], prices: {} }, 0);
    for (let width = 20; width < 240; width += 3) {
      const placed = placeColumns(columns, width);
      const used = placed.reduce((sum, { width: cells }) => sum + cells + 2, -2);
      expect(used).toBeLessThanOrEqual(width);
    }
    expect(placeColumns(columns, 40).map(({ column }) => column.title)).toContain('status');
  });

  it.each([80, 100, 140, 200])('the header is exactly %i cells wide, live and in replay', (width) => {
    const live = deskState();
    const clock = { ...live.clock, live: false, speed: 600, held: true };
    expect(lineWidth(headerLine(live, 1, width))).toBe(width);
    expect(lineWidth(headerLine({ ...live, clock }, 1, width))).toBe(width);
  });

  it('rules and spread lines keep their width', () => {
    for (let width = 10; width < 60; width++) {
      expect(lineWidth(rule('A long title of a pane', [{ text: 'info' }], width))).toBeLessThanOrEqual(width);
      expect(lineWidth(spread([{ text: 'left side' }], [{ text: 'right' }], width))).toBe(width);
    }
  });
});

describe('texts on lines', () => {
  const texts = fc
    .array(fc.constantFrom('a', 'words', ' ', '日本', '🚀', 'x'.repeat(30), '-----BEGIN'))
    .map((p) => p.join(''));

  it('are no wider than there is room for, and nothing of them is lost', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 20 }), (text, width) => {
        for (const lines of [wrapWords(text, width), breakText(text, width)]) {
          expect(Math.max(0, ...lines.map(cellWidth))).toBeLessThanOrEqual(width);
          expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        }
      }),
    );
  });
});

describe('money of bots', () => {
  it('is rounded to two places, and what is next to nothing is no nothing', () => {
    expect(['1.79800542', '0.0997', '-7.379', '0', '0.0000', '0.004', '-0.004', '–'].map(shortMoney)).toEqual(
      ['1.80', '0.10', '-7.38', '0.00', '0.00', '<0.01', '-<0.01', '–'],
    );
  });
});

describe('the watchlist', () => {
  it('lists symbols in the order of the instruments, unknown ones last', () => {
    const state = deskState();
    const first = ['BTCUSDT', 'ETHUSDT'].flatMap((symbol) =>
      state.instruments.filter((entry) => entry.symbol === symbol),
    );
    const rest = state.instruments.filter((entry) => !first.includes(entry) && entry.symbol !== 'ADAUSDT');
    const symbols = shownPrices({ ...state, instruments: [...first, ...rest] }).map((price) => price.symbol);
    expect(symbols.slice(0, 3)).toEqual(['BTCUSDT', 'ETHUSDT', 'AVAXUSDT']);
    expect(symbols.at(-1)).toBe('ADAUSDT');
    expect(symbols).toHaveLength(15);
  });

  it('takes the nearest own order on each side', () => {
    const orders = {
      a: order('a', { price: '60000' }),
      b: order('b', { price: '60500' }),
      c: order('c', { side: 'SELL', price: '62000' }),
      d: order('d', { side: 'SELL', price: '61900', status: 'CANCELLED' }),
    };
    expect(nearestOrders(orders, deskState().accounts).get('paper BTCUSDT')).toEqual({
      buy: '60500',
      sell: '62000',
    });
  });
});
