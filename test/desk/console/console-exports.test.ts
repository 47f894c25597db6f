/** CSV files of orders and trades: every row once and in order, whatever the number of pages. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exportHandlers } from '../../../src/desk/console/console-exports.ts';

type Desk = Parameters<typeof exportHandlers>[0];

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'outcry-exports-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** A store with `count` rows, which returns as many at once as it is asked for. */
function desk(count: number) {
  const reads: { user: string; before: string | undefined; limit: number }[] = [];
  const page = (q: { user: string; before?: string | undefined; limit: number }) => {
    reads.push({ user: q.user, before: q.before, limit: q.limit });
    if (reads.length > 20) throw new Error('the same page again and again');
    const from = q.before === undefined ? 0 : Number(q.before);
    const rows = Array.from({ length: Math.min(q.limit, count - from) }, (_, i) => from + i);
    return { rows, next: from + q.limit < count ? String(from + q.limit) : null };
  };
  const order = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', origQty: '1' };
  const store = {
    closedOrders: (q: Parameters<typeof page>[0]) => {
      const { rows, next } = page(q);
      const orders = rows.map((n) => ({ ...order, id: `id-${n}`, executedQty: '0', quoteQty: '0', time: 0 }));
      return { orders, next };
    },
    tradePage: (q: Parameters<typeof page>[0]) => {
      const { rows, next } = page(q);
      return { trades: rows.map((n) => ({ time: 0, exchange: 'x', symbol: 's', tradeId: `id-${n}` })), next };
    },
  };
  const said: string[] = [];
  const core = {
    turn: { read: async (read: () => unknown) => read() },
    report: (_level: string, _source: string, text: string) => said.push(text),
  };
  const handlers = exportHandlers({ core, store, dataDir, wall: () => 0 } as unknown as Desk);
  return { handlers, reads, said };
}

const idsIn = (path: string) => readFileSync(path, 'utf8').match(/id-\d+/g) ?? [];

it.each(['orders.export', 'trades.export'] as const)('%s', async (what) => {
  for (const count of [0, 1, 500, 501, 1_201]) {
    const { handlers, reads, said } = desk(count);
    const done = await handlers[what]({});
    if (!done.ok) throw new Error(done.error.message);
    expect(done.data).toMatchObject({ rows: count, whole: true });
    expect(idsIn(done.data.path)).toEqual(Array.from({ length: count }, (_, n) => `id-${n}`));
    expect(new Set(reads.map(({ user }) => user))).toEqual(new Set(['owner']));
    expect(said).toHaveLength(1);
  }
});

it('one file at a time, and the next one after it, also after one that could not be read', async () => {
  const { handlers } = desk(10_000);
  const both = await Promise.all([handlers['trades.export']({}), handlers['orders.export']({})]);
  expect(both.map(({ ok }) => ok)).toEqual([true, false]);
  // Too many pages for this store.
  expect((await handlers['orders.export']({})).ok).toBe(false);
  expect((await handlers['trades.export']({})).ok).toBe(false);
  const next = desk(1);
  expect((await next.handlers['orders.export']({})).ok).toBe(true);
});
