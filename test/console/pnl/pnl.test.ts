/**
 * The PnL book on the Portfolio screen: ranges, groups, closed trades, what is asked of the desk and how its
 * answer is shown.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeColumns, rowLine } from '../../../src/console/lists/table.ts';
import { groupColumns, shownGroups, totalRow } from '../../../src/console/pnl/pnl-groups.ts';
import { headLines } from '../../../src/console/pnl/pnl-head.ts';
import {
  FIRST_PNL,
  FIRST_PNL_TRADES,
  GROUPS,
  type PnlTradeSort,
  queryOf,
} from '../../../src/console/pnl/pnl-page.ts';
import { closedColumns, shownClosed } from '../../../src/console/pnl/pnl-trades.ts';
import { cost, usd } from '../../../src/console/pnl/pnl-words.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { PNL_GROUPS } from '../../../src/engine/pnl/pnl-book.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';
import { closedTrade, somePnl } from '../support/some-pnl.ts';

const open = rigPerTest();
const asked = (desk: FakeDesk) =>
  desk.calls.filter(({ method }) => method === 'pnl.read').map(({ params }) => params);
const page = (change = {}) => ({ ...FIRST_PNL, book: somePnl({ by: 'day' }, NOON), ...change });

async function pnl(desk = new FakeDesk(), options = {}): Promise<Rig> {
  const rig = await open(desk, options);
  await rig.press('4', 'w');
  await rig.shows('profit factor');
  return rig;
}

describe('the book', () => {
  it('has the groups of the desk', () => {
    expect(GROUPS).toEqual(PNL_GROUPS);
  });

  it('is asked for by days of the desk’s zone, for all there is, or from day to day', () => {
    const of = (range: (typeof FIRST_PNL)['range'], first = '', last = '') =>
      queryOf({ range, first, last, by: 'symbol', account: null });
    expect([of('today').days, of('7d').days, of('30d').days, of('90d').days]).toEqual([1, 7, 30, 90]);
    expect(of('all')).toEqual({ by: 'symbol', points: 400 });
    expect(of('days', '2026-03-01')).toEqual({ by: 'symbol', points: 400, firstDay: '2026-03-01' });
    expect(of('days', '', '2026-03-02')).toEqual({ by: 'symbol', points: 400, lastDay: '2026-03-02' });
  });

  it('shows the newest time first, and sorts and filters by what it shows', () => {
    const keys = (change: Parameters<typeof page>[0]) =>
      shownGroups(page(change)).map(({ key }) => key.slice(-2));
    expect(keys({})).toEqual(['03', '02', '01']);
    expect(keys({ reverse: true })).toEqual(['01', '02', '03']);
    expect(keys({ sort: 'net' })).toEqual(['01', '02', '03']);
    expect(keys({ sort: 'trades' })).toEqual(['03', '02', '01']);
    expect(keys({ filter: '03-02' })).toEqual(['02']);
    const symbols = shownGroups(page({ book: somePnl({ by: 'symbol' }, NOON) }));
    expect(symbols.map(({ key }) => key)).toEqual(['BTCUSDT', 'ETHUSDT']);
  });

  it('sorts closed trades by each column, those without R last', () => {
    const shown = (sort: PnlTradeSort) =>
      shownClosed(page(), { ...FIRST_PNL_TRADES, sort }).map(
        ({ r, net, symbol }) => `${symbol[0]} ${r} ${net}`,
      );
    expect(shown('time')[0]).toBe('B 1.2 1.2');
    expect(shown('R').at(-1)).toBe('E null -1234.5');
    expect(shown('net').at(-1)).toBe('E null -1234.5');
    expect(shown('symbol').slice(0, 3)).toEqual(Array(3).fill('B 1.2 1.2'));
  });

  it('tells closed trades of the same figures apart, and keeps their names when newer ones come', () => {
    const same = closedTrade(2, NOON);
    const of = (trades: readonly (typeof same)[]) =>
      shownClosed({ book: { ...somePnl({ by: 'day' }, NOON), trades } }, FIRST_PNL_TRADES).map(
        ({ id }) => id,
      );
    const before = of([same, same]);
    expect(new Set(before).size).toBe(2);
    expect(of([closedTrade(0, NOON), same, same]).slice(1)).toEqual(before);
  });

  it('draws the curve from the first money on', () => {
    const book = somePnl({ by: 'day' }, NOON);
    const at = (time: number, equity: string) => ({ time, equity, net: '0', deposits: '0' });
    const curve = [at(0, '0'), at(1, '0'), at(2, '200000'), at(3, '200010')];
    const text = headLines(page({ book: { ...book, curve } }), 80, 20)
      .map((line) => line.map((part) => part.text).join(''))
      .join('\n');
    expect(text).toContain('equity 0.00 → 200,010.00');
    expect(text).toMatch(/200,010 *$/m);
    expect(text).not.toContain('0.000000');
  });

  it('fits in any width, with any figures', () => {
    const figure = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }).map((n) => `${n / 100n}`);
    fc.assert(
      fc.property(
        fc.integer({ min: 76, max: 250 }),
        figure,
        fc.constantFrom(...GROUPS),
        (width, text, by) => {
          const book = somePnl({ by }, NOON);
          const rows = book.rows.map((row) => ({ ...row, net: text, realised: text, fees: text }));
          for (const row of shownGroups(page({ book: { ...book, rows } })))
            expect(
              lineWidth(rowLine(placeColumns(groupColumns(by), width - 4), row, true)),
            ).toBeLessThanOrEqual(width);
          const trades = [
            closedTrade(0, NOON, { net: text, entry: text.replace('-', ''), qty: '0.00000001' }),
          ];
          for (const row of shownClosed({ book: { ...book, trades } }, FIRST_PNL_TRADES))
            expect(
              lineWidth(rowLine(placeColumns(closedColumns(), width - 4), row, true)),
            ).toBeLessThanOrEqual(width);
          for (const line of headLines(page({ book }), width, 20).slice(3))
            expect(lineWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('has its total under the columns, as the shell writes it', () => {
    const { total } = somePnl({ by: 'day' }, NOON);
    const line = rowLine(
      placeColumns(groupColumns('day'), 196),
      totalRow(somePnl({ by: 'day' }, NOON)),
      false,
    );
    const text = line.map((part) => part.text).join('');
    for (const value of [usd(total.realised), cost(total.fees), usd(total.funding), usd(total.net)])
      expect(text).toContain(value);
  });
});

describe('the screen', () => {
  it.each([
    [80, 24],
    [200, 50],
  ])('at %ix%i', async (columns, rows) => {
    const rig = await pnl(new FakeDesk(), { columns, rows });
    expect(rig.screenText()).toMatchSnapshot('by day');
    await rig.press('t');
    expect(rig.screenText()).toMatchSnapshot('closed trades');
    await rig.press(ENTER);
    expect(rig.screenText()).toMatchSnapshot('a trade');
  });

  it('asks anew for another range and other groups, once for those that are passed by', async () => {
    const desk = new FakeDesk();
    const rig = await pnl(desk);
    expect(asked(desk)).toEqual([{ by: 'day', days: 30, points: 400 }]);
    await rig.send('>');
    await rig.send('>');
    await rig.until(() => asked(desk).length === 2);
    expect(asked(desk).at(-1)).toEqual({ by: 'day', points: 400 });
    await rig.press('b', 'b', 'b');
    await rig.until(() => asked(desk).length >= 3 && rig.screenText().includes('BTCUSDT'));
    expect(asked(desk).at(-1)).toEqual({ by: 'symbol', points: 400 });
  });

  it('reads the book of one account, and of all again', async () => {
    const desk = new FakeDesk();
    const rig = await pnl(desk);
    await rig.press('a');
    await rig.until(() => asked(desk).length === 2);
    expect(asked(desk)[1]).toEqual({ by: 'day', days: 30, points: 400, exchange: 'paper-spot' });
    expect(rig.screenText()).toContain('PnL of paper-spot');
    await rig.press('a', 'a');
    await rig.until(() => asked(desk).length >= 3 && !rig.screenText().includes('PnL of'));
    expect(asked(desk).at(-1)).toEqual({ by: 'day', days: 30, points: 400 });
  });

  it('reads from one day to another, and says which day is none', async () => {
    const desk = new FakeDesk();
    const rig = await pnl(desk);
    await rig.press('d', ...'2026-02-30', CTRL_R);
    expect(rig.screenText()).toContain('2026-02-30 is no day');
    expect(asked(desk)).toHaveLength(1);
    await rig.press('\x15', ...'2026-02-01', ENTER, ...'2026-02-28', ENTER, ENTER);
    await rig.until(() => asked(desk).length === 2);
    expect(asked(desk)[1]).toEqual({ by: 'day', points: 400, firstDay: '2026-02-01', lastDay: '2026-02-28' });
    expect(rig.screenText()).toContain('2026-02-01 – 2026-02-28');
  });

  it('goes from a group to its closed trades, and step by step back to the balances', async () => {
    const rig = await pnl();
    await rig.press('b', 'b', 'b');
    await rig.shows('BTCUSDT');
    await rig.press('j', ENTER);
    expect(rig.screenText()).toContain('Closed trades matching "ETHUSDT"');
    await rig.press(ESC, ESC);
    expect(rig.screenText()).toContain('─ PnL ─');
    await rig.press(ESC);
    expect(rig.screenText()).toContain('─ Portfolio ─');
  });

  it('writes the file of what is shown, and names it', async () => {
    const desk = new FakeDesk();
    desk.answers['pnl.export'] = ({ what }) =>
      ok({ path: `/data/exports/${what}.csv`, rows: 3, whole: true });
    const rig = await pnl(desk);
    await rig.press('e');
    await rig.shows('3 rows: /data/exports/groups.csv');
    await rig.press('t', 'e');
    await rig.shows('/data/exports/trades.csv');
    const params = desk.calls.filter(({ method }) => method === 'pnl.export').map((call) => call.params);
    expect(params).toEqual([
      { by: 'day', days: 30, what: 'groups' },
      { by: 'day', days: 30, what: 'trades' },
    ]);
  });

  it('says why there is no book, and reads it again', async () => {
    const desk = new FakeDesk();
    desk.answers['pnl.read'] = () => refuse('SERVICE_UNAVAILABLE', 'many ask for the book');
    const rig = await open(desk);
    await rig.press('4', 'w');
    await rig.shows('many ask for the book');
    delete desk.answers['pnl.read'];
    await rig.press('r');
    await rig.shows('profit factor');
  });

  it('says what is not in the figures', async () => {
    const desk = new FakeDesk();
    desk.answers['pnl.read'] = (query) =>
      ok({ ...somePnl(query, NOON), unpriced: ['XYZ'], notes: ['first', 'second'] });
    const rig = await pnl(desk);
    expect(rig.screenText()).toContain('second · 1 more');
  });

  it('shows no answer to a question that another has followed', async () => {
    const desk = new FakeDesk();
    const waiting: (() => void)[] = [];
    desk.answers['pnl.read'] = (query) =>
      new Promise((resolve) => waiting.push(() => resolve(ok(somePnl(query, NOON)))));
    const rig = await open(desk);
    await rig.press('4', 'w', 'b', 'b', 'b');
    await rig.until(() => waiting.length >= 2);
    waiting.at(-1)?.();
    await rig.shows('BTCUSDT');
    waiting[0]?.();
    await rig.settle();
    expect(rig.screenText()).not.toContain('2026-03-01 ');
  });

  it('reads the book again after a fill', async () => {
    const desk = new FakeDesk(deskState());
    const rig = await pnl(desk);
    rig.time.now += 6_000;
    desk.push({ orders: { new1: order('new1', { executedQty: '0.1', updatedAt: NOON + 9_000_000 }) } });
    await rig.until(() => asked(desk).length === 2);
  });
});
