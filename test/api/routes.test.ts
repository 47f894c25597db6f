import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROUTE_TIERS } from '../../src/access/tiers.ts';
import { pathOf } from '../../src/api/route-table.ts';
import { ROUTES } from '../../src/api/routes/index.ts';
import { botFrom } from './command-answers.ts';
import { Bench, expectError, expectNoLeaks, newKey, order, Signer } from './support.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.api.close());

const META = {
  requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  timestamp: expect.any(Number),
  version: '2.0.0',
};

describe('reads', () => {
  // proves: endpoint GET /server/time, endpoint GET /server/status, endpoint GET /server/version
  // proves: record server time, record status, record version, rule signed-unless-public, rule meta
  // proves: rule version-number, rule version-in-meta, S18, S22
  it('tells time, status and version without a signature', async () => {
    const options = { signed: false };
    const time = await bench.send('GET', '/api/v2/server/time', options);
    expect(time.json).toEqual({ data: { serverTime: expect.any(Number), timezone: 'UTC' }, meta: META });
    const status = await bench.send('GET', '/api/v2/server/status', options);
    expect(status.json.data).toEqual({
      status: 'operational',
      apiVersion: '2.0.0',
      timestamp: expect.any(Number),
    });
    const version = await bench.send('GET', '/api/v2/server/version', options);
    expect(version.json.data).toEqual({
      service: 'outcry',
      apiVersion: '2.0.0',
      node: process.version,
      startedAt: bench.desk.startedAt,
      uptimeSec: 60,
    });
    expect(bench.desk.touched).toEqual([]);
  });

  // proves: endpoint GET /ping, rule ping-envelope, S21
  it('answers ping in the legacy envelope', async () => {
    const response = await bench.send('GET', '/api/v2/ping');
    expect(response.json).toEqual({
      status: 'success',
      data: { message: 'pong', timestamp: expect.any(Number) },
    });
  });

  // proves: endpoint GET /exchange/supported, record exchange entry
  it('lists the exchange accounts', async () => {
    const response = await bench.send('GET', '/api/v2/exchange/supported');
    expect(response.json.data).toEqual([
      { id: 'binance-spot', name: 'Binance Spot', type: 'spot' },
      { id: 'binance-futures', name: 'Binance Futures', type: 'futures' },
    ]);
  });

  // proves: param GET /orders exchange, param GET /orders symbol, param GET /orders status
  // proves: param GET /orders/trades exchange, param GET /orders/trades symbol
  // proves: param GET /orders/trades startTime, param GET /orders/trades endTime
  // proves: param GET /orders/trades limit, param GET /portfolio exchange, param GET /portfolio full
  // proves: param GET /portfolio totalOnly, D27
  it.each([
    ['/orders', 'orders', { status: 'open' }],
    ['/orders?', 'orders', { status: 'open' }],
    [
      '/orders?status=recent&exchange=binance-spot&symbol=BTCUSDT&extra=1',
      'orders',
      { status: 'recent', exchange: 'binance-spot', symbol: 'BTCUSDT' },
    ],
    ['/orders?%73ymbol=BTC%55SDT', 'orders', { status: 'open', symbol: 'BTCUSDT' }],
    [
      '/orders/trades?exchange=binance-spot&symbol=BTCUSDT',
      'trades',
      { exchange: 'binance-spot', symbol: 'BTCUSDT', limit: 100 },
    ],
    [
      '/orders/trades?exchange=binance-spot&symbol=B&startTime=5&endTime=5&limit=500',
      'trades',
      { exchange: 'binance-spot', symbol: 'B', startTime: 5, endTime: 5, limit: 500 },
    ],
    ['/portfolio', 'portfolio', { exchange: 'binance-spot', full: false, totalOnly: false }],
    [
      '/portfolio?exchange=binance-futures&full=true&totalOnly=true',
      'portfolio',
      { exchange: 'binance-futures', full: true, totalOnly: true },
    ],
  ])('asks the desk for %s', async (target, name, q) => {
    const response = await bench.send('GET', `/api/v2${target}`);
    expect(response.status, response.text).toBe(200);
    expect(response.json.meta).toEqual(META);
    expect(bench.desk.reads).toEqual([{ name, user: 'owner', q }]);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expectNoLeaks(response);
  });

  it('reads as the user of the key', async () => {
    const signer = new Signer(Buffer.alloc(32, 7));
    bench.desk.addKey(signer.keyId, 'read', 'alice');
    await bench.send('GET', '/api/v2/orders', { signer });
    expect(bench.desk.reads[0]?.user).toBe('alice');
    expect(bench.desk.touched).toEqual([{ id: signer.keyId, from: '127.0.0.1' }]);
  });

  // proves: D41
  it('does not answer a read of a key that was revoked meanwhile', async () => {
    bench.desk.onRead = () => bench.desk.keys.clear();
    expectError(await bench.send('GET', '/api/v2/orders'), 401, 'INVALID_KEY');
  });
});

describe('commands', () => {
  it('places what was sent, as sent, for the key', async () => {
    const response = await bench.place(order({ reduceOnly: true, quantity: '0.010' }));
    expect(response.status).toBe(200);
    expect(bench.desk.commands).toEqual([
      {
        actor: {
          kind: 'key',
          user: 'owner',
          keyId: bench.signer.keyId,
          tier: 'trade',
          allowedExchanges: null,
        },
        command: {
          type: 'place',
          request: JSON.parse(order({ reduceOnly: true, quantity: '0.010' })),
        },
        context: { requestId: response.json.meta.requestId, idempotency: undefined },
      },
    ]);
  });

  // proves: S33, order-type close position
  it('takes a zero quantity with closePosition', async () => {
    const fields = { type: 'MARKET', quantity: '0', price: undefined, closePosition: true };
    expect((await bench.place(order({ ...fields, exchange: 'binance-futures' }))).status).toBe(200);
    expectError(await bench.place(order({ ...fields, closePosition: false })), 400, 'INVALID_REQUEST');
  });

  // proves: endpoint DELETE /orders/{id}, endpoint DELETE /orders, D31
  it.each([
    ['/orders/abc_1-Z?exchange=binance-spot', ''],
    ['/orders?exchange=binance-spot&order=abc_1-Z', ''],
    ['/orders?exchange=binance-spot', '{"order":"abc_1-Z"}'],
    ['/orders/abc_1-Z?exchange=binance-spot&order=abc_1-Z', '{"order":"abc_1-Z"}'],
    ['/orders/abc_1-Z?exchange=binance-spot', '{}'],
  ])('cancels by DELETE %s %s', async (target, body) => {
    const response = await bench.send('DELETE', `/api/v2${target}`, { body });
    expect(response.status, response.text).toBe(200);
    expect(bench.desk.commands[0]?.command).toEqual({
      type: 'cancel',
      exchange: 'binance-spot',
      id: 'abc_1-Z',
    });
  });

  // proves: param POST /orders/{id}/split exchange, param POST /orders/{id}/split prices
  it('splits', async () => {
    const body = JSON.stringify({ exchange: 'binance-spot', prices: ['1', '2.5'] });
    await bench.send('POST', '/api/v2/orders/o1/split', { body });
    expect(bench.desk.commands[0]?.command).toEqual({
      type: 'split',
      exchange: 'binance-spot',
      id: 'o1',
      prices: ['1', '2.5'],
    });
  });

  it('writes one audit line with the first 8 characters of the key and the address', async () => {
    await bench.place(order());
    const lines = bench.desk.lines.map(({ text }) => text);
    expect(lines).toEqual([
      expect.stringMatching(/^POST \/orders by key A6EHv_PO from 127\.0\.0\.1: 200, request [0-9a-f-]{36}$/),
    ]);
  });
});

describe('idempotency', () => {
  // proves: D15
  it('replays the very bytes and says so', async () => {
    const headers = { 'X-Idempotency-Key': newKey() };
    const first = await bench.place(order(), { headers });
    const second = await bench.place(order(), { headers });
    expect(second.text).toBe(first.text);
    expect(first.headers['x-idempotent-replayed']).toBeUndefined();
    expect(second.headers['x-idempotent-replayed']).toBe('true');
    expect(first.json.meta.idempotencyKey).toBe(headers['X-Idempotency-Key']);
  });

  // proves: D13
  it('does not care about the case of the key', async () => {
    const key = newKey();
    const first = await bench.place(order(), { headers: { 'X-Idempotency-Key': key } });
    const second = await bench.place(order(), { headers: { 'X-Idempotency-Key': key.toUpperCase() } });
    expect(second.text).toBe(first.text);
  });

  // proves: D11, rule idempotency-conflict
  it('takes the fingerprint over method, raw target and raw body', async () => {
    const headers = { 'X-Idempotency-Key': newKey() };
    await bench.place(order(), { headers });
    expectError(await bench.place(`${order()} `, { headers }), 409, 'IDEMPOTENCY_CONFLICT');
    const target = '/api/v2/orders/o1?exchange=binance-spot';
    expectError(await bench.send('DELETE', target, { headers }), 409, 'IDEMPOTENCY_CONFLICT');
    expect(bench.desk.commands[0]?.context.idempotency?.fingerprint).toBe(
      createHash('sha256').update(`POST\n/api/v2/orders\n${order()}`).digest('hex'),
    );
  });

  // proves: S47
  it('has a schema refusal recorded under the key, but not broken JSON', async () => {
    const headers = { 'X-Idempotency-Key': newKey() };
    expectError(await bench.place('{"a":', { headers }), 400, 'INVALID_REQUEST');
    expect(bench.desk.commands).toEqual([]);
    const first = await bench.place(order({ side: 'HOLD' }), { headers });
    expectError(first, 400, 'INVALID_REQUEST');
    expect(bench.desk.commands[0]?.command.type).toBe('refuse');
    const second = await bench.place(order({ side: 'HOLD' }), { headers });
    expect(second.text).toBe(first.text);
  });

  // proves: rule idempotency-methods
  it('is not looked at on reads', async () => {
    const headers = { 'X-Idempotency-Key': 'nonsense' };
    expect((await bench.send('GET', '/api/v2/orders', { headers })).status).toBe(200);
  });
});

describe('the table of routes', () => {
  const filled = (template: string) => pathOf(template).replace('{id}', 'x1').replace('{runId}', 'r1');

  // proves: rule base-path
  it.each(Object.entries(ROUTE_TIERS))('serves %s for tier %s', (name, tier) => {
    const [method = '', template = ''] = name.split(' ');
    const match = ROUTES.match(method, `/api${filled(template)}`);
    expect(match).toMatchObject({ ok: true, data: { route: { name, tier } } });
  });

  // proves: rule reads-for-read-keys, rule writes-for-trade-keys, rule tier-read, failure tier
  // proves: error FORBIDDEN
  it('lets a read key read and not write', async () => {
    const reader = new Signer(Buffer.alloc(32, 9));
    bench.desk.addKey(reader.keyId, 'read');
    bench.desk.botList = [botFrom({ id: 'x1' })];
    for (const [name, tier] of Object.entries(ROUTE_TIERS)) {
      const [method = '', template = ''] = name.split(' ');
      const query = method === 'GET' ? '?exchange=binance-spot&symbol=BTCUSDT&symbols=BTCUSDT' : '';
      const target = `/api${filled(template)}${query}`;
      const response = await bench.send(method, target, { signer: reader });
      if (tier === 'trade') expectError(response, 403, 'FORBIDDEN');
      else expect(response.status, name).toBe(200);
    }
    expect(bench.desk.commands).toEqual([]);
  });
});
