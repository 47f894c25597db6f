/**
 * Orders, cancels and changes at OKX where answers are refused, lost or of another order: what was sent, to which
 * book, and what is told of it.
 */
import { describe, expect, it } from 'vitest';
import type { CancelOutcome } from '../../../src/domain/exchange.ts';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import {
  ALGO,
  AMEND,
  ack,
  algo,
  answer,
  answering,
  CANCEL,
  CANCEL_ALGOS,
  LOST,
  NONE,
  ORDER,
  row,
  UNSENT,
} from './outcomes-support.ts';
import type { Rig } from './rig.ts';

const LIMIT = { clientId: 'a', quantity: '0.01', price: '59000' } as const;
const STOP = { clientId: 'a', type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' } as const;
const REF = { clientId: 'a', symbol: 'BTCUSDT' };

const allCancelled = ({ venue }: Rig, symbol: string) => venue.cancelAll?.(symbol) ?? Promise.reject();

describe('an order', () => {
  it.each<[string, object, Readonly<Record<string, WireAnswer>>, object]>([
    [
      'taken',
      LIMIT,
      { [`POST ${ORDER}`]: ack('0', { ordId: '7', clOrdId: 'a' }) },
      { kind: 'accepted', state: { venueIds: ['7'], status: 'WORKING', origQty: '0.01' } },
    ],
    [
      'of an amount, taken',
      { clientId: 'a', type: 'MARKET', quoteOrderQty: '50' },
      { [`POST ${ORDER}`]: ack('0', { ordId: '7' }) },
      { kind: 'accepted', state: { origQty: '0' } },
    ],
    [
      'that waits, taken',
      STOP,
      { [`POST ${ALGO}`]: ack('0', { algoId: '90', algoClOrdId: 'a', ordId: '5' }) },
      { kind: 'accepted', state: { venueIds: ['a90'], status: 'PENDING', origQty: '0.01' } },
    ],
    [
      'that waits, by its other name',
      STOP,
      { [`POST ${ALGO}`]: ack('0', { algoId: '90', algoClOrdId: '', clOrdId: 'a' }) },
      { kind: 'accepted' },
    ],
    [
      'that waits, of another',
      STOP,
      { [`POST ${ALGO}`]: ack('0', { algoId: '90', algoClOrdId: 'b' }) },
      { kind: 'unknown', cause: 'the answer is of another order, b' },
    ],
    [
      'that waits, without its number',
      STOP,
      { [`POST ${ALGO}`]: ack('0', { algoClOrdId: 'a', ordId: '5' }) },
      { kind: 'unknown' },
    ],
    [
      'taken under a status that is none of success',
      LIMIT,
      { [`POST ${ORDER}`]: { ...ack('0', { ordId: '7' }), status: 500 } as WireAnswer },
      { kind: 'unknown' },
    ],
    [
      'refused in its row though the whole is well',
      LIMIT,
      { [`POST ${ORDER}`]: answer([{ sCode: '51008', sMsg: 'row' }]) },
      { kind: 'rejected', reason: 'BALANCE', message: 'row', code: '51008' },
    ],
    [
      'refused as a whole',
      LIMIT,
      { [`POST ${ORDER}`]: answer([], '51001') },
      { kind: 'rejected', reason: 'SYMBOL_UNKNOWN', message: 'words' },
    ],
    [
      'with an id that is in use',
      LIMIT,
      { [`POST ${ORDER}`]: ack('51016') },
      { kind: 'unknown', cause: 'row (51016)' },
    ],
    [
      'that did not leave',
      LIMIT,
      { [`POST ${ORDER}`]: UNSENT },
      { kind: 'rejected', reason: 'UNREACHED', message: 'not sent: refused' },
    ],
    ['without an answer', STOP, { [`POST ${ALGO}`]: LOST }, { kind: 'unknown', cause: 'no answer' }],
  ])('%s is what that proves', async (_, order, given, outcome) => {
    const { rig, asked } = await answering(given);
    expect(await rig.submit(order)).toMatchObject(outcome);
    expect(asked).toHaveLength(1);
  });

  it.each([
    [{ symbol: 'NOPEUSDT' }, 'SYMBOL_UNKNOWN'],
    [{ quantity: '0' }, 'UNSUPPORTED'],
    [{ quantity: '-1' }, 'UNSUPPORTED'],
    [{ clientId: 'has-hyphen' }, 'UNSUPPORTED'],
    [{ closePosition: true }, 'UNSUPPORTED'],
    [{ type: 'STOP_MARKET', stopPrice: '5', timeInForce: 'FOK' }, 'UNSUPPORTED'],
    [{ type: 'STOP_MARKET', stopPrice: '5', quoteOrderQty: '50' }, 'UNSUPPORTED'],
  ] as const)('of %o is refused and not sent', async (order, reason) => {
    const { rig, asked } = await answering();
    expect(await rig.submit({ ...LIMIT, ...order })).toMatchObject({
      kind: 'rejected',
      reason,
      code: 'FORM',
    });
    expect(asked).toEqual([]);
  });

  it('counts from before it left, so that whatever is told of it is newer', async () => {
    const { rig } = await answering();
    rig.net.faults = { delayMs: [400, 500] };
    const before = rig.emulator.now();
    for (const order of [LIMIT, { ...STOP, clientId: 'b' }]) {
      const placed = await rig.submit(order);
      await rig.pass(2_000);
      const told = rig.last(order.clientId);
      if (placed.kind !== 'accepted' || !told) throw new Error(placed.kind);
      // The exchange's clock is known to a few milliseconds.
      expect(placed.state.seq).toBeGreaterThanOrEqual(before - 10);
      expect(placed.state.seq).toBeLessThan(told.seq);
    }
  });

  it('is refused for its money though there is something that it would reduce', async () => {
    const { rig } = await answering({}, { kind: 'swap' });
    await rig.submit({ clientId: 'in', type: 'MARKET', quantity: '0.02' });
    await rig.pass(500);
    const out = { type: 'LIMIT', side: 'SELL', quantity: '0.02', price: '61000', reduceOnly: true } as const;
    for (const [code, reason] of [
      ['51008', 'BALANCE'],
      ['51169', 'EXITS_REST'],
    ] as const) {
      rig.net.answers.set(ORDER, ({ method }) => (method === 'POST' ? ack(code) : null));
      expect(await rig.submit(out)).toMatchObject({ kind: 'rejected', reason, code });
      // On the other side there is nothing.
      const other = await rig.submit({ ...out, side: 'BUY', price: '59000' });
      expect(other).toMatchObject({ reason: code === '51008' ? 'BALANCE' : 'REDUCE_ONLY' });
    }
  });
});

describe('a cancel', () => {
  const cancelled = (rig: Rig, more: object = {}): Promise<CancelOutcome> =>
    rig.result(rig.venue.cancel({ ...REF, ...more }));

  it.each<[string, object, Readonly<Record<string, WireAnswer>>, object, string[]]>([
    [
      'by number',
      { venueIds: ['7'] },
      { [`POST ${CANCEL}`]: ack('0'), [`GET ${ORDER}`]: answer([row({ state: 'canceled' })]) },
      { kind: 'done', state: { status: 'CANCELLED' } },
      ['POST cancel-order', 'GET order?instId=BTC-USDT&ordId=7'],
    ],
    [
      'that was filled before',
      { venueIds: ['7'] },
      {
        [`POST ${CANCEL}`]: ack('51400'),
        [`GET ${ORDER}`]: answer([row({ state: 'filled', accFillSz: '2' })]),
      },
      { kind: 'gone', state: { status: 'FILLED', cumQty: '2' } },
      ['POST cancel-order', 'GET order?instId=BTC-USDT&ordId=7'],
    ],
    [
      'of an order that is forgotten',
      { venueIds: ['7'] },
      { [`POST ${CANCEL}`]: ack('51400'), [`GET ${ORDER}`]: NONE },
      { kind: 'gone', state: null },
      ['POST cancel-order', 'GET order?instId=BTC-USDT&ordId=7'],
    ],
    [
      'that is gone and still told as open',
      { venueIds: ['7'] },
      { [`POST ${CANCEL}`]: ack('51400'), [`GET ${ORDER}`]: answer([row()]) },
      { kind: 'unknown' },
      ['POST cancel-order', 'GET order?instId=BTC-USDT&ordId=7'],
    ],
    [
      'that is gone, of which nothing can be asked',
      { venueIds: ['7'] },
      { [`POST ${CANCEL}`]: ack('51400'), [`GET ${ORDER}`]: LOST },
      { kind: 'unknown' },
      ['POST cancel-order', 'GET order?instId=BTC-USDT&ordId=7'],
    ],
    [
      'that is refused',
      { venueIds: ['7'] },
      { [`POST ${CANCEL}`]: ack('51404') },
      { kind: 'rejected', reason: 'SYMBOL_HALTED' },
      ['POST cancel-order'],
    ],
    [
      'that did not leave',
      { venueIds: ['7'] },
      { [`POST ${CANCEL}`]: UNSENT },
      { kind: 'unknown', cause: 'it was not sent: refused' },
      ['POST cancel-order'],
    ],
    [
      'in a code that is new',
      { venueIds: ['7'] },
      { [`POST ${CANCEL}`]: ack('51410') },
      { kind: 'unknown', cause: 'row (51410)' },
      ['POST cancel-order'],
    ],
    [
      'of what waits',
      { venueIds: ['a90'] },
      { [`POST ${CANCEL_ALGOS}`]: ack('0'), [`GET ${ALGO}`]: answer([algo({ state: 'canceled' })]) },
      { kind: 'done', state: { status: 'CANCELLED' } },
      ['POST cancel-algos', 'GET order-algo?algoId=90'],
    ],
    [
      'of what waits and has failed before',
      { venueIds: ['a90'] },
      {
        [`POST ${CANCEL_ALGOS}`]: ack('51400'),
        [`GET ${ALGO}`]: answer([algo({ state: 'order_failed', failCode: '51008' })]),
      },
      { kind: 'gone', state: { status: 'REJECTED', reason: 'BALANCE' } },
      ['POST cancel-algos', 'GET order-algo?algoId=90'],
    ],
    [
      'of what waits and is forgotten',
      { venueIds: ['a90'] },
      { [`POST ${CANCEL_ALGOS}`]: ack('51603'), [`GET ${ALGO}`]: NONE },
      { kind: 'gone', state: null },
      ['POST cancel-algos', 'GET order-algo?algoId=90'],
    ],
    [
      'of what waits, gone and still told as waiting',
      { venueIds: ['a90'] },
      { [`POST ${CANCEL_ALGOS}`]: ack('51400'), [`GET ${ALGO}`]: answer([algo()]) },
      { kind: 'unknown' },
      ['POST cancel-algos', 'GET order-algo?algoId=90'],
    ],
    [
      'of what waits, refused',
      { venueIds: ['a90'] },
      { [`POST ${CANCEL_ALGOS}`]: ack('51030') },
      { kind: 'rejected', reason: 'SYMBOL_HALTED' },
      ['POST cancel-algos'],
    ],
    [
      'of both numbers: the order is what is left',
      { venueIds: ['a90', '7'] },
      { [`POST ${CANCEL}`]: ack('0'), [`GET ${ORDER}`]: answer([row({ state: 'canceled' })]) },
      { kind: 'done' },
      ['POST cancel-order', 'GET order?instId=BTC-USDT&ordId=7'],
    ],
    [
      'by our id, filled before',
      {},
      {
        [`POST ${CANCEL}`]: ack('51400'),
        [`GET ${ORDER}`]: answer([row({ state: 'filled', accFillSz: '2' })]),
      },
      { kind: 'gone', state: { status: 'FILLED' } },
      ['POST cancel-order', 'GET order?instId=BTC-USDT&clOrdId=a'],
    ],
    [
      'by our id, refused',
      {},
      { [`POST ${CANCEL}`]: ack('51030') },
      { kind: 'rejected' },
      ['POST cancel-order'],
    ],
    [
      'by our id, of which nothing is known',
      {},
      { [`POST ${CANCEL}`]: ack('51400'), [`GET ${ORDER}`]: LOST },
      { kind: 'unknown' },
      ['POST cancel-order', 'GET order?instId=BTC-USDT&clOrdId=a'],
    ],
    ['by an id that was never sent', { clientId: 'has-hyphen' }, {}, { kind: 'gone', state: null }, []],
    ['of what is not listed', { symbol: 'NOPEUSDT', venueIds: ['7'] }, {}, { kind: 'unknown' }, []],
  ])('%s is what that proves', async (_, ref, given, outcome, requests) => {
    const { rig, asked } = await answering(given);
    expect(await cancelled(rig, ref)).toMatchObject(outcome);
    expect(asked).toEqual(requests);
  });

  it.each([
    ['7', CANCEL, ORDER, row],
    ['a90', CANCEL_ALGOS, ALGO, algo],
  ] as const)(
    'of %s that is taken is looked after three times, whatever the looks say in between',
    async (id, cancel, ask, of) => {
      const looks = [LOST, answer([of()]), answer([of({ state: 'canceled' })])];
      for (const given of [looks, [answer([of()]), LOST, answer([of()])]]) {
        const { rig, bodies } = await answering({ [`POST ${cancel}`]: ack('0') });
        const left = [...given];
        const at: number[] = [];
        rig.net.answers.set(ask, () => {
          at.push(rig.clock.monotonic());
          return left.shift() ?? LOST;
        });
        expect(await cancelled(rig, { venueIds: [id] })).toMatchObject(
          given === looks ? { kind: 'done', state: { status: 'CANCELLED' } } : { kind: 'unknown' },
        );
        const [first = 0, second = 0, third = 0] = at;
        expect([at.length, second - first, third - second]).toEqual([3, 100, 300]);
        expect(bodies).toEqual(
          id === '7' ? [{ instId: 'BTC-USDT', ordId: '7' }] : [[{ instId: 'BTC-USDT', algoId: '90' }]],
        );
      }
    },
  );

  it('of all that cannot be listed is not sent, nor of what is not listed here', async () => {
    for (const path of ['/api/v5/trade/orders-pending', '/api/v5/trade/orders-algo-pending']) {
      const { rig, bodies } = await answering({ [`GET ${path}`]: LOST });
      expect(await rig.result(allCancelled(rig, 'BTCUSDT'))).toMatchObject({ kind: 'unknown' });
      expect(await rig.result(allCancelled(rig, 'NOPEUSDT'))).toMatchObject({ kind: 'unknown' });
      expect(bodies).toEqual([]);
    }
  });

  it('of all names what is open of this symbol, whoever has made it, and nothing of another', async () => {
    for (const [kind, instId, instType] of [
      ['spot', 'ETH-USDT', undefined],
      ['swap', 'ETH-USDT-SWAP', 'SWAP'],
    ] as const) {
      const { rig, asked, bodies } = await answering(
        {
          'GET /api/v5/trade/orders-pending': answer([
            row({ instId, ordId: '8', clOrdId: '' }),
            row({ instId, ordId: '9' }),
          ]),
          'POST /api/v5/trade/cancel-batch-orders': ack('0', { ordId: '8' }),
        },
        { kind },
      );
      expect(await rig.result(allCancelled(rig, 'ETHUSDT'))).toEqual({ kind: 'done', states: [] });
      const of = `${instType ? `instType=${instType}&` : ''}instId=${instId}&limit=100`;
      expect(asked.at(-2)).toBe(`GET orders-pending?${of}`);
      expect(bodies).toEqual([
        [
          { instId, ordId: '8' },
          { instId, ordId: '9' },
        ],
      ]);
    }
  });
});

describe('a change', () => {
  const amended = (rig: Rig, change: object, ref: object = { venueIds: ['7'] }) =>
    rig.result(rig.venue.amend?.({ ...REF, ...ref }, change) ?? Promise.reject());
  const so = (more: object) => answer([row(more)]);

  it.each<[object, object, object]>([
    [{ price: '49000' }, { newPx: '49000' }, { px: '49000.0' }],
    [{ quantity: '3' }, { newSz: '3' }, { sz: '3.0' }],
    [
      { price: '49000', quantity: '3' },
      { newSz: '3', newPx: '49000' },
      { px: '49000', sz: '3' },
    ],
  ])('to %o names that alone, and leaves the order where it cannot be', async (change, sent, then) => {
    for (const [ref, which] of [
      [{ venueIds: ['7'] }, { ordId: '7' }],
      [{}, { clOrdId: 'a' }],
    ]) {
      const { rig, bodies } = await answering({ [`POST ${AMEND}`]: ack('0'), [`GET ${ORDER}`]: so(then) });
      expect(await amended(rig, change, ref)).toMatchObject({ kind: 'done', state: { status: 'WORKING' } });
      expect(bodies).toEqual([{ instId: 'BTC-USDT', ...which, ...sent, cxlOnFail: false }]);
    }
  });

  it.each<[string, Readonly<Record<string, WireAnswer>>, object]>([
    ['refused', { [`POST ${AMEND}`]: ack('51511') }, { kind: 'rejected', reason: 'POST_ONLY' }],
    ['that did not leave', { [`POST ${AMEND}`]: UNSENT }, { kind: 'rejected', reason: 'UNREACHED' }],
    ['without an answer', { [`POST ${AMEND}`]: LOST }, { kind: 'unknown', cause: 'no answer' }],
    ['in a code that is new', { [`POST ${AMEND}`]: ack('59999') }, { kind: 'unknown', cause: 'row (59999)' }],
    [
      'of an order at the market',
      { [`POST ${AMEND}`]: ack('0'), [`GET ${ORDER}`]: so({ px: '' }) },
      { kind: 'unknown' },
    ],
    ['that is not told', { [`POST ${AMEND}`]: ack('0'), [`GET ${ORDER}`]: LOST }, { kind: 'unknown' }],
    [
      'that came too late',
      { [`POST ${AMEND}`]: ack('51503'), [`GET ${ORDER}`]: so({ state: 'filled', accFillSz: '2' }) },
      { kind: 'gone', state: { status: 'FILLED' } },
    ],
    [
      'that came too late, of what is forgotten',
      { [`POST ${AMEND}`]: ack('51603'), [`GET ${ORDER}`]: NONE },
      { kind: 'gone', state: null },
    ],
  ])('%s is what that proves', async (_, given, outcome) => {
    const { rig } = await answering(given);
    expect(await amended(rig, { price: '49000' })).toMatchObject(outcome);
  });

  it('of what is not listed, or has an id that was never sent, is not sent', async () => {
    const { rig, asked } = await answering();
    expect(await amended(rig, { price: '5' }, { symbol: 'NOPEUSDT' })).toMatchObject({ kind: 'unknown' });
    expect(await amended(rig, { price: '5' }, { clientId: 'has-hyphen' })).toEqual({
      kind: 'gone',
      state: null,
    });
    expect(asked).toEqual([]);
  });
});
