/**
 * The endpoints besides orders over real requests: settings, margin and leverage, dust, what an exchange
 * does not have.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { type ContractDesk, FUTURES, openContractDesk, RESTING, SPOT } from './support.ts';

type Body = Record<string, unknown>;

const HOUR_MS = 3_600_000;
const LONG = { exchange: FUTURES, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.5' };

let t: ContractDesk;
beforeEach(async () => {
  t = await openContractDesk();
});

async function refused(method: string, path: string, body?: unknown): Promise<string> {
  const { status, json } = await t.ask(method, path, body);
  expect(status, JSON.stringify(json)).toBeGreaterThanOrEqual(400);
  return `${status} ${json.error.code}: ${json.error.message}`;
}

describe('hedge mode', () => {
  // proves: endpoint GET /exchange/hedge-mode, endpoint POST /exchange/hedge-mode
  // proves: param GET /exchange/hedge-mode exchange, param POST /exchange/hedge-mode exchange
  // proves: param POST /exchange/hedge-mode dualSidePosition
  it('is set and read, and is off at first', async () => {
    const at = `/v2/exchange/hedge-mode?exchange=${FUTURES}`;
    expect(await t.data('GET', at)).toEqual({ dualSidePosition: false });
    for (const dualSidePosition of [true, false, true]) {
      expect(await t.data('POST', at, { dualSidePosition })).toEqual({ dualSidePosition });
      expect(await t.data('GET', at)).toEqual({ dualSidePosition });
    }
  });

  // proves: rule hedge-mode-on-spot, S40
  it('on spot is a bad request', async () => {
    const at = `/v2/exchange/hedge-mode?exchange=${SPOT}`;
    expect(await refused('GET', at)).toMatch(/^400 INVALID_REQUEST: paper-spot has no hedge mode/);
    expect(await refused('POST', at, { dualSidePosition: true })).toMatch(
      /^400 INVALID_REQUEST: paper-spot has no hedge mode/,
    );
  });

  // proves: rule exchange-rejection
  it('cannot change under a position: 400 in the words of the exchange', async () => {
    await t.data('POST', '/v2/orders', LONG);
    const words = await refused('POST', `/v2/exchange/hedge-mode?exchange=${FUTURES}`, {
      dualSidePosition: true,
    });
    expect(words).toMatch(/^400 INVALID_REQUEST: .*position/i);
  });
});

describe('leverage', () => {
  const READ = `/v2/portfolio/position/leverage?exchange=${FUTURES}&symbols=BTCUSDT`;
  const change = (fields: Body) => ({ exchange: FUTURES, symbol: 'BTCUSDT', ...fields });
  const SET = '/v2/portfolio/position/leverage';

  // proves: endpoint POST /portfolio/position/leverage, endpoint GET /portfolio/position/leverage
  // proves: param POST /portfolio/position/leverage leverage, param POST /portfolio/position/leverage symbol
  // proves: param POST /portfolio/position/leverage exchange, limit leverage
  it('is set with data null and read again, from 1 to 125', async () => {
    for (const leverage of [1, 7, 125]) {
      expect(await t.data('POST', SET, change({ leverage }))).toBeNull();
      expect(await t.data('GET', READ)).toMatchObject([{ leverage: String(leverage) }]);
    }
    for (const leverage of [0, 126, 1.5, '20']) {
      expect(await refused('POST', SET, change({ leverage }))).toMatch(/^400 .*integer from 1 to 125/);
    }
    expect(await refused('POST', SET, change({ leverage: 5, symbol: 'XYZUSDT' }))).toMatch(
      /^400 .*not traded/,
    );
    expect(await refused('GET', READ.replace('BTCUSDT', 'XYZUSDT'))).toMatch(/^400 .*not traded/);
  });

  // proves: rule leverage-brackets, endpoint GET /portfolio/leverage-brackets, S10
  // proves: param GET /portfolio/leverage-brackets symbol, param GET /portfolio/leverage-brackets exchange
  it('is bounded by the brackets that the exchange tells', async () => {
    const at = '/v2/portfolio/leverage-brackets';
    const tiers = await t.data('GET', `${at}?exchange=${FUTURES}&symbol=BTCUSDT`);
    expect(tiers.length).toBeGreaterThan(1);
    for (const [i, tier] of tiers.entries()) {
      expect(tier).toEqual({
        initialLeverage: expect.any(Number),
        notionalFloor: expect.stringMatching(/^\d+(\.\d+)?$/),
        notionalCap: expect.stringMatching(/^\d+(\.\d+)?$/),
        maintenanceMarginRate: expect.stringMatching(/^0\.\d+$/),
      });
      expect(Number.isInteger(tier.initialLeverage)).toBe(true);
      if (i > 0) expect(tier.notionalFloor).toBe(tiers[i - 1].notionalCap);
    }
    const ether = await t.data('GET', `${at}?exchange=${FUTURES}&symbol=ETHUSDT`);
    expect(ether).not.toEqual(tiers);
    expect(await refused('GET', `${at}?exchange=${FUTURES}&symbol=XYZUSDT`)).toMatch(/^400 .*not traded/);
    await t.data('POST', SET, change({ leverage: 50 }));
    await t.data('POST', '/v2/orders', { ...LONG, quantity: '30' });
    expect(await refused('POST', SET, change({ leverage: 125 }))).toMatch(/^400 INVALID_REQUEST: /);
  });
});

describe('margin', () => {
  const MODE = `/v2/portfolio/margin-mode?exchange=${FUTURES}`;
  const TYPE = `/v2/portfolio/position/margin-type?exchange=${FUTURES}`;

  // proves: endpoint GET /portfolio/margin-mode, endpoint POST /portfolio/margin-mode
  // proves: param POST /portfolio/margin-mode mode, param POST /portfolio/margin-mode exchange
  // proves: param GET /portfolio/margin-mode exchange, rule margin-mode-values
  it('mode is set by body or query, the body first', async () => {
    expect(await t.data('GET', MODE)).toEqual({ mode: 1 });
    for (const [path, body, mode] of [
      [MODE, { mode: 2 }, 2],
      [`${MODE}&mode=3`, undefined, 3],
      [`${MODE}&mode=3`, { mode: 1 }, 1],
    ] as const) {
      expect(await t.data('POST', path, body)).toEqual({ mode });
      expect(await t.data('GET', MODE)).toEqual({ mode });
    }
    for (const mode of [0, 5, '1']) expect(await refused('POST', MODE, { mode })).toMatch(/^400 /);
    expect(await refused('POST', MODE)).toMatch(/^400 .*mode is missing/);
  });

  // proves: rule margin-mode-4, S40
  it('mode 4 passes the form and is refused by the exchange', async () => {
    const words = await refused('POST', MODE, { mode: 4 });
    expect(words).toMatch(/^400 INVALID_REQUEST: /);
    expect(words).not.toContain('must be');
    expect(await t.data('GET', MODE)).toEqual({ mode: 1 });
  });

  // proves: endpoint POST /portfolio/position/margin-type, S9, field leverage type
  // proves: param POST /portfolio/position/margin-type exchange
  // proves: param POST /portfolio/position/margin-type symbol
  // proves: param POST /portfolio/position/margin-type marginType
  it('type of a symbol is set and answered', async () => {
    const read = `/v2/portfolio/position/leverage?exchange=${FUTURES}&symbols=BTCUSDT,ETHUSDT`;
    const body = { symbol: 'BTCUSDT', marginType: 'ISOLATED' };
    expect(await t.data('POST', TYPE, body)).toEqual(body);
    expect(await t.data('GET', read)).toMatchObject([{ type: 'ISOLATED' }, { type: 'CROSSED' }]);
    expect(await t.data('GET', `${read}&marginType=CROSSED`)).toMatchObject([{ symbol: 'ETHUSDT' }]);
    expect(await refused('POST', TYPE, { ...body, marginType: 'BOTH' })).toMatch(/^400 .*ISOLATED, CROSSED/);
  });
});

describe('dust', () => {
  const LIST = `/v2/portfolio/dust?exchange=${SPOT}`;
  const convert = (fields: Body = {}) => ({ exchange: SPOT, assets: ['ETH'], ...fields });
  const crumbs = () =>
    t.data('POST', '/v2/orders', { ...LONG, exchange: SPOT, symbol: 'ETHUSDT', quantity: '0.002' });

  // proves: endpoint GET /portfolio/dust, param GET /portfolio/dust exchange, S11
  it('is what is worth little, with what it would become', async () => {
    expect(await t.data('GET', LIST)).toEqual({ assets: [] });
    await crumbs();
    const { assets } = await t.data('GET', LIST);
    expect(assets).toEqual([
      { asset: 'ETH', free: '0.001998', value: '5.994', toAsset: 'BNB', toAmount: expect.any(String) },
    ]);
  });

  // proves: endpoint POST /portfolio/dust/convert, param POST /portfolio/dust/convert exchange
  // proves: param POST /portfolio/dust/convert assets, param POST /portfolio/dust/convert toAsset
  // proves: rule dust-every-6-hours, limit dust, S11
  it('is converted into the token of the exchange, once in six hours', async () => {
    await crumbs();
    const done = await t.data('POST', '/v2/portfolio/dust/convert', convert());
    expect(done).toMatchObject({ toAsset: 'BNB', converted: [{ asset: 'ETH', amount: '0.001998' }] });
    expect(Object.keys(done).sort()).toEqual(['converted', 'received', 'toAsset']);
    expect(Object.keys(done.converted[0]).sort()).toEqual(['amount', 'asset', 'fee', 'received']);
    const { balances } = await t.data('GET', '/v2/portfolio');
    expect(balances.find(({ asset }: Body) => asset === 'BNB').wallet).toBe(done.received);
    await crumbs();
    const words = await refused('POST', '/v2/portfolio/dust/convert', convert({ toAsset: 'BNB' }));
    expect(words).toMatch(/^400 INVALID_REQUEST: .*(hour|min|h\b)/);
    await t.clock.advance(6 * HOUR_MS);
    expect(await t.data('POST', '/v2/portfolio/dust/convert', convert({ toAsset: 'BNB' }))).toMatchObject({
      toAsset: 'BNB',
    });
    expect(await refused('POST', '/v2/portfolio/dust/convert', convert({ toAsset: 'ETH' }))).toMatch(
      /^400 .*BNB only/,
    );
  });
});

describe('what an exchange does not have', () => {
  // proves: rule unsupported-feature, error INTERNAL_ERROR, S40
  it.each([
    ['leverage', 'GET', `/v2/portfolio/position/leverage?exchange=${SPOT}&symbols=BTCUSDT`, undefined],
    [
      'leverage',
      'POST',
      '/v2/portfolio/position/leverage',
      { exchange: SPOT, symbol: 'BTCUSDT', leverage: 2 },
    ],
    ['margin mode', 'GET', `/v2/portfolio/margin-mode?exchange=${SPOT}`, undefined],
    ['margin mode', 'POST', `/v2/portfolio/margin-mode?exchange=${SPOT}`, { mode: 1 }],
    [
      'margin type',
      'POST',
      `/v2/portfolio/position/margin-type?exchange=${SPOT}`,
      { symbol: 'BTCUSDT', marginType: 'CROSSED' },
    ],
    [
      'leverage brackets',
      'GET',
      `/v2/portfolio/leverage-brackets?exchange=${SPOT}&symbol=BTCUSDT`,
      undefined,
    ],
    ['positions', 'GET', `/v2/portfolio/positions?exchange=${SPOT}`, undefined],
    ['dust conversion', 'GET', `/v2/portfolio/dust?exchange=${FUTURES}`, undefined],
    ['dust conversion', 'POST', '/v2/portfolio/dust/convert', { exchange: FUTURES, assets: ['ETH'] }],
  ])('is 500 in words: %s by %s %s', async (what, method, path, body) => {
    const words = await refused(method, path, body);
    expect(words).toMatch(/^500 INTERNAL_ERROR: paper-(spot|futures) has no /);
    expect(words).toContain(what);
  });
});

describe('what the service does not do', () => {
  // proves: rule no-market-data, rule no-key-endpoints, rule compatibility, S18, D25
  it.each([
    ['GET', '/v2/market/candles?symbol=BTCUSDT'],
    ['GET', '/v2/market/ticker?symbol=BTCUSDT'],
    ['GET', '/v2/depth?symbol=BTCUSDT'],
    ['GET', '/v2/orders/history'],
    ['GET', '/v2/keys'],
    ['POST', '/v2/keys'],
    ['DELETE', '/v2/keys/abc'],
    ['GET', '/v1/orders'],
  ])('is 404: %s %s', async (method, path) => {
    expect(await refused(method, path, method === 'POST' ? RESTING : undefined)).toMatch(/^404 NOT_FOUND: /);
  });
});

describe('trades', () => {
  // proves: endpoint GET /orders/trades, param GET /orders/trades exchange, param GET /orders/trades symbol
  // proves: param GET /orders/trades startTime, param GET /orders/trades endTime
  // proves: param GET /orders/trades limit, limit trades, S37
  it('are those of the symbol on the exchange, from and to a time, as many as asked', async () => {
    const buy = { ...LONG, exchange: SPOT, quantity: '0.01' };
    const at = `/v2/orders/trades?exchange=${SPOT}&symbol=BTCUSDT`;
    const prices = async (query = '') =>
      (await t.data('GET', `${at}${query}`)).map(({ price }: Body) => price);
    const times: number[] = [];
    for (const price of ['60000', '59000', '61000'] as const) {
      await t.moveTo(price);
      await t.data('POST', '/v2/orders', buy);
      times.push(t.desk.state().clock.market);
    }
    await t.data('POST', '/v2/orders', LONG);
    expect(await prices()).toEqual(['60000', '59000', '61000']);
    expect(await prices(`&startTime=${times[1]}`)).toEqual(['59000', '61000']);
    expect(await prices(`&endTime=${times[1]}`)).toEqual(['60000', '59000']);
    expect(await prices(`&startTime=${times[1]}&endTime=${times[1]}`)).toEqual(['59000']);
    expect(await prices('&limit=2')).toEqual(['59000', '61000']);
    expect(await prices(`&startTime=${times[0]}&limit=2`)).toEqual(['60000', '59000']);
    expect(await t.data('GET', at.replace('BTC', 'ETH'))).toEqual([]);
    for (const limit of [0, 501, 'x']) expect(await refused('GET', `${at}&limit=${limit}`)).toMatch(/^400 /);
    expect(await prices('&limit=500')).toHaveLength(3);
  });
});
