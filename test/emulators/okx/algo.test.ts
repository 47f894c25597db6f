/**
 * Algo orders: the parameters of each type, their triggers, and the orders that they make. Source: OKX v5
 * "Algo Trading".
 */
import { describe, expect, it } from 'vitest';
import { testEmulator } from './support.ts';

const STOP = {
  instId: 'BTC-USDT-SWAP',
  tdMode: 'cross',
  side: 'sell',
  ordType: 'conditional',
  sz: '10',
  slTriggerPx: '59000',
  slOrdPx: '-1',
  reduceOnly: true,
  algoClOrdId: 'stop1',
};
const BUY = { instId: 'BTC-USDT-SWAP', tdMode: 'cross', side: 'buy', ordType: 'market', sz: '10' };

function withAlgos(settings = {}) {
  const all = testEmulator(settings);
  const algo = (params: Record<string, unknown>) => all.row(all.post('/api/v5/trade/order-algo', params));
  const ask = (algoClOrdId: string) => all.row(all.get('/api/v5/trade/order-algo', { algoClOrdId }));
  return { ...all, algo, asked: ask };
}

describe('algo orders', () => {
  it('waits without holding anything back, triggers, and makes an order with ids of its own', () => {
    const { order, algo, asked, emulator, get, row, socket } = withAlgos();
    const orders = socket('private', true);
    orders.op('subscribe', { channel: 'orders', instType: 'ANY' });
    const algos = socket('business', true);
    algos.op('subscribe', { channel: 'orders-algo', instType: 'ANY' });
    order(BUY);
    expect(algo(STOP)).toMatchObject({ sCode: '0', algoClOrdId: 'stop1', clOrdId: '' });
    expect(asked('stop1')).toMatchObject({ state: 'live', ordIdList: [], slOrdPx: '-1' });
    emulator.trade('BTC-USDT-SWAP', '58990');
    const done = asked('stop1');
    expect(done).toMatchObject({ state: 'effective', actualSide: 'sl', actualSz: '10', failCode: '' });
    expect(done.ordIdList).toEqual([done.ordId]);
    const child = row(get('/api/v5/trade/order', { instId: 'BTC-USDT-SWAP', ordId: done.ordId }));
    expect(child).toMatchObject({
      algoId: done.algoId,
      algoClOrdId: 'stop1',
      source: '7',
      ordType: 'market',
      reduceOnly: 'true',
      state: 'filled',
    });
    expect(child.clOrdId).not.toBe('stop1');
    expect(algos.rows('orders-algo').map(({ state }) => state)).toEqual(['live', 'effective']);
    expect(orders.rows('orders').at(-1)).toMatchObject({ algoClOrdId: 'stop1', ordId: done.ordId });
  });

  it('may tell of the trigger after the order that it made', async () => {
    const { order, algo, emulator, clock, socket } = withAlgos({ algoLagMs: 300 });
    const algos = socket('business', true);
    algos.op('subscribe', { channel: 'orders-algo', instType: 'ANY' });
    order(BUY);
    algo(STOP);
    emulator.trade('BTC-USDT-SWAP', '58990');
    expect(algos.rows('orders-algo').map(({ state }) => state)).toEqual(['live']);
    await clock.advance(300);
    expect(algos.rows('orders-algo').map(({ state }) => state)).toEqual(['live', 'effective']);
  });

  it('fails with a code where its order is refused', () => {
    const { algo, asked, emulator, get } = withAlgos();
    algo(STOP);
    emulator.trade('BTC-USDT-SWAP', '58990');
    expect(asked('stop1')).toMatchObject({ state: 'order_failed', failCode: '51169', ordId: '' });
    const query = { ordType: 'conditional,oco', state: 'order_failed' };
    expect(get('/api/v5/trade/orders-algo-history', query).body.data).toHaveLength(1);
  });

  it('refuses triggers on the wrong side of the market, each with its code', () => {
    const { algo } = withAlgos();
    const { slTriggerPx: _, slOrdPx: _o, ...rest } = STOP;
    const tp = (tpTriggerPx: string, more = {}) =>
      algo({ ...rest, algoClOrdId: '', tpTriggerPx, tpOrdPx: '-1', ...more });
    const sl = (slTriggerPx: string, more = {}) =>
      algo({ ...rest, algoClOrdId: '', slTriggerPx, slOrdPx: '-1', ...more });
    const buy = { side: 'buy', reduceOnly: false };
    expect(tp('61000', buy).sCode).toBe('51277');
    expect(sl('59000', buy).sCode).toBe('51278');
    expect(tp('59000').sCode).toBe('51279');
    expect(sl('61000').sCode).toBe('51280');
    expect(sl('61000', { slTriggerPxType: 'mark' }).sCode).toBe('51304');
    expect(sl('61000', { slTriggerPxType: 'index' }).sCode).toBe('51308');
    expect(
      sl('59000', { instId: 'BTC-USDT', tdMode: 'cash', reduceOnly: false, slTriggerPxType: 'mark', sz: '1' })
        .sCode,
    ).toBe('51415');
  });

  it('takes the direction of a trigger order from the present price', () => {
    const { algo, asked, emulator, get, row } = withAlgos();
    const trigger = { ...BUY, ordType: 'trigger', sz: '1', orderPx: '-1' };
    expect(algo({ ...trigger, triggerPx: '60500', algoClOrdId: 'up' }).sCode).toBe('0');
    expect(algo({ ...trigger, triggerPx: '59500', algoClOrdId: 'down', orderPx: '59400' }).sCode).toBe('0');
    expect(algo({ ...trigger, triggerPx: '60500', tgtCcy: 'base_ccy' }).sCode).toBe('51281');
    emulator.trade('BTC-USDT-SWAP', '60500');
    expect([asked('up').state, asked('down').state]).toEqual(['effective', 'live']);
    emulator.trade('BTC-USDT-SWAP', '59500');
    const child = row(get('/api/v5/trade/order', { instId: 'BTC-USDT-SWAP', ordId: asked('down').ordId }));
    expect(child).toMatchObject({ ordType: 'limit', px: '59400', state: 'live', source: '6' });
  });

  it('trails: active at once or from a price on, a ratio behind the best', () => {
    const { order, algo, asked, emulator } = withAlgos();
    order(BUY);
    const trail = {
      ...BUY,
      side: 'sell',
      ordType: 'move_order_stop',
      reduceOnly: true,
      callbackRatio: '0.01',
    };
    expect(algo({ ...trail, callbackSpread: '1' }).sCode).toBe('50024');
    expect(algo({ ...trail, activePx: '59000' }).sCode).toBe('51258');
    expect(algo({ ...trail, side: 'buy', activePx: '61000' }).sCode).toBe('51259');
    algo({ ...trail, activePx: '61000', algoClOrdId: 'tr' });
    emulator.trade('BTC-USDT-SWAP', '59000');
    expect(asked('tr')).toMatchObject({ state: 'live', moveTriggerPx: '' });
    emulator.trade('BTC-USDT-SWAP', '62000');
    expect(asked('tr')).toMatchObject({ state: 'live', moveTriggerPx: '61380' });
    emulator.trade('BTC-USDT-SWAP', '61381');
    expect(asked('tr').state).toBe('live');
    emulator.trade('BTC-USDT-SWAP', '61380');
    expect(asked('tr').state).toBe('effective');
  });

  it('closes a whole position once, by fraction, and goes with it', () => {
    const { order, algo, asked } = withAlgos();
    order(BUY);
    const { sz: _, ...whole } = { ...STOP, closeFraction: '1' };
    expect(algo({ ...whole, reduceOnly: false }).sCode).toBe('51328');
    expect(algo({ ...whole, slOrdPx: '58900' }).sCode).toBe('51330');
    expect(algo({ ...whole, instId: 'BTC-USDT', tdMode: 'cash' }).sCode).toBe('51327');
    expect(algo({ ...whole, sz: '1' }).sCode).toBe('50024');
    expect(algo(whole).sCode).toBe('0');
    expect(algo({ ...whole, algoClOrdId: 'again' }).sCode).toBe('51088');
    order({ ...BUY, side: 'sell', reduceOnly: true });
    expect(asked('stop1').state).toBe('canceled');
  });

  it('sells at either leg of an oco, and heeds only the stop of a conditional with both in net mode', () => {
    const { order, algo, asked, emulator } = withAlgos();
    order(BUY);
    const both = { ...STOP, sz: '5', tpTriggerPx: '61000', tpOrdPx: '-1' };
    algo({ ...both, ordType: 'oco', algoClOrdId: 'oco' });
    algo({ ...both, algoClOrdId: 'cond' });
    emulator.trade('BTC-USDT-SWAP', '61000');
    expect(asked('oco')).toMatchObject({ state: 'effective', actualSide: 'tp' });
    expect(asked('cond')).toMatchObject({ state: 'live', tpTriggerPx: '' });
  });

  it('cancels a list of at most ten, and says what is over', () => {
    const { order, algo, emulator, post } = withAlgos();
    order(BUY);
    algo(STOP);
    algo({ ...STOP, algoClOrdId: 'stop2', slTriggerPx: '58000' });
    const cancel = (ids: string[]) =>
      post(
        '/api/v5/trade/cancel-algos',
        ids.map((algoClOrdId) => ({ instId: 'BTC-USDT-SWAP', algoClOrdId })),
      ).body;
    emulator.trade('BTC-USDT-SWAP', '58990');
    const said = cancel(['stop1', 'stop2', 'none']);
    expect(said.code).toBe('2');
    expect(said.data.map(({ sCode }: { sCode: string }) => sCode)).toEqual(['51416', '0', '51400']);
    expect(cancel(Array.from({ length: 11 }, () => 'x')).code).toBe('51111');
    expect(post('/api/v5/trade/cancel-algos', { instId: 'BTC-USDT-SWAP', algoClOrdId: 'x' }).status).toBe(
      400,
    );
  });

  it('knows an algo order by algoClOrdId; the old field is copied and noted', () => {
    const { algo, emulator } = withAlgos();
    const { algoClOrdId: _, ...rest } = STOP;
    expect(algo({ ...rest, clOrdId: 'old' })).toMatchObject({ sCode: '0', algoClOrdId: 'old' });
    expect(algo({ ...rest, algoClOrdId: 'old' })).toMatchObject({ sCode: '51065' });
    expect(emulator.oddities).toContain('POST /api/v5/trade/order-algo: clOrdId of an algo order');
  });

  it('amends prices and size of stops and triggers, not of trailing orders', () => {
    const { order, algo, asked, post, row } = withAlgos();
    order(BUY);
    algo(STOP);
    const amend = (params: Record<string, unknown>) =>
      row(post('/api/v5/trade/amend-algos', { instId: 'BTC-USDT-SWAP', algoClOrdId: 'stop1', ...params }));
    expect(amend({ newSz: '5', newSlTriggerPx: '58500', reqId: 'q' })).toMatchObject({
      sCode: '0',
      reqId: 'q',
    });
    expect(asked('stop1')).toMatchObject({ sz: '5', slTriggerPx: '58500' });
    algo({ ...BUY, side: 'sell', ordType: 'move_order_stop', callbackRatio: '0.01', algoClOrdId: 'tr' });
    expect(amend({ algoClOrdId: 'tr', newSz: '1' })).toMatchObject({ sCode: '51506' });
  });

  it('lists pending ones by type, two types together only where documented', () => {
    const { algo, get, order } = withAlgos();
    order(BUY);
    algo(STOP);
    const pending = (ordType: string) => get('/api/v5/trade/orders-algo-pending', { ordType });
    expect(pending('conditional,oco').body.data).toHaveLength(1);
    expect(pending('trigger').body.data).toHaveLength(0);
    expect(pending('conditional,trigger').status).toBe(400);
    expect(get('/api/v5/trade/orders-algo-pending').body).toMatchObject({ code: '50014' });
    expect(get('/api/v5/trade/orders-algo-history', { ordType: 'oco' }).body.code).toBe('51602');
  });
});
