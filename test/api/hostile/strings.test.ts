/**
 * Strings that break other programs, in every place where a client can put one: each is refused in printable
 * words or accepted as plain text, and none of them reaches the log unescaped.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printable } from '../../../src/domain/market-name.ts';
import { withShared } from '../../support/shared-data.ts';
import { Bench, expectNoLeaks, type RawClient, type Response } from '../support.ts';
import { expectServes } from './support.ts';

/** The content of such lists: terminal control, markup, paths, numbers, Unicode of every awkward kind. */
const OWN: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\u001b[2J\u001b]0;x\u0007',
  '\u009b31m',
  'a\r\nX-Injected: 1',
  '\u202egnp.exe',
  '\u2066\u2069\ufeff\u200b',
  'Z\u0351\u036b\u0343A\u0310L\u0353G\u0489O',
  '\ud83d\ude00'.repeat(50),
  '\uffff\ufffe',
  '../../../etc/passwd',
  '%s%n%d%x',
  '$\u007b7*7}{{7*7}}<%=7*7%>',
  '<script>alert(1)</script>',
  "' OR 1=1; DROP TABLE orders; --",
  '"; cat /etc/passwd #',
  '__proto__',
  'constructor',
  'NaN',
  '-Infinity',
  '1e400',
  '0x10',
  '１２３',
  '٣',
  '1,000.00',
  'null',
  'undefined',
  'true',
  'A'.repeat(10_000),
];

/** The fields of an order in which each text is tried, named as in the specification. */
const ORDER_FIELDS = [
  'exchange',
  'symbol',
  'side',
  'type',
  'quantity',
  'quoteOrderQty',
  'price',
  'stopPrice',
  'timeInForce',
  'icebergQty',
  'activationPrice',
  'percentPrice',
  'positionSide',
  'workingType',
  'marginType',
  'marketType',
] as const;

type Place = (text: string) => { method: string; target: string; body?: string };

const json = (method: string, path: string, body: unknown) => ({
  method,
  target: `/api/v2${path}`,
  body: JSON.stringify(body),
});
const get = (path: string) => ({ method: 'GET', target: `/api/v2${path}` });
const enc = encodeURIComponent;
const ORDER = {
  exchange: 'binance-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '1',
  price: '2',
};
const FUTURES = 'binance-futures';

const PLACES: Readonly<Record<string, Place>> = {
  ...Object.fromEntries(
    ORDER_FIELDS.map((field): [string, Place] => [
      `${field} of an order`,
      (text) => json('POST', '/orders', { ...ORDER, [field]: text }),
    ]),
  ),
  'a field name of an order': (text) => json('POST', '/orders', { ...ORDER, [text]: '1' }),
  'a price of a split': (text) =>
    json('POST', '/orders/o1/split', { exchange: 'binance-spot', prices: ['1', text] }),
  'exchange of a split': (text) => json('POST', '/orders/o1/split', { exchange: text, prices: ['1', '2'] }),
  'order of a cancel': (text) => json('DELETE', '/orders?exchange=binance-spot', { order: text }),
  'order in the query': (text) => ({
    method: 'DELETE',
    target: `/api/v2/orders?exchange=binance-spot&order=${enc(text)}`,
  }),
  'the id in the path': (text) => ({
    method: 'DELETE',
    target: `/api/v2/orders/${enc(text)}?exchange=binance-spot`,
  }),
  'the path': (text) => get(`/${enc(text)}`),
  'a query parameter’s name': (text) => get(`/orders?${enc(text)}=1`),
  'exchange of a list': (text) => get(`/orders?exchange=${enc(text)}`),
  'symbol of a list': (text) => get(`/orders?symbol=${enc(text)}`),
  'status of a list': (text) => get(`/orders?status=${enc(text)}`),
  'symbol of trades': (text) => get(`/orders/trades?exchange=binance-spot&symbol=${enc(text)}`),
  'startTime of trades': (text) =>
    get(`/orders/trades?exchange=binance-spot&symbol=A&startTime=${enc(text)}`),
  'limit of trades': (text) => get(`/orders/trades?exchange=binance-spot&symbol=A&limit=${enc(text)}`),
  'full of a portfolio': (text) => get(`/portfolio?full=${enc(text)}`),
  'symbols of leverage': (text) =>
    get(`/portfolio/position/leverage?exchange=${FUTURES}&symbols=${enc(text)}`),
  'symbol of leverage': (text) =>
    json('POST', '/portfolio/position/leverage', { exchange: FUTURES, symbol: text, leverage: 2 }),
  'side of leverage': (text) =>
    json('POST', '/portfolio/position/leverage', { exchange: FUTURES, symbol: 'A', leverage: 2, side: text }),
  'mode in the query': (text) => ({
    method: 'POST',
    target: `/api/v2/portfolio/margin-mode?exchange=${FUTURES}&mode=${enc(text)}`,
  }),
  'marginType of a symbol': (text) =>
    json('POST', `/portfolio/position/margin-type?exchange=${FUTURES}`, { symbol: 'A', marginType: text }),
  'symbol of brackets': (text) => get(`/portfolio/leverage-brackets?exchange=${FUTURES}&symbol=${enc(text)}`),
  'an asset of dust': (text) =>
    json('POST', '/portfolio/dust/convert', { exchange: 'binance-spot', assets: [text] }),
  'toAsset of dust': (text) =>
    json('POST', '/portfolio/dust/convert', { exchange: 'binance-spot', assets: ['A'], toAsset: text }),
  dualSidePosition: (text) =>
    json('POST', `/exchange/hedge-mode?exchange=${FUTURES}`, { dualSidePosition: text }),
};

let bench: Bench;
let client: RawClient;
beforeAll(async () => {
  bench = await Bench.start({ requestsPerSocket: 1_000_000 });
  client = await bench.raw();
});
afterAll(async () => {
  client.socket.destroy();
  await expectServes(bench);
  await bench.api.close();
});

/** The text in a form that can be sent: JSON and queries of a client cannot hold half a surrogate pair. */
const sendable = (text: string) => text.toWellFormed();

function expectHarmless(answer: Response | null, text: string): void {
  if (answer === null) throw new Error(`the connection is gone after ${JSON.stringify(text)}`);
  const shown = `${JSON.stringify(text).slice(0, 60)}: ${answer.text.slice(0, 300)}`;
  expect([200, 400, 404, 431], shown).toContain(answer.status);
  expectNoLeaks(answer);
  if (answer.status === 200) return;
  const { message } = answer.json.error;
  expect(message.length, shown).toBeLessThanOrEqual(600);
  // ASCII; letters of other scripts only where a symbol is named.
  expect(printable(message), shown).toBe(message);
  expect(Object.keys(answer.headers), shown).not.toContain('x-injected');
}

/** Sends each text in the place, many requests at the same time, and checks every answer. */
async function ask(place: Place, texts: readonly string[]): Promise<void> {
  const AT_ONCE = 50;
  const short = texts.map(sendable).filter((text) => enc(text).length < 12_000);
  for (let from = 0; from < short.length; from += AT_ONCE) {
    const batch = short.slice(from, from + AT_ONCE);
    const asked = batch.map(place).map(({ method, target, body }) => bench.rawRequest(method, target, body));
    client.write(asked.join(''));
    for (const text of batch) expectHarmless(await client.answer(), text);
  }
}

// proves: rule no-internals, D29
describe('a naughty string as', () => {
  it.each(Object.entries(PLACES))('%s is refused or taken as text', async (_where, place) => {
    await ask(place, OWN);
  });

  it(
    'any of these, out of the big list, each in an eighth of the places',
    withShared('security/blns.json', 515, async (text) => {
      const list = JSON.parse(text) as string[];
      expect(list).toHaveLength(515);
      for (const [n, place] of Object.values(PLACES).entries()) {
        await ask(
          place,
          list.filter((_, i) => i % 8 === n % 8),
        );
      }
    }),
    120_000,
  );

  // proves: failure headers, D2, D13
  it.each(['X-SVC-KEY', 'X-SVC-SIGN', 'X-SVC-TIMESTAMP', 'X-Idempotency-Key', 'Content-Type'])(
    'the header %s is refused',
    async (name) => {
      // Texts that cannot be in a header at all are tested with framing.
      for (const text of OWN.filter((one) => /^[\x21-\x7e][\x20-\x7e]{0,4000}$/.test(one))) {
        const body = JSON.stringify(ORDER);
        const response = await bench.send('POST', '/api/v2/orders', { body, headers: { [name]: text } });
        expectHarmless({ ...response, status: response.status === 401 ? 400 : response.status }, text);
        expect(response.status, text).not.toBe(200);
      }
    },
  );
});
