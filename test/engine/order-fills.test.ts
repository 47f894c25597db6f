/** Executions of one order, few and many: their sums are those of all rows, and each is known once. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dec, mul, str } from '../../src/domain/decimal.ts';
import type { FillRecord } from '../../src/domain/order.ts';
import { OrderFills } from '../../src/engine/order-fills.ts';

const rows = fc.uniqueArray(
  fc.record({
    tradeId: fc.nat(200).map(String),
    price: fc.nat(1_000_000).map((ticks) => str(BigInt(ticks) * 10n ** 16n)),
    qty: fc.nat(1_000).map((steps) => str(BigInt(steps) * 10n ** 13n)),
    inferred: fc.option(fc.constant(true as const), { nil: undefined, freq: 30 }),
  }),
  { selector: ({ tradeId }) => tradeId, maxLength: 60 },
) as fc.Arbitrary<unknown> as fc.Arbitrary<FillRecord[]>;

it('sums what all of its rows say, and knows each of them and no other', () => {
  fc.assert(
    fc.property(rows, fc.nat(60), (all, loaded) => {
      const fills = new OrderFills(all.slice(0, loaded));
      for (const row of all.slice(loaded)) {
        expect(fills.has(row.tradeId)).toBe(false);
        fills.add(row);
      }
      expect([...fills]).toEqual(all);
      expect(fills.size).toBe(all.length);
      expect(fills.quantity).toBe(all.reduce((sum, { qty }) => sum + dec(qty), 0n));
      expect(fills.quote).toBe(all.reduce((sum, { qty, price }) => sum + mul(dec(price), dec(qty)), 0n));
      expect(fills.hasInferred).toBe(all.some(({ inferred }) => inferred));
      const known = new Set(all.map(({ tradeId }) => tradeId));
      for (let id = 0; id <= 200; id++) expect(fills.has(String(id))).toBe(known.has(String(id)));
    }),
    { numRuns: 100 },
  );
});
