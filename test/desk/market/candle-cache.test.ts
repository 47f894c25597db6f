/**
 * Candles of a live market in the store: what a start requests from the exchange, and that what is read
 * still equals the exchange's candles.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CandleCache } from '../../../src/desk/market/live/candle-cache.ts';
import { LiveCandles } from '../../../src/desk/market/live/live-candles.ts';
import type { Candle, Row } from '../../../src/domain/rows.ts';
import { exchangeCandle, FakeMarket, MINUTE } from '../../support/fake-market.ts';
import { VIRTUAL_START, VirtualClock } from '../../support/virtual-clock.ts';

const SYMBOL = 'BTCUSDT';

/** Rows as in a store. */
class Rows {
  readonly candles = new Map<string, Candle>();
  broken = false;

  keep(row: Row): void {
    if (row.kind !== 'candle') return;
    this.candles.set(`${row.market} ${row.symbol} ${row.frameMs} ${row.candle.time}`, row.candle);
  }

  read(market: string, symbol: string, from: number, to: number, frameMs = MINUTE): Candle[] {
    if (this.broken) throw new Error('disk');
    const key = `${market} ${symbol} ${frameMs} `;
    return [...this.candles]
      .filter(([name, { time }]) => name.startsWith(key) && time >= from && time < to)
      .map(([, candle]) => candle)
      .sort((a, b) => a.time - b.time);
  }
}

/** Starts a desk on the same store. */
function start(clock: VirtualClock, rows: Rows) {
  const market = new FakeMarket(clock);
  const cache = new CandleCache({
    market: market.market,
    store: { candles: (...asked) => rows.read(...asked) },
    keep: (row) => rows.keep(row),
  });
  const candles = new LiveCandles({ data: market, clock, cache, loaded: () => {}, failed: () => {} });
  const read = (count: number) => {
    const to = clock.wall();
    return candles.read(SYMBOL, MINUTE, Math.floor(to / MINUTE) * MINUTE - count * MINUTE, to);
  };
  const asked = () => market.asked.map(({ from, to }) => (to - from) / MINUTE);
  return { market, candles, read, asked };
}

const truth = (clock: VirtualClock, count: number) => {
  const end = Math.floor(clock.wall() / MINUTE) * MINUTE;
  return Array.from({ length: count }, (_, at) => exchangeCandle(end - (count - at) * MINUTE, MINUTE));
};

describe('a start that finds candles in the store', () => {
  it('asks only for what is missing', async () => {
    const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
    const rows = new Rows();
    const first = start(clock, rows);
    first.read(300);
    await clock.settle();
    first.candles.look();
    expect([first.asked(), rows.candles.size]).toEqual([[300], 300]);
    await clock.advance(10 * MINUTE);
    const second = start(clock, rows);
    second.read(310);
    await clock.settle();
    expect(second.asked()).toEqual([10]);
    expect(second.read(310)).toEqual(truth(clock, 310));
    // Candles earlier than all stored ones, and holes in them.
    for (const back of [50, 51, 200]) {
      const time = Math.floor(clock.wall() / MINUTE) * MINUTE - back * MINUTE;
      rows.candles.delete(`other-spot ${SYMBOL} ${MINUTE} ${time}`);
    }
    second.candles.look();
    const third = start(clock, rows);
    third.read(320);
    await clock.settle();
    expect(third.asked()).toEqual([10, 1, 2]);
    expect(third.read(320)).toEqual(truth(clock, 320));
  });

  it('has what the exchange closes from then on, and nothing that is not over', async () => {
    const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
    const rows = new Rows();
    const { read, candles } = start(clock, rows);
    read(5);
    await clock.settle();
    await clock.advance(MINUTE);
    candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START, MINUTE));
    candles.look();
    expect(rows.candles.size).toBe(6);
    for (const { time } of rows.candles.values()) expect(time + MINUTE).toBeLessThanOrEqual(clock.wall());
  });

  it('hands over a thousand at a time', async () => {
    const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
    const rows = new Rows();
    const { read, candles, market } = start(clock, rows);
    market.page = 5_000;
    read(2_500);
    await clock.settle();
    const sizes = [1, 2, 3, 4].map(() => {
      candles.look();
      return rows.candles.size;
    });
    expect(sizes).toEqual([1_000, 2_000, 2_500, 2_500]);
  });

  it('asks again for a minute that the exchange had not, which is flat meanwhile and not stored', async () => {
    const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
    const rows = new Rows();
    const first = start(clock, rows);
    const gone = VIRTUAL_START - 7 * MINUTE;
    first.market.answers.candles = async (asked) =>
      first.market.history(asked).filter(({ time }) => time !== gone);
    first.read(20);
    await clock.settle();
    expect(first.read(20)?.[13]).toMatchObject({ time: gone, volume: '0' });
    first.candles.look();
    expect([rows.candles.size, [...rows.candles.values()].some(({ time }) => time === gone)]).toEqual([
      19,
      false,
    ]);
    const second = start(clock, rows);
    second.read(20);
    await clock.settle();
    expect(second.market.asked).toMatchObject([{ from: gone, to: gone + MINUTE }]);
    expect(second.read(20)).toEqual(truth(clock, 20));
  });

  it('asks for everything where the store cannot be read', async () => {
    const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
    const rows = new Rows();
    rows.broken = true;
    const { read, asked } = start(clock, rows);
    read(20);
    await clock.settle();
    expect(asked()).toEqual([20]);
    expect(read(20)).toEqual(truth(clock, 20));
  });
});

it("what is read is the exchange's own whatever the store has lost, over any number of starts", async () => {
  const acts = fc.array(
    fc.record({
      read: fc.integer({ min: 1, max: 60 }),
      pass: fc.integer({ min: 0, max: 30 }),
      lose: fc.array(fc.nat(200), { maxLength: 5 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(acts, async (starts) => {
      const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
      const rows = new Rows();
      for (const { read: count, pass, lose } of starts) {
        const desk = start(clock, rows);
        desk.read(count);
        await clock.settle();
        expect(desk.read(count)).toEqual(truth(clock, count));
        desk.candles.look();
        const names = [...rows.candles.keys()];
        for (const n of lose) rows.candles.delete(names[n % names.length] ?? '');
        await clock.advance(pass * MINUTE);
      }
    }),
    { numRuns: 40 },
  );
});

it('candles wait to be written within a bound, some with each commit: beyond it the oldest are let go', () => {
  const written: number[] = [];
  const keep = (row: Row) => void (row.kind === 'candle' && written.push(row.candle.time));
  const cache = new CandleCache({ market: 'm', store: { candles: () => [] }, keep });
  const candle = exchangeCandle(VIRTUAL_START, MINUTE);
  const all = Array.from({ length: 100_500 }, (_, time) => ({ ...candle, time }));
  cache.write(SYMBOL, MINUTE, all.slice(0, 60_000));
  cache.write(SYMBOL, MINUTE, all.slice(60_000));
  cache.flush();
  expect([written.length, written[0], written.at(-1)]).toEqual([1_000, 500, 1_499]);
  for (let turn = 0; turn < 100; turn++) cache.flush();
  expect([written.length, written.at(-1)]).toEqual([100_000, 100_499]);
});
