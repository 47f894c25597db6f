/**
 * What rows of OKX say of an order, field by field: terms, reasons of an end, executions, and instruments with
 * everything that they limit.
 */
import { describe, expect, it } from 'vitest';
import { Listed, readInstruments, sizeOf } from '../../../src/venues/okx/instruments.ts';
import type { AlgoRow, FillRow, OrderPush } from '../../../src/venues/okx/messages.ts';
import {
  childOf,
  fillOfPush,
  fillOfRow,
  positionSideOf,
  stateOfAlgo,
  stateOfOrder,
} from '../../../src/venues/okx/order-states.ts';

const LIMITS = {
  tickSz: '0.10',
  lotSz: '0.1',
  minSz: '0.2',
  maxLmtSz: '5000',
  maxMktSz: '400',
  state: 'live',
};
const swap = (more: object = {}) => ({
  ...{
    instId: 'BTC-USDT-SWAP',
    instType: 'SWAP',
    ctType: 'linear',
    ctVal: '0.1',
    ctMult: '0.1',
    ctValCcy: 'BTC',
  },
  ...{ settleCcy: 'USDT', instFamily: 'BTC-USDT', lever: '75', expTime: '', ...LIMITS, ...more },
});
const spot = (more: object = {}) => ({
  ...{
    instId: 'BTC-USDT',
    instType: 'SPOT',
    baseCcy: 'BTC',
    quoteCcy: 'USDT',
    lever: '',
    ...LIMITS,
    ...more,
  },
});
const read = (kind: 'spot' | 'swap', ...data: unknown[]) => {
  const all = readInstruments(JSON.stringify({ code: '0', msg: '', data }), 'mine', kind);
  if (!all.ok) throw new Error(all.problem);
  return all.value;
};
const [SWAP] = read('swap', swap()).listings;
const [SPOT] = read('spot', spot()).listings;
if (!SWAP || !SPOT) throw new Error('the rows above are wrong');

describe('an instrument', () => {
  const common = {
    ...{ exchange: 'mine', symbol: 'BTCUSDT', base: 'BTC', quote: 'USDT', tickSize: '0.1', minPrice: '0.1' },
    ...{
      maxPrice: '1000000000000',
      minNotional: '0',
      maxNotional: '0',
      percentDown: '0',
      percentUp: '1000000',
    },
    ...{ trailingMinBps: 10, trailingMaxBps: 1_000, maxOrders: 500, maxIcebergParts: 0 },
  };

  it('has all that limits its orders, in base units', () => {
    expect(SWAP).toMatchObject({ instId: 'BTC-USDT-SWAP', family: 'BTC-USDT', lever: '75' });
    expect(SWAP.instrument).toEqual({
      ...{ ...common, kind: 'futures', stepSize: '0.001', minQty: '0.002', maxQty: '50', marketMaxQty: '4' },
    });
    expect(SPOT).toMatchObject({ instId: 'BTC-USDT', family: '', lever: '1' });
    // The largest size at the market is an amount in USDT there.
    expect(SPOT.instrument).toEqual({
      ...{ ...common, kind: 'spot', stepSize: '0.1', minQty: '0.2', maxQty: '5000', marketMaxQty: '5000' },
    });
  });

  it.each<[object, object]>([
    [{ maxMktSz: '' }, { marketMaxQty: '50' }],
    [{ expTime: '1900000000000' }, { endsAt: 1_900_000_000_000 }],
    [{ state: 'suspend' }, { halt: 'halted' }],
    [{ state: 'rebase' }, { halt: 'halted' }],
    [{ state: 'post_only' }, { halt: 'halted' }],
    [{ state: 'settling' }, { halt: 'halted' }],
  ])('that has %o differs by %o', (more, differs) => {
    const [listing] = read('swap', swap(more)).listings;
    expect(listing?.instrument).toEqual({ ...SWAP.instrument, ...differs });
  });

  it.each(['0', '', '-1', 'soon', '1e400'])('that ends at %o has no end', (expTime) => {
    expect(read('swap', swap({ expTime })).listings[0]?.instrument).not.toHaveProperty('endsAt');
  });

  it.each<['spot' | 'swap', object, problem: RegExp | null]>([
    ['swap', { state: 'test' }, null],
    ['swap', { ctType: 'inverse' }, null],
    ['swap', { instType: 'FUTURES' }, null],
    ['swap', { settleCcy: 'BTC' }, null],
    ['swap', { settleCcy: 'USDC' }, null],
    ['spot', { instType: 'MARGIN' }, null],
    ['spot', { state: 'preopen' }, null],
    ['swap', { ctValCcy: 'USDT' }, /counts its contracts in something else/],
    ['swap', { ctVal: '0' }, /contract value/],
    ['swap', { ctMult: '' }, /contract multiplier/],
    ['swap', { ctVal: '0.0000000000000001', ctMult: '0.0000000000000001' }, /contracts of no size/],
    ['spot', { lotSz: '0' }, /lot size/],
    ['spot', { minSz: '0' }, /least size/],
    ['spot', { maxLmtSz: '' }, /largest size of a limit order/],
    ['swap', { maxMktSz: '0' }, /largest size of a market order/],
    ['spot', { tickSz: '0' }, /tick size/],
    ['spot', { baseCcy: 'B TC' }, /name that cannot be taken/],
    ['spot', { quoteCcy: '' }, /name that cannot be taken/],
    ['spot', { state: 'odd' }, /state/],
  ])('of %s with %o is left out, with a sentence where it should not be', (kind, more, problem) => {
    const one = kind === 'spot' ? spot(more) : swap(more);
    const other =
      kind === 'spot'
        ? spot({ instId: 'ETH-USDT', baseCcy: 'ETH' })
        : swap({ instId: 'ETH-USDT-SWAP', instFamily: 'ETH-USDT', ctValCcy: 'ETH' });
    const { listings, unread, problems } = read(kind, one, other);
    expect(listings.map(({ instrument: { symbol } }) => symbol)).toEqual(['ETHUSDT']);
    expect(unread).toEqual(problem === null ? [] : [one.instId]);
    if (problem === null) expect(problems).toEqual([]);
    else expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  it('that is named twice is not listed at all, and one whose symbol another has is told apart', () => {
    const twice = read('spot', spot(), spot({ tickSz: '1' }), spot({ instId: 'ETH-USDT', baseCcy: 'ETH' }));
    expect(twice.listings.map(({ instId }) => instId)).toEqual(['ETH-USDT']);
    expect(twice.unread).toContain('BTC-USDT');
  });

  it('stays halted while it cannot be read, is gone when it is not listed, and trades again when it can be', () => {
    const listed = new Listed();
    const eth = swap({ instId: 'ETH-USDT-SWAP', instFamily: 'ETH-USDT', ctValCcy: 'ETH' });
    const halts = () => listed.instruments.map(({ symbol, halt }) => [symbol, halt]);
    listed.replace(read('swap', swap(), eth));
    listed.replace(read('swap', swap({ tickSz: '' }), eth));
    expect(halts()).toEqual([
      ['ETHUSDT', undefined],
      ['BTCUSDT', 'halted'],
    ]);
    expect([...listed.unread]).toEqual(['BTCUSDT', 'BTC-USDT-SWAP']);
    expect(listed.of('BTCUSDT')?.instrument.halt).toBe('halted');
    listed.replace(read('swap', swap({ tickSz: '' })));
    expect(halts()).toEqual([['BTCUSDT', 'halted']]);
    expect(listed.of('ETHUSDT')?.instrument.halt).toBeUndefined();
    listed.replace(read('swap', swap()));
    expect([halts(), listed.unread]).toEqual([[['BTCUSDT', undefined]], []]);
    // Read and unreadable in one list: what could be read counts.
    listed.replace({ ...read('swap', swap()), unread: ['BTC-USDT-SWAP'] });
    expect(halts()).toEqual([['BTCUSDT', undefined]]);
  });

  it.each([
    ['0.05', '5'],
    ['0.005', '0.5'],
    ['0', null],
    ['-0.05', null],
    ['1e2', null],
    ['', null],
    ['0.00000000000000000000000000000001', null],
  ])('takes %o base units as %o', (quantity, size) => {
    expect(sizeOf(SWAP, quantity)).toBe(size);
  });
});

const ORDER: OrderPush = {
  ...{
    instId: 'BTC-USDT-SWAP',
    ordId: '1',
    clOrdId: 'os0123456789abcdefghijkl',
    side: 'sell',
    posSide: 'net',
  },
  ...{ ordType: 'limit', state: 'live', sz: '300', px: '50000.10', accFillSz: '0', cTime: '1', uTime: '7' },
};

describe('an order', () => {
  const terms = {
    ...{ side: 'SELL', type: 'LIMIT', price: '50000.1', timeInForce: 'GTC', reduceOnly: false },
    ...{ closePosition: false, positionSide: 'BOTH', workingType: 'CONTRACT_PRICE' },
  };

  it.each<[Partial<OrderPush>, object]>([
    [{}, {}],
    [{ ordType: 'ioc' }, { timeInForce: 'IOC' }],
    [{ ordType: 'fok' }, { timeInForce: 'FOK' }],
    [{ ordType: 'post_only' }, { type: 'LIMIT_MAKER' }],
    [{ ordType: 'elp' }, { type: 'LIMIT_MAKER' }],
    [{ ordType: 'market' }, { type: 'MARKET', price: undefined }],
    [
      { ordType: 'optimal_limit_ioc', px: '' },
      { type: 'MARKET', price: undefined },
    ],
    [{ px: '' }, { price: undefined }],
    [{ px: '0' }, { price: undefined }],
    [{ px: '-1' }, { price: undefined }],
    [
      { side: 'buy', reduceOnly: 'true' },
      { side: 'BUY', reduceOnly: true },
    ],
    [{ reduceOnly: true }, { reduceOnly: true }],
    [{ reduceOnly: 'false' }, {}],
    [{ reduceOnly: false }, {}],
    [{ posSide: 'long', reduceOnly: 'true' }, { positionSide: 'LONG' }],
    [{ posSide: 'short' }, { positionSide: 'SHORT' }],
    [{ posSide: '' }, {}],
  ])('with %o has terms that differ by %o', (more, differs) => {
    const expected = Object.entries({ ...terms, ...differs }).filter(([, value]) => value !== undefined);
    expect(stateOfOrder({ ...ORDER, ...more }, SWAP)?.terms).toEqual(Object.fromEntries(expected));
    expect(stateOfOrder({ ...ORDER, ...more }, SWAP)).not.toHaveProperty('text');
  });

  it.each<[state: string, accFillSz: string, status: string, more?: Partial<OrderPush>]>([
    ['live', '0', 'WORKING'],
    ['live', '', 'WORKING'],
    ['partially_filled', '299', 'WORKING'],
    // All of it has executed, in a row that does not say so yet.
    ['partially_filled', '300', 'FILLED'],
    ['partially_filled', '301', 'FILLED'],
    ['live', '0', 'WORKING', { sz: '0' }],
    ['live', '0', 'WORKING', { sz: '' }],
    ['filled', '300', 'FILLED'],
    ['canceled', '300', 'CANCELLED'],
    ['canceled', '0', 'CANCELLED'],
    ['mmp_canceled', '100', 'CANCELLED'],
    ['canceled', '0', 'REJECTED', { cancelSource: '31' }],
    ['canceled', '1', 'CANCELLED', { cancelSource: '31' }],
    ['live', '0', 'WORKING', { cancelSource: '31' }],
  ])('that is %s with %o of 300 is %s', (state, accFillSz, status, more = {}) => {
    const told = stateOfOrder({ ...ORDER, state, accFillSz, ...more }, SWAP);
    expect(told?.status).toBe(status);
    expect(told?.reason).toBe(status === 'REJECTED' ? 'POST_ONLY' : undefined);
    expect(told?.text === undefined).toBe(!['CANCELLED', 'REJECTED'].includes(status));
  });

  it('that was cancelled says by what', () => {
    const words = (cancelSource?: string) =>
      stateOfOrder(
        { ...ORDER, state: 'canceled', ...(cancelSource === undefined ? {} : { cancelSource }) },
        SWAP,
      )?.text;
    expect([words(), words(''), words('99'), words('1')]).toEqual(
      Array.from({ length: 4 }, () => 'cancelled'),
    );
    const sources = ['0', '2', '3', '4', '6', '7', '9', '13', '14', '15', '17', '20', '21', '22', '23', '27'];
    const told = [...sources, '31', '32', '33'].map(words);
    expect(new Set(told).size).toBe(sources.length + 3);
    for (const text of told.slice(0, 7)) expect(text).toMatch(/^cancelled by the exchange/);
    expect([words('20'), words('31'), words('13')]).toEqual([
      'cancelled by the countdown of the account',
      'expired: post-only, it would have traded at once',
      'expired: FOK, it could not be filled as a whole',
    ]);
  });

  it('over an amount is so only at the market: a limit in the same words has its quantity', () => {
    const row = { ...ORDER, instId: 'BTC-USDT', sz: '5', tgtCcy: 'quote_ccy', accFillSz: '2' };
    expect(stateOfOrder(row, SPOT)).toMatchObject({ origQty: '5', cumQty: '2', status: 'WORKING' });
    expect(stateOfOrder({ ...row, ordType: 'market' }, SPOT)).toMatchObject({ origQty: '0', cumQty: '2' });
    const base = { ...row, ordType: 'market', tgtCcy: 'base_ccy' };
    expect(stateOfOrder(base, SPOT)).toMatchObject({ origQty: '5' });
    expect(stateOfOrder({ ...row, ordType: 'market', state: 'canceled' }, SPOT)).toMatchObject({
      ...{ origQty: '2', cumQty: '2', status: 'CANCELLED' },
    });
  });

  it('that a trigger has made goes by the names of that, has no terms of its own, and may be of any type', () => {
    const child = { ...ORDER, algoId: '90', algoClOrdId: 'os0123456789abcdefghijkm' };
    for (const ordType of ['market', 'trigger', 'anything']) {
      const told = stateOfOrder({ ...child, ordType }, SWAP);
      expect(told).toMatchObject({ clientId: 'os-0123456789abcdefghijkm', venueIds: ['a90', '1'] });
      expect(told).not.toHaveProperty('terms');
    }
    expect(stateOfOrder({ ...ORDER, algoId: '', algoClOrdId: 'x' }, SWAP)).toMatchObject({
      ...{ clientId: 'os-0123456789abcdefghijkl', venueIds: ['1'] },
    });
  });
});

describe('a conditional order', () => {
  const ALGO: AlgoRow = {
    ...{ instId: 'BTC-USDT-SWAP', algoId: '9', algoClOrdId: 'a9', ordType: 'conditional', state: 'live' },
    ...{
      side: 'sell',
      posSide: 'net',
      sz: '300',
      slTriggerPx: '40000',
      slOrdPx: '-1',
      slTriggerPxType: 'mark',
    },
    ...{ cTime: '1', uTime: '7' },
  };
  const terms = {
    ...{ side: 'SELL', type: 'STOP_MARKET', stopPrice: '40000', timeInForce: 'GTC', reduceOnly: false },
    ...{ closePosition: false, positionSide: 'BOTH', workingType: 'MARK_PRICE' },
  };
  const tp = { slTriggerPx: '', tpTriggerPx: '70000', tpOrdPx: '-1', tpTriggerPxType: 'last' };
  const trail = { ordType: 'move_order_stop', slTriggerPx: '', slOrdPx: '' };

  it.each<[Partial<AlgoRow>, object]>([
    [{}, {}],
    [{ ordType: 'oco', tpTriggerPx: '70000', tpOrdPx: '71000' }, {}],
    [{ slOrdPx: '39000' }, { type: 'STOP_LIMIT', price: '39000' }],
    [{ slTriggerPxType: 'last' }, { workingType: 'CONTRACT_PRICE' }],
    [{ slTriggerPxType: 'index' }, { workingType: 'CONTRACT_PRICE' }],
    [tp, { type: 'TAKE_PROFIT_MARKET', stopPrice: '70000', workingType: 'CONTRACT_PRICE' }],
    [
      { ...tp, tpOrdPx: '69000', tpTriggerPxType: 'mark', ordType: 'oco' },
      { type: 'TAKE_PROFIT_LIMIT', stopPrice: '70000', price: '69000' },
    ],
    [
      { ordType: 'trigger', triggerPx: '45000', ordPx: '-1', triggerPxType: 'last' },
      { stopPrice: '45000', workingType: 'CONTRACT_PRICE' },
    ],
    [
      { ordType: 'trigger', triggerPx: '45000', ordPx: '44000', triggerPxType: 'mark' },
      { type: 'STOP_LIMIT', stopPrice: '45000', price: '44000' },
    ],
    [trail, { stopPrice: undefined, workingType: 'CONTRACT_PRICE' }],
    [
      { side: 'buy', reduceOnly: 'true' },
      { side: 'BUY', reduceOnly: true },
    ],
    [{ reduceOnly: 'true', closeFraction: '1', sz: '' }, { closePosition: true }],
    [{ reduceOnly: 'true', closeFraction: '0' }, { reduceOnly: true }],
    [{ reduceOnly: 'true', posSide: 'short' }, { positionSide: 'SHORT' }],
    [{ posSide: 'long' }, { positionSide: 'LONG' }],
  ])('with %o has terms that differ by %o', (more, differs) => {
    const expected = Object.entries({ ...terms, ...differs }).filter(([, value]) => value !== undefined);
    expect(stateOfAlgo({ ...ALGO, ...more }, SWAP)?.terms).toEqual(Object.fromEntries(expected));
  });

  it.each<[Partial<AlgoRow>, object]>([
    [{}, { status: 'PENDING', venueIds: ['a9'], origQty: '3' }],
    [{ state: 'pause' }, { status: 'PENDING' }],
    [{ tgtCcy: 'quote_ccy' }, { status: 'PENDING', origQty: '0' }],
    [{ uTime: '' }, { status: 'PENDING', seq: 1, time: 1 }],
    [{ state: 'canceled' }, { status: 'CANCELLED', text: 'cancelled' }],
    [
      { state: 'order_failed', failCode: '51008' },
      { status: 'REJECTED', reason: 'BALANCE', text: expect.stringContaining('refused its order (51008)') },
    ],
    [
      { state: 'order_failed' },
      { status: 'REJECTED', reason: 'OTHER', text: expect.stringContaining('refused its order (no code)') },
    ],
    [
      { state: 'effective', ordIdList: ['4', '5', ''] },
      { status: 'WORKING', venueIds: ['a9', '5'] },
    ],
    [
      { state: 'effective', ordIdList: [], ordId: '6' },
      { status: 'WORKING', venueIds: ['a9', '6'] },
    ],
    [
      { state: 'partially_effective', ordId: '6' },
      { status: 'WORKING', venueIds: ['a9', '6'] },
    ],
    [{ state: 'partially_failed', ordId: '0' }, { status: 'PENDING' }],
    [{ state: 'effective', ordId: '0' }, { status: 'PENDING' }],
    [trail, { status: 'PENDING', armedAt: 7 }],
    [{ ...trail, activePx: '5' }, { status: 'PENDING' }],
    [
      { ...trail, activePx: '5', moveTriggerPx: '4' },
      { status: 'PENDING', armedAt: 7 },
    ],
    [
      { ...trail, state: 'canceled' },
      { status: 'CANCELLED', text: 'cancelled' },
    ],
    [
      { ...trail, state: 'effective', ordId: '6' },
      { status: 'WORKING', venueIds: ['a9', '6'] },
    ],
  ])('with %o is %o', (more, differs) => {
    const { terms: _, ...told } = stateOfAlgo({ ...ALGO, ...more }, SWAP) ?? {};
    const same = {
      clientId: 'a9',
      venueIds: ['a9'],
      symbol: 'BTCUSDT',
      origQty: '3',
      cumQty: '0',
      seq: 7,
      time: 7,
    };
    expect(told).toEqual({ ...same, ...differs });
  });

  it('has made the last order of several, and none where there is no number', () => {
    const of = (ordIdList: string[], ordId?: string) =>
      childOf({ ...ALGO, ordIdList, ...(ordId === undefined ? {} : { ordId }) });
    expect([of(['1', '2']), of(['1', '']), of([], '3'), of(['', ''], '3')]).toEqual(['2', '1', '3', '3']);
    expect([of([]), of([''], ''), of([], '0'), of(['0'])]).toEqual([null, null, null, null]);
  });
});

describe('an execution', () => {
  const PUSH: OrderPush = {
    ...{ ...ORDER, tradeId: '5', fillSz: '20', fillPx: '49999.50', fillTime: '6', fillFee: '-0.50' },
    ...{ fillFeeCcy: 'OKB', fillPnl: '-1.5', execType: 'M', posSide: 'short' },
  };
  const ROW: FillRow = {
    ...{ instId: 'BTC-USDT-SWAP', tradeId: '5', ordId: '1', billId: '8', fillPx: '49999.50', fillSz: '20' },
    ...{ side: 'sell', ts: '9', fillTime: '6', fee: '-0.50', feeCcy: 'OKB', fillPnl: '-1.5', execType: 'M' },
    ...{ posSide: 'short', subType: '3' },
  };
  const told = {
    ...{ tradeId: '5', clientId: 'os-0123456789abcdefghijkl', venueId: '1', symbol: 'BTCUSDT', side: 'SELL' },
    ...{
      price: '49999.5',
      qty: '0.2',
      comm: '0.5',
      commAsset: 'OKB',
      maker: true,
      rPnl: '-1.5',
      posSide: 'SHORT',
    },
    time: 6,
  };

  it('is the same in an event and in an answer', () => {
    expect(fillOfPush(PUSH, SWAP)).toEqual(told);
    expect(fillOfRow(ROW, SWAP, told.clientId)).toEqual(told);
    const taken = { maker: false, side: 'BUY', rPnl: '0', comm: '-0.1', posSide: 'BOTH', commAsset: 'USDT' };
    const changed = { execType: 'T', side: 'buy', fillPnl: '', posSide: '' } as const;
    expect(fillOfPush({ ...PUSH, ...changed, fillFee: '0.1', fillFeeCcy: '' }, SWAP)).toEqual({
      ...told,
      ...taken,
    });
    expect(fillOfRow({ ...ROW, ...changed, fee: '0.1', feeCcy: '' }, SWAP, told.clientId)).toEqual({
      ...told,
      ...taken,
    });
  });

  it('of spot realises nothing, and has its time from where there is one', () => {
    expect(fillOfPush({ ...PUSH, fillTime: '', fillFee: '' }, SPOT)).toMatchObject({
      ...{ rPnl: null, time: 7, qty: '20', comm: '0' },
    });
    expect(fillOfRow({ ...ROW, fillTime: '', fee: '' }, SPOT, '')).toMatchObject({
      ...{ rPnl: null, time: 9, qty: '20', comm: '0', clientId: '' },
    });
  });

  it.each<[Partial<OrderPush>]>([
    [{ tradeId: '' }],
    [{ tradeId: '0' }],
    [{ fillSz: '' }],
    [{ fillSz: '0.0' }],
    [{ fillPx: '' }],
  ])('is none in an event with %o', (more) => {
    expect(fillOfPush({ ...PUSH, ...more }, SWAP)).toBeNull();
  });

  it('is forced by its category, or by the kind of its bill', () => {
    for (const category of ['full_liquidation', 'partial_liquidation', 'adl'])
      expect(fillOfPush({ ...PUSH, category }, SWAP)?.liquidation).toBe(true);
    for (const category of ['normal', 'twap', 'delivery', ''])
      expect(fillOfPush({ ...PUSH, category }, SWAP)).not.toHaveProperty('liquidation');
    expect(fillOfRow({ ...ROW, subType: '125' }, SWAP, '').liquidation).toBe(true);
    expect(['long', 'short', 'net', '', undefined].map(positionSideOf)).toEqual([
      'LONG',
      'SHORT',
      'BOTH',
      'BOTH',
      'BOTH',
    ]);
  });
});
