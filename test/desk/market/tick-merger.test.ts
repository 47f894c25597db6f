/**
 * Trades of one turn are merged into few ticks: every price level that a trade reached is also reached by a
 * tick.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TickMerger } from '../../../src/desk/market/live/tick-merger.ts';
import { dec } from '../../../src/domain/decimal.ts';

const trades = fc.array(
  fc.record({
    symbol: fc.constantFrom('A', 'B'),
    cents: fc.integer({ min: 1, max: 30 }),
    volume: fc.integer({ min: 0, max: 5 }),
  }),
  { maxLength: 40 },
);

const told = (all: readonly { symbol: string; cents: number; volume: number }[]) => {
  const merger = new TickMerger();
  for (const { symbol, cents, volume } of all)
    merger.add({ symbol, price: String(cents / 100), volume: String(volume) });
  return merger.take();
};

it('of each symbol the lowest, the highest and the last, in their order, with all of the volume', () => {
  fc.assert(
    fc.property(trades, (all) => {
      const ticks = told(all);
      expect(ticks.map(({ symbol }) => symbol)).toEqual(
        ticks.map(({ symbol }) => symbol).toSorted(byFirst(all)),
      );
      for (const symbol of ['A', 'B']) {
        const given = all.filter((trade) => trade.symbol === symbol);
        const own = ticks.filter((tick) => tick.symbol === symbol);
        const cents = own.map(({ price }) => Math.round(Number(price) * 100));
        const prices = given.map((trade) => trade.cents);
        expect(own.length).toBeLessThanOrEqual(3);
        expect(own.length).toBeLessThanOrEqual(given.length);
        expect(cents.at(-1)).toBe(prices.at(-1));
        if (prices.length > 0) {
          expect(Math.min(...cents)).toBe(Math.min(...prices));
          expect(Math.max(...cents)).toBe(Math.max(...prices));
        }
        // Some of the trades, in their order.
        let at = 0;
        for (const price of cents) {
          at = prices.indexOf(price, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
        const volume = given.reduce((sum, trade) => sum + trade.volume, 0);
        expect(own.reduce((sum, tick) => sum + dec(tick.volume), 0n)).toBe(dec(String(volume)));
      }
    }),
  );
});

it('of prices that come twice the first one counts for the order of the lowest and the highest', () => {
  const prices = (...cents: number[]) =>
    told(cents.map((one) => ({ symbol: 'A', cents: one, volume: 1 }))).map(
      ({ price }) => Number(price) * 100,
    );
  expect(prices(20, 30, 10, 30, 20)).toEqual([30, 10, 20]);
  expect(prices(20, 10, 30, 10, 20)).toEqual([10, 30, 20]);
});

it('what was taken is not told again', () => {
  const merger = new TickMerger();
  merger.add({ symbol: 'A', price: '1', volume: '1' });
  expect(merger.take()).toHaveLength(1);
  expect(merger.take()).toEqual([]);
});

function byFirst(all: readonly { symbol: string }[]) {
  const first = (symbol: string) => all.findIndex((trade) => trade.symbol === symbol);
  return (a: string, b: string) => first(a) - first(b);
}
