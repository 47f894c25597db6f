import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, expectError } from './support.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.api.close());

const account = (id: string) => ({
  id,
  name: id,
  kind: id.endsWith('-spot') ? ('spot' as const) : ('futures' as const),
});

// proves: param GET /portfolio exchange, param GET /portfolio/positions exchange
describe('a read that names no account', () => {
  it.each([
    ['/portfolio', ['a-spot', 'a-futures', 'b-spot'], 'a-spot'],
    ['/portfolio', ['a-futures', 'b-spot', 'a-spot'], 'a-spot'],
    ['/portfolio', ['a-b-futures', 'a-spot', 'a-b-spot'], 'a-b-spot'],
    ['/portfolio/positions', ['a-spot', 'b-futures', 'a-futures'], 'a-futures'],
    ['/portfolio/positions', ['b-futures', 'a-spot', 'a-futures'], 'b-futures'],
  ])('asks for that of the first venue: GET %s of %j', async (path, ids, expected) => {
    bench.desk.accountList = ids.map(account);
    const response = await bench.send('GET', `/api/v2${path}`);
    expect(response.status, response.text).toBe(200);
    const asked = bench.desk.reads.map(({ q }) =>
      typeof q === 'string' ? q : (q as { exchange: string }).exchange,
    );
    expect(asked).toEqual([expected]);
  });

  it.each([
    ['/portfolio', ['a-futures', 'b-spot'], 'a has no spot account; name an exchange, such as b-spot'],
    [
      '/portfolio/positions',
      ['a-spot', 'b-futures'],
      'a has no futures account; name an exchange, such as b-futures',
    ],
    ['/portfolio', ['a-futures'], 'no spot account is connected; name an exchange'],
    ['/portfolio/positions', [], 'no futures account is connected; name an exchange'],
  ])(
    'is refused where the first venue has none, never answered from another: GET %s of %j',
    async (path, ids, message) => {
      bench.desk.accountList = ids.map(account);
      const response = await bench.send('GET', `/api/v2${path}`);
      expectError(response, 400, 'INVALID_REQUEST');
      expect(response.json.error.message).toBe(message);
      expect(bench.desk.reads).toEqual([]);
    },
  );
});

describe('a boolean of the query', () => {
  // proves: param GET /portfolio full, param GET /portfolio totalOnly
  it.each([
    ['full=true', { full: true, totalOnly: false }],
    ['full=false', { full: false, totalOnly: false }],
    ['totalOnly=true', { full: false, totalOnly: true }],
    ['totalOnly=false&full=true', { full: true, totalOnly: false }],
    ['full=%74rue', { full: true, totalOnly: false }],
  ])('is true or false: %s', async (query, expected) => {
    await bench.send('GET', `/api/v2/portfolio?${query}`);
    expect(bench.desk.reads).toEqual([
      { name: 'portfolio', user: 'owner', q: { exchange: 'binance-spot', ...expected } },
    ]);
  });

  it.each(['full', 'full=', 'full=TRUE', 'full=1', 'full=yes', 'totalOnly=0', 'full=true%20'])(
    'is nothing else: %s',
    async (query) => {
      const response = await bench.send('GET', `/api/v2/portfolio?${query}`);
      expectError(response, 400, 'INVALID_REQUEST');
      expect(response.json.error.message).toMatch(/^(full|totalOnly) must be true or false, got "/);
    },
  );
});

describe('the number of fills', () => {
  const path = '/api/v2/orders/trades?exchange=binance-spot&symbol=BTCUSDT';

  // proves: param GET /orders/trades limit, limit trades
  it.each([
    ['', 100],
    ['&limit=1', 1],
    ['&limit=500', 500],
  ])('is 1 to 500, 100 when nothing is said: "%s"', async (query, limit) => {
    await bench.send('GET', path + query);
    expect(bench.desk.reads[0]?.q).toEqual({ exchange: 'binance-spot', symbol: 'BTCUSDT', limit });
  });

  it.each(['0', '501', '-1', '1.0', '007', '', '+5', '99999999999999999999'])('is not %j', async (limit) => {
    const response = await bench.send('GET', `${path}&limit=${limit}`);
    expectError(response, 400, 'INVALID_REQUEST');
    expect(response.json.error.message).toMatch(/^limit must be an integer from 1 to 500, got /);
  });
});

// proves: D27
describe('query parameters', () => {
  const body = JSON.stringify({ dualSidePosition: true });
  const hedge = '/api/v2/exchange/hedge-mode?exchange=binance-futures';

  it('that nobody knows are ignored, on reads and changes', async () => {
    expect((await bench.send('GET', '/api/v2/server/time?a=1&b', { signed: false })).status).toBe(200);
    expect((await bench.send('GET', `${hedge}&dualSidePosition=false&x=%00`)).status).toBe(200);
    expect((await bench.send('POST', `${hedge}&dualSidePosition=false&x`, { body })).status).toBe(200);
    expect(bench.desk.commands[0]?.command).toEqual({
      type: 'setting',
      exchange: 'binance-futures',
      setting: { kind: 'hedgeMode', on: true },
    });
  });

  it.each(['&exchange=binance-futures', '&x=1&x=1', '&x&x', '&x=1&%78=2'])(
    'are refused twice: %s',
    async (more) => {
      for (const response of [
        await bench.send('GET', hedge + more),
        await bench.send('POST', hedge + more, { body }),
      ]) {
        expectError(response, 400, 'INVALID_REQUEST');
        expect(response.json.error.message).toMatch(
          /^the query parameter "(exchange|x)" is given more than once$/,
        );
      }
      expect(bench.desk.commands).toEqual([]);
    },
  );
});
