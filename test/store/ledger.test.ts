/**
 * The ledger of an account in the store: each row once, newest first in pages, whatever the times and the
 * size of a page.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LedgerRecord } from '../../src/domain/ledger.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';

const record: fc.Arbitrary<LedgerRecord> = fc.record({
  exchange: fc.constantFrom('one-spot', 'two-spot'),
  user: fc.constantFrom('owner', 'other'),
  id: fc.oneof(
    fc.constantFrom('a', 'b', 'c', 'a-1', 'a-2', 'desk opening USDT'),
    fc.string({ unit: 'binary', maxLength: 9 }),
  ),
  time: fc.integer({ min: 0, max: 4 }),
  asset: fc.constantFrom('USDT', 'BTC'),
  amount: fc.constantFrom('1', '-0.5'),
  kind: fc.constantFrom('transfer', 'unexplained'),
});

const keyOf = ({ exchange, id }: LedgerRecord) => JSON.stringify([exchange, id]);

it('is as it was first stored, once by account and id, and is paged through without a gap', () => {
  const query = fc.record({
    user: fc.constantFrom('owner', 'other'),
    exchange: fc.constantFrom('one-spot', 'two-spot', 'three-spot'),
    limit: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), query, (records, q) => {
      const store = openSqliteStore(':memory:');
      for (const one of records) store.commit([{ kind: 'ledger', record: one }]);
      const first = new Map<string, LedgerRecord>();
      for (const one of records) if (!first.has(keyOf(one))) first.set(keyOf(one), one);
      const seen: LedgerRecord[] = [];
      let before: string | undefined;
      do {
        const page = store.ledger({ ...q, ...(before === undefined ? {} : { before }) });
        expect(page.rows.length).toBeLessThanOrEqual(q.limit);
        seen.push(...page.rows);
        before = page.next ?? undefined;
      } while (before !== undefined);
      const wanted = [...first.values()].filter((one) => one.user === q.user && one.exchange === q.exchange);
      const byKey = (list: readonly LedgerRecord[]) =>
        list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      expect(byKey(seen)).toEqual(byKey(wanted));
      expect(seen.map(({ time }) => time)).toEqual(seen.map(({ time }) => time).toSorted((a, b) => b - a));
      for (const { exchange, id } of records) expect(store.isInLedger(exchange, id)).toBe(true);
      expect(store.isInLedger('three-spot', 'a')).toBe(false);
      expect(store.ledger({ ...q, before: 'no place' })).toEqual({ rows: [], next: null });
      store.close();
    }),
  );
});
