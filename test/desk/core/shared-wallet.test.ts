/**
 * Accounts of one wallet: a symbol that its ledger names was traded on one of them; whichever account has
 * read the ledger, all of them ask soon.
 */
import { expect, it, onTestFinished } from 'vitest';
import { DeskCore, recentSince } from '../../../src/desk/core/desk-core.ts';
import type { ExchangeAccount, ExchangeFill } from '../../../src/domain/exchange.ts';
import type { LedgerEntry } from '../../../src/domain/ledger.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { FillsPage, FillsQuery, LedgerPage } from '../../../src/venues/venue.ts';
import { CAPS } from '../../engine/support/market.ts';
import { FakeVenue } from '../../support/fake-venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** A named symbol is asked for after two seconds, and again after thirty at the earliest. */
const SOON_MS = 2_000;
const EVERY_MS = 30_000;

class SharedVenue extends FakeVenue {
  all: ExchangeFill[] = [];
  /** Symbols that the ledger's next page names. */
  traded: string[] = [];
  asked = 0;
  isAnswering = true;
  /** Rows that each page has, wherever it begins. */
  rows: LedgerEntry[] = [];

  override async fills({ after }: FillsQuery): Promise<FillsPage | null> {
    this.asked += 1;
    if (!this.isAnswering) return null;
    const fills = this.all.slice(Number(after ?? 0));
    return { fills, next: String(this.all.length), more: false };
  }

  async ledger(): Promise<LedgerPage | null> {
    const traded = this.traded.splice(0);
    return { rows: this.rows, next: '0', more: false, ...(traded.length > 0 ? { traded } : {}) };
  }
}

const accountOf = (id: string, wallet: string): ExchangeAccount => ({
  id,
  name: id,
  kind: 'spot',
  market: `${id} market`,
  wallet,
});

function emptyStore() {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  return store;
}

/** A desk; `before`: what another one, which died, had stored. */
async function started(before?: ReturnType<typeof emptyStore>, past: readonly ExchangeFill[] = []) {
  const clock = new VirtualClock();
  const store = before ?? emptyStore();
  const caps = { ...CAPS, ownOrdersOnly: false };
  const venues = [
    accountOf('one', 'w'),
    accountOf('two', 'w'),
    accountOf('three', 'w'),
    accountOf('alone', 'x'),
  ].map((account) => Object.assign(new SharedVenue({ id: account.id }), { caps, account }));
  venues[1]?.all.push(...past);
  let ids = 0;
  const core = new DeskCore({
    store,
    clock,
    venues,
    market: () => clock.wall(),
    deferredRows: () => [],
    logFile: () => {},
    initial: store.load(recentSince(clock.wall())),
    random: { id: (length) => (++ids).toString(32).padStart(length, '0'), next: () => 0.5 },
    fatal: (reason) => {
      throw new Error(reason);
    },
  });
  let isStarted = false;
  void core.start().then(() => {
    isStarted = true;
  });
  while (!isStarted) await clock.advance(100);
  await clock.advance(10_000);
  for (const venue of venues) venue.asked = 0;
  const stored = (exchange: string) =>
    store.trades({ user: 'owner', exchange, symbol: 'BTCUSDT', limit: 500 }).map(({ tradeId }) => tradeId);
  /** An account of the wallet reads in the ledger that the symbol was traded. */
  const names = async (reader: number) => {
    const by = venues[reader];
    by?.traded.push('BTCUSDT');
    by?.sink?.ledger?.();
    await clock.settle();
  };
  /** Somebody else trades on an account, and no event reports it. */
  const trades = (at: number) => {
    const on = venues[at];
    on?.all.push({
      tradeId: `t${on.all.length + 1}`,
      clientId: 'website',
      symbol: 'BTCUSDT',
      side: 'BUY',
      price: '60000',
      qty: '0.1',
      comm: '0',
      commAsset: 'USDT',
      maker: false,
      rPnl: null,
      posSide: 'BOTH',
      time: clock.wall(),
    });
  };
  return { clock, store, venues, stored, names, trades };
}

it('a trade of another account is stored soon, and each account of the wallet has asked, no other', async () => {
  const { clock, venues, stored, names, trades } = await started();
  trades(1);
  await names(0);
  expect(stored('two')).toEqual([]);
  await clock.advance(SOON_MS + 100);
  expect(stored('two')).toEqual(['t1']);
  expect(venues.map(({ asked }) => asked)).toEqual([1, 1, 1, 0]);
});

it('is asked for no oftener than every 30 seconds, however often it is named', async () => {
  const { clock, venues, stored, names, trades } = await started();
  for (let n = 0; n < 10; n++) {
    await names(n % 3);
    await clock.advance(2_500);
  }
  expect(venues.map(({ asked }) => asked)).toEqual([1, 1, 1, 0]);
  trades(1);
  await clock.advance(EVERY_MS - 25_000 + SOON_MS);
  expect(stored('two')).toEqual(['t1']);
  expect(venues[2]?.asked).toBe(2);
  await clock.advance(2 * EVERY_MS);
  expect(venues[2]?.asked).toBe(2);
});

it('one that is not answered is asked again by a comparison that comes soon', async () => {
  const { clock, venues, stored, names, trades } = await started();
  const two = venues[1];
  if (two) two.isAnswering = false;
  trades(1);
  await names(0);
  await clock.advance(SOON_MS + 100);
  if (two) two.isAnswering = true;
  await clock.advance(5_000);
  expect(stored('two')).toEqual(['t1']);
});

it('one that was named just before the desk died is asked for by its next start: the ledger names it no more', async () => {
  const { store, venues, stored, names, trades } = await started();
  trades(1);
  await names(0);
  expect(stored('two')).toEqual([]);
  const again = await started(store, venues[1]?.all);
  expect(again.stored('two')).toEqual(['t1']);
});

it('a row of its ledger counts once, whichever of its accounts is told it again', async () => {
  const { clock, store, venues, names } = await started();
  const row = { id: 'e1', time: clock.wall(), asset: 'USDT', amount: '5', kind: 'transfer' } as const;
  for (const venue of venues.slice(0, 3)) {
    venue.rows = [row];
    venue.answers.balances = async () => [{ asset: 'USDT', free: '100005', locked: '0' }];
  }
  for (const reader of [0, 1, 2, 1]) await names(reader);
  for (const venue of venues) venue.sink?.stream('gap');
  await clock.advance(60_000);
  const rows = (wallet: string) =>
    store
      .ledger({ user: 'owner', exchange: wallet, limit: 50 })
      .rows.map(({ asset, amount, kind }) => `${asset} ${amount} ${kind}`)
      .reverse();
  expect(rows('w')).toEqual(['USDT 100000 opening', 'USDT 5 transfer']);
  expect(rows('x')).toEqual(['USDT 100000 opening']);
});
