/**
 * A console's changes to the embedded exchanges and the feed: done once, confirmed, logged, and restored
 * after a restart where they should be.
 */
import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import type { TestDesk, TestDeskOptions } from './support.ts';
import {
  EXCHANGE,
  flat,
  MARKET_START,
  ok,
  openTestDesk,
  place,
  playToEnd,
  until,
  writeCandles,
} from './support.ts';

const FUTURES = 'paper-futures';

async function desk(options: Partial<TestDeskOptions> = {}): Promise<TestDesk> {
  const t = await openTestDesk({
    feed: writeCandles({ BTCUSDT: flat('100', 50), BNBUSDT: flat('20', 50) }),
    hold: true,
    ...options,
  });
  for (let n = 0; n < 2; n++) await t.call('feed.control', { action: 'step' });
  return t;
}

const free = (t: TestDesk, asset: string, exchange = EXCHANGE) =>
  t.desk.state().portfolios[exchange]?.balances?.find((entry) => entry.asset === asset)?.free;
const paper = (t: TestDesk, exchange = EXCHANGE) =>
  t.desk.state().accounts.find(({ id }) => id === exchange)?.paper;
const logged = (t: TestDesk) => t.desk.state().log.map(({ text }) => text);

describe('settings of an embedded exchange', () => {
  it('fees change what a fill costs and what the ticket says, and come back after a restart', async () => {
    const t = await desk();
    const change = { makerRate: '0.0005', takerRate: '0.002', latencyMs: 40 };
    expect(ok(await t.call('paper.configure', { exchange: EXCHANGE, change }))).toMatchObject(change);
    const order = { exchange: EXCHANGE, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET' } as const;
    const check = await t.call('orders.check', { ...order, quantity: '1' });
    expect(check.fee).toBe('0.002');
    expect(check.feeAsset).toBe('BTC');
    const placing = place(t, { side: 'BUY', type: 'MARKET', quantity: '1' });
    const sentAt = t.clock.wall();
    await until(t, () => Object.values(t.desk.state().orders).some(({ status }) => status === 'CLOSED'), {
      stepMs: 10,
    });
    await placing;
    expect(t.clock.wall() - sentAt).toBeGreaterThanOrEqual(40);
    expect(free(t, 'BTC')).toBe('0.998');
    expect(logged(t)).toContain(
      'paper-spot: maker fee 0.001 to 0.0005, taker fee 0.001 to 0.002, latency 0 to 40, asked by operator',
    );
    await t.stop();
    const again = await desk({ dataDir: t.dataDir, feed: t.desk.state().clock.feed });
    expect(paper(again)).toMatchObject({ makerRate: '0.0005', takerRate: '0.002', latencyMs: 0 });
    expect(paper(again, FUTURES)).toMatchObject({ makerRate: '0.0002', takerRate: '0.0005' });
    expect((await again.call('orders.check', { ...order, quantity: '1' })).fee).toBe('0.002');
  });

  it.each([
    ['BUY', '60000', '0.3', 'it takes'],
    ['SELL', '60000', '0.3', 'it takes'],
    ['BUY', '59999.99', '0.11999998', 'it rests'],
    ['SELL', '60000.01', '0.12000002', 'it rests'],
  ])(
    'of the ticket: a futures %s at %s beside a last price of 60000 costs %s, %s',
    async (side, price, fee) => {
      const t = await desk({ feed: writeCandles({ BTCUSDT: flat('60000', 60) }) });
      const sides = { BUY: 'BUY', SELL: 'SELL' } as const;
      const check = await t.call('orders.check', {
        exchange: FUTURES,
        symbol: 'BTCUSDT',
        type: 'LIMIT',
        side: sides[side as 'BUY'],
        price,
        quantity: '0.01',
      });
      expect(check).toMatchObject({ last: '60000', fee, feeAsset: 'USDT' });
    },
  );

  it.each([
    [{ makerRate: '1' }, 'maker fee: at least 0 and below 1'],
    [{ takerRate: '-0.1' }, 'taker fee: at least 0 and below 1'],
    [{ takerRate: 'x' }, 'taker fee: at least 0 and below 1'],
    [{ latencyMs: -1 }, 'latencyMs must be between 0 and 60000'],
    [{ jitterMs: Number.NaN }, 'jitterMs must be between'],
    [{ slippageBps: 5_001 }, 'slippageBps must be between 0 and 5000'],
    [{ latencyMs: '5' as unknown as number }, 'latency: must be a number'],
  ])('%j is refused and changes nothing', async (change, message) => {
    const t = await desk();
    const before = paper(t);
    const answer = await t.call('paper.configure', { exchange: EXCHANGE, change });
    expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
    expect(answer.ok ? '' : answer.error.message).toContain(message);
    expect(paper(t)).toEqual(before);
  });

  it.each([
    [[{ makerRate: '0.0005', latencyMs: 40 }]],
    [[{ makerRate: '0.0005' }, { makerRate: '0.0006', takerRate: '0.002' }]],
    [[{ makerRate: '0.0005' }, { makerRate: '0.0005' }]],
    [[{ makerRate: '0.0005' }, { latencyMs: 40 }, { takerRate: '0.003', latencyMs: 50 }]],
  ])('that could not be stored are none, those before count: %j at once', async (changes) => {
    let full = false;
    const openStore = (path: string) =>
      openSqliteStore(path, {
        beforeCommit: () => {
          if (full)
            throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
        },
      });
    const t = await desk({ ports: { openStore } });
    const given = { takerRate: '0.0015', slippageBps: 3 };
    ok(await t.call('paper.configure', { exchange: EXCHANGE, change: given }));
    const before = paper(t);
    const order = {
      exchange: EXCHANGE,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'MARKET',
      quantity: '1',
    } as const;
    full = true;
    const asked = changes.map((change) => t.call('paper.configure', { exchange: EXCHANGE, change }));
    const answers = await Promise.all(asked);
    full = false;
    for (const answer of answers)
      expect(answer).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(paper(t)).toEqual(before);
    expect((await t.call('orders.check', order)).fee).toBe('0.0015');
    ok(await t.call('paper.configure', { exchange: EXCHANGE, change: { jitterMs: 1 } }));
    expect(paper(t)).toEqual({ ...before, jitterMs: 1 });
  });

  it('an exchange that is not embedded has none of it', async () => {
    const t = await desk();
    for (const method of ['paper.reset', 'paper.faults'] as const) {
      expect(await t.call(method, { exchange: 'binance-spot' })).toMatchObject({
        ok: false,
        error: { message: 'binance-spot is no paper exchange' },
      });
    }
  });

  it('faults stand until they are healed, and single ones are counted until they have come', async () => {
    const t = await desk();
    ok(await t.call('paper.faults', { exchange: EXCHANGE, change: { rejectNth: 2, queryFails: 0.5 } }));
    ok(await t.call('paper.fault', { fault: 'reject', times: 1 }));
    expect(paper(t)).toMatchObject({ faults: { rejectNth: 2, queryFails: 0.5 }, faultsToCome: 1 });
    const order = { side: 'BUY', type: 'LIMIT', quantity: '1', price: '90' } as const;
    const refused = await t.call('orders.place', { exchange: EXCHANGE, symbol: 'BTCUSDT', ...order });
    expect(refused.ok).toBe(false);
    expect(paper(t)?.faultsToCome).toBe(0);
    ok(await t.call('paper.faults', { exchange: EXCHANGE, heal: true }));
    expect(paper(t)).toMatchObject({ faults: {}, faultsToCome: 0 });
    await place(t, order);
    // Both at once: earlier settings are replaced by the given ones.
    ok(await t.call('paper.faults', { exchange: EXCHANGE, change: { loseAnswer: 0.5 } }));
    ok(await t.call('paper.faults', { exchange: EXCHANGE, change: { queryFails: 0.5 }, heal: true }));
    expect(paper(t)?.faults).toEqual({ queryFails: 0.5 });
    ok(await t.call('paper.faults', { exchange: EXCHANGE, heal: true }));
    const wrong = await t.call('paper.faults', { exchange: EXCHANGE, change: { delay: 1.5 } });
    expect(wrong).toMatchObject({ ok: false, error: { message: 'delay must be from 0 to 1' } });
  });
});

describe('balances', () => {
  it('a balance is set, is no profit of the day, and is there after a restart', async () => {
    const t = await desk();
    const before = t.desk.state().equity;
    ok(await t.call('paper.balance', { exchange: EXCHANGE, asset: 'BTC', amount: '2.5' }));
    ok(await t.call('paper.balance', { exchange: FUTURES, asset: 'USDT', amount: '50' }));
    expect(free(t, 'BTC')).toBe('2.5');
    expect(free(t, 'USDT', FUTURES)).toBe('50');
    const { equity } = t.desk.state();
    expect(Number(equity.usd)).toBe(Number(before.usd) + 250 - 99_950);
    expect(Number(equity.dayStartUsd)).toBe(Number(before.dayStartUsd) + 250 - 99_950);
    expect(logged(t)).toContain('paper-spot: free BTC set to 2.5, asked by operator');
    await t.stop();
    const again = await desk({ dataDir: t.dataDir, feed: t.desk.state().clock.feed });
    expect([free(again, 'BTC'), free(again, 'USDT', FUTURES)]).toEqual(['2.5', '50']);
  });

  it.each([
    [EXCHANGE, 'DOGE', '1', 'has no "DOGE"; it has BNB, BTC, USDT'],
    [FUTURES, 'BTC', '1', 'has no "BTC"; it has USDT'],
    [EXCHANGE, 'BTC', '-1', 'at least 0'],
    [EXCHANGE, 'BTC', '1e9', 'plain digits'],
    [EXCHANGE, 'BTC', '', 'plain digits'],
  ])('%s %s %s is refused', async (exchange, asset, amount, message) => {
    const t = await desk();
    const answer = await t.call('paper.balance', { exchange, asset, amount });
    expect(answer.ok ? '' : answer.error.message).toContain(message);
    expect(free(t, 'USDT')).toBe('100000');
  });

  it('a reset ends orders that rest and orders the engine holds, and gives a new account', async () => {
    const t = await desk();
    await place(t, { side: 'BUY', type: 'MARKET', quantity: '2' });
    const resting = await place(t, { side: 'BUY', type: 'LIMIT', quantity: '1', price: '90' });
    const held = await place(t, { side: 'SELL', type: 'STOP_MARKET', quantity: '1', stopPrice: '90' });
    ok(await t.call('paper.reset', { exchange: EXCHANGE }));
    expect([t.view(resting.id).status, t.view(held.id).status]).toEqual(['CANCELLED', 'CANCELLED']);
    expect(t.desk.state().portfolios[EXCHANGE]?.balances).toMatchObject([
      { asset: 'USDT', free: '100000', locked: '0' },
    ]);
    // An earlier loss remains a loss of the day.
    expect(t.desk.state().equity).toMatchObject({ usd: '200000.00', dayStartUsd: '200000.20' });
    expect(logged(t)).toContain('paper-spot: reset to a new account, asked by operator');
    await playToEnd(t);
    expect(t.desk.state().equity.usd).toBe('200000.00');
  });

  it('a futures account is flat after a reset', async () => {
    const t = await desk();
    await place(t, { exchange: FUTURES, side: 'BUY', type: 'MARKET', quantity: '2' });
    expect(t.desk.state().futures[FUTURES]?.positions).toHaveLength(1);
    ok(await t.call('paper.reset', { exchange: FUTURES }));
    expect(t.desk.state().futures[FUTURES]?.positions.filter(({ amount }) => amount !== '0')).toEqual([]);
    expect(free(t, 'USDT', FUTURES)).toBe('100000');
  });

  it('is not reset under a bot that runs on it', async () => {
    const t = await desk();
    const line = { type: 'price', trend: { [MARKET_START]: 500, [MARKET_START + 3_600_000]: 500 } };
    const settings = {
      type: 'ALARM' as const,
      exchange: EXCHANGE,
      symbol: { base: 'BTC', quote: 'USDT' },
      range: [line],
      notify: [],
    };
    const made = ok(await t.call('bots.create', { bot: { type: 'ALARM', settings } }));
    ok(await t.call('bots.start', { id: made.id }));
    const answer = await t.call('paper.reset', { exchange: EXCHANGE });
    expect(answer).toMatchObject({
      ok: false,
      error: { message: '1 bot runs on paper-spot; stop it first' },
    });
    ok(await t.call('paper.reset', { exchange: FUTURES }));
  });

  it('is not reset under a bot that starts while its orders are cancelled', async () => {
    const t = await desk();
    const made = ok(
      await t.call('bots.create', {
        bot: {
          type: 'ALARM',
          settings: {
            type: 'ALARM',
            exchange: EXCHANGE,
            symbol: { base: 'BTC', quote: 'USDT' },
            range: [{ type: 'price', trend: { [MARKET_START]: 500, [MARKET_START + 3_600_000]: 500 } }],
            notify: [],
          },
        },
      }),
    );
    await place(t, { side: 'BUY', type: 'MARKET', quantity: '2' });
    await place(t, { side: 'BUY', type: 'LIMIT', quantity: '1', price: '90' });
    ok(await t.call('paper.configure', { exchange: EXCHANGE, change: { latencyMs: 200 } }));
    let answer: Awaited<ReturnType<typeof reset>> | null = null;
    const reset = () => t.call('paper.reset', { exchange: EXCHANGE });
    void reset().then((given) => {
      answer = given;
    });
    await t.clock.settle();
    ok(await t.call('bots.start', { id: made.id }));
    await until(t, () => answer !== null);
    expect(answer).toMatchObject({
      ok: false,
      error: { message: '1 bot runs on paper-spot; stop it first' },
    });
    expect(free(t, 'BTC')).toBe('1.998');
  });
});

it('consoles see what a balance is worth follow the price, at most once a second', async () => {
  const candle = ['100', '110', '90', '105'] as const;
  const feed = writeCandles({ BTCUSDT: [candle, candle, candle], BNBUSDT: flat('20', 3) });
  const t = await desk({ feed });
  ok(await t.call('paper.balance', { exchange: EXCHANGE, asset: 'BTC', amount: '1' }));
  // A new account is compared twice.
  await t.clock.advance(20_000);
  const marked: string[] = [];
  const stop = t.desk.onChange((mark) => {
    if (mark.kind === 'portfolio') marked.push(mark.exchange);
  });
  await t.call('feed.control', { action: 'step' });
  await t.call('feed.control', { action: 'step' });
  expect(marked).toEqual([]);
  await t.clock.advance(1_000);
  expect(marked).toEqual([EXCHANGE, FUTURES]);
  await t.clock.advance(5_000);
  expect(marked).toHaveLength(2);
  stop();
});

describe('dust', () => {
  it('says what it would give and, once converted, how long until the next time', async () => {
    const t = await desk();
    ok(await t.call('paper.balance', { exchange: EXCHANGE, asset: 'BTC', amount: '0.05' }));
    const offer = ok(await t.call('portfolio.dust', { exchange: EXCHANGE }));
    expect(offer).toMatchObject({ waitMs: 0, assets: [{ asset: 'BTC', value: '5', toAsset: 'BNB' }] });
    ok(await t.call('futures.set', { exchange: EXCHANGE, setting: { kind: 'dust', assets: ['BTC'] } }));
    expect(ok(await t.call('portfolio.dust', { exchange: EXCHANGE })).waitMs).toBe(6 * 3_600_000);
    expect(free(t, 'BNB')).toBe('0.245');
  });
});

describe('the feed and the comparison with the exchange', () => {
  it('a replay changes its speed while it plays', async () => {
    const t = await desk({ speed: 1 });
    expect(ok(await t.call('feed.speed', { speed: 600 })).speed).toBe(600);
    expect(logged(t)).toContain('speed 1 to 600, asked by operator');
    await t.call('feed.control', { action: 'play' });
    const from = t.desk.state().clock.market;
    await t.clock.advance(1_000);
    const played = t.desk.state().clock.market - from;
    expect(played).toBeGreaterThan(540_000);
    expect(played).toBeLessThanOrEqual(600_000);
    ok(await t.call('feed.speed', { speed: 'max' }));
    await until(t, () => t.desk.state().clock.ended);
    expect(await t.call('feed.speed', { speed: 0 })).toMatchObject({ ok: false });
  });

  it('a replay goes at most at a million times the clock', async () => {
    const t = await desk({ speed: 1 });
    expect(ok(await t.call('feed.speed', { speed: 1_000_000 })).speed).toBe(1_000_000);
    for (const speed of [1_000_001, -1, Number.NaN]) {
      expect(await t.call('feed.speed', { speed })).toMatchObject({
        ok: false,
        error: { code: 'INVALID_REQUEST' },
      });
    }
    expect(t.desk.state().clock.speed).toBe(1_000_000);
  });

  it('a market that runs with the clock keeps its speed', async () => {
    const t = await openTestDesk({ hold: true });
    const answer = await t.call('feed.speed', { speed: 10 });
    expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
    expect(t.desk.state().clock.speed).toBe(1);
  });

  it('is compared when asked, and says when a question failed', async () => {
    const t = await desk();
    const at = t.clock.wall();
    expect(t.desk.state().accounts[0]).toMatchObject({ link: 'up', clockOffsetMs: 0, budgets: [] });
    expect(ok(await t.call('exchange.reconcile', { exchange: EXCHANGE }))).toEqual({ at, whole: true });
    ok(await t.call('paper.faults', { exchange: EXCHANGE, change: { queryFails: 1 } }));
    expect(ok(await t.call('exchange.reconcile', { exchange: EXCHANGE }))).toEqual({ at, whole: false });
    expect(t.desk.state().accounts[0]?.reconciled).toEqual({ at, whole: false });
    expect(await t.call('exchange.reconcile', { exchange: 'nowhere' })).toMatchObject({ ok: false });
  });

  it('tells since when an exchange is down', async () => {
    const t = await desk();
    const from = t.clock.wall();
    await t.clock.advance(5_000);
    ok(await t.call('paper.fault', { fault: 'down', ms: 20_000 }));
    expect(t.desk.state().accounts[0]).toMatchObject({ link: 'down', since: from + 5_000 });
    await until(t, () => t.desk.state().accounts[0]?.link === 'up');
    expect(t.desk.state().accounts[0]?.since).toBe(from + 25_000);
  });

  it('tells that something may have been missed until the account was compared', async () => {
    const t = await desk();
    const told = () => [t.desk.state().accounts[0]?.link, t.desk.state().accounts[0]?.gap];
    expect(told()).toEqual(['up', undefined]);
    ok(await t.call('paper.configure', { exchange: EXCHANGE, change: { latencyMs: 1_000 } }));
    ok(await t.call('paper.fault', { fault: 'down', ms: 20_000 }));
    expect(told()).toEqual(['down', true]);
    await t.clock.advance(20_500);
    expect(told()).toEqual(['up', true]);
    await t.clock.advance(10_000);
    expect(told()).toEqual(['up', undefined]);
  });
});

it('of all orders only those are cancelled that are asked for', async () => {
  const t = await desk();
  const resting = { side: 'BUY', type: 'LIMIT', quantity: '1' } as const;
  for (const price of ['90', '91', '92']) await place(t, { ...resting, price });
  const cancelled = async (filter: Parameters<typeof t.call<'orders.cancelAll'>>[1]) => {
    const results = await t.call('orders.cancelAll', filter);
    return results.map(({ id }) => t.view(id).price);
  };
  const ids = Object.values(t.desk.state().orders).flatMap(({ id, price }) => (price === '91' ? [id] : []));
  expect(await cancelled({ symbol: 'BNBUSDT' })).toEqual([]);
  expect(await cancelled({ exchange: FUTURES })).toEqual([]);
  expect(await cancelled({ ids, exchange: FUTURES })).toEqual([]);
  expect(await cancelled({ ids })).toEqual(['91']);
  expect(await cancelled({ exchange: EXCHANGE, symbol: 'BTCUSDT' })).toEqual(['90', '92']);
});

describe('files', () => {
  it('balances, ended orders and trades go into files of the owner alone', async () => {
    const t = await desk();
    for (let n = 0; n < 3; n++) await place(t, { side: 'BUY', type: 'MARKET', quantity: '1' });
    await place(t, { side: 'BUY', type: 'LIMIT', quantity: '1', price: '90' });
    const file = async (method: 'portfolio.export' | 'orders.export' | 'trades.export') => {
      const { path, rows, whole } = ok(await t.call(method, {}));
      expect(whole).toBe(true);
      expect(path.startsWith(`${t.dataDir}/exports/`)).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const lines = readFileSync(path, 'utf8').split('\r\n');
      expect(lines).toHaveLength(rows + 2);
      return { path, lines };
    };
    expect(statSync(t.dataDir).mode & 0o777).toBe(0o700);
    const balances = await file('portfolio.export');
    expect(balances.lines[0]).toBe('account,asset,free,locked,lockedByBot,total,usd,btc');
    expect(balances.lines).toContain('paper-spot,BTC,2.997,0,,2.997,299.70,2.99700000');
    expect((await file('orders.export')).lines).toHaveLength(5);
    const trades = await file('trades.export');
    expect(trades.lines[1]).toMatch(
      /^2025-02-03T02:00:\d\d\.\d{3}Z,paper-spot,BTCUSDT,BUY,BOTH,100,1,0\.001,BTC,false,/,
    );
    expect((await file('trades.export')).path).not.toBe(trades.path);
    // One at a time, and the next one once it is written.
    const both = await Promise.all([t.call('orders.export', {}), t.call('trades.export', {})]);
    expect(both).toMatchObject([{ ok: true }, { ok: false, error: { code: 'SERVICE_UNAVAILABLE' } }]);
    await file('orders.export');
    // For one account alone, whose name is in the file's name.
    const spot = ok(await t.call('trades.export', { exchange: 'paper-spot' }));
    expect([spot.rows, spot.path]).toEqual([3, expect.stringContaining('/exports/trades-paper-spot-')]);
    for (const method of ['portfolio.export', 'orders.export', 'trades.export'] as const) {
      const { path } = ok(await t.call(method, { exchange: 'paper-futures' }));
      expect(readFileSync(path, 'utf8')).not.toContain('paper-spot');
      const refused = await t.call(method, { exchange: '../../elsewhere' });
      expect(refused).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    }
    expect(logged(t)).toContain(`trades written as CSV by operator: 3 rows, ${trades.path}`);
  });
});
