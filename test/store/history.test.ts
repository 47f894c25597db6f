/**
 * Fills, ledger and stops in the order of their times: read page by page nothing is left out and nothing
 * comes twice, whatever the times and page sizes.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PNL_PAGE, WalletRows } from '../../src/desk/pnl/wallet-rows.ts';
import type { LedgerRecord } from '../../src/domain/ledger.ts';
import type { FillRecord, OrderRecord } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';

const base = {
  side: 'BUY',
  price: '1',
  qty: '1',
  comm: '0',
  commAsset: 'USDT',
  maker: false,
  rPnl: null,
} as const;
const fill = (n: number, exchange: string, time: number): FillRecord => ({
  ...base,
  exchange,
  tradeId: `${n}`,
  orderId: `o${n % 3}`,
  user: 'owner',
  symbol: `S${n % 2}`,
  time,
  posSide: 'BOTH',
});
const entry = (n: number, time: number, isOpening: boolean): LedgerRecord => ({
  exchange: 'wallet',
  user: 'owner',
  time,
  asset: `A${n}`,
  amount: '1',
  ...(isOpening ? { id: `desk opening A${n}`, kind: 'opening' } : { id: `${n}`, kind: 'transfer' }),
});

const drawn = fc.array(
  fc.record({
    what: fc.constantFrom('one', 'two', 'ledger', 'opening', 'foreign'),
    time: fc.integer({ min: 0, max: 5 }),
  }),
  { maxLength: 30 },
);

it('a wallet’s rows come by time, those of one moment as they were stored, openings apart', () => {
  fc.assert(
    fc.property(drawn, fc.integer({ min: 1, max: 3 }), (draws, page) => {
      const store = openSqliteStore(':memory:');
      const rows = draws.map(({ what, time }, n): Row => {
        if (what === 'ledger' || what === 'opening')
          return { kind: 'ledger', record: entry(n, time, what === 'opening') };
        return { kind: 'fill', fill: fill(n, what, time) };
      });
      for (const row of rows) store.commit([row]);
      const small = (q: { limit: number }) => ({ limit: Math.min(q.limit, page) });
      const read = new WalletRows({
        user: 'owner',
        wallet: 'wallet',
        accounts: ['one', 'two'],
        store: {
          openings: (q) => store.openings(q),
          stopsPlaced: (q) => store.stopsPlaced(q),
          fillsFrom: (q) => store.fillsFrom({ ...q, ...small(q) }),
          ledgerFrom: (q) => store.ledgerFrom({ ...q, ...small(q) }),
        },
      });
      const found: string[] = [];
      for (let row = read.next(); row; row = read.next())
        found.push('record' in row ? row.record.id : row.fill.fill.tradeId);
      const own = draws.map(({ what, time }, n) => ({ what, time, n }));
      const wanted = own
        .filter(({ what }) => what !== 'foreign' && what !== 'opening')
        .sort((a, b) => a.time - b.time);
      // Ledger rows of the same moment are ordered by their ids only.
      const words = (list: readonly string[]) => list.toSorted();
      expect(words(found)).toEqual(words(wanted.map(({ n }) => `${n}`)));
      const kinds = found.map((id) => draws[Number(id)]);
      expect(kinds.map((one) => one?.time)).toEqual(wanted.map(({ time }) => time));
      for (const [at, id] of found.entries()) {
        const after = found.slice(at + 1);
        for (const other of after) {
          const [a, b] = [draws[Number(id)], draws[Number(other)]];
          const both = a?.what === 'ledger' && b?.what === 'ledger';
          if (a?.time === b?.time && !both) expect(Number(id)).toBeLessThan(Number(other));
        }
      }
      expect(read.openings).toHaveLength(own.filter(({ what }) => what === 'opening').length);
      store.close();
    }),
    { numRuns: 25 },
  );
});

it('trades of one symbol and moment come in the order of their ids, also where one was told late and a page ends between them', () => {
  const store = openSqliteStore(':memory:');
  const at = (n: number, time: number) => store.commit([{ kind: 'fill', fill: fill(n, 'one', time) }]);
  for (let n = 0; n < PNL_PAGE - 2; n++) at(n, 1);
  for (const n of [1004, 1001, 1008, 1000, 1002]) at(n, 2);
  store.commit([{ kind: 'fill', fill: { ...fill(1012, 'one', 2), tradeId: 'none' } }]);
  at(1003, 3);
  const rows = new WalletRows({ store, user: 'owner', wallet: 'wallet', accounts: ['one'] });
  const found: string[] = [];
  for (let row = rows.next(); row; row = rows.next())
    if ('fill' in row && row.fill.fill.time > 1) found.push(row.fill.fill.tradeId);
  // One id of S0 is not a number: the fills of that moment stay in the order in which they were stored.
  expect(found).toEqual(['1004', '1001', '1008', '1000', '1002', 'none', '1003']);
  store.close();
  const other = openSqliteStore(':memory:');
  for (let n = 0; n < PNL_PAGE - 2; n++) other.commit([{ kind: 'fill', fill: fill(n, 'one', 1) }]);
  // The order is by number, not by digits.
  for (const n of [1004, 1001, 1008, 998, 10_000, 1000, 1002])
    other.commit([{ kind: 'fill', fill: fill(n, 'one', 2) }]);
  const again = new WalletRows({ store: other, user: 'owner', wallet: 'wallet', accounts: ['one'] });
  const seen: string[] = [];
  for (let row = again.next(); row; row = again.next())
    if ('fill' in row && row.fill.fill.time > 1) seen.push(row.fill.fill.tradeId);
  expect(seen).toEqual(['998', '1001', '1000', '1002', '1004', '1008', '10000']);
  other.close();
});

it('a position that was set comes after the trades that had been stored by then, though its market’s time was behind theirs', () => {
  const store = openSqliteStore(':memory:');
  const record = { ...entry(7, 5, false), kind: 'position', symbol: 'S0' } as const;
  store.commit([{ kind: 'fill', fill: fill(0, 'one', 4) }]);
  store.commit([{ kind: 'fill', fill: fill(1, 'one', 9) }]);
  store.commit([{ kind: 'ledger', record }]);
  store.commit([{ kind: 'fill', fill: fill(2, 'one', 9) }]);
  const rows = new WalletRows({ store, user: 'owner', wallet: 'wallet', accounts: ['one'] });
  const found: string[] = [];
  for (let row = rows.next(); row; row = rows.next())
    found.push('record' in row ? 'position' : row.fill.fill.tradeId);
  expect(found).toEqual(['0', '1', 'position', '2']);
  // Also before a row of the same moment that was stored later and has a smaller id.
  store.commit([{ kind: 'ledger', record: entry(1, 5, false) }]);
  const again = new WalletRows({ store, user: 'owner', wallet: 'wallet', accounts: ['one'] });
  const ids: string[] = [];
  for (let row = again.next(); row; row = again.next()) if ('record' in row) ids.push(row.record.id);
  expect(ids).toEqual(['7', '1']);
  store.close();
});

it('a position of the opening comes where its exchange says that it was so, whenever executions and rows were told', () => {
  const store = openSqliteStore(':memory:');
  const record = (id: string, asOf: number): LedgerRecord => {
    const of = { exchange: 'wallet', user: 'owner', time: 8, asset: id, amount: '1', symbol: id } as const;
    return { ...of, id: `desk position ${id} BOTH`, kind: 'position', asOf };
  };
  const tell = (n: number, time: number) => store.commit([{ kind: 'fill', fill: fill(n, 'one', time) }]);
  tell(0, 4);
  tell(1, 7);
  for (const [id, asOf] of Object.entries({ S0: 5, S1: 2, S2: 9 }))
    store.commit([{ kind: 'ledger', record: record(id, asOf) }]);
  // Both fills come late: the first is in the position already, the second came after it.
  tell(2, 5);
  tell(3, 6);
  for (const [n, time] of Object.entries({ 4: 9, 5: 8 }))
    store.commit([{ kind: 'ledger', record: entry(Number(n), time, false) }]);
  const rows = new WalletRows({ store, user: 'owner', wallet: 'wallet', accounts: ['one'] });
  const found: [string, number][] = [];
  for (let row = rows.next(); row; row = rows.next())
    if ('fill' in row) found.push([row.fill.fill.tradeId, row.fill.fill.time]);
    else found.push([row.record.symbol ?? row.record.id, row.record.time]);
  // A position from before all rows counts as of the first of them.
  const wanted = [
    ['S1', 4],
    ['0', 4],
    ['2', 5],
    ['S0', 5],
    ['3', 6],
    ['1', 7],
    ['5', 8],
    ['S2', 9],
    ['4', 9],
  ];
  expect(found).toEqual(wanted);
  expect([rows.openings, rows.firstAt()]).toEqual([[], 4]);
  store.close();
});

it('where a market stands still, a position of the opening comes after those of its moment that had been stored by then', () => {
  for (const isKnown of [true, false]) {
    const store = openSqliteStore(':memory:');
    const tell = (n: number) => store.commit([{ kind: 'fill', fill: fill(n, 'one', 5) }]);
    const of = { exchange: 'wallet', user: 'owner', time: 5, asset: 'S0', amount: '1' } as const;
    const position = { symbol: 'S0', posSide: 'BOTH', cost: '1', asOf: 5 } as const;
    // A fill of another symbol, which has no influence, and the position's own last fill.
    tell(1);
    if (isKnown) tell(2);
    store.commit([
      { kind: 'ledger', record: { ...of, ...position, id: 'desk position S0', kind: 'position' } },
    ]);
    // A later fill, or the position's last one itself, received late.
    tell(4);
    const rows = new WalletRows({ store, user: 'owner', wallet: 'wallet', accounts: ['one'] });
    const found: string[] = [];
    for (let row = rows.next(); row; row = rows.next())
      found.push('record' in row ? 'position' : row.fill.fill.tradeId);
    expect(found).toEqual(isKnown ? ['1', '2', 'position', '4'] : ['1', '4', 'position']);
    store.close();
  }
});

it('rows that are stored while others are read come as well', () => {
  const store = openSqliteStore(':memory:');
  store.commit([{ kind: 'fill', fill: fill(0, 'one', 1) }]);
  const rows = new WalletRows({ store, user: 'owner', wallet: 'wallet', accounts: ['one', 'two'] });
  expect(rows.firstAt()).toBe(1);
  expect(rows.next()).not.toBeNull();
  store.commit([
    { kind: 'fill', fill: fill(1, 'two', 2) },
    { kind: 'ledger', record: entry(2, 3, false) },
  ]);
  expect(rows.next()).toMatchObject({ fill: { fill: { tradeId: '1' } } });
  expect(rows.next()).toMatchObject({ record: { id: '2' } });
  expect(rows.next()).toBeNull();
});

it('a fill comes with who has placed its order; stops by when they were placed', () => {
  const store = openSqliteStore(':memory:');
  const order = (id: string, orderTime: number, more: Partial<OrderRecord> = {}): OrderRecord =>
    ({
      id,
      user: 'owner',
      exchange: 'one',
      symbol: 'S0',
      side: 'SELL',
      type: 'STOP_MARKET',
      status: 'CANCELLED',
      creator: 'BOT',
      creatorId: 'b1',
      orderTime,
      updatedAt: 1,
      endedAt: 1,
      stopPrice: '9',
      ...more,
    }) as OrderRecord;
  const orders = [order('a', 5), order('b', 2), order('c', 9), order('d', 3, { exchange: 'two' })];
  const { stopPrice: _, ...plain } = order('o0', 4);
  for (const each of [...orders, plain]) store.commit([{ kind: 'order', order: each }]);
  store.commit([
    { kind: 'fill', fill: fill(0, 'one', 1) },
    { kind: 'fill', fill: fill(1, 'one', 2) },
  ]);
  const found = store.fillsFrom({ user: 'owner', exchange: 'one', after: null, limit: 9 });
  expect(found.map(({ creator, creatorId }) => [creator, creatorId])).toEqual([
    ['BOT', 'b1'],
    [null, null],
  ]);
  const asked = { user: 'owner', exchange: 'one', symbol: 'S0', from: 2, to: 8 };
  expect(store.stopsPlaced({ ...asked, limit: 5 }).map(({ id }) => id)).toEqual(['b', 'a']);
  expect(store.stopsPlaced({ ...asked, limit: 1 }).map(({ id }) => id)).toEqual(['b']);
});

it('rows of the ledger of one moment come all of them, also where a page ends between them', () => {
  const store = openSqliteStore(':memory:');
  const all = PNL_PAGE + 5;
  for (let n = 0; n < all; n++)
    store.commit([{ kind: 'ledger', record: entry(n, n < PNL_PAGE - 2 ? 1 : 2, false) }]);
  const rows = new WalletRows({ store, user: 'owner', wallet: 'wallet', accounts: [] });
  const found: string[] = [];
  for (let row = rows.next(); row; row = rows.next()) if ('record' in row) found.push(row.record.id);
  expect([found.length, new Set(found).size]).toEqual([all, all]);
  store.close();
});
