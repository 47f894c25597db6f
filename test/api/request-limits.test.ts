/**
 * Request limits as a client meets them: each route's budget, the address's budget, headers of every kind of
 * answer.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { ROUTE_TIERS, type RouteName } from '../../src/access/tiers.ts';
import type { ServiceLimits } from '../../src/domain/limits.ts';
import { VIRTUAL_START, VirtualClock } from '../support/virtual-clock.ts';
import { Bench, expectError, expectRateHeaders, newKey, order, type Response, Signer } from './support.ts';

const TIME = '/api/v2/server/time';
const PING = '/api/v2/ping';
const START_S = VIRTUAL_START / 1_000;

let bench: Bench;
let clock: VirtualClock;
afterEach(() => bench.api.close());

async function start(serviceLimits: ServiceLimits = {}, more: Parameters<typeof Bench.start>[1] = {}) {
  clock = new VirtualClock();
  bench = await Bench.start({}, { serviceLimits, clock, ...more });
}

const figures = ({ status, headers }: Response): unknown[] => [
  status,
  headers['x-ratelimit-limit'],
  headers['x-ratelimit-remaining'],
  headers['x-ratelimit-reset'],
  headers['retry-after'],
];

/** The table of the specification, "Per-route rate limits". */
const TABLE: readonly (readonly [route: RouteName, requests: number])[] = [
  ['POST /orders', 10],
  ['DELETE /orders/{id}', 50],
  ['GET /orders', 5],
  ['GET /orders/trades', 5],
  ['GET /portfolio', 5],
  ['GET /portfolio/positions', 5],
  ['POST /portfolio/position/leverage', 2],
  ['GET /portfolio/margin-mode', 5],
  ['POST /portfolio/margin-mode', 2],
  ['POST /portfolio/position/margin-type', 2],
  ['GET /exchange/hedge-mode', 5],
  ['POST /exchange/hedge-mode', 2],
  ['GET /ping', 10],
];
const NAMED = new Set<string>(TABLE.map(([route]) => route));
const OTHERS = (Object.keys(ROUTE_TIERS) as RouteName[]).filter(
  (route) => ROUTE_TIERS[route] !== null && !NAMED.has(route),
);

/** Sends a request to the route. Its content does not matter: errors in it are found after the count. */
function ask(route: RouteName, signer?: Signer): Promise<Response> {
  const [method = '', template = ''] = route.split(' ');
  const target = template.replaceAll(/\{\w+\}/g, 'x1');
  return bench.send(method, `/api/v2${target}`, {
    signer,
    body: method === 'POST' ? '{}' : '',
  });
}

// proves: limit POST /orders, limit DELETE /orders/{id}, limit GET /orders, limit GET /orders/trades
// proves: limit GET /portfolio, limit GET /portfolio/positions, limit POST /portfolio/position/leverage
// proves: limit GET /portfolio/margin-mode, limit POST /portfolio/margin-mode
// proves: limit POST /portfolio/position/margin-type, limit GET /exchange/hedge-mode
// proves: limit POST /exchange/hedge-mode, limit GET /ping, limit every other route
// proves: rule budgets-per-account, rule sliding-window, rule retry-after, rule retry-after-seconds, error RATE_LIMITED, D5, D7, D8, D9, S47
describe('the budget of', () => {
  it.each([...TABLE, ...OTHERS.map((route) => [route, 5] as const)])(
    '%s is %i requests in 5 s',
    async (route, n) => {
      await start({ addressRequests: 1_000 });
      const [second, stranger] = [new Signer(Buffer.alloc(32, 2)), new Signer(Buffer.alloc(32, 3))];
      bench.desk.addKey(second.keyId, 'full');
      bench.desk.addKey(stranger.keyId, 'trade', 'alice');
      for (let left = n - 1; left >= 0; left--) {
        const response = await ask(route, left % 2 === 0 ? second : bench.signer);
        expect(response.status).not.toBe(429);
        expect(figures(response).slice(1)).toEqual([String(n), String(left), String(START_S + 5), undefined]);
      }
      for (const signer of [bench.signer, second]) {
        const refused = await ask(route, signer);
        expectError(refused, 429, 'RATE_LIMITED');
        expect(figures(refused)).toEqual([429, String(n), '0', String(START_S + 5), '5']);
        expect(refused.json.error.message).toBe(
          `the limit is ${n} requests to ${route} from this account within 5 s; try again in 5 s`,
        );
      }
      expect((await ask(route, stranger)).headers['x-ratelimit-remaining']).toBe(String(n - 1));
      const other = route === 'GET /portfolio/dust' ? 'GET /ping' : 'GET /portfolio/dust';
      expect((await ask(other)).status).not.toBe(429);
      await clock.advance(4_999);
      expectError(await ask(route), 429, 'RATE_LIMITED');
      await clock.advance(1);
      expect((await ask(route)).status).not.toBe(429);
    },
  );

  it('a route is scaled by the tier of the key, over one count', async () => {
    await start({ tierFactors: { read: 0.4, full: 1.6 } });
    const reader = new Signer(Buffer.alloc(32, 2));
    const full = new Signer(Buffer.alloc(32, 3));
    bench.desk.addKey(reader.keyId, 'read');
    bench.desk.addKey(full.keyId, 'full');
    const told = async (signer: Signer) => figures(await ask('GET /orders', signer)).slice(0, 3);
    expect(await told(full)).toEqual([200, '8', '7']);
    expect(await told(reader)).toEqual([200, '2', '0']);
    expect(await told(reader)).toEqual([429, '2', '0']);
    expect(await told(bench.signer)).toEqual([200, '5', '2']);
    expect(await told(full)).toEqual([200, '8', '4']);
  });

  it('a route is not touched by what is not verified, nor by what the address list turns away', async () => {
    await start({}, { trustedProxies: ['127.0.0.1'] });
    bench.desk.addKey(bench.signer.keyId, 'trade', 'owner', { ipList: ['203.0.113.0/24'] });
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
    for (let i = 0; i < 6; i++) {
      const stolen = await bench.send('GET', '/api/v2/orders', from('198.51.100.1'));
      expectError(stolen, 403, 'IP_NOT_WHITELISTED');
      expect(stolen.headers['x-ratelimit-limit']).toBe('100');
      const headers = {
        ...bench.signer.headers('GET', PING, '', clock.wall()),
        ...from('203.0.113.1').headers,
      };
      const forged = await bench.send('GET', '/api/v2/orders', { signed: false, headers });
      expect([forged.status, forged.headers['x-ratelimit-limit']]).toEqual([401, '100']);
    }
    const own = await bench.send('GET', '/api/v2/orders', from('203.0.113.1'));
    expect(figures(own).slice(0, 3)).toEqual([200, '5', '4']);
  });

  it('a route counts replayed answers, refusals by tier and errors of content', async () => {
    await start();
    const reader = new Signer(Buffer.alloc(32, 2));
    bench.desk.addKey(reader.keyId, 'read');
    const headers = { 'X-Idempotency-Key': newKey() };
    const left = async (sent: Promise<Response>) => {
      const { status, headers: got } = await sent;
      return [status, got['x-ratelimit-remaining'], got['x-idempotent-replayed']];
    };
    expect(await left(bench.place(order(), { headers }))).toEqual([200, '9', undefined]);
    expect(await left(bench.place(order(), { headers }))).toEqual([200, '8', 'true']);
    expect(await left(bench.place('{', { headers: {} }))).toEqual([400, '7', undefined]);
    expect(await left(bench.place(order({ side: 'X' })))).toEqual([400, '6', undefined]);
    expect(await left(bench.place(order(), { signer: reader }))).toEqual([403, '5', undefined]);
  });

  it('a route comes before tier and content, and nothing beyond it reaches the desk', async () => {
    await start({ routeRequests: { 'POST /orders': 1 } });
    const reader = new Signer(Buffer.alloc(32, 2));
    bench.desk.addKey(reader.keyId, 'read');
    await bench.place(order());
    expectError(await bench.place('{'), 429, 'RATE_LIMITED');
    expectError(await bench.place(order(), { signer: reader }), 429, 'RATE_LIMITED');
    expect(bench.desk.commands).toHaveLength(1);
    expect(bench.desk.refusals).toEqual([
      { id: bench.signer.keyId, code: 'RATE_LIMITED', from: '127.0.0.1' },
      { id: reader.keyId, code: 'RATE_LIMITED', from: '127.0.0.1' },
    ]);
  });

  it('DELETE /orders is its own, not that of DELETE /orders/{id}', async () => {
    await start();
    for (let i = 0; i < 5; i++) expect((await ask('DELETE /orders')).status).not.toBe(429);
    expectError(await ask('DELETE /orders'), 429, 'RATE_LIMITED');
    expect((await ask('DELETE /orders/{id}')).headers['x-ratelimit-remaining']).toBe('49');
  });
});

// proves: rule address-limit, rule retry-after, error RATE_LIMITED, D6, D7, D25, D43
describe('the budget of an address', () => {
  it('is 100 requests in 5 s of whatever kind, public ones and unknown ones included', async () => {
    await start({}, { host: '::', trustedProxies: ['192.0.2.1'] });
    for (let left = 99; left >= 0; left--) {
      const [method, target] = [
        ['GET', TIME],
        ['GET', PING],
        ['POST', '/nowhere'],
        ['GET', '/api/v2/server/time#'],
        ['PUT', '/api/v2/orders'],
      ][left % 5] as [string, string];
      const response = await bench.send(method, target, { signed: false });
      expect(response.status).not.toBe(429);
      expect(figures(response).slice(1)).toEqual(['100', String(left), String(START_S + 5), undefined]);
    }
    const refused = await bench.send('GET', TIME, { signed: false });
    expectError(refused, 429, 'RATE_LIMITED');
    expect(figures(refused)).toEqual([429, '100', '0', String(START_S + 5), '5']);
    expectError(await bench.send('GET', '/nowhere', { signed: false }), 429, 'RATE_LIMITED');
    expectError(await bench.send('GET', TIME, { localAddress: '127.0.0.2' }), 429, 'RATE_LIMITED');
    expect((await bench.send('GET', TIME, { host: '::1' })).status).toBe(200);
    await clock.advance(5_000);
    expect((await bench.send('GET', TIME)).status).toBe(200);
  });

  it('comes before the signature: a refused request is not used up and its key hears nothing', async () => {
    await start({ addressRequests: 1 });
    await bench.send('GET', TIME, { signed: false });
    const signed = { signed: false, headers: bench.signer.headers('GET', PING, '', clock.wall() + 4_999) };
    const refused = await bench.send('GET', PING, signed);
    expectError(refused, 429, 'RATE_LIMITED');
    expect(refused.headers['x-ratelimit-limit']).toBe('1');
    await clock.advance(5_000);
    expect(figures(await bench.send('GET', PING, signed)).slice(0, 3)).toEqual([200, '10', '9']);
    expect(bench.desk.refusals).toEqual([]);
  });

  it('is kept in half for a key that has verified from it lately, whoever else uses it up; and for no other', async () => {
    await start({ addressRequests: 10 });
    const other = new Signer(Buffer.alloc(32, 9));
    bench.desk.addKey(other.keyId);
    const ping = async (signer: Signer) => (await bench.send('GET', PING, { signer })).status;
    expect(await ping(bench.signer)).toBe(200);
    for (let n = 0; n < 20; n++) await bench.send('GET', TIME, { signed: false });
    expect(await ping(other)).toBe(429);
    expect([await ping(bench.signer), await ping(bench.signer)]).toEqual([200, 200]);
    await clock.advance(5_000);
    // A request that does not verify does not make its key known: the next one is refused like a stranger's.
    const wrong = { signed: false, headers: { ...other.headers('GET', PING), 'X-SVC-SIGN': 'AAAA' } };
    expect((await bench.send('GET', PING, wrong)).status).not.toBe(429);
    for (let n = 0; n < 20; n++) await bench.send('GET', TIME, { signed: false });
    expect([await ping(other), await ping(bench.signer)]).toEqual([429, 200]);
  });

  it('is not changed by whoever sets the wall clock', async () => {
    await start({ addressRequests: 1 });
    const time = () => bench.send('GET', TIME, { signed: false });
    await time();
    clock.jump(-3_600_000);
    expect(figures(await time())).toEqual([429, '1', '0', String(START_S - 3_595), '5']);
    clock.jump(7_200_000);
    expect((await time()).status).toBe(429);
    await clock.advance(5_000);
    expect((await time()).status).toBe(200);
  });

  it('goes by the forwarded address behind a trusted proxy only', async () => {
    await start({ addressRequests: 1 }, { trustedProxies: ['127.0.0.1'] });
    const time = (address: string, localAddress = '127.0.0.1') =>
      bench.send('GET', TIME, { signed: false, localAddress, headers: { 'X-Forwarded-For': address } });
    expect((await time('203.0.113.1')).status).toBe(200);
    expect((await time('203.0.113.2')).status).toBe(200);
    expect((await time('9.9.9.9, ::ffff:203.0.113.2')).status).toBe(429);
    expect((await time('203.0.113.3', '127.0.0.2')).status).toBe(200);
    expect((await time('203.0.113.4', '127.0.0.2')).status).toBe(429);
  });

  it('of a proxy pays for forwarded headers that cannot be read: 400, then 429', async () => {
    await start({ addressRequests: 1 }, { trustedProxies: ['127.0.0.1'] });
    const headers = { 'X-Forwarded-For': 'unknown' };
    const response = await bench.send('GET', TIME, { signed: false, headers });
    expectError(response, 400, 'INVALID_REQUEST');
    expect(response.json.error.message).toMatch(/^X-Forwarded-For must list IP addresses/);
    expectError(await bench.send('GET', TIME, { signed: false, headers }), 429, 'RATE_LIMITED');
  });

  it('leaves one line in the log of a whole flood', async () => {
    await start({ addressRequests: 1 });
    for (let i = 0; i < 20; i++) await bench.send('GET', TIME, { signed: false });
    expect(bench.desk.lines).toEqual([
      { level: 'warn', text: 'requests refused by the limit of their address: 1, the last from 127.0.0.0/8' },
    ]);
  });
});

// proves: rule rate-headers, rule rate-state-in-headers, D6, D34
describe('the X-RateLimit headers', () => {
  const OF_ADDRESS = '100';

  it.each([
    ['a public read', 'GET', TIME, {}, 200, OF_ADDRESS],
    ['an unknown route', 'GET', '/api/v2/nothing', {}, 404, OF_ADDRESS],
    ['HEAD', 'HEAD', PING, {}, 404, OF_ADDRESS],
    ['a target that is no path of ours', 'GET', '/api/v2/ping?{', {}, 400, OF_ADDRESS],
    ['no signature', 'GET', PING, { signed: false }, 401, OF_ADDRESS],
    ['a body too large', 'POST', '/api/v2/orders', { body: 'x'.repeat(102_401) }, 413, OF_ADDRESS],
    ['a signed read', 'GET', PING, {}, 200, '10'],
    ['a command', 'POST', '/api/v2/orders', { body: order() }, 200, '10'],
    ['a tier too low', 'POST', '/api/v2/exchange/hedge-mode', { tier: 'read', body: '{}' }, 403, '2'],
    ['broken JSON', 'POST', '/api/v2/orders', { body: '{' }, 400, '10'],
    ['an unknown field', 'POST', '/api/v2/orders', { body: '{"a":1}' }, 400, '10'],
  ] as const)('are on the answer to %s', async (_what, method, target, options, status, limit) => {
    const { tier, ...send } = { tier: 'trade' as const, ...options };
    await start({}, { tier });
    const response = await bench.send(method, target, send);
    expect([response.status, response.headers['x-ratelimit-limit']]).toEqual([status, limit]);
    expectRateHeaders(response);
  });

  it('are on failures of ours, on revocation in between and on conflicts', async () => {
    await start();
    const headers = { 'X-Idempotency-Key': newKey() };
    await bench.place(order(), { headers });
    const conflict = await bench.place(order({ price: '1' }), { headers });
    bench.desk.onRead = () => Promise.reject(new Error('broken'));
    const broken = await bench.send('GET', '/api/v2/orders');
    bench.desk.onRead = () => Promise.reject(Object.assign(new Error('x'), { code: 'SERVICE_UNAVAILABLE' }));
    const unavailable = await bench.send('GET', '/api/v2/orders');
    bench.desk.onRead = () => bench.desk.keys.clear();
    const revoked = await bench.send('GET', '/api/v2/orders');
    expect([conflict, broken, unavailable, revoked].map((response) => figures(response).slice(0, 3))).toEqual(
      [
        [409, '10', '8'],
        [500, '5', '4'],
        [503, '5', '3'],
        [401, '5', '2'],
      ],
    );
  });

  it.each([
    ['noise', 'nonsense\r\n\r\n', 400],
    [
      'headers that are too large',
      `GET ${TIME} HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
      431,
    ],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 404],
    ['too large a length', 'POST /api/v2/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 102401\r\n\r\n', 413],
    ['no Host header', `GET ${TIME} HTTP/1.1\r\n\r\n`, 400],
  ])('are on the answer to %s, which counts for the address', async (_what, text, status) => {
    await start({ addressRequests: 2 });
    for (const left of ['1', '0']) {
      const client = await bench.raw();
      const answer = (await client.write(text).answer()) as Response;
      expect(figures(answer).slice(0, 4)).toEqual([status, '2', left, String(START_S + 5)]);
      client.socket.destroy();
    }
    const client = await bench.raw();
    const refused = (await client.write(text).answer()) as Response;
    expectError(refused, 429, 'RATE_LIMITED');
    expect(figures(refused)).toEqual([429, '2', '0', String(START_S + 5), '5']);
    client.socket.destroy();
  });

  it('are on the answer to a body that never comes, which counts once', async () => {
    clock = new VirtualClock();
    bench = await Bench.start(
      { requestTimeoutMs: 200, headersTimeoutMs: 100, checkIntervalMs: 25 },
      { serviceLimits: { addressRequests: 3 }, clock },
    );
    const client = await bench.raw();
    const head = 'POST /api/v2/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';
    const late = (await client.write(`${head}{`).answer()) as Response;
    expect(figures(late).slice(0, 3)).toEqual([408, '3', '2']);
    client.socket.destroy();
    const next = await bench.raw();
    next.write(`${head}{"a":1234}nonsense\r\n\r\n`);
    expect(figures((await next.answer()) as Response).slice(0, 3)).toEqual([401, '3', '1']);
    expect(figures((await next.answer()) as Response).slice(0, 3)).toEqual([400, '3', '0']);
    next.socket.destroy();
  });
});

// proves: rule retry-after
it.each([7, undefined])(
  'a command that the desk refuses for now says when to come again, if it is known: %s',
  async (retryAfterS) => {
    await start();
    bench.desk.refusal = {
      code: 'SERVICE_UNAVAILABLE',
      message: 'away',
      ...(retryAfterS && { retryAfterS }),
    };
    const headers = { 'X-Idempotency-Key': newKey() };
    const target = '/api/v2/portfolio/margin-mode?exchange=binance-futures';
    const refused = await bench.send('POST', target, { body: JSON.stringify({ mode: 1 }), headers });
    expectError(refused, 503, 'SERVICE_UNAVAILABLE');
    expect(refused.headers['retry-after']).toBe(retryAfterS?.toString());
  },
);
