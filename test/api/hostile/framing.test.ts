/**
 * Requests that another server might read differently: framing, header lists, targets, methods. The service
 * reads each in one way or refuses it.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attackClass } from '../../support/attacks.ts';
import { Bench, expectError, order, type Response } from '../support.ts';
import { answersOf, CRLF, expectServes, PLAIN, request, TIME } from './support.ts';

const FRAMING = attackClass('framing: smuggling, chunks, trailers, bare line ends, overrides');
const AUTH = attackClass('auth headers: doubled, folded, listed, padded, misspelt');
const LINES = attackClass('odd request lines and methods');
const TARGETS = attackClass('request targets: encodings, absolute form, path against body');

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start({ requestTimeoutMs: 500, headersTimeoutMs: 250, checkIntervalMs: 25 });
});
afterEach(async () => {
  await expectServes(bench);
  await bench.api.close();
});

/** The answers of a connection to these bytes, followed by a request that an attacker would hide in them. */
async function smuggle(bytes: string): Promise<Response[]> {
  const client = await bench.raw();
  client.write(bytes + bench.rawRequest('POST', '/api/v2/orders', order()));
  client.socket.end();
  return answersOf(client);
}

const POST = 'POST /api/v2/orders';
/** Headers with which a browser asks on behalf of a page, and others that must not be reflected. */
const PREFLIGHT = [
  'Host: a',
  'Origin: https://example.org',
  'Access-Control-Request-Method: POST',
  'Cookie: secret=1',
  'Max-Forwards: 0',
];
const HIDDEN = '0\r\n\r\nGET /api/v2/ping HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a body with two readings', () => {
  // proves: D26, D34
  it.each<[string, readonly string[]]>([
    ['length before chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['chunks before length', ['Transfer-Encoding: chunked', 'Content-Length: 5']],
    ['two different lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['the same length twice', ['Content-Length: 5', 'Content-Length: 5']],
    ['a list of lengths', ['Content-Length: 5, 5']],
    ['a signed length', ['Content-Length: +5']],
    ['a negative length', ['Content-Length: -1']],
    ['a hexadecimal length', ['Content-Length: 0x5']],
    ['a length with an exponent', ['Content-Length: 5e0']],
    ['a length beyond all numbers', ['Content-Length: 99999999999999999999']],
    ['a space before the colon of the length', ['Content-Length : 5']],
    ['a space before the colon of the chunks', ['Transfer-Encoding : chunked']],
    ['chunked twice', ['Transfer-Encoding: chunked, chunked']],
    ['chunked in two headers', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']],
    ['a coding before chunked', ['Transfer-Encoding: gzip, chunked']],
    ['an unknown coding before chunked', ['Transfer-Encoding: x, chunked']],
    ['chunked not last', ['Transfer-Encoding: chunked, identity']],
    ['a coding like chunked', ['Transfer-Encoding: xchunked']],
    ['a vertical tab before chunked', ['Transfer-Encoding: \u000bchunked']],
    ['a header folded into another', ['X-A: b', ' Transfer-Encoding: chunked']],
    ['a bare line feed between headers', ['X-A: b\nTransfer-Encoding: chunked']],
    ['a bare carriage return in a value', ['X-A: b\rTransfer-Encoding: chunked']],
    ['NUL in a value', ['X-A: b\u0000c']],
    ['NUL in a name', ['X-\u0000A: b']],
    ['a name that is no token', ['X(A): b']],
    ['no name', [': b']],
    ['a line without a colon', ['Transfer-Encoding']],
  ])(
    '%s: one refusal, and nothing behind it is read',
    FRAMING.counts(async (_what, headers) => {
      const answers = await smuggle(
        request(POST, ['Host: a', 'Content-Type: application/json', ...headers], HIDDEN),
      );
      expect(answers).toHaveLength(1);
      const [answer] = answers;
      expect([400, 413]).toContain(answer?.status);
      expectError(
        answer ?? null,
        answer?.status ?? 0,
        answer?.status === 413 ? 'PAYLOAD_TOO_LARGE' : 'INVALID_REQUEST',
      );
      expect(bench.desk.commands).toEqual([]);
    }),
  );

  // proves: D34
  it.each([
    ['a chunk size that is none', 'zz\r\nab\r\n0\r\n\r\n'],
    ['a negative chunk size', '-2\r\nab\r\n0\r\n\r\n'],
    ['a chunk size beyond all numbers', 'fffffffffffffffff\r\nab\r\n0\r\n\r\n'],
    ['a chunk that is longer than it says', '1\r\nab\r\n0\r\n\r\n'],
    ['a chunk ended by a line feed alone', '2\r\nab\n0\r\n\r\n'],
    ['chunk extensions without end', `2;${'x'.repeat(20_000)}\r\nab\r\n0\r\n\r\n`],
  ])(
    '%s: refused and closed',
    FRAMING.counts(async (_what, body) => {
      const answers = await smuggle(request(POST, ['Host: a', 'Transfer-Encoding: chunked'], body));
      expect(answers).toHaveLength(1);
      expect([400, 413]).toContain(answers[0]?.status);
      expect(bench.desk.commands).toEqual([]);
    }),
  );

  // proves: D26
  it(
    'chunks under HTTP/1.0 are refused, since who knows only that version would not see them',
    FRAMING.counts(async () => {
      const client = await bench.raw();
      const text = bench.rawRequest('POST', '/api/v2/orders', '', [
        'Transfer-Encoding: chunked',
        'Connection: keep-alive',
      ]);
      client.write(`${text.replace('HTTP/1.1', 'HTTP/1.0')}${HIDDEN}`);
      const answer = await client.answer();
      expectError(answer, 400, 'INVALID_REQUEST');
      expect(answer?.json.error.message).toBe('Transfer-Encoding needs HTTP/1.1');
      expect(await client.answer()).toBeNull();
      client.socket.destroy();
    }),
  );

  it(
    'a trailer adds no header to a chunked request',
    FRAMING.counts(async () => {
      const client = await bench.raw();
      const trailers = Object.entries(bench.signer.headers('POST', '/api/v2/orders', order()))
        .map(([name, value]) => `${name}: ${value}${CRLF}`)
        .join('');
      const size = Buffer.byteLength(order()).toString(16);
      const head = [
        'Host: a',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        'Trailer: X-SVC-KEY',
      ];
      client.write(request(POST, head, `${size}${CRLF}${order()}${CRLF}0${CRLF}${trailers}${CRLF}`));
      expectError(await client.answer(), 401, 'UNAUTHORIZED');
      client.socket.destroy();
    }),
  );

  // proves: rule sign-body
  it('a chunked body is signed as what it holds, not as it is sent', async () => {
    const client = await bench.raw();
    const signed = Object.entries(bench.signer.headers('POST', '/api/v2/orders', order()));
    const head = ['Host: a', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const chunks = [...order()].map((char) => `1;x=y${CRLF}${char}${CRLF}`).join('');
    client.write(
      request(POST, [...head, ...signed.map(([k, v]) => `${k}: ${v}`)], `${chunks}0${CRLF}${CRLF}`),
    );
    expect((await client.answer())?.status).toBe(200);
    client.socket.destroy();
  });
});

describe('a header that comes twice', () => {
  // proves: failure headers, D2
  it.each(['X-SVC-KEY', 'X-SVC-SIGN', 'X-SVC-TIMESTAMP'])(
    '%s: nobody has signed',
    AUTH.counts(async (name) => {
      const headers = bench.signer.headers('GET', '/api/v2/ping');
      const lines = Object.entries(headers).map(([k, v]) => `${k}: ${v}`);
      for (const again of [headers[name], 'x', '']) {
        for (const more of [[`${name.toLowerCase()}: ${again}`], []]) {
          const client = await bench.raw();
          const text = request('GET /api/v2/ping', ['Host: a', ...more, ...lines, `${name}: ${again}`]);
          expectError(await client.write(text).answer(), 401, 'UNAUTHORIZED');
          client.socket.destroy();
        }
      }
    }, 6),
  );

  // proves: D13, D26, D32
  it.each([
    ['Host: b'],
    ['Content-Type: application/json'],
    ['X-Idempotency-Key: 3f2b8c1e-7d4a-4c5b-9e6f-0a1b2c3d4e5f'],
    ['Content-Encoding: identity'],
    ['Expect: 200-ok'],
  ])('%s: 400', async (header) => {
    const client = await bench.raw();
    const name = header.slice(0, header.indexOf(':'));
    const first = name === 'X-Idempotency-Key' ? [header] : [];
    const text = bench.rawRequest('POST', '/api/v2/orders', order(), [...first, header]);
    expectError(await client.write(text).answer(), 400, 'INVALID_REQUEST');
    expect(bench.desk.commands).toEqual([]);
    client.socket.destroy();
  });
});

describe('a request line', () => {
  // proves: D26, D34
  it.each([
    ['an absolute target', `GET http://test${TIME} HTTP/1.1`],
    ['an absolute target of another host', 'GET https://example.org/api/v2/ping HTTP/1.1'],
    ['an authority alone', 'GET test:80 HTTP/1.1'],
    ['no target', 'GET  HTTP/1.1'],
    ['a fragment', `GET ${TIME}#x HTTP/1.1`],
    ['a raw quote', `GET ${TIME}?a=" HTTP/1.1`],
    ['a raw UTF-8 letter', `GET ${TIME}?a=é HTTP/1.1`],
    ['a backslash', 'GET /api\\v2\\server\\time HTTP/1.1'],
    ['a control character', `GET ${TIME}?a=\u0001 HTTP/1.1`],
    ['a tab for a space', `GET\t${TIME}\tHTTP/1.1`],
    ['a space too many', `GET ${TIME} x HTTP/1.1`],
    ['another protocol', `GET ${TIME} XTTP/1.1`],
    ['a later version', `GET ${TIME} HTTP/3.0`],
    ['no version', `GET ${TIME}`],
    ['HTTP/2.0 as its version', `GET ${TIME} HTTP/2.0`],
    ['HTTP/0.9 as its version', `GET ${TIME} HTTP/0.9`],
    ['a method of 10,000 letters', `${'G'.repeat(10_000)} ${TIME} HTTP/1.1`],
    ['a method with a letter of another script', `GЕT ${TIME} HTTP/1.1`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0'],
  ])(
    'with %s is refused',
    LINES.counts(async (_what, line) => {
      const client = await bench.raw();
      client.write(`${line}${CRLF}Host: a${CRLF}${CRLF}`);
      client.socket.end();
      const [answer] = await answersOf(client);
      expectError(answer ?? null, answer?.status === 431 ? 431 : 400, 'INVALID_REQUEST');
    }),
  );

  // proves: D23, D24, D25, D26
  it.each([
    ['GET', '/api/v2/orders/%2e%2e/server/time'],
    ['GET', '/api/v2/orders/..%2fserver%2ftime'],
    ['GET', '/api/v2/orders/../server/time'],
    ['GET', '/api/v2/./server/time'],
    ['GET', '/api/v2//server/time'],
    ['GET', '/api/v2/server/time/'],
    ['GET', '/api/v2/server/time;x=1'],
    ['GET', '/api/v2/server%2ftime'],
    ['GET', '/api/v2/SERVER/TIME'],
    ['GET', '/api/v2/server/time%00'],
    ['GET', '/__proto__'],
    ['GET', '/api/v2/constructor'],
    ['GET', '/api/v2/orders/__proto__'],
    ['DELETE', '/api/v2/orders/..?exchange=binance-spot'],
    ['DELETE', '/api/v2/orders/%2e%2e?exchange=binance-spot'],
    ['POST', '/api/v2/orders/%00/split'],
    ['TRACE', TIME],
    ['OPTIONS', TIME],
    ['HEAD', TIME],
    ['PUT', TIME],
    ['PATCH', TIME],
    ['QUERY', TIME],
    ['M-SEARCH', TIME],
    ['PROPFIND', TIME],
  ])(
    '%s %s is 404 and echoes nothing of its headers',
    TARGETS.counts(async (method, target) => {
      const client = await bench.raw();
      client.write(request(`${method} ${target}`, PREFLIGHT));
      const answer = await client.answer(method === 'HEAD');
      expect(answer?.status).toBe(404);
      expect(answer?.text).not.toContain('secret');
      expect(answer?.headers.allow).toBeUndefined();
      if (method !== 'HEAD') expectError(answer, 404, 'NOT_FOUND');
      client.socket.destroy();
    }),
  );

  // proves: D26
  it('of HTTP/1.0 is answered and its connection closed, with or without a Host', async () => {
    for (const host of ['', `Host: a${CRLF}`]) {
      const client = await bench.raw();
      client.write(`GET ${TIME} HTTP/1.0${CRLF}${host}${CRLF}`);
      expect((await client.answer())?.status).toBe(200);
      expect(await client.answer()).toBeNull();
      client.socket.destroy();
    }
  });

  it('for a host that is not ours is answered as any other, and names that host nowhere', async () => {
    for (const host of ['evil.example', '127.0.0.1:1', 'a'.repeat(300), '[::1]', 'localhost\u00ff']) {
      const client = await bench.raw();
      const answer = await client.write(request(`GET ${TIME}`, [`Host: ${host}`])).answer();
      expect(answer?.status).toBe(200);
      expect(JSON.stringify(answer?.headers) + answer?.text).not.toContain(host);
      client.socket.destroy();
    }
  });

  // proves: D27, D34
  it('with a query of 15,000 bytes is read, one beyond 16 KiB is 431', async () => {
    const many = Array.from({ length: 2_000 }, (_, i) => `p${i}=1`).join('&');
    expect((await bench.send('GET', `/api/v2/orders?${many}`)).status).toBe(200);
    expect((await bench.send('GET', `/api/v2/orders?x=${'y'.repeat(15_000)}`)).status).toBe(200);
    const repeated = Array.from({ length: 2_000 }, () => 'p=1').join('&');
    expectError(await bench.send('GET', `/api/v2/orders?${repeated}`), 400, 'INVALID_REQUEST');
    const client = await bench.raw();
    client.write(request(`GET /api/v2/orders?x=${'y'.repeat(20_000)}`));
    expectError(await client.answer(), 431, 'INVALID_REQUEST');
    client.socket.destroy();
  });

  it('that would switch protocols elsewhere than at the stream is answered as usual, or refused', async () => {
    for (const protocol of ['h2c', 'websocket', 'TLS/1.2', 'x'.repeat(1_000)]) {
      const client = await bench.raw();
      client.write(
        request(`GET ${TIME}`, [
          'Host: a',
          'Connection: Upgrade',
          `Upgrade: ${protocol}`,
          'HTTP2-Settings: AA',
        ]),
      );
      const answer = await client.answer();
      expect([200, 400, 404]).toContain(answer?.status);
      expect(answer?.headers.upgrade).toBeUndefined();
      client.socket.destroy();
    }
  });
});

describe('bytes of another protocol', () => {
  // proves: D34
  it.each([
    ['a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex')],
    ['a frame of HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0')],
    ['an SSH greeting', Buffer.from('SSH-2.0-OpenSSH_9.9\r\n')],
    ['a line of SMTP', Buffer.from('EHLO example.org\r\n')],
    ['zeros', Buffer.alloc(5_000)],
    ['bytes of every value', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
  ])(
    '%s: one refusal in plain words, then closed',
    LINES.counts(async (_what, bytes) => {
      const client = await bench.raw();
      client.write(bytes);
      client.socket.end();
      const answers = await answersOf(client);
      expect(answers).toHaveLength(1);
      expectError(answers[0] ?? null, 400, 'INVALID_REQUEST');
    }),
  );

  it('does not hinder a client on another connection', async () => {
    const noisy = await bench.raw();
    const good = await bench.raw();
    noisy.write('\0\0\0\0');
    expect((await good.write(PLAIN).answer())?.status).toBe(200);
    good.socket.destroy();
    await noisy.closed;
  });
});
