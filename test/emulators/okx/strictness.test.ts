/**
 * Refusals with their HTTP status and code: headers, bodies, times, permissions, parameters, limits. Source:
 * OKX v5 "Error Code".
 */
import { describe, expect, it } from 'vitest';
import { signOf, TEST_KEY } from './keys.ts';
import { testEmulator } from './support.ts';

const BALANCE = '/api/v5/account/balance';
const ORDER = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '59000', sz: '0.01' };

describe('headers', () => {
  it('must all be there', () => {
    const { ask, headersOf } = testEmulator();
    const codes = {
      'ok-access-key': '50103',
      'ok-access-sign': '50106',
      'ok-access-timestamp': '50107',
      'ok-access-passphrase': '50104',
    };
    for (const [name, code] of Object.entries(codes)) {
      const { [name]: _, ...headers } = headersOf('GET', BALANCE, '');
      const answer = ask('GET', BALANCE, headers);
      expect([name, answer.status, answer.body.code]).toEqual([name, 401, code]);
    }
  });

  it('must be right: key, passphrase, signature, environment, address', () => {
    const { ask, headersOf, emulator } = testEmulator();
    const said = (more: Record<string, string>) => {
      const { status, body } = ask('GET', BALANCE, { ...headersOf('GET', BALANCE, ''), ...more });
      return [status, body.code];
    };
    expect(said({})).toEqual([200, '0']);
    expect(said({ 'ok-access-key': 'no-uuid' })).toEqual([401, '50111']);
    expect(said({ 'ok-access-key': '00000000-0000-4000-8000-00000000ffff' })).toEqual([401, '50119']);
    expect(said({ 'ok-access-passphrase': 'wrong' })).toEqual([401, '50105']);
    expect(said({ 'ok-access-sign': signOf('other', 'x') })).toEqual([401, '50113']);
    expect(said({ 'x-simulated-trading': '1' })).toEqual([401, '50101']);
    emulator.addKey({ ...TEST_KEY, ips: ['10.0.0.1'] });
    expect(said({})).toEqual([401, '50110']);
    emulator.addKey({ ...TEST_KEY, demo: true });
    expect(said({})).toEqual([401, '50101']);
    expect(said({ 'x-simulated-trading': '1' })).toEqual([200, '0']);
    emulator.revoke(TEST_KEY.apiKey);
    expect(said({})).toEqual([401, '50119']);
  });

  it('sign time, method, path with its query, and body as they were sent', () => {
    const { ask, headersOf, post } = testEmulator();
    const signed = headersOf('GET', `${BALANCE}?ccy=BTC`, '');
    expect(ask('GET', `${BALANCE}?ccy=ETH`, signed).body.code).toBe('50113');
    expect(ask('GET', `${BALANCE}?ccy=BTC`, signed).body.code).toBe('0');
    const body = JSON.stringify(ORDER);
    const path = '/api/v5/trade/order';
    expect(ask('POST', path, headersOf('POST', path, `${body} `), body).body.code).toBe('50113');
    expect(post(path, ORDER).body.code).toBe('0');
  });

  it('have a time within thirty seconds of the exchange’s, in ISO with milliseconds', () => {
    const { ask, emulator } = testEmulator();
    const at = (timestamp: string) => {
      const sign = signOf(TEST_KEY.secret, `${timestamp}GET${BALANCE}`);
      return ask('GET', BALANCE, {
        'ok-access-key': TEST_KEY.apiKey,
        'ok-access-passphrase': TEST_KEY.passphrase,
        'ok-access-timestamp': timestamp,
        'ok-access-sign': sign,
      }).body.code;
    };
    const shifted = (ms: number) => new Date(emulator.now() + ms).toISOString();
    expect([at(shifted(-30_000)), at(shifted(30_000))]).toEqual(['0', '0']);
    expect([at(shifted(-30_001)), at(shifted(30_001))]).toEqual(['50102', '50102']);
    expect(at(String(emulator.now()))).toBe('50112');
    expect(at(shifted(0).replace('.000Z', 'Z'))).toBe('50112');
  });

  it('a deadline in the past refuses the order', () => {
    const { post, emulator } = testEmulator();
    const late = { exptime: String(emulator.now() - 1) };
    expect(post('/api/v5/trade/order', ORDER, late).body.code).toBe('50036');
    expect(post('/api/v5/trade/order', ORDER, { exptime: String(emulator.now() + 1) }).body.code).toBe('0');
  });

  it('rights of the key: reading alone does not trade', () => {
    const { emulator, post, get } = testEmulator();
    emulator.addKey({ ...TEST_KEY, permissions: ['read_only'] });
    expect(post('/api/v5/trade/order', ORDER).body.code).toBe('50120');
    expect(get('/api/v5/account/config').body.data[0]).toMatchObject({
      perm: 'read_only',
      ip: '',
      acctLv: '2',
    });
  });
});

describe('bodies and paths', () => {
  it('must be JSON, said to be so, of the right kind', () => {
    const { ask, headersOf } = testEmulator();
    const path = '/api/v5/trade/order';
    const said = (body: string, more: Record<string, string> = {}) => {
      const answer = ask('POST', path, { ...headersOf('POST', path, body), ...more }, body);
      return [answer.status, answer.body.code];
    };
    expect(said('')).toEqual([400, '50000']);
    expect(said('{')).toEqual([400, '50002']);
    expect(said('[]')).toEqual([400, '50002']);
    expect(said('{}', { 'content-type': 'text/plain' })).toEqual([400, '50006']);
  });

  it('other methods and paths are turned away', () => {
    const { ask } = testEmulator();
    expect(ask('DELETE', '/api/v5/trade/order')).toMatchObject({ status: 405, body: { code: '50115' } });
    expect(ask('GET', '/api/v5/none').status).toBe(404);
  });
});

describe('parameters', () => {
  it('of an order are refused in its row, with HTTP 200', () => {
    const { post, row } = testEmulator();
    const said = (more: Record<string, unknown>) => {
      const answer = post('/api/v5/trade/order', { ...ORDER, ...more });
      expect([answer.status, answer.body.code, answer.body.msg]).toEqual([200, '1', 'All operations failed']);
      return [row(answer).sCode, row(answer).sMsg];
    };
    expect(said({ instId: '' })).toEqual(['50014', 'Parameter instId can not be empty.']);
    expect(said({ sz: undefined })).toEqual(['50014', 'Parameter sz can not be empty.']);
    expect(said({ instId: 'NO-USDT' })[0]).toBe('51001');
    expect(said({ side: 'BUY' })).toEqual(['51000', 'Parameter side error']);
    expect(said({ ordType: 'LIMIT' })).toEqual(['51000', 'Parameter ordType error']);
    expect(said({ sz: '-1' })).toEqual(['51000', 'Parameter sz error']);
    expect(said({ sz: '0' })).toEqual(['51000', 'Parameter sz error']);
    expect(said({ px: '' })[0]).toBe('51204');
    expect(said({ clOrdId: 'with-hyphen' })).toEqual(['51000', 'Parameter clOrdId error']);
    expect(said({ clOrdId: 'a'.repeat(33) })[0]).toBe('51000');
    expect(said({ tag: 'a'.repeat(17) })).toEqual(['51000', 'Parameter tag error']);
    expect(said({ tdMode: 'margin' })).toEqual(['51000', 'Parameter tdMode error']);
    expect(said({ posSide: 'long' })).toEqual(['51000', 'Parameter posSide error']);
    expect(said({ px: '59000.05' })[0]).toBe('51150');
    expect(said({ sz: '0.000001' })[0]).toBe('51020');
    expect(said({ sz: '0.0100000001', instId: 'SOL-USDT', px: '150' })[0]).toBe('51121');
    expect(said({ px: '63000.1' })).toEqual(['51137', 'The highest price limit for buy orders is 63000.']);
    expect(said({ side: 'sell', px: '56999.9' })).toEqual([
      '51138',
      'The lowest price limit for sell orders is 57000.',
    ]);
    expect(said({ sz: '2' })[0]).toBe('51008');
    expect(said({ sz: '400' })[0]).toBe('51203');
    expect(said({ ordType: 'fok', stpMode: 'cancel_both' })[0]).toBe('50016');
    expect(
      said({ instId: 'BTC-USDT-SWAP', tdMode: 'cross', ordType: 'market', sz: '1', tgtCcy: 'base_ccy' })[0],
    ).toBe('59110');
    expect(said({ instId: 'BTC-USDT-SWAP', tdMode: 'cross', px: '63100', sz: '1' })[0]).toBe('51006');
    expect(said({ instId: 'BTC-USD-SWAP', tdMode: 'cross', sz: '1' })[0]).toBe('51155');
  });

  it('moves a price into the band where that is asked', () => {
    const { order, get, row } = testEmulator();
    expect(order({ ...ORDER, px: '70000', pxAmendType: '1', clOrdId: 'x' }).sCode).toBe('0');
    expect(row(get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'x' })).px).toBe('63000');
  });

  it('of other endpoints are refused as a whole, with HTTP 400', () => {
    const { get, post } = testEmulator();
    const said = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
    expect(said(get('/api/v5/public/instruments'))).toEqual([400, '50014']);
    expect(said(get('/api/v5/public/instruments', { instType: 'spot' }))).toEqual([400, '51000']);
    expect(said(get('/api/v5/public/mark-price', { instId: 'BTC-USDT-SWAP' }))).toEqual([400, '50014']);
    expect(said(get('/api/v5/market/candles', { instId: 'BTC-USDT', bar: '1h' }))).toEqual([400, '51000']);
    expect(said(get('/api/v5/trade/orders-history'))).toEqual([400, '50014']);
    expect(
      said(get('/api/v5/public/position-tiers', { instType: 'SWAP', tdMode: 'cross', uly: 'BTC-USDT' })),
    ).toEqual([400, '50014']);
    expect(said(post('/api/v5/account/set-leverage', { lever: '5' }))).toEqual([400, '50014']);
    expect(said(get('/api/v5/trade/order', { instId: 'BTC-USDT' }))).toEqual([200, '51407']);
    expect(said(post('/api/v5/trade/cancel-all-after', { timeOut: '5' }))).toEqual([400, '51000']);
  });

  it('that no document shows are not read, but noted', () => {
    const { post, emulator } = testEmulator();
    expect(post('/api/v5/trade/order', { ...ORDER, cost: 50, sz: 0.01, reduceOnly: 'false' }).body.code).toBe(
      '0',
    );
    expect(emulator.oddities).toEqual([
      'POST /api/v5/trade/order: sz is number, not a text',
      'POST /api/v5/trade/order: cost is not a parameter',
      'POST /api/v5/trade/order: reduceOnly is not a boolean',
    ]);
  });

  it('of a list are refused row by row', () => {
    const { post } = testEmulator();
    const { body } = post('/api/v5/trade/batch-orders', [ORDER, { ...ORDER, sz: '0' }]);
    expect([body.code, body.data.map(({ sCode }: { sCode: string }) => sCode)]).toEqual([
      '2',
      ['0', '51000'],
    ]);
    expect(
      post(
        '/api/v5/trade/batch-orders',
        Array.from({ length: 21 }, () => ORDER),
      ).body.code,
    ).toBe('51111');
  });

  it('heeds the state of an instrument', () => {
    const { order, emulator } = testEmulator();
    emulator.change('BTC-USDT', { state: 'suspend' });
    expect(order(ORDER).sCode).toBe('51022');
    emulator.change('BTC-USDT', { state: 'preopen' });
    expect(order(ORDER).sCode).toBe('51021');
  });
});

describe('limits', () => {
  it('count placing, canceling and amending each for itself, by user and instrument, within two seconds', async () => {
    const { post, clock } = testEmulator({ limitFactor: 0.1 });
    const place = (instId = 'BTC-USDT') =>
      post('/api/v5/trade/order', { ...ORDER, instId, px: instId === 'BTC-USDT' ? '59000' : '2400' });
    for (let i = 0; i < 6; i++) expect(place().body.code).toBe('0');
    expect(place()).toMatchObject({ status: 429, body: { code: '50011', data: [] } });
    expect(place('ETH-USDT').body.code).toBe('0');
    expect(post('/api/v5/trade/cancel-order', { instId: 'BTC-USDT', ordId: '1' }).status).toBe(200);
    await clock.advance(2001);
    expect(place().body.code).toBe('0');
  });

  it('count a list of one as the single request, a longer one by its rows', () => {
    const { post } = testEmulator({ limitFactor: 0.1 });
    const some = (count: number) => Array.from({ length: count }, () => ({ ...ORDER, sz: '0.00001' }));
    for (let i = 0; i < 6; i++) post('/api/v5/trade/batch-orders', some(1));
    expect(post('/api/v5/trade/order', ORDER).status).toBe(429);
    for (let i = 0; i < 6; i++) expect(post('/api/v5/trade/batch-orders', some(5)).status).toBe(200);
    expect(post('/api/v5/trade/batch-orders', some(5)).status).toBe(429);
  });

  it('count swap orders of the account in all, spot orders not', () => {
    const swap = { tdMode: 'cross', side: 'buy', ordType: 'limit', px: '0.1', sz: '0.01' };
    const spec = testEmulator().emulator.market.of('DOGE-USDT-SWAP').spec;
    const instruments = ['A', 'B', 'C', 'D'].map((base) => ({ ...spec, symbol: `${base}-USDT-SWAP` }));
    const { post } = testEmulator({ instruments, limitFactor: 0.015 });
    // 15 in total, 4 of each instrument.
    const batch = ({ symbol }: { symbol: string }) =>
      post(
        '/api/v5/trade/batch-orders',
        Array.from({ length: 4 }, () => ({ ...swap, instId: symbol })),
      ).body.code;
    expect(instruments.map(batch)).toEqual(['0', '0', '0', '50061']);
  });

  it('bound open orders of one instrument', () => {
    const { order } = testEmulator({ maxPending: 2 });
    order(ORDER);
    order(ORDER);
    expect(order(ORDER)).toMatchObject({ sCode: '51102' });
  });
});

describe('the dead man’s switch', () => {
  it('cancels every order when it is not set anew in time', async () => {
    const { order, post, get, clock, row } = testEmulator();
    order({ ...ORDER, clOrdId: 'd1' });
    const set = (timeOut: string) => row(post('/api/v5/trade/cancel-all-after', { timeOut }));
    expect(set('10').triggerTime).not.toBe('0');
    await clock.advance(6000);
    set('10');
    await clock.advance(6000);
    const asked = () => row(get('/api/v5/trade/order', { instId: 'BTC-USDT', clOrdId: 'd1' }));
    expect(asked().state).toBe('live');
    await clock.advance(5000);
    expect(asked()).toMatchObject({ state: 'canceled', cancelSource: '20' });
    expect(set('0').triggerTime).toBe('0');
  });
});
