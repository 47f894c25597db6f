/**
 * Checks before every endpoint: keys, times, signatures, permissions, rates, names and types of parameters.
 */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TEST_KEY } from './keys.ts';
import { testEmulator } from './support.ts';

const CREATE = '/v5/order/create';
const INFO = '/v5/account/info';
const LIMIT = {
  category: 'spot',
  symbol: 'BTCUSDT',
  side: 'Buy',
  orderType: 'Limit',
  qty: '0.01',
  price: '59000',
};

describe('the gate', () => {
  it('wants all three headers, a key it knows, from an address of its own, that has not expired', () => {
    const { emulator, raw, get } = testEmulator();
    expect(raw('GET', INFO)).toMatchObject({ status: 401, text: 'Unauthorized' });
    expect(raw('GET', INFO, { 'x-bapi-api-key': TEST_KEY.apiKey, 'x-bapi-sign': '00' }).status).toBe(401);
    expect(get(INFO, {}, { apiKey: 'nobody' })).toMatchObject({ status: 200, retCode: 10_003 });
    emulator.addKey({ ...TEST_KEY, ips: ['10.0.0.1'] });
    expect(get(INFO)).toMatchObject({ retCode: 10_010 });
    expect(get(INFO, {}, { ip: '10.0.0.1' })).toMatchObject({ retCode: 0 });
    emulator.addKey({ ...TEST_KEY, isExpired: true });
    expect(get(INFO)).toMatchObject({ retCode: 33_004 });
    emulator.revoke(TEST_KEY.apiKey);
    expect(get(INFO)).toMatchObject({ retCode: 10_003 });
  });

  it('takes a time from one window ago until less than a second ahead', () => {
    const { emulator, get } = testEmulator();
    const at = (ms: number, recvWindow = '5000') =>
      get(INFO, {}, { timestamp: String(emulator.now() + ms), recvWindow }).retCode;
    expect([at(-5000), at(-5001), at(999), at(1000)]).toEqual([0, 10_002, 0, 10_002]);
    expect([at(-5001, '6000'), at(1000, '60000')]).toEqual([0, 10_002]);
    emulator.clockAheadMs = -1_000;
    expect(at(0)).toBe(0);
    expect(get(INFO, {}, { timestamp: String(emulator.now() + 1_000) }).retCode).toBe(10_002);
    expect(get(INFO, {}, { timestamp: '17' }).retCode).toBe(10_002);
  });

  it('verifies the signature over query and body exactly as sent, HMAC and RSA', () => {
    const { emulator, get, post, raw } = testEmulator();
    expect(get(INFO, {}, { sign: '00'.repeat(32) })).toMatchObject({ retCode: 10_004 });
    expect(get(INFO, {}, { secret: 'another' })).toMatchObject({ retCode: 10_004 });
    expect(post(CREATE, LIMIT, { secret: 'another' })).toMatchObject({ retCode: 10_004 });
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    emulator.addKey({
      apiKey: 'rsa',
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    });
    const timestamp = String(emulator.now());
    const sign = createSign('sha256').update(`${timestamp}rsa5000`).sign(privateKey, 'base64');
    const headers = {
      'x-bapi-api-key': 'rsa',
      'x-bapi-timestamp': timestamp,
      'x-bapi-recv-window': '5000',
      'x-bapi-sign': sign,
    };
    expect(raw('GET', INFO, headers)).toMatchObject({ retCode: 0 });
    expect(raw('GET', INFO, { ...headers, 'x-bapi-sign': `A${sign.slice(1)}` }).retCode).toBe(10_004);
  });

  it('knows what a key may do', () => {
    const { emulator, get, post } = testEmulator();
    emulator.addKey({ ...TEST_KEY, permissions: { Spot: [], ContractTrade: ['Order'] } });
    expect(post(CREATE, LIMIT)).toMatchObject({ retCode: 10_005 });
    expect(post(CREATE, { ...LIMIT, category: 'linear' })).toMatchObject({ retCode: 0 });
    expect(
      post('/v5/position/switch-mode', { category: 'linear', symbol: 'BTCUSDT', mode: 3 }),
    ).toMatchObject({ retCode: 10_005 });
    emulator.addKey({ ...TEST_KEY, readOnly: true });
    expect(post(CREATE, LIMIT)).toMatchObject({ retCode: 10_005 });
    expect(get('/v5/user/query-api').result).toMatchObject({
      readOnly: 1,
      uta: 1,
      permissions: { Spot: ['SpotTrade'] },
    });
  });

  it('knows its paths, and lets no GET with a body pass', () => {
    const { raw, open } = testEmulator();
    expect(open('/v5/market/nothing')).toMatchObject({ status: 404 });
    expect(raw('DELETE', CREATE)).toMatchObject({ status: 404 });
    expect(raw('GET', '/v5/market/time', {}, '{}')).toMatchObject({ status: 403 });
    expect(open('/v5/market/time').result.timeSecond).toBe('1795608000');
  });

  it('counts by the second, account, endpoint and category, and says so in the headers', async () => {
    const { clock, post, get } = testEmulator();
    const linear = { ...LIMIT, category: 'linear' };
    const answers = Array.from({ length: 11 }, () => post(CREATE, linear));
    expect(answers.map(({ retCode }) => retCode)).toEqual([...Array(10).fill(0), 10_006]);
    expect(answers[2]?.headers).toMatchObject({ 'x-bapi-limit': '10', 'x-bapi-limit-status': '7' });
    expect(answers[10]?.headers).toMatchObject({
      'x-bapi-limit-status': '0',
      'x-bapi-limit-reset-timestamp': '1795608001000',
    });
    expect(post(CREATE, LIMIT).headers['x-bapi-limit']).toBe('20');
    expect(get(INFO).headers['x-bapi-limit']).toBe('50');
    await clock.advance(1_001);
    expect(post(CREATE, linear).retCode).toBe(0);
  });

  it('shuts an address out for ten minutes after 600 requests in five seconds', async () => {
    const { clock, open } = testEmulator();
    for (let i = 0; i < 600; i++) open('/v5/market/time');
    expect(open('/v5/market/time')).toMatchObject({
      status: 403,
      text: expect.stringContaining('access too frequent'),
    });
    await clock.advance(599_000);
    expect(open('/v5/market/time').status).toBe(403);
    await clock.advance(1_001);
    expect(open('/v5/market/time').status).toBe(200);
  });

  it('has its days of maintenance, and refuses a classic account', () => {
    const { emulator, get, open } = testEmulator();
    emulator.maintenance = true;
    expect(get(INFO)).toMatchObject({ retCode: 10_016 });
    expect(open('/v5/market/time').retCode).toBe(0);
    expect(emulator.hasSocket('/v5/private')).toBe(false);
    emulator.maintenance = false;
    emulator.accountStatus = 1;
    expect(get(INFO).result.unifiedMarginStatus).toBe(1);
    expect(get('/v5/account/wallet-balance', { accountType: 'UNIFIED' })).toMatchObject({ retCode: 10_028 });
  });
});

describe('parameters', () => {
  const refused = (change: Record<string, unknown>, base: Record<string, unknown> = LIMIT) => {
    const { post } = testEmulator();
    const body = Object.fromEntries(
      Object.entries({ ...base, ...change }).filter(([, value]) => value !== undefined),
    );
    return post(CREATE, body).retCode;
  };
  const LINEAR = { ...LIMIT, category: 'linear', qty: '0.010' };

  it.each([
    [{ qty: 0.01 }, 10_001],
    [{ price: 59000 }, 10_001],
    [{ reduceOnly: 'true' }, 10_001],
    [{ positionIdx: '0' }, 10_001],
    [{ triggerDirection: 1.5 }, 10_001],
    [{ quantity: '1' }, 10_001],
    [{ qty: undefined }, 10_001],
    [{ qty: '-1' }, 10_001],
    [{ qty: '1e3' }, 10_001],
    [{ side: 'BUY' }, 10_001],
    [{ orderType: 'LIMIT' }, 10_001],
    [{ timeInForce: 'GTX' }, 10_001],
    [{ category: 'futures' }, 10_001],
    [{ category: 'inverse' }, 10_001],
    [{ orderFilter: 'Stop' }, 170_201],
    [{ orderFilter: 'StopOrder' }, 170_202],
    [{ symbol: 'btcusdt' }, 170_121],
    [{ orderLinkId: 'with space' }, 170_130],
    [{ orderLinkId: 'x'.repeat(37) }, 170_130],
    [{ price: undefined }, 10_001],
    [{ price: '59000.05' }, 170_134],
    [{ price: '0.01' }, 170_133],
    [{ qty: '0.0000015' }, 170_137],
    [{ qty: '0.00005' }, 170_140],
    [{ qty: '90', price: '59000' }, 170_124],
    [{ price: '70000' }, 170_193],
    [{ side: 'Sell', price: '50000' }, 170_194],
    [{ qty: '2' }, 170_131],
    [{ side: 'Sell', qty: '1.5', price: '60000' }, 170_131],
    [{ orderType: 'Market', price: undefined, qty: '50.00000001' }, 170_148],
    [{ orderType: 'Market', price: undefined, qty: '1' }, 170_140],
    [{ timeInForce: 'RPI' }, 170_355],
  ])('refuses a spot order with %j: %i', (change, code) => {
    expect(refused(change)).toBe(code);
  });

  it.each([
    [{ symbol: 'NOPEUSDT' }, 10_001],
    [{ orderLinkId: 'with space' }, 10_001],
    [{ price: '59000.05' }, 10_001],
    [{ qty: '0.0105' }, 10_001],
    [{ qty: '0.0001' }, 10_001],
    [{ qty: '2000' }, 10_001],
    [{ symbol: 'DOGEUSDT', price: '0.1', qty: '10' }, 110_094],
    [{ price: '70000' }, 110_003],
    [{ side: 'Sell', price: '50000' }, 110_003],
    [{ positionIdx: 1 }, 10_001],
    [{ reduceOnly: true }, 110_017],
    [{ qty: '0' }, 10_001],
    [{ qty: '0', reduceOnly: true, closeOnTrigger: true }, 110_017],
    [{ qty: '500' }, 110_007],
    [{ triggerPrice: '59000' }, 10_001],
    [{ triggerPrice: '59000', triggerDirection: 1 }, 110_092],
    [{ triggerPrice: '61000', triggerDirection: 2 }, 110_093],
    [{ reduceOnly: true, takeProfit: '70000' }, 110_057],
    [{ timeInForce: 'RPI' }, 110_119],
  ])('refuses a linear order with %j: %i', (change, code) => {
    expect(refused(change, LINEAR)).toBe(code);
  });

  it('takes null for left out, and leaves unread what it does not know when it is told to', () => {
    const { post } = testEmulator({ unknownNames: 'ignore' });
    expect(post(CREATE, { ...LIMIT, orderLinkId: null, whatever: 1 })).toMatchObject({ retCode: 0 });
  });

  it('asks a linear list for a symbol or a coin, and pages by a cursor that is encoded again', () => {
    const { get, post } = testEmulator();
    expect(get('/v5/order/realtime', { category: 'linear' }).retCode).toBe(10_001);
    expect(get('/v5/position/list', { category: 'linear' }).retCode).toBe(10_001);
    for (let i = 0; i < 3; i++) post(CREATE, { ...LIMIT, orderLinkId: `n${i}` });
    const first = get('/v5/order/realtime', { category: 'spot', limit: '2' }).result;
    expect(first.list).toHaveLength(2);
    expect(first.nextPageCursor).toContain('%');
    const rest = get('/v5/order/realtime', {
      category: 'spot',
      limit: '2',
      cursor: first.nextPageCursor,
    }).result;
    expect(rest).toMatchObject({ list: [{}], nextPageCursor: '' });
    expect(
      get('/v5/order/realtime', { category: 'spot', cursor: decodeURIComponent(first.nextPageCursor) })
        .retCode,
    ).toBe(10_001);
    const inverse = get('/v5/order/realtime', { category: 'inverse' });
    expect(inverse).toMatchObject({ retCode: 0, result: { list: [] } });
  });

  it('refuses windows of more than seven days, and other accounts than the unified one', () => {
    const { emulator, get } = testEmulator();
    const startTime = String(emulator.now() - 8 * 86_400_000);
    const endTime = String(emulator.now());
    for (const path of ['/v5/execution/list', '/v5/order/history'])
      expect(get(path, { category: 'spot', startTime, endTime }).retCode).toBe(10_001);
    expect(get('/v5/account/wallet-balance', { accountType: 'SPOT' }).retCode).toBe(10_001);
  });
});
