/**
 * POST /orders over real requests: what each order type needs, what each field does, and the error when it
 * is wrong.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { type ContractDesk, FUTURES, openContractDesk, SPOT } from './support.ts';

type Body = Record<string, unknown>;

const BUY = { exchange: SPOT, symbol: 'BTCUSDT', side: 'BUY', quantity: '0.1' };
const SELL = { ...BUY, side: 'SELL' };
const LONG = { ...BUY, exchange: FUTURES };

let t: ContractDesk;
beforeEach(async () => {
  t = await openContractDesk();
});

const post = (body: Body) => t.ask('POST', '/v2/orders', body);
const placed = (body: Body) => t.data('POST', '/v2/orders', body);
const without = (body: Body, field: string) => ({ ...body, [field]: undefined });

async function expectRefused(body: Body, words: string | RegExp): Promise<void> {
  const { status, json } = await post(body);
  expect(status, JSON.stringify(body)).toBe(400);
  expect(json.error.code).toBe('INVALID_REQUEST');
  expect(json.error.message).toMatch(words);
}

/** Buys so that the spot account has something to sell and the futures account a position. */
async function hold(): Promise<void> {
  await placed({ ...BUY, type: 'MARKET', quantity: '0.5' });
  await placed({ ...LONG, type: 'MARKET', quantity: '0.5' });
}

/** What each type needs besides exchange, symbol, side, type. The second column is the status it ends in. */
const TYPES: [type: string, status: string, needs: Body][] = [
  ['MARKET', 'CLOSED', { quantity: '0.1' }],
  ['LIMIT', 'OPENED', { quantity: '0.1', price: '62000' }],
  ['LIMIT_MAKER', 'OPENED', { quantity: '0.1', price: '62000' }],
  ['STOP_MARKET', 'NEW', { quantity: '0.1', stopPrice: '59000' }],
  ['STOP_LIMIT', 'NEW', { quantity: '0.1', stopPrice: '59000', price: '58900' }],
  ['TAKE_PROFIT_MARKET', 'NEW', { quantity: '0.1', stopPrice: '61000' }],
  ['TAKE_PROFIT_LIMIT', 'NEW', { quantity: '0.1', stopPrice: '61000', price: '60900' }],
];

describe('an order type', () => {
  // proves: order-type MARKET, order-type LIMIT, order-type LIMIT_MAKER, order-type STOP_MARKET
  // proves: order-type STOP_LIMIT, order-type TAKE_PROFIT_MARKET, order-type TAKE_PROFIT_LIMIT
  // proves: field create-order type, field create-order quantity, field create-order price
  // proves: field create-order stopPrice, endpoint POST /orders, state none to NEW
  it.each(TYPES)('%s ends as %s with %o and is refused without any of it', async (type, status, needs) => {
    await hold();
    for (const exchange of [SPOT, FUTURES]) {
      const body = { exchange, symbol: 'BTCUSDT', side: 'SELL', type, ...needs };
      expect(await placed(body)).toMatchObject({ type, status, exchange, isWorking: status === 'OPENED' });
      for (const field of Object.keys(needs)) {
        await expectRefused(without(body, field), `${field} is required for ${type} orders`);
      }
    }
  });

  // proves: order-type LIMIT_MAKER, rule exchange-rejection, rule error-is-rejected, S2, S30
  it('LIMIT_MAKER that would take is refused in the words of the exchange, and listed as ERROR', async () => {
    await expectRefused({ ...BUY, type: 'LIMIT_MAKER', price: '60001' }, /immediately match and take/);
    await expectRefused({ ...LONG, type: 'LIMIT_MAKER', price: '60001' }, /Post Only/);
    const recent = await t.data('GET', '/v2/orders?status=recent');
    expect(recent.map(({ status, executedQty }: Body) => [status, executedQty])).toEqual([
      ['ERROR', '0'],
      ['ERROR', '0'],
    ]);
    expect(await t.data('GET', '/v2/orders')).toEqual([]);
  });

  // proves: order-type trailing stop, field create-order trailingDelta, field create-order activationPrice
  // proves: field create-order percentPrice, S32
  it('STOP_MARKET with trailingDelta needs no stopPrice, and arms where it is told', async () => {
    await hold();
    const trailing = { type: 'STOP_MARKET', side: 'SELL', quantity: '0.1', trailingDelta: 100 };
    for (const account of [BUY, LONG]) {
      const at = { ...account, ...trailing };
      expect(await placed(at)).toMatchObject({ trailing: { delta: 100 } });
      expect((await placed({ ...at, activationPrice: '60600' })).specific.activationPrice).toBe('60600');
      expect((await placed({ ...at, percentPrice: '1' })).specific.activationPrice).toMatch(/^606/);
      await expectRefused({ ...at, activationPrice: '60600', percentPrice: '1' }, 'exclude each other');
      await expectRefused({ ...at, stopPrice: '59000' }, 'does not go with trailingDelta');
      await expectRefused({ ...at, trailingDelta: 1 }, 'whole number of basis points');
      for (const field of ['activationPrice', 'percentPrice']) {
        const alone = { ...at, trailingDelta: undefined, stopPrice: '59000', [field]: '1' };
        await expectRefused(alone, 'goes with trailingDelta only');
      }
    }
  });

  // proves: order-type close position, field create-order closePosition, S33
  it('MARKET with closePosition and quantity 0 closes the whole position', async () => {
    await expectRefused(
      { ...LONG, type: 'MARKET', side: 'SELL', quantity: '0', closePosition: true },
      'no BTCUSDT position',
    );
    await hold();
    for (const quantity of ['0', '77', undefined]) {
      const close = { ...LONG, type: 'MARKET', side: 'SELL', quantity, closePosition: true };
      expect(await placed(close)).toMatchObject({ status: 'CLOSED', executedQty: '0.5' });
      expect(await t.data('GET', '/v2/portfolio/positions')).toEqual({});
      await placed({ ...LONG, type: 'MARKET', quantity: '0.5' });
    }
  });
});

describe('the field', () => {
  // proves: field create-order exchange, rule unknown-exchange, S23
  it('exchange names a connected account, else 400 with those that are', async () => {
    for (const exchange of [undefined, 'binance-spot', 'PAPER-SPOT']) {
      await expectRefused({ ...BUY, type: 'MARKET', exchange }, /one of paper-spot, paper-futures/);
    }
  });

  // proves: field create-order symbol
  it('symbol is one that the exchange has', async () => {
    for (const account of [BUY, LONG]) {
      const body = { ...account, type: 'MARKET', symbol: 'XYZUSDT' };
      await expectRefused(body, `is not traded on ${account.exchange}`);
    }
  });

  // proves: field create-order side
  it('side of a futures order opens one way and closes the other', async () => {
    const amounts: string[] = [];
    for (const [side, quantity] of [
      ['BUY', '0.2'],
      ['SELL', '0.1'],
      ['SELL', '0.3'],
      ['BUY', '0.1'],
    ]) {
      await placed({ ...LONG, type: 'MARKET', side, quantity });
      const [position] = Object.values<{ amount: string }>(await t.data('GET', '/v2/portfolio/positions'));
      amounts.push(position?.amount ?? '0');
    }
    expect(amounts).toEqual(['0.2', '0.1', '-0.2', '-0.1']);
    await expectRefused({ ...BUY, type: 'MARKET', side: 'buy' }, 'side must be one of BUY, SELL');
  });

  // proves: field create-order quantity, field create-order quoteOrderQty, S32
  it('quoteOrderQty takes the place of quantity, on MARKET only', async () => {
    const market = { ...BUY, type: 'MARKET', quoteOrderQty: '1200' };
    for (const quantity of [undefined, '5']) {
      expect(await placed({ ...market, quantity })).toMatchObject({ origQty: '0.02', executedQty: '0.02' });
    }
    await expectRefused({ ...market, type: 'LIMIT', price: '50000' }, 'goes with MARKET orders only');
  });

  // proves: field create-order timeInForce, field create-order goodTillDate, S32
  it('timeInForce is GTC when left out, is heeded when given, and ignored by market types', async () => {
    const limit = { ...BUY, type: 'LIMIT', price: '50000' };
    const soon = t.desk.state().clock.market + 60_000;
    expect((await placed(limit)).specific.timeInForce).toBe('GTC');
    expect(await placed({ ...limit, timeInForce: 'IOC' })).toMatchObject({ status: 'CANCELLED' });
    expect(await placed({ ...limit, timeInForce: 'FOK' })).toMatchObject({ status: 'CANCELLED' });
    const dated = { ...limit, timeInForce: 'GTD' };
    expect(await placed({ ...dated, goodTillDate: soon })).toMatchObject({ status: 'OPENED' });
    await expectRefused(dated, /goodTillDate .* is required with timeInForce GTD/);
    await expectRefused({ ...dated, goodTillDate: 1 }, 'is in the past');
    await expectRefused({ ...limit, goodTillDate: soon }, 'goes with timeInForce GTD');
    await expectRefused({ ...limit, timeInForce: 'GTX' }, 'timeInForce must be one of GTC, IOC, FOK, GTD');
    for (const timeInForce of ['IOC', 'FOK', 'GTD']) {
      expect(await placed({ ...BUY, type: 'MARKET', timeInForce })).toMatchObject({ status: 'CLOSED' });
    }
  });

  // proves: field create-order icebergQty, S32
  it('icebergQty shows a part of a GTC limit order', async () => {
    const limit = { ...BUY, type: 'LIMIT', price: '50000' };
    expect(await placed({ ...limit, icebergQty: '0.01' })).toMatchObject({
      status: 'OPENED',
      origQty: '0.1',
      specific: { icebergQty: '0.01' },
    });
    await expectRefused({ ...limit, icebergQty: '0.2' }, 'more than the quantity');
    await expectRefused({ ...limit, icebergQty: '0.0001' }, 'at most 100');
    await expectRefused({ ...limit, icebergQty: '0.01', timeInForce: 'IOC' }, 'GTC only');
    await expectRefused({ ...BUY, type: 'MARKET', icebergQty: '0.01' }, 'LIMIT orders');
  });

  // proves: field create-order reduceOnly, S32
  it('reduceOnly never opens and never turns a position', async () => {
    const exit = { ...LONG, type: 'MARKET', side: 'SELL', reduceOnly: true };
    await expectRefused(exit, 'there is no BTCUSDT position');
    await hold();
    expect(await placed({ ...exit, quantity: '2' })).toMatchObject({ executedQty: '0.5' });
    expect(await t.data('GET', '/v2/portfolio/positions')).toEqual({});
  });

  // proves: field create-order positionSide, rule hedge-mode-needs-side
  it('positionSide is BOTH when left out and needed in hedge mode', async () => {
    expect(await placed({ ...LONG, type: 'MARKET' })).toMatchObject({ positionSide: 'BOTH' });
    await expectRefused({ ...LONG, type: 'MARKET', positionSide: 'LONG' }, 'needs hedge mode');
    await placed({ ...LONG, type: 'MARKET', side: 'SELL', quantity: '0', closePosition: true });
    await t.data('POST', `/v2/exchange/hedge-mode?exchange=${FUTURES}`, { dualSidePosition: true });
    for (const positionSide of [undefined, 'BOTH']) {
      await expectRefused({ ...LONG, type: 'MARKET', positionSide }, 'must be LONG or SHORT');
    }
    for (const [side, positionSide] of [
      ['BUY', 'LONG'],
      ['SELL', 'SHORT'],
    ]) {
      expect(await placed({ ...LONG, type: 'MARKET', side, positionSide })).toMatchObject({ positionSide });
    }
  });

  // proves: field create-order workingType, S32
  it('workingType is the mark price when left out; on spot either means the last price', async () => {
    await hold();
    const stop = { type: 'STOP_MARKET', side: 'SELL', stopPrice: '59500' };
    const ids = new Map<string | undefined, string>();
    for (const workingType of [undefined, 'MARK_PRICE', 'CONTRACT_PRICE']) {
      ids.set(workingType, (await placed({ ...SELL, ...stop, workingType })).id);
      expect(await placed({ ...LONG, ...stop, workingType })).toMatchObject({ status: 'NEW' });
    }
    await expectRefused({ ...SELL, ...stop, workingType: 'LAST' }, 'workingType must be one of');
    await t.moveTo('59000');
    for (const id of ids.values()) expect(t.view(id).status).toBe('CLOSED');
  });

  // proves: field create-order marginType, S32
  it('marginType is set before the order, unless something hangs on the old one', async () => {
    const type = async () =>
      (await t.data('GET', `/v2/portfolio/position/leverage?exchange=${FUTURES}&symbols=BTCUSDT`))[0].type;
    expect(await type()).toBe('CROSSED');
    await placed({ ...LONG, type: 'MARKET', marginType: 'ISOLATED' });
    expect(await type()).toBe('ISOLATED');
    await expectRefused({ ...LONG, type: 'MARKET', marginType: 'CROSSED' }, 'while it has a position');
    expect(await placed({ ...LONG, type: 'MARKET', marginType: 'ISOLATED' })).toBeDefined();
  });

  // proves: field create-order marketType, field create-order closePosition, field create-order reduceOnly
  // proves: field create-order positionSide, field create-order marginType, S24
  it.each([
    ['closePosition', true, 'for futures only'],
    ['reduceOnly', true, 'for futures only'],
    ['positionSide', 'LONG', 'for futures only'],
    ['marginType', 'CROSSED', 'for futures only'],
    ['marketType', 'futures', 'contradicts paper-spot'],
    ['marketType', 'margin', 'contradicts paper-spot'],
  ])('%s %s is refused on spot: %s', async (field, value, words) => {
    await expectRefused({ ...BUY, type: 'MARKET', [field]: value }, words);
    expect(await placed({ ...BUY, type: 'MARKET', marketType: 'spot' })).toBeDefined();
    expect(await placed({ ...LONG, type: 'MARKET', marketType: 'futures' })).toBeDefined();
  });
});
