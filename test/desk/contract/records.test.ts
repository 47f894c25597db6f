/** Every record of the specification as a real desk answers it: its fields, their types, their content. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type ContractDesk, DECIMAL, FUTURES, openContractDesk, RESTING, SPOT } from './support.ts';

const decimal = expect.stringMatching(DECIMAL);
const BUY = { exchange: SPOT, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.5' };
const LONG = { ...BUY, exchange: FUTURES };

let t: ContractDesk;
beforeEach(async () => {
  t = await openContractDesk();
});

describe('an order', () => {
  // proves: field order type [LIMIT], field order type [LIMIT_MAKER], field order type [MARKET]
  // proves: field order type [STOP_LIMIT], field order type [STOP_MARKET], field order type [TAKE_PROFIT_LIMIT]
  // proves: field order type [TAKE_PROFIT_MARKET]
  it.each([
    ['LIMIT', { price: '50000' }],
    ['LIMIT_MAKER', { price: '50000' }],
    ['MARKET', {}],
    ['STOP_LIMIT', { price: '70000', stopPrice: '70000' }],
    ['STOP_MARKET', { stopPrice: '70000' }],
    ['TAKE_PROFIT_LIMIT', { price: '50000', stopPrice: '50000' }],
    ['TAKE_PROFIT_MARKET', { stopPrice: '50000' }],
  ])('says that it is %s', async (type, prices) => {
    const common = { exchange: SPOT, symbol: 'BTCUSDT', side: 'BUY', quantity: '0.01' };
    const { id, type: answered } = await t.data('POST', '/v2/orders', { ...common, type, ...prices });
    expect(answered).toBe(type);
    const listed: readonly { id: string; type: string }[] = await t.data('GET', '/v2/orders?status=recent');
    expect(listed.find((order) => order.id === id)?.type).toBe(type);
  });

  // proves: field order id, field order exchange, field order symbol, field order side
  // proves: field order status, field order positionSide, field order price, field order stopPrice
  // proves: field order fillPrice, field order origQty, field order executedQty, field order reduceOnly
  // proves: field order closePosition, field order trailing, field order isContract, field order isWorking
  // proves: field order creator, field order creatorId, field order metadata, field order specific
  // proves: field order orderTime, rule decimal-strings, rule milliseconds, S38, S31
  it('that rests has every field of the specification and no other', async () => {
    const order = await t.data('POST', '/v2/orders', RESTING);
    expect(order).toEqual({
      id: expect.stringMatching(/^ps-[0-9a-z]{10,}$/),
      exchange: SPOT,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      status: 'OPENED',
      positionSide: 'BOTH',
      price: '50000',
      stopPrice: null,
      fillPrice: null,
      origQty: '0.01',
      executedQty: '0',
      reduceOnly: false,
      closePosition: false,
      trailing: null,
      isContract: false,
      isWorking: true,
      creator: 'API',
      creatorId: 'owner000',
      metadata: '',
      specific: { timeInForce: 'GTC' },
      orderTime: t.desk.state().clock.market,
    });
  });

  // proves: field order id, S19
  it('keeps its id for life, which is ours, 36 characters at most and never the same', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 20; i++) ids.add((await t.data('POST', '/v2/orders', RESTING)).id);
    expect(ids.size).toBe(20);
    const futures = await t.data('POST', '/v2/orders', { ...RESTING, exchange: FUTURES, price: '59000' });
    expect(futures.id).toMatch(/^pf-[0-9a-z]{10,}$/);
    expect(futures.id.length).toBeLessThanOrEqual(36);
    const [first = ''] = ids;
    expect((await t.data('DELETE', `/v2/orders/${first}?exchange=${SPOT}`)).id).toBe(first);
    const recent = await t.data('GET', '/v2/orders?status=recent');
    expect(recent.find(({ status }: { status: string }) => status === 'CANCELLED').id).toBe(first);
  });

  // proves: field order type, field order trailing, field order stopPrice, order-type trailing stop
  it('that is a trailing stop stays STOP_MARKET and shows its callback and when it armed', async () => {
    await t.data('POST', '/v2/orders', BUY);
    const order = await t.data('POST', '/v2/orders', {
      ...BUY,
      side: 'SELL',
      type: 'STOP_MARKET',
      quantity: '0.2',
      trailingDelta: 150,
    });
    expect(order).toMatchObject({
      type: 'STOP_MARKET',
      status: 'NEW',
      isWorking: false,
      stopPrice: null,
      trailing: { delta: 150, time: t.desk.state().clock.market },
    });
    const stop = { ...BUY, side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '0.1' };
    expect(await t.data('POST', '/v2/orders', stop)).toMatchObject({ trailing: null, stopPrice: '55000' });
  });

  // proves: field order isContract, field order reduceOnly, field order closePosition
  // proves: field order positionSide, field order fillPrice, field order executedQty, field order isWorking
  it('on futures is a contract and shows what it may do to the position', async () => {
    expect(await t.data('POST', '/v2/orders', LONG)).toMatchObject({
      isContract: true,
      status: 'CLOSED',
      isWorking: false,
      fillPrice: '60000',
      executedQty: '0.5',
      positionSide: 'BOTH',
    });
    const exit = { ...LONG, side: 'SELL', type: 'LIMIT', price: '61000', reduceOnly: true };
    expect(await t.data('POST', '/v2/orders', exit)).toMatchObject({ reduceOnly: true });
    const close = { ...LONG, side: 'SELL', quantity: '0', closePosition: true };
    expect(await t.data('POST', '/v2/orders', close)).toMatchObject({
      closePosition: true,
      origQty: '0.5',
      status: 'CLOSED',
    });
  });

  // proves: field order specific, field create-order goodTillDate
  it('good till a date tells the date among what only this exchange has', async () => {
    const goodTillDate = t.desk.state().clock.market + 3_600_000;
    const order = await t.data('POST', '/v2/orders', { ...RESTING, timeInForce: 'GTD', goodTillDate });
    expect(order.specific).toEqual({ timeInForce: 'GTD', goodTillDate, emulated: true });
  });

  // proves: field order creator, field order creatorId
  it('says who made it', async () => {
    const made = await t.call('orders.place', RESTING);
    const orders = await t.data('GET', '/v2/orders');
    expect(made).toMatchObject({ ok: true });
    expect(orders.map(({ creator, creatorId }: Record<string, string>) => [creator, creatorId])).toEqual([
      ['UI', 'owner000'],
    ]);
  });
});

describe('a fill', () => {
  // proves: field fill symbol, field fill side, field fill price, field fill qty, field fill comm
  // proves: field fill commAsset, field fill buyer, field fill rPnl, field fill posSide, field fill time
  // proves: rule decimal-strings, rule milliseconds, endpoint GET /orders/trades
  it('on spot has every field of the specification and no other', async () => {
    await t.data('POST', '/v2/orders', BUY);
    await t.data('POST', '/v2/orders', { ...BUY, side: 'SELL', quantity: '0.2' });
    const time = t.desk.state().clock.market;
    expect(await t.data('GET', `/v2/orders/trades?exchange=${SPOT}&symbol=BTCUSDT`)).toEqual([
      {
        symbol: 'BTCUSDT',
        side: 'BUY',
        price: '60000',
        qty: '0.5',
        comm: '0.0005',
        commAsset: 'BTC',
        buyer: true,
        rPnl: null,
        posSide: 'BOTH',
        time,
      },
      {
        symbol: 'BTCUSDT',
        side: 'SELL',
        price: '60000',
        qty: '0.2',
        comm: '12',
        commAsset: 'USDT',
        buyer: false,
        rPnl: null,
        posSide: 'BOTH',
        time,
      },
    ]);
  });

  // proves: field fill rPnl, field fill posSide
  it('on futures tells the profit of what it closed, and none of what it opened', async () => {
    await t.data('POST', '/v2/orders', LONG);
    await t.moveTo('61000');
    await t.data('POST', '/v2/orders', { ...LONG, side: 'SELL', quantity: '0.2' });
    const fills = await t.data('GET', `/v2/orders/trades?exchange=${FUTURES}&symbol=BTCUSDT`);
    expect(fills.map(({ rPnl, posSide }: Record<string, unknown>) => [rPnl, posSide])).toEqual([
      [null, 'BOTH'],
      ['200', 'BOTH'],
    ]);
  });
});

describe('the balances', () => {
  // proves: endpoint GET /portfolio, field portfolio total, field portfolio balances, field balance asset
  // proves: field balance name, field balance free, field balance wallet, field balance locked
  // proves: field balance total, field balance lockedByBot, field balance usd, rule decimal-strings
  it('have every field of the specification and no other', async () => {
    await t.data('POST', '/v2/orders', { ...RESTING, price: '59000', quantity: '0.1' });
    expect(await t.data('GET', '/v2/portfolio')).toEqual({
      total: { usd: '100000.00', btc: '1.66666667' },
      balances: [
        {
          asset: 'USDT',
          name: 'USDT',
          free: '94100',
          wallet: '100000',
          locked: '5900',
          total: '100000',
          lockedByBot: null,
          usd: '100000.00',
        },
      ],
    });
  });

  // proves: param GET /portfolio full, param GET /portfolio totalOnly, param GET /portfolio exchange
  // proves: field portfolio balances
  it('are all of them when asked in full, and none when only the total is wanted', async () => {
    const full = await t.data('GET', '/v2/portfolio?full=true');
    expect(full.balances.map(({ asset }: { asset: string }) => asset)).toEqual(['BNB', 'BTC', 'ETH', 'USDT']);
    expect(await t.data('GET', '/v2/portfolio?totalOnly=true')).toEqual({
      total: { usd: '100000.00', btc: '1.66666667' },
    });
    await t.data('POST', '/v2/orders', BUY);
    const spot = await t.data('GET', '/v2/portfolio');
    expect(await t.data('GET', `/v2/portfolio?exchange=${SPOT}`)).toEqual(spot);
    const futures = await t.data('GET', `/v2/portfolio?exchange=${FUTURES}`);
    expect(futures.balances).toEqual([expect.objectContaining({ asset: 'USDT', wallet: '100000' })]);
  });
});

describe('a position', () => {
  // proves: endpoint GET /portfolio/positions, field position symbol, field position quote
  // proves: field position marketType, field position amount, field position entryPrice
  // proves: field position unrealizedProfit, field position type, field position leverage
  // proves: field position side, field position isolatedWallet, field position liquidationPrice
  // proves: field position bepPrice, field position mmr, field position updateTime, field position specific
  // proves: S12, S20, rule decimal-strings, param GET /portfolio/positions exchange
  it('has every field of the specification, no raw object on paper, under an opaque key', async () => {
    await t.data('POST', '/v2/orders', { ...LONG, side: 'SELL' });
    const positions = await t.data('GET', '/v2/portfolio/positions');
    expect(Object.keys(positions)).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(await t.data('GET', `/v2/portfolio/positions?exchange=${FUTURES}`)).toEqual(positions);
    expect(Object.values(positions)).toEqual([
      {
        symbol: 'BTCUSDT',
        quote: 'USDT',
        marketType: 'futures',
        amount: '-0.5',
        entryPrice: '60000',
        unrealizedProfit: '0',
        type: 'CROSSED',
        leverage: '20',
        side: 'BOTH',
        isolatedWallet: '0',
        liquidationPrice: decimal,
        bepPrice: decimal,
        mmr: decimal,
        updateTime: t.desk.state().clock.market,
      },
    ]);
  });

  // proves: field position amount, field position side, field position isolatedWallet
  // proves: field position type, field position liquidationPrice, S20
  it('in hedge mode has its direction in side, a key of its own, and its own margin when isolated', async () => {
    await t.data('POST', `/v2/exchange/hedge-mode?exchange=${FUTURES}`, { dualSidePosition: true });
    await t.data('POST', '/v2/orders', { ...LONG, positionSide: 'LONG', marginType: 'ISOLATED' });
    await t.data('POST', '/v2/orders', { ...LONG, side: 'SELL', quantity: '0.1', positionSide: 'SHORT' });
    const positions = await t.data('GET', '/v2/portfolio/positions');
    expect(new Set(Object.keys(positions)).size).toBe(2);
    expect(Object.values(positions)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ side: 'LONG', amount: '0.5', type: 'ISOLATED' }),
        expect.objectContaining({ side: 'SHORT', amount: '0.1', type: 'ISOLATED' }),
      ]),
    );
    for (const { isolatedWallet } of Object.values<{ isolatedWallet: string }>(positions)) {
      expect(Number(isolatedWallet)).toBeGreaterThan(0);
    }
  });

  // proves: field position liquidationPrice
  it('that nothing can bring down has no price of liquidation', async () => {
    await t.data('POST', '/v2/orders', { ...LONG, quantity: '0.01' });
    const [position] = Object.values<{ liquidationPrice: unknown }>(
      await t.data('GET', '/v2/portfolio/positions'),
    );
    expect(position?.liquidationPrice).toBeNull();
  });

  // proves: field leverage symbol, field leverage side, field leverage leverage, field leverage type
  // proves: field leverage cpnl, endpoint GET /portfolio/position/leverage, S40
  // proves: param GET /portfolio/position/leverage marginType
  it('and its leverage are told per symbol and side, with what has been realised', async () => {
    const at = `/v2/portfolio/position/leverage?exchange=${FUTURES}&symbols=BTCUSDT,ETHUSDT`;
    const plain = { side: 'BOTH', leverage: '20', type: 'CROSSED' };
    expect(await t.data('GET', at)).toEqual([
      { symbol: 'BTCUSDT', ...plain },
      { symbol: 'ETHUSDT', ...plain },
    ]);
    await t.data('POST', '/v2/orders', LONG);
    await t.moveTo('61000');
    await t.data('POST', '/v2/orders', { ...LONG, side: 'SELL', quantity: '0.2' });
    expect((await t.data('GET', at))[0]).toEqual({ symbol: 'BTCUSDT', ...plain, cpnl: '200' });
    expect(await t.data('GET', `${at}&marginType=ISOLATED`)).toEqual([]);
  });
});

describe('the other records', () => {
  // proves: endpoint GET /exchange/supported, record exchange entry, rule exchange-ids
  it('list the exchange accounts as venue and market kind, which orders then name', async () => {
    const entries = await t.data('GET', '/v2/exchange/supported');
    expect(entries).toEqual([
      { id: 'paper-spot', name: 'Paper spot', type: 'spot' },
      { id: 'paper-futures', name: 'Paper futures', type: 'futures' },
    ]);
    for (const { id, type } of entries) {
      expect(id).toBe(`paper-${type}`);
      const order = { ...RESTING, exchange: id, price: '59000' };
      expect((await t.data('POST', '/v2/orders', order)).exchange).toBe(id);
    }
  });

  // proves: record server time, record status, record version, rule milliseconds, S31
  it('tell the wall time, though the market is somewhere else', async () => {
    const now = t.clock.wall();
    expect(await t.data('GET', '/v2/server/time')).toEqual({ serverTime: now, timezone: 'UTC' });
    expect(await t.data('GET', '/v2/server/status')).toEqual({
      status: 'operational',
      apiVersion: '2.0.0',
      timestamp: now,
    });
    expect(await t.data('GET', '/v2/server/version')).toEqual({
      service: 'outcry',
      apiVersion: '2.0.0',
      node: process.version,
      startedAt: t.desk.info.startedAt,
      uptimeSec: Math.floor((now - t.desk.info.startedAt) / 1_000),
    });
    expect(t.desk.state().clock.market).not.toBe(now);
  });
});
