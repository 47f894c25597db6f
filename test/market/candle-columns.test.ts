/**
 * Candle files as columns: the same candles, the same ticks and the same errors as the replay of the file.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CandleTable, priceUnit, tickPrice, tickTime } from '../../src/bots/market/candle-table.ts';
import { str } from '../../src/domain/decimal.ts';
import {
  candleFileName,
  guessFrame,
  readCandleColumns,
  sampleColumns,
} from '../../src/market/candle-columns.ts';
import { CsvFeed } from '../../src/market/csv-feed.ts';
import { parseCsvRows } from '../../src/market/csv-rows.ts';
import { FeedError } from '../../src/market/feed.ts';

const M = 60_000;
const T = Date.UTC(2025, 1, 3);
const HEADING = 'time,open,high,low,close,volume';
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string, frameMs = M) => readCandleColumns('x.csv', bytes(text), 'BTCUSDT', frameMs);

/** The content of the columns, as texts. */
function rowsOf(table: CandleTable) {
  const text = (price: number | undefined) => str(BigInt(price as number) * priceUnit(table));
  return Array.from({ length: table.count }, (_, row) => ({
    time: table.times[row],
    open: text(table.open[row]),
    high: text(table.high[row]),
    low: text(table.low[row]),
    close: text(table.close[row]),
    volume: str(table.volume(row)),
  }));
}

/**
 * Files of one to twelve candles with everything that a reader must handle: gaps, varying decimals, trailing
 * zeros, dumps, line ends.
 */
const files = fc
  .record({
    rows: fc.array(
      fc.record({
        skip: fc.integer({ min: 0, max: 3 }),
        prices: fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 4, maxLength: 4 }),
        places: fc.integer({ min: 0, max: 7 }),
        zeros: fc.constantFrom('', '0', '00'),
        swap: fc.boolean(),
        volume: fc.integer({ min: 0, max: 1_000_000_000 }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    heading: fc.constantFrom(
      '',
      `${HEADING}\n`,
      'open_time,open,high,low,close,volume\r\n',
      `\ufeff${HEADING}\n`,
      `"Date",open,high,low,close,volume\n`,
    ),
    newline: fc.constantFrom('\n', '\r\n'),
    last: fc.constantFrom('', '\n', '\n\n'),
    dump: fc.boolean(),
  })
  .map(({ rows, heading, newline, last, dump }) => {
    let minute = 0;
    const lines = rows.map(({ skip, prices, places, zeros, swap, volume }) => {
      const [low, a, b, high] = prices
        .toSorted((x, y) => x - y)
        .map((price) => `${(price / 10 ** places).toFixed(places)}${places > 0 ? zeros : ''}`);
      minute += 1 + skip;
      const figures = [T + minute * M, swap ? b : a, high, low, swap ? a : b, volume / 1_000];
      return (dump ? [...figures, 1, 2, 3, 4, 5, 0] : figures).join(',');
    });
    return `${heading}${lines.join(newline)}${last}`;
  });

// proves: bot backtest candles
describe('candle columns', () => {
  it('hold what the reader of the replay reads', () => {
    fc.assert(
      fc.property(files, (text) => {
        const rows = parseCsvRows('x.csv', text, M);
        const wanted = Array.from({ length: rows.count }, (_, row) => ({
          time: rows.time(row),
          ...rows.at(row),
        }));
        expect(rowsOf(read(text))).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });

  it('are played as the very ticks of a replay: times, prices, volumes', () => {
    fc.assert(
      fc.property(files, (text) => {
        const rows = parseCsvRows('x.csv', text, M);
        const feed = new CsvFeed({
          label: 'x',
          series: [{ symbol: 'BTCUSDT', rows }],
          frameMs: M,
          from: null,
          loop: false,
        });
        const table = read(text);
        for (let row = 0; row < table.count; row++) {
          for (let quarter = 0; quarter < 4; quarter++) {
            expect(feed.next()).toEqual({
              time: tickTime(table.times[row] as number, M, quarter),
              symbol: 'BTCUSDT',
              price: str(BigInt(tickPrice(table, row, quarter)) * priceUnit(table)),
              volume: str(table.volume(row) / 4n),
            });
          }
        }
        expect(feed.next()).toBeNull();
        expect(sampleColumns(table)).toEqual(feed.samplePrices('BTCUSDT'));
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['a column less', `${T},1,2,1,2`, /x\.csv line 1: has 5 columns instead of 6/],
    ['a column more', `${T},1,2,1,2,3,4`, /x\.csv line 1: has 7 columns instead of 6/],
    ['another heading', `time,close,open,high,low,volume\n${T},1,2,1,2,3`, /line 1: the heading is/],
    ['a price that is none', `${HEADING}\n${T},1,2,x,2,3`, /line 2: low "x" is not a plain decimal/],
    ['a price of nothing', `${T},1,2,0,2,3`, /line 1: low 0 is 0|low is 0/],
    ['a high below the low', `${T},5,2,6,5,3`, /high 2 is below low 6/],
    ['a time twice', `${T},1,2,1,2,3\n${T},1,2,1,2,3`, /line 2: time \d+ is there twice/],
    ['a time off the frame', `${T + 1},1,2,1,2,3`, /is not the opening of a 1m candle/],
    ['a time in seconds', `${T / 1_000},1,2,1,2,3`, /is not a Unix time in milliseconds/],
    ['nothing', '', /has no candles/],
    ['an exponent', `${T},1,2e5,1,2,3`, /high "2e5" is not a plain decimal/],
  ])('refuse %s in the words of the replay', (_what, text, words) => {
    expect(() => read(text)).toThrow(FeedError);
    expect(() => read(text)).toThrow(words);
  });

  it('take volumes of any size, and prices of as many digits as a double holds', () => {
    const wide = read(`${T},0.1,0.2,0.1,0.2,123456789012345678.123456789`);
    expect(str(wide.volume(0))).toBe('123456789012345678.123456789');
    expect(rowsOf(read(`${T},12345.6789012345,12345.6789012345,1,2,3`))[0]?.open).toBe('12345.6789012345');
    expect(() => read(`${T},123456.78901234567,123456.78901234567,1,2,3`)).toThrow(
      /more digits than can be played/,
    );
  });

  it('grow with the decimals that come later', () => {
    const { decimals, open } = read(`${T},100,100,100,100,1\n${T + M},100.125,100.125,100.1,100.1,1`);
    expect([decimals, ...open]).toEqual([3, 100_000, 100_125]);
  });
});

// proves: bot backtest candles
describe('a candle file', () => {
  it.each([
    ['BTCUSDT-1m.csv', { symbol: 'BTCUSDT', frameMs: M }],
    ['a/b c/ETHUSDT-4h.csv', { symbol: 'ETHUSDT', frameMs: 240 * M }],
    ['币安人生USDT-1m.csv', { symbol: '币安人生USDT', frameMs: M }],
    // The name as a file system with decomposed letters gives it.
    ['ÉTÉUSDT-1m.csv'.normalize('NFD'), { symbol: 'ÉTÉUSDT', frameMs: M }],
    ['BTC\u200bUSDT-1m.csv', null],
    ['ωusdt-1m.csv', null],
    [`${'X'.repeat(65)}-1m.csv`, null],
    ['candles.csv', null],
    ['btcusdt-1m.csv', null],
    ['BTCUSDT-1x.csv', null],
  ])('named %s says %j', (path, named) => {
    expect(candleFileName(path)).toEqual(named);
  });

  it('that does not say its frame is told by its first candles', () => {
    const at = (...minutes: number[]) =>
      bytes([HEADING, ...minutes.map((m) => `${T + m * M},1,1,1,1,1`)].join('\n'));
    expect(guessFrame('x.csv', at(0, 5, 15, 20))).toBe(5 * M);
    expect(guessFrame('x.csv', at(0, 60))).toBe(60 * M);
    expect(() => guessFrame('x.csv', at(0))).toThrow('x.csv: its time frame cannot be told');
    expect(() => guessFrame('x.csv', at(0, 0.5))).toThrow(FeedError);
  });
});
