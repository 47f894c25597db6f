/** Questions about orders of OKX: what each answer, or its loss, proves, and which lists are asked. */
import { describe, expect, it } from 'vitest';
import type { QueryOutcome } from '../../../src/domain/exchange.ts';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import { ALGO, algo, answer, answering, LOST, NONE, ORDER, row } from './outcomes-support.ts';
import type { Rig } from './rig.ts';

const LIMIT = { clientId: 'a', quantity: '0.01', price: '59000' } as const;
const STOP = { clientId: 'a', type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' } as const;
const REF = { clientId: 'a', symbol: 'BTCUSDT' };

/** Long enough after the start that no conditional order of an earlier process can be on its way, ms. */
const QUIET_MS = 40_000;

describe('a question', () => {
  const queried = (rig: Rig, more: object = {}): Promise<QueryOutcome> =>
    rig.result(rig.venue.query({ ...REF, ...more }));
  const FILLS = '/api/v5/trade/fills';
  const HISTORY = '/api/v5/trade/orders-history';
  const denied = { [`GET ${ORDER}`]: NONE, [`GET ${ALGO}`]: NONE };
  const filled = row({ state: 'filled', accFillSz: '2' });
  const made = algo({ state: 'effective', ordIdList: ['7'], uTime: String(Date.UTC(2026, 10, 25, 12)) });

  it.each<[string, object, Readonly<Record<string, WireAnswer>>, object]>([
    [
      'whose order cannot be asked for',
      { venueIds: ['7'] },
      { [`GET ${ORDER}`]: LOST },
      { kind: 'unknown', cause: 'no answer' },
    ],
    ['by number of what is nowhere', { venueIds: ['7'] }, { [`GET ${ORDER}`]: NONE }, { kind: 'absent' }],
    ['by number of what waits nowhere', { venueIds: ['a90'] }, { [`GET ${ALGO}`]: NONE }, { kind: 'absent' }],
    [
      'of an order in words that are new',
      { venueIds: ['7'] },
      { [`GET ${ORDER}`]: answer([row({ state: 'odd' })]) },
      { kind: 'unknown' },
    ],
    [
      'whose conditional order cannot be asked for',
      { venueIds: ['a90'] },
      { [`GET ${ALGO}`]: LOST },
      { kind: 'unknown' },
    ],
    [
      'of a conditional order in words that are new',
      { venueIds: ['a90'] },
      { [`GET ${ALGO}`]: answer([algo({ state: 'odd' })]) },
      { kind: 'unknown' },
    ],
    [
      'whose second book cannot be asked',
      {},
      { [`GET ${ORDER}`]: NONE, [`GET ${ALGO}`]: LOST },
      { kind: 'unknown' },
    ],
    [
      'whose first book cannot be asked',
      {},
      { [`GET ${ORDER}`]: LOST, [`GET ${ALGO}`]: answer([algo()]) },
      { kind: 'unknown' },
    ],
    [
      'whose order waits',
      {},
      { [`GET ${ORDER}`]: NONE, [`GET ${ALGO}`]: answer([algo()]) },
      { kind: 'found', state: { status: 'PENDING' }, fills: [] },
    ],
    [
      'whose executions cannot be read',
      { venueIds: ['7'] },
      { [`GET ${ORDER}`]: answer([filled]), [`GET ${FILLS}`]: LOST, 'GET /api/v5/trade/fills-history': LOST },
      { kind: 'unknown', cause: 'its executions could not be read' },
    ],
    [
      'whose trigger has made what cannot be asked for',
      { venueIds: ['a90'] },
      { [`GET ${ALGO}`]: answer([made]), [`GET ${ORDER}`]: LOST },
      { kind: 'unknown', cause: 'no answer' },
    ],
    [
      'whose trigger has just made what is not listed yet',
      { venueIds: ['a90'] },
      { [`GET ${ALGO}`]: answer([made]), [`GET ${ORDER}`]: NONE },
      { kind: 'unknown' },
    ],
    [
      'whose conditional order was cancelled after it had made one that is forgotten',
      { venueIds: ['a90'] },
      { [`GET ${ALGO}`]: answer([{ ...made, state: 'canceled' }]), [`GET ${ORDER}`]: NONE },
      { kind: 'found', state: { status: 'CANCELLED' }, fills: [] },
    ],
    [
      'whose trigger has made what is told in words that are new',
      { venueIds: ['a90'] },
      { [`GET ${ALGO}`]: answer([made]), [`GET ${ORDER}`]: answer([row({ state: 'odd' })]) },
      { kind: 'unknown' },
    ],
    ['that every list denies', {}, denied, { kind: 'absent' }],
    [
      'that another order’s list denies',
      {},
      { ...denied, [`GET ${HISTORY}`]: answer([row({ clOrdId: 'b' })]), [`GET ${FILLS}`]: answer([]) },
      { kind: 'absent' },
    ],
    [
      'whose open orders cannot be read',
      {},
      { ...denied, 'GET /api/v5/trade/orders-pending': LOST },
      { kind: 'unknown' },
    ],
    [
      'whose conditional orders cannot be read',
      {},
      { ...denied, 'GET /api/v5/trade/orders-algo-pending': LOST },
      { kind: 'unknown' },
    ],
    ['whose ended orders cannot be read', {}, { ...denied, [`GET ${HISTORY}`]: LOST }, { kind: 'unknown' }],
    ['whose executions cannot deny it', {}, { ...denied, [`GET ${FILLS}`]: LOST }, { kind: 'unknown' }],
    ['by an id that was never sent', { clientId: 'has-hyphen' }, {}, { kind: 'absent' }],
    ['about what is not listed', { symbol: 'NOPEUSDT' }, {}, { kind: 'unknown' }],
  ])('%s proves what it proves', async (_, ref, given, outcome) => {
    const { rig } = await answering(given, {}, QUIET_MS);
    expect(await queried(rig, ref)).toMatchObject(outcome);
  });

  it('looks for what may be denied in all lists of its market and symbol', async () => {
    for (const [kind, lists] of [
      ['spot', ['instType=SPOT&', 'instType=MARGIN&']],
      ['swap', ['instType=SWAP&']],
    ] as const) {
      const instId = kind === 'spot' ? 'BTC-USDT' : 'BTC-USDT-SWAP';
      const open = kind === 'spot' ? '' : 'instType=SWAP&';
      const { rig, asked } = await answering({}, { kind }, QUIET_MS);
      expect(await queried(rig)).toEqual({ kind: 'absent' });
      const algos = ['conditional%2Coco', 'trigger', 'move_order_stop'];
      expect(asked).toEqual([
        `GET order?instId=${instId}&clOrdId=a`,
        'GET order-algo?algoClOrdId=a',
        ...algos.map((type) => `GET orders-algo-pending?ordType=${type}&${open}instId=${instId}&limit=100`),
        `GET orders-pending?${open}instId=${instId}&limit=100`,
        ...lists.map((list) => `GET orders-history?${list}instId=${instId}&limit=100`),
        `GET fills?instId=${instId}&limit=100`,
      ]);
    }
  });

  it('is not answered by what the lists have of other orders', async () => {
    const fill = { ...{ instId: 'BTC-USDT', ordId: '8', clOrdId: 'b', tradeId: '1', billId: '1' } };
    const others = {
      'GET /api/v5/trade/orders-algo-pending': answer([algo({ algoClOrdId: 'b' })]),
      'GET /api/v5/trade/orders-pending': answer([row({ clOrdId: 'b' })]),
      [`GET ${HISTORY}`]: answer([row({ clOrdId: 'c', state: 'canceled' })]),
      [`GET ${FILLS}`]: answer([{ ...fill, side: 'buy', fillPx: '5', fillSz: '1', ts: '1' }]),
    };
    const { rig } = await answering({ ...denied, ...others }, {}, QUIET_MS);
    expect(await queried(rig)).toEqual({ kind: 'absent' });
    const own = {
      [`GET ${FILLS}`]: answer([{ ...fill, clOrdId: 'a', side: 'buy', fillPx: '5', fillSz: '1', ts: '1' }]),
    };
    const again = await answering({ ...denied, ...others, ...own }, {}, QUIET_MS);
    expect(await queried(again.rig)).toMatchObject({ kind: 'unknown' });
  });

  it.each<[string, (instId: string) => object, kind: string]>([
    ['orders-pending', (instId) => row({ instId }), 'found'],
    ['orders-algo-pending', (instId) => algo({ instId }), 'found'],
    ['orders-history', (instId) => row({ instId, state: 'canceled' }), 'found'],
    [
      'fills',
      (instId) => ({
        ...{ instId, ordId: '8', clOrdId: 'a', tradeId: '1', billId: '1', side: 'buy', fillPx: '5' },
        ...{ fillSz: '1', ts: '1' },
      }),
      'unknown',
    ],
  ])(
    'about an order that only %s has is answered by the list of its own symbol, with others asked about at once',
    async (list, of, kind) => {
      const { rig } = await answering(denied, {}, QUIET_MS);
      // All answers take the same time: the questions meet in every list.
      rig.net.faults = { delayMs: [20, 20] };
      const request = rig.net.request.bind(rig.net);
      rig.net.request = async (one) => {
        const given = await request(one);
        if (one.method !== 'GET' || !one.path.startsWith(`/api/v5/trade/${list}?`)) return given;
        const isIts = one.path.includes('instId=ETH-USDT') && !one.path.includes('MARGIN');
        return answer(isIts ? [of('ETH-USDT')] : []);
      };
      const all = ['BTCUSDT', 'ADAUSDT', 'ETHUSDT'].map((symbol) => rig.venue.query({ ...REF, symbol }));
      const outcomes = await rig.result(Promise.all(all));
      expect(outcomes.map((outcome) => outcome.kind)).toEqual(['absent', 'absent', kind]);
    },
  );

  it('about a stop of all whose order is forgotten and has executed nothing tells that it was cancelled', async () => {
    const old = { ...made, sz: '', closeFraction: '1', uTime: String(Date.UTC(2026, 10, 25, 8)) };
    const given = { [`GET ${ALGO}`]: answer([old]), [`GET ${ORDER}`]: NONE };
    for (const [fills, outcome] of [
      [answer([]), { kind: 'found', state: { status: 'CANCELLED', cumQty: '0' }, fills: [] }],
      [LOST, { kind: 'unknown', cause: 'its executions could not be read' }],
    ] as const) {
      const { rig } = await answering({ ...given, [`GET ${FILLS}`]: fills }, {}, QUIET_MS);
      expect(await queried(rig, { venueIds: ['a90'] })).toMatchObject(outcome);
    }
  });

  it('begins with the book that the order was sent to', async () => {
    const { rig, asked } = await answering({ [`POST ${ALGO}`]: LOST, [`POST ${ORDER}`]: LOST });
    await rig.submit(STOP);
    asked.length = 0;
    await queried(rig);
    expect(asked.slice(0, 2)).toEqual([
      'GET order-algo?algoClOrdId=a',
      'GET order?instId=BTC-USDT&clOrdId=a',
    ]);
    await rig.submit({ ...LIMIT, clientId: 'b' });
    asked.length = 0;
    await queried(rig, { clientId: 'b' });
    expect(asked.slice(0, 2)).toEqual([
      'GET order?instId=BTC-USDT&clOrdId=b',
      'GET order-algo?algoClOrdId=b',
    ]);
  });
});
