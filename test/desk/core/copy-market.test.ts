/**
 * What a reloaded engine takes over: everything that came from outside, for every account and every market.
 */
import { expect, it } from 'vitest';
import { copyMarket } from '../../../src/desk/core/copy-market.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { ExchangeAccount, ExchangeFill } from '../../../src/domain/exchange.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { BTC, CAPS, ETH } from '../../engine/support/market.ts';
import { positionOf } from './link-rig.ts';

const SPOT: ExchangeAccount = { id: 'a-spot', name: 'A', kind: 'spot', market: 'live-a' };
const FIRST: ExchangeAccount = { id: 'a-futures', name: 'A', kind: 'futures', market: 'live-a' };
const SECOND: ExchangeAccount = {
  id: 'b-futures',
  name: 'B',
  kind: 'futures',
  market: 'live-b',
  user: 'ann',
};

function engineOf(accounts: readonly ExchangeAccount[]): Engine {
  const engine = new Engine();
  for (const account of accounts) engine.memory.addAccount(account, CAPS, [BTC, ETH]);
  return engine;
}

const fill = (clientId: string, time: number): ExchangeFill => ({
  tradeId: clientId,
  clientId,
  symbol: 'BTCUSDT',
  side: 'SELL',
  price: '90',
  qty: '1',
  comm: '0',
  commAsset: 'USDT',
  maker: false,
  rPnl: null,
  posSide: 'BOTH',
  time,
});

/** Gives the engine a different value of everything, by `n`. */
function hear(engine: Engine, account: ExchangeAccount, n: number): void {
  const memory = engine.memory.account(account.id);
  const {
    market,
    futures,
    wallet: { untold, versions },
  } = memory;
  market.prices.set('BTCUSDT', dec(`${100 + n}`));
  market.prices.set('ETHUSDT', dec(`${10 + n}`));
  market.marks.set('BTCUSDT', dec(`${101 + n}`));
  market.setStale('BTCUSDT', `why ${n}`);
  market.ahead.told('ETHUSDT', dec('10'), 1_000);
  market.ahead.filled({ ...fill('f', 5_000 + n), symbol: 'ETHUSDT' }, dec('10'));
  engine.memory.parked.push({
    exchange: account.id,
    fill: fill(`p${n}`, 1),
    asked: false,
    until: n,
    since: 0,
    unanswered: [],
  });
  Object.assign(memory.link, { up: n % 2 === 0, gap: n % 2 === 1 });
  memory.since = 7_000 + n;
  memory.fees = { maker: `0.000${n}`, taker: `0.001${n}` };
  memory.moved.assets.add(`ASSET${n}`);
  memory.moved.symbols.add(`SYMBOL${n}`);
  memory.unread.delete('balances');
  for (let event = 0; event < n + 2; event++) versions.takes('USDT', { time: 50 + event });
  versions.undecided = n + 1;
  memory.wallet.balances.set('USDT', { free: dec(`${n}.5`), locked: dec('1') });
  memory.wallet.balances.set('BTC', { free: dec(`${n}.25`), locked: dec('0') });
  untold.allBalances = { at: n };
  untold.allPositions = { at: n + 1 };
  untold
    .balance('USDT', 2)
    .move({ order: 'o', key: 'k', by: [dec('-1'), dec('0')], at: 99, answered: false });
  if (!futures) return;
  memory.unread.delete('positions');
  futures.hedge = n % 2 === 1;
  for (const [key, amount] of [
    ['BTCUSDT BOTH', `${n + 1}`],
    ['ETHUSDT BOTH', `-${n + 1}`],
  ] as const)
    futures.positions.set(key, positionOf(key.split(' ')[0] ?? '', amount, n));
  futures.leverage.set({ symbol: 'BTCUSDT', side: 'BOTH', leverage: 7 + n, marginType: 'ISOLATED' } as never);
}

/** The parts of an account's state that come from outside. */
function heard(engine: Engine, { id }: ExchangeAccount) {
  const {
    market,
    futures,
    link,
    since,
    fees,
    moved,
    unread,
    wallet: { versions, balances, untold },
  } = engine.memory.account(id);
  return {
    stale: ['BTCUSDT', 'ETHUSDT'].map((symbol) => market.staleWhy(symbol)),
    prices: [...market.prices],
    marks: [...market.marks],
    ahead: market.ahead.of('ETHUSDT'),
    link: { ...link },
    since,
    fees,
    moved: [[...moved.assets], [...moved.symbols]],
    unread: [...unread],
    // An event older than the last one is late, and so is an answer to an older question.
    order: [versions.heard, versions.undecided],
    balances: [...balances].map(([asset, balance]) => [asset, { ...balance }]),
    untold: [untold.allBalances, untold.allPositions, untold.balance('USDT', 2).now()],
    futures: futures && {
      hedge: futures.hedge,
      positions: [...futures.positions],
      leverage: [...futures.leverage.all()],
    },
  };
}

it('everything of every account and its market', () => {
  const accounts = [SPOT, FIRST, SECOND];
  const before = engineOf(accounts);
  for (const [n, account] of accounts.entries()) hear(before, account, n);
  const after = engineOf(accounts);
  copyMarket(before, after);
  for (const account of accounts) expect(heard(after, account)).toEqual(heard(before, account));
  expect(after.memory.parked).toEqual(before.memory.parked);
  for (const { id } of accounts)
    expect(after.memory.account(id).wallet.versions.takes('USDT', { time: 49 })).toBe(false);
});

it('is its own from then on: what the old engine hears later changes nothing', () => {
  const before = engineOf([FIRST]);
  hear(before, FIRST, 0);
  const after = engineOf([FIRST]);
  copyMarket(before, after);
  const then = heard(after, FIRST);
  const btc = before.memory.account(FIRST.id).wallet.balances.get('BTC');
  if (btc) btc.free = dec('77');
  hear(before, FIRST, 1);
  expect(heard(after, FIRST)).toEqual(then);
  expect(after.memory.parked).toHaveLength(1);
});

it('of an account that is there no more, or was never read, nothing', () => {
  const before = engineOf([FIRST, SECOND]);
  hear(before, FIRST, 1);
  const after = engineOf([SECOND]);
  copyMarket(before, after);
  expect([...after.memory.accounts.keys()]).toEqual([SECOND.id]);
  expect([...after.memory.account(SECOND.id).unread]).toEqual(['balances', 'positions', 'settings']);
});
