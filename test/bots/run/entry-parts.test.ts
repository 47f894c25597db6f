/**
 * An entry for several lots that fills in parts: each lot gets its own part, one after the other, and no
 * more.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { dec, ZERO } from '../../../src/domain/decimal.ts';
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

it('goes on with the lots that have not got their part where it is sent again for its rest', () => {
  const lonely = new Lonely(
    'FIBO',
    {
      trailing: true,
      orders: { buy: { type: 'LIMIT', price: '0.5' } },
      range: [{ type: 'price', max: '44600' }],
      channels: [
        { name: '0', depositePercent: '0', fiboPrice: '40000' },
        { name: '0.500', depositePercent: '50', fiboPrice: '44000' },
        { name: '0.786', depositePercent: '50', fiboPrice: '44500' },
        { name: '1', depositePercent: '0', fiboPrice: '50000' },
      ],
    },
    '45000',
  );
  // Both levels are reached, and the price turns by a percent.
  for (const price of ['44500', '43900', '44340']) lonely.tick(price);
  const [entry] = lonely.placed() as [RunOrder];
  const [upper, lower] = entry.into as [RunOrder['into'][number], RunOrder['into'][number]];
  lonely.change({ key: entry.key, kind: 'accepted' });
  const more = dec('0.001');
  lonely.part(entry, upper.qty + more, '44340');
  // The range withdraws it, and lets it go out again.
  lonely.tick('44700');
  lonely.change({ key: entry.key, kind: 'ended' });
  lonely.asked();
  lonely.tick('44340');
  const [rest] = lonely.placed() as [RunOrder];
  expect(rest).toMatchObject({ side: 'BUY', qty: lower.qty - more, into: [{ lot: lower.lot }] });
  lonely.change({ key: rest.key, kind: 'accepted' });
  lonely.part(rest, rest.qty, '44340');
  const held = [upper, lower].map(({ lot }) => lonely.run.lots.get(lot)?.filledQty);
  expect(held).toEqual([upper.qty, lower.qty]);
});
