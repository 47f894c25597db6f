import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attackClass } from '../support/attacks.ts';
import { Bench, expectError, order } from './support.ts';

const NO_REQUEST = attackClass('framing: smuggling, chunks, trailers, bare line ends, overrides');
const FORM = attackClass('request targets: encodings, absolute form, path against body');

const TIME = '/api/v2/server/time';
const PLAIN = `GET ${TIME} HTTP/1.1\r\nHost: test\r\n\r\n`;
const CRLF = '\r\n';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start({ requestTimeoutMs: 300, headersTimeoutMs: 150, checkIntervalMs: 25 });
});
afterEach(() => bench.api.close());

/** One request line with custom headers; `Host: test` unless others are given. */
function request(line: string, headers: readonly string[] = ['Host: test'], body = ''): string {
  return `${line} HTTP/1.1\r\n${headers.map((header) => header + CRLF).join('')}\r\n${body}`;
}

describe('target and header form', () => {
  // proves: D26
  it.each([
    ['no Host header', request(`GET ${TIME}`, [])],
    ['two Host headers', request(`GET ${TIME}`, ['Host: a', 'Host: a'])],
    ['an absolute-form target', request(`GET http://test${TIME}`)],
    ['a target that is no path', request('OPTIONS *')],
    ['a raw brace in the target', request(`GET ${TIME}?x={}`)],
    ['a fragment', request(`GET ${TIME}#x`)],
    ['a lone percent sign', request(`GET ${TIME}?x=%`)],
    ['another expectation', request(`GET ${TIME}`, ['Host: a', 'Expect: miracles'])],
    ['65 headers', request(`GET ${TIME}`, ['Host: a', ...Array.from({ length: 64 }, (_, i) => `X-${i}: 1`)])],
  ])(
    '%s: 400, and the connection lives on',
    FORM.counts(async (_what, text) => {
      const client = await bench.raw();
      expectError(await client.write(text).answer(), 400, 'INVALID_REQUEST');
      expect((await client.write(PLAIN).answer())?.status).toBe(200);
      client.socket.destroy();
    }),
  );

  it('takes 64 headers', async () => {
    const client = await bench.raw();
    const headers = ['Host: a', ...Array.from({ length: 63 }, (_, i) => `X-${i}: 1`)];
    expect((await client.write(request(`GET ${TIME}`, headers)).answer())?.status).toBe(200);
    client.socket.destroy();
  });

  // proves: D2, failure headers
  it('counts a signature header that is sent twice as none', async () => {
    const client = await bench.raw();
    const text = bench.rawRequest('GET', '/api/v2/ping', '', [`X-SVC-KEY: ${bench.signer.keyId}`]);
    expectError(await client.write(text).answer(), 401, 'UNAUTHORIZED');
    client.socket.destroy();
  });

  // proves: D32
  it.each([['two content types', order(), ['Content-Type: application/json']]])(
    '%s: 400',
    async (_what, body, extra) => {
      const client = await bench.raw();
      const answer = await client.write(bench.rawRequest('POST', '/api/v2/orders', body, extra)).answer();
      expectError(answer, 400, 'INVALID_REQUEST');
      expect(bench.desk.commands).toEqual([]);
      client.socket.destroy();
    },
  );
});

describe('bytes that are no request', () => {
  // proves: D34
  it.each([
    ['noise', '\u0016\u0003\u0001nonsense\r\n\r\n', 400],
    ['a lower-case method', request(`get ${TIME}`), 400],
    ['two lengths', request(`POST ${TIME}`, ['Host: a', 'Content-Length: 1', 'Content-Length: 2']), 400],
    [
      'length and chunks',
      request(`POST ${TIME}`, ['Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked']),
      400,
    ],
    ['a space before the colon', request(`GET ${TIME}`, ['Host: a', 'X-A : 1']), 400],
    ['a folded header', request(`GET ${TIME}`, ['Host: a', 'X-A: 1\r\n folded']), 400],
    ['NUL in a header', request(`GET ${TIME}`, ['Host: a', 'X-A: \u0000']), 400],
    [
      '200 headers',
      request(
        `GET ${TIME}`,
        Array.from({ length: 200 }, (_, i) => `X-${i}: 1`),
      ),
      431,
    ],
    ['headers over 16 KiB', request(`GET ${TIME}`, ['Host: a', `X-A: ${'a'.repeat(17_000)}`]), 431],
  ])(
    '%s: the same envelope, then closed',
    NO_REQUEST.counts(async (_what, text, status) => {
      const client = await bench.raw();
      const answer = await client.write(text).answer();
      expectError(answer, status, 'INVALID_REQUEST');
      expect(answer?.headers.connection).toBe('close');
      expect(await client.answer()).toBeNull();
      client.socket.end();
      await client.closed;
    }),
  );

  // proves: D23
  it('CONNECT: 404, then closed', async () => {
    const client = await bench.raw();
    expectError(await client.write(request('CONNECT test:1')).answer(), 404, 'NOT_FOUND');
    expect(await client.answer()).toBeNull();
    client.socket.destroy();
  });

  // proves: D34
  it('is not taken for the request that came whole in the same packet', async () => {
    const client = await bench.raw();
    client.write(`${bench.rawRequest('POST', '/api/v2/orders', order())}garbage\r\n\r\n`);
    expect((await client.answer())?.status).toBe(200);
    expectError(await client.answer(), 400, 'INVALID_REQUEST');
    expect(await client.answer()).toBeNull();
    expect(bench.desk.commands).toHaveLength(1);
    client.socket.destroy();
  });

  it('never speaks over the answer of a request that is still worked on', async () => {
    let finish: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      bench.desk.onCommand = () => {
        resolve();
        return new Promise<void>((done) => {
          finish = done;
        });
      };
    });
    const client = await bench.raw();
    client.write(bench.rawRequest('POST', '/api/v2/orders', order()));
    await started;
    client.write('garbage\r\n\r\n');
    const after = await bench.send('GET', TIME);
    expect(after.status).toBe(200);
    finish();
    expect((await client.answer())?.json.data.status).toBe('OPENED');
    expectError(await client.answer(), 400, 'INVALID_REQUEST');
    expect(await client.answer()).toBeNull();
    client.socket.destroy();
  });
});

describe('sizes', () => {
  const tooLong = (body: string, length: number) =>
    request(
      'POST /api/v2/orders',
      ['Host: a', 'Content-Type: application/json', `Content-Length: ${length}`],
      body,
    );

  // proves: error PAYLOAD_TOO_LARGE, D33
  it('refuses by Content-Length before a byte of the body has come, and closes', async () => {
    const client = await bench.raw();
    expectError(await client.write(tooLong('', 102_401)).answer(), 413, 'PAYLOAD_TOO_LARGE');
    expect(await client.answer()).toBeNull();
    client.socket.destroy();
  });

  it('gets the 413 through to a client that has sent it all', async () => {
    const client = await bench.raw();
    expectError(
      await client.write(tooLong('x'.repeat(2_000_000), 2_000_000)).answer(),
      413,
      'PAYLOAD_TOO_LARGE',
    );
    client.socket.destroy();
  });

  it('does not work on what follows a 413', async () => {
    const client = await bench.raw();
    const next = bench.rawRequest('POST', '/api/v2/orders', order());
    expectError(
      await client.write(tooLong('x'.repeat(102_401), 102_401) + next).answer(),
      413,
      'PAYLOAD_TOO_LARGE',
    );
    expect(await client.answer()).toBeNull();
    client.socket.end();
    await client.closed;
    expect(bench.desk.commands).toEqual([]);
  });

  // proves: limit body-size, D33
  it('counts chunked bodies as they come', async () => {
    const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    const head = request('POST /api/v2/orders', ['Host: a', 'Transfer-Encoding: chunked']);
    const client = await bench.raw();
    client.write(head + chunk(100_000) + chunk(2_401));
    expectError(await client.answer(), 413, 'PAYLOAD_TOO_LARGE');
    client.socket.destroy();

    const fits = await bench.raw();
    fits.write(`${head}${chunk(102_400)}0\r\n\r\n`);
    expectError(await fits.answer(), 401, 'UNAUTHORIZED');
    fits.socket.destroy();
  });

  it('does not invite a body that it would refuse', async () => {
    const client = await bench.raw();
    const headers = ['Host: a', 'Expect: 100-continue', 'Content-Length: 102401'];
    expectError(
      await client.write(request('POST /api/v2/orders', headers)).answer(),
      413,
      'PAYLOAD_TOO_LARGE',
    );
    client.socket.destroy();
  });

  it('invites one that it would take', async () => {
    const client = await bench.raw();
    const [head, body] = bench
      .rawRequest('POST', '/api/v2/orders', order(), ['Expect: 100-continue'])
      .split('\r\n\r\n');
    expect((await client.write(`${head}\r\n\r\n`).answer())?.status).toBe(100);
    expect((await client.write(body ?? '').answer())?.status).toBe(200);
    client.socket.destroy();
  });
});

describe('slow senders', () => {
  // proves: D34
  it('gives a body its time and no more: 408', async () => {
    const client = await bench.raw();
    const headers = ['Host: a', 'Content-Type: application/json', 'Content-Length: 100'];
    const answer = await client.write(request('POST /api/v2/orders', headers, '{')).answer();
    expectError(answer, 408, 'INVALID_REQUEST');
    expect(await client.answer()).toBeNull();
    client.socket.end();
    await client.closed;
  });

  it('gives headers less: 408', async () => {
    const client = await bench.raw();
    expectError(await client.write('GET / HTTP/1.1\r\nX-A').answer(), 408, 'INVALID_REQUEST');
    client.socket.destroy();
  });

  it('forgets a client that leaves in the middle of its body', async () => {
    const client = await bench.raw();
    client.write(request('POST /api/v2/orders', ['Host: a', 'Content-Length: 10'], '{'));
    client.socket.destroy();
    await client.closed;
    expect((await bench.send('GET', TIME)).status).toBe(200);
    expect(bench.desk.lines).toEqual([]);
  });
});

describe('keep-alive', () => {
  it('outlives every ordinary refusal, bodies included', async () => {
    const client = await bench.raw();
    const ask = (method: string, target: string, body = '') =>
      client.write(bench.rawRequest(method, target, body)).answer();
    expectError(await ask('POST', '/api/v2/orders', '{"a":'), 400, 'INVALID_REQUEST');
    expectError(await ask('POST', '/api/v2/nothing', order()), 404, 'NOT_FOUND');
    expectError(await ask('PUT', '/api/v2/orders', order()), 404, 'NOT_FOUND');
    expectError(await ask('GET', '/api/v2/orders', '{}'), 400, 'INVALID_REQUEST');
    client.write(request('HEAD /api/v2/ping'));
    expect((await client.answer(true))?.status).toBe(404);
    expectError(await ask('POST', '/api/v2/orders', order({ side: 'X' })), 400, 'INVALID_REQUEST');
    expect((await ask('POST', '/api/v2/orders', order()))?.status).toBe(200);
    client.socket.destroy();
  });

  it('answers pipelined requests in their order', async () => {
    const client = await bench.raw();
    client.write(bench.rawRequest('GET', '/api/v2/ping') + request('GET /nowhere') + PLAIN);
    expect((await client.answer())?.json.data.message).toBe('pong');
    expectError(await client.answer(), 404, 'NOT_FOUND');
    expect((await client.answer())?.json.data.timezone).toBe('UTC');
    client.socket.destroy();
  });
});
