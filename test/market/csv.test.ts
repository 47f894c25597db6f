import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dec } from '../../src/domain/decimal.ts';
import { aggregate } from '../../src/market/aggregate.ts';
import { openCsvFeed } from '../../src/market/csv.ts';
import { parseCsvRows } from '../../src/market/csv-rows.ts';
import type { Feed, Tick } from '../../src/market/feed.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/market/timeframe.ts';
import { sharedData, withShared } from '../support/shared-data.ts';

const START = Date.UTC(2025, 1, 3);
const HEADING = 'time,open,high,low,close,volume';

/** A candle line `minute` minutes after the start. */
const line = (minute: number, prices: string, volume = '8') =>
  `${START + minute * MINUTE_MS},${prices},${volume}`;

function open(files: Record<string, readonly string[]>, options = '@1m') {
  return openCsvFeed({
    spec: `csv:dir${options}`,
    readDir: () => Object.keys(files),
    readFile: (path) => (files[path.replace('dir/', '')] ?? []).join('\n'),
  });
}

const drain = (feed: Feed, limit = 100_000) => {
  const ticks: Tick[] = [];
  while (ticks.length < limit && feed.peek() !== null) ticks.push(feed.next() as Tick);
  return ticks;
};

const BTC = [
  HEADING,
  line(0, '10,12,9,11'),
  line(1, '11,13,10,10.5'),
  line(3, '10.5,10.5,10.5,10.5', '0'),
  '',
];
const ETH = [line(1, '2,2.5,1.5,2'), line(2, '2,3,2,3')];

/** Candle files as text, with the rows that they contain. */
const rowsArbitrary = fc
  .array(
    fc.record({
      skip: fc.integer({ min: 0, max: 3 }),
      prices: fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 4, maxLength: 4 }),
      swap: fc.boolean(),
      volume: fc.integer({ min: 0, max: 1_000_000 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => {
    let minute = 0;
    return list.map(({ skip, prices, swap, volume }) => {
      const [low, a, b, high] = prices.toSorted((x, y) => x - y).map((price) => `${price / 100}`);
      minute += 1 + skip;
      return line(minute, [swap ? b : a, high, low, swap ? a : b].join(','), `${volume / 1_000}`);
    });
  });

describe('a candle replay', () => {
  it('plays a candle as four ticks: open, low, high, close when it rose, else open, high, low, close', () => {
    const ticks = drain(open({ 'BTCUSDT-1m.csv': BTC }));
    expect(ticks.slice(0, 8)).toEqual([
      { time: START, symbol: 'BTCUSDT', price: '10', volume: '2' },
      { time: START + 15_000, symbol: 'BTCUSDT', price: '9', volume: '2' },
      { time: START + 30_000, symbol: 'BTCUSDT', price: '12', volume: '2' },
      { time: START + 59_999, symbol: 'BTCUSDT', price: '11', volume: '2' },
      { time: START + 60_000, symbol: 'BTCUSDT', price: '11', volume: '2' },
      { time: START + 75_000, symbol: 'BTCUSDT', price: '13', volume: '2' },
      { time: START + 90_000, symbol: 'BTCUSDT', price: '10', volume: '2' },
      { time: START + 119_999, symbol: 'BTCUSDT', price: '10.5', volume: '2' },
    ]);
    expect(ticks[8]).toEqual({ time: START + 180_000, symbol: 'BTCUSDT', price: '10.5', volume: '0' });
    expect(ticks).toHaveLength(12);
  });

  it('gives back the candles it was made of', () => {
    fc.assert(
      fc.property(rowsArbitrary, (rows) => {
        const feed = open({ 'XUSDT-1m.csv': rows });
        const ticks = drain(feed);
        const played = aggregate(
          ticks.map(({ time, price, volume }) => ({
            time,
            open: price,
            high: price,
            low: price,
            close: price,
            volume,
          })),
          MINUTE_MS,
        );
        const written = played.map(({ time, open, high, low, close, volume }) =>
          [time, open, high, low, close, volume].join(','),
        );
        expect(written).toEqual(rows);
      }),
    );
  });

  it('merges symbols by time, those of one time in the order of the table', () => {
    const feed = open({ 'ETHUSDT-1m.csv': ETH, 'BTCUSDT-1m.csv': BTC });
    expect(feed.symbols).toEqual(['BTCUSDT', 'ETHUSDT']);
    const ticks = drain(feed);
    expect(ticks).toHaveLength(20);
    expect(ticks.slice(4, 8).map((tick) => tick.symbol)).toEqual([
      'BTCUSDT',
      'ETHUSDT',
      'BTCUSDT',
      'ETHUSDT',
    ]);
    for (const [at, tick] of ticks.entries()) {
      if (at > 0) expect(tick.time).toBeGreaterThanOrEqual(ticks[at - 1]?.time as number);
    }
  });

  it('begins at `from`, with the rows before as history', () => {
    for (const from of ['2025-02-03T00:01', '2025-02-03 00:00:30', '2025-02-03T01:01+01:00']) {
      const feed = open({ 'BTCUSDT-1m.csv': BTC }, `@1m,from=${from}`);
      expect(feed.startTime).toBe(START + MINUTE_MS);
      expect(feed.candles('BTCUSDT', MINUTE_MS, 0, START + DAY_MS)).toMatchObject([
        { time: START, close: '11' },
      ]);
      expect(feed.next()).toMatchObject({ time: START + MINUTE_MS, price: '11' });
    }
  });

  it('answers only closed candles, with flat ones in gaps', () => {
    const feed = open({ 'BTCUSDT-1m.csv': BTC });
    const known = () => feed.candles('BTCUSDT', MINUTE_MS, 0, START + DAY_MS).map((candle) => candle.close);
    expect(known()).toEqual([]);
    for (let i = 0; i < 4; i++) feed.next();
    expect(known()).toEqual([]);
    feed.next();
    expect(known()).toEqual(['11']);
    for (let i = 0; i < 4; i++) feed.next();
    expect(known()).toEqual(['11', '10.5', '10.5']);
    expect(feed.candles('BTCUSDT', MINUTE_MS, START + 2 * MINUTE_MS, START + 3 * MINUTE_MS)).toEqual([
      { time: START + 2 * MINUTE_MS, open: '10.5', high: '10.5', low: '10.5', close: '10.5', volume: '0' },
    ]);
    expect(feed.candles('BTCUSDT', 3 * MINUTE_MS, 0, START + DAY_MS)).toEqual([
      { time: START, open: '10', high: '13', low: '9', close: '10.5', volume: '16' },
    ]);
  });

  it('has no answer for frames that its own do not make up', () => {
    const feed = open({ 'BTCUSDT-5m.csv': [line(0, '1,1,1,1')] }, '');
    feed.resume(START + DAY_MS, null);
    for (const frameMs of [MINUTE_MS, 7 * MINUTE_MS]) {
      expect(feed.candles('BTCUSDT', frameMs, 0, START + DAY_MS)).toEqual([]);
    }
    expect(feed.candles('BTCUSDT', HOUR_MS, 0, START + HOUR_MS)).toHaveLength(1);
  });

  it('goes on after a restart as if it had never stopped, wherever it was cut', () => {
    fc.assert(
      fc.property(
        rowsArbitrary,
        rowsArbitrary,
        fc.nat(120),
        fc.array(fc.constantFrom(0, 0, 1, 2, 9), { maxLength: 4 }),
        fc.boolean(),
        fc.nat(1),
        (a, b, cut, cuts, loop, late) => {
          const from = new Date(START + (1 + late) * MINUTE_MS).toISOString().slice(0, 16);
          const last = Math.max(a.length, b.length);
          const begin = late === 1 && last > 2 ? `,from=${from}` : '';
          const make = () =>
            open({ 'AUSDT-1m.csv': a, 'BUSDT-1m.csv': b }, `@1m${begin}${loop ? ',loop' : ''}`);
          const whole = make();
          const given = drain(whole, cut + 1);
          let time = given.at(-1)?.time as number;
          let resumed = make();
          resumed.resume(time, JSON.parse(JSON.stringify(whole.snapshot())));
          // It is resumed again from its own snapshot, perhaps before it has given a tick.
          for (const more of cuts) {
            const ticks = drain(resumed, more);
            expect(ticks).toEqual(drain(whole, more));
            time = ticks.at(-1)?.time ?? time;
            const state = JSON.parse(JSON.stringify(resumed.snapshot()));
            resumed = make();
            resumed.resume(time, state);
          }
          expect(drain(resumed, 60)).toEqual(drain(whole, 60));
          const end = whole.peek() ?? START + DAY_MS;
          expect(resumed.candles('AUSDT', 5 * MINUTE_MS, 0, end)).toEqual(
            whole.candles('AUSDT', 5 * MINUTE_MS, 0, end),
          );
        },
      ),
    );
  });

  it('loops with times shifted forward by its four minutes, its past too', () => {
    const feed = open({ 'BTCUSDT-1m.csv': BTC, 'ETHUSDT-1m.csv': ETH }, '@1m,loop');
    const rounds = [0, 1, 2].map(() => Array.from({ length: 20 }, () => feed.next() as Tick));
    for (const [at, round] of rounds.entries()) {
      expect(round.map((tick) => ({ ...tick, time: tick.time - at * 4 * MINUTE_MS }))).toEqual(rounds[0]);
    }
    const candles = feed.candles('BTCUSDT', MINUTE_MS, 0, START + DAY_MS);
    expect(candles.map((candle) => candle.close)).toEqual([
      '11',
      '10.5',
      '10.5',
      '10.5',
      '11',
      '10.5',
      '10.5',
      '10.5',
      '11',
      '10.5',
      '10.5',
    ]);
    expect(candles.at(-1)?.time).toBe(START + 10 * MINUTE_MS);
  });

  it('loops from where it began: what lies before `from` is history and never played', () => {
    const feed = open({ 'BTCUSDT-1m.csv': BTC, 'ETHUSDT-1m.csv': ETH }, '@1m,from=2025-02-03T00:02,loop');
    // BTC of minute 3 and ETH of minute 2: eight ticks, and two minutes per round.
    const rounds = [0, 1, 2].map(() => Array.from({ length: 8 }, () => feed.next() as Tick));
    expect(rounds[0]?.map(({ symbol, time }) => [symbol, time])).toEqual([
      ...[0, 15_000, 30_000, 59_999].map((ms) => ['ETHUSDT', START + 2 * MINUTE_MS + ms]),
      ...[0, 15_000, 30_000, 59_999].map((ms) => ['BTCUSDT', START + 3 * MINUTE_MS + ms]),
    ]);
    for (const [at, round] of rounds.entries()) {
      expect(round.map((tick) => ({ ...tick, time: tick.time - at * 2 * MINUTE_MS }))).toEqual(rounds[0]);
    }
    expect(
      feed
        .candles('BTCUSDT', MINUTE_MS, 0, START + DAY_MS)
        .map(({ close }) => close)
        .slice(0, 3),
    ).toEqual(['11', '10.5', '10.5']);
  });

  it('is at its end when it resumes after the last candle', () => {
    const feed = open({ 'BTCUSDT-1m.csv': BTC });
    feed.resume(START + DAY_MS, null);
    expect([feed.peek(), feed.next()]).toEqual([null, null]);
  });
});

describe('a candle file', () => {
  it('may have a heading or none, CRLF, an exchange dump of 12 columns, padded and long numbers', () => {
    const texts = [
      `${HEADING}\n${line(0, '1.5,2,1,1.25')}\n`,
      `\ufeff${HEADING}\r\n${line(0, '1.50,2.00,01,1.2500', '8.0')}\r\n`,
      `${line(0, '1.5,2,1,1.25')},${START + 59_999},12,3,4,5,0`,
    ];
    for (const text of texts) {
      expect(parseCsvRows('X', text, MINUTE_MS).at(0)).toEqual({
        open: '1.5',
        high: '2',
        low: '1',
        close: '1.25',
        volume: '8',
      });
    }
    const long = '0.00000123456789012345';
    expect(parseCsvRows('X', line(0, [long, long, long, long].join(',')), MINUTE_MS).at(0).low).toBe(long);
  });

  it(
    'of the real market plays every candle within its high and low',
    withShared('candles/BTCUSDT-1m.csv', 11_520, (text) => {
      const rows = text.trim().split('\n').slice(1);
      const feed = openCsvFeed({ spec: `csv:${sharedData('candles')}@1m` });
      expect(feed.symbols).toEqual(['BTCUSDT', 'ETHUSDT']);
      const ticks = drain(feed).filter((tick) => tick.symbol === 'BTCUSDT');
      expect(ticks).toHaveLength(4 * 11_520);
      for (const [at, row] of rows.entries()) {
        const [time, open, high, low, close, volume] = row.split(',') as [
          string,
          string,
          string,
          string,
          string,
          string,
        ];
        const four = ticks.slice(4 * at, 4 * at + 4);
        const prices = four.map((tick) => tick.price);
        const rising = Number(close) >= Number(open);
        expect(prices).toEqual(rising ? [open, low, high, close] : [open, high, low, close]);
        expect(four[0]?.time).toBe(Number(time));
        expect(four.reduce((sum, tick) => sum + dec(tick.volume), 0n)).toBe(dec(volume));
      }
    }),
  );

  it(
    'of the real market aggregates to the same hours as its days do',
    withShared('candles/ETHUSDT-1h.csv', 23_968, () => {
      const feed = openCsvFeed({ spec: `csv:${sharedData('candles')}@1h,from=2023-12-01` });
      const to = Date.UTC(2023, 11, 1);
      const hours = feed.candles('ETHUSDT', HOUR_MS, to - 100 * DAY_MS, to);
      expect(hours).toHaveLength(2_400);
      expect(aggregate(hours, DAY_MS)).toEqual(feed.candles('ETHUSDT', DAY_MS, to - 100 * DAY_MS, to));
    }),
  );
});
