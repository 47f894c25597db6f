import { describe, expect, it } from 'vitest';
import { openCsvFeed } from '../../src/market/csv.ts';
import { open24h, priceAt, stats24h } from '../../src/market/stats.ts';
import { DAY_MS, HOUR_MS } from '../../src/market/timeframe.ts';

const START = Date.UTC(2025, 1, 3);

/** Hourly candles that rise by one an hour from 100. */
function feedAt(hours: number) {
  const rows = Array.from(
    { length: 60 },
    (_, hour) => `${START + hour * HOUR_MS},${100 + hour},${101 + hour},${99 + hour},${101 + hour},1`,
  );
  const feed = openCsvFeed({
    spec: 'csv:d@1h',
    readDir: () => ['BTCUSDT-1h.csv'],
    readFile: () => rows.join('\n'),
  });
  feed.resume(START + hours * HOUR_MS, null);
  return feed;
}

describe('figures of the last day', () => {
  it('have the price of a past moment', () => {
    expect(priceAt(feedAt(40), 'BTCUSDT', START + 10 * HOUR_MS + 5)).toBe('110');
    expect(priceAt(feedAt(40), 'BTCUSDT', START)).toBeNull();
    expect(priceAt(feedAt(40), 'XUSDT', START + HOUR_MS)).toBeNull();
  });

  it('open 24 hours ago, or with the oldest price since', () => {
    expect(open24h(feedAt(40), 'BTCUSDT', START + 40 * HOUR_MS)).toBe('116');
    expect(open24h(feedAt(5), 'BTCUSDT', START + 5 * HOUR_MS)).toBe('100');
    expect(open24h(feedAt(0), 'BTCUSDT', START)).toBeNull();
  });

  it('have the high and low of the closed candles since', () => {
    const feed = feedAt(40);
    expect(stats24h(feed, 'BTCUSDT', START + 40 * HOUR_MS)).toEqual({ open: '116', high: '140', low: '115' });
    expect(stats24h(feed, 'BTCUSDT', START + DAY_MS * 9)).toBeNull();
  });
});
