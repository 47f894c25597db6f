/**
 * Orders of a spot account over the wire: exactly what is sent for each type, what has no form and is not
 * sent, and what each answer to a placement means.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import { HandAnswers } from './hand-answers-support.ts';
import { SpotCase } from './spot-support.ts';

const PLACE = 'POST /api/v3/order';

async function opened() {
  const c = await new SpotCase().open();
  c.reports.length = 0;
  return { c, hand: new HandAnswers(c.net) };
}

const BASE = { clientId: 'bs-9', symbol: 'LTCUSDT' } as const;
const LIMIT: Partial<ExchangeOrder> = { ...BASE, type: 'LIMIT', quantity: '2', price: '88.1' };
const MARKET: Partial<ExchangeOrder> = { ...BASE, type: 'MARKET', quantity: '2' };
const STOP: Partial<ExchangeOrder> = { ...BASE, type: 'STOP_MARKET', side: 'SELL', quantity: '2' };

describe('an order of spot', () => {
  const limit = { symbol: 'LTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '2', price: '88.1' };
  const { price: _, ...bare } = limit;
  const sell = { ...bare, side: 'SELL' };

  it.each<[string, Partial<ExchangeOrder>, object]>([
    ['with a limit', LIMIT, { ...limit, timeInForce: 'GTC' }],
    [
      'IOC that sells',
      { ...LIMIT, side: 'SELL', timeInForce: 'IOC' },
      { ...limit, side: 'SELL', timeInForce: 'IOC' },
    ],
    ['FOK', { ...LIMIT, timeInForce: 'FOK' }, { ...limit, timeInForce: 'FOK' }],
    ['post-only', { ...LIMIT, type: 'LIMIT_MAKER' }, { ...limit, type: 'LIMIT_MAKER' }],
    ['as an iceberg', { ...LIMIT, icebergQty: '0.3' }, { ...limit, timeInForce: 'GTC', icebergQty: '0.3' }],
    [
      'as a post-only iceberg',
      { ...LIMIT, type: 'LIMIT_MAKER', icebergQty: '0.3' },
      { ...limit, type: 'LIMIT_MAKER', icebergQty: '0.3' },
    ],
    ['of the market', MARKET, { ...bare, type: 'MARKET' }],
    [
      'of the market over an amount',
      { ...MARKET, quantity: undefined, quoteOrderQty: '50' },
      { symbol: 'LTCUSDT', side: 'BUY', type: 'MARKET', quoteOrderQty: '50' },
    ],
    [
      'that stops with a limit',
      { ...LIMIT, type: 'STOP_LIMIT', stopPrice: '87' },
      { ...limit, type: 'STOP_LOSS_LIMIT', stopPrice: '87', timeInForce: 'GTC' },
    ],
    [
      'that takes profit with a limit',
      { ...LIMIT, type: 'TAKE_PROFIT_LIMIT', stopPrice: '87', timeInForce: 'IOC' },
      { ...limit, type: 'TAKE_PROFIT_LIMIT', stopPrice: '87', timeInForce: 'IOC' },
    ],
    ['that stops', { ...STOP, stopPrice: '87' }, { ...sell, type: 'STOP_LOSS', stopPrice: '87' }],
    [
      'that takes profit',
      { ...STOP, type: 'TAKE_PROFIT_MARKET', stopPrice: '97' },
      { ...sell, type: 'TAKE_PROFIT', stopPrice: '97' },
    ],
    ['that trails', { ...STOP, trailingDelta: 250 }, { ...sell, type: 'STOP_LOSS', trailingDelta: '250' }],
  ])('%s is sent so, once', async (_, order, parameters) => {
    const { c, hand } = await opened();
    hand.lose(PLACE);
    expect(await c.submit(order)).toEqual({ kind: 'unknown', cause: 'lost on its way' });
    const always = { newClientOrderId: 'bs-9', newOrderRespType: 'RESULT' };
    expect(hand.asked()).toEqual([{ name: PLACE, parameters: { ...parameters, ...always } }]);
  });

  it.each<[string, Partial<ExchangeOrder>, RegExp]>([
    ['of no size', { ...MARKET, quantity: undefined }, /either quantity or quoteOrderQty/],
    ['of two sizes', { ...MARKET, quoteOrderQty: '50' }, /either quantity or quoteOrderQty/],
    [
      'over an amount with a limit',
      { ...LIMIT, quantity: undefined, quoteOrderQty: '50' },
      /with MARKET only/,
    ],
    ['with a limit and no price', { ...LIMIT, price: undefined }, /needs a price/],
    ['of the market with a price', { ...MARKET, price: '88' }, /MARKET takes no price/],
    ['that stops at no price', STOP, /needs stopPrice or trailingDelta/],
    [
      'that takes profit at no price',
      { ...STOP, type: 'TAKE_PROFIT_MARKET' },
      /needs stopPrice or trailingDelta/,
    ],
    ['with a limit and a stop', { ...LIMIT, stopPrice: '87' }, /LIMIT takes no stopPrice/],
    ['of the market that trails', { ...MARKET, trailingDelta: 10 }, /MARKET takes no stopPrice/],
    ['of the market as an iceberg', { ...MARKET, icebergQty: '1' }, /icebergQty goes with a limit and GTC/],
    ['as an iceberg that is FOK', { ...LIMIT, icebergQty: '1', timeInForce: 'FOK' }, /icebergQty goes with/],
    ['that trails later', { ...STOP, trailingDelta: 10, activationPrice: '90' }, /trails at once/],
    ['with an end', { ...LIMIT, goodTillDate: Date.UTC(2027, 0) }, /no end dates/],
  ])('%s is refused in words and not sent', async (_, order, words) => {
    const { c, hand } = await opened();
    expect(await c.submit(order)).toEqual({
      ...{ kind: 'rejected', reason: 'UNSUPPORTED', code: 'FORM', message: expect.stringMatching(words) },
    });
    expect(hand.names()).toEqual([]);
  });

  it.each<[string, number, unknown, object]>([
    [
      'a refusal',
      400,
      { code: -2010, msg: 'Account has insufficient balance' },
      { kind: 'rejected', reason: 'BALANCE' },
    ],
    ['a refusal for the rate', 429, 'slow', { kind: 'rejected', reason: 'RATE_LIMITED', code: '429' }],
    ['a ban', 418, 'stop', { kind: 'rejected', reason: 'RATE_LIMITED', code: '418' }],
    ['an order of that id', 400, { code: -2010, msg: 'Duplicate order sent.' }, { kind: 'unknown' }],
    ['what nobody knows', 400, { code: -1000, msg: 'An unknown error' }, { kind: 'unknown' }],
    ['a timeout', 408, { code: -1007, msg: 'Timeout' }, { kind: 'unknown' }],
    ['an unknown order', 400, { code: -2011, msg: 'Unknown order sent.' }, { kind: 'unknown' }],
    ['a page', 200, '<html>', { kind: 'unknown' }],
    ['a gate', 403, '<html>', { kind: 'unknown' }],
  ])('that is answered with %s is as that says, and sent once', async (_, status, body, outcome) => {
    const { c, hand } = await opened();
    hand.on(PLACE, body, status);
    expect(await c.submit(LIMIT)).toMatchObject(outcome);
    expect(hand.names()).toEqual([PLACE]);
  });
});

describe('executions of a spot symbol', () => {
  const TRADES = 'GET /api/v3/myTrades';
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const trade = (id: number | string, time: number) => ({
    ...{
      symbol: 'LTCUSDT',
      id,
      orderId: 811,
      price: '88',
      qty: '1',
      commission: '0',
      commissionAsset: 'BNB',
    },
    ...{ time, isBuyer: true, isMaker: true },
  });
  const page = (c: SpotCase, after: string | null, since = 0) =>
    c.result(c.venue.fills({ symbol: 'LTCUSDT', after, since }));
  const idsOf = (told: Awaited<ReturnType<typeof page>>) => told?.fills.map(({ tradeId }) => tradeId);

  it('go on behind the number of the newest, whatever its size, in the order of their numbers', async () => {
    const { c, hand } = await opened();
    const text = JSON.stringify([trade('X', 6), trade('Y', 5)]);
    hand.on(TRADES, text.replace('"X"', '9007199254740995').replace('"Y"', '9007199254740994'));
    const told = await page(c, '9007199254740993');
    expect([idsOf(told), told?.next, told?.more]).toEqual([
      ...[['9007199254740994', '9007199254740995'], '9007199254740995', false],
    ]);
    expect(hand.asked()).toEqual([
      { name: TRADES, parameters: { symbol: 'LTCUSDT', fromId: '9007199254740994', limit: '1000' } },
    ]);
    hand.on(TRADES, []);
    expect(await page(c, '7')).toEqual({ fills: [], next: '7', more: false });
    hand.on(
      TRADES,
      Array.from({ length: 1_000 }, (_, at) => trade(at + 8, 5)),
    );
    expect(await page(c, '7')).toMatchObject({ next: '1007', more: true });
    hand.on(
      TRADES,
      Array.from({ length: 999 }, (_, at) => trade(at + 8, 5)),
    );
    expect(await page(c, '7')).toMatchObject({ next: '1006', more: false });
    hand.on(TRADES, 'busy', 500);
    expect(await page(c, '7')).toBeNull();
  });

  it('are first the newest ones, and those before a time are left out', async () => {
    const { c, hand } = await opened();
    for (const after of [null, 'odd', 't', 'x7', '-7']) {
      hand.on(TRADES, [trade(3, 99), trade(4, 100), trade(5, 101)]);
      const told = await page(c, after, 100);
      expect([idsOf(told), told?.next, told?.more]).toEqual([['4', '5'], '5', false]);
      expect(hand.asked()[0]?.parameters).toEqual({ symbol: 'LTCUSDT', limit: '1000' });
    }
    hand.on(TRADES, [trade(3, 99)]);
    expect(await page(c, null, 100)).toEqual({ fills: [], next: null, more: false });
    hand.on(TRADES, 'busy', 500);
    expect(await page(c, null, 100)).toBeNull();
    // A full page that reaches back before the time has all of it; one that does not is read from there.
    const full = (from: number) => Array.from({ length: 1_000 }, (_, at) => trade(at + 1, from + at));
    hand.on(TRADES, full(99));
    expect(await page(c, null, 100)).toMatchObject({ next: '1000', more: false });
    hand.on(TRADES, full(100));
    expect(await page(c, null, 100)).toEqual({ fills: [], next: 't100', more: true });
  });

  it('from a time on are read a day at a time, until there is one or it is now', async () => {
    const { c, hand } = await opened();
    const from = c.emulator.now() - 2 * DAY - HOUR;
    hand.on(TRADES, []);
    const next = from + DAY - 1;
    expect(await page(c, `t${from}`)).toEqual({ fills: [], next: `t${next}`, more: true });
    expect(hand.asked()[0]?.parameters).toEqual({
      ...{ symbol: 'LTCUSDT', startTime: String(from), endTime: String(next), limit: '1000' },
    });
    hand.on(TRADES, [trade(8, next + 5)]);
    expect(await page(c, `t${next}`)).toMatchObject({ fills: [{ tradeId: '8' }], next: '8', more: true });
    hand.on(TRADES, []);
    const now = c.emulator.now();
    const last = await page(c, `t${now - HOUR}`);
    const told = Number(last?.next?.slice(1));
    expect([last?.fills, last?.more, told >= now && told < now + 100]).toEqual([[], false, true]);
    hand.on(TRADES, 'busy', 500);
    expect(await page(c, `t${from}`)).toBeNull();
  });
});
