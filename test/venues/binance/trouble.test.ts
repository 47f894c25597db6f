/** What is said of a request to Binance that has failed: what to do about it, and the words of the exchange. */
import { expect, it } from 'vitest';
import { errorOf } from '../../../src/venues/binance/dialect.ts';
import { troubleOf } from '../../../src/venues/binance/trouble.ts';

const said = (status: number, body: unknown) =>
  troubleOf({ kind: 'answer', status, text: typeof body === 'string' ? body : JSON.stringify(body) });
const code = (of: number, msg = 'Words.') => ({ code: of, msg });

it.each<[number, unknown, string]>([
  [401, code(-1002), 'the key may not do this: allow it under API Management: Words. (-1002)'],
  [400, code(-1021), "the clocks differ: set this machine's clock by NTP: Words. (-1021)"],
  [
    400,
    code(-1022),
    'the secret does not belong to the API key: connect with the pair as it was made: Words. (-1022)',
  ],
  [
    400,
    code(-2008),
    'the API key is not known there: is it of this environment (live, testnet, demo)?: Words. (-2008)',
  ],
  [401, code(-2014), 'the API key has not the form of one: paste it again: Words. (-2014)'],
  [
    401,
    code(-2015),
    'the API key is wrong, of another environment, not allowed from this address, or not allowed to do this: look at API Management: Words. (-2015)',
  ],
  [400, code(-4109), 'the account is inactive: transfer something into it: Words. (-4109)'],
  [400, code(-1121, 'Invalid symbol.'), 'Invalid symbol. (-1121)'],
  [400, code(-1, `${'x'.repeat(200)}`), `${'x'.repeat(150)} (-1)`],
  [500, code(-1000, 'One\u001b[31m'), 'One\u241b[31m (-1000)'],
  [429, code(-1003), 'the exchange takes no requests from this address for now (HTTP 429): Words.'],
  [418, '<html>', 'the exchange takes no requests from this address for now (HTTP 418)'],
  [
    403,
    '<html>',
    'it is not served to this address (HTTP 403): Binance, or something between, refuses this network',
  ],
  [
    451,
    { code: 0 },
    'it is not served to this address (HTTP 451): Binance, or something between, refuses this network',
  ],
  [403, code(-2015, 'No.'), expect.stringMatching(/^the API key is wrong.*: No\. \(-2015\)$/)],
  [
    502,
    '  <html>',
    'a page of HTML came instead of an answer (HTTP 502): is the address right, and is nothing between?',
  ],
  [404, 'nothing', 'the answer cannot be read (HTTP 404)'],
  [200, '{"code":1,"msg":2}', 'the answer cannot be read (HTTP 200)'],
])('an answer %s is told with what to do, if that is known (%#)', (status, body, words) => {
  expect(said(status, body)).toEqual(words);
});

it('what was lost or never left is said in the words of the network', () => {
  for (const kind of ['lost', 'unsent'] as const) expect(troubleOf({ kind, cause: 'reset' })).toBe('reset');
});

it('a refusal is a whole code with words, of a length that a refusal has', () => {
  const filled = (length: number) => {
    const bare = JSON.stringify({ code: -1, msg: '' });
    return JSON.stringify({ code: -1, msg: 'x'.repeat(length - bare.length) });
  };
  expect(errorOf('\n {"code":-1,"msg":"x"}')).toEqual({ code: -1, message: 'x' });
  expect([errorOf(filled(16_384))?.code, errorOf(filled(16_385))]).toEqual([-1, null]);
  for (const body of [
    { code: 1.5, msg: 'x' },
    { code: -1 },
    { msg: 'x' },
    { code: -1, msg: null },
    [code(-1)],
  ])
    expect(errorOf(JSON.stringify(body))).toBeNull();
});
