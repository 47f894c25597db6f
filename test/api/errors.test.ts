import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, expectError, newKey, order, type SendOptions, Signer } from './support.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.api.close());

type Row = [what: string, method: string, target: string, options: SendOptions, message: string | RegExp];

const EXCHANGES = 'one of binance-spot, binance-futures';

const CONTENT: Row[] = [
  ['a body on GET', 'GET', '/orders', { body: '{}' }, 'a GET request has no body; use query parameters'],
  ['an empty body on POST', 'POST', '/orders', {}, 'the body is empty; a JSON object is needed'],
  [
    'text/plain',
    'POST',
    '/orders',
    { body: order(), headers: { 'Content-Type': 'text/plain' } },
    'Content-Type must be application/json, with charset=utf-8 or none',
  ],
  [
    'charset=utf-16',
    'POST',
    '/orders',
    { body: order(), headers: { 'Content-Type': 'application/json; charset=utf-16' } },
    /^Content-Type must be/,
  ],
  [
    'a content type that tries to look right',
    'POST',
    '/orders',
    { body: order(), headers: { 'Content-Type': 'application/json, text/plain' } },
    /^Content-Type must be/,
  ],
  [
    'gzip',
    'POST',
    '/orders',
    { body: order(), headers: { 'Content-Encoding': 'gzip' } },
    /^Content-Encoding is not supported/,
  ],
  [
    'a DELETE body that is no JSON',
    'DELETE',
    '/orders/o1?exchange=binance-spot',
    { body: 'order=o1' },
    /"\{" expected at position 0/,
  ],
  [
    'a duplicate query parameter',
    'GET',
    '/orders?symbol=A&symbol=A',
    {},
    'the query parameter "symbol" is given more than once',
  ],
  [
    'a duplicate in other spelling',
    'GET',
    '/orders?symbol=A&%73ymbol=A',
    {},
    'the query parameter "symbol" is given more than once',
  ],
  ['percent escapes that are no UTF-8', 'GET', '/orders?symbol=%ff', {}, /wrong percent escape/],
  [
    'an idempotency key that is no UUID',
    'POST',
    '/orders',
    { body: order(), headers: { 'X-Idempotency-Key': 'abc' } },
    /^X-Idempotency-Key must be a UUID/,
  ],
  [
    'two idempotency keys',
    'POST',
    '/orders',
    { body: order(), headers: { 'X-Idempotency-Key': [newKey(), newKey()] } },
    'more than one X-Idempotency-Key header',
  ],
];

const READS: Row[] = [
  ['an unknown exchange', 'GET', '/orders?exchange=x', {}, `exchange must be ${EXCHANGES}, got "x"`],
  ['an unknown exchange', 'GET', '/portfolio?exchange=x', {}, `exchange must be ${EXCHANGES}, got "x"`],
  ['no exchange', 'GET', '/orders/trades?symbol=A', {}, `exchange is missing; it must be ${EXCHANGES}`],
  ['no symbol', 'GET', '/orders/trades?exchange=binance-spot', {}, /^symbol is missing; it must be a name/],
  ['an unknown status', 'GET', '/orders?status=OPEN', {}, 'status must be one of open, recent, got "OPEN"'],
  ['a status that is empty', 'GET', '/orders?status', {}, 'status must be one of open, recent, got ""'],
  [
    'a limit over 500',
    'GET',
    '/orders/trades?exchange=binance-spot&symbol=A&limit=501',
    {},
    'limit must be an integer from 1 to 500, got 501',
  ],
  [
    'a limit with an exponent',
    'GET',
    '/orders/trades?exchange=binance-spot&symbol=A&limit=1e2',
    {},
    'limit must be an integer from 1 to 500, got "1e2"',
  ],
  [
    'times the wrong way round',
    'GET',
    '/orders/trades?exchange=binance-spot&symbol=A&startTime=2&endTime=1',
    {},
    'startTime must not be after endTime',
  ],
  ['a boolean in digits', 'GET', '/portfolio?full=1', {}, 'full must be true or false, got "1"'],
];

const split = (fields: Record<string, unknown>) => ({
  body: JSON.stringify({ exchange: 'binance-spot', prices: ['1', '2'], ...fields }),
});

const ORDERS: [string, Record<string, unknown>, string][] = [
  ['a number', { quantity: 0.01 }, 'quantity must be a decimal string such as "0.01", got a number'],
  [
    'an exponent',
    { quantity: '1e-2' },
    'quantity must be a decimal string such as "0.01" (at most 20 digits on each side of the point; no sign, exponent, space or leading zero), got "1e-2"',
  ],
  ['zero', { price: '0.00' }, 'price must be greater than zero'],
  ['zero', { quantity: '0' }, 'quantity must be greater than zero (zero goes with closePosition only)'],
  ['another case', { reduceonly: true }, 'unknown field "reduceonly"; did you mean "reduceOnly"?'],
  ['a slip', { prise: '1' }, 'unknown field "prise"; did you mean "price"?'],
  ['no exchange', { exchange: undefined }, `exchange is missing; it must be ${EXCHANGES}`],
  ['an unknown exchange', { exchange: 'okx-spot' }, `exchange must be ${EXCHANGES}, got "okx-spot"`],
  ['no side', { side: undefined }, 'side is missing; it must be one of BUY, SELL'],
  ['another side', { side: 'buy' }, 'side must be one of BUY, SELL, got "buy"'],
  ['a string', { closePosition: 'true' }, 'closePosition must be true or false, got "true"'],
  [
    'a string',
    { goodTillDate: '1' },
    'goodTillDate must be a Unix time in milliseconds, as an integer, got "1"',
  ],
  [
    'too much',
    { trailingDelta: 10_001 },
    'trailingDelta must be a number above 0 and at most 10000, got 10001',
  ],
  ['a hostile name', { ['\u001b[31m\u202e'.repeat(40)]: 1 }, `unknown field "${'?[31m?'.repeat(6)}?[31..."`],
];

const COMMANDS: Row[] = [
  ...ORDERS.map(
    ([what, fields, message]): Row => [
      `${what} in ${Object.keys(fields)[0]?.replace(/\W.*/, '...')}`,
      'POST',
      '/orders',
      { body: order(fields) },
      message,
    ],
  ),
  ['no exchange', 'DELETE', '/orders/o1', {}, `exchange is missing; it must be ${EXCHANGES}`],
  ['an unknown exchange', 'DELETE', '/orders/o1?exchange=x', {}, `exchange must be ${EXCHANGES}, got "x"`],
  ['no id anywhere', 'DELETE', '/orders?exchange=binance-spot', {}, /^order is missing/],
  [
    'two ids',
    'DELETE',
    '/orders/o1?exchange=binance-spot&order=o2',
    {},
    'path, query and body name different orders',
  ],
  [
    'two ids',
    'DELETE',
    '/orders/o1?exchange=binance-spot',
    { body: '{"order":"o2"}' },
    'path, query and body name different orders',
  ],
  [
    'a bad id in the query',
    'DELETE',
    '/orders?exchange=binance-spot&order=a%2Fb',
    {},
    'order must be an order id of 1 to 64 characters from A-Z a-z 0-9 _ -, got "a/b"',
  ],
  [
    'an unknown field',
    'DELETE',
    '/orders/o1?exchange=binance-spot',
    { body: '{"orderId":"o1"}' },
    /^unknown field "orderId"/,
  ],
  ['one price', 'POST', '/orders/o1/split', split({ prices: ['1'] }), /^prices must be an array of 2 to 50/],
  [
    'a number among prices',
    'POST',
    '/orders/o1/split',
    split({ prices: ['1', 2] }),
    'prices[1] must be a decimal string such as "0.01", got a number',
  ],
  [
    'a zero among prices',
    'POST',
    '/orders/o1/split',
    split({ prices: ['1', '0.0'] }),
    'prices[1] must be greater than zero',
  ],
  [
    'no prices',
    'POST',
    '/orders/o1/split',
    split({ prices: undefined }),
    /^prices is missing; it must be an array/,
  ],
];

describe('400 INVALID_REQUEST', () => {
  // proves: error INVALID_REQUEST, param GET /orders exchange, param GET /orders status
  // proves: param GET /orders/trades exchange, param GET /orders/trades symbol
  // proves: param GET /orders/trades limit, limit trades, D13, D27, D31, D32
  it.each([...CONTENT, ...READS])('%s: %s %s', async (_what, method, target, options, message) => {
    const response = await bench.send(method, `/api/v2${target}`, options);
    expectError(response, 400, 'INVALID_REQUEST');
    if (typeof message === 'string') expect(response.json.error.message).toBe(message);
    else expect(response.json.error.message).toMatch(message);
    expect(bench.desk.commands).toEqual([]);
    expect(bench.desk.reads).toEqual([]);
  });

  // proves: error INVALID_REQUEST, rule unknown-exchange, field create-order exchange, S23
  // proves: param DELETE /orders/{id} exchange, param POST /orders/{id}/split prices, limit split-prices
  // proves: D29, D30, D31, S33
  it.each(COMMANDS)('%s: %s %s, by way of the desk', async (_what, method, target, options, message) => {
    const response = await bench.send(method, `/api/v2${target}`, options);
    expectError(response, 400, 'INVALID_REQUEST');
    if (typeof message === 'string') expect(response.json.error.message).toBe(message);
    else expect(response.json.error.message).toMatch(message);
    expect(bench.desk.commands.map(({ command }) => command.type)).toEqual(['refuse']);
  });

  it('says which account to name when there is no spot account', async () => {
    bench.desk.accountList = [];
    const response = await bench.send('GET', '/api/v2/portfolio');
    expectError(response, 400, 'INVALID_REQUEST');
  });

  // proves: rule json-bodies, D32
  it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'but takes Content-Type %s',
    async (type) => {
      expect((await bench.place(order(), { headers: { 'Content-Type': type } })).status).toBe(200);
    },
  );
});

describe('401', () => {
  // proves: error UNAUTHORIZED, failure headers
  it('comes before anything about the content', async () => {
    const options = { signed: false, body: '{', headers: { 'Content-Type': 'text/plain' } };
    for (const target of ['/api/v2/orders', '/api/v2/orders?a=1&a=1']) {
      expectError(await bench.send('POST', target, options), 401, 'UNAUTHORIZED');
    }
    expect(bench.desk.commands).toEqual([]);
  });

  // proves: error INVALID_KEY, error INVALID_SIGNATURE, failure key, failure signature
  it('of an unknown key is INVALID_KEY, of a wrong signature INVALID_SIGNATURE', async () => {
    const stranger = new Signer(Buffer.alloc(32, 5));
    expectError(await bench.send('GET', '/api/v2/orders', { signer: stranger }), 401, 'INVALID_KEY');
    const headers = bench.signer.headers('GET', '/api/v2/portfolio');
    const wrong = { signed: false, headers };
    expectError(await bench.send('GET', '/api/v2/orders', wrong), 401, 'INVALID_SIGNATURE');
    expect(bench.desk.touched).toEqual([]);
  });

  // proves: error TIMESTAMP_EXPIRED, error TIMESTAMP_INVALID, error UNAUTHORIZED, rule timestamp-number
  // proves: rule replay
  it('of the timestamp, and of a repeated signature', async () => {
    const old = { signed: false, headers: bench.signer.headers('GET', '/api/v2/ping', '', 1_000) };
    expectError(await bench.send('GET', '/api/v2/ping', old), 401, 'TIMESTAMP_EXPIRED');
    const text = { ...bench.signer.headers('GET', '/api/v2/ping'), 'X-SVC-TIMESTAMP': 'abc' };
    const bad = await bench.send('GET', '/api/v2/ping', { signed: false, headers: text });
    expectError(bad, 401, 'TIMESTAMP_INVALID');
    const once = { signed: false, headers: new Signer().headers('GET', '/api/v2/ping') };
    expect((await bench.send('GET', '/api/v2/ping', once)).status).toBe(200);
    const again = await bench.send('GET', '/api/v2/ping', once);
    expectError(again, 401, 'UNAUTHORIZED');
    expect(again.json.error.message).toContain('duplicate request signature');
  });

  it('is logged with what identifies the attempt, cleaned and bounded', async () => {
    const headers = { 'X-SVC-KEY': `\u009b31m${'A'.repeat(500)}` };
    await bench.send('GET', '/api/v2/ping', { signed: false, headers });
    const [line] = bench.desk.lines;
    expect(line?.level).toBe('info');
    expect(line?.text).toMatch(
      /^GET \/ping by key \?31mAAAA from 127\.0\.0\.1: UNAUTHORIZED, request [0-9a-f-]{36}$/,
    );
  });
});

describe('404', () => {
  // proves: error NOT_FOUND, rule base-path, rule version-in-path, D25, D26
  it.each([
    ['GET', '/'],
    ['GET', '/v2/ping'],
    ['GET', '/api'],
    ['GET', '/api/v2'],
    ['GET', '/api/v1/ping'],
    ['GET', '/api/v2/ping/'],
    ['GET', '/api//v2/ping'],
    ['GET', '//api/v2/ping'],
    ['GET', '/api/v2/Ping'],
    ['GET', '/api/v2/./ping'],
    ['GET', '/api/v2/x/../ping'],
    ['GET', '/api/v2/%70ing'],
    ['POST', '/api/v2/ws'],
    ['GET', '/api/v2/orders/o1'],
    ['POST', '/api/v2/ping'],
    ['DELETE', '/api/v2/orders/a%2Fb?exchange=binance-spot'],
    ['DELETE', '/api/v2/orders/a%20b?exchange=binance-spot'],
    ['DELETE', `/api/v2/orders/${'a'.repeat(65)}?exchange=binance-spot`],
    ['POST', '/api/v2/orders//split'],
    ['POST', '/api/v2/orders/{id}/split'.replace(/[{}]/g, '.')],
  ])('%s %s, signed or not', async (method, target) => {
    for (const signed of [true, false]) {
      expectError(await bench.send(method, target, { signed }), 404, 'NOT_FOUND');
    }
    expect(bench.desk.lines).toEqual([]);
  });

  // proves: D23
  it.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])('%s on a known path', async (method) => {
    const response = await bench.send(method, '/api/v2/orders');
    expectError(response, 404, 'NOT_FOUND');
    expect(response.headers.allow).toBeUndefined();
    expect(response.json.error.message).toBe(
      `there is no ${method} /api/v2/orders; this path takes GET, POST, DELETE`,
    );
  });

  // proves: D23
  it('HEAD, without a body', async () => {
    const response = await bench.send('HEAD', '/api/v2/server/time');
    expect([response.status, response.text]).toEqual([404, '']);
  });
});

describe('500 and 503', () => {
  // proves: error INTERNAL_ERROR, rule no-internals
  it('tells the log everything and the client nothing', async () => {
    bench.desk.onRead = () => {
      throw new Error('secret detail\n\u001b[31m');
    };
    const response = await bench.send('GET', '/api/v2/orders');
    expectError(response, 500, 'INTERNAL_ERROR');
    expect(response.json.error.message).toBe('an unexpected error occurred');
    const line = bench.desk.lines.at(-1);
    expect(line?.level).toBe('error');
    expect(line?.text).toContain(response.json.meta.requestId);
    expect(line?.text).toContain('secret detail');
    expect(line?.text).toMatch(/^[\x20-\x7e]+$/);
  });

  it('covers a desk that rejects a command, against its contract', async () => {
    bench.desk.onCommand = () => Promise.reject(new Error('broken'));
    expectError(await bench.place(order()), 500, 'INTERNAL_ERROR');
  });

  // proves: error SERVICE_UNAVAILABLE
  it.each([{ code: 'SERVICE_UNAVAILABLE' }, { name: 'StoreError', code: 'FULL' }])(
    'passes on that the desk cannot answer now: %o',
    async (fields) => {
      bench.desk.onRead = () => {
        throw Object.assign(new Error('commit failed'), fields);
      };
      expectError(await bench.send('GET', '/api/v2/portfolio'), 503, 'SERVICE_UNAVAILABLE');
    },
  );
});
