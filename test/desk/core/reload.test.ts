/**
 * A desk whose commit has failed loads its orders again: the other data it has received of the account is
 * kept.
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../../src/domain/decimal.ts';
import { balanceNow } from '../../../src/engine/margins.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import { order } from '../../store/rows.ts';
import { LinkRig } from './link-rig.ts';

it('what a fill has brought that no report of the balances knows of is still there after a commit that failed', async () => {
  const rig = await LinkRig.started();
  await rig.until(rig.place());
  const [order] = rig.orders;
  if (!order) throw new Error('nothing was placed');
  const { id: clientId, symbol } = order;
  const trade = { tradeId: 't1', clientId, symbol, side: 'BUY', price: '50000', qty: '0.004' } as const;
  const cost = { comm: '0', commAsset: 'BTC', maker: true, rPnl: null, posSide: 'BOTH' } as const;
  // From now on the exchange tells no balances, neither in events nor on request.
  rig.venue.balancesAre = rig.unanswered;
  rig.venue.sink?.fill({ ...trade, ...cost, time: rig.clock.wall() });
  await rig.clock.settle();
  const figures = () =>
    ['BTC', 'USDT'].map((asset) => {
      const { free, locked } = balanceNow(rig.core.engine.memory.account(rig.venue.account.id), asset);
      return [asset, str(free), str(locked)];
    });
  const before = figures();
  expect(before).toEqual([
    ['BTC', '0.004', '0'],
    ['USDT', '99500', '300'],
  ]);
  const { engine } = rig.core;
  const commit = rig.store.commit.bind(rig.store);
  rig.store.commit = () => {
    rig.store.commit = commit;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  await rig.until(rig.place());
  expect(rig.core.engine).not.toBe(engine);
  expect(figures()).toEqual(before);
});

it('what is of others, what has moved and what waits for its order stay known, too', async () => {
  const rig = new LinkRig('futures', 2, undefined, { triggersMakeOrders: true });
  await rig.until(rig.core.start());
  const fill = (clientId: string, time: number, symbol = 'BTCUSDT') => ({
    tradeId: clientId,
    clientId,
    symbol,
    side: 'SELL' as const,
    price: '50000',
    qty: '0.004',
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH' as const,
    time,
  });
  rig.venue.submitted = async ({ clientId, symbol, quantity = '0' }) => ({
    kind: 'accepted',
    state: { clientId, symbol, status: 'PENDING', origQty: quantity, cumQty: '0', seq: 1, time: 1 },
  });
  await rig.until(rig.place({ side: 'SELL', type: 'STOP_LIMIT', stopPrice: '51000' }));
  const [stop] = rig.orders;
  const asked: string[] = [];
  rig.venue.fills = async ({ symbol, after }) => {
    asked.push(symbol);
    return { fills: [], next: after, more: false };
  };
  // The query about the stop, which is not known to be triggered.
  rig.venue.query = rig.unanswered;
  rig.venue.sink?.fill(fill('child', rig.clock.wall()));
  rig.position('S1USDT', '1');
  await rig.clock.settle();
  const commit = rig.store.commit.bind(rig.store);
  const { engine } = rig.core;
  rig.store.commit = () => {
    rig.store.commit = commit;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  asked.length = 0;
  await rig.until(rig.place({ price: '49000' }));
  expect(rig.core.engine).not.toBe(engine);
  rig.venue.sink?.stream('gap');
  await rig.clock.settle();
  expect(asked).toContain('S1USDT');
  // Executions from before the connection still count as the past.
  rig.venue.sink?.fill(fill('web_old', 1, 'S1USDT'));
  rig.venue.sink?.order({
    clientId: stop?.id ?? '',
    symbol: 'BTCUSDT',
    status: 'WORKING',
    origQty: '0.01',
    cumQty: '0.004',
    seq: 2,
    time: 2,
    venueIds: ['child-id'],
  });
  await rig.clock.settle();
  expect(rig.orders.map(({ id }) => id)).not.toContain('web_old');
  const waiting = rig.core.engine.memory.parked.map(({ fill: { clientId } }) => clientId);
  expect(waiting).toEqual(['child']);
});

it('an order that ended long ago is still in memory while an execution waits that may be of another one of its name', async () => {
  const store = openSqliteStore(':memory:');
  const past = {
    status: 'CLOSED',
    phase: 'done',
    endedAt: 1,
    external: true,
    exchange: 'said-futures',
  } as const;
  store.commit([
    { kind: 'order', order: order('adl', past) },
    { kind: 'wire-id', name: { exchange: 'said-futures', symbol: 'BTCUSDT', wireId: 'v1', orderId: 'adl' } },
  ]);
  const rig = new LinkRig('futures', 1, store, { triggersMakeOrders: true });
  await rig.until(rig.core.start());
  rig.venue.submitted = async ({ clientId, symbol, quantity = '0' }) => ({
    kind: 'accepted',
    state: { clientId, symbol, status: 'PENDING', origQty: quantity, cumQty: '0', seq: 1, time: 1 },
  });
  await rig.until(rig.place({ side: 'SELL', type: 'STOP_LIMIT', stopPrice: '51000' }));
  rig.venue.query = rig.unanswered;
  rig.venue.sink?.fill({
    tradeId: 't2',
    clientId: 'adl',
    venueId: 'v2',
    symbol: 'BTCUSDT',
    side: 'SELL',
    price: '50000',
    qty: '0.004',
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time: rig.clock.wall(),
  });
  await rig.clock.settle();
  const { engine } = rig.core;
  const commit = rig.store.commit.bind(rig.store);
  rig.store.commit = () => {
    rig.store.commit = commit;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  await rig.until(rig.place({ price: '49000' }));
  expect(rig.core.engine).not.toBe(engine);
  expect(rig.core.engine.memory.parked).toHaveLength(1);
  expect(rig.core.engine.memory.orders.has('adl')).toBe(true);
});

describe('what rides with a commit that fails and is true all the same', () => {
  const failsOnce = (rig: LinkRig) => {
    const commit = rig.store.commit.bind(rig.store);
    rig.store.commit = () => {
      rig.store.commit = commit;
      throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
    };
  };

  it('goes with the next one, once: lines of the log, candles, the equity of the day', async () => {
    const rig = await LinkRig.started();
    const candle = { time: 60_000, open: '1', high: '2', low: '1', close: '2', volume: '3' };
    rig.core.report('warn', 'exchange', 'said before it failed');
    rig.core.turn.keep({ kind: 'candle', market: 'm', symbol: 'BTCUSDT', candle });
    rig.core.turn.keep({ kind: 'meta', name: 'equity-day', value: { day: 1, usd: '5.00' } });
    failsOnce(rig);
    expect((await rig.until(rig.place())).status).toBe(503);
    rig.core.report('warn', 'exchange', 'said after it failed');
    await rig.until(rig.place());
    rig.core.turn.flush(true);
    const { log, meta } = rig.store.load(0);
    const said = log.map(({ text }) => text).filter((text) => text.startsWith('said'));
    expect(said).toEqual(['said before it failed', 'said after it failed']);
    expect(rig.store.candles('m', 'BTCUSDT', 0, 120_000)).toEqual([candle]);
    expect(meta.get('equity-day')).toEqual({ day: 1, usd: '5.00' });
  });

  it('is bounded while the store takes nothing: the newest thousand are kept', async () => {
    const rig = await LinkRig.started();
    for (let n = 0; n < 900; n++) rig.core.turn.keep({ kind: 'meta', name: `a${n}`, value: n });
    failsOnce(rig);
    await rig.until(rig.place());
    for (let n = 0; n < 900; n++) rig.core.turn.keep({ kind: 'meta', name: `b${n}`, value: n });
    failsOnce(rig);
    await rig.until(rig.place());
    await rig.until(rig.place());
    const names = [...rig.store.load(0).meta.keys()];
    expect(names.filter((name) => /^b\d/.test(name))).toHaveLength(900);
    const older = names.filter((name) => /^a\d/.test(name));
    expect(older.length).toBeGreaterThan(80);
    expect(older.length).toBeLessThanOrEqual(100);
    expect(older).toContain('a899');
  });

  it('is when an account was first connected, and what it trades', async () => {
    const rig = new LinkRig('spot', 1);
    const list = rig.venue.instruments();
    rig.venue.instruments = () => (rig.venue.sink ? list : []);
    const from = rig.clock.wall();
    rig.venue.open = async (sink) => {
      rig.venue.sink = sink;
      failsOnce(rig);
    };
    await rig.until(rig.core.start());
    await rig.until(rig.place());
    await rig.clock.advance(3_600_000);
    await rig.until(rig.place());
    const { meta } = rig.store.load(0);
    expect(meta.get('connected said-spot')).toBe(from);
    expect(meta.get('instruments said-spot')).toHaveLength(1);
  });
});
