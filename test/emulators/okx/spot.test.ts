/** Orders on spot: acceptance, fills, fees and messages. Source: OKX v5 "Place order", "Order channel". */
import { describe, expect, it } from 'vitest';
import { testEmulator } from './support.ts';

const LIMIT = {
  instId: 'BTC-USDT',
  tdMode: 'cash',
  side: 'buy',
  ordType: 'limit',
  px: '59000',
  sz: '0.01',
  clOrdId: 'a1',
};

describe('orders on spot', () => {
  it('takes a limit order, holds its money back, fills it by somebody else’s trade and tells of each', async () => {
    const { emulator, clock, get, order, socket } = testEmulator();
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'orders', instType: 'ANY' }, { channel: 'account' });
    expect(order(LIMIT)).toMatchObject({ sCode: '0', clOrdId: 'a1', subCode: '' });
    const balance = () => get('/api/v5/account/balance', { ccy: 'USDT,BTC' }).body.data[0].details;
    expect(balance()[0]).toMatchObject({
      ccy: 'USDT',
      cashBal: '100000',
      availBal: '99410',
      ordFrozen: '590',
    });
    const pending = get('/api/v5/trade/orders-pending').body.data;
    // Empty texts before the first fill; the stream has 0.
    expect(pending).toMatchObject([
      { avgPx: '', fillPx: '', fillSz: '0', tradeId: '', fillTime: '', lever: '' },
    ]);

    emulator.trade('BTC-USDT', '58999.9');
    const [query] = get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'a1' }).body.data;
    expect(query).toMatchObject({
      state: 'filled',
      accFillSz: '0.01',
      avgPx: '59000',
      fee: '-0.000008',
      feeCcy: 'BTC',
      posSide: 'net',
    });
    expect(balance()).toMatchObject([
      { ccy: 'USDT', cashBal: '99410', ordFrozen: '0' },
      { ccy: 'BTC', cashBal: '1.009992' },
    ]);
    const rows = stream.rows('orders');
    expect(rows.map(({ state, fillSz, avgPx, tradeId }) => [state, fillSz, avgPx, tradeId !== ''])).toEqual([
      ['live', '0', '0', false],
      ['filled', '0.01', '59000', true],
    ]);
    expect(rows[1]).toMatchObject({ execType: 'M', fillFee: '-0.000008', posSide: '', lever: '0' });
    await clock.advance(60);
    expect(stream.messages.filter(({ eventType }) => eventType === 'event_update').at(-1)).toMatchObject({
      arg: { channel: 'account', uid: expect.any(String) },
      data: [
        {
          details: [
            { ccy: 'USDT', cashBal: '99410' },
            { ccy: 'BTC', cashBal: '1.009992' },
          ],
        },
      ],
    });
  });

  it('tells each trade of a market order as partial, and that it is filled without a trade', () => {
    const { order, socket, get } = testEmulator();
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'orders', instType: 'SPOT' });
    order({ instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'market', sz: '100', clOrdId: 'm1' });
    expect(
      stream.rows('orders').map(({ state, fillSz, tradeId }) => [state, fillSz, tradeId === '']),
    ).toEqual([
      ['live', '0', true],
      ['partially_filled', '0.00166666', false],
      ['filled', '0', true],
    ]);
    const [row] = get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'm1' }).body.data;
    // The size stays in quote, the filled size is in base.
    expect(row).toMatchObject({ sz: '100', tgtCcy: 'quote_ccy', accFillSz: '0.00166666', px: '' });
  });

  it('cuts a market order down to the balance, unless that is forbidden', () => {
    const { order, get } = testEmulator({ balances: { USDT: '50' } });
    const market = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'market', sz: '100' };
    expect(order({ ...market, banAmend: true })).toMatchObject({ sCode: '51008', subCode: '1000' });
    expect(order({ ...market, clOrdId: 'cut' })).toMatchObject({ sCode: '0' });
    expect(get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'cut' }).body.data[0]).toMatchObject({
      sz: '50',
    });
  });

  it('accepts a post-only order that would take, and cancels it', () => {
    const { order, get } = testEmulator();
    expect(order({ ...LIMIT, ordType: 'post_only', px: '60100' })).toMatchObject({ sCode: '0' });
    expect(get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'a1' }).body.data[0]).toMatchObject({
      state: 'canceled',
      cancelSource: '31',
      accFillSz: '0',
    });
  });

  it('ends what a fill-or-kill or an immediate order cannot fill', () => {
    const { order, get } = testEmulator({ levelNotional: '60' });
    const state = (clOrdId: string) =>
      get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId }).body.data[0];
    order({ ...LIMIT, ordType: 'fok', px: '60000.1', sz: '0.5', clOrdId: 'fok' });
    expect(state('fok')).toMatchObject({ state: 'canceled', cancelSource: '13', accFillSz: '0' });
    order({ ...LIMIT, ordType: 'ioc', px: '60000.1', sz: '0.5', clOrdId: 'ioc' });
    expect(state('ioc')).toMatchObject({ state: 'canceled', cancelSource: '14', accFillSz: '0.001' });
  });

  it('takes a client id again once its order has ended, and answers with the newest', () => {
    const { order, post, get, row } = testEmulator();
    const first = order(LIMIT);
    expect(order(LIMIT)).toMatchObject({ sCode: '51016' });
    post('/api/v5/trade/cancel-order', { instId: 'BTC-USDT', clOrdId: 'a1' });
    const second = order({ ...LIMIT, px: '58000' });
    expect(second).toMatchObject({ sCode: '0' });
    expect(row(get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'a1' }))).toMatchObject({
      ordId: second.ordId,
      px: '58000',
    });
    expect(row(get('/api/v5/trade/order', { instId: 'BTC-USDT', ordId: first.ordId }))).toMatchObject({
      state: 'canceled',
      cancelSource: '1',
    });
  });

  it('says the same of an order that is filled, canceled or unknown when it is to be canceled', () => {
    const { order, post, row, emulator, get } = testEmulator();
    const cancel = (clOrdId: string) => post('/api/v5/trade/cancel-order', { instId: 'BTC-USDT', clOrdId });
    order(LIMIT);
    emulator.trade('BTC-USDT', '58000');
    for (const id of ['a1', 'never']) {
      expect(cancel(id).body.code).toBe('1');
      expect(row(cancel(id))).toMatchObject({ sCode: '51400', clOrdId: id });
    }
    const answer = get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'never' });
    expect([answer.status, answer.body]).toEqual([
      200,
      { code: '51603', msg: 'Order does not exist.', data: [] },
    ]);
  });

  it('amends size and price, tells the request’s id, and refuses an end that is over', () => {
    const { order, post, row, socket } = testEmulator();
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'orders', instType: 'ANY' });
    order(LIMIT);
    const amend = (params: Record<string, unknown>) =>
      row(post('/api/v5/trade/amend-order', { instId: 'BTC-USDT', clOrdId: 'a1', ...params }));
    expect(amend({ newSz: '0.02', newPx: '58000', reqId: 'r1' })).toMatchObject({ sCode: '0', reqId: 'r1' });
    expect(stream.rows('orders').at(-1)).toMatchObject({
      sz: '0.02',
      px: '58000',
      reqId: 'r1',
      amendResult: '0',
      amendSource: '1',
    });
    expect(amend({ newSz: '9' })).toMatchObject({ sCode: '51502' });
    expect(amend({})).toMatchObject({ sCode: '51500' });
    post('/api/v5/trade/cancel-order', { instId: 'BTC-USDT', clOrdId: 'a1' });
    expect(amend({ newPx: '57000' })).toMatchObject({ sCode: '51503' });
  });

  it('keeps canceled orders without a fill two hours, others seven days and three months', async () => {
    const { order, post, get, clock, emulator } = testEmulator();
    order(LIMIT);
    post('/api/v5/trade/cancel-order', { instId: 'BTC-USDT', clOrdId: 'a1' });
    order({ ...LIMIT, clOrdId: 'a2' });
    emulator.trade('BTC-USDT', '58999.9');
    const ids = (path: string) =>
      get(path, { instType: 'SPOT' }).body.data.map(({ clOrdId }: { clOrdId: string }) => clOrdId);
    const history = '/api/v5/trade/orders-history';
    expect(ids(history)).toEqual(['a2', 'a1']);
    await clock.advance(2 * 3_600_000 + 1000);
    expect(ids(history)).toEqual(['a2']);
    expect(get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'a1' }).body.code).toBe('51603');
    expect(ids('/api/v5/trade/fills')).toEqual(['a2']);
    await clock.advance(3 * 86_400_000);
    expect(ids('/api/v5/trade/fills')).toEqual([]);
    expect(ids('/api/v5/trade/fills-history')).toEqual(['a2']);
    await clock.advance(4 * 86_400_000);
    expect(ids(history)).toEqual([]);
    expect(ids(`${history}-archive`)).toEqual(['a2']);
  });

  it('pages newest first, older than `after` and newer than `before`', () => {
    const { order, get } = testEmulator();
    const ids = ['p1', 'p2', 'p3'].map((clOrdId) => order({ ...LIMIT, clOrdId }).ordId);
    const page = (params: Record<string, string>) =>
      get('/api/v5/trade/orders-pending', params).body.data.map(({ ordId }: { ordId: string }) => ordId);
    expect(page({})).toEqual([ids[2], ids[1], ids[0]]);
    expect(page({ limit: '2' })).toEqual([ids[2], ids[1]]);
    expect(page({ after: ids[1] })).toEqual([ids[0]]);
    expect(page({ before: ids[0] })).toEqual([ids[2], ids[1]]);
  });

  it('writes two bills for a trade, which add up to the wallet', () => {
    const { order, get } = testEmulator({ balances: { USDT: '1000' } });
    order({ instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'market', sz: '100', banAmend: true });
    const bills = get('/api/v5/account/bills').body.data;
    expect(bills.map(({ ccy, type, subType }: Record<string, string>) => [ccy, type, subType])).toEqual([
      ['BTC', '2', '1'],
      ['USDT', '2', '1'],
    ]);
    const details = get('/api/v5/account/balance').body.data[0].details;
    for (const { ccy, bal } of bills)
      expect(details.find((one: Record<string, string>) => one.ccy === ccy).cashBal).toBe(bal);
  });
});

describe('what is accepted and not done yet', () => {
  it('fills an order whose cancel is on its way, and says that it is on its way', async () => {
    const { order, post, get, row, emulator, clock } = testEmulator({ cancelLagMs: 200 });
    order(LIMIT);
    const cancel = () => row(post('/api/v5/trade/cancel-order', { instId: 'BTC-USDT', clOrdId: 'a1' }));
    expect(cancel()).toMatchObject({ sCode: '0' });
    expect(cancel()).toMatchObject({ sCode: '51410' });
    emulator.trade('BTC-USDT', '58999.9');
    await clock.advance(300);
    const state = (clOrdId: string) => row(get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId }));
    expect(state('a1')).toMatchObject({ state: 'filled', cancelSource: '' });
    order({ ...LIMIT, clOrdId: 'a2', px: '58000' });
    post('/api/v5/trade/cancel-order', { instId: 'BTC-USDT', clOrdId: 'a2' });
    expect(state('a2')).toMatchObject({ state: 'live' });
    await clock.advance(300);
    expect(state('a2')).toMatchObject({ state: 'canceled' });
  });

  it('tells of an amendment that fails after it was accepted, and cancels where that was asked', async () => {
    const { order, post, row, emulator, clock, socket } = testEmulator({ amendLagMs: 200 });
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'orders', instType: 'ANY' });
    order(LIMIT);
    const amend = (more: Record<string, unknown>) =>
      row(
        post('/api/v5/trade/amend-order', {
          instId: 'BTC-USDT',
          clOrdId: 'a1',
          newSz: '9',
          reqId: 'r',
          ...more,
        }),
      );
    expect(amend({})).toMatchObject({ sCode: '0' });
    await clock.advance(300);
    expect(stream.rows('orders').at(-1)).toMatchObject({
      amendResult: '-1',
      code: '51502',
      state: 'live',
      sz: '0.01',
    });
    expect(amend({ cxlOnFail: true })).toMatchObject({ sCode: '0' });
    await clock.advance(300);
    expect(stream.rows('orders').slice(-2)).toMatchObject([
      { amendResult: '1', reqId: 'r' },
      { state: 'canceled', cancelSource: '0' },
    ]);
    order({ ...LIMIT, clOrdId: 'a1' });
    expect(amend({ newSz: '0.02' })).toMatchObject({ sCode: '0' });
    emulator.trade('BTC-USDT', '58999.9');
    await clock.advance(300);
    expect(stream.rows('orders').at(-1)).toMatchObject({ amendResult: '-1', code: '51503', state: 'filled' });
  });

  it('may tell the same twice, with another time', async () => {
    const { order, clock, socket } = testEmulator({ repeatEvery: 1 });
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'orders', instType: 'ANY' });
    order(LIMIT);
    await clock.advance(10);
    const [first, second] = stream.rows('orders');
    expect([second.ordId, second.state]).toEqual([first.ordId, first.state]);
    expect(Number(second.uTime)).toBeGreaterThan(Number(first.uTime));
  });
});

it('moves the time of a currency with what orders hold back, or with its cash alone', async () => {
  const times = async (cashTimes: boolean) => {
    const { order, get, clock } = testEmulator({ cashTimes });
    const uTime = () => get('/api/v5/account/balance', { ccy: 'USDT' }).body.data[0].details[0].uTime;
    const before = uTime();
    await clock.advance(1000);
    order(LIMIT);
    return Number(uTime()) - Number(before);
  };
  expect([await times(false), await times(true)]).toEqual([1000, 0]);
});
