/**
 * Charts: candles with levels and marks, lines in braille, sparklines. They fit their space and are correct
 * for any input.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sparkCandles, ticketChart, ticketLevels } from '../../../src/console/orders/ticket/chart-ticket.ts';
import { emptyDraft } from '../../../src/console/orders/ticket/ticket-draft.ts';
import { lineChart, shortValue } from '../../../src/console/ui/chart-line.ts';
import {
  type ChartLevel,
  type ChartMark,
  chartColumns,
  chartRow,
  movedCursor,
  priceChart,
} from '../../../src/console/ui/chart-price.ts';
import {
  axisText,
  axisTicks,
  placeOf,
  rangeOf,
  timeLabel,
  timeStep,
} from '../../../src/console/ui/chart-scale.ts';
import { cellWidth } from '../../../src/console/ui/clean.ts';
import { sparkline, toAscii } from '../../../src/console/ui/glyphs.ts';
import { type Line, lineWidth } from '../../../src/console/ui/line.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';

const open = rigPerTest();

const MINUTE = 60_000;
const START = NOON - (NOON % MINUTE);

function candle(
  at: number,
  open: number | string,
  high: number | string,
  low: number | string,
  close: number | string,
): Candle {
  return {
    time: START + at * MINUTE,
    open: String(open),
    high: String(high),
    low: String(low),
    close: String(close),
    volume: '1',
  };
}

function level(price: string, name = 'BUY'): ChartLevel {
  return { price, text: price, name, tone: 'buy' };
}

const text = (line: Line) => line.map((part) => part.text).join('');
const texts = (lines: readonly Line[]) => lines.map(text);

/** Prices of every kind: usual, huge, tiny, equal, and texts that are not numbers. */
const anyPrice = fc.oneof(
  fc.double({ min: 1e-8, max: 1e7, noNaN: true }).map((value) => value.toFixed(8)),
  fc.double({ noNaN: true }).map(String),
  fc.constantFrom('0', '1', '1', '60000', 'NaN', '', 'Infinity', '-5', '1e308', '-1e308', '5e-324', 'abc'),
);
const anyCandles = fc
  .array(fc.tuple(anyPrice, anyPrice, anyPrice, anyPrice), { maxLength: 80 })
  .map((rows) => rows.map(([open, high, low, close], at) => candle(at, open, high, low, close)));
const anyLevels = fc.array(
  fc.tuple(anyPrice, fc.string({ maxLength: 30 })).map(([price, name]) => level(price, name)),
);
const anyMarks = fc.array(
  fc.record({
    time: fc.integer({ min: START - MINUTE, max: START + 90 * MINUTE }),
    price: anyPrice,
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
  }),
);
const room = fc.record({
  width: fc.integer({ min: -1, max: 160 }),
  height: fc.integer({ min: -1, max: 40 }),
});

describe('the candle chart', () => {
  it('is exactly as wide and high as asked, or nothing, whatever the prices are', () => {
    const cursor = fc.option(fc.integer({ min: START - 5 * MINUTE, max: START + 90 * MINUTE }));
    fc.assert(
      fc.property(anyCandles, anyLevels, anyMarks, cursor, room, (candles, levels, marks, at, size) => {
        const drawn = priceChart({ candles, frameMs: MINUTE, levels, marks, cursor: at, ...size });
        if (drawn.length === 0) return;
        expect(drawn).toHaveLength(size.height);
        for (const line of drawn) expect(lineWidth(line)).toBe(size.width);
      }),
      { numRuns: 500 },
    );
  });

  it('draws every candle between its low and its high, and nothing of it elsewhere', () => {
    const price = fc.integer({ min: 1, max: 10_000 });
    const rows = fc.array(fc.tuple(price, price, price, price), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 5 }), (given, height) => {
        const candles = given.map(([a, b, c, d], at) =>
          candle(at, b, Math.max(a, b, c, d), Math.min(a, b, c, d), c),
        );
        const drawn = texts(priceChart({ candles, frameMs: MINUTE, width: 25, height }));
        const range = rangeOf(candles.flatMap(({ high, low }) => [Number(high), Number(low)]));
        candles.forEach(({ high, low }, index) => {
          const column = 25 - candles.length + index;
          const drawnRows = drawn.flatMap((line, row) => (line[column] === ' ' ? [] : [row]));
          if (!range) throw new Error('no range');
          expect(drawnRows[0]).toBe(chartRow(Number(high), range, height));
          expect(drawnRows.at(-1)).toBe(chartRow(Number(low), range, height));
          expect(drawnRows).toHaveLength((drawnRows.at(-1) ?? 0) - (drawnRows[0] ?? 0) + 1);
        });
      }),
    );
  });

  it('tells a rising candle from a falling one without colour, also in ASCII', () => {
    const drawn = texts(
      priceChart({
        candles: [candle(0, 10, 20, 10, 20), candle(1, 20, 20, 10, 10)],
        frameMs: MINUTE,
        width: 2,
        height: 3,
      }),
    );
    expect(drawn).toEqual(['┃█', '┃█', '┃█']);
    expect(drawn.map(toAscii)).toEqual(['o#', 'o#', 'o#']);
  });

  it('shows wick and body to half a cell', () => {
    const [one] = [candle(0, 20, 40, 0, 30)];
    expect(texts(priceChart({ candles: [one as Candle], frameMs: MINUTE, width: 1, height: 4 }))).toEqual([
      '│',
      '┃',
      '╿',
      '│',
    ]);
  });

  it('names a level at its row and counts those too far away at the edge', () => {
    const candles = Array.from({ length: 40 }, (_, at) => candle(at, 61_000, 61_040, 60_960, 61_010));
    const drawn = texts(
      priceChart({
        candles,
        frameMs: MINUTE,
        levels: [
          level('61000', 'last'),
          level('61001', 'entry'),
          level('90000', 'SELL'),
          level('50000', 'BUY'),
        ],
        width: 80,
        height: 11,
      }),
    );
    expect(drawn[1]).toContain('▲ 1 SELL');
    expect(drawn[9]).toContain('▼ 1 BUY');
    expect(drawn.filter((row) => row.includes('61000 last +1'))).toHaveLength(1);
    expect(drawn.find((row) => row.includes('61000 last'))).toContain('────');
  });

  it('of a market that stands still has room for levels a fifth of a percent away, not for those further off', () => {
    const candles = Array.from({ length: 40 }, (_, at) => candle(at, 1_000, 1_000, 1_000, 1_000));
    const levels = [level('1002', 'sell'), level('998', 'buy'), level('1005', 'far'), level('995', 'low')];
    const drawn = texts(priceChart({ candles, frameMs: MINUTE, levels, width: 80, height: 11 }));
    const named = (name: string) => drawn.filter((row) => row.includes(name)).length;
    expect(['1002 sell', '998 buy', '1005 far', '995 low'].map(named)).toEqual([1, 1, 0, 0]);
  });

  it('writes times under the candles and the day where it changes', () => {
    const midnight = Date.UTC(2026, 2, 3);
    const candles = Array.from({ length: 60 }, (_, at) => ({
      ...candle(0, 10, 12, 9, 11),
      time: midnight + (at - 30) * MINUTE,
    }));
    const last = texts(priceChart({ candles, frameMs: MINUTE, width: 80, height: 10 })).at(-1) ?? '';
    expect(last.trim().split(/ +/)).toEqual(['23:40', '23:50', '03-03', '00:10', '00:20']);
  });

  it('marks what was bought and sold, at its candle and price only', () => {
    const candles = [candle(0, 10, 20, 10, 20), candle(1, 20, 20, 10, 10)];
    const mark = (at: number, price: string, side: 'BUY' | 'SELL'): ChartMark => ({
      time: START + at,
      price,
      side,
    });
    const marks = [
      mark(30_000, '10', 'BUY'),
      mark(MINUTE, '20', 'SELL'),
      mark(-1, '15', 'SELL'),
      mark(2 * MINUTE, '15', 'BUY'),
      mark(0, '300', 'BUY'),
    ];
    expect(texts(priceChart({ candles, frameMs: MINUTE, marks, width: 2, height: 3 }))).toEqual([
      '┃▼',
      '┃█',
      '▲█',
    ]);
  });

  it('says at the crosshair what the candle was and which levels are near', () => {
    const candles = Array.from({ length: 20 }, (_, at) => candle(at, 100 + at, 102 + at, 99 + at, 101 + at));
    const drawn = texts(
      priceChart({
        candles,
        frameMs: MINUTE,
        levels: [level('110', 'entry'), level('118', 'last'), level('90', 'stop'), level('125', 'SELL')],
        cursor: START + 5 * MINUTE,
        width: 100,
        height: 12,
      }),
    );
    expect(drawn[0]?.trimEnd()).toBe(
      '03-02 14:12  O 105  H 107  L 104  C 106  +0.95 %  entry 110 +3.77 %  stop 90 -15.09 %',
    );
    expect(drawn.at(-1)).toContain('03-02 14:12');
    expect(drawn.filter((row) => row.includes('┊')).length).toBeGreaterThan(4);
    expect(drawn.some((row) => /┊.*┊/.test(row))).toBe(false);
  });

  it('without a crosshair says it of the newest candle', () => {
    const candles = [candle(0, 10, 12, 9, 11), candle(1, 11, 15, 10, 14)];
    const [first] = texts(priceChart({ candles, frameMs: MINUTE, width: 70, height: 8 }));
    expect(first?.trimEnd()).toBe('03-02 14:08  O 11  H 15  L 10  C 14  +27.27 %');
  });

  it('says the change from the close before, over a gap too; of the first candle none', () => {
    const candles = [candle(0, 9, 12, 8, 10), candle(1, 20, 20, 15, 15)];
    const change = (cursor: number) =>
      texts(priceChart({ candles, frameMs: MINUTE, cursor, width: 70, height: 8 }))[0]
        ?.trim()
        .split('  ')
        .at(-1);
    expect([change(START), change(START + MINUTE)]).toEqual(['0.00 %', '+50.00 %']);
  });

  it.each([
    [11, 'up'],
    [10, 'up'],
    [9, 'down'],
  ])('a candle from 10 to %d is drawn as one that goes %s', (close, tone) => {
    const drawn = priceChart({
      candles: [candle(0, 10, 12, 8, close)],
      frameMs: MINUTE,
      width: 10,
      height: 5,
    });
    const tones = drawn.flat().flatMap((part) => (part.text.trim() === '' ? [] : [part.tone]));
    expect(new Set(tones)).toEqual(new Set([tone]));
  });

  it('moves the crosshair candle by candle, at most to an end, and the window with it', () => {
    const candles = Array.from({ length: 50 }, (_, at) => candle(at, 100, 101, 99, 100));
    const newest = START + 49 * MINUTE;
    expect(movedCursor(candles, null, -1)).toBe(newest);
    expect(movedCursor(candles, newest, -1)).toBe(newest - MINUTE);
    expect(movedCursor(candles, newest, 5)).toBe(newest);
    expect(movedCursor(candles, START, -1)).toBe(START);
    expect(movedCursor([], null, -1)).toBeNull();
    const early = texts(priceChart({ candles, frameMs: MINUTE, cursor: START, width: 40, height: 8 }));
    expect(chartColumns([], 40)).toBeLessThan(50);
    expect(early[0]).toContain('03-02 14:07');
  });

  it('is a flat line without candles, nothing without a price', () => {
    expect(priceChart({ candles: [], frameMs: MINUTE, width: 80, height: 7 })).toEqual([]);
    const flat = texts(
      priceChart({ candles: [], frameMs: MINUTE, levels: [level('5', 'last')], width: 60, height: 5 }),
    );
    expect(flat[2]).toContain('─────');
    expect(flat[2]).toContain('5 last');
  });
});

describe('the scale', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });

  it('never puts a higher price on a lower row', () => {
    fc.assert(
      fc.property(
        number,
        number,
        number,
        number,
        fc.integer({ min: 1, max: 100 }),
        (a, b, low, high, rows) => {
          const range = rangeOf([low, high]);
          if (!range) throw new Error('no range');
          const [less, more] = a < b ? [a, b] : [b, a];
          expect(placeOf(more, range, rows)).toBeLessThanOrEqual(placeOf(less, range, rows));
          expect(placeOf(range.high, range, rows)).toBe(0);
          expect(placeOf(range.low, range, rows)).toBe(rows - 1);
        },
      ),
    );
  });

  it('has round prices on its axis, inside the range, few enough to be read', () => {
    expect(axisTicks({ low: 60_950, high: 61_050 }, 12).values).toEqual([60_950, 61_000, 61_050]);
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 60 }), (low, high, rows) => {
        const range = rangeOf([low, high]);
        if (!range) throw new Error('no range');
        const { step, values } = axisTicks(range, rows);
        expect(values.length).toBeLessThanOrEqual(Math.max(1, Math.floor(rows / 3)) + 1);
        for (const value of values) expect(axisText(value, step).length).toBeLessThanOrEqual(13);
      }),
    );
  });

  it('writes prices with the places of their step', () => {
    expect([axisText(61_000, 50), axisText(0.15, 0.05), axisText(1e-9, 1e-9), axisText(3e22, 1e22)]).toEqual([
      '61,000',
      '0.15',
      '0.000000001',
      '3.000e+22',
    ]);
  });

  it('has times at whole steps, dates where labels are days apart', () => {
    expect(timeStep(MINUTE, 10)).toBe(10 * MINUTE);
    expect(timeStep(5 * MINUTE, 10)).toBe(60 * MINUTE);
    expect(timeStep(1440 * MINUTE, 30)).toBe(30 * 1440 * MINUTE);
    expect(timeLabel(NOON, null, MINUTE)).toBe('14:07');
    expect(timeLabel(NOON, null, 1440 * MINUTE)).toBe('03-02');
    expect(timeLabel(Number.NaN, null, MINUTE)).toBe('');
  });
});

describe('the line', () => {
  it('is exactly as wide and high as asked, whatever the values are', () => {
    const values = fc.array(
      fc.oneof(fc.double(), fc.constantFrom(0, 5, 5, Number.NaN, Number.POSITIVE_INFINITY)),
    );
    fc.assert(
      fc.property(values, room, fc.boolean(), (given, size, labelled) => {
        const drawn = lineChart({ values: given, ...size, ...(labelled ? { label: shortValue } : {}) });
        if (size.width < 1 || size.height < 1) {
          expect(drawn).toEqual([]);
          return;
        }
        expect(drawn).toHaveLength(size.height);
        for (const line of drawn) expect(lineWidth(line)).toBe(size.width);
      }),
    );
  });

  it('rises and falls with its values, and lies in the middle when they are equal', () => {
    const rows = (values: number[], height = 1) => texts(lineChart({ values, width: 2, height }));
    expect(rows([1, 2, 3, 4])).toEqual(['⡠⠊']);
    expect(rows([4, 3, 2, 1])).toEqual(['⠑⢄']);
    expect(rows([7, 7, 7, 7])).toEqual(['⠤⠤']);
    expect(rows([], 2)).toEqual(['  ', '  ']);
    expect(rows([1, Number.NaN, Number.NaN, 1])).toEqual(['⠂⠐']);
  });

  it('writes the highest and the lowest value at its edge', () => {
    const drawn = texts(
      lineChart({ values: [1, 200_482.4, 61_000], width: 40, height: 3, label: shortValue }),
    );
    expect(drawn[0]).toMatch(/ 200,482$/);
    expect(drawn[2]?.trimEnd()).toMatch(/ 1\.00$/);
  });

  it('has the newest value at its right end, however many there are', () => {
    for (const count of [2, 19, 20, 21, 39, 100]) {
      const values = [...Array.from({ length: count - 1 }, () => 0), 1];
      const [drawn = ''] = texts(lineChart({ values, width: 10, height: 1 }));
      const dots = (drawn.codePointAt(drawn.length - 1) ?? 0) - 0x2800;
      expect([count, dots & 0x08]).toEqual([count, 0x08]);
    }
  });

  it('keeps its shape in ASCII, one cell for one', () => {
    const drawn = texts(lineChart({ values: [1, 2, 3, 4, 3, 2, 1, 4], width: 20, height: 3 }));
    for (const row of drawn) {
      expect(toAscii(row)).toMatch(/^[ .:']*$/);
      expect(toAscii(row)).toHaveLength(cellWidth(row));
    }
  });
});

describe('the chart of the ticket', () => {
  const draft = { ...emptyDraft('paper-spot', 'BTCUSDT'), price: '61000', stopPrice: 'x' };

  it('has the last closes as candles, each beginning where the one before has ended', () => {
    const candles = sparkCandles({ spark: [1, 3, 2], time: START + 30_000 });
    expect(candles.map(({ time, open, high, low, close }) => [time - START, open, high, low, close])).toEqual(
      [
        [-2 * MINUTE, '1', '1', '1', '1'],
        [-MINUTE, '1', '3', '1', '3'],
        [0, '3', '3', '2', '2'],
      ],
    );
  });

  it('has what is typed, the last price and the own orders, and nothing that is no price', () => {
    const levels = ticketLevels(deskState(), draft);
    expect(levels.map(({ text, name }) => `${name} ${text}`)).toEqual([
      'price 61,000.00',
      'last 61,234.10',
      'own BUY 60,500.00',
    ]);
    expect(ticketChart(deskState(), { ...draft, symbol: 'NONE' }, { width: 60, height: 8 })).toEqual([]);
  });

  it('stands in the ticket where there is room, and gives way to a sparkline where there is not', async () => {
    for (const rows of [24, 45]) {
      const rig = await open(new FakeDesk(), { columns: 110, rows });
      await rig.press('2', 'n');
      await rig.shows('24 h ▲ +1.93 %');
      const drawn = rig.screenLines().filter((line) => /[╻┃╹▀▄█].*│$/u.test(line) && !line.includes('24 h'));
      expect(drawn.length > 3).toBe(rows === 45);
      expect(/24 h .*[▁▂▃▅]/.test(rig.screenText())).toBe(rows === 24);
    }
  });

  it('the ticket of a futures account has the mark price', async () => {
    const rig = await open(new FakeDesk(deskState({ futures: somePositions() })));
    await rig.press('5', 'n');
    await rig.shows('mark 61,234.10');
  });
});

describe('the crosshair on a bot', () => {
  it('moves with the arrows while the detail has the focus, and esc takes it off before leaving', async () => {
    const rig = await open(botDesk(), { columns: 120, rows: 50 });
    await rig.press('3', 'j', ENTER, '\t');
    await rig.shows('Price SOLUSDT');
    await rig.until(() => rig.session.ui.getState().bots.chart !== null);
    await rig.press('\x1b[D');
    const newest = rig.session.ui.getState().bots.cursor ?? 0;
    await rig.press('\x1b[D', 'h', '\x1b[C');
    const { cursor, chart } = rig.session.ui.getState().bots;
    expect(newest - (cursor ?? 0)).toBe(chart?.frameMs);
    expect(rig.screenText()).toContain('┊');
    await rig.press(ESC);
    expect(rig.session.ui.getState().bots).toMatchObject({ cursor: null, pane: 'detail' });
    await rig.press(ESC);
    expect(rig.session.ui.getState().bots.pane).toBe('list');
  });
});

describe('the sparkline', () => {
  it('has exactly the cells asked for, whatever the values are', () => {
    fc.assert(
      fc.property(fc.array(fc.double()), fc.integer({ min: 0, max: 80 }), (values, width) => {
        expect(cellWidth(sparkline(values, width))).toBe(width);
      }),
    );
  });
});
