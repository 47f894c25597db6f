/**
 * A hub that is used for the first time begins at the time of the others: no candle that ended long before
 * closes in it.
 */
import { expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { MarketHubs } from '../../../src/bots/market/market-hubs.ts';

const MINUTE = 60_000;

it('begins now, whenever the others began', () => {
  const hubs = new MarketHubs(() => new CandleHub({ time: 0 }));
  hubs.of('first');
  hubs.advance(90 * MINUTE, () => {});
  const late = hubs.of('second');
  expect(late.time).toBe(90 * MINUTE);
  late.subscribe('BTCUSDT', MINUTE);
  late.tick('BTCUSDT', 90 * MINUTE, 1n, 1n);
  const closes: number[] = [];
  hubs.advance(92 * MINUTE, (_, { candle }) => closes.push(candle.time / MINUTE));
  expect(closes).toEqual([90, 91]);
});
