/** The ledger of a unified account with more rows than one question may return, against lists of this test. */
import { expect, it } from 'vitest';
import { ledgerPage } from '../../../src/venues/bybit/ledger.ts';
import type { LogRow } from '../../../src/venues/bybit/messages.ts';
import type { Questions } from '../../../src/venues/bybit/questions.ts';
import { BYBIT } from '../../../src/venues/bybit/requests.ts';

const NOW = 1_767_225_600_000;
const MINUTE_MS = 60_000;

/** Answers from these rows, newest first, as many as are asked for. */
function listOf(rows: readonly LogRow[]) {
  const list: Questions['list'] = async (_form, { startTime, endTime }, _read, { most = Infinity } = {}) => {
    const found = rows.filter(
      ({ transactionTime }) =>
        Number(transactionTime) >= Number(startTime) && Number(transactionTime) <= Number(endTime),
    );
    const newest = found.toSorted((a, b) => Number(b.transactionTime) - Number(a.transactionTime));
    return { kind: 'found', value: { rows: newest.slice(0, most) as never, isWhole: found.length <= most } };
  };
  return { list } as Questions;
}

function rowsFrom(start: number, everyMs: number, count: number): LogRow[] {
  return Array.from({ length: count }, (_, n) => ({
    id: String(n),
    type: 'TRANSFER_IN',
    currency: 'USDT',
    change: '1',
    transactionTime: String(start + n * everyMs),
  })) as LogRow[];
}

/** Reads pages until there are no more; fails if it does not end. */
async function readAll(rows: readonly LogRow[], now: number, after: string | null = null) {
  const ids = new Set<string>();
  let next = after;
  for (let pages = 0; pages < 60; pages++) {
    const query = { after: next, since: NOW - 60 * MINUTE_MS, limit: 1_000 };
    const page = await ledgerPage(listOf(rows), BYBIT.spot, query, now);
    for (const { id } of page?.rows ?? []) ids.add(id);
    next = page?.next ?? null;
    if (!page?.more) return { ids, next };
  }
  throw new Error('it reads on and on');
}

it('is read to its end though five minutes have more rows than one question', async () => {
  const rows = rowsFrom(NOW - 50 * MINUTE_MS, 10, 12_000);
  expect((await readAll(rows, NOW)).ids.size).toBe(12_000);
});

it('waits where rows may still come, though there are more of them than one question', async () => {
  const rows = rowsFrom(NOW - 2 * MINUTE_MS, 10, 12_000);
  const first = await readAll(rows, NOW);
  expect(first.ids.size).toBeLessThan(12_000);
  const second = await readAll(rows, NOW + 10 * MINUTE_MS, first.next);
  expect(new Set([...first.ids, ...second.ids]).size).toBe(12_000);
});
