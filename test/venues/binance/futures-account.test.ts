/**
 * A USD-M futures account against the emulator: orders of both families, events of the stream, lost requests
 * and answers, settings.
 */
import { describe, expect, it } from 'vitest';
import { FIRES_WITHIN_MS } from '../../../src/venues/binance/futures/user-events.ts';
import { KEEP_EVERY_MS, OWED_MS } from '../../../src/venues/binance/futures/user-stream.ts';
import { TEST_KEY } from '../../emulators/binance/keys.ts';
import { LIMITS } from '../../emulators/binance/limits.ts';
import { futuresRig, orderOf, type Rig } from './futures-rig.ts';

const STOP = { type: 'STOP_MARKET', side: 'SELL', stopPrice: '58000', reduceOnly: true } as const;

async function opened(...given: Parameters<typeof futuresRig>): Promise<Rig> {
  const rig = futuresRig(...given);
  await rig.open();
  return rig;
}

/** The reported states of an order, without repeated ones. */
function statesOf({ told }: Rig, clientId: string): string[] {
  const all = told.orders.filter((one) => one.clientId === clientId);
  return all
    .map(({ status, cumQty }) => `${status} ${cumQty}`)
    .filter((one, at, list) => one !== list[at - 1]);
}

const one = (rig: Rig, clientId: string) =>
  rig.during(rig.venue.query({ clientId, symbol: 'BTCUSDT' }), 20_000);

describe('an order', () => {
  it('that opens a position and one that closes it leave the account as the exchange has it', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    await rig.submit({ clientId: 'bf-2', side: 'SELL', reduceOnly: true });
    await rig.clock.advance(100);
    expect(rig.told.fills.map(({ clientId, side, qty }) => `${clientId} ${side} ${qty}`)).toEqual([
      'bf-1 BUY 0.01',
      'bf-2 SELL 0.01',
    ]);
    expect(rig.told.positions.map(({ amount }) => amount)).toEqual(['0.01', '0']);
    const [told] = rig.told.balances.slice(-1);
    const asked = await rig.during(rig.venue.balances());
    expect(asked?.find(({ asset }) => asset === 'USDT')).toEqual(told);
    expect(await rig.during(rig.venue.futures.positions())).toEqual([]);
  });

  it('that is post-only and would take, or ends too soon, is refused by its code', async () => {
    const rig = await opened();
    const refused = async (order: Parameters<Rig['submit']>[0]) => {
      const outcome = await rig.submit(order);
      return outcome.kind === 'rejected' ? outcome.reason : outcome.kind;
    };
    expect(await refused({ type: 'LIMIT_MAKER', price: '60100' })).toBe('POST_ONLY');
    const goodTillDate = Math.ceil(rig.emulator.now() / 1_000) * 1_000 + 60_000;
    expect(await refused({ type: 'LIMIT', price: '59000', goodTillDate })).toBe('UNSUPPORTED');
    expect(await refused({ type: 'LIMIT', price: '59000', quantity: '50' })).toBe('BALANCE');
    expect(await refused({ ...STOP, stopPrice: '61000', reduceOnly: false })).toBe('STOP_PASSED');
    expect(await refused({ clientId: 'bf-x', side: 'SELL', reduceOnly: true })).toBe('REDUCE_ONLY');
    expect(await refused({ quoteOrderQty: '100' })).toBe('UNSUPPORTED');
    expect(rig.sent.filter((path) => path.startsWith('POST /fapi/v1/order'))).toHaveLength(4);
  });

  it('whose id is in use may be the one that has it, delivered twice: nobody knows, and it is asked for', async () => {
    const rig = futuresRig();
    await rig.open();
    const order = { clientId: 'bf-same', type: 'LIMIT', price: '50000' } as const;
    expect(await rig.submit(order)).toMatchObject({ kind: 'accepted' });
    expect(await rig.submit(order)).toMatchObject({ kind: 'unknown' });
  });

  it('with an end date is ended by the exchange itself', async () => {
    const rig = await opened();
    const goodTillDate = Math.ceil(rig.emulator.now() / 1_000) * 1_000 + 700_000;
    await rig.submit({ clientId: 'bf-1', type: 'LIMIT', price: '59000', goodTillDate });
    await rig.clock.advance(720_000);
    expect(statesOf(rig, 'bf-1')).toEqual(['WORKING 0', 'CANCELLED 0']);
  });

  it('that closes, and that others which rest would close already, may be taken once they are gone', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    await rig.clock.advance(50);
    rig.refuse('/fapi/v1/order', -2022, 'ReduceOnly Order is rejected.');
    expect(await rig.submit({ clientId: 'bf-2', side: 'SELL', reduceOnly: true })).toMatchObject({
      kind: 'rejected',
      reason: 'EXITS_REST',
    });
    rig.refuse('/fapi/v1/order', -4118, 'ReduceOnly Order Failed.');
    expect(await rig.submit({ clientId: 'bf-3', side: 'SELL', reduceOnly: true })).toMatchObject({
      reason: 'EXITS_REST',
    });
  });
});

describe('what waits for a trigger', () => {
  it('is one order with what its trigger makes, by events and by answers', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    const placed = await rig.submit({ clientId: 'bf-2', ...STOP });
    expect(placed).toMatchObject({ kind: 'accepted', state: { status: 'PENDING', venueIds: [/^a\d+$/] } });
    rig.emulator.printFutures('BTCUSDT', '57999.9');
    await rig.clock.advance(100);
    expect(statesOf(rig, 'bf-2')).toEqual(['PENDING 0', 'WORKING 0', 'FILLED 0.01']);
    const [last] = rig.told.orders.slice(-1);
    expect(last?.venueIds).toEqual([expect.stringMatching(/^a\d+$/), expect.stringMatching(/^\d+$/)]);
    expect(rig.told.fills.at(-1)).toMatchObject({ clientId: 'bf-2', venueId: last?.venueIds?.[1] });
    const asked = await rig.during(
      rig.venue.query({ clientId: '', symbol: 'BTCUSDT', venueIds: [last?.venueIds?.[0] ?? ''] }),
    );
    expect(asked).toMatchObject({
      kind: 'found',
      state: { clientId: 'bf-2', status: 'FILLED', cumQty: '0.01' },
    });
    expect(asked.kind === 'found' && asked.fills).toHaveLength(1);
  });

  it('is the same to another process, which has heard nothing of it', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    await rig.submit({ clientId: 'bf-2', ...STOP, type: 'STOP_LIMIT', price: '60500' });
    const next = rig.again();
    await next.open();
    expect(await one(next, 'bf-2')).toMatchObject({ kind: 'found', state: { status: 'PENDING' } });
    rig.emulator.printFutures('BTCUSDT', '57999.9');
    await rig.clock.advance(100);
    const open = await next.during(next.venue.openOrders());
    expect(open).toMatchObject([{ clientId: 'bf-2', status: 'WORKING', origQty: '0.01' }]);
    const since = rig.clock.wall() - 60_000;
    const page = await next.during(next.venue.fills({ symbol: 'BTCUSDT', after: null, since }));
    expect(page?.fills.map(({ clientId }) => clientId)).toEqual(['bf-1']);
    expect(await one(next, 'bf-2')).toMatchObject({ kind: 'found', state: { status: 'WORKING' } });
    expect(await next.during(next.venue.cancel({ clientId: 'bf-2', symbol: 'BTCUSDT' }))).toMatchObject({
      kind: 'done',
      state: { clientId: 'bf-2', status: 'CANCELLED' },
    });
  });

  it('has no end that is not told, where a replica does not know yet what its trigger has made', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    await rig.submit({ clientId: 'bf-2', ...STOP, type: 'STOP_LIMIT', price: '60500' });
    rig.emulator.printFutures('BTCUSDT', '57999.9');
    await rig.clock.advance(100);
    const body = '{"code":-2013,"msg":"Order does not exist."}';
    rig.net.refuses = { method: 'GET', path: '/fapi/v1/order?', body };
    expect(await one(rig, 'bf-2')).toMatchObject({ kind: 'unknown' });
    expect(rig.net.refuses).toBeNull();
    expect(await one(rig, 'bf-2')).toMatchObject({ kind: 'found', state: { status: 'WORKING' } });
  });

  it('trails in percent from its activation on, told twice as new and once as one order', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    const { stopPrice: _, ...stop } = STOP;
    await rig.submit({ clientId: 'bf-2', ...stop, trailingDelta: 50, activationPrice: '61000' });
    rig.emulator.printFutures('BTCUSDT', '61000.1');
    await rig.clock.advance(100);
    expect(rig.told.orders.at(-1)).toMatchObject({ status: 'PENDING', armedAt: expect.any(Number) });
    rig.emulator.printFutures('BTCUSDT', '60695');
    await rig.clock.advance(100);
    expect(statesOf(rig, 'bf-2')).toEqual(['PENDING 0', 'WORKING 0', 'FILLED 0.01']);
  });

  it('closes all of a position where it is to, whatever its size is then', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    const { reduceOnly: _, ...stop } = STOP;
    await rig.submit({ clientId: 'bf-2', ...stop, closePosition: true, quantity: '0' });
    await rig.submit({ clientId: 'bf-3' });
    rig.emulator.printFutures('BTCUSDT', '57999.9');
    await rig.clock.advance(100);
    expect(rig.told.orders.at(-1)).toMatchObject({ clientId: 'bf-2', status: 'FILLED', cumQty: '0.02' });
    expect(rig.told.positions.at(-1)).toMatchObject({ amount: '0' });
  });

  it('that closes a position is filled or not by what its trigger has made, whatever is told of it alone', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    const { reduceOnly: _, ...stop } = STOP;
    await rig.submit({ clientId: 'bf-2', ...stop, closePosition: true, quantity: '0' });
    rig.emulator.printFutures('BTCUSDT', '57999.9');
    await rig.clock.advance(100);
    const algo = rig.log.findLast(({ kind }) => kind === 'algo') as { algoId: number };
    const child = rig.told.orders.at(-1)?.venueIds?.[1];
    // The exchange has executed a part and ended the rest: the child order says so.
    rig.net.answers = [
      {
        path: '/fapi/v1/order?',
        change: (body) => ({ ...body, status: 'EXPIRED', executedQty: '0.004' }),
      },
    ];
    rig.forget();
    const at = { T: rig.emulator.now() + 10, E: rig.emulator.now() + 10 };
    rig.sockets()[0]?.message(
      JSON.stringify({
        e: 'ALGO_UPDATE',
        ...at,
        o: {
          caid: 'bf-2',
          aid: algo.algoId,
          at: 'CONDITIONAL',
          o: 'STOP_MARKET',
          s: 'BTCUSDT',
          S: 'SELL',
          ps: 'BOTH',
          f: 'GTC',
          q: '0',
          X: 'FINISHED',
          ai: child,
          aq: '0.004',
          tp: '58000',
          p: '0',
          wt: 'MARK_PRICE',
          cp: true,
          R: false,
        },
      }),
    );
    await rig.clock.advance(100);
    expect(statesOf(rig, 'bf-2')).toEqual(['WORKING 0.004', 'CANCELLED 0.004']);
  });

  it('counts as stuck where its trigger is met and nothing comes of it, and cannot be cancelled then', async () => {
    const rig = await opened({ triggeringMs: 60_000 });
    await rig.submit({ clientId: 'bf-1' });
    await rig.submit({ clientId: 'bf-2', ...STOP });
    rig.emulator.printFutures('BTCUSDT', '57999.9');
    await rig.clock.advance(FIRES_WITHIN_MS - 100);
    expect(rig.told.orders.some(({ stuck }) => stuck)).toBe(false);
    await rig.clock.advance(200);
    expect(rig.told.orders.at(-1)).toMatchObject({ clientId: 'bf-2', status: 'PENDING', stuck: true });
    expect(rig.reports.join()).toContain('nothing has come of it');
    expect(await rig.during(rig.venue.cancel({ clientId: 'bf-2', symbol: 'BTCUSDT' }))).toMatchObject({
      kind: 'rejected',
      reason: 'OVERLOADED',
    });
    rig.refuse('/fapi/v1/algoOrder', -2011, 'Unknown order sent.', 'DELETE');
    expect(await rig.during(rig.venue.cancel({ clientId: 'bf-2', symbol: 'BTCUSDT' }))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('cannot be cancelled at this moment'),
    });
    await rig.clock.advance(60_000);
    expect(rig.told.orders.at(-1)).toMatchObject({ clientId: 'bf-2', status: 'FILLED' });
  });

  it('is cancelled as what it is by then: waiting, made into another, or gone', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    await rig.submit({ clientId: 'bf-2', ...STOP });
    const cancel = (clientId: string) => rig.during(rig.venue.cancel({ clientId, symbol: 'BTCUSDT' }));
    expect(await cancel('bf-2')).toMatchObject({ kind: 'done', state: { status: 'CANCELLED', cumQty: '0' } });
    expect(await cancel('bf-2')).toMatchObject({ kind: 'gone', state: { status: 'CANCELLED' } });
    expect(await cancel('bf-nobody')).toEqual({ kind: 'gone', state: null });
    expect(statesOf(rig, 'bf-2')).toEqual(['PENDING 0', 'CANCELLED 0']);
  });
});

describe('a change of which the desk knows no price', () => {
  it.each<[string, delayMs: readonly [number, number], isStopped: boolean, why: string]>([
    ['its question took too long', [300, 300], false, 'UNREACHED'],
    ['its turn would come too late', [1, 1], true, 'BUDGET'],
  ])('is not sent where %s: what was asked for may be so no more', async (_, delayMs, isStopped, why) => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1', type: 'LIMIT', price: '59000' });
    if (isStopped) {
      rig.refuse('/fapi/v1/order', -1015, 'Too many new orders.');
      await rig.submit({ clientId: 'bf-2' });
      expect(rig.venue.canSend('exit', 'BTCUSDT')).not.toBeNull();
    }
    rig.net.faults = { delayMs };
    const now = rig.clock.monotonic();
    const outcome = rig.venue.amend(
      { clientId: 'bf-1', symbol: 'BTCUSDT' },
      { quantity: '0.02' },
      {
        lane: 'entry',
        notAfter: now + 500,
        waitUntil: Number.POSITIVE_INFINITY,
        onWaits: () => {},
        leaves: () => ({ notAfter: rig.clock.monotonic() + 500 }),
      },
    );
    expect(await rig.during(outcome, 20_000)).toMatchObject({ kind: 'rejected', reason: why });
    await rig.clock.advance(20_000);
    expect(rig.sent.filter((line) => line.startsWith('PUT /fapi/v1/order'))).toEqual([]);
  });
});

describe('hedge mode', () => {
  it('closes by the side of the position, never by reduceOnly, and tells sizes without a sign', async () => {
    const rig = await opened();
    const { futures } = rig.venue;
    expect(await rig.during(futures.setHedgeMode(true))).toEqual({ kind: 'done' });
    expect(await rig.during(futures.setHedgeMode(true))).toEqual({ kind: 'done' });
    await rig.submit({ clientId: 'bf-1', positionSide: 'LONG' });
    await rig.submit({ clientId: 'bf-2', side: 'SELL', positionSide: 'SHORT', quantity: '0.02' });
    const positions = await rig.during(futures.positions());
    expect(positions?.map(({ side, amount }) => `${side} ${amount}`)).toEqual(['LONG 0.01', 'SHORT 0.02']);
    const close = { clientId: 'bf-3', side: 'BUY', positionSide: 'SHORT', quantity: '0.02' } as const;
    expect(await rig.submit({ ...close, closePosition: true })).toMatchObject({ kind: 'accepted' });
    await rig.clock.advance(50);
    expect(rig.told.positions.at(-1)).toMatchObject({ side: 'SHORT', amount: '0' });
    expect(await rig.during(futures.setHedgeMode(false))).toMatchObject({
      kind: 'rejected',
      code: '-4068',
      message: expect.stringContaining('close all positions first'),
    });
  });
});

describe('settings', () => {
  it('are read and changed, and a change that is none is done', async () => {
    const rig = await opened();
    const { futures } = rig.venue;
    expect(await rig.during(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 7 }))).toEqual({
      kind: 'done',
    });
    for (let n = 0; n < 2; n++)
      expect(await rig.during(futures.setMarginType('BTCUSDT', 'ISOLATED'))).toEqual({ kind: 'done' });
    await rig.clock.advance(50);
    expect(await rig.during(futures.leverage(['BTCUSDT', 'NOSUCH']))).toMatchObject([
      { symbol: 'BTCUSDT', side: 'BOTH', leverage: 7, marginType: 'ISOLATED' },
    ]);
    // No other client has changed anything: nothing needs a comparison.
    expect(rig.told.stream).toEqual(['up']);
    expect(await rig.during(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 126 }))).toMatchObject({
      kind: 'rejected',
      code: '-4028',
    });
    expect(await rig.during(futures.marginMode())).toBe(1);
    expect(await rig.during(futures.setMarginMode(1))).toEqual({ kind: 'done' });
    expect(await rig.during(futures.setMarginMode(2))).toMatchObject({
      kind: 'rejected',
      code: 'MARGIN_MODE',
    });
    expect(await rig.during(futures.setMarginMode(3))).toMatchObject({
      kind: 'rejected',
      code: 'MARGIN_MODE',
    });
    expect(futures.brackets('BTCUSDT')[0]).toMatchObject({ initialLeverage: 125, notionalFloor: '0' });
  });

  it('that others change lead to a comparison', async () => {
    const rig = await opened();
    rig.signed('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: '3' });
    await rig.clock.advance(50);
    expect(rig.told.stream).toEqual(['up', 'gap']);
  });

  it('whose answer is lost may have been made', async () => {
    const rig = await opened();
    rig.net.loses = { what: 'answer', methods: ['POST'] };
    expect(await rig.during(rig.venue.futures.setLeverage({ symbol: 'BTCUSDT', leverage: 9 }))).toMatchObject(
      {
        kind: 'unknown',
      },
    );
  });
});

describe('multi-assets mode', () => {
  it('is said, opens nothing new, and lets go on what closes', async () => {
    const exchange = futuresRig();
    exchange.signed('POST', '/fapi/v1/multiAssetsMargin', { multiAssetsMargin: 'true' });
    await exchange.open();
    expect(exchange.reports.join()).toContain('multi-assets mode');
    expect(await exchange.submit({ clientId: 'bf-1' })).toMatchObject({
      kind: 'rejected',
      reason: 'ACCOUNT_RESTRICTED',
      message: expect.stringContaining('set margin mode 1'),
    });
    const closing = { lane: 'exit', notAfter: Infinity, waitUntil: Infinity, onWaits: () => {} } as const;
    const leaves = () => ({ notAfter: Infinity });
    exchange.signed('POST', '/fapi/v1/order', {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'MARKET',
      quantity: '0.01',
    });
    const close = orderOf({ clientId: 'bf-2', side: 'SELL', reduceOnly: true });
    expect(await exchange.during(exchange.venue.submit(close, { ...closing, leaves }))).toMatchObject({
      kind: 'accepted',
    });
    expect(await exchange.during(exchange.venue.futures.setMarginMode(1))).toEqual({ kind: 'done' });
    expect(await exchange.submit({ clientId: 'bf-3' })).toMatchObject({ kind: 'accepted' });
    exchange.signed('POST', '/fapi/v1/multiAssetsMargin', { multiAssetsMargin: 'true' });
    await exchange.clock.advance(50);
    expect(await exchange.submit({ clientId: 'bf-4' })).toMatchObject({
      kind: 'rejected',
      code: 'MULTI_ASSETS',
    });
  });
});

describe('a waiting order whose reduceOnly the exchange does not take (-1106)', () => {
  const refused = ['/fapi/v1/algoOrder', -1106, "Parameter 'reduceonly' sent when not required."] as const;

  it('is sent as one that closes the position where it would close all of it', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1' });
    await rig.clock.advance(50);
    rig.refuse(...refused);
    expect(await rig.submit({ clientId: 'bf-2', ...STOP })).toMatchObject({ kind: 'accepted' });
    const last = rig.sent.findLast((line) => line.startsWith('POST /fapi/v1/algoOrder'));
    expect(last).toContain('closePosition=true');
    expect(last).not.toContain('reduceOnly');
    rig.emulator.printFutures('BTCUSDT', '57999.9');
    await rig.clock.advance(100);
    expect(rig.told.orders.at(-1)).toMatchObject({ clientId: 'bf-2', status: 'FILLED', cumQty: '0.01' });
  });

  it('is refused in words where another one would do more than it was for', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1', quantity: '0.02' });
    await rig.clock.advance(50);
    const { stopPrice: _, ...trailing } = { ...STOP, trailingDelta: 100, quantity: '0.02' };
    const limit = { ...STOP, type: 'STOP_LIMIT', price: '57000', quantity: '0.02' } as const;
    for (const order of [STOP, limit, trailing]) {
      rig.refuse(...refused);
      const outcome = await rig.submit({ clientId: 'bf-2', ...order });
      expect(outcome).toMatchObject({ kind: 'rejected', message: expect.stringContaining('reduceOnly') });
    }
    expect(rig.sent.filter((line) => line.startsWith('POST /fapi/v1/algoOrder'))).toEqual([]);
  });
});

describe('what is lost on the way', () => {
  it.each(['request', 'answer'] as const)(
    'makes an order unknown, and a question tells: the %s',
    async (what) => {
      for (const order of [{ type: 'LIMIT', price: '59000' } as const, STOP]) {
        const rig = await opened();
        await rig.submit({ clientId: 'bf-0' });
        rig.net.loses = { what, methods: ['POST'] };
        expect(await rig.submit({ clientId: 'bf-1', ...order })).toMatchObject({ kind: 'unknown' });
        expect(await one(rig, 'bf-1')).toMatchObject({ kind: what === 'answer' ? 'found' : 'absent' });
      }
    },
  );

  it('never left where no connection was made', async () => {
    const rig = await opened();
    rig.net.down = true;
    expect(await rig.submit({})).toMatchObject({ kind: 'rejected', reason: 'UNREACHED' });
    expect(await rig.during(rig.venue.openOrders(), 30_000)).toBeNull();
    expect(await rig.during(rig.venue.cancel({ clientId: 'bf-1', symbol: 'BTCUSDT' }))).toMatchObject({
      kind: 'unknown',
    });
  });

  it('proves nothing where a page, or an unknown status, comes instead of an answer', async () => {
    const rig = await opened();
    for (const faults of [{ htmlPage: 1 }, { executedUnknown: 1 }]) {
      rig.net.faults = faults;
      expect(await rig.submit({ clientId: `bf-${Object.keys(faults)}` })).toMatchObject({ kind: 'unknown' });
    }
    rig.net.faults = { failed: 1 };
    expect(await rig.submit({ clientId: 'bf-9' })).toMatchObject({ kind: 'rejected', reason: 'OVERLOADED' });
  });

  it('is sent within the limits that the exchange states', async () => {
    const rig = await opened({ futuresLimits: { ...LIMITS.futures, weightPerMinute: 1_800 } });
    const [weight] = rig.venue.health().budgets;
    expect(weight).toMatchObject({ limit: 1_800, windowMs: 60_000 });
    expect(weight?.used).toBe(1 + 1 + 1 + 5 + 5 + 1);
  });

  it('keeps a cancel waiting where the address is over its limits, and refuses the order', async () => {
    const rig = await opened();
    await rig.submit({ clientId: 'bf-1', type: 'LIMIT', price: '59000' });
    rig.net.faults = { limited: 1 };
    expect(await rig.submit({ clientId: 'bf-2' })).toMatchObject({
      kind: 'rejected',
      reason: 'RATE_LIMITED',
    });
    rig.net.faults = {};
    expect(rig.venue.canSend('entry', 'BTCUSDT')).toMatchObject({ retryAfterMs: expect.any(Number) });
    const cancel = rig.venue.cancel({ clientId: 'bf-1', symbol: 'BTCUSDT' });
    expect(await rig.during(cancel, 10_000)).toMatchObject({ kind: 'done' });
  });
});

describe('the user stream', () => {
  it('is there again after a cut, and says that something may be missing', async () => {
    const rig = await opened();
    rig.net.cut('cut');
    await rig.clock.advance(3_000);
    expect(rig.told.stream).toEqual(['up', 'down', 'up']);
    await rig.submit({ clientId: 'bf-1' });
    await rig.clock.advance(50);
    expect(rig.told.fills).toHaveLength(1);
  });

  it('is kept alive by its key', async () => {
    const rig = await opened();
    for (let hour = 0; hour < 2; hour++) await rig.clock.advance(3_600_000);
    expect(rig.told.stream).toEqual(['up']);
    await rig.submit({ clientId: 'bf-1' });
    await rig.clock.advance(50);
    expect(rig.told.fills).toHaveLength(1);
    const kept = rig.sent.filter((path) => path.startsWith('PUT /fapi/v1/listenKey')).length;
    expect(kept).toBe((2 * 3_600_000) / KEEP_EVERY_MS);
  });

  it('keeps its key a minute later where the question failed: in another half hour it would be dead', async () => {
    const rig = await opened();
    const kept = () => rig.sent.filter((path) => path.startsWith('PUT /fapi/v1/listenKey')).length;
    rig.net.loses = { what: 'request', methods: ['PUT'] };
    await rig.clock.advance(KEEP_EVERY_MS + 1_000);
    expect([kept(), rig.net.loses]).toEqual([0, null]);
    await rig.clock.advance(60_000);
    expect(kept()).toBe(1);
    await rig.clock.advance(KEEP_EVERY_MS);
    expect(kept()).toBe(2);
    expect(rig.told.stream).toEqual(['up']);
  });

  it('has a new key and a new socket where another program has ended the key', async () => {
    const rig = await opened();
    rig.ask('DELETE', '/fapi/v1/listenKey');
    rig.forget();
    await rig.submit({ clientId: 'bf-1' });
    await rig.clock.advance(OWED_MS + 3_000);
    expect(rig.told.stream).toEqual(['down', 'up']);
    await rig.submit({ clientId: 'bf-2' });
    await rig.clock.advance(50);
    expect(rig.told.fills.map(({ clientId }) => clientId)).toEqual(['bf-2']);
  });

  it('is watched when it was opened again while an order was owed its event', async () => {
    const rig = await opened();
    rig.ask('DELETE', '/fapi/v1/listenKey');
    await rig.submit({ clientId: 'bf-1' });
    await rig.open();
    rig.ask('DELETE', '/fapi/v1/listenKey');
    rig.forget();
    await rig.submit({ clientId: 'bf-2' });
    await rig.clock.advance(OWED_MS + 3_000);
    expect(rig.told.stream).toEqual(['down', 'up']);
  });

  it('has a new socket where another program has ended the key and made its own before ours was kept', async () => {
    const rig = await opened();
    rig.ask('DELETE', '/fapi/v1/listenKey');
    rig.ask('POST', '/fapi/v1/listenKey');
    const before = rig.sockets().length;
    await rig.clock.advance(KEEP_EVERY_MS + 5_000);
    expect(rig.sockets().length).toBe(before + 1);
    expect(rig.told.stream.slice(-2)).toEqual(['down', 'up']);
    await rig.submit({ clientId: 'bf-after' });
    await rig.clock.advance(1_000);
    expect(rig.told.fills).toHaveLength(1);
  });

  it('asks for a comparison where an event cannot be read, and goes on', async () => {
    const rig = await opened();
    const [socket] = rig.sockets();
    socket?.message('{"e":"ORDER_TRADE_UPDATE","E":1,"T":1,"o":{}}');
    socket?.message('{"e":"SOMETHING_NEW","E":1}');
    socket?.message('{"e":"MARGIN_CALL","E":1,"p":[]}');
    await rig.clock.advance(50);
    expect(rig.told.stream).toEqual(['up', 'gap']);
    expect(rig.reports.join('\n')).toMatch(/ORDER_TRADE_UPDATE[\s\S]*SOMETHING_NEW[\s\S]*MARGIN CALL/);
  });

  it('tells a liquidation as an execution of the exchange itself', async () => {
    const rig = await opened({ futuresBalances: { USDT: '100' } });
    await rig.during(rig.venue.futures.setLeverage({ symbol: 'BTCUSDT', leverage: 125 }));
    await rig.submit({ clientId: 'bf-1', quantity: '0.1' });
    rig.emulator.printFutures('BTCUSDT', '59000');
    await rig.clock.advance(50);
    expect(rig.told.fills.at(-1)).toMatchObject({ liquidation: true, side: 'SELL', qty: '0.1' });
    expect(rig.told.positions.at(-1)).toMatchObject({ amount: '0' });
  });
});

describe('an account that cannot be opened', () => {
  it.each([
    [
      'a wrong secret',
      { keys: [{ apiKey: TEST_KEY.apiKey, secret: 'another' }] },
      /the secret does not belong/,
    ],
    ['a key that is not known', { keys: [] }, /the API key is not known there|API key is wrong/],
    ['portfolio margin', { portfolioMargin: true }, /portfolio margin/],
  ])('says what to do: %s', async (_, settings, words) => {
    await expect(opened(settings)).rejects.toThrow(words);
  });

  it('opens though the clocks differ, and is signed by the time of the exchange', async () => {
    const rig = await opened({ clockAheadMs: -90_000 });
    expect(await rig.submit({})).toMatchObject({ kind: 'accepted' });
    expect(Math.abs((rig.venue.health().clockOffsetMs ?? 0) + 90_000)).toBeLessThan(50);
    rig.emulator.clockAheadMs = 90_000;
    expect(await rig.submit({ clientId: 'bf-2' })).toMatchObject({ kind: 'rejected', reason: 'CLOCK' });
    await rig.clock.advance(100);
    expect(await rig.submit({ clientId: 'bf-3' })).toMatchObject({ kind: 'accepted' });
  });

  it('says who it is, what its key may do, and what it pays', async () => {
    const rig = await opened();
    expect(await rig.during(rig.venue.identity())).toEqual({ id: expect.stringMatching(/\w+/) });
    expect(await rig.during(rig.venue.permissions?.() ?? Promise.resolve(null))).toMatchObject({
      trade: true,
      withdraw: false,
      addresses: [],
    });
    expect(await rig.during(rig.venue.feeRates())).toEqual({ maker: '0.0002', taker: '0.0005' });
  });
});
