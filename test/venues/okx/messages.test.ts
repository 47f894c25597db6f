/**
 * The reading of OKX's responses and events: recorded payloads of other clients, instruments, and the states
 * of orders.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Listed, quantityOf, readInstruments, sizeOf } from '../../../src/venues/okx/instruments.ts';
import { readCandles, readPrices, readTickers } from '../../../src/venues/okx/market/messages.ts';
import {
  type AlgoRow,
  type FillRow,
  type OrderPush,
  readAccountPush,
  readAcks,
  readAlgoPush,
  readAlgos,
  readBalances,
  readFees,
  readHead,
  readOrderPush,
  readOrders,
  readPositions,
} from '../../../src/venues/okx/messages.ts';
import {
  fillOfPush,
  fillOfRow,
  stageOf,
  stateOfAlgo,
  stateOfOrder,
} from '../../../src/venues/okx/order-states.ts';
import { INSTRUMENTS, instrumentRow } from '../../emulators/okx/instruments.ts';
import { withShared } from '../../support/shared-data.ts';

const row = (more: Record<string, unknown> = {}) => ({
  instId: 'BTC-USDT-SWAP',
  instType: 'SWAP',
  ctType: 'linear',
  ctVal: '0.01',
  ctMult: '1',
  ctValCcy: 'BTC',
  settleCcy: 'USDT',
  instFamily: 'BTC-USDT',
  expTime: '',
  lever: '100',
  tickSz: '0.1',
  lotSz: '0.01',
  minSz: '0.01',
  maxLmtSz: '100000000',
  maxMktSz: '12000',
  state: 'live',
  ...more,
});
const spotRow = (more: Record<string, unknown> = {}) => ({
  ...row({ instId: 'BTC-USDT', instType: 'SPOT', baseCcy: 'BTC', quoteCcy: 'USDT', lotSz: '0.00000001' }),
  ctType: '',
  ctVal: '',
  ctMult: '',
  settleCcy: '',
  instFamily: '',
  minSz: '0.00001',
  ...more,
});
const list = (rows: unknown[], kind: 'spot' | 'swap') => {
  const read = readInstruments(JSON.stringify({ code: '0', msg: '', data: rows }), 'mine', kind);
  if (!read.ok) throw new Error(read.problem);
  return read.value;
};
const [SWAP] = list([row()], 'swap').listings;
const [SPOT] = list([spotRow()], 'spot').listings;
if (!SWAP || !SPOT) throw new Error('the rows above are wrong');

describe('instruments', () => {
  it('of contracts are counted in base units: step, least, most', () => {
    expect(SWAP).toMatchObject({
      instId: 'BTC-USDT-SWAP',
      family: 'BTC-USDT',
      lever: '100',
      instrument: {
        symbol: 'BTCUSDT',
        base: 'BTC',
        quote: 'USDT',
        kind: 'futures',
        tickSize: '0.1',
        stepSize: '0.0001',
        minQty: '0.0001',
        maxQty: '1000000',
        marketMaxQty: '120',
        minNotional: '0',
      },
    });
    expect(SPOT.instrument).toMatchObject({ symbol: 'BTCUSDT', stepSize: '0.00000001', minQty: '0.00001' });
  });

  it('are linear in USDT or USDC: what is neither, or not traded yet, is left out without a word', () => {
    const { listings, problems } = list(
      [
        row({
          ctType: 'inverse',
          settleCcy: 'BTC',
          instId: 'BTC-USD-SWAP',
          instFamily: 'BTC-USD',
          ctValCcy: 'USD',
        }),
        row({ settleCcy: 'USDⓈ', instId: 'BTC-USD_UM-SWAP', instFamily: 'BTC-USD_UM' }),
        row({ state: 'preopen', instId: 'NEW-USDT-SWAP', instFamily: 'NEW-USDT', ctValCcy: 'NEW' }),
        spotRow(),
        row({ settleCcy: 'USDC', instId: 'BTC-USDC-SWAP', instFamily: 'BTC-USDC' }),
      ],
      'swap',
    );
    expect(listings.map(({ instrument }) => instrument.symbol)).toEqual(['BTCUSDC']);
    expect(problems).toEqual([]);
  });

  it('that are halted or end are told so, and each that cannot be read with a sentence', () => {
    const { listings, problems, unread } = list(
      [
        row({ state: 'suspend', expTime: '1900000000000' }),
        row({ instId: 'A-USDT-SWAP', instFamily: 'A-USDT', ctValCcy: 'A', state: 'dancing' }),
        row({ instId: 'B-USDT-SWAP', instFamily: 'B-USDT', ctValCcy: 'B', ctVal: '0' }),
        row({ instId: 'C-USDT-SWAP', instFamily: 'C-USDT', ctValCcy: 'X' }),
        row({ instId: 'D-USDT-SWAP', instFamily: 'D-USDT', ctValCcy: 'D', tickSz: 'x' }),
        7,
      ],
      'swap',
    );
    expect(listings.map(({ instrument: { symbol, halt, endsAt } }) => [symbol, halt, endsAt])).toEqual([
      ['BTCUSDT', 'halted', 1_900_000_000_000],
    ]);
    expect(unread).toHaveLength(5);
    expect(problems.join('\n')).toMatch(/dancing[\s\S]*no contract value|no contract value[\s\S]*dancing/);
    expect(readInstruments('{"code":"50011","msg":"x","data":[]}', 'mine', 'swap').ok).toBe(false);
  });

  it('stay known when they are listed no more, and take no entries while they cannot be read', () => {
    const listed = new Listed();
    listed.replace(
      list([row(), row({ instId: 'B-USDT-SWAP', instFamily: 'B-USDT', ctValCcy: 'B' })], 'swap'),
    );
    listed.replace(list([row({ tickSz: '' })], 'swap'));
    expect(listed.instruments.map(({ symbol, halt }) => [symbol, halt])).toEqual([['BTCUSDT', 'halted']]);
    expect(listed.of('BUSDT')?.instId).toBe('B-USDT-SWAP');
    // The last list counts, also where a contract has become another size.
    listed.replace(list([row({ ctVal: '0.001' })], 'swap'));
    for (const listing of [listed.of('BTCUSDT'), listed.named('BTC-USDT-SWAP')])
      expect(listing && sizeOf(listing, '1')).toBe('1000');
  });

  it('convert sizes exactly both ways, or not at all', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 12n),
        fc.constantFrom('0.01', '0.1', '1', '1000', '0.0001', '0.003'),
        (n, ctVal) => {
          const [one] = list([row({ ctVal })], 'swap').listings;
          if (!one) throw new Error('it is not listed');
          const size = (Number(n) / 100).toFixed(2).replace(/\.?0+$/, '');
          expect(sizeOf(one, quantityOf(one, size))).toBe(size);
        },
      ),
    );
    const [odd] = list([row({ ctVal: '0.003' })], 'swap').listings;
    if (!odd) throw new Error('it is not listed');
    expect([sizeOf(odd, '0.003'), sizeOf(odd, '0.01'), sizeOf(odd, '0'), sizeOf(odd, '-1')]).toEqual([
      '1',
      null,
      null,
      null,
    ]);
  });

  it('of the emulator are read as it has them', () => {
    for (const [kind, count] of [
      ['spot', 10],
      ['swap', 7],
    ] as const)
      expect(list(INSTRUMENTS.map(instrumentRow), kind)).toMatchObject({
        problems: [],
        listings: { length: count },
      });
  });
});

const push = (more: Partial<OrderPush> = {}): OrderPush => ({
  instId: 'BTC-USDT-SWAP',
  ordId: '1',
  clOrdId: 'os0123456789abcdefghijkl',
  side: 'buy',
  posSide: 'net',
  ordType: 'limit',
  state: 'live',
  sz: '3',
  px: '50000',
  accFillSz: '0',
  cTime: '1',
  uTime: '7',
  ...more,
});
const algo = (more: Partial<AlgoRow> = {}): AlgoRow => ({
  instId: 'BTC-USDT-SWAP',
  algoId: '9',
  algoClOrdId: 'a9',
  ordType: 'conditional',
  state: 'live',
  side: 'sell',
  posSide: 'net',
  sz: '3',
  slTriggerPx: '50000',
  slOrdPx: '-1',
  slTriggerPxType: 'mark',
  reduceOnly: 'true',
  cTime: '1',
  uTime: '7',
  ...more,
});

describe('an order', () => {
  it('is told in base units, under our own id, with the exchange’s time', () => {
    expect(stateOfOrder(push({ accFillSz: '1', state: 'partially_filled' }), SWAP)).toEqual({
      clientId: 'os-0123456789abcdefghijkl',
      venueIds: ['1'],
      symbol: 'BTCUSDT',
      status: 'WORKING',
      origQty: '0.03',
      cumQty: '0.01',
      seq: 7,
      time: 7,
      terms: {
        side: 'BUY',
        type: 'LIMIT',
        price: '50000',
        timeInForce: 'GTC',
        reduceOnly: false,
        closePosition: false,
        positionSide: 'BOTH',
        workingType: 'CONTRACT_PRICE',
      },
    });
  });

  it.each<[Partial<OrderPush>, object | null]>([
    [{ state: 'filled', accFillSz: '3' }, { status: 'FILLED' }],
    [
      { state: 'canceled', cancelSource: '1' },
      { status: 'CANCELLED', text: 'cancelled' },
    ],
    [
      { state: 'canceled', cancelSource: '14', accFillSz: '1' },
      { status: 'CANCELLED', cumQty: '0.01', text: /IOC/ },
    ],
    [
      { state: 'canceled', cancelSource: '31' },
      { status: 'REJECTED', reason: 'POST_ONLY' },
    ],
    [{ state: 'canceled', cancelSource: '31', accFillSz: '1' }, { status: 'CANCELLED' }],
    [{ state: 'mmp_canceled' }, { status: 'CANCELLED' }],
    [{ state: 'dancing' }, null],
    [{ ordType: 'dance' }, null],
    // The child order of a trigger may have any id: it is reported under the id of the waiting order.
    [
      { ordType: 'trigger', algoId: '9', algoClOrdId: 'a9' },
      { clientId: 'a9', venueIds: ['a9', '1'] },
    ],
    [{ ordType: 'ioc' }, { terms: { timeInForce: 'IOC' } }],
    [{ ordType: 'post_only' }, { terms: { type: 'LIMIT_MAKER' } }],
    [{ posSide: 'short', reduceOnly: 'true' }, { terms: { positionSide: 'SHORT', reduceOnly: false } }],
  ])('that is %o ends as what it is', (more, state) => {
    const told = stateOfOrder(push(more), SWAP);
    if (state === null) expect(told).toBeNull();
    else {
      const { text, ...rest } = state as { text?: string | RegExp };
      expect(told).toMatchObject(rest);
      if (text) expect(told?.text).toMatch(text);
    }
  });

  it('over an amount has its quantity when it has ended', () => {
    const market = { instId: 'BTC-USDT', ordType: 'market', tgtCcy: 'quote_ccy', sz: '100', px: '' } as const;
    expect(stateOfOrder(push({ ...market, state: 'live' }), SPOT)).toMatchObject({
      origQty: '0',
      cumQty: '0',
    });
    // The total quantity is unknown while the order is open: one execution may not be all of it.
    expect(
      stateOfOrder(push({ ...market, state: 'partially_filled', accFillSz: '0.001' }), SPOT),
    ).toMatchObject({ status: 'WORKING', origQty: '0', cumQty: '0.001' });
    expect(stateOfOrder(push({ ...market, state: 'filled', accFillSz: '0.002' }), SPOT)).toMatchObject({
      status: 'FILLED',
      origQty: '0.002',
      cumQty: '0.002',
    });
  });

  it('has an execution only where the row has its number: fees are costs, rebates below zero', () => {
    const fill = {
      tradeId: '5',
      fillSz: '2',
      fillPx: '50000',
      fillTime: '6',
      fillFee: '-0.5',
      fillFeeCcy: 'USDT',
    };
    expect(fillOfPush(push({ ...fill, fillPnl: '1.5', execType: 'T' }), SWAP)).toEqual({
      tradeId: '5',
      clientId: 'os-0123456789abcdefghijkl',
      venueId: '1',
      symbol: 'BTCUSDT',
      side: 'BUY',
      price: '50000',
      qty: '0.02',
      comm: '0.5',
      commAsset: 'USDT',
      maker: false,
      rPnl: '1.5',
      posSide: 'BOTH',
      time: 6,
    });
    expect(fillOfPush(push({ ...fill, fillFee: '0.1', fillFeeCcy: 'OKB' }), SWAP)).toMatchObject({
      comm: '-0.1',
      commAsset: 'OKB',
    });
    for (const none of [
      {},
      { tradeId: '0', fillSz: '2' },
      { ...fill, fillSz: '0' },
      { ...fill, tradeId: '' },
    ])
      expect(fillOfPush(push(none), SWAP)).toBeNull();
    const liquidation: FillRow = {
      instId: 'BTC-USDT-SWAP',
      tradeId: '-5',
      ordId: '1',
      billId: '1',
      subType: '104',
      fillPx: '1',
      fillSz: '1',
      side: 'sell',
      ts: '3',
      fee: '',
      feeCcy: '',
    };
    expect(fillOfRow(liquidation, SWAP, '')).toMatchObject({
      tradeId: '-5',
      liquidation: true,
      comm: '0',
      commAsset: 'USDT',
    });
    // Of each kind of liquidation and of ADL, and of nothing beside them.
    const told = Array.from({ length: 40 }, (_, n) => String(99 + n)).filter(
      (subType) => fillOfRow({ ...liquidation, subType }, SWAP, '').liquidation,
    );
    const kinds = ['100', '101', '102', '103', '104', '105', '106', '107', '125', '126', '127', '128'];
    expect(told).toEqual(kinds);
  });
});

describe('a conditional order', () => {
  it.each<[Partial<AlgoRow>, object | null]>([
    [
      {},
      {
        status: 'PENDING',
        origQty: '0.03',
        terms: { type: 'STOP_MARKET', stopPrice: '50000', workingType: 'MARK_PRICE', reduceOnly: true },
      },
    ],
    [{ slOrdPx: '49000' }, { terms: { type: 'STOP_LIMIT', price: '49000' } }],
    [
      { slTriggerPx: '', slOrdPx: '', tpTriggerPx: '70000', tpOrdPx: '-1', tpTriggerPxType: 'last' },
      { terms: { type: 'TAKE_PROFIT_MARKET', stopPrice: '70000', workingType: 'CONTRACT_PRICE' } },
    ],
    [
      { ordType: 'trigger', slTriggerPx: '', triggerPx: '5', ordPx: '4' },
      { terms: { type: 'STOP_LIMIT', stopPrice: '5', price: '4' } },
    ],
    [
      { ordType: 'move_order_stop', slTriggerPx: '' },
      { status: 'PENDING', armedAt: 7, terms: { type: 'STOP_MARKET' } },
    ],
    [
      { sz: '', closeFraction: '1' },
      { origQty: '0', terms: { closePosition: true, reduceOnly: false } },
    ],
    [{ state: 'canceled' }, { status: 'CANCELLED' }],
    [
      { state: 'order_failed', failCode: '51008' },
      { status: 'REJECTED', reason: 'BALANCE' },
    ],
    [
      { state: 'order_failed', failCode: '' },
      { status: 'REJECTED', reason: 'OTHER' },
    ],
    [
      { state: 'effective', ordIdList: ['4'] },
      { status: 'WORKING', venueIds: ['a9', '4'] },
    ],
    [
      // The quantity of the order that it has made, executed or not.
      { state: 'effective', ordId: '4', ...{ actualSz: '3' } },
      { status: 'WORKING', cumQty: '0' },
    ],
    [
      { state: 'effective', ordId: '' },
      { status: 'PENDING', venueIds: ['a9'] },
    ],
    [{ state: 'order_placed' }, null],
    [{ ordType: 'twap' }, null],
  ])('that is %o is what it is by then', (more, state) => {
    const told = stateOfAlgo(algo(more), SWAP);
    if (state === null) expect(told).toBeNull();
    else expect(told).toMatchObject(state);
  });

  it('that trails from a price on follows when it has been met', () => {
    const trailing = { ordType: 'move_order_stop', slTriggerPx: '', activePx: '60000' };
    expect(stateOfAlgo(algo(trailing), SWAP)?.armedAt).toBeUndefined();
    expect(stateOfAlgo(algo({ ...trailing, moveTriggerPx: '59000' }), SWAP)?.armedAt).toBe(7);
  });
});

describe('recorded payloads of others', () => {
  const all = (text: string) => (JSON.parse(text) as { payloads: Record<string, unknown> }).payloads;

  it(
    'are read, each as what it is',
    withShared('payloads/okx.json', 20, (text) => {
      const payloads = all(text);
      const of = (name: string) => JSON.stringify(payloads[name]);
      for (const name of ['http_get_orders_history', 'http_get_orders_pending'])
        expect(readOrders(of(name).replaceAll('client-order-1', 'b15')).ok).toBe(true);
      for (const name of [
        'http_get_orders_algo_pending',
        'http_get_orders_algo_history',
        'http_get_orders_algo_pending_close_fraction',
        'http_get_orders_algo_pending_attached_oco',
      ])
        expect([
          name,
          readAlgos(
            of(name)
              .replaceAll('-attached-', '')
              .replaceAll('close-frac-', '')
              .replaceAll('oco-', '')
              .replaceAll('ord_456', '456'),
          ).ok,
        ]).toEqual([name, true]);
      for (const name of [
        'ws_orders',
        'ws_orders_fok',
        'ws_orders_ioc',
        'ws_orders_liquidation',
        'ws_orders_trigger',
      ])
        expect([name, readOrderPush(of(name)).ok]).toEqual([name, true]);
      expect(readAlgoPush(of('ws_orders_algo')).ok).toBe(true);
      for (const name of ['ws_account', 'ws_account_empty'])
        expect([name, readAccountPush(of(name)).ok]).toEqual([name, true]);
      expect(readBalances(of('http_get_account_balance')).ok).toBe(true);
      expect(readPositions(of('http_get_positions')).ok).toBe(true);
      expect(readFees(of('http_get_trade_fee_response')).ok).toBe(true);
      for (const name of [
        'http_place_algo_order_rejected',
        'http_place_algo_order_response',
        'http_cancel_algo_order_response',
      ])
        expect(readAcks(of(name)).ok).toBe(true);
      expect(readCandles(of('http_get_candlesticks_full'), false)).toMatchObject({
        ok: true,
        value: [
          { time: 1_747_093_980_000, volume: '71.6404' },
          { volume: '10.4037', isClosed: true },
        ],
      });
      expect(readPrices(of('ws_trades'), true)).toMatchObject({
        value: [{ kind: 'trade', instId: 'BTC-USD', id: 130_639_474, price: '42219.9', size: '0.12060306' }],
      });
      expect(readPrices(of('ws_candle'), true)).toMatchObject({ value: [{ kind: 'closed', bar: '1D' }] });
      expect(readPrices(of('ws_funding_rate'), false)).toMatchObject({
        value: [{ kind: 'funding', rate: '0.0001' }],
      });
      const swaps = readInstruments(of('http_get_instruments_swap'), 'mine', 'swap');
      expect(swaps).toMatchObject({
        ok: true,
        value: { problems: [], listings: [{ instId: 'ETH-USDT-SWAP' }, { instId: 'BTC-USDT-SWAP' }] },
      });
      expect(readInstruments(of('http_get_instruments_spot'), 'mine', 'spot')).toMatchObject({
        ok: true,
        value: { problems: [] },
      });
    }),
  );
});

it('nothing that is sent makes a reader throw', () => {
  const readers = [readOrders, readAlgos, readAcks, readHead, readOrderPush, readTickers];
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const read of readers) expect(typeof read(text).ok).toBe('boolean');
      expect(typeof readPrices(text, true).ok).toBe('boolean');
      expect(typeof readCandles(text, false).ok).toBe('boolean');
      expect(typeof readInstruments(text, 'mine', 'swap').ok).toBe('boolean');
    }),
  );
  expect(stageOf({ state: 'x' })).toBeNull();
});
