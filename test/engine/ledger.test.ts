/**
 * When a difference between a wallet and its sum is stored as a row: not while anything about the account
 * may still be on its way.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../src/domain/decimal.ts';
import type { LedgerRecord } from '../../src/domain/ledger.ts';
import type { FillRecord, OrderRecord } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { Engine } from '../../src/engine/engine.ts';
import { loadLedger } from '../../src/engine/ledger.ts';
import type { AccountMemory } from '../../src/engine/memory.ts';
import type { StepResult } from '../../src/engine/step.ts';
import {
  ACCOUNT,
  BTC,
  CAPS,
  FUTURES,
  FUTURES_ACCOUNT,
  FUTURES_BTC,
  FUTURES_CAPS,
  MONO_START,
  nowAt,
  SPOT,
  START,
} from './support/market.ts';

const SETTLE_MS = 3_000;

const LONG: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '1',
  entryPrice: '40000',
  breakEvenPrice: '40000',
  markPrice: '40000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 5,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: 0,
};

/** A wallet of 95 USDT whose sum is 100. */
function opened(): { engine: Engine; account: AccountMemory; audit: (atMs: number) => StepResult } {
  const engine = new Engine();
  const meta = new Map<string, unknown>([
    [`ledger ${SPOT}`, { since: 0, after: null, opened: true, unexplained: 0 }],
    [`wallet ${SPOT} USDT`, '100'],
  ]);
  const ledger = loadLedger(meta, SPOT);
  engine.memory.addAccount(ACCOUNT, { ...CAPS, settleMs: SETTLE_MS }, [BTC], { ledger });
  const at = (ms: number) => ({ ...nowAt(START + ms), mono: MONO_START + ms });
  const changed = [{ asset: 'USDT', free: '90', locked: '5', time: START }];
  engine.step({ type: 'venue.balances', exchange: SPOT, changed, all: true, askedAt: 0 }, at(0));
  return {
    engine,
    account: engine.memory.account(SPOT),
    audit: (ms) => engine.step({ type: 'audit', exchange: SPOT, askedAt: MONO_START + ms }, at(ms)),
  };
}

const found = ({ rows }: StepResult) =>
  rows.flatMap((row) => (row.kind === 'ledger' ? [`${row.record.amount} ${row.record.kind}`] : []));

const order = (more: Partial<OrderRecord>): OrderRecord =>
  ({ id: 'one', exchange: SPOT, status: 'NEW', phase: 'live', symbol: 'BTCUSDT', ...more }) as OrderRecord;

it('is one after two looks with nothing between them, and then part of the sum', () => {
  const { audit, account } = opened();
  expect(found(audit(10))).toEqual([]);
  expect(account.moved.assets.has('USDT')).toBe(true);
  expect(found(audit(10 + SETTLE_MS))).toEqual(['-5 unexplained']);
  expect(account.wallet.ledger?.sums.get('USDT')).toBe(dec('95'));
  for (const ms of [10_000, 20_000, 30_000]) expect(found(audit(ms))).toEqual([]);
});

it('is none before what tells of both could not lag any more', () => {
  const { audit } = opened();
  audit(10);
  expect(found(audit(9 + SETTLE_MS))).toEqual([]);
});

it('is none when wallet or sum has moved between the looks: they are looked at anew', () => {
  const { audit, engine } = opened();
  audit(10);
  const changed = [{ asset: 'USDT', free: '94', locked: '0' }];
  engine.step({ type: 'venue.balances', exchange: SPOT, changed }, nowAt(START + 1_000));
  expect(found(audit(5_000))).toEqual([]);
  const entry = { id: 'e', time: 1, asset: 'USDT', amount: '-1', kind: 'other' } as const;
  const page = { type: 'ledger', exchange: SPOT, entries: [entry], since: 0, after: '1' } as const;
  engine.step(page, nowAt(START + 6_000));
  expect(found(audit(10_000))).toEqual([]);
  expect(found(audit(14_000))).toEqual(['-5 unexplained']);
});

describe('is none while', () => {
  const against: Record<string, (engine: Engine, account: AccountMemory) => void> = {
    'the line is down': (_, { link }) => {
      link.up = false;
    },
    'there is a gap': (_, { link }) => {
      link.gap = true;
    },
    'it is away': (_, account) => {
      account.away = 'somewhere';
    },
    'a part of it was never read': (_, { unread }) => unread.add('balances'),
    'the list of open orders has led to questions': (_, { wallet: { ledger } }) => ledger?.asking.add(SPOT),
    'executions are owed': ({ memory }) => {
      memory.orders.set('one', order({}));
      memory.owedFills.set('one', {} as never);
    },
    'an execution waits to be known': ({ memory }) => memory.parked.push({ exchange: SPOT } as never),
    'an order is unresolved': ({ memory }) => memory.orders.set('one', order({ phase: 'unresolved' })),
    'an order that left before the first look is on its way': ({ memory }) =>
      memory.orders.set('one', order({ phase: 'sending', submission: { sentAt: START } })),
    'an answer about the balance may have been newer': (_, { wallet: { versions } }) => {
      const asked = versions.heard;
      versions.takes('balance USDT', {});
      versions.takes('balance USDT', { askedAt: asked });
    },
    'the balance does not know of an execution': (_, { wallet: { untold } }) =>
      untold.balance('USDT', 2).move({
        order: 'one',
        key: 'fill 1',
        by: [dec('5'), 0n],
        time: START + 9_000,
        at: 1_000,
        answered: false,
      }),
  };

  it.each(Object.entries(against))('%s', (_, happens) => {
    const { audit, engine, account } = opened();
    audit(10);
    happens(engine, account);
    expect(found(audit(20_000))).toEqual([]);
  });

  it('but not for an order that has left since, or one of another account', () => {
    const { audit, engine } = opened();
    audit(10);
    engine.memory.orders.set('one', order({ phase: 'sending', submission: { sentAt: START + 11 } }));
    engine.memory.orders.set('two', order({ id: 'two', exchange: 'other-spot', phase: 'unresolved' }));
    engine.memory.owedFills.set('two', {} as never);
    expect(found(audit(20_000))).toEqual(['-5 unexplained']);
  });
});

/** A futures account whose ledger is about to be opened. */
function unopened(): { engine: Engine; open: () => LedgerRecord[] } {
  const engine = new Engine();
  const place = { since: 0, after: null, opened: false, unexplained: 0 };
  const ledger = loadLedger(new Map([[`ledger ${FUTURES}`, place]]), FUTURES);
  engine.memory.addAccount(FUTURES_ACCOUNT, FUTURES_CAPS, [FUTURES_BTC], { ledger });
  engine.memory.account(FUTURES).unread.clear();
  const audit = { type: 'audit', exchange: FUTURES, askedAt: MONO_START } as const;
  const open = () => {
    const { rows } = engine.step(audit, nowAt(START + 1));
    return rows.flatMap((row) => (row.kind === 'ledger' ? [row.record] : []));
  };
  return { engine, open };
}

it('opens with each position as its exchange tells it, and as of when that was so', () => {
  const { engine, open } = unopened();
  const changed = [
    { ...LONG, amount: '0.5', cost: '20000.5', updateTime: START - 7 },
    { ...LONG, symbol: 'ETHUSDT', amount: '-2', updateTime: 0 },
  ];
  engine.step({ type: 'venue.positions', exchange: FUTURES, changed }, nowAt(START));
  const records = open();
  expect(records).toMatchObject([
    { kind: 'position', symbol: 'BTCUSDT', amount: '0.5', cost: '20000.5', time: START + 1, asOf: START - 7 },
    { kind: 'position', symbol: 'ETHUSDT', amount: '-2', cost: '-80000' },
  ]);
  expect(records[1]).not.toHaveProperty('asOf');
});

it('opens with what executions have closed that nobody here has seen open: it is flat', () => {
  const { engine, open } = unopened();
  const { memory } = engine;
  const fill = (orderId: string, symbol: string, posSide: 'BOTH' | 'LONG') =>
    ({ exchange: FUTURES, orderId, symbol, posSide, tradeId: orderId, price: '1', qty: '1' }) as FillRecord;
  const done = { exchange: FUTURES, status: 'CLOSED', phase: 'done' } as const;
  memory.addOrder(order({ ...done, id: 'a' }), [fill('a', 'BTCUSDT', 'BOTH'), fill('a', 'BTCUSDT', 'BOTH')]);
  memory.addOrder(order({ ...done, id: 'b' }), [fill('b', 'ETHUSDT', 'BOTH')]);
  memory.addOrder(order({ ...done, id: 'c' }), [fill('c', 'SOLUSDT', 'LONG')]);
  memory.addOrder(order({ ...done, id: 'd', exchange: 'other-futures' }), [fill('d', 'BNBUSDT', 'BOTH')]);
  const { untold } = memory.account(FUTURES).wallet;
  const movement = { order: 'c', key: 'fill c', by: [dec('1')], at: 1, answered: false };
  untold.position('SOLUSDT LONG').move({ ...movement, symbol: 'SOLUSDT', price: dec('1') });
  const changed = [{ ...LONG, symbol: 'ETHUSDT', updateTime: START }];
  engine.step({ type: 'venue.positions', exchange: FUTURES, changed }, nowAt(START));
  // The exchange has not reported the third contract yet, so it is not known to be flat.
  expect(open().map(({ symbol, amount, asOf }) => [symbol, amount, asOf])).toEqual([
    ['ETHUSDT', '1', START],
    ['BTCUSDT', '0', undefined],
  ]);
});

it('opens a wallet of two accounts once, with the positions and what was closed on the second of them', () => {
  const engine = new Engine();
  const wallet = 'unified';
  const place = { since: 0, after: null, opened: false, unexplained: 0 };
  const ledger = loadLedger(new Map([[`ledger ${wallet}`, place]]), wallet);
  engine.memory.addAccount({ ...ACCOUNT, wallet }, CAPS, [BTC], { ledger });
  engine.memory.addAccount({ ...FUTURES_ACCOUNT, wallet }, FUTURES_CAPS, [FUTURES_BTC]);
  const { memory } = engine;
  const changed = [{ asset: 'USDT', free: '90', locked: '5', time: START }];
  engine.step({ type: 'venue.balances', exchange: SPOT, changed, all: true }, nowAt(START));
  for (const id of [SPOT, FUTURES]) memory.account(id).unread.clear();
  const closed = {
    exchange: FUTURES,
    orderId: 'a',
    symbol: 'ETHUSDT',
    posSide: 'BOTH',
    tradeId: 'a',
    price: '1',
    qty: '1',
  };
  memory.addOrder(order({ exchange: FUTURES, status: 'CLOSED', phase: 'done', id: 'a' }), [
    closed as FillRecord,
  ]);
  engine.step(
    { type: 'venue.positions', exchange: FUTURES, changed: [{ ...LONG, amount: '-3' }] },
    nowAt(START),
  );
  const rows = [SPOT, FUTURES, SPOT, FUTURES].flatMap((exchange, n) => {
    const audit = { type: 'audit', exchange, askedAt: MONO_START + n } as const;
    return engine.step(audit, nowAt(START + n)).rows;
  });
  const records = rows.flatMap((row) => (row.kind === 'ledger' ? [row.record] : []));
  expect(records.map(({ exchange, asset, amount, kind }) => [exchange, asset, amount, kind])).toEqual([
    [wallet, 'USDT', '95', 'opening'],
    [wallet, 'BTC', '-3', 'position'],
    [wallet, 'ETHUSDT', '0', 'position'],
  ]);
  expect(ledger.sums.get('USDT')).toBe(dec('95'));
});

describe('of a wallet that two accounts trade with', () => {
  const OTHER = 'other-futures';

  function shared(settleMs = SETTLE_MS) {
    const { engine, audit } = opened();
    const shares = { ...ACCOUNT, id: OTHER, kind: 'futures', wallet: SPOT } as const;
    engine.memory.addAccount(shares, { ...CAPS, settleMs }, []);
    const other = engine.memory.account(OTHER);
    other.unread.clear();
    const ofOther = (ms: number) => {
      const now = { ...nowAt(START + ms), mono: MONO_START + ms };
      return engine.step({ type: 'audit', exchange: OTHER, askedAt: MONO_START + ms }, now);
    };
    return { engine, other, audit, ofOther };
  }

  it('it is none before both were compared again: what either has executed moves it', () => {
    const { engine, audit, ofOther } = shared();
    ofOther(5);
    audit(10);
    const asked = [SPOT, OTHER].map((id) => engine.memory.account(id).moved.assets.has('USDT'));
    expect(asked).toEqual([true, true]);
    expect(found(audit(10_000))).toEqual([]);
    expect(found(audit(20_000))).toEqual([]);
    expect(found(ofOther(30_000))).toEqual(['-5 unexplained']);
  });

  it('it is none before neither could lag any more', () => {
    const { audit, ofOther } = shared(2 * SETTLE_MS);
    audit(10);
    ofOther(9 + 2 * SETTLE_MS);
    expect(found(audit(9 + 2 * SETTLE_MS))).toEqual([]);
    audit(10 + 2 * SETTLE_MS);
    expect(found(ofOther(10 + 2 * SETTLE_MS))).toEqual(['-5 unexplained']);
  });

  it('it is none while anything of the other one is on its way', () => {
    const { other, audit, ofOther } = shared();
    audit(10);
    other.link.up = false;
    ofOther(10_000);
    expect(found(audit(20_000))).toEqual([]);
    other.link.up = true;
    expect(found(ofOther(30_000))).toEqual(['-5 unexplained']);
  });
});
