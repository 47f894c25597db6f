/**
 * The form of the bot routes: how a good request is passed on, and how a wrong one is refused. What a desk
 * does with them: desk/integration.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/api/routes/index.ts';
import { botFrom } from './command-answers.ts';
import { Bench, expectError, newKey, type Response } from './support.ts';

const SETTINGS = {
  exchange: 'binance-spot',
  symbol: { base: 'BTC', quote: 'USDT' },
  whatever: [1, { a: null }],
};
const NEW_BOT = { type: 'SQUEEZE', settings: SETTINGS };
const RUN = '/bots/b1/runs/r1';
const STOP = { strategy: 'fixed', trigger: { type: 'kline' }, order: { type: 'MARKET', stopPrice: '9' } };
const ids = (count: number) => Array.from({ length: count }, (_, i) => `b${i}`);

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
  bench.desk.botList = [
    botFrom({ id: 'b1' }),
    botFrom({ id: 'b2', type: 'ALARM', exchange: 'binance-futures' }),
  ];
});
afterEach(() => bench.api.close());

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  bench.send(method, `/api/v2${path}`, { body: body === undefined ? '' : JSON.stringify(body), headers });
const lastCommand = () => bench.desk.commands.at(-1)?.command;
const message = ({ json }: Response) => json.error.message as string;

describe('reads', () => {
  // proves: endpoint GET /bots, bot-rule answers
  it('lists the bots, of one type if asked', async () => {
    expect((await send('GET', '/bots')).json.data.map((bot: { id: string }) => bot.id)).toEqual(['b1', 'b2']);
    expect((await send('GET', '/bots?type=ALARM&exchange=binance-spot')).json.data).toMatchObject([
      { id: 'b2' },
    ]);
    expect(bench.desk.reads.map(({ name, user, q }) => [name, user, q])).toEqual([
      ['bots', 'owner', undefined],
      ['bots', 'owner', 'ALARM'],
    ]);
    const wrong = await send('GET', '/bots?type=squeeze');
    expectError(wrong, 400, 'INVALID_REQUEST');
    expect(message(wrong)).toBe(
      'type must be one of FIBO, CHANNEL, SQUEEZE, INTRADAY, ALGO, ALARM, NOTIFY, got "squeeze"',
    );
  });

  // proves: endpoint GET /bots/{id}, error NOT_FOUND, bot-rule answers
  it('gives one bot, or 404', async () => {
    expect((await send('GET', '/bots/b2')).json.data).toEqual(bench.desk.botList[1]);
    const missing = await send('GET', '/bots/b3');
    expectError(missing, 404, 'NOT_FOUND');
    expect(message(missing)).toBe('there is no bot b3');
  });
});

describe('POST /bots', () => {
  // proves: endpoint POST /bots, bot-rule creation, D30
  it('passes on what it was given, unknown fields inside the settings too', async () => {
    const bot = { ...NEW_BOT, options: { restart: true, more: 1 }, metadata: '{"a":1}', tag: 'x'.repeat(50) };
    expect((await send('POST', '/bots', bot)).status).toBe(200);
    expect(lastCommand()).toEqual({ type: 'bot.create', bot });
  });

  // proves: limit bot-tag, S42, bot decided tag
  it.each<[string, unknown, RegExp]>([
    ['no type', { settings: SETTINGS }, /^type is missing; it must be one of FIBO,/],
    ['another type', { ...NEW_BOT, type: 'GRID' }, /^type must be one of FIBO, .* got "GRID"$/],
    ['no settings', { type: 'FIBO' }, /^settings is missing; it must be an object$/],
    [
      'settings that are none',
      { type: 'FIBO', settings: [] },
      /^settings must be an object, got an array of 0$/,
    ],
    [
      'no exchange',
      { type: 'FIBO', settings: {} },
      /^settings\.exchange is missing; it must be one of binance-spot, binance-futures$/,
    ],
    [
      'an exchange that is no text',
      { type: 'FIBO', settings: { exchange: 5 } },
      /^settings\.exchange must be /,
    ],
    [
      'metadata that is no text',
      { ...NEW_BOT, metadata: { a: 1 } },
      /^metadata must be a string, got an object$/,
    ],
    ['a tag of 51', { ...NEW_BOT, tag: 'x'.repeat(51) }, /^tag must be a string of 0 to 50 characters, got /],
    [
      'a tag that is none',
      { ...NEW_BOT, tag: 5 },
      /^tag must be a string of 0 to 50 characters, got a number$/,
    ],
    ['options that are none', { ...NEW_BOT, options: 'x' }, /^options must be an object, got "x"$/],
    ['a field too many', { ...NEW_BOT, seting: {} }, /^unknown field "seting"; did you mean "settings"\?$/],
    ['a status', { ...NEW_BOT, status: 'STARTED' }, /^unknown field "status"/],
  ])('refuses %s', async (_what, body, words) => {
    const response = await send('POST', '/bots', body);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toMatch(words);
    expect(lastCommand()?.type).toBe('refuse');
  });

  it('counts the characters of a tag, not their bytes', async () => {
    expect((await send('POST', '/bots', { ...NEW_BOT, tag: '🚀'.repeat(50) })).status).toBe(200);
    expectError(await send('POST', '/bots', { ...NEW_BOT, tag: '🚀'.repeat(51) }), 400, 'INVALID_REQUEST');
  });
});

describe('PATCH /bots/{id}', () => {
  // proves: endpoint PATCH /bots/{id}
  it('passes on what is to change', async () => {
    const change = { config: { price: null, x: 1 }, options: {}, metadata: '', restart: true };
    expect((await send('PATCH', '/bots/b1', change)).json.data).toMatchObject({ bot: {}, old: {} });
    expect(lastCommand()).toEqual({ type: 'bot.patch', id: 'b1', change });
  });

  // proves: rule idempotency-methods
  it('does not look at an idempotency key', async () => {
    for (const key of [newKey(), 'nonsense']) {
      const response = await send('PATCH', '/bots/b1', { metadata: 'x' }, { 'X-Idempotency-Key': key });
      expect(response.status).toBe(200);
      expect(response.json.meta).not.toHaveProperty('idempotencyKey');
      expect(bench.desk.commands.at(-1)?.context.idempotency).toBeUndefined();
    }
  });

  it.each<[string, unknown, RegExp]>([
    [
      'settings',
      { settings: {} },
      /^unknown field "settings"; known are config, options, metadata, restart$/,
    ],
    ['a tag', { tag: 'x' }, /^unknown field "tag"/],
    ['a type', { type: 'FIBO' }, /^unknown field "type"/],
    ['a config that is none', { config: null }, /^config must be an object, got null$/],
    ['metadata taken away', { metadata: null }, /^metadata must be a string, got null$/],
    ['restart as text', { restart: 'true' }, /^restart must be true or false, got "true"$/],
  ])('refuses %s', async (_what, body, words) => {
    const response = await send('PATCH', '/bots/b1', body);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toMatch(words);
  });

  it('refuses an empty body', async () => {
    const response = await send('PATCH', '/bots/b1');
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toBe('the body is empty; a JSON object is needed');
  });
});

describe('DELETE /bots/{id}', () => {
  // proves: endpoint DELETE /bots/{id}, S5
  it.each([
    ['', false],
    ['?force=false', false],
    ['?force=true', true],
    ['?force=true&x=1', true],
  ])('passes force on: %j', async (query, force) => {
    expect((await send('DELETE', `/bots/b1${query}`)).json.data).toEqual({ id: 'b1' });
    expect(lastCommand()).toEqual({ type: 'bot.delete', id: 'b1', force });
  });

  it.each(['force', 'force=', 'force=1', 'force=True', 'force=yes'])('refuses %s', async (query) => {
    const response = await send('DELETE', `/bots/b1?${query}`);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toMatch(/^force must be true or false, got ".*"$/);
  });

  it('refuses force in the body', async () => {
    const response = await send('DELETE', '/bots/b1', { force: true });
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toBe('unknown field "force"; the body of this request has no fields');
  });
});

describe('runs', () => {
  // proves: endpoint POST /bots/{id}/runs
  it('starts without a body, or with an empty object', async () => {
    for (const body of [undefined, {}]) {
      expect((await send('POST', '/bots/b1/runs', body)).json.data).toMatchObject({ runId: 'r1' });
      expect(lastCommand()).toEqual({ type: 'bot.start', id: 'b1' });
    }
    const response = await send('POST', '/bots/b1/runs', { type: 'FIBO' });
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toBe('unknown field "type"; the body of this request has no fields');
    expectError(await bench.send('POST', '/api/v2/bots/b1/runs', { body: '[]' }), 400, 'INVALID_REQUEST');
  });

  // proves: endpoint DELETE /bots/{id}/runs/{runId}, S7
  it.each([
    ['', {}],
    ['?cleanup=leaveAllOrders', { cleanup: 'leaveAllOrders' }],
    [
      '?cleanup=cancelBuyOrders&action=stop_and_sell',
      { cleanup: 'cancelBuyOrders', action: 'stop_and_sell' },
    ],
    ['?cleanup=cancelAllOrders&force=true', { cleanup: 'cancelAllOrders', force: true }],
    ['?force=false', { force: false }],
  ])('stops as the query says: %j', async (query, way) => {
    const { data } = (await send('DELETE', `${RUN}${query}`)).json;
    expect(data).toMatchObject({ id: 'b1', runId: 'r1', status: 'STOPPED', reason: 'operator' });
    expect(lastCommand()).toEqual({ type: 'bot.stop', id: 'b1', runId: 'r1', way });
  });

  it.each([
    [
      '?cleanup=all',
      undefined,
      /^cleanup must be one of leaveAllOrders, cancelBuyOrders, cancelAllOrders, got "all"$/,
    ],
    ['?action=sell', undefined, /^action must be "?stop_and_sell"?, got "sell"$/],
    ['?force=1', undefined, /^force must be true or false, got "1"$/],
    ['?cleanup=leaveAllOrders&cleanup=cancelAllOrders', undefined, /given more than once$/],
    ['', { cleanup: 'leaveAllOrders' }, /^unknown field "cleanup"; the body of this request has no fields$/],
  ])('refuses to stop with %j and body %j', async (query, body, words) => {
    const response = await send('DELETE', `${RUN}${query}`, body);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toMatch(words);
    expect(bench.desk.commands.filter(({ command }) => command.type === 'bot.stop')).toEqual([]);
  });

  // proves: endpoint POST /bots/{id}/runs/{runId}/message
  it('passes a message on', async () => {
    for (const name of ['add_stoploss', 'update_stoploss', 'delete_stoploss']) {
      const body = { message: name, params: { ...STOP, unknown: 1 } };
      expect((await send('POST', `${RUN}/message`, body)).json.data).toBeNull();
      expect(lastCommand()).toEqual({ type: 'bot.message', id: 'b1', runId: 'r1', ...body });
    }
  });

  it.each<[string, unknown, RegExp]>([
    [
      'another message',
      { message: 'sell', params: STOP },
      /^message must be one of add_stoploss, update_stoploss, delete_stoploss, got "sell"$/,
    ],
    ['no message', { params: STOP }, /^message is missing; it must be one of add_stoploss,/],
    ['no params', { message: 'add_stoploss' }, /^params is missing; it must be an object$/],
    [
      'a list of params',
      { message: 'add_stoploss', params: [STOP] },
      /^params must be an object, got an array of 1$/,
    ],
    ['a field too many', { message: 'add_stoploss', params: STOP, force: true }, /^unknown field "force"/],
  ])('refuses %s', async (_what, body, words) => {
    const response = await send('POST', `${RUN}/message`, body);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toMatch(words);
  });
});

describe('batches', () => {
  // proves: endpoint POST /bots/batch/runs, endpoint DELETE /bots/batch/runs, endpoint DELETE /bots/batch, limit batch-bots
  it('of 1 to 20 go on as one command each', async () => {
    const twenty = ids(20);
    const pairs = twenty.map((id, i) => [id, `r${i}`]);
    expect((await send('POST', '/bots/batch/runs', { bots: twenty })).json.data).toHaveLength(20);
    expect(lastCommand()).toEqual({ type: 'bot.batchStart', ids: twenty });
    const way = { cleanup: 'leaveAllOrders', action: 'stop_and_sell', force: true };
    await send('DELETE', '/bots/batch/runs', { bots: pairs, ...way });
    expect(lastCommand()).toEqual({ type: 'bot.batchStop', runs: pairs, way });
    await send('DELETE', '/bots/batch', { bots: ['b1'] });
    expect(lastCommand()).toEqual({ type: 'bot.batchDelete', ids: ['b1'] });
    expect(bench.desk.commands).toHaveLength(3);
  });

  // proves: S8, D20
  it.each<[string, string, unknown, RegExp]>([
    ['POST', '/bots/batch/runs', { bots: [] }, /^bots must be an array of 1 to 20 entries, /],
    [
      'POST',
      '/bots/batch/runs',
      { bots: ids(21) },
      /^bots must be an array of 1 to 20 entries, .*got an array of 21$/,
    ],
    [
      'POST',
      '/bots/batch/runs',
      { bots: ['b1', 'b2', 'b1'] },
      /^bots\[2\] must differ from bots\[0\], got "b1" twice$/,
    ],
    ['POST', '/bots/batch/runs', { bots: [['b1', 'r1']] }, /^bots\[0\] must be a bot id /],
    ['POST', '/bots/batch/runs', { bots: ['b/1'] }, /^bots\[0\] must be a bot id .* got "b\/1"$/],
    ['POST', '/bots/batch/runs', { bots: ['b1'], force: true }, /^unknown field "force"; known is bots$/],
    ['DELETE', '/bots/batch/runs', { bots: [] }, /^bots must be an array of 1 to 20 entries, /],
    ['DELETE', '/bots/batch/runs', { bots: ids(21).map((id) => [id, 'r']) }, /got an array of 21$/],
    ['DELETE', '/bots/batch/runs', { bots: ['b1'] }, /^bots\[0\] must be a pair \[botId, runId\], got "b1"$/],
    [
      'DELETE',
      '/bots/batch/runs',
      { bots: [['b1']] },
      /^bots\[0\] must be a pair \[botId, runId\], got an array of 1$/,
    ],
    ['DELETE', '/bots/batch/runs', { bots: [['b1', 'r1', 'x']] }, /^bots\[0\] must be a pair /],
    ['DELETE', '/bots/batch/runs', { bots: [['b1', 5]] }, /^bots\[0\]\[1\] must be /],
    ['DELETE', '/bots/batch/runs', { bots: [['b1', 'r1']], cleanup: 'x' }, /^cleanup must be one of /],
    ['DELETE', '/bots/batch', { bots: ids(21) }, /got an array of 21$/],
    ['DELETE', '/bots/batch', {}, /^bots is missing; it must be an array of 1 to 20 entries/],
    ['DELETE', '/bots/batch', { bots: 'b1' }, /^bots must be an array/],
  ])('%s %s is refused whole with %j', async (method, path, body, words) => {
    const response = await send(method, path, body);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(message(response)).toMatch(words);
    expect(lastCommand()?.type).toBe('refuse');
  });

  it.each([
    ['POST', '/bots/batch/runs'],
    ['DELETE', '/bots/batch/runs'],
    ['DELETE', '/bots/batch'],
  ])('%s %s needs a body', async (method, path) => {
    expectError(await send(method, path), 400, 'INVALID_REQUEST');
  });

  // proves: rule batch-counts-once, bot-rule batch
  it('count as one request against the budget of their route', async () => {
    await bench.api.close();
    bench = await Bench.start({}, { serviceLimits: { addressRequests: 100 } });
    for (let left = 4; left >= 0; left--) {
      const response = await send('POST', '/bots/batch/runs', { bots: ids(20) });
      expect([response.status, response.headers['x-ratelimit-remaining']]).toEqual([200, String(left)]);
    }
    expectError(await send('POST', '/bots/batch/runs', { bots: ['b1'] }), 429, 'RATE_LIMITED');
    expect((await send('DELETE', '/bots/batch', { bots: ['b1'] })).status).toBe(200);
  });
});

describe('paths', () => {
  it('with a literal are meant before paths with an id', () => {
    const named = (method: string, path: string) => {
      const match = ROUTES.match(method, `/api/v2${path}`);
      return match.ok ? [match.data.route.name, match.data.ids] : match.error.message;
    };
    expect(named('DELETE', '/bots/batch')).toEqual(['DELETE /bots/batch', { id: '', runId: '' }]);
    expect(named('POST', '/bots/batch/runs')).toEqual(['POST /bots/batch/runs', { id: '', runId: '' }]);
    expect(named('DELETE', '/bots/b1/runs/batch')).toEqual([
      'DELETE /bots/{id}/runs/{runId}',
      { id: 'b1', runId: 'batch' },
    ]);
    expect(named('DELETE', '/bots/batch1')).toEqual(['DELETE /bots/{id}', { id: 'batch1', runId: '' }]);
    for (const method of ['GET', 'PATCH']) {
      expect(named(method, '/bots/batch')).toBe(
        `there is no ${method} /api/v2/bots/batch; this path takes DELETE`,
      );
    }
    expect(named('GET', '/orders/trades')).toEqual(['GET /orders/trades', { id: '', runId: '' }]);
  });

  it.each([
    '/bots/b%31',
    '/bots/b.1',
    '/bots/',
    `/bots/${'b'.repeat(65)}`,
    '/bots/b1/runs/r1/',
    '/bots//runs',
    '/bots/b1/runs/',
    '/bots/b1/runs/r%201',
  ])('of other spellings are not there: %s', async (path) => {
    for (const method of ['GET', 'DELETE']) expectError(await send(method, path), 404, 'NOT_FOUND');
  });

  it('with ids of 64 characters are', async () => {
    const id = 'b'.repeat(64);
    await send('DELETE', `/bots/${id}/runs/${id}`);
    expect(lastCommand()).toMatchObject({ type: 'bot.stop', id, runId: id });
  });
});

describe('idempotency', () => {
  // proves: rule idempotency-methods
  it.each([
    ['POST', '/bots', NEW_BOT],
    ['POST', '/bots/b1/runs', undefined],
    ['DELETE', RUN, undefined],
    ['DELETE', '/bots/b1', undefined],
    ['POST', `${RUN}/message`, { message: 'add_stoploss', params: STOP }],
    ['POST', '/bots/batch/runs', { bots: ['b1'] }],
  ])('covers %s %s', async (method, path, body) => {
    const key = newKey();
    const headers = { 'X-Idempotency-Key': key };
    const first = await send(method, path, body, headers);
    expect(first.json.meta.idempotencyKey).toBe(key);
    const second = await send(method, path, body, headers);
    expect([second.text, second.headers['x-idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(bench.desk.commands.map(({ context }) => context.idempotency?.key)).toEqual([key, key]);
  });
});

describe('a key with a shield', () => {
  // proves: bot-rule shield, rule shield
  it('sees the bots of its exchanges only, and makes none elsewhere', async () => {
    const key = bench.desk.keys.get(bench.signer.keyId);
    if (!key) throw new Error('no key');
    bench.desk.keys.set(key.id, { ...key, allowedExchanges: ['binance-spot'] });
    expect((await send('GET', '/bots')).json.data).toMatchObject([{ id: 'b1' }]);
    expect((await send('GET', '/bots/b1')).status).toBe(200);
    expectError(await send('GET', '/bots/b2'), 403, 'EXCHANGE_NOT_ALLOWED');
    expectError(await send('GET', '/bots/b3'), 404, 'NOT_FOUND');
    const elsewhere = { ...NEW_BOT, settings: { ...SETTINGS, exchange: 'binance-futures' } };
    expectError(await send('POST', '/bots', elsewhere), 403, 'EXCHANGE_NOT_ALLOWED');
    expectError(await send('DELETE', '/bots/batch', { bots: ['b1', 'b2'] }), 403, 'EXCHANGE_NOT_ALLOWED');
    const moved = { config: { exchange: 'binance-futures' } };
    expectError(await send('PATCH', '/bots/b1', moved), 403, 'EXCHANGE_NOT_ALLOWED');
    expect(bench.desk.commands).toEqual([]);
  });
});
