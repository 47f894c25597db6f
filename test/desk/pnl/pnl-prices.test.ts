/** Prices of the past: which candle counts, how far back it may lie, how many are kept. */
import { describe, expect, it } from 'vitest';
import type { MarketHistory } from '../../../src/desk/market/market-history.ts';
import { PNL_CLOSES_MAX, PnlPrices } from '../../../src/desk/pnl/pnl-prices.ts';
import { str } from '../../../src/domain/decimal.ts';
import { frameStart } from '../../../src/market/aggregate.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AT = Date.UTC(2026, 0, 5, 12, 30, 0);

/** A market with these candles alone: open times by frame. */
function market(candles: Readonly<Record<number, readonly number[]>>) {
  const asked: string[] = [];
  const history: Pick<MarketHistory, 'candles'> = {
    candles: (name, symbol, frameMs, from, to) => {
      asked.push(`${name} ${symbol}`);
      return (candles[frameMs] ?? [])
        .filter((time) => time >= from && time < to)
        .map((time) => {
          const price = String(time / MINUTE);
          return { time, open: '1', high: price, low: '1', close: price, volume: '1' };
        });
    },
  };
  return { prices: new PnlPrices(history), asked };
}

/** The open time, in minutes, of the candle whose close counts at that time; null: none does. */
function counts(candles: Parameters<typeof market>[0], time: number): number | null {
  const close = market(candles).prices.close('one', 'BTCUSDT', time);
  return close === null ? null : Number(str(close));
}

describe('the price at a time', () => {
  it('is the close of the last candle that had closed by then: at its very end, not a moment before', () => {
    const candles = { [MINUTE]: [AT - 2 * MINUTE, AT - MINUTE, AT] };
    expect(counts(candles, AT)).toBe((AT - MINUTE) / MINUTE);
    expect(counts(candles, AT + MINUTE - 1)).toBe((AT - MINUTE) / MINUTE);
    expect(counts(candles, AT + MINUTE)).toBe(AT / MINUTE);
    expect(counts(candles, AT - 1)).toBe((AT - 2 * MINUTE) / MINUTE);
  });

  it.each([
    ['minutes', MINUTE, 15],
    ['hours', HOUR, 24],
    ['days', DAY, 14],
  ])('may be one of the last %s, %d ms each, %d of them at most', (_name, frameMs, frames) => {
    const begin = frameStart(AT, frameMs);
    const oldest = begin - frames * frameMs;
    expect(counts({ [frameMs]: [oldest] }, AT)).toBe(oldest / MINUTE);
    expect(counts({ [frameMs]: [oldest - frameMs] }, AT)).toBe(null);
    // The candle that runs has not closed.
    expect(counts({ [frameMs]: [begin] }, AT)).toBe(null);
  });

  it('is that of the smallest frame that has one', () => {
    const [hour, day] = [frameStart(AT, HOUR) - HOUR, frameStart(AT, DAY) - DAY];
    const all = { [MINUTE]: [AT - 15 * MINUTE], [HOUR]: [hour], [DAY]: [day] };
    expect(counts(all, AT)).toBe((AT - 15 * MINUTE) / MINUTE);
    expect(counts({ ...all, [MINUTE]: [] }, AT)).toBe(hour / MINUTE);
    expect(counts({ [DAY]: [day] }, AT)).toBe(day / MINUTE);
  });

  it('is asked for once by market, symbol and minute, known or not', () => {
    const { prices, asked } = market({ [MINUTE]: [AT - MINUTE] });
    for (const time of [AT, AT + MINUTE - 1, AT]) prices.close('one', 'BTCUSDT', time);
    expect(asked).toEqual(['one BTCUSDT']);
    prices.close('two', 'BTCUSDT', AT);
    prices.close('one', 'ETHUSDT', AT);
    expect(asked).toEqual(['one BTCUSDT', 'two BTCUSDT', 'one ETHUSDT']);
    prices.close('one', 'BTCUSDT', AT + 20 * DAY);
    const before = asked.length;
    prices.close('one', 'BTCUSDT', AT + 20 * DAY);
    expect(asked).toHaveLength(before);
  });

  it('is asked for again when so many were asked for that the cache has been emptied', () => {
    const { prices, asked } = market({ [DAY]: [] });
    for (let n = 0; n < PNL_CLOSES_MAX; n++) prices.close('one', 'BTCUSDT', AT + n * MINUTE);
    const full = asked.length;
    prices.close('one', 'BTCUSDT', AT);
    expect(asked).toHaveLength(full);
    prices.close('one', 'BTCUSDT', AT - MINUTE);
    const emptied = asked.length;
    prices.close('one', 'BTCUSDT', AT);
    expect(asked.length).toBeGreaterThan(emptied);
  });
});
