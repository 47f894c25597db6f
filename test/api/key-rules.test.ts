/**
 * What a key itself may be used for, over HTTP: its address list, its exchange shield, and who is notified of
 * a refusal.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROUTE_TIERS, type RouteName } from '../../src/access/tiers.ts';
import type { AccessKey } from '../../src/domain/access-key.ts';
import type { Order } from '../../src/schemas/order.ts';
import { attacked } from '../support/attacks.ts';
import { botFrom } from './command-answers.ts';
import { Bench, expectError, newKey, order, type Response, type SendOptions } from './support.ts';

const PING = '/api/v2/ping';
const SPOT = 'binance-spot';
const FUTURES = 'binance-futures';

let bench: Bench;
afterEach(() => bench.api.close());

function setKey(fields: Partial<AccessKey>): void {
  bench.desk.addKey(bench.signer.keyId, 'trade', 'owner', fields);
}

// proves: error IP_NOT_WHITELISTED, failure address, rule ip-list, D43
describe("a key's address list", () => {
  beforeEach(async () => {
    bench = await Bench.start({}, { trustedProxies: ['127.0.0.1'] });
  });

  const from = (address: string, target = PING): Promise<Response> =>
    bench.send('GET', target, { headers: { 'X-Forwarded-For': address } });

  it.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.0/24', '::ffff:203.0.113.9', true],
    ['203.0.113.0/24', '::ffff:cb00:7109', true],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.70', false],
    ['::ffff:203.0.113.0/120', '203.0.113.1', true],
    ['2001:db8::/32', '2001:DB8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.7', false],
    ['not an address', '203.0.113.7', false],
  ])('of %s and a request from %s: %s', async (entry, address, allowed) => {
    setKey({ ipList: ['192.0.2.1', entry] });
    const response = await from(address);
    if (allowed) expect(response.status, response.text).toBe(200);
    else expectError(response, 403, 'IP_NOT_WHITELISTED');
  });

  it('is named to the caller by the address it was seen with, and to nobody else', async () => {
    setKey({ ipList: ['192.0.2.1', '10.0.0.0/8'] });
    const { json, text } = await from('::ffff:203.0.113.9');
    expect(json.error.message).toBe(
      'this key may not be used from 203.0.113.9: no entry of its IP list has it',
    );
    expect(text).not.toMatch(/192\.0\.2\.1|10\.0\.0\.0/);
  });

  it('takes the address of the connection where no proxy is trusted', async () => {
    await bench.api.close();
    bench = await Bench.start();
    setKey({ ipList: ['127.0.0.2'] });
    const ping = (localAddress: string) =>
      bench.send('GET', PING, { localAddress, headers: { 'X-Forwarded-For': '127.0.0.2' } });
    expect((await ping('127.0.0.2')).status).toBe(200);
    expectError(await ping('127.0.0.1'), 403, 'IP_NOT_WHITELISTED');
  });

  // proves: D4
  it('is looked at after the signature, before tier and content', async () => {
    setKey({ ipList: ['192.0.2.1'], tier: 'read' });
    const headers = { ...bench.signer.headers('GET', PING), 'X-Forwarded-For': '203.0.113.9' };
    const forged = await bench.send('GET', '/api/v2/orders', { signed: false, headers });
    expectError(forged, 401, 'INVALID_SIGNATURE');
    const write = { body: '{', headers: { 'X-Forwarded-For': '203.0.113.9' } };
    expectError(await bench.send('POST', '/api/v2/orders', write), 403, 'IP_NOT_WHITELISTED');
    expect(bench.desk.touched).toEqual([]);
    expect(bench.desk.refusals).toEqual([
      { id: bench.signer.keyId, code: 'IP_NOT_WHITELISTED', from: '203.0.113.9' },
    ]);
    expect(bench.desk.lines.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /^POST \/orders by key A6EHv_PO from 203\.0\.113\.9: IP_NOT_WHITELISTED, request /,
      ),
    );
  });

  it('lets in what is on it, which is noted as the use of the key', async () => {
    setKey({ ipList: ['203.0.113.0/24'] });
    await from('203.0.113.9');
    expect(bench.desk.touched).toEqual([{ id: bench.signer.keyId, from: '203.0.113.9' }]);
    expect(bench.desk.refusals).toEqual([]);
  });
});

describe('the use of a key', () => {
  beforeEach(async () => {
    bench = await Bench.start();
    setKey({});
  });

  it.each<[string, () => Promise<Response>, number]>([
    ['a command that is carried out', () => bench.place(order()), 200],
    ['a read', () => bench.send('GET', '/api/v2/orders'), 200],
    ['a body that is no JSON', () => bench.place('{'), 400],
    ['a body that the schema refuses', () => bench.place(order({ side: 'UP' })), 400],
    ['a query that is wrong', () => bench.send('GET', '/api/v2/orders?status=all'), 400],
    ['a repeated parameter', () => bench.send('GET', '/api/v2/orders?x=1&x=2'), 400],
  ])('is %s, once', async (_what, send, status) => {
    expect((await send()).status).toBe(status);
    expect(bench.desk.touched).toEqual([{ id: bench.signer.keyId, from: '127.0.0.1' }]);
    expect(bench.desk.refusals).toEqual([]);
  });

  it('is none that its tier does not let it make, of which its holder hears', async () => {
    setKey({ tier: 'read' });
    expectError(await bench.place(order()), 403, 'FORBIDDEN');
    expect(bench.desk.touched).toEqual([]);
    expect(bench.desk.refusals).toEqual([{ id: bench.signer.keyId, code: 'FORBIDDEN', from: '127.0.0.1' }]);
  });

  it('is none for a path that there is not, nor for what needs no key', async () => {
    expect((await bench.send('GET', '/api/v2/nothing')).status).toBe(404);
    expect((await bench.send('GET', '/api/v2/server/time')).status).toBe(200);
    expect([bench.desk.touched, bench.desk.refusals]).toEqual([[], []]);
  });
});

const RULES = 'tiers, IP lists, shields, other streams';

/** One bot on each account. */
const BOTS = [SPOT, FUTURES].map((exchange) => botFrom({ id: `b-${exchange}`, exchange }));
const ofBot = (route: RouteName) => / \/bots\/(\{id\}|batch)/.test(route);

/** Valid requests, except for the exchange that they name. */
function requestOf(
  route: RouteName,
  exchange: string,
): [method: string, target: string, options: SendOptions] {
  const [method = '', template = ''] = route.split(' ');
  const bot = `b-${exchange}`;
  const id = ofBot(route) ? bot : 'x1';
  const target = `/api/v2${template.replace('{id}', id).replace('{runId}', 'r1')}`;
  const query = `?exchange=${exchange}&symbol=BTCUSDT&symbols=BTCUSDT&order=x1`;
  const bodies: Partial<Record<RouteName, unknown>> = {
    'POST /orders': JSON.parse(order({ exchange })),
    'POST /orders/{id}/split': { exchange, prices: ['1', '2'] },
    'POST /portfolio/position/leverage': { exchange, symbol: 'BTCUSDT', leverage: 2 },
    'POST /portfolio/margin-mode': { mode: 1 },
    'POST /portfolio/position/margin-type': { symbol: 'BTCUSDT', marginType: 'CROSSED' },
    'POST /exchange/hedge-mode': { dualSidePosition: true },
    'POST /portfolio/dust/convert': { exchange, assets: ['ADA'] },
    'POST /bots': { type: 'SQUEEZE', settings: { exchange } },
    'PATCH /bots/{id}': { config: { trailing: true } },
    'POST /bots/{id}/runs/{runId}/message': { message: 'add_stoploss', params: {} },
    'POST /bots/batch/runs': { bots: [bot] },
    'DELETE /bots/batch/runs': { bots: [[bot, 'r1']] },
    'DELETE /bots/batch': { bots: [bot] },
  };
  const body = bodies[route] === undefined ? '' : JSON.stringify(bodies[route]);
  return [method, `${target}${query}`, { body }];
}

function listedOrder(id: string, exchange: string): Order {
  return {
    id,
    exchange,
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
    specific: {},
    orderTime: 1_760_000_000_000,
  };
}

const UNTOUCHED: readonly RouteName[] = ['GET /ping', 'GET /exchange/supported', 'GET /bots'];
const SIGNED = (Object.keys(ROUTE_TIERS) as RouteName[]).filter((route) => ROUTE_TIERS[route] !== null);

// proves: error EXCHANGE_NOT_ALLOWED, rule shield, failure shield, S47
describe("a key's exchange shield", () => {
  beforeEach(async () => {
    bench = await Bench.start();
    setKey({ allowedExchanges: [SPOT] });
    bench.desk.botList = BOTS;
  });

  it.each(SIGNED)('holds on %s', async (route) => {
    const allowed = await bench.send(...requestOf(route, SPOT));
    expect(allowed.status, allowed.text).toBe(200);
    const asked = bench.desk.commands.length + bench.desk.reads.length;
    const denied = await bench.send(...requestOf(route, FUTURES));
    if (UNTOUCHED.includes(route)) {
      expect(denied.status).toBe(200);
      return;
    }
    expectError(denied, 403, 'EXCHANGE_NOT_ALLOWED');
    expect(denied.json.error.message).toBe(
      ofBot(route)
        ? 'the request names a bot on an exchange account that this key may not use'
        : `this key may use ${SPOT} only, not "${FUTURES}"`,
    );
    expect(bench.desk.commands.length + bench.desk.reads.length).toBe(asked);
    attacked(RULES, 1, 1);
    expect(bench.desk.touched).toHaveLength(1);
    expect(bench.desk.refusals).toEqual([
      { id: bench.signer.keyId, code: 'EXCHANGE_NOT_ALLOWED', from: '127.0.0.1' },
    ]);
  });

  it('comes after the JSON and before the schema', async () => {
    expectError(await bench.place('{'), 400, 'INVALID_REQUEST');
    expectError(await bench.place(order({ exchange: FUTURES, side: 'X' })), 403, 'EXCHANGE_NOT_ALLOWED');
    expectError(await bench.place(order({ exchange: 5 })), 403, 'EXCHANGE_NOT_ALLOWED');
    expectError(await bench.place(order({ exchange: 'nowhere' })), 403, 'EXCHANGE_NOT_ALLOWED');
    expectError(await bench.place(order({ exchange: undefined })), 400, 'INVALID_REQUEST');
    expectError(await bench.place(order({ side: 'X' })), 400, 'INVALID_REQUEST');
  });

  it('is judged anew for a repeated request, before its stored answer is looked up', async () => {
    setKey({ allowedExchanges: null });
    const headers = { 'X-Idempotency-Key': newKey() };
    const body = order({ exchange: FUTURES });
    expect((await bench.place(body, { headers })).status).toBe(200);
    setKey({ allowedExchanges: [SPOT] });
    expectError(await bench.place(body, { headers }), 403, 'EXCHANGE_NOT_ALLOWED');
    setKey({ allowedExchanges: null });
    expect((await bench.place(body, { headers })).headers['x-idempotent-replayed']).toBe('true');
  });

  it('cannot be passed by another spelling of the parameter', async () => {
    for (const query of [
      `exch%61nge=${FUTURES}`,
      `exchange=binance%2Dfutures`,
      `symbol=A&exchange=${FUTURES}`,
      `exchange=${SPOT}%2C${FUTURES}`,
    ]) {
      expectError(await bench.send('GET', `/api/v2/portfolio/dust?${query}`), 403, 'EXCHANGE_NOT_ALLOWED');
    }
    const twice = `/api/v2/portfolio/dust?exchange=${SPOT}&exchange=${FUTURES}`;
    expectError(await bench.send('GET', twice), 400, 'INVALID_REQUEST');
    const escaped = order().replace('"exchange"', '"exch\\u0061nge"').replace(SPOT, FUTURES);
    expectError(await bench.place(escaped), 403, 'EXCHANGE_NOT_ALLOWED');
    const both = order({ exchange: FUTURES }).replace('{', `{"exchange":"${SPOT}",`);
    expectError(await bench.place(both), 400, 'INVALID_REQUEST');
    expect(bench.desk.commands).toEqual([]);
    attacked(RULES, 7, 7);
  });

  it('judges the account that a read takes by default', async () => {
    expect((await bench.send('GET', '/api/v2/portfolio')).status).toBe(200);
    expectError(await bench.send('GET', '/api/v2/portfolio/positions'), 403, 'EXCHANGE_NOT_ALLOWED');
    setKey({ allowedExchanges: [FUTURES] });
    expectError(await bench.send('GET', '/api/v2/portfolio'), 403, 'EXCHANGE_NOT_ALLOWED');
    expect((await bench.send('GET', '/api/v2/portfolio/positions')).status).toBe(200);
  });

  it('leaves only allowed accounts in a list of orders', async () => {
    const listed = [SPOT, FUTURES, SPOT].map((exchange, i) => listedOrder(`o${i}`, exchange));
    bench.desk.orderList = Object.freeze(listed) as Order[];
    const ids = async () => {
      const { json } = await bench.send('GET', '/api/v2/orders');
      return json.data.map(({ id }: Order) => id);
    };
    expect(await ids()).toEqual(['o0', 'o2']);
    setKey({ allowedExchanges: [] });
    expect(await ids()).toEqual([]);
    setKey({ allowedExchanges: null });
    expect(await ids()).toEqual(['o0', 'o1', 'o2']);
  });

  // proves: error RISK_SHIELD_ERROR, failure shield-broken, S39, D47
  it.each([SPOT, [SPOT, 5], {}])(
    'that cannot be evaluated stops everything, whatever is asked: %j',
    async (stored) => {
      setKey({ allowedExchanges: stored as unknown as string[] });
      for (const send of [
        () => bench.place(order(), { headers: { 'X-Idempotency-Key': newKey() } }),
        () => bench.send('GET', '/api/v2/orders'),
        () => bench.send('GET', PING),
      ]) {
        const response = await send();
        expectError(response, 500, 'RISK_SHIELD_ERROR');
        expect(response.json.error.message).toBe(
          'the exchange shield of this key could not be evaluated; nothing was done',
        );
      }
      expect([bench.desk.commands, bench.desk.reads, bench.desk.touched]).toEqual([[], [], []]);
      expect(
        bench.desk.lines.some(({ level, text }) => level === 'error' && text.includes('no list of')),
      ).toBe(true);
    },
  );

  // proves: error RISK_SHIELD_ERROR, failure shield-broken, S39, D47
  it('fails closed as well when the accounts cannot be told', async () => {
    bench.desk.accounts = () => {
      throw new Error('gone');
    };
    expectError(await bench.place(order()), 500, 'RISK_SHIELD_ERROR');
    expect(bench.desk.commands).toEqual([]);
  });
});
