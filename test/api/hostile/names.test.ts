/**
 * Names that JavaScript itself knows, and numbers at every limit, sent through a whole desk to the engine and
 * the exchange.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { FUTURES, openContractDesk, RESTING, SPOT } from '../../desk/contract/support.ts';

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  'then',
  'undefined',
  'null',
  'NaN',
  '0',
  '-1',
  '.',
  '..',
  ':',
  'BTCUSDT.',
  'btcusdt',
  'A'.repeat(64),
];

type Request = readonly [method: string, path: string, body?: unknown];

const WITH_NAME: Readonly<Record<string, (name: string) => Request>> = {
  'exchange of an order': (name) => ['POST', '/v2/orders', { ...RESTING, exchange: name }],
  'symbol of an order': (name) => ['POST', '/v2/orders', { ...RESTING, symbol: name }],
  'symbol of a futures order': (name) => [
    'POST',
    '/v2/orders',
    { ...RESTING, exchange: FUTURES, symbol: name },
  ],
  'exchange of a read': (name) => ['GET', `/v2/portfolio?exchange=${name}`],
  'an order to cancel': (name) => ['DELETE', `/v2/orders/${name}?exchange=${SPOT}`],
  'an order to split': (name) => ['POST', `/v2/orders/${name}/split`, { exchange: SPOT, prices: ['1', '2'] }],
  'symbol of leverage': (name) => [
    'GET',
    `/v2/portfolio/position/leverage?exchange=${FUTURES}&symbols=${name}`,
  ],
  'symbol of a setting': (name) => [
    'POST',
    '/v2/portfolio/position/leverage',
    { exchange: FUTURES, symbol: name, leverage: 2 },
  ],
  'symbol of a margin type': (name) => [
    'POST',
    `/v2/portfolio/position/margin-type?exchange=${FUTURES}`,
    { symbol: name, marginType: 'ISOLATED' },
  ],
  'symbol of brackets': (name) => [
    'GET',
    `/v2/portfolio/leverage-brackets?exchange=${FUTURES}&symbol=${name}`,
  ],
  'an asset of dust': (name) => ['POST', '/v2/portfolio/dust/convert', { exchange: SPOT, assets: [name] }],
  'the target of dust': (name) => [
    'POST',
    '/v2/portfolio/dust/convert',
    { exchange: SPOT, assets: ['BTC'], toAsset: name },
  ],
};

const DIGITS = '9'.repeat(20);
const AMOUNTS = ['0.00000000000000000001', `${DIGITS}.${DIGITS}`, DIGITS, '0.1', '1', '123456789.987654321'];
const MONEY = [
  'quantity',
  'price',
  'stopPrice',
  'icebergQty',
  'quoteOrderQty',
  'activationPrice',
  'percentPrice',
] as const;

let t: Awaited<ReturnType<typeof openContractDesk>>;

/**
 * The request is refused in words or done: never an internal error, and the desk is unchanged for the next
 * one.
 */
async function expectSane([method, path, body]: Request): Promise<void> {
  const answer = await t.ask(method, path, body);
  expect(answer.status, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`).toBeLessThan(500);
  if (answer.status !== 200) expect(answer.json.error.message).toMatch(/^[\x20-\x7e]+$/);
}

/** Expects that the desk is unaffected and goes on. */
async function expectUnharmed(): Promise<void> {
  expect(t.desk.state().log.filter(({ level }) => level === 'error')).toEqual([]);
  expect((await t.data('GET', '/v2/portfolio')).total.usd).toBe('100000.00');
  expect((await t.data('POST', '/v2/orders', RESTING)).status).toBe('OPENED');
}

// proves: rule no-internals, D29
describe('on a whole desk', () => {
  beforeEach(async () => {
    t = await openContractDesk();
  });

  it.each(Object.entries(WITH_NAME))('no name of JavaScript harms as %s', async (what, request) => {
    for (const name of NAMES) {
      await expectSane(request(name));
      if (!what.startsWith('exchange')) continue;
      const { status, json } = await t.ask(...request(name));
      expect([status, json.error.code]).toEqual([400, 'INVALID_REQUEST']);
    }
    await expectUnharmed();
  });

  it.each(MONEY)('no amount harms as %s', async (field) => {
    for (const type of ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET']) {
      for (const exchange of [SPOT, FUTURES]) {
        for (const amount of AMOUNTS) {
          const body = { ...RESTING, quantity: '0', exchange, type, [field]: amount };
          await expectSane(['POST', '/v2/orders', { ...RESTING, ...body }]);
          await expectSane([
            'POST',
            '/v2/orders',
            { ...RESTING, exchange, type, [field]: amount, side: 'SELL' },
          ]);
        }
      }
    }
    await expectUnharmed();
  });
});
