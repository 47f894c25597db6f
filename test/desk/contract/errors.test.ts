/**
 * Every row of the table of errors, provoked by real requests to a whole desk where paper can provoke it,
 * else injected at the border of the exchange or of the desk (S39): status, envelope, words, what a client
 * should do about it.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/client/errors.ts';
import type { KeySettings } from '../../../src/domain/access-key.ts';
import { type ErrorCode, HTTP_STATUS } from '../../../src/domain/errors.ts';
import { Bench as ApiBench } from '../../api/support.ts';
import { clientOf, holding, ok } from '../integration/support.ts';
import { type Answered, type ContractDesk, FUTURES, openContractDesk, RESTING, SPOT } from './support.ts';

/** Codes that may be retried. Specification, "Retry guidance". */
const AGAIN: ReadonlySet<string> = new Set([
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'RISK_SHIELD_ERROR',
]);

let t: ContractDesk;
beforeEach(async () => {
  t = await openContractDesk({ limits: { routeRequests: { 'GET /ping': 1 } } });
});

/** Sends a request with a key other than the usual one. */
async function withKey(
  settings: KeySettings,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered> {
  const key = ok(await t.call('keys.generate', settings));
  const client = await clientOf(t, key);
  const answer = await client.raw(method, path, body === undefined ? {} : { body: JSON.stringify(body) });
  return { ...answer, json: JSON.parse(answer.text) };
}

const signed = (headers: Record<string, string>) => t.ask('GET', '/v2/orders', undefined, headers);

/** What provokes each code, and what the message must contain. */
const PROVOKED: Readonly<Partial<Record<ErrorCode, [provoke: () => Promise<Answered>, words: RegExp]>>> = {
  INVALID_REQUEST: [() => t.ask('POST', '/v2/orders', { ...RESTING, side: 'HOLD' }), /side must be one of/],
  UNAUTHORIZED: [() => signed({ 'x-svc-sign': '' }), /X-SVC-SIGN/],
  INVALID_KEY: [() => signed({ 'x-svc-key': 'A'.repeat(43) }), /key/],
  INVALID_SIGNATURE: [
    () => signed({ 'x-svc-timestamp': String(t.clock.wall() + 1_000) }),
    /should have been signed|signature/,
  ],
  TIMESTAMP_EXPIRED: [() => signed({ 'x-svc-timestamp': String(t.clock.wall() - 5_001) }), /5001 ms behind/],
  TIMESTAMP_INVALID: [() => signed({ 'x-svc-timestamp': '1e12' }), /X-SVC-TIMESTAMP/],
  FORBIDDEN: [
    () => withKey({ label: 'reader', tier: 'read' }, 'POST', '/v2/orders', RESTING),
    /tier is read; the endpoint needs trade/,
  ],
  IP_NOT_WHITELISTED: [
    () => withKey({ label: 'elsewhere', tier: 'trade', ipList: ['203.0.113.0/24'] }, 'GET', '/v2/orders'),
    /127\.0\.0\.1/,
  ],
  EXCHANGE_NOT_ALLOWED: [
    () =>
      withKey(
        { label: 'shielded', tier: 'trade', allowedExchanges: [FUTURES] },
        'POST',
        '/v2/orders',
        RESTING,
      ),
    /may use paper-futures only, not "paper-spot"/,
  ],
  NOT_FOUND: [() => t.ask('DELETE', `/v2/orders/ps-none?exchange=${SPOT}`), /there is no order ps-none/],
  CONFLICT: [splitThatHangs, /the split goes on; read the orders again/],
  IDEMPOTENCY_CONFLICT: [sameKeyTwice, /already used with different request parameters/],
  PAYLOAD_TOO_LARGE: [
    () => t.ask('POST', '/v2/orders', JSON.stringify(RESTING).padEnd(102_401)),
    /larger than 102400 bytes/,
  ],
  RATE_LIMITED: [
    async () => {
      await t.ask('GET', '/v2/ping');
      return t.ask('GET', '/v2/ping');
    },
    /the limit is 1 request to GET \/ping/,
  ],
  INTERNAL_ERROR: [
    () => t.ask('GET', `/v2/portfolio/margin-mode?exchange=${SPOT}`),
    /^paper-spot has no margin mode$/,
  ],
  SERVICE_UNAVAILABLE: [
    async () => {
      ok(await t.call('desk.maintenance', { on: true, message: 'back at noon' }));
      return t.ask('GET', '/v2/orders');
    },
    /back at noon/,
  ],
};

/** Without an idempotency key a split is given up after 10 s (S36). */
async function splitThatHangs(): Promise<Answered> {
  const { id } = await t.data('POST', '/v2/orders', { ...RESTING, quantity: '0.1' });
  ok(await t.call('paper.fault', { fault: 'loseRequest', on: 'cancel' }));
  ok(await t.call('paper.fault', { fault: 'queryFails', times: 20 }));
  let answer: Answered | null = null;
  void t
    .ask('POST', `/v2/orders/${id}/split`, { exchange: SPOT, prices: ['49000', '48000'] })
    .then((given) => {
      answer = given;
    });
  for (let waitedMs = 0; answer === null && waitedMs < 60_000; waitedMs += 500) {
    await t.ask('GET', '/v2/server/time');
    await t.clock.advance(500);
  }
  if (answer === null) throw new Error('the split was never answered');
  return answer;
}

async function sameKeyTwice(): Promise<Answered> {
  const headers = { 'x-idempotency-key': randomUUID() };
  await t.ask('POST', '/v2/orders', RESTING, headers);
  return t.ask('POST', '/v2/orders', { ...RESTING, quantity: '0.02' }, headers);
}

function expectRow({ status, json, text }: Answered, code: ErrorCode, words: RegExp): void {
  expect([json.error?.code, status], text).toEqual([code, HTTP_STATUS[code]]);
  expect(json).toEqual({
    error: { code, status, message: expect.stringMatching(words) },
    meta: { requestId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) },
  });
  const { message } = json.error;
  expect(new ApiError({ code, status, message }).retryable).toBe(AGAIN.has(code));
}

/** Codes that no client request can provoke on paper (S39). */
const INJECTED: readonly ErrorCode[] = ['VALIDATION_ERROR', 'RISK_SHIELD_ERROR', 'UNKNOWN_ERROR'];

describe('the table of errors', () => {
  it('is provoked or injected whole', () => {
    expect([...Object.keys(PROVOKED), ...INJECTED].sort()).toEqual(Object.keys(HTTP_STATUS).sort());
  });

  // proves: error INVALID_REQUEST [INVALID_REQUEST]
  // proves: error UNAUTHORIZED [UNAUTHORIZED], failure headers [UNAUTHORIZED]
  // proves: error INVALID_KEY [INVALID_KEY], failure key [INVALID_KEY]
  // proves: error INVALID_SIGNATURE [INVALID_SIGNATURE], failure signature [INVALID_SIGNATURE]
  // proves: error TIMESTAMP_EXPIRED [TIMESTAMP_EXPIRED], rule timestamp-window [TIMESTAMP_EXPIRED]
  // proves: error TIMESTAMP_INVALID [TIMESTAMP_INVALID]
  // proves: error FORBIDDEN [FORBIDDEN], failure tier [FORBIDDEN]
  // proves: error IP_NOT_WHITELISTED [IP_NOT_WHITELISTED], failure address [IP_NOT_WHITELISTED]
  // proves: error EXCHANGE_NOT_ALLOWED [EXCHANGE_NOT_ALLOWED], failure shield [EXCHANGE_NOT_ALLOWED]
  // proves: error NOT_FOUND [NOT_FOUND]
  // proves: error CONFLICT [CONFLICT], S36 [CONFLICT]
  // proves: error IDEMPOTENCY_CONFLICT [IDEMPOTENCY_CONFLICT]
  // proves: error PAYLOAD_TOO_LARGE [PAYLOAD_TOO_LARGE]
  // proves: error RATE_LIMITED [RATE_LIMITED]
  // proves: error INTERNAL_ERROR [INTERNAL_ERROR]
  // proves: error SERVICE_UNAVAILABLE [SERVICE_UNAVAILABLE]
  // proves: rule error-envelope, rule retry-guidance, S39
  it.each(Object.entries(PROVOKED))('%s', async (code, [provoke, words]) => {
    expectRow(await provoke(), code as ErrorCode, words);
  });

  // proves: error RISK_SHIELD_ERROR, failure shield-broken, D47, S39
  it('RISK_SHIELD_ERROR when what is stored of a shield cannot be read: nothing is done', async () => {
    const bench = await ApiBench.start();
    bench.desk.addKey(bench.signer.keyId, 'trade', 'owner', { allowedExchanges: 'all' as never });
    const body = JSON.stringify({ ...RESTING, exchange: 'binance-spot' });
    expectRow(await bench.send('POST', '/api/v2/orders', { body }), 'RISK_SHIELD_ERROR', /nothing was done/);
    expect(bench.desk.commands).toEqual([]);
    await bench.api.close();
  });

  // proves: error VALIDATION_ERROR, D14, S39
  it('VALIDATION_ERROR as the desk passes it on', async () => {
    const bench = await ApiBench.start();
    bench.desk.refusal = { code: 'VALIDATION_ERROR', message: 'the exchange calls it invalid' };
    const body = JSON.stringify({ exchange: 'binance-futures', symbol: 'BTCUSDT', leverage: 5 });
    const target = '/api/v2/portfolio/position/leverage';
    expectRow(await bench.send('POST', target, { body }), 'VALIDATION_ERROR', /calls it invalid/);
    await bench.api.close();
  });

  // proves: error UNKNOWN_ERROR, rule no-internals, D1, S16, S39
  it.each([
    ['margin mode', `/v2/portfolio/margin-mode?exchange=${FUTURES}`],
    ['dust', `/v2/portfolio/dust?exchange=${SPOT}`],
  ])('UNKNOWN_ERROR when the adapter of an exchange fails in a way of its own: %s', async (_what, path) => {
    const fail = () => Promise.reject(new TypeError('cannot read properties of undefined'));
    t = await openContractDesk({
      ports: {
        venues: holding(({ futures, conversion }) => {
          if (futures) Object.assign(futures, { marginMode: fail });
          if (conversion) Object.assign(conversion, { list: fail });
        }),
      },
    });
    const answer = await t.ask('GET', path);
    expectRow(answer, 'UNKNOWN_ERROR', /^paper-(spot|futures) failed in a way that is not known$/);
    expect(t.desk.state().log.at(-1)?.text).toContain('cannot read properties');
  });

  // proves: rule codes-are-stable
  it('has the codes of the specification and no other', () => {
    expect(HTTP_STATUS).toEqual({
      INVALID_REQUEST: 400,
      UNAUTHORIZED: 401,
      INVALID_KEY: 401,
      INVALID_SIGNATURE: 401,
      TIMESTAMP_EXPIRED: 401,
      TIMESTAMP_INVALID: 401,
      FORBIDDEN: 403,
      IP_NOT_WHITELISTED: 403,
      EXCHANGE_NOT_ALLOWED: 403,
      NOT_FOUND: 404,
      CONFLICT: 409,
      IDEMPOTENCY_CONFLICT: 409,
      PAYLOAD_TOO_LARGE: 413,
      VALIDATION_ERROR: 422,
      RATE_LIMITED: 429,
      INTERNAL_ERROR: 500,
      RISK_SHIELD_ERROR: 500,
      UNKNOWN_ERROR: 500,
      SERVICE_UNAVAILABLE: 503,
    });
  });
});

describe('a success', () => {
  // proves: rule envelope, rule meta, rule meta-idempotency-key, rule idempotency-echo, rule idempotency-key
  // proves: rule rate-state-in-headers, rule version-in-meta, rule milliseconds
  it('is data and meta, the key only where a change carried it, the limits in headers only', async () => {
    const key = randomUUID();
    const meta = {
      requestId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      timestamp: t.clock.wall(),
      version: '2.0.0',
    };
    const carried = { 'x-idempotency-key': key };
    const answers: [Answered, object][] = [
      [await t.ask('GET', '/v2/server/time'), meta],
      [await t.ask('GET', '/v2/orders'), meta],
      [await t.ask('GET', '/v2/orders', undefined, carried), meta],
      [await t.ask('POST', '/v2/orders', RESTING), meta],
      [await t.ask('POST', '/v2/orders', RESTING, carried), { ...meta, idempotencyKey: key }],
    ];
    for (const [{ json, headers }, expected] of answers) {
      expect(Object.keys(json)).toEqual(['data', 'meta']);
      expect(json.meta).toEqual(expected);
      for (const name of ['limit', 'remaining', 'reset']) {
        expect(headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/);
      }
      const reset = Number(headers['x-ratelimit-reset']) * 1_000 - t.clock.wall();
      expect(reset).toBeGreaterThan(0);
      expect(reset).toBeLessThanOrEqual(6_000);
    }
    const refused = await t.ask(
      'POST',
      '/v2/orders',
      { ...RESTING, side: 'X' },
      { 'x-idempotency-key': randomUUID() },
    );
    expect(refused.json.meta).toEqual({ requestId: meta.requestId });
  });
});

/** The statuses that each group of routes may answer, each provoked on each of its routes. */
describe('the answers of', () => {
  const LEVERAGE = { exchange: FUTURES, symbol: 'BTCUSDT', leverage: 5 };
  const CHANGES: readonly [
    group: string,
    method: string,
    path: string,
    body: object | undefined,
    wrong: object | undefined,
  ][] = [
    ['orders', 'POST', '/v2/orders', RESTING, { ...RESTING, side: 'X' }],
    ['orders', 'DELETE', `/v2/orders/ps-1?exchange=${SPOT}`, undefined, { id: 'x' }],
    [
      'orders',
      'POST',
      '/v2/orders/ps-1/split',
      { exchange: SPOT, prices: ['1', '2'] },
      { exchange: SPOT, prices: [] },
    ],
    ['exchange', 'POST', `/v2/exchange/hedge-mode?exchange=${FUTURES}`, { dualSidePosition: false }, {}],
    ['portfolio', 'POST', '/v2/portfolio/position/leverage', LEVERAGE, { ...LEVERAGE, leverage: 0 }],
    ['portfolio', 'POST', `/v2/portfolio/margin-mode?exchange=${FUTURES}`, { mode: 1 }, { mode: 9 }],
    [
      'portfolio',
      'POST',
      `/v2/portfolio/position/margin-type?exchange=${FUTURES}`,
      { symbol: 'BTCUSDT', marginType: 'CROSSED' },
      {},
    ],
    [
      'portfolio',
      'POST',
      '/v2/portfolio/dust/convert',
      { exchange: SPOT, assets: ['ETH'] },
      { exchange: SPOT, assets: [] },
    ],
  ];
  const READS: readonly [group: string, path: string][] = [
    ['server', '/v2/ping'],
    ['exchange', '/v2/exchange/supported'],
    ['exchange', `/v2/exchange/hedge-mode?exchange=${FUTURES}`],
    ['orders', '/v2/orders'],
    ['orders', `/v2/orders/trades?exchange=${SPOT}&symbol=BTCUSDT`],
    ['portfolio', '/v2/portfolio'],
    ['portfolio', '/v2/portfolio/positions'],
    ['portfolio', `/v2/portfolio/position/leverage?exchange=${FUTURES}&symbols=BTCUSDT`],
    ['portfolio', `/v2/portfolio/margin-mode?exchange=${FUTURES}`],
    ['portfolio', `/v2/portfolio/leverage-brackets?exchange=${FUTURES}&symbol=BTCUSDT`],
    ['portfolio', `/v2/portfolio/dust?exchange=${SPOT}`],
  ];

  /** Sends requests until the budget of the route is used up. */
  async function untilLimited(ask: () => Promise<Answered>): Promise<Answered> {
    for (let i = 0; i < 60; i++) {
      const answer = await ask();
      if (answer.status === 429) return answer;
    }
    throw new Error('the budget has no end');
  }

  // proves: answers orders, answers exchange, answers portfolio, rule writes-for-trade-keys, D14
  // proves: rule signed-unless-public
  it.each(CHANGES)('%s: %s %s may be 400, 401, 403, 409, 429', async (_group, method, path, body, wrong) => {
    t = await openContractDesk({ limits: {} });
    const statuses = new Set<number>();
    const note = ({ status }: Answered) => statuses.add(status);
    note(await t.ask(method, path, wrong));
    note(await t.ask(method, path, body, { 'x-svc-sign': '' }));
    note(await withKey({ label: 'reader', tier: 'read' }, method, path, body));
    await t.clock.advance(5_001);
    const key = { 'x-idempotency-key': randomUUID() };
    note(await t.ask(method, path, wrong, key));
    note(
      await t.ask(
        method,
        method === 'DELETE' ? `${path}&order=ps-1` : path,
        method === 'DELETE' ? undefined : { ...body, more: 1 },
        key,
      ),
    );
    note(await untilLimited(() => t.ask(method, path, body)));
    for (const status of [400, 401, 403, 409, 429]) expect([...statuses], path).toContain(status);
  });

  // proves: answers server, answers orders, answers exchange, answers portfolio, rule reads-for-read-keys
  // proves: rule signed-unless-public
  it.each(READS)('%s: GET %s may be 401, 429', async (_group, path) => {
    t = await openContractDesk({ limits: {} });
    expect((await withKey({ label: 'reader', tier: 'read' }, 'GET', path)).status).toBe(200);
    expect((await t.ask('GET', path, undefined, { 'x-svc-sign': '' })).status).toBe(401);
    expect((await untilLimited(() => t.ask('GET', path))).status).toBe(429);
  });

  // proves: answers server, rule signed-unless-public, rule address-limit
  it.each(['time', 'status', 'version'])(
    'server: GET /server/%s needs no key and may be 429',
    async (name) => {
      t = await openContractDesk({ limits: { addressRequests: 3 } });
      const ask = () => t.ask('GET', `/v2/server/${name}`, undefined, { 'x-svc-sign': '', 'x-svc-key': '' });
      const statuses = [];
      for (let i = 0; i < 4; i++) statuses.push((await ask()).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
    },
  );
});
