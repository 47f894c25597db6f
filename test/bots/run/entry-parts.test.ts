/**
 * An entry for several lots that fills in parts: each lot gets its own part, one after the other, and no
 * more.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { ZERO } from '../../../src/domain/decimal.ts';
import { Lonely } from './lonely.ts';

it('is divided over its lots in their order, however its parts come', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 12 }), (shares) => {
      const lonely = new Lonely('GRID', { startBuy: true }, '30000');
      const [entry] = lonely.placed() as [RunOrder];
      expect(entry.into.length).toBeGreaterThan(2);
      const { into, key, qty } = entry;
      lonely.change({ key, kind: 'accepted' });
      let done = ZERO;
      for (const share of [...shares, 1_000]) {
        const part = (qty * BigInt(share)) / 1_000n;
        const rest = qty - done;
        if (rest === ZERO) break;
        const fills = part < rest ? part : rest;
        done += fills;
        lonely.part(entry, fills, '30000');
        let left = done;
        for (const { lot, qty: wanted } of into) {
          const due = left < wanted ? left : wanted;
          expect(lonely.run.lots.get(lot)?.filledQty ?? ZERO).toBe(due);
          left -= due;
        }
      }
    }),
  );
});
