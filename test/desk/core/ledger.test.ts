/**
 * The ledger of an account: the opening, changes that are neither fill nor opening, and unexplained
 * differences. Each row once, although messages are repeated, fail, lag or are lost with a process.
 */
import { describe, expect, it } from 'vitest';
import { LEDGER_LIMIT, LEDGER_OVERLAP_MS, LEDGER_PAGES_MAX } from '../../../src/desk/core/ledger-reader.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import {
  Books,
  bought,
  compare,
  ledgerRig,
  linesOf,
  rowsOf,
  shown,
  startedOn,
  unexplained,
} from './ledger-rig.ts';
import { LinkRig, positionOf } from './link-rig.ts';

const ledgerOf = (rig: LinkRig) => rig.core.engine.memory.account(rig.venue.account.id).wallet.ledger;

describe('the opening', () => {
  it('is what wallets and positions are when the account is first connected', async () => {
    const books = new Books();
    const rig = ledgerRig(books, { kind: 'futures' });
    rig.venue.positionsAre = async () => [positionOf('BTCUSDT', '-0.4', 1)];
    await rig.until(rig.core.start());
    await rig.clock.advance(5_000);
    expect(rowsOf(rig).map(shown).sort()).toEqual(['BTC -0.4 position', 'USDT 100000 opening']);
    expect(ledgerOf(rig)?.sums.get('BTC')).toBeUndefined();
  });

  it('knows of what moved a wallet before the account was first connected: that is no change', async () => {
    const books = new Books();
    books.pay('USDT', 50);
    const rig = ledgerRig(books);
    await rig.clock.advance(100_000);
    await rig.until(rig.core.start());
    await rig.clock.advance(5_000);
    expect(rowsOf(rig).map(shown)).toEqual(['USDT 100050 opening']);
    expect(books.asked[0]).toMatchObject({ after: null, limit: LEDGER_LIMIT });
    expect(books.asked[0]?.since).toBe(rig.clock.wall() - 5_000 - LEDGER_OVERLAP_MS);
  });

  it('is of one moment: what moves between two comparisons puts it off', async () => {
    const books = new Books();
    const rig = ledgerRig(books);
    await rig.until(rig.core.start());
    books.pay('USDT', 7, { time: rig.clock.wall() });
    expect(rowsOf(rig)).toEqual([]);
    await rig.clock.advance(10_000);
    expect(rowsOf(rig).map(shown).sort()).toEqual(['USDT 100000 opening', 'USDT 7 transfer']);
  });

  it('is written once: a restart goes on with it', async () => {
    const store = openSqliteStore(':memory:');
    const books = new Books();
    const first = await startedOn(books, { store });
    await first.core.stop();
    books.pay('USDT', 3);
    const rig = await startedOn(books, { store });
    expect(rowsOf(rig).map(shown).sort()).toEqual(['USDT 100000 opening', 'USDT 3 transfer']);
  });

  it('is none where the exchange tells no ledger', async () => {
    const rig = await LinkRig.started();
    rig.venue.balancesAre = async () => [{ asset: 'USDT', free: '7', locked: '0' }];
    await compare(rig);
    expect(rowsOf(rig)).toEqual([]);
    expect(linesOf(rig)).toEqual([]);
  });
});

describe('what moves a wallet', () => {
  it('is read after each comparison and on its event, once, with the place after it', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    books.pay('USDT', -20);
    rig.venue.sink?.ledger?.();
    await rig.clock.settle();
    expect(rowsOf(rig).map(shown).sort()).toEqual(['USDT -20 transfer', 'USDT 100000 opening']);
    books.pay('BNB', 2);
    await compare(rig);
    expect(rowsOf(rig).map(shown).sort()).toContain('BNB 2 transfer');
    expect(books.asked.at(-1)?.after).toBe('1');
    expect(unexplained(rig)).toEqual([]);
  });

  it('is asked for again soon where the question that its event led to has failed', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    await compare(rig);
    books.pay('USDT', -20);
    const { told } = books;
    books.told = () => null;
    rig.venue.sink?.ledger?.();
    await rig.clock.settle();
    books.told = told;
    expect(rowsOf(rig)).toHaveLength(1);
    await rig.clock.advance(1_000);
    expect(rowsOf(rig).map(shown)).toContain('USDT -20 transfer');
  });

  it('is read page by page, each stored before the next is asked for, and goes on there after a crash', async () => {
    const store = openSqliteStore(':memory:');
    const books = new Books();
    const first = await startedOn(books, { store });
    books.page = 2;
    for (let n = 1; n <= 5; n++) books.pay('USDT', n);
    // The third page is never answered, and the process dies.
    const stored: number[] = [];
    books.told = (page, { after }) => {
      stored.push(rowsOf(first).length - 1);
      return after === '4' ? null : page;
    };
    first.venue.sink?.ledger?.();
    await first.clock.settle();
    expect(stored).toEqual([0, 2, 4]);
    books.told = (page) => page;
    books.asked.length = 0;
    const rig = await startedOn(books, { store });
    expect(books.asked[0]?.after).toBe('4');
    expect(rowsOf(rig).map(({ amount }) => amount)).toHaveLength(6);
    expect(unexplained(rig)).toEqual([]);
  });

  it('counts once, however often it is told: in a page, in another one, after a restart', async () => {
    const store = openSqliteStore(':memory:');
    const books = new Books();
    books.told = (page) => ({ ...page, rows: [...books.entries.slice(0, 3), ...page.rows, ...page.rows] });
    const first = await startedOn(books, { store });
    for (let n = 1; n <= 4; n++) books.pay('USDT', n);
    await compare(first);
    await compare(first);
    const rig = await startedOn(books, { store });
    await compare(rig);
    expect(rowsOf(rig).map(shown).sort()).toEqual([
      'USDT 1 transfer',
      'USDT 100000 opening',
      'USDT 2 transfer',
      'USDT 3 transfer',
      'USDT 4 transfer',
    ]);
    expect(ledgerOf(rig)?.sums.get('USDT')).toBe(dec('100010'));
  });

  it('is found again where the exchange has forgotten the place: from the first connection on', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    for (let n = 1; n <= 3; n++) books.pay('USDT', n, { time: rig.clock.wall() });
    await compare(rig);
    books.pay('USDT', 4, { time: rig.clock.wall() });
    books.told = (_, { since }) => ({
      rows: books.entries.filter(({ time }) => time >= since),
      next: 'another',
      more: false,
    });
    await compare(rig);
    expect(rowsOf(rig)).toHaveLength(5);
    expect(unexplained(rig)).toEqual([]);
  });

  it('is bounded: pages that never end, or lead nowhere, end', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    books.asked.length = 0;
    books.told = (page) => ({ ...page, more: true });
    rig.venue.sink?.ledger?.();
    await rig.clock.settle();
    expect(books.asked).toHaveLength(1);
    let n = 0;
    books.told = () => ({ rows: [], next: `place ${++n}`, more: true });
    books.asked.length = 0;
    rig.venue.sink?.ledger?.();
    await rig.clock.settle();
    expect(books.asked.length).toBe(LEDGER_PAGES_MAX);
  });

  it('leaves its sums in memory and no rows', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    for (let n = 1; n <= 3_000; n++) books.pay('USDT', 1);
    await compare(rig);
    expect(rig.store.ledger({ user: 'owner', exchange: 'said-spot', limit: 5_000 }).rows).toHaveLength(3_001);
    expect([...(ledgerOf(rig)?.sums.keys() ?? [])]).toEqual(['USDT']);
    expect(ledgerOf(rig)?.suspects.size).toBe(0);
  });
});

describe('what nothing explains', () => {
  it('is one row and one line, with account, asset and amount, and never twice', async () => {
    const store = openSqliteStore(':memory:');
    const books = new Books();
    const first = await startedOn(books, { store });
    books.pay('USDT', -12.5, { hidden: true });
    await compare(first);
    expect(unexplained(first)).toMatchObject([{ exchange: 'said-spot', asset: 'USDT', amount: '-12.5' }]);
    expect(linesOf(first)).toMatchObject([{ level: 'warn', source: 'exchange' }]);
    expect(linesOf(first)[0]?.text).toContain('said-spot: the USDT wallet has -12.5');
    await compare(first);
    await first.core.stop();
    const rig = await startedOn(books, { store });
    await compare(rig);
    expect(unexplained(rig)).toHaveLength(1);
    // A second change of the same amount is a second difference.
    books.pay('USDT', -12.5, { hidden: true });
    await compare(rig);
    expect(unexplained(rig)).toHaveLength(2);
  });

  it('is found of an asset that was not there at the opening', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    books.pay('DOGE', 40, { hidden: true });
    await compare(rig);
    expect(unexplained(rig).map(shown)).toEqual(['DOGE 40 unexplained']);
  });

  it('is nothing while the ledger cannot be read: a failed question proves nothing, and is asked again', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    books.pay('USDT', 9);
    books.told = () => null;
    await compare(rig);
    await rig.clock.advance(3_600_000);
    expect(unexplained(rig)).toEqual([]);
    books.told = (page) => page;
    await compare(rig);
    expect(rowsOf(rig).map(shown)).toContain('USDT 9 transfer');
    expect(unexplained(rig)).toEqual([]);
  });

  it('is nothing before replicas cannot lag any more: a row may come later than the balance that knows of it', async () => {
    const books = new Books();
    const rig = await startedOn(books, { caps: { settleMs: 4_000 } });
    await compare(rig);
    expect(rowsOf(rig)).toHaveLength(1);
    books.pay('USDT', 9);
    const at = rig.clock.monotonic();
    books.told = (page, { after }) =>
      rig.clock.monotonic() < at + 3_900 ? { rows: [], next: after, more: false } : page;
    void rig.link.reconcile();
    await rig.clock.advance(20_000);
    expect(unexplained(rig)).toEqual([]);
    expect(rowsOf(rig).map(shown)).toContain('USDT 9 transfer');
  });

  it('is nothing where a balance is older than the executions that are known', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    const before = new Map(books.wallets);
    const fill = bought(books, 't1', rig.clock.wall());
    const { balancesAre } = rig.venue;
    rig.venue.balancesAre = async () =>
      [...before].map(([asset, n]) => ({ asset, free: String(n), locked: '0' }));
    rig.venue.sink?.fill(fill);
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(900);
    rig.venue.balancesAre = balancesAre;
    await rig.clock.advance(60_000);
    expect(unexplained(rig)).toEqual([]);
    expect(ledgerOf(rig)?.suspects.size).toBe(0);
  });

  it('is no execution that no event has told: it is asked for', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    const fill = bought(books, 't1', rig.clock.wall());
    rig.venue.fillsAre = async () => [fill];
    await compare(rig);
    expect(unexplained(rig)).toEqual([]);
    expect(rig.orders.map(({ executedQty }) => executedQty)).toEqual(['0.1']);
  });

  it('is no execution that is told later than the balance which knows of it: it is asked for once more', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    const fill = bought(books, 't1', rig.clock.wall());
    let asked = 0;
    rig.venue.fillsAre = async () => (++asked === 1 ? [] : [fill]);
    void rig.link.reconcile();
    await rig.clock.advance(20_000);
    expect(unexplained(rig)).toEqual([]);
    expect(ledgerOf(rig)?.sums.get('BTC')).toBe(dec('0.1'));
    // Once its order is known to have ended, the comparison is possible: its fee is part of the sum.
    const { clientId, symbol, time } = fill;
    const qty = { origQty: '0.1', cumQty: '0.1' };
    rig.venue.sink?.order({ clientId, symbol, status: 'FILLED', ...qty, seq: time + 1, time });
    await compare(rig);
    expect(ledgerOf(rig)?.asking.size).toBe(0);
    expect(ledgerOf(rig)?.unsure).toBe(false);
    expect(unexplained(rig)).toEqual([]);
    expect(ledgerOf(rig)?.sums.get('USDT')).toBe(dec('93998'));
  });

  it('is nothing while an order is asked about', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    await rig.until(rig.place());
    // The order has filled, and no event reports its executions: the list of open orders leads to a request
    // that fails.
    bought(books, 't1');
    await compare(rig);
    expect(unexplained(rig)).toEqual([]);
  });

  it('is nothing of what is in a page that could not be stored', async () => {
    const books = new Books();
    const rig = await startedOn(books);
    const { commit } = rig.store;
    let failing = 1;
    rig.store.commit = (rows) => {
      if (rows.some(({ kind }) => kind === 'ledger') && failing-- > 0) throw new Error('the disk is full');
      commit.call(rig.store, rows);
    };
    books.pay('USDT', 9);
    await compare(rig);
    expect(failing).toBeLessThan(1);
    expect(rowsOf(rig).map(shown).sort()).toEqual(['USDT 100000 opening', 'USDT 9 transfer']);
    expect(unexplained(rig)).toEqual([]);
  });
});

it('executions that an exchange names in its ledger alone are read: a position that others have opened and closed while nobody listened', async () => {
  const books = new Books();
  const rig = await startedOn(books, { kind: 'futures' });
  const { BTC: _, ...fill } = { ...bought(books, 't1', rig.clock.wall()), BTC: 0 };
  const alone = { ...fill, rPnl: '-6000', clientId: 'website', venueId: '77' };
  rig.venue.fillsAre = async () => [alone];
  books.told = (page) => ({ ...page, traded: [fill.symbol, 'NOSUCH'] });
  books.wallets.delete('BTC');
  await compare(rig);
  await rig.clock.advance(120_000);
  expect(rig.store.orderFills('website').map(({ tradeId }) => tradeId)).toEqual(['t1']);
  expect(unexplained(rig)).toEqual([]);
});
