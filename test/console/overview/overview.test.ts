/** The Overview: its parts at each size, and how each row leads to its own screen. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statusSpan } from '../../../src/console/orders/order-columns.ts';
import {
  focusable,
  focusedPart,
  type OverviewCounts,
  overviewCounts,
  overviewLayout,
  SUMMARY_ROWS,
  unprotectedLine,
  unprotectedPositions,
  unresolvedOrders,
} from '../../../src/console/overview/overview-parts.ts';
import { feedLines, unresolvedLines } from '../../../src/console/overview/summary.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk, someAlerts, someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order, someOrders } from '../support/some-orders.ts';

const open = rigPerTest();

/** A desk with everything at once: unresolved and open orders, positions without a stop, bots, alerts. */
const busy = (change: Partial<DeskState> = {}): FakeDesk =>
  botDesk({ orders: someOrders(), futures: somePositions(), ...change });

const SHIFT_TAB = '\x1b[Z';
const cursorRow = (screen: Rig): string => screen.screenLines().find((line) => line.includes('▸')) ?? '';

describe('its room', () => {
  const none: OverviewCounts = {
    unresolved: 0,
    bare: 0,
    symbols: 0,
    open: 0,
    bots: 0,
    running: 0,
    alerts: 0,
    unseen: 0,
  };
  const some = fc.nat({ max: 60 });
  const counts: fc.Arbitrary<OverviewCounts> = fc
    .record({
      unresolved: some,
      bare: some,
      symbols: some,
      open: some,
      bots: some,
      running: some,
      alerts: some,
      unseen: some,
    })
    .map((given) => ({
      ...given,
      bots: given.bots + given.running,
      unseen: Math.min(given.unseen, given.alerts),
    }));

  it('is filled exactly, at every size and whatever there is', () => {
    fc.assert(
      fc.property(
        counts,
        fc.integer({ min: 80, max: 220 }),
        fc.integer({ min: 20, max: 80 }),
        (given, width, height) => {
          const { main, side, curve, wide, mainWidth, sideWidth } = overviewLayout(given, width, height);
          const sum = (boxes: readonly { height: number }[]) =>
            boxes.reduce((all, box) => all + box.height, 0);
          expect(sum(main)).toBe(height - SUMMARY_ROWS);
          expect(wide ? sum(side) + curve : 0).toBe(wide ? height - SUMMARY_ROWS : 0);
          expect(wide ? mainWidth + sideWidth + 2 : mainWidth).toBe(width);
          for (const box of [...main, ...side]) expect(box.height).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('always has what is urgent, on the smallest screen too', () => {
    fc.assert(
      fc.property(counts, (given) => {
        const parts = overviewLayout(given, 80, 20).main.map(({ part }) => part);
        expect(parts.includes('unresolved')).toBe(given.unresolved > 0);
        expect(parts.includes('positions')).toBe(given.bare > 0);
        expect(parts).toContain('watch');
        expect(parts.includes('bots')).toBe(given.bots > 0);
      }),
    );
  });

  it('has each part from the height on at which its least rows fit', () => {
    const parts = (height: number) =>
      overviewLayout({ ...none, unresolved: 1, bare: 1 }, 80, height).main.map(({ part }) => part);
    // 2 and 2 rows with their titles, 5 and 3 of watchlist and log, under the summary.
    expect(parts(SUMMARY_ROWS + 12)).toEqual(['unresolved', 'positions', 'watch', 'log']);
    expect(parts(SUMMARY_ROWS + 11)).toEqual(['unresolved', 'positions', 'watch']);
  });

  it('has the open orders in one column once all else has its most and six rows are spare', () => {
    const orders = (height: number) =>
      overviewLayout({ ...none, symbols: 5, open: 9 }, 80, height).main.find(({ part }) => part === 'orders')
        ?.height;
    // 7 rows of the watchlist, 5 of the log.
    expect([orders(SUMMARY_ROWS + 17), orders(SUMMARY_ROWS + 18)]).toEqual([undefined, 6]);
  });

  it('has the watchlist and the log when nothing else is there', () => {
    expect(overviewLayout(none, 80, 20).main.map(({ part }) => part)).toEqual(['watch', 'log']);
    expect(focusedPart('bots', overviewLayout(none, 80, 20))).toBe('watch');
    expect(focusable(overviewLayout(none, 80, 20))).toEqual(['equity', 'links', 'watch', 'log']);
  });
});

describe('on a small screen', () => {
  it('has money, links, unresolved orders with their countdown, positions without a stop, bots and alerts', async () => {
    const screen = await open(busy());
    const text = screen.screenText();
    expect(text).toMatch(
      /─ Unresolved ─.*\n {2}! XRPUSDT {6}BUY {2}8,000 {2}settles in 9 s {2}asked 2 times/,
    );
    expect(text).toMatch(
      /─ Without a protective stop ─.*\n {2}! BTCUSDT {6}LONG {2}0\.5 {2}no stop {2}PnL \+616\.99/,
    );
    expect(text).toContain('equity  201,482.10');
    expect(text).toContain('today   +2,432.10  +1.22 %');
    expect(text).toContain('● paper-spot  2 ms');
    expect(text).toMatch(/─ Watchlist ─/);
    expect(text).toMatch(/─ Bots ─.*3 running/);
    expect(screen.screenLines()).toHaveLength(24);
  });

  it('counts down while an order is unresolved', async () => {
    const screen = await open(busy());
    await screen.shows('settles in 9 s');
    screen.time.now += 4_000;
    await screen.shows('settles in 5 s');
  });
});

describe('on a wide screen', () => {
  it('adds the open orders and the curve of the equity', async () => {
    const screen = await open(busy(), { columns: 200, rows: 50 });
    const text = screen.screenText();
    expect(text).toMatch(/─ Equity ─+ last 60 min ─/);
    expect(text).toMatch(/─ Open orders ─/);
    expect(text).toMatch(/[\u2801-\u28ff]{4}/);
    expect(text).toContain('stop covers 40 %');
  });

  it('draws it in ASCII where that is asked for', async () => {
    const screen = await open(busy(), { columns: 200, rows: 50, ascii: true });
    expect(screen.screenText()).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('its rows', () => {
  const jump = async (part: string, check: (screen: Rig) => void, down = 0): Promise<void> => {
    const desk = busy();
    const screen = await open(desk, { columns: 200, rows: 50 });
    for (let tries = 0; screen.session.ui.getState().overview.part !== part; tries++) {
      if (tries > 12) throw new Error(`${part} never has the focus`);
      await screen.press('\t');
    }
    for (let at = 0; at < down; at++) await screen.press('j');
    await screen.press(ENTER);
    check(screen);
    expect(desk.acting).toEqual([]);
  };

  it('a symbol leads to its market', async () => {
    const screen = await open(busy());
    await screen.press('j', ENTER);
    const { screen: id, market } = screen.session.ui.getState();
    expect([id, market.at?.symbol]).toEqual(['market', 'AVAXUSDT']);
  });

  it('an unresolved order to itself', () =>
    jump('unresolved', (screen) => {
      const { screen: id, orders } = screen.session.ui.getState();
      expect([id, orders.selection.id, orders.detailOpen]).toEqual(['orders', 'oc-7f3k2m9q1a2e', true]);
    }));

  it('an open order to itself', () =>
    jump(
      'orders',
      (screen) => {
        const { screen: id, orders } = screen.session.ui.getState();
        expect(id).toBe('orders');
        expect(screen.session.desk.getState().state?.orders[orders.selection.id ?? '']?.symbol).toBe(
          'BTCUSDT',
        );
        expect(cursorRow(screen)).toContain('BTCUSDT');
      },
      1,
    ));

  it('a position without a stop to itself', () =>
    jump(
      'positions',
      (screen) => {
        const { screen: id, positions } = screen.session.ui.getState();
        expect([id, positions.selection.id, positions.detailOpen]).toEqual([
          'positions',
          'key-ETHUSDT-BOTH',
          true,
        ]);
      },
      1,
    ));

  it('a bot to itself', () =>
    jump('bots', (screen) => {
      const { screen: id, bots } = screen.session.ui.getState();
      expect([id, bots.selection.id, bots.detailOpen]).toEqual(['bots', 'b2errorxxx0', true]);
    }));

  it('an alert to itself', () =>
    jump(
      'alerts',
      (screen) => {
        const { screen: id, alerts } = screen.session.ui.getState();
        expect([id, alerts.selection.id]).toEqual(['alerts', 'a2']);
      },
      1,
    ));

  it('a line of the log to itself', () =>
    jump(
      'log',
      (screen) => {
        expect(screen.session.ui.getState().screen).toBe('log');
        expect(cursorRow(screen)).toContain('no answer to XRPUSDT');
      },
      1,
    ));

  it('tab goes round all parts, shift-tab back, and only one has the cursor', async () => {
    const screen = await open(busy(), { columns: 200, rows: 50 });
    const seen: string[] = [];
    for (let at = 0; at < 9; at++) {
      seen.push(screen.session.ui.getState().overview.part);
      expect(screen.screenText().split('▸').length - 1).toBeLessThanOrEqual(1);
      await screen.press('\t');
    }
    expect(seen).toEqual([
      'watch',
      'orders',
      'unresolved',
      'positions',
      'bots',
      'alerts',
      'log',
      'equity',
      'links',
    ]);
    expect(screen.session.ui.getState().overview.part).toBe('watch');
    await screen.press(SHIFT_TAB);
    expect(screen.session.ui.getState().overview.part).toBe('links');
    expect(cursorRow(screen)).toContain('▸● paper-spot  2 ms');
  });

  it('keeps the cursor on its row when others come and go', async () => {
    const desk = busy();
    const screen = await open(desk, { columns: 200, rows: 50 });
    await screen.press('\t', 'j');
    const row = cursorRow(screen).slice(0, 60);
    desk.push({ orders: { 'oc-new': order('oc-new', { symbol: 'NEARUSDT', orderTime: NOON }) } });
    await screen.shows('NEARUSDT   BUY');
    expect(cursorRow(screen).slice(0, 60)).toBe(row);
  });

  it('the watchlist has the focus again once the chosen part has gone', async () => {
    const desk = busy();
    const screen = await open(desk);
    for (let at = 0; at < 8 && screen.session.ui.getState().overview.part !== 'unresolved'; at++)
      await screen.press('\t');
    const waiting = desk.state.orders['oc-7f3k2m9q1a2e'];
    if (waiting) desk.push({ orders: { [waiting.id]: { ...waiting, unresolved: undefined } } });
    await screen.until(() => !screen.screenText().includes('─ Unresolved'));
    expect(cursorRow(screen)).toContain('ADAUSDT');
    await screen.press(ESC, 'j');
    expect(cursorRow(screen)).toContain('AVAXUSDT');
  });
});

describe('its lines', () => {
  it('positions without any stop come before those with one for a part', () => {
    const futures = somePositions();
    const rows = unprotectedPositions({
      futures: {
        'paper-futures': {
          ...futures['paper-futures'],
          positions: [...(futures['paper-futures']?.positions ?? [])].reverse(),
        },
      } as DeskState['futures'],
    });
    expect(rows.map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'ETHUSDT']);
    for (const row of rows) expect(lineWidth(unprotectedLine(row))).toBeLessThanOrEqual(80);
  });

  it('orders that settle soonest come first', () => {
    const at = (id: string, settlesAt: number) =>
      order(id, { unresolved: { since: NOON, cause: '', asked: 0, nextAskAt: NOON, settlesAt } });
    const orders = Object.fromEntries([at('a', 9), at('b', 3), at('c', 5)].map((one) => [one.id, one]));
    expect(unresolvedOrders(orders).map(({ id }) => id)).toEqual(['b', 'c', 'a']);
  });

  // proves: S62
  it('an order that ended here and is open at its exchange stands with the unresolved ones, in red, until it is gone', () => {
    const cause = 'CANCELLED here, but paper-spot says WORKING, 0 executed; cancel refused';
    const unresolved = { since: NOON, cause, asked: 2, nextAskAt: NOON, settlesAt: NOON };
    const alive = order('a', { status: 'CANCELLED', contradiction: true, unresolved });
    expect(overviewCounts(deskState({ orders: { a: alive } }))).toMatchObject({ unresolved: 1, open: 1 });
    const [line = []] = unresolvedLines({ a: alive }, NOON);
    expect(line[0]).toMatchObject({ text: '  ! ', tone: 'danger' });
    expect(line.map(({ text }) => text).join('')).toContain(
      `OPEN although it ended here  asked 2 times  ${cause}`,
    );
    expect(statusSpan(alive)).toMatchObject({ text: 'NOT ENDED', tone: 'danger' });
    const { contradiction: _1, unresolved: _2, ...gone } = alive;
    expect(unresolvedOrders({ a: gone })).toEqual([]);
    expect(statusSpan(gone)).toMatchObject({ text: 'CANCELLED' });
  });

  it('a link that is down is shown before those that are up', () => {
    const { accounts } = deskState();
    const [spot, futures] = accounts as [(typeof accounts)[0], (typeof accounts)[0]];
    const three = [spot, futures, { ...spot, id: 'other', link: 'down' as const }];
    const lines = feedLines(deskState({ accounts: three }), 0).map((line) =>
      line.map(({ text }) => text).join(''),
    );
    expect(lines[2]).toContain('○ other  link down');
    expect(lines).toHaveLength(4);
  });

  it('counts what there is', () => {
    const state = deskState({ bots: someBots(), alerts: someAlerts(), futures: somePositions() });
    expect(overviewCounts(state)).toEqual({
      unresolved: 1,
      bare: 2,
      symbols: 15,
      open: 4,
      bots: 6,
      running: 4,
      alerts: 3,
      unseen: 2,
    });
  });
});

it('prices that do not arrive are marked as stale: in the watchlist, in the ticket, in the order that waits for them', async () => {
  const state = deskState();
  const [key, price] = Object.entries(state.prices).find(([, { symbol }]) => symbol === 'BTCUSDT') ?? [];
  if (!key || !price) throw new Error('no price of BTCUSDT');
  const stop = order('held', {
    type: 'STOP_MARKET',
    side: 'SELL',
    stopPrice: '50000',
    held: true,
    status: 'NEW',
  });
  const desk = new FakeDesk({
    ...state,
    prices: { ...state.prices, [key]: { ...price, stale: 'nothing heard for 10 s' } },
    orders: { [stop.id]: stop },
  });
  const screen = await open(desk, { columns: 200, rows: 50 });
  expect(screen.screenLines().find((line) => /BTCUSDT.*! stale/.test(line))).toBeDefined();
  expect(screen.screenText().match(/! stale/g)).toHaveLength(1);
  await screen.press('2', ENTER);
  await screen.shows('! held here, and no prices arrive: nothing heard for 10 s; it cannot fire');
  await screen.press('n');
  await screen.shows('! stale: nothing heard for 10 s');
});
