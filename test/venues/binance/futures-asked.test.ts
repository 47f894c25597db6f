/**
 * Questions of a futures account about its orders: what each answer means, which executions are those of an
 * order, and what is known of all that is open.
 */
import { describe, expect, it } from 'vitest';
import { futuresRig } from './futures-rig.ts';
import { HandAnswers } from './hand-answers-support.ts';

const ORDER = '/fapi/v1/order';
const ALGO = '/fapi/v1/algoOrder';
const TRADES = 'GET /fapi/v1/userTrades';
const LINKS = 'GET /fapi/v1/allAlgoOrders';

async function opened() {
  const rig = futuresRig();
  await rig.open();
  rig.forget();
  rig.reports.length = 0;
  return { rig, hand: new HandAnswers(rig.net) };
}

const order = (more: object = {}) => ({
  ...{ orderId: 7, clientOrderId: 'bf-1', symbol: 'BTCUSDT', side: 'BUY', status: 'NEW', type: 'LIMIT' },
  ...{ timeInForce: 'GTC', price: '50', origQty: '2', executedQty: '0', updateTime: 9, ...more },
});
const algo = (more: object = {}) => ({
  ...{ algoId: 5, clientAlgoId: 'bf-1', symbol: 'BTCUSDT', side: 'SELL', orderType: 'STOP_MARKET' },
  ...{ algoStatus: 'NEW', quantity: '2', triggerPrice: '40', updateTime: 9, ...more },
});
const REF = { clientId: 'bf-1', symbol: 'BTCUSDT' };

describe('a question about an order of futures', () => {
  const query = (rig: ReturnType<typeof futuresRig>, venueIds: string[]) =>
    rig.during(rig.venue.query({ ...REF, venueIds }));
  const made = algo({ algoStatus: 'TRIGGERED', actualOrderId: 7 });

  it.each<[string, (hand: HandAnswers) => void, string[], object]>([
    ['was lost', (hand) => hand.lose(`GET ${ORDER}`), ['7'], { kind: 'unknown' }],
    ['was refused', (hand) => hand.refuse(`GET ${ORDER}`, -2015), ['7'], { kind: 'unknown' }],
    ['finds none', (hand) => hand.refuse(`GET ${ORDER}`, -2013), ['7'], { kind: 'absent' }],
    [
      'finds what is new',
      (hand) => hand.on(`GET ${ORDER}`, order({ status: 'ODD' })),
      ['7'],
      { kind: 'unknown' },
    ],
    ['about a waiting one was lost', (hand) => hand.lose(`GET ${ALGO}`), ['a5'], { kind: 'unknown' }],
    [
      'about a waiting one finds none',
      (hand) => hand.refuse(`GET ${ALGO}`, -2013),
      ['a5'],
      { kind: 'absent' },
    ],
    [
      'about what a trigger has made was lost',
      (hand) => hand.on(`GET ${ALGO}`, made).lose(`GET ${ORDER}`),
      ['a5'],
      { kind: 'unknown' },
    ],
    [
      'about what a trigger has made is too early',
      (hand) => hand.on(`GET ${ALGO}`, made).refuse(`GET ${ORDER}`, -2013),
      ['a5'],
      { kind: 'unknown' },
    ],
    [
      'about executions was lost',
      (hand) => hand.on(`GET ${ORDER}`, order({ executedQty: '1' })).lose(TRADES),
      ['7'],
      { kind: 'unknown' },
    ],
    [
      'about one that made nothing has no child',
      (hand) => hand.on(`GET ${ALGO}`, algo({ algoStatus: 'CANCELED', actualOrderId: 0 })),
      ['a5'],
      { kind: 'found', state: { status: 'CANCELLED', venueIds: ['a5'] }, fills: [] },
    ],
    [
      'about one that made nothing, by null, has no child',
      (hand) => hand.on(`GET ${ALGO}`, algo({ actualOrderId: null })),
      ['a5'],
      { kind: 'found', state: { status: 'PENDING', venueIds: ['a5'] }, fills: [] },
    ],
    [
      'about one without an execution asks for none',
      (hand) => hand.on(`GET ${ORDER}`, order({ status: 'CANCELED', executedQty: '0.000' })),
      ['7'],
      { kind: 'found', fills: [] },
    ],
  ])('that %s is answered so', async (what, say, ids, outcome) => {
    const { rig, hand } = await opened();
    say(hand);
    expect(await query(rig, ids)).toMatchObject(outcome);
    expect(hand.names().includes(TRADES)).toBe(what === 'about executions was lost');
  });

  it('tells the executions of that order alone, each once, with its figures', async () => {
    const { rig, hand } = await opened();
    const trade = (id: number, more: object = {}) => ({
      ...{ id, orderId: 7, symbol: 'BTCUSDT', side: 'BUY', price: '50.10', qty: '0.50', commission: '0.010' },
      ...{
        commissionAsset: 'USDT',
        maker: true,
        time: 8,
        positionSide: 'LONG',
        realizedPnl: '-3.0',
        ...more,
      },
    });
    hand
      .on(`GET ${ORDER}`, order({ executedQty: '1', status: 'PARTIALLY_FILLED' }))
      .on(TRADES, [trade(1), trade(2, { orderId: 8 }), trade(3, { maker: false, realizedPnl: undefined })]);
    const fill = {
      ...{ tradeId: '1', clientId: 'bf-1', venueId: '7', symbol: 'BTCUSDT', side: 'BUY', price: '50.1' },
      ...{ qty: '0.5', comm: '0.01', commAsset: 'USDT', maker: true, rPnl: '-3', posSide: 'LONG', time: 8 },
    };
    expect(await query(rig, ['7'])).toMatchObject({
      ...{ kind: 'found', state: { cumQty: '1' } },
      fills: [fill, { ...fill, tradeId: '3', maker: false, rPnl: null }],
    });
    expect(hand.asked()).toEqual([
      { name: `GET ${ORDER}`, parameters: { symbol: 'BTCUSDT', orderId: '7' } },
      { name: TRADES, parameters: { symbol: 'BTCUSDT', orderId: '7', limit: '1000' } },
    ]);
  });

  it('about all that is open makes those known that wait, of two symbols', async () => {
    const { rig, hand } = await opened();
    hand
      .on('GET /fapi/v1/openAlgoOrders', [
        algo(),
        algo({ algoId: 6, symbol: 'ETHUSDT', side: 'BUY', algoStatus: 'TRIGGERING' }),
      ])
      .on('GET /fapi/v1/openOrders', [order({ clientOrderId: 'bf-2' })])
      .on(LINKS, []);
    const open = await rig.during(rig.venue.openOrders());
    expect(open?.map(({ venueIds, symbol }) => `${venueIds} ${symbol}`)).toEqual([
      ...['a5 BTCUSDT', 'a6 ETHUSDT', '7 BTCUSDT'],
    ]);
    const tell = (s: string, S: string, i: number) =>
      rig
        .sockets()
        .at(-1)
        ?.message(
          JSON.stringify({
            ...{ e: 'ORDER_TRADE_UPDATE', E: 1, T: 1 },
            o: { s, c: 'x', S, o: 'MARKET', f: 'GTC', q: '2', p: '0', x: 'NEW', X: 'NEW', i, l: '0', z: '0' },
          }),
        );
    tell('BTCUSDT', 'SELL', 20);
    tell('ETHUSDT', 'BUY', 21);
    tell('BTCUSDT', 'BUY', 22);
    expect(rig.told.orders.map(({ venueIds }) => venueIds?.[0])).toEqual(['22']);
    await rig.clock.advance(1_100);
    expect(rig.told.orders).toHaveLength(3);
    // One list alone is none.
    hand.lose('GET /fapi/v1/openOrders');
    expect(await rig.during(rig.venue.openOrders())).toBeNull();
    hand.lose('GET /fapi/v1/openAlgoOrders').on('GET /fapi/v1/openOrders', []);
    hand.asked();
    expect([await rig.during(rig.venue.openOrders()), hand.names().length]).toEqual([null, 1]);
  });
});
