/** What a terminal mirrors of accounts: the operator's own, and none that could not be read yet. */
import { expect, it } from 'vitest';
import { deltaOf, type StateSources } from '../../../src/desk/console/state-view.ts';
import type { DirtyMarks } from '../../../src/desk/running.ts';
import { OWNER } from '../../../src/domain/actor.ts';

const NONE: DirtyMarks = {
  orders: new Set(),
  prices: new Set(),
  portfolios: new Set(),
  positions: new Set(),
  bots: new Set(),
  instruments: new Set(),
  alerts: false,
  clock: false,
  accounts: false,
  equity: false,
  wallets: false,
  keys: false,
  vault: false,
  maintenance: false,
  log: [],
};

it.each([
  ['another user holds', 'bob', new Set<string>()],
  ['could not be read yet', OWNER, new Set(['balances'])],
])('has no figures and positions of an account that %s', (_, user, unread) => {
  const memory = {
    holder: () => user,
    account: () => {
      if (unread.size === 0) throw new Error("another user's account is looked at");
      return { unread, futures: {} };
    },
    orders: new Map([['theirs', { id: 'theirs', user: 'bob' }]]),
  };
  const sources = { core: { engine: { memory } } } as unknown as StateSources;
  const changed = new Set(['account']);
  const marks = { ...NONE, portfolios: changed, positions: changed, orders: new Set(['theirs', 'gone']) };
  expect(deltaOf(sources, marks)).toEqual({
    portfolios: {},
    futures: {},
    orders: { theirs: null, gone: null },
  });
});

it('tells of the instruments that are marked, of own accounts', () => {
  const list = (exchange: string) => ({
    instruments: new Map(['A', 'B'].map((symbol) => [symbol, { exchange, symbol }])),
  });
  const memory = { accountsOf: (user: string) => (user === OWNER ? [list('x'), list('y')] : []) };
  const sources = { core: { engine: { memory } } } as unknown as StateSources;
  const marks = { ...NONE, instruments: new Set(['y A', 'x B', 'z A']) };
  expect(deltaOf(sources, marks)).toEqual({
    instruments: [
      { exchange: 'x', symbol: 'B' },
      { exchange: 'y', symbol: 'A' },
    ],
  });
});

it.each([
  ['clock', ['clock']],
  ['accounts', ['accounts']],
  ['equity', ['equity']],
  ['keys', ['keys']],
  ['maintenance', ['maintenance']],
  ['alerts', ['alerts', 'mutes']],
] as const)('tells of what has changed and of nothing else: %s', (mark, fields) => {
  const mutes = { bots: ['b'], targets: ['bell'] };
  const memory = { accountsOf: () => [], market: () => ({}) };
  const sources = {
    core: { engine: { memory }, keys: { list: () => ['key'] }, links: new Map(), maintenance: 'closed' },
    driver: { now: () => 1 },
    feed: {},
    view: { equity: () => 'figures' },
    wall: () => 2,
    paper: () => null,
    alerts: () => [],
    mutes: () => mutes,
  } as unknown as StateSources;
  const delta = deltaOf(sources, { ...NONE, [mark]: true });
  expect(Object.keys(delta)).toEqual(fields);
  if (mark === 'alerts') expect(delta).toEqual({ alerts: [], mutes });
  if (mark === 'keys') expect(delta).toEqual({ keys: ['key'] });
  if (mark === 'maintenance') expect(delta).toEqual({ maintenance: 'closed' });
});
