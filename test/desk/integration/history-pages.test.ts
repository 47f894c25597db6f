/** Orders and trades with the same time on both sides of a page's edge: none is lost, none comes twice. */
import { describe, expect, it } from 'vitest';
import { EXCHANGE, flat, ok, openTestDesk, place, type TestDesk, writeCandles } from './support.ts';

const COUNT = 7;

async function opened(): Promise<TestDesk> {
  const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: flat('60000', 60) }), hold: true });
  for (let n = 0; n < 4; n++) await t.call('feed.control', { action: 'step' });
  return t;
}

/** Ids of all pages, one after the other, and the times by which they are sorted. */
async function pages<T>(
  read: (before: string | undefined) => Promise<{ rows: readonly T[]; next: string | null }>,
) {
  const all: T[] = [];
  let before: string | undefined;
  do {
    const { rows, next } = await read(before);
    all.push(...rows);
    before = next ?? undefined;
  } while (before !== undefined);
  return all;
}

describe.each([1, 2, 3])('read %d at a time', (limit) => {
  it('orders that ended in one millisecond come once each', async () => {
    const t = await opened();
    const ids: string[] = [];
    for (let n = 0; n < COUNT; n++) {
      const { id } = await place(t, {
        exchange: EXCHANGE,
        side: 'BUY',
        type: 'LIMIT',
        price: '50000',
        quantity: '0.01',
      });
      ids.push(id);
    }
    for (const { outcome } of await t.call('orders.cancelAll', { ids })) ok(outcome);
    const ended = await pages(async (before) => {
      const { orders, next } = await t.call('orders.closed', { limit, ...(before && { before }) });
      return { rows: orders, next };
    });
    expect(ended.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(new Set(ended.map(({ updatedAt }) => updatedAt)).size).toBe(1);
  });

  it('rows of a ledger of one millisecond come once each', async () => {
    const t = await opened();
    for (let n = 1; n <= COUNT; n++)
      ok(await t.call('paper.balance', { exchange: EXCHANGE, asset: 'BTC', amount: `${n}00` }));
    const read = () =>
      pages((before) => t.call('portfolio.ledger', { exchange: EXCHANGE, limit, ...(before && { before }) }));
    const paid = (await read()).filter(({ kind }) => kind === 'transfer');
    expect(new Set(paid.map(({ id }) => id)).size).toBe(COUNT);
    expect(paid).toHaveLength(COUNT);
  });

  it('trades of one millisecond come once each', async () => {
    const t = await opened();
    for (let n = 0; n < COUNT; n++)
      await place(t, { exchange: EXCHANGE, side: 'BUY', type: 'MARKET', quantity: '0.01' });
    const trades = await pages(async (before) => {
      const page = await t.call('trades.page', { limit, ...(before && { before }) });
      return { rows: page.trades, next: page.next };
    });
    expect(new Set(trades.map(({ tradeId }) => tradeId)).size).toBe(COUNT);
    expect(trades).toHaveLength(COUNT);
    expect(new Set(trades.map(({ time }) => time)).size).toBe(1);
  });
});
