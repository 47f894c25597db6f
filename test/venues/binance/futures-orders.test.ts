/**
 * Orders of a futures account over the wire: exactly what is sent for each order, cancel and change, what each
 * answer means, and that nothing is sent a second time.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import { futuresRig } from './futures-rig.ts';
import { answerOf, HandAnswers } from './hand-answers-support.ts';

const ORDER = '/fapi/v1/order';
const ALGO = '/fapi/v1/algoOrder';

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
const LIMIT: Partial<ExchangeOrder> = { clientId: 'bf-1', type: 'LIMIT', price: '50', quantity: '2' };
const STOP: Partial<ExchangeOrder> = {
  ...{
    clientId: 'bf-1',
    type: 'STOP_MARKET',
    side: 'SELL',
    stopPrice: '40',
    quantity: '2',
    reduceOnly: true,
  },
};
const REF = { clientId: 'bf-1', symbol: 'BTCUSDT' };

describe('an order of futures', () => {
  const market = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    quantity: '0.01',
    newClientOrderId: 'bf-1',
  };
  const limit = { ...market, type: 'LIMIT', quantity: '2', price: '50', timeInForce: 'GTC' };
  const result = { newOrderRespType: 'RESULT' };
  const stop = {
    ...{ algoType: 'CONDITIONAL', symbol: 'BTCUSDT', side: 'SELL', type: 'STOP_MARKET', quantity: '2' },
    ...{ triggerPrice: '40', workingType: 'MARK_PRICE', clientAlgoId: 'bf-1' },
  };
  const reducing = { ...stop, reduceOnly: 'true' };
  const { quantity: _, ...closing } = { ...stop, closePosition: 'true' };

  it.each<[string, Partial<ExchangeOrder>, string, object]>([
    ['of the market', {}, ORDER, market],
    ['of the market that reduces', { reduceOnly: true }, ORDER, { ...market, reduceOnly: 'true' }],
    ['of the market that closes', { closePosition: true }, ORDER, { ...market, reduceOnly: 'true' }],
    [
      'of the market that closes a side',
      { side: 'SELL', reduceOnly: true, positionSide: 'LONG' },
      ORDER,
      { ...market, side: 'SELL', positionSide: 'LONG' },
    ],
    ['in one-way mode', { positionSide: 'BOTH' }, ORDER, market],
    ['with a limit', LIMIT, ORDER, limit],
    ['IOC', { ...LIMIT, timeInForce: 'IOC' }, ORDER, { ...limit, timeInForce: 'IOC' }],
    ['FOK', { ...LIMIT, timeInForce: 'FOK' }, ORDER, { ...limit, timeInForce: 'FOK' }],
    ['post-only', { ...LIMIT, type: 'LIMIT_MAKER' }, ORDER, { ...limit, timeInForce: 'GTX' }],
    [
      'with an end date',
      { ...LIMIT, goodTillDate: 1_900_000_000_000 },
      ORDER,
      { ...limit, timeInForce: 'GTD', goodTillDate: '1900000000000' },
    ],
    [
      'that does not rest, whatever its end date',
      { ...LIMIT, timeInForce: 'IOC', goodTillDate: 1_900_000_000_000 },
      ORDER,
      { ...limit, timeInForce: 'IOC' },
    ],
    ['that waits', STOP, ALGO, reducing],
    ['that waits and opens', { ...STOP, reduceOnly: false }, ALGO, stop],
    [
      'that waits on a side, by the last price',
      { ...STOP, positionSide: 'SHORT', side: 'BUY', workingType: 'CONTRACT_PRICE' },
      ALGO,
      { ...stop, side: 'BUY', positionSide: 'SHORT', workingType: 'CONTRACT_PRICE' },
    ],
    ['that waits to close all', { ...STOP, closePosition: true, quantity: '0' }, ALGO, closing],
    [
      'that waits to close all, of no size',
      { ...STOP, closePosition: true, quantity: undefined },
      ALGO,
      closing,
    ],
    [
      'that waits to take profit with a limit, whatever it closes',
      { ...STOP, type: 'TAKE_PROFIT_LIMIT', price: '41', closePosition: true, timeInForce: 'IOC' },
      ALGO,
      { ...reducing, type: 'TAKE_PROFIT', price: '41', timeInForce: 'IOC' },
    ],
    [
      'that waits with a limit',
      { ...STOP, type: 'STOP_LIMIT', price: '39' },
      ALGO,
      {
        ...{ ...reducing, type: 'STOP', price: '39', timeInForce: 'GTC' },
      },
    ],
    [
      'that takes profit',
      { ...STOP, type: 'TAKE_PROFIT_MARKET', reduceOnly: false },
      ALGO,
      { ...stop, type: 'TAKE_PROFIT_MARKET' },
    ],
    [
      'that trails, whatever it closes',
      { ...STOP, stopPrice: undefined, trailingDelta: 250, activationPrice: '45', closePosition: true },
      ALGO,
      {
        ...{ ...reducing, type: 'TRAILING_STOP_MARKET', callbackRate: '2.5', activatePrice: '45' },
        triggerPrice: undefined,
      },
    ],
  ])('%s is sent so', async (_, given, path, parameters) => {
    const { rig, hand } = await opened();
    hand.lose(`POST ${path}`);
    await rig.submit({ clientId: 'bf-1', ...given });
    const all = Object.entries({ ...parameters, ...result }).filter(([, value]) => value !== undefined);
    expect(hand.asked()).toEqual([{ name: `POST ${path}`, parameters: Object.fromEntries(all) }]);
  });

  it.each<[string, Partial<ExchangeOrder>]>([
    ['over an amount', { quoteOrderQty: '100' }],
    ['with an iceberg', { ...LIMIT, icebergQty: '1' }],
    ['of no quantity', { quantity: undefined }],
    ['of nothing', { quantity: '0.0' }],
    ['that closes all at the market, of no quantity', { quantity: undefined, closePosition: true }],
    ['that waits, of no quantity', { ...STOP, quantity: undefined }],
    ['that waits, of nothing', { ...STOP, quantity: '0' }],
  ])('%s is refused in words and not sent', async (_, given) => {
    const { rig, hand } = await opened();
    expect(await rig.submit(given)).toMatchObject({ kind: 'rejected', reason: 'UNSUPPORTED', code: 'FORM' });
    expect(hand.names()).toEqual([]);
  });

  it.each<[string, Partial<ExchangeOrder>, number, unknown, object]>([
    ['taken', LIMIT, 200, order(), { kind: 'accepted', state: { venueIds: ['7'], status: 'WORKING' } }],
    ['taken, as created', LIMIT, 201, order(), { kind: 'accepted' }],
    [
      'taken, and waits',
      STOP,
      200,
      algo(),
      { kind: 'accepted', state: { venueIds: ['a5'], status: 'PENDING' } },
    ],
    ['taken, in words that are new', LIMIT, 200, order({ status: 'ODD' }), { kind: 'unknown' }],
    ['taken, in a form that is new', LIMIT, 200, order({ price: 50 }), { kind: 'unknown' }],
    ['waiting, in words that are new', STOP, 200, algo({ algoStatus: 'ODD' }), { kind: 'unknown' }],
    ['waiting, in a form that is new', STOP, 200, algo({ algoId: null }), { kind: 'unknown' }],
    ['taken for another one', STOP, 200, algo({ clientAlgoId: 'bf-2' }), { kind: 'unknown' }],
    [
      'refused',
      LIMIT,
      400,
      { code: -2019, msg: 'Margin' },
      { kind: 'rejected', reason: 'BALANCE', code: '-2019' },
    ],
    ['refused for the rate', LIMIT, 429, 'slow', { kind: 'rejected', reason: 'RATE_LIMITED', code: '429' }],
    ['banned', STOP, 418, 'stop', { kind: 'rejected', reason: 'RATE_LIMITED', code: '418' }],
    ['answered by a gate', LIMIT, 403, '<html>', { kind: 'unknown' }],
    ['redirected', LIMIT, 302, order(), { kind: 'unknown' }],
    ['there already', LIMIT, 400, { code: -4116, msg: 'dup' }, { kind: 'unknown' }],
    ['there already, waiting', STOP, 400, { code: -4115, msg: 'dup' }, { kind: 'unknown' }],
  ])('that is answered as %s is told so, and sent once', async (_, given, status, body, outcome) => {
    const { rig, hand } = await opened();
    const name = `POST ${given === STOP ? ALGO : ORDER}`;
    hand.on(name, body, status);
    expect(await rig.submit(given)).toMatchObject(outcome);
    expect(hand.names()).toEqual([name]);
  });

  it('that never left was not placed, and one of which nothing came back may have been', async () => {
    const { rig, hand } = await opened();
    for (const [given, path] of [
      [LIMIT, ORDER],
      [STOP, ALGO],
    ] as const) {
      hand.lose(`POST ${path}`, 'unsent');
      expect(await rig.submit(given)).toMatchObject({ kind: 'rejected', reason: 'UNREACHED' });
      hand.lose(`POST ${path}`);
      expect(await rig.submit(given)).toEqual({ kind: 'unknown', cause: 'lost on its way' });
    }
    expect(hand.names()).toHaveLength(4);
  });

  it('that reduces what other orders reduce already may be taken later, which no other refusal says', async () => {
    const { rig, hand } = await opened();
    const P = [{ s: 'BTCUSDT', pa: '2', ep: '50', up: '0', mt: 'cross', iw: '0', ps: 'BOTH' }];
    rig
      .sockets()
      .at(-1)
      ?.message(JSON.stringify({ e: 'ACCOUNT_UPDATE', E: 1, T: 1, a: { m: 'ORDER', P } }));
    const reason = async (code: number, given: Partial<ExchangeOrder>) => {
      hand.refuse(`POST ${ORDER}`, code);
      const outcome = await rig.submit({ ...LIMIT, ...given, reduceOnly: true });
      return outcome.kind === 'rejected' ? outcome.reason : outcome.kind;
    };
    expect([
      await reason(-2022, { side: 'SELL' }),
      await reason(-2022, { side: 'BUY' }),
      await reason(-2022, { side: 'SELL', symbol: 'ETHUSDT' }),
      await reason(-2022, { side: 'SELL', positionSide: 'LONG' }),
      await reason(-2019, { side: 'SELL' }),
      await reason(-4118, { side: 'BUY' }),
    ]).toEqual(['EXITS_REST', 'REDUCE_ONLY', 'REDUCE_ONLY', 'REDUCE_ONLY', 'BALANCE', 'EXITS_REST']);
  });

  it('that waits and closes all is sent again without its flag only where the flag was refused', async () => {
    const { rig, hand } = await opened();
    const P = [{ s: 'BTCUSDT', pa: '2', ep: '50', up: '0', mt: 'cross', iw: '0', ps: 'BOTH' }];
    rig
      .sockets()
      .at(-1)
      ?.message(JSON.stringify({ e: 'ACCOUNT_UPDATE', E: 1, T: 1, a: { m: 'ORDER', P } }));
    const name = `POST ${ALGO}`;
    const sent = async (code: number, given: Partial<ExchangeOrder> = {}) => {
      hand.refuse(name, code);
      const { kind } = await rig.submit({ ...STOP, ...given });
      expect(kind).toBe('rejected');
      return hand.asked().map(({ parameters }) => `${parameters.quantity} ${parameters.closePosition}`);
    };
    const once = ['2 undefined'];
    expect(await sent(-1106)).toEqual(['2 undefined', 'undefined true']);
    expect(await sent(-2021)).toEqual(once);
    expect(await sent(-1106, { reduceOnly: false })).toEqual(once);
    expect(await sent(-1106, { quantity: '1.9' })).toEqual(['1.9 undefined']);
    expect(await sent(-1106, { type: 'STOP_LIMIT', price: '39' })).toEqual(once);
    expect(await sent(-1106, { trailingDelta: 100 })).toEqual(once);
    expect(await sent(-1106, { symbol: 'ETHUSDT' })).toEqual(once);
  });
});

describe('a cancel of futures', () => {
  const cancel = (rig: ReturnType<typeof futuresRig>, venueIds?: string[]) =>
    rig.during(rig.venue.cancel({ ...REF, ...(venueIds ? { venueIds } : {}) }), 60_000);

  it.each<[string, string[] | undefined, string, object]>([
    ['by its number', ['7'], ORDER, { symbol: 'BTCUSDT', orderId: '7' }],
    ['by our id', undefined, ORDER, { symbol: 'BTCUSDT', origClientOrderId: 'bf-1' }],
    ['of a waiting order', ['a5'], ALGO, { algoId: '5' }],
  ])(
    '%s is sent so, again for each limit that it meets, and is what its answer says',
    async (_, ids, path, which) => {
      const { rig, hand } = await opened();
      const name = `DELETE ${path}`;
      for (const [status, body, outcome] of [
        [400, { code: -2015, msg: 'no' }, { kind: 'rejected', reason: 'BAD_CREDENTIALS' }],
        [400, { code: -1008, msg: 'busy' }, { kind: 'rejected', reason: 'OVERLOADED' }],
        [400, { code: -1007, msg: 'timeout' }, { kind: 'unknown' }],
        [502, '<html>', { kind: 'unknown' }],
        [200, '<html>', { kind: 'unknown' }],
      ] as const) {
        hand.on(name, body, status);
        expect([body, await cancel(rig, ids)]).toMatchObject([body, outcome]);
        expect(hand.asked()).toEqual([{ name, parameters: which }]);
      }
      let times = 0;
      hand.by(name, () => {
        times += 1;
        if (times === 1) return answerOf('slow', 429, { 'retry-after': '1' });
        if (times === 2) return answerOf({ code: -1015, msg: 'too many' }, 400);
        return answerOf(path === ALGO ? { code: '200', msg: 'success' } : order({ status: 'CANCELED' }));
      });
      hand.on(`GET ${ALGO}`, algo({ algoStatus: 'CANCELED' }));
      expect(await cancel(rig, ids)).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
      expect(times).toBe(3);
    },
  );

  it('of a waiting order is unknown where what has become of it cannot be asked', async () => {
    const { rig, hand } = await opened();
    hand.on(`DELETE ${ALGO}`, { code: '200', msg: 'success' });
    for (const say of [
      () => hand.lose(`GET ${ALGO}`),
      () => hand.on(`GET ${ALGO}`, algo({ algoStatus: 'ODD' })),
      () => hand.on(`GET ${ALGO}`, {}),
    ]) {
      say();
      expect(await cancel(rig, ['a5'])).toMatchObject({ kind: 'unknown' });
    }
    hand.refuse(`GET ${ALGO}`, -2013);
    expect(await cancel(rig, ['a5'])).toEqual({ kind: 'gone', state: null });
    hand.refuse(`DELETE ${ALGO}`, -2011).on(`GET ${ALGO}`, algo());
    expect(await cancel(rig, ['a5'])).toMatchObject({ kind: 'unknown' });
  });

  it('of all is one for each family, also where one has no answer', async () => {
    const { rig, hand } = await opened();
    const names = ['DELETE /fapi/v1/allOpenOrders', 'DELETE /fapi/v1/algoOpenOrders'] as const;
    const all = () => rig.during(rig.venue.cancelAll('BTCUSDT'), 60_000);
    for (const [first, second, outcome] of [
      [
        { code: 200, msg: 'done' },
        { code: '200', msg: 'done' },
        { kind: 'done', states: [] },
      ],
      [{ code: 200, msg: 'done' }, {}, { kind: 'unknown' }],
      [{}, { code: 200, msg: 'done' }, { kind: 'unknown' }],
    ] as const) {
      hand.on(names[0], first).on(names[1], second);
      expect(await all()).toMatchObject(outcome);
      expect(hand.asked()).toEqual(names.map((name) => ({ name, parameters: { symbol: 'BTCUSDT' } })));
    }
    hand.refuse(names[0], -2011).refuse(names[1], -2011);
    expect(await all()).toEqual({ kind: 'done', states: [] });
    hand.refuse(names[0], -2015, 'first').refuse(names[1], -2015, 'second');
    expect(await all()).toMatchObject({ kind: 'rejected', message: 'first' });
  });
});

describe('a change of futures', () => {
  const amend = (rig: ReturnType<typeof futuresRig>, change: object, venueIds?: string[]) =>
    rig.during(rig.venue.amend({ ...REF, ...(venueIds ? { venueIds } : {}) }, change));
  const PUT = `PUT ${ORDER}`;
  const known = { side: 'SELL', price: '50', quantity: '2' } as const;

  it('names the order by its number, or by our id, with all that it is to be', async () => {
    const { rig, hand } = await opened();
    hand.on(PUT, order({ price: '51', side: 'SELL' }));
    for (const ids of [['7'], ['a5', '7'], undefined])
      expect(await amend(rig, { price: '51', known }, ids)).toMatchObject({
        ...{ kind: 'done', state: { terms: { price: '51', side: 'SELL' } } },
      });
    const whole = { side: 'SELL', price: '51', quantity: '2', symbol: 'BTCUSDT' };
    expect(hand.asked().map(({ name, parameters }) => [name, parameters])).toEqual([
      [PUT, { ...whole, orderId: '7' }],
      [PUT, { ...whole, orderId: '7' }],
      [PUT, { ...whole, origClientOrderId: 'bf-1' }],
    ]);
  });

  it.each<[string, (hand: HandAnswers) => void, object]>([
    ['it never left', (hand) => hand.lose(PUT, 'unsent'), { kind: 'rejected', reason: 'UNREACHED' }],
    ['it was lost', (hand) => hand.lose(PUT), { kind: 'unknown' }],
    ['its answer cannot be read', (hand) => hand.on(PUT, {}), { kind: 'unknown' }],
    ['its answer is in new words', (hand) => hand.on(PUT, order({ status: 'ODD' })), { kind: 'unknown' }],
    ['it is refused', (hand) => hand.refuse(PUT, -4014), { kind: 'rejected', reason: 'PRICE_FILTER' }],
    ['the order is gone', (hand) => hand.refuse(PUT, -2013), { kind: 'gone', state: null }],
    [
      'another change is under way',
      (hand) => hand.refuse(PUT, -5043),
      { kind: 'rejected', reason: 'OVERLOADED' },
    ],
    ['nobody knows', (hand) => hand.refuse(PUT, -1007), { kind: 'unknown' }],
  ])('where %s is told so, and sent once', async (_, say, outcome) => {
    const { rig, hand } = await opened();
    say(hand);
    expect(await amend(rig, { price: '51', known }, ['7'])).toMatchObject(outcome);
    expect(hand.names()).toEqual([PUT]);
  });

  it('of which the desk knows no price is not sent where the exchange does not tell it either', async () => {
    const { rig, hand } = await opened();
    for (const [say, outcome] of [
      [() => hand.lose(`GET ${ORDER}`), { kind: 'unknown' }],
      [() => hand.on(`GET ${ORDER}`, order({ status: 'ODD' })), { kind: 'unknown' }],
      [() => hand.refuse(`GET ${ORDER}`, -2013), { kind: 'gone', state: null }],
      [() => hand.on(`GET ${ORDER}`, order({ status: 'CANCELED' })), { kind: 'gone', state: { seq: 9 } }],
    ] as const) {
      say();
      expect(await amend(rig, { price: '51' }, ['7'])).toMatchObject(outcome);
      expect(hand.asked()).toEqual([
        { name: `GET ${ORDER}`, parameters: { symbol: 'BTCUSDT', orderId: '7' } },
      ]);
    }
  });
});
