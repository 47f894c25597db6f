/**
 * The holdings of a paper account were bought at the prices of one market, and are never carried to those of
 * another.
 */
import { expect, it } from 'vitest';
import { keptInstruments } from '../../../src/desk/core/known-accounts.ts';
import { claimSources, type Mirrors } from '../../../src/desk/paper/mirrors.ts';
import { DeskStartError } from '../../../src/desk/start-error.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { PAPER_FUTURES, PAPER_SPOT } from '../../../src/venues/paper/accounts.ts';
import { BTC } from '../../engine/support/market.ts';
import { order } from '../../store/rows.ts';
import { afterEachTest } from '../../support/after-each.ts';

const BOTH = [PAPER_SPOT, PAPER_FUTURES];
const open: { close(): void }[] = [];
afterEachTest(() => {
  for (const store of open.splice(0)) store.close();
});

function folder(rows: readonly Row[] = []) {
  const store = openSqliteStore(':memory:');
  open.push(store);
  store.commit(rows);
  /** Starts at the prices of a venue; null: at its own. */
  const start = (venue: string | null, accounts: readonly ExchangeAccount[] = BOTH) => {
    const marketOf = ({ kind }: ExchangeAccount) => ({ market: `${venue}-${kind}` });
    const mirrors = venue && {
      feed: venue,
      marketOf: (id: string) => marketOf(BOTH.find((one) => one.id === id) as ExchangeAccount),
    };
    return claimSources(store, store.load(0), accounts, mirrors as unknown as Mirrors | null);
  };
  return { store, start };
}

const POSITION: Row = {
  kind: 'paper',
  table: 'futures.position',
  id: 'BTCUSDT BOTH',
  doc: { amount: '1' },
};
const running = (exchange: string): Row =>
  ({
    kind: 'run',
    run: { runId: 'r1', botId: 'b1', exchange, state: '{}', endedAt: null },
  }) as unknown as Row;
const resting = (exchange: string): Row => ({
  kind: 'order',
  order: order('o1', { exchange, status: 'OPENED' }),
});
const ended = (exchange: string): Row => ({
  kind: 'order',
  order: order('o2', { exchange, status: 'CANCELLED', phase: 'done' }),
});

it.each([
  ['an open order', PAPER_SPOT, resting(PAPER_SPOT.id), '1 open order'],
  ['a position', PAPER_FUTURES, POSITION, '1 position'],
  ['a running bot', PAPER_FUTURES, running(PAPER_FUTURES.id), '1 running bot'],
])('with %s an account stays at its prices, and the start says so', (_, account, row, words) => {
  const { start } = folder([row]);
  expect(() => start('binance')).toThrow(DeskStartError);
  expect(() => start('binance')).toThrow(
    `${account.id} trades at generated or replayed prices and has ${words}: start without --feed binance`,
  );
  expect(start(null).meta.size).toBe(0);
  // The other account may change its market.
  const other = BOTH.filter(({ id }) => id !== account.id);
  expect([...start('binance', other).meta.keys()]).toContain('paper-sources');
});

it('what has ended keeps no account where it is', () => {
  const { start } = folder([ended(PAPER_SPOT.id), ended(PAPER_FUTURES.id)]);
  expect(start('binance').meta.get('paper-sources')).toEqual({
    'paper-spot': { market: 'binance-spot', feed: 'binance' },
    'paper-futures': { market: 'binance-futures', feed: 'binance' },
  });
});

it('a start at the same prices changes nothing; one at others forgets what was traded at those before', () => {
  const { store, start } = folder();
  start('binance');
  store.commit([{ kind: 'meta', name: `instruments ${PAPER_SPOT.id}`, value: [BTC] }]);
  const same = start('binance');
  expect(keptInstruments(same.meta, PAPER_SPOT.id)).toHaveLength(1);
  store.commit([POSITION]);
  expect(start('binance').meta.get('paper-sources')).toEqual(same.meta.get('paper-sources'));
  for (const other of ['okx', null])
    expect(() => start(other)).toThrow(
      'paper-futures trades at the prices of binance-futures and has 1 position: start with --feed binance',
    );
  store.commit([{ ...POSITION, doc: null } as Row]);
  const moved = start('okx');
  expect(keptInstruments(moved.meta, PAPER_SPOT.id)).toEqual([]);
  expect(store.load(0).meta.get('paper-sources')).toEqual(moved.meta.get('paper-sources'));
  expect(start(null).meta.get('paper-sources')).toEqual({
    'paper-spot': { market: 'paper', feed: '' },
    'paper-futures': { market: 'paper', feed: '' },
  });
});
