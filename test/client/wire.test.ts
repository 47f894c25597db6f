/**
 * The bytes on the wire: a bare node:http server records them and checks them with the service's own
 * Authenticator.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Authenticator } from '../../src/access/authenticate.ts';
import { checkTarget } from '../../src/access/target.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import type { AccessKey } from '../../src/domain/access-key.ts';
import { SIGNING } from '../access/vectors.ts';

interface Seen {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly verdict: string;
}

let server: Server;
let client: Client;
let seen: Seen[];
let connections: number;
/** The answer to the next request; `drop` closes the connection without one. */
let answer: (request: Seen) => { status: number; body: string; headers?: Record<string, string> } | 'drop';

beforeEach(async () => {
  seen = [];
  connections = 0;
  answer = () => ({ status: 200, body: '{"data":[],"meta":{}}' });
  const key = { id: SIGNING.public_key_b64url } as AccessKey;
  const authenticator = new Authenticator({ activeKey: (id) => (id === key.id ? key : null), startedAt: 0 });
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = '', url: target = '', rawHeaders } = request;
      const body = Buffer.concat(chunks);
      const outcome = await authenticator.authenticate({ method, target, rawHeaders, body, now: Date.now() });
      const verdict = checkTarget(target) ?? (outcome.ok ? 'ok' : outcome.error.code);
      const entry = { line: `${method} ${target}`, headers: request.headers, body: body.toString(), verdict };
      seen.push(entry);
      const reply = answer(entry);
      if (reply === 'drop') request.socket.destroy();
      else response.writeHead(reply.status, reply.headers).end(reply.body);
    });
  });
  server.on('connection', (_socket: Socket) => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    key: { privateKeyPem: SIGNING.pkcs8_pem },
    connections: 1,
    sleep: async () => {},
  });
});

afterEach(async () => {
  await client.close();
  await new Promise((resolve) => server.close(resolve));
});

describe('requests on the wire', () => {
  it('are what the service verifies, for every call', async () => {
    const order = {
      exchange: 'paper-spot',
      symbol: 'BTC/USDT \u00e9',
      side: 'BUY',
      type: 'MARKET',
      quantity: '1',
    } as const;
    await client.ping();
    await client.exchange.supported();
    await client.orders.list();
    await client.orders.list({ exchange: 'paper-spot', symbol: "a&b=c d/e'\u00e9", status: 'recent' });
    await client.orders.place(order);
    await client.orders.cancel({ exchange: 'paper-spot', id: 'o/1' });
    await client.orders.split({ exchange: 'paper-spot', id: 'o1', prices: ['1', '2'] });
    await client.orders.trades({ exchange: 'paper-spot', symbol: 'BTCUSDT', startTime: 5, limit: 10 });
    await client.portfolio.get({ full: true, totalOnly: false });
    expect(seen.map(({ line, verdict }) => `${line} ${verdict}`)).toEqual([
      'GET /api/v2/ping ok',
      'GET /api/v2/exchange/supported ok',
      'GET /api/v2/orders ok',
      "GET /api/v2/orders?exchange=paper-spot&symbol=a%26b%3Dc%20d%2Fe'%C3%A9&status=recent ok",
      'POST /api/v2/orders ok',
      'DELETE /api/v2/orders/o%2F1?exchange=paper-spot ok',
      'POST /api/v2/orders/o1/split ok',
      'GET /api/v2/orders/trades?exchange=paper-spot&symbol=BTCUSDT&startTime=5&limit=10 ok',
      'GET /api/v2/portfolio?full=true&totalOnly=false ok',
    ]);
    expect(seen[4]?.body).toBe(JSON.stringify(order));
    expect(seen[4]?.headers['content-type']).toBe('application/json');
    expect(seen[4]?.headers['content-length']).toBe(String(Buffer.byteLength(JSON.stringify(order))));
    expect(seen[6]?.body).toBe('{"exchange":"paper-spot","prices":["1","2"]}');
    expect(connections).toBe(1);
  });

  it('frame the body of a DELETE with Content-Length', async () => {
    await client.raw('DELETE', '/v2/orders', { body: '{"order":"o1","exchange":"paper-spot"}' });
    expect(seen[0]).toMatchObject({ body: '{"order":"o1","exchange":"paper-spot"}', verdict: 'ok' });
    expect(seen[0]?.headers['content-length']).toBe('38');
    expect(seen[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it('of the public calls carry no signature', async () => {
    await client.server.time();
    await client.server.status();
    await client.server.version();
    expect(seen.map(({ line }) => line)).toEqual([
      'GET /api/v2/server/time',
      'GET /api/v2/server/status',
      'GET /api/v2/server/version',
    ]);
    for (const { headers } of seen) expect(headers['x-svc-key']).toBeUndefined();
  });

  // proves: rule idempotency-retry, rule resign
  it('come again after a dropped connection, signed anew, with the same idempotency key', async () => {
    answer = () => (seen.length < 3 ? 'drop' : { status: 200, body: '{"data":{"id":"o1"},"meta":{}}' });
    const order = await client.orders.cancel({ exchange: 'paper-spot', id: 'o1' });
    expect(order).toEqual({ id: 'o1' });
    expect(seen.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    expect(new Set(seen.map(({ headers }) => headers['x-idempotency-key'])).size).toBe(1);
    expect(String(seen[0]?.headers['x-idempotency-key'])).toMatch(
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    );
  });

  it('give raw() the very bytes of the answer', async () => {
    const body = '{"error" :{"code":"X\u00e9"}}\n';
    answer = () => ({ status: 418, body, headers: { 'X-RateLimit-Limit': '10' } });
    const response = await client.raw('GET', '/v2/ping');
    expect(response).toMatchObject({ status: 418, text: body });
    expect(response.headers['x-ratelimit-limit']).toBe('10');
  });
});
