/**
 * The number of records of each user: right after every insertion, repeated insertion, removal and repeated
 * removal.
 */
import { expect, it } from 'vitest';
import type { IdempotencyRecord } from '../../src/domain/rows.ts';
import { IdempotencyTable, idempotencyId } from '../../src/engine/idempotency-table.ts';

const record = (user: string, key: string): IdempotencyRecord => ({
  user,
  key,
  fingerprint: 'f',
  arrivedAt: 1,
  requestId: 'r',
  effect: null,
  answer: null,
});

it('counts the records of each user', () => {
  const table = new IdempotencyTable();
  const put = (user: string, key: string) => table.set(idempotencyId(user, key), record(user, key));
  const counts = () => [table.size, table.countOf('a'), table.countOf('b')];
  for (const key of ['1', '2', '2']) put('a', key);
  put('b', '1');
  expect(counts()).toEqual([3, 2, 1]);
  expect(table.delete(idempotencyId('a', '1'))).toBe(true);
  expect(table.delete(idempotencyId('a', '1'))).toBe(false);
  expect(counts()).toEqual([2, 1, 1]);
  table.clear();
  expect(counts()).toEqual([0, 0, 0]);
  put('a', '1');
  expect(counts()).toEqual([1, 1, 0]);
});
