/**
 * Events of conditional orders of a futures account: orders beside them are held back until it is known whose
 * they are, and what is asked for where a trigger is met and nothing follows, or an end is not told.
 */
import { describe, expect, it } from 'vitest';
import { algo, hearing, update } from './futures-events-support.ts';

const ALGO_ORDER = 'GET /fapi/v1/algoOrder';
const LINKS = 'GET /fapi/v1/allAlgoOrders';
const ORDER = 'GET /fapi/v1/order';
const TRADES = 'GET /fapi/v1/userTrades';

describe('an order beside waiting ones', () => {
  it('is held back only where one of its symbol and side waits, and let go by what that has made', async () => {
    const { rig, hand, tell } = await hearing();
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
    // What is known by now is not held back again, though another one waits.
    tell(algo('NEW', { aid: 9, caid: 'bf-c' }));
    expect(seen()).toEqual(['bf-c BTCUSDT']);
    tell(strange({ i: 101, c: 'three' }));
    expect(seen()).toEqual(['three BTCUSDT']);
    expect([rig.told.stream, rig.reports]).toEqual([[], []]);
  });

  it.each(['CANCELED', 'EXPIRED', 'REJECTED'])(
    'is let go where that is %s and has made none',
    async (word) => {
      const { rig, tell } = await hearing();
      tell(algo('NEW'));
      tell(algo('NEW', { aid: 5, caid: 'bf-b', s: 'ETHUSDT' }));
      rig.forget();
      tell(update({ c: 'x', i: 100 }));
      tell(update({ c: 'y', i: 101, s: 'ETHUSDT' }));
      tell(algo(word));
      expect(rig.told.orders.map(({ clientId }) => clientId)).toEqual(['bf-a', 'x']);
    },
  );

  it('is asked about five times a second apart, and then compared, while others go on', async () => {
    const { rig, hand, tell } = await hearing();
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
    expect(rig.told.orders.map(({ clientId, cumQty }) => `${clientId} ${cumQty}`)).toEqual([
      ...['y 0.75', 'bf-a 0', 'x 1.5'],
    ]);
  });

  it('is forgotten where the account is opened again', async () => {
    const { rig, tell } = await hearing();
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
    const { rig, hand, tell } = await hearing();
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
    const { rig, hand, tell } = await hearing();
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
    const { rig, hand, tell } = await hearing();
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
    const { rig, hand, tell, order } = await hearing();
    hand.on(ALGO_ORDER, {
      ...{ algoId: 4, clientAlgoId: 'bf-a', symbol: 'BTCUSDT', side: 'SELL', orderType: 'STOP_MARKET' },
      ...{ quantity: '0', closePosition: true, algoStatus: 'FINISHED', actualOrderId: 77, actualQty: '3' },
      ...{ triggerPrice: '40', updateTime: 30 },
    });
    hand.on(ORDER, {
      ...{
        orderId: 77,
        clientOrderId: 'x',
        symbol: 'BTCUSDT',
        side: 'SELL',
        status: 'FILLED',
        type: 'MARKET',
      },
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
    const { rig, hand, tell } = await hearing();
    hand.lose(ALGO_ORDER);
    tell(finished);
    await rig.clock.advance(100);
    expect([rig.told.stream, rig.told.fills]).toEqual([['gap'], []]);
  });
});
