/** The moves of a spot wallet that were heard, as pages of a ledger that ends with its process. */
import { expect, it } from 'vitest';
import { EventLedger } from '../../../src/venues/binance/spot/event-ledger.ts';

const entry = (n: number, time = n) => ({
  ...{ id: `move ${n}`, time, asset: 'USDT', amount: '1', kind: 'transfer' as const },
});

/** All that is read from a cursor on, and the cursor after it. */
function read(ledger: EventLedger, after: string | null, since: number, limit = 3) {
  const ids: string[] = [];
  let place = after;
  for (let pages = 0; pages < 20; pages++) {
    const page = ledger.page({ after: place, since, limit });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    ids.push(...page.rows.map(({ id }) => id));
    place = page.next;
    if (!page.more) return { ids, after: place };
  }
  throw new Error('it never ends');
}

it('gives each move once, page by page, one that was told by two sockets as well', () => {
  const ledger = new EventLedger('life');
  for (const n of [1, 2, 2, 3, 4, 1, 5, 6, 7]) ledger.add(entry(n));
  const first = read(ledger, null, 0);
  expect(first.ids).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `move ${n}`));
  expect(read(ledger, first.after, 0).ids).toEqual([]);
  // One that is told late, with an older time, comes after what was given.
  ledger.add(entry(8, 2));
  expect(read(ledger, first.after, 0).ids).toEqual(['move 8']);
});

it('begins at a time without a cursor, and where the cursor is of an earlier process', () => {
  const ledger = new EventLedger('life');
  for (const n of [1, 2, 3]) ledger.add(entry(n));
  for (const after of [null, 'former 3', 'former 0', 'odd'])
    expect(read(ledger, after, 2).ids).toEqual(['move 2', 'move 3']);
});

it('keeps the newest ten thousand, and goes on behind them', () => {
  const ledger = new EventLedger('life');
  for (let n = 1; n <= 20; n++) ledger.add(entry(n));
  const { after } = read(ledger, null, 0, 100);
  for (let n = 21; n <= 10_030; n++) ledger.add(entry(n));
  const page = ledger.page({ after: null, since: 0, limit: 20_000 });
  expect([page.rows.length, page.rows[0]?.id]).toEqual([10_000, 'move 31']);
  expect(ledger.page({ after, since: 0, limit: 20_000 }).rows).toEqual(page.rows);
});
