/**
 * The accounts that an engine is loaded with: the configured ones, and those that only orders and runs still
 * name.
 */
import { expect, it } from 'vitest';
import {
  absentOrders,
  addAccounts,
  instrumentsRow,
  NOT_CONFIGURED,
} from '../../../src/desk/core/known-accounts.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { LoadedState } from '../../../src/store/store.ts';
import { BTC, ETH } from '../../engine/support/market.ts';
import { order } from '../../store/rows.ts';
import { OtherVenue } from '../other-venue.ts';

const metaOf = (...lists: (readonly [string, readonly unknown[]])[]) =>
  new Map(
    lists.map(([exchange, list]) => {
      const row = instrumentsRow(exchange, list as never);
      return row.kind === 'meta' ? ([row.name, row.value] as const) : (['', null] as const);
    }),
  );

function loaded(venues: readonly OtherVenue[], state: Partial<LoadedState>): Engine {
  const engine = new Engine();
  const whole = { orders: [], runs: [], meta: new Map(), ...state } as unknown as LoadedState;
  addAccounts(engine.memory, venues, whole, (id) => (id === 'away' ? 'it is away' : null));
  return engine;
}

it('a configured account has the instruments of now and those it had when it was last connected', () => {
  const [now, away, fresh] = [
    new OtherVenue('now'),
    new OtherVenue('away', 'futures'),
    new OtherVenue('fresh'),
  ];
  now.list = [BTC];
  away.list = [];
  fresh.list = [];
  const old = { ...ETH, symbol: 'OLDUSDT', delisted: true };
  const before = [old, { ...BTC, tickSize: '5', delisted: true }, ETH];
  const meta = metaOf(['now', before], ['away', [ETH, { ...BTC, tickSize: 'odd' }]]);
  const { memory } = loaded([now, away, fresh], { meta });
  const symbols = (id: string) => [...memory.account(id).instruments.keys()];
  expect([symbols('now'), symbols('away'), symbols('fresh')]).toEqual([
    ['BTCUSDT', 'ETHUSDT', 'OLDUSDT'],
    ['ETHUSDT'],
    [],
  ]);
  // Until the account is open, nobody knows what the list has left out.
  const known = [...memory.account('now').instruments.values()];
  expect(known.map(({ delisted, tickSize }) => [delisted, tickSize])).toEqual([
    [undefined, '0.01'],
    [undefined, '0.01'],
    [true, '0.01'],
  ]);
  expect([memory.account('now').away, memory.account('away').away]).toEqual([null, 'it is away']);
  expect([memory.account('now').absent, memory.account('away').futures === null]).toEqual([false, false]);
});

it('accounts that share a wallet have its base of the day and its ledger, which are stored once under its name', () => {
  const both = [new OtherVenue('one-spot'), new OtherVenue('one-futures', 'futures')];
  for (const venue of both) Object.assign(venue, { ledger: async () => null });
  for (const { account } of both) Object.assign(account, { wallet: 'one' });
  const base = { day: 20_000, usd: '100', at: 1, paid: '0', unpriced: {} };
  const place = { since: 7, after: 'here', opened: true, unexplained: 0 };
  const meta = new Map<string, unknown>([
    ...([
      ['day base one', base],
      ['ledger one', place],
      ['wallet one USDT', '12.5'],
    ] as const),
    // Without either account.
    ...([
      ['day base one-spot', { ...base, usd: '1' }],
      ['wallet one-spot USDT', '3'],
    ] as const),
  ]);
  const { memory } = loaded(both, { meta });
  for (const { account } of both) {
    const { wallet } = memory.account(account.id);
    expect([wallet.name, wallet.dayBase]).toEqual(['one', base]);
    expect([wallet.ledger?.place, wallet.ledger?.sums]).toEqual([place, new Map([['USDT', dec('12.5')]])]);
  }
});

it('an account that is not configured any more is known with its kind, its user and its instruments, and nothing is asked of it', () => {
  const orders = [
    order('o1', { exchange: 'old-spot', user: 'ann' }),
    order('o2', { exchange: 'contracts', user: 'bob', isContract: true }),
    order('o3', { exchange: 'here' }),
  ];
  const runs = [
    { exchange: 'old-spot', user: 'ann' },
    { exchange: 'some-futures', user: 'cid' },
    { exchange: 'some-spot', user: 'dan' },
  ] as never;
  const meta = metaOf(['old-spot', [BTC]], ['some-futures', [ETH]]);
  const { memory } = loaded([new OtherVenue('here')], { orders, runs, meta });
  const kinds = [...memory.accounts.values()].map(({ account, absent, away, futures, instruments }) => [
    account.id,
    account.kind,
    account.user,
    absent ? away : 'configured',
    futures !== null,
    [...instruments.keys()].join(),
  ]);
  expect(kinds).toEqual([
    ['here', 'spot', undefined, 'configured', false, 'BTCUSDT'],
    ['old-spot', 'spot', 'ann', NOT_CONFIGURED, false, 'BTCUSDT'],
    ['contracts', 'futures', 'bob', NOT_CONFIGURED, true, ''],
    ['some-futures', 'futures', 'cid', NOT_CONFIGURED, true, 'ETHUSDT'],
    ['some-spot', 'spot', 'dan', NOT_CONFIGURED, false, ''],
  ]);
  expect(memory.account('some-spot').caps.forms).toEqual([]);
});

it('open orders of such accounts are counted for the log, by account; ended ones and those of others are not', () => {
  const gone = { exchange: 'old-spot', symbol: 'BTCUSDT' };
  const orders = [
    order('a', { ...gone, status: 'OPENED' }),
    order('b', { ...gone, status: 'NEW' }),
    order('c', { ...gone, status: 'CLOSED', phase: 'done' }),
    order('d', { exchange: 'older', status: 'OPENED' }),
    order('e', { exchange: 'here', status: 'OPENED' }),
  ];
  const engine = loaded([new OtherVenue('here')], { orders });
  for (const one of orders) engine.memory.addOrder(one, []);
  const lines = absentOrders(engine.memory);
  expect(lines.map((line) => /^\S+ .* had (\d+ open orders?):/.exec(line)?.slice(0, 2)[1])).toEqual([
    '2 open orders',
    '1 open order',
  ]);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['old-spot', 'older']);
});
