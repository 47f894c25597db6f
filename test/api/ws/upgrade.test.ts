/**
 * Which requests become a WebSocket and which do not: handshake, Origin, budgets, room; every refusal in the
 * usual envelope.
 */
import { describe, expect, it } from 'vitest';
import { attackClass } from '../../support/attacks.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { expectError, type Response } from '../support.ts';
import { handshake, StreamBench } from './support.ts';

const FLOOD = attackClass('WebSocket floods');

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

function expectRefusal(response: Response | null, status: number, code: string): Response {
  expectError(response, status, code);
  if (response === null) throw new Error('no answer');
  for (const name of RATE_HEADERS) expect(response.headers[name], name).toMatch(/^\d+$/);
  return response;
}

/**
 * Options for a service reached over IPv6 (clients that connect) and IPv4 (`raw`), which are two addresses.
 */
const BOTH = { host: '::', trustedProxies: ['192.0.2.1'] };

async function answerTo(bench: StreamBench, text: string, host?: string): Promise<Response | null> {
  return (await bench.raw(host)).write(text).answer(true);
}

async function refusalOf(bench: StreamBench, text: string, host?: string): Promise<Response | null> {
  return (await bench.raw(host)).write(text).answer();
}

describe('a handshake', () => {
  // proves: rule ws-challenge, rule rate-headers
  it('that is right gets 101 with the figures of its address, and the challenge', async () => {
    const bench = await StreamBench.start();
    const answer = await answerTo(bench, handshake());
    expect(answer?.status).toBe(101);
    expect(answer?.headers['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    for (const name of RATE_HEADERS) expect(answer?.headers[name]).toMatch(/^\d+$/);
  });

  // proves: D35
  it('may offer subprotocols and extensions; none is taken', async () => {
    const bench = await StreamBench.start();
    for (const protocol of ['a, b', 'a, a', ',,']) {
      const headers = {
        'sec-websocket-protocol': protocol,
        'sec-websocket-extensions': 'permessage-deflate',
      };
      const answer = await answerTo(bench, handshake(headers));
      expect(answer?.status).toBe(101);
      expect(answer?.headers['sec-websocket-protocol']).toBeUndefined();
      expect(answer?.headers['sec-websocket-extensions']).toBeUndefined();
    }
  });

  it('may have a query, which says nothing', async () => {
    const bench = await StreamBench.start();
    const answer = await answerTo(bench, handshake({}, 'GET /api/v2/ws?key=x&y HTTP/1.1'));
    expect(answer?.status).toBe(101);
  });

  // proves: D34
  it.each<[string, Record<string, string | null>, string?]>([
    ['has no key', { 'sec-websocket-key': null }],
    ['has a short key', { 'sec-websocket-key': 'dGhl' }],
    ['has no version', { 'sec-websocket-version': null }],
    ['has an older version', { 'sec-websocket-version': '8' }],
    ['has another version', { 'sec-websocket-version': '14' }],
    ['announces a body', { 'content-length': '5' }],
    ['announces chunks', { 'transfer-encoding': 'chunked' }],
    ['has no host', { host: null }],
    ['has a bad target', {}, 'GET /api/v2/ws?a"b HTTP/1.1'],
    ['is HTTP/1.0', {}, 'GET /api/v2/ws HTTP/1.0'],
    ['asks for another protocol', { upgrade: 'h2c' }],
    ['asks for no upgrade', { upgrade: null }],
    ['asks for no upgrade of its connection', { connection: 'keep-alive' }],
  ])('that %s is refused with 400', async (_what, headers, line) => {
    const bench = await StreamBench.start();
    expectRefusal(await refusalOf(bench, handshake(headers, line)), 400, 'INVALID_REQUEST');
  });

  it('that is refused for its form is told which version is spoken, and its connection ends', async () => {
    const bench = await StreamBench.start();
    const answer = await refusalOf(bench, handshake({ 'sec-websocket-version': '8' }));
    expect(answer?.headers).toMatchObject({ 'sec-websocket-version': '13', connection: 'close' });
  });

  it.each([
    'GET /api/v2/ws/ HTTP/1.1',
    'GET /api/v2/WS HTTP/1.1',
    'GET /v2/ws HTTP/1.1',
    'GET /api/v2//ws HTTP/1.1',
    'GET / HTTP/1.1',
    'POST /api/v2/ws HTTP/1.1',
  ])('elsewhere finds nothing: %s', async (line) => {
    const bench = await StreamBench.start();
    expectRefusal(await refusalOf(bench, handshake({}, line)), 404, 'NOT_FOUND');
  });

  it('is none on another route: the request is answered as usual', async () => {
    const bench = await StreamBench.start();
    for (const upgrade of ['websocket', 'h2c']) {
      const answer = await refusalOf(bench, handshake({ upgrade }, 'GET /api/v2/server/time HTTP/1.1'));
      expect(answer?.status).toBe(200);
    }
  });

  it('waits for the answers before it on its connection, or is refused', async () => {
    const bench = await StreamBench.start();
    const client = await bench.raw();
    client.write(`GET /api/v2/server/time HTTP/1.1\r\nhost: test\r\n\r\n${handshake()}`);
    const first = await client.answer();
    expect(first?.status).toBe(200);
    expectRefusal(await client.answer(), 400, 'INVALID_REQUEST');
  });

  it('may come after an answered request on its connection', async () => {
    const bench = await StreamBench.start();
    const client = await bench.raw();
    client.write('GET /api/v2/server/time HTTP/1.1\r\nhost: test\r\n\r\n');
    expect((await client.answer())?.status).toBe(200);
    expect((await client.write(handshake()).answer(true))?.status).toBe(101);
  });
});

describe('an origin', () => {
  // proves: D24
  it('that is not on the list is refused with 403; a program sends none', async () => {
    const bench = await StreamBench.start();
    for (const origin of ['https://evil.example', 'http://127.0.0.1', 'null', '']) {
      expectRefusal(await refusalOf(bench, handshake({ origin })), 403, 'FORBIDDEN');
    }
  });

  it('that is on the list may connect, exactly as it is written there', async () => {
    const bench = await StreamBench.start({ allowedOrigins: ['https://app.example'] });
    expect((await answerTo(bench, handshake({ origin: 'https://app.example' })))?.status).toBe(101);
    for (const origin of ['https://app.example.evil', 'http://app.example', 'https://app.example:8443']) {
      expectRefusal(await refusalOf(bench, handshake({ origin })), 403, 'FORBIDDEN');
    }
    const two = handshake({ origin: 'https://app.example\r\norigin: https://evil.example' });
    expectRefusal(await refusalOf(bench, two), 403, 'FORBIDDEN');
  });
});

describe('the budget of an address', () => {
  // proves: rule address-limit
  it('counts handshakes like any request, refused ones too', async () => {
    const clock = new VirtualClock(undefined, { autoTurns: true });
    const bench = await StreamBench.start({ ...BOTH, addressRequests: 3, clock });
    expect((await answerTo(bench, handshake()))?.headers['x-ratelimit-remaining']).toBe('2');
    await refusalOf(bench, handshake({ 'sec-websocket-key': null }));
    await refusalOf(bench, 'GET /api/v2/server/time HTTP/1.1\r\nhost: test\r\n\r\n');
    const over = expectRefusal(await refusalOf(bench, handshake()), 429, 'RATE_LIMITED');
    expect(over.headers['retry-after']).toBe('5');
    expect((await answerTo(bench, handshake(), '::1'))?.status).toBe(101);
    await clock.advance(5_000);
    expect((await answerTo(bench, handshake()))?.status).toBe(101);
  });
});

describe('room', () => {
  // proves: limit ws-connections-per-address
  it('is counted by address, sockets too that have not authenticated', async () => {
    const bench = await StreamBench.start({ ...BOTH, stream: { perAddress: 3 } });
    const first = await bench.connect();
    await bench.connect();
    await (await bench.connect()).authenticate();
    const refused = expectRefusal(await refusalOf(bench, handshake(), '::1'), 429, 'RATE_LIMITED');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await answerTo(bench, handshake(), '127.0.0.1'))?.status).toBe(101);
    first.ws.close();
    await first.end();
    expect((await answerTo(bench, handshake(), '::1'))?.status).toBe(101);
  });

  it(
    'is as the specification says unless set: 50 of one address',
    FLOOD.counts(async () => {
      const bench = await StreamBench.start();
      const clients = await Promise.all(Array.from({ length: 50 }, () => bench.connect()));
      expectRefusal(await refusalOf(bench, handshake()), 429, 'RATE_LIMITED');
      expect(clients.every((client) => client.closed === null)).toBe(true);
    }, 51),
  );

  // proves: limit ws-connections
  it('ends for everybody at the limit of all', async () => {
    const bench = await StreamBench.start({ stream: { total: 2 } });
    await bench.connect();
    await bench.connect();
    const refused = await refusalOf(bench, handshake());
    expectRefusal(refused, 503, 'SERVICE_UNAVAILABLE');
  });

  it('is not taken by what is refused', async () => {
    const bench = await StreamBench.start({ stream: { perAddress: 1 } });
    await refusalOf(bench, handshake({ origin: 'https://evil.example' }));
    await refusalOf(bench, handshake({ 'sec-websocket-key': null }));
    expect((await answerTo(bench, handshake()))?.status).toBe(101);
  });

  // proves: D42
  it('is counted by the address behind a trusted proxy, IPv6 by /64', async () => {
    const bench = await StreamBench.start({ stream: { perAddress: 1 }, trustedProxies: ['127.0.0.1'] });
    const from = (address: string) => handshake({ 'x-forwarded-for': address });
    expect((await answerTo(bench, from('203.0.113.1')))?.status).toBe(101);
    expectRefusal(await refusalOf(bench, from('203.0.113.1')), 429, 'RATE_LIMITED');
    expect((await answerTo(bench, from('203.0.113.2')))?.status).toBe(101);
    expect((await answerTo(bench, from('2001:db8::1')))?.status).toBe(101);
    expectRefusal(await refusalOf(bench, from('2001:db8::2')), 429, 'RATE_LIMITED');
    expectRefusal(await refusalOf(bench, from('not an address')), 400, 'INVALID_REQUEST');
  });
});

describe('a service under maintenance', () => {
  it('takes nobody in', async () => {
    const bench = await StreamBench.start();
    bench.desk.maintenanceText = 'back at noon';
    const refused = expectRefusal(await refusalOf(bench, handshake()), 503, 'SERVICE_UNAVAILABLE');
    expect(refused.json.error.message).toBe('back at noon');
  });
});
