/**
 * Events of a futures account, as the whole account tells them: executions field by field, wallets and
 * positions, orders held back beside waiting ones of two symbols, and what is asked for where an event does
 * not say it all.
 */
import { describe, expect, it } from 'vitest';
import { futuresRig } from './futures-rig.ts';
import { HandAnswers } from './hand-answers-support.ts';

const ALGO_ORDER = 'GET /fapi/v1/algoOrder';
const LINKS = 'GET /fapi/v1/allAlgoOrders';
const ORDER = 'GET /fapi/v1/order';
const TRADES = 'GET /fapi/v1/userTrades';

async function opened() {
  const rig = futuresRig();
  await rig.open();
  rig.forget();
  rig.reports.length = 0;
  const hand = new HandAnswers(rig.net);
  const told: string[] = [];
  for (const name of ['orders', 'fills', 'positions', 'balances'] as const) {
    const list = rig.told[name] as unknown[];
    const value = (...more: unknown[]) => {
      told.push(name);
      return Array.prototype.push.apply(list, more);
    };
    Object.defineProperty(list, 'push', { value });
  }
  const tell = (event: object) => rig.sockets().at(-1)?.message(JSON.stringify(event));
  return { rig, hand, tell, order: told };
}

const update = (more: object, T = 20) => ({
  ...{ e: 'ORDER_TRADE_UPDATE', E: 25, T },
  o: {
    ...{ s: 'BTCUSDT', c: 'bf-1', S: 'SELL', o: 'LIMIT', ot: 'LIMIT', f: 'GTC', q: '2.000', p: '50.10', sp: '0' },
    ...{ x: 'TRADE', X: 'PARTIALLY_FILLED', i: 77, l: '0.500', z: '0.750', L: '50.20', N: 'USDT', n: '0.0100' },
    ...{ T: 19, t: 5, m: true, R: false, wt: 'CONTRACT_PRICE', ps: 'BOTH', cp: false, rp: '-1.50', er: '0' },
    ...more,
  },
});
const algo = (X: string, more: object = {}, T = 10) => ({
  ...{ e: 'ALGO_UPDATE', E: 15, T },
  o: {
    ...{ caid: 'bf-a', aid: 4, at: 'CONDITIONAL', o: 'STOP_MARKET', s: 'BTCUSDT', S: 'SELL', ps: 'BOTH' },
    ...{ f: 'GTC', q: '2', X, ai: '', tp: '40', p: '0', wt: 'MARK_PRICE', cp: false, R: true },
    ...more,
  },
});
const account = (m: string, B: object[] | undefined, P: object[] | undefined, T = 20) => ({
  ...{ e: 'ACCOUNT_UPDATE', E: 25, T, a: { m, B, P } },
});
const position = (more: object) => ({
  ...{ s: 'BTCUSDT', pa: '2.000', ep: '100.0', bep: '101.0', cr: '0', up: '10.0', mt: 'isolated', iw: '7.50', ps: 'BOTH' },
  ...more,
});
const FILL = {
  ...{ tradeId: '5', clientId: 'bf-1', venueId: '77', symbol: 'BTCUSDT', side: 'SELL', price: '50.2' },
  ...{ qty: '0.5', comm: '0.01', commAsset: 'USDT', maker: true, rPnl: '-1.5', posSide: 'BOTH', time: 19 },
};

describe('an execution of futures', () => {
  it('is told after its order, with all that the event has, of two orders', async () => {
    const { rig, tell, order } = await opened();
    tell(update({}));
    tell(
      update(
        {
          ...{ s: 'ETHUSDT', c: 'bf-2', S: 'BUY', i: 78, t: 6, l: '2', z: '2', L: '3.10', n: '-0.2', N: 'BNB' },
          ...{ X: 'FILLED', m: false, rp: '0', ps: 'SHORT', T: undefined },
        },
        30,
      ),
    );
    expect(rig.told.fills).toEqual([
      FILL,
      {
        ...{ tradeId: '6', clientId: 'bf-2', venueId: '78', symbol: 'ETHUSDT', side: 'BUY', price: '3.1' },
        ...{ qty: '2', comm: '-0.2', commAsset: 'BNB', maker: false, rPnl: '0', posSide: 'SHORT', time: 30 },
      },
    ]);
    expect(rig.told.orders).toMatchObject([
      { clientId: 'bf-1', venueIds: ['77'], status: 'WORKING', cumQty: '0.75', seq: 20 },
      { clientId: 'bf-2', venueIds: ['78'], status: 'FILLED', cumQty: '2', seq: 30 },
    ]);
    expect([order, rig.told.stream, rig.reports]).toEqual([['orders', 'fills', 'orders', 'fills'], [], []]);
  });

  it('with a figure left out has none, and one of a liquidation goes before its order', async () => {
    const { rig, tell, order } = await opened();
    tell(update({ n: null, N: null, m: undefined, rp: undefined, ps: undefined }));
    expect(rig.told.fills).toEqual([{ ...FILL, comm: '0', commAsset: '', maker: false, rPnl: '0' }]);
    rig.forget();
    order.length = 0;
    tell(update({ c: 'autoclose-1', x: 'CALCULATED', i: 79 }));
    expect(rig.told.fills).toEqual([{ ...FILL, clientId: 'autoclose-1', venueId: '79', liquidation: true }]);
    expect(order).toEqual(['fills', 'orders']);
  });

  it.each<[string, object]>([
    ['a new order', { x: 'NEW', X: 'NEW', t: 0, l: '0' }],
    ['a cancelled one, with the figures of its last execution', { x: 'CANCELED', X: 'CANCELED' }],
    ['an expired one, with the figures of its last execution', { x: 'EXPIRED', X: 'EXPIRED' }],
    ['an amended one', { x: 'AMENDMENT', X: 'PARTIALLY_FILLED' }],
    ['an execution without a number', { t: 0 }],
    ['an execution of no number', { t: undefined }],
    ['an execution of nothing', { l: '0.00' }],
    ['an execution of no quantity', { l: '' }],
  ])('is none where the event is of %s', async (_, more) => {
    const { rig, tell } = await opened();
    tell(update(more));
    expect([rig.told.fills.length, rig.told.orders.length]).toEqual([0, 1]);
  });

  it('adds what it has realised to its position alone, on its side', async () => {
    const { rig, tell } = await opened();
    tell(
      account('ORDER', undefined, [
        position({ ps: 'LONG' }),
        position({ ps: 'SHORT', pa: '-3' }),
        position({ s: 'ETHUSDT', ps: 'LONG' }),
      ]),
    );
    tell(update({ ps: 'LONG', rp: '4' }));
    tell(update({ ps: 'SHORT', rp: '-7', S: 'BUY', t: 6 }));
    // Nothing of it is an execution.
    tell(update({ ps: 'LONG', rp: '100', x: 'CANCELED', X: 'CANCELED' }));
    rig.told.positions.length = 0;
    tell(
      account('ORDER', undefined, [
        position({ ps: 'LONG', pa: '1' }),
        position({ ps: 'SHORT', pa: '-1' }),
        position({ s: 'ETHUSDT', ps: 'LONG', pa: '1' }),
      ]),
    );
    expect(rig.told.positions.map(({ realizedPnl }) => realizedPnl)).toEqual(['4', '-7', '0']);
  });
});

describe('an account update of futures', () => {
  it('tells wallets and positions as they are then, and only what it has', async () => {
    const { rig, tell, order } = await opened();
    tell(account('ORDER', [{ a: 'USDT', wb: '10.50', cw: '9', bc: '1' }, { a: 'BNB', wb: '0.0', cw: '0' }], [
      position({}),
      position({ s: 'ETHUSDT', pa: '-4', ep: '50', up: '-8.0', mt: 'cross', iw: '0', ps: 'SHORT', bep: undefined }),
    ]));
    expect(rig.told.balances).toEqual([
      { asset: 'USDT', free: '10.5', locked: '0', time: 20 },
      { asset: 'BNB', free: '0', locked: '0', time: 20 },
    ]);
    expect(rig.told.positions).toMatchObject([
      {
        ...{ symbol: 'BTCUSDT', side: 'BOTH', amount: '2', entryPrice: '100', breakEvenPrice: '101' },
        ...{ markPrice: '105', unrealizedProfit: '10', marginType: 'ISOLATED', isolatedWallet: '7.5' },
        updateTime: 20,
      },
      {
        ...{ symbol: 'ETHUSDT', side: 'SHORT', amount: '4', entryPrice: '50', breakEvenPrice: '0' },
        ...{ markPrice: '52', unrealizedProfit: '-8', marginType: 'CROSSED', isolatedWallet: '0' },
      },
    ]);
    expect([order, rig.told.ledger]).toEqual([['balances', 'positions'], 0]);
    for (const [B, P, lists] of [
      [undefined, [position({})], ['positions']],
      [[{ a: 'USDT', wb: '1' }], undefined, ['balances']],
      [[], [], []],
    ] as const) {
      order.length = 0;
      tell(account('FUNDING_FEE', B && [...B], P && [...P]));
      expect(order).toEqual(lists);
    }
    expect(rig.told.ledger).toBe(3);
  });

  it('keeps what it does not say of a position, until that is flat', async () => {
    const { rig, hand, tell } = await opened();
    hand.on('GET /fapi/v3/positionRisk', [
      {
        ...{ symbol: 'BTCUSDT', positionSide: 'BOTH', positionAmt: '2', entryPrice: '100', breakEvenPrice: '101' },
        ...{ markPrice: '104', unRealizedProfit: '8', liquidationPrice: '60.50', isolatedWallet: '7', updateTime: 1 },
        ...{ maintMargin: '0.80', notional: '208' },
      },
    ]);
    await rig.during(rig.venue.futures.positions());
    tell(account('ORDER', undefined, [position({})]));
    expect(rig.told.positions.at(-1)).toMatchObject({ liquidationPrice: '60.5', maintenanceMargin: '0.8' });
    expect(rig.venue.futures.markPrice('BTCUSDT')).toBe('105');
    tell(account('ORDER', undefined, [position({ pa: '0', up: '0' })], 30));
    // The last known mark: nothing can be computed from a flat position.
    expect(rig.told.positions.at(-1)).toMatchObject({ amount: '0', markPrice: '105' });
    expect(rig.venue.futures.markPrice('BTCUSDT')).toBe('105');
    tell(account('ORDER', undefined, [position({})], 40));
    expect(rig.told.positions.at(-1)).toMatchObject({ liquidationPrice: null, maintenanceMargin: '0' });
    tell(account('ORDER', undefined, [position({ s: 'ETHUSDT', pa: '0', up: '0' })], 40));
    expect(rig.told.positions.at(-1)).toMatchObject({ symbol: 'ETHUSDT', markPrice: '0' });
  });
});

describe('an order beside waiting ones', () => {
  it('is held back only where one of its symbol and side waits, and let go by what that has made', async () => {
    const { rig, hand, tell } = await opened();
    hand.on(LINKS, []);
    tell(algo('NEW'));
    tell(algo('NEW', { aid: 5, caid: 'bf-b', s: 'ETHUSDT', S: 'BUY' }));
    rig.forget();
    const strange = (more: object) => update({ c: 'x', o: 'MARKET', ot: 'MARKET', ...more });
    const seen = () => rig.told.orders.splice(0).map(({ clientId, symbol }) => `${clientId} ${symbol}`);
    tell(strange({ S: 'BUY', c: 'buys' }));
    tell(strange({ s: 'ETHUSDT', c: 'sells' }));
    tell(update({ c: 'bf-9', i: 90 }));
    tell(strange({ c: 'autoclose-9', i: 91 }));
    expect(seen()).toEqual(['buys BTCUSDT', 'sells ETHUSDT', 'bf-9 BTCUSDT', 'autoclose-9 BTCUSDT']);
    // The same number, of two symbols.
    tell(strange({ i: 100, c: 'one' }));
    tell(strange({ i: 100, c: 'two', s: 'ETHUSDT', S: 'BUY' }));
    tell(strange({ i: 101, c: 'three' }));
    tell(strange({ i: 100, c: 'one', z: '1', t: 8 }));
    expect([seen(), rig.told.fills.length]).toEqual([[], 4]);
    tell(algo('TRIGGERED', { ai: '100' }));
    expect(seen()).toEqual(['bf-a BTCUSDT', 'bf-a BTCUSDT', 'bf-a BTCUSDT']);
    expect(rig.told.fills.slice(4).map(({ clientId, venueId }) => `${clientId} ${venueId}`)).toEqual([
      'bf-a 100',
      'bf-a 100',
    ]);
    expect(hand.names()).toEqual([]);
    await rig.clock.advance(1_000);
    expect(seen()).toEqual(['two ETHUSDT', 'three BTCUSDT']);
    expect(hand.asked()).toEqual([
      { name: LINKS, parameters: { symbol: 'ETHUSDT', limit: '1000' } },
      { name: LINKS, parameters: { symbol: 'BTCUSDT', limit: '1000' } },
    ]);
    // What is known by now is not held back again.
    tell(strange({ i: 101, c: 'three' }));
    expect(seen()).toEqual(['three BTCUSDT']);
    expect([rig.told.stream, rig.reports]).toEqual([[], []]);
  });

  it.each(['CANCELED', 'EXPIRED', 'REJECTED'])('is let go where that is %s and has made none', async (word) => {
    const { rig, tell } = await opened();
    tell(algo('NEW'));
    tell(algo('NEW', { aid: 5, caid: 'bf-b', s: 'ETHUSDT' }));
    rig.forget();
    tell(update({ c: 'x', i: 100 }));
    tell(update({ c: 'y', i: 101, s: 'ETHUSDT' }));
    tell(algo(word));
    expect(rig.told.orders.map(({ clientId }) => clientId)).toEqual(['bf-a', 'x']);
  });

  it('is asked about five times a second apart, and then compared, while others go on', async () => {
    const { rig, hand, tell } = await opened();
    hand.by(LINKS, ({ symbol }) =>
      symbol === 'BTCUSDT'
        ? { kind: 'lost', cause: 'lost' }
        : { kind: 'answer', status: 200, headers: {}, body: '[]' },
    );
    tell(algo('NEW'));
    tell(algo('NEW', { aid: 5, caid: 'bf-b', s: 'ETHUSDT' }));
    rig.forget();
    tell(update({ c: 'x', i: 100 }));
    tell(update({ c: 'x', i: 101 }));
    tell(update({ c: 'y', i: 102, s: 'ETHUSDT' }));
    tell(update({ c: 'x', i: 100, z: '1' }));
    await rig.clock.advance(999);
    expect(hand.names()).toEqual([]);
    await rig.clock.advance(1);
    expect(hand.names()).toHaveLength(3);
    expect(rig.told.orders.map(({ clientId }) => clientId)).toEqual(['y']);
    await rig.clock.advance(3_100);
    expect([hand.names().length, rig.told.stream]).toEqual([6, []]);
    await rig.clock.advance(1_000);
    expect([hand.names().length, rig.told.stream]).toEqual([2, ['gap', 'gap']]);
    await rig.clock.advance(20_000);
    expect([hand.names(), rig.told.orders.length]).toEqual([[], 1]);
    // A later event of it is told: it is in the comparison.
    tell(algo('CANCELED'));
    tell(update({ c: 'x', i: 100, z: '1.5' }));
    expect(rig.told.orders.at(-1)).toMatchObject({ clientId: 'x', cumQty: '1.5' });
  });

  it('is forgotten where the account is opened again', async () => {
    const { rig, tell } = await opened();
    tell(algo('NEW'));
    tell(update({ c: 'x', i: 100 }));
    await rig.open();
    rig.forget();
    await rig.clock.advance(10_000);
    expect([rig.told.orders, rig.told.fills, rig.told.stream]).toEqual([[], [], []]);
  });
});

describe('a trigger that was met', () => {
  const answer = (algoStatus: string, more: object = {}) => ({
    ...{ algoId: 4, clientAlgoId: 'bf-a', symbol: 'BTCUSDT', side: 'SELL', orderType: 'STOP_MARKET' },
    ...{ quantity: '2', algoStatus, triggerPrice: '40', updateTime: 30, ...more },
  });

  it('is asked about after four seconds, again where that fails, and told as stuck where it is', async () => {
    const { rig, hand, tell } = await opened();
    hand.on(ALGO_ORDER, 'busy', 500);
    tell(algo('NEW'));
    tell(algo('TRIGGERING'));
    rig.forget();
    await rig.clock.advance(3_999);
    expect(hand.names()).toEqual([]);
    await rig.clock.advance(1_000);
    expect(hand.asked()).toEqual([{ name: ALGO_ORDER, parameters: { algoId: '4' } }]);
    hand.on(ALGO_ORDER, answer('TRIGGERING'));
    await rig.clock.advance(4_000);
    expect(hand.names()).toEqual([ALGO_ORDER]);
    expect(rig.told.orders).toMatchObject([{ clientId: 'bf-a', status: 'PENDING', stuck: true, seq: 30 }]);
    expect(rig.reports).toEqual([
      'mine-futures: the trigger of bf-a (SELL BTCUSDT) was met and nothing has come of it: it may protect nothing',
    ]);
    await rig.clock.advance(10_000);
    expect([hand.names(), rig.told.orders.length]).toEqual([[], 1]);
  });

  it.each<[string, object | null, object[]]>([
    ['has made an order meanwhile', answer('TRIGGERED', { actualOrderId: 9 }), [{ status: 'WORKING' }]],
    ['was cancelled meanwhile', answer('CANCELED'), [{ status: 'CANCELLED' }]],
    ['cannot be read', answer('ODD'), []],
    ['is not known any more', null, []],
  ])('and %s is told as it is, without a warning', async (_, body, told) => {
    const { rig, hand, tell } = await opened();
    if (body) hand.on(ALGO_ORDER, body);
    else hand.refuse(ALGO_ORDER, -2013, 'Order does not exist.');
    tell(algo('TRIGGERING'));
    rig.forget();
    await rig.clock.advance(4_100);
    expect(rig.told.orders).toMatchObject(told);
    for (const state of rig.told.orders) expect(state).not.toHaveProperty('stuck');
    expect([rig.told.orders.length, rig.reports]).toEqual([told.length, []]);
    await rig.clock.advance(10_000);
    expect(hand.names()).toEqual([ALGO_ORDER]);
  });

  it('is not asked about once its order is told, or the account is closed', async () => {
    const { rig, hand, tell } = await opened();
    tell(algo('TRIGGERING'));
    tell(algo('TRIGGERED', { ai: 77 }));
    await rig.clock.advance(5_000);
    tell(algo('TRIGGERING', { aid: 6 }));
    await rig.venue.close();
    await rig.clock.advance(5_000);
    expect(hand.names()).toEqual([]);
  });
});

describe('a conditional order that closes all and has ended', () => {
  const finished = algo('FINISHED', { q: '0', cp: true, aq: '3', ai: 77 });

  it('is asked how it ended, and told with its executions', async () => {
    const { rig, hand, tell, order } = await opened();
    hand.on(ALGO_ORDER, {
      ...{ algoId: 4, clientAlgoId: 'bf-a', symbol: 'BTCUSDT', side: 'SELL', orderType: 'STOP_MARKET' },
      ...{ quantity: '0', closePosition: true, algoStatus: 'FINISHED', actualOrderId: 77, actualQty: '3' },
      ...{ triggerPrice: '40', updateTime: 30 },
    });
    hand.on(ORDER, {
      ...{ orderId: 77, clientOrderId: 'x', symbol: 'BTCUSDT', side: 'SELL', status: 'FILLED', type: 'MARKET' },
      ...{ timeInForce: 'GTC', price: '0', origQty: '3', executedQty: '3', updateTime: 31 },
    });
    const trade = (id: number, qty: string) => ({
      ...{ id, orderId: 77, symbol: 'BTCUSDT', side: 'SELL', positionSide: 'BOTH', price: '39', qty },
      ...{ commission: '0.1', commissionAsset: 'USDT', realizedPnl: '-2', maker: false, time: 31 },
    });
    hand.on(TRADES, [trade(1, '1'), trade(2, '2')]);
    tell(finished);
    expect(rig.told.orders.splice(0)).toMatchObject([{ status: 'WORKING', cumQty: '3' }]);
    order.length = 0;
    await rig.clock.advance(100);
    expect(hand.asked()).toEqual([
      { name: ALGO_ORDER, parameters: { algoId: '4' } },
      { name: ORDER, parameters: { symbol: 'BTCUSDT', orderId: '77' } },
      { name: TRADES, parameters: { symbol: 'BTCUSDT', orderId: '77', limit: '1000' } },
    ]);
    expect(order).toEqual(['fills', 'fills', 'orders']);
    expect(rig.told.fills.map(({ clientId, qty, rPnl }) => [clientId, qty, rPnl])).toEqual([
      ['bf-a', '1', '-2'],
      ['bf-a', '2', '-2'],
    ]);
    expect(rig.told.orders).toMatchObject([
      { clientId: 'bf-a', venueIds: ['a4', '77'], status: 'FILLED', terms: { type: 'STOP_MARKET' } },
    ]);
  });

  it('is compared where that cannot be asked', async () => {
    const { rig, hand, tell } = await opened();
    hand.lose(ALGO_ORDER);
    tell(finished);
    await rig.clock.advance(100);
    expect([rig.told.stream, rig.told.fills]).toEqual([['gap'], []]);
  });
});

describe('other events of futures', () => {
  it('change the leverage that positions have from then on, of their symbol alone', async () => {
    const { rig, tell } = await opened();
    tell({ e: 'ACCOUNT_CONFIG_UPDATE', E: 1, T: 1, ac: { s: 'BTCUSDT', l: 33 } });
    expect(rig.told.stream).toEqual(['gap']);
    tell(account('ORDER', undefined, [position({}), position({ s: 'ETHUSDT' })]));
    expect(rig.told.positions.map(({ leverage }) => leverage)).toEqual([33, 20]);
  });

  it('turn multi-assets mode on and off: nothing new is opened meanwhile', async () => {
    const { rig, hand, tell } = await opened();
    const mode = (j: boolean) => tell({ e: 'ACCOUNT_CONFIG_UPDATE', E: 1, T: 1, ai: { j } });
    mode(true);
    expect(rig.reports.splice(0)).toEqual([expect.stringContaining('multi-assets mode is on')]);
    expect(await rig.submit({ clientId: 'bf-1' })).toMatchObject({ kind: 'rejected', code: 'MULTI_ASSETS' });
    expect(hand.names()).toEqual([]);
    mode(false);
    expect([rig.reports, rig.told.stream]).toEqual([[], ['gap', 'gap']]);
    expect(await rig.submit({ clientId: 'bf-1' })).toMatchObject({ kind: 'accepted' });
  });

  it('say that the key has ended: there is another one, with its socket', async () => {
    const { rig, hand, tell } = await opened();
    const sockets = rig.sockets().length;
    tell({ e: 'listenKeyExpired', E: 1, listenKey: 'old' });
    expect(rig.told.stream).toEqual(['down']);
    expect(rig.reports).toEqual([
      'mine-futures: the user stream is down: the key of the user stream has expired',
    ]);
    await rig.clock.advance(2_000);
    expect(rig.told.stream).toEqual(['down', 'up']);
    expect([hand.names(), rig.sockets().length]).toEqual([['POST /fapi/v1/listenKey'], sockets + 1]);
  });

  it('warn of a margin call, and leave out what is not needed or not known', async () => {
    const { rig, tell } = await opened();
    tell({ e: 'MARGIN_CALL', E: 1, cw: '3', p: [] });
    expect(rig.reports.splice(0)).toEqual([expect.stringContaining('MARGIN CALL')]);
    for (const e of ['TRADE_LITE', 'CONDITIONAL_ORDER_TRIGGER_REJECT', 'STRATEGY_UPDATE', 'GRID_UPDATE'])
      tell({ e, E: 1, T: 1 });
    for (const event of [update({}), algo('NEW'), account('DEPOSIT', [{ a: 'BTC', wb: '1' }], [])])
      tell({ ...event, st: 2 });
    expect(rig.reports).toEqual([]);
    tell({ e: 'BRAND_NEW', E: 1 });
    expect(rig.reports).toEqual(['mine-futures: an event of an unknown kind: BRAND_NEW']);
    expect([rig.told.stream, rig.told.orders, rig.told.balances, rig.told.ledger]).toEqual([[], [], [], 0]);
    tell({ ...update({}), st: 1 });
    expect(rig.told.orders).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['no kind', { E: 1 }],
    ['an order without a number', update({ i: null })],
    ['an order whose status is new', update({ X: 'ODD' })],
    ['an order whose type is new', update({ o: 'ODD', ot: 'ODD' })],
    ['a conditional order without a number', algo('NEW', { aid: null })],
    ['a conditional order whose status is new', algo('ODD')],
    ['a conditional order whose type is new', algo('NEW', { o: 'ODD' })],
    ['an account', account('ORDER', [{ a: 'USDT', wb: 1 }], [])],
    ['a setting', { e: 'ACCOUNT_CONFIG_UPDATE', E: 1, ac: { s: 'BTCUSDT', l: 0 } }],
  ])('that cannot be read lead to one comparison in a minute: %s', async (_, event) => {
    const { rig, tell } = await opened();
    tell(event);
    tell(event);
    expect([rig.told.stream, rig.told.orders, rig.told.fills]).toEqual([['gap'], [], []]);
    expect(rig.reports).toHaveLength(1);
    await rig.clock.advance(60_000);
    tell(event);
    expect(rig.told.stream).toEqual(['gap', 'gap']);
    tell(update({}));
    expect(rig.told.orders).toHaveLength(1);
  });
});
