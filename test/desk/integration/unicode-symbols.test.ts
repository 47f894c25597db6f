/**
 * Symbols with letters of any script on a whole desk: candle files, signed requests, the stream, bots,
 * refusals.
 */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { wsSocket } from '../../../src/client/stream-socket.ts';
import { clientOf, EXCHANGE, flat, openTestDesk, type TestDesk, until, writeCandles } from './support.ts';

const HAN = '币安人生USDT';
/** Greek and Cyrillic. */
const MIXED = 'ΩМЕГАUSDT';
const FUTURES = 'paper-futures';
const NFC = 'ÉTÉUSDT';
const LIMIT = { side: 'BUY', type: 'LIMIT', quantity: '10', price: '0.9' } as const;

async function held(): Promise<TestDesk> {
  const feed = writeCandles({
    BTCUSDT: flat('50000', 50),
    [HAN]: flat('1.25', 50),
    [MIXED]: flat('2.5', 50),
    [NFC]: flat('2.51', 50),
  });
  const t = await openTestDesk({ feed, hold: true });
  for (let i = 0; i < 4; i++) await t.call('feed.control', { action: 'step' });
  return t;
}

async function refusal(client: Client, method: string, path: string, body?: object): Promise<string> {
  const { status, text } = await client.raw(method, path, { body: body && JSON.stringify(body) });
  expect(status, text).toBe(400);
  return JSON.parse(text).error.message;
}

describe.each([HAN, MIXED, NFC])('%s', (symbol) => {
  it('is placed, listed, cancelled and traded by signed requests, its name escaped in the query', async () => {
    const client = await clientOf(await held());
    const order = await client.orders.place({ exchange: EXCHANGE, symbol, ...LIMIT });
    expect(order).toMatchObject({ symbol, status: 'OPENED' });
    const list = async () => (await client.orders.list({ exchange: EXCHANGE, symbol })).map(({ id }) => id);
    expect(await list()).toEqual([order.id]);
    expect(await client.orders.list({ symbol: 'BTCUSDT' })).toEqual([]);
    await client.orders.cancel({ exchange: EXCHANGE, id: order.id });
    expect(await list()).toEqual([]);
    await client.orders.place({ exchange: EXCHANGE, symbol, side: 'BUY', type: 'MARKET', quantity: '8' });
    const trades = await client.orders.trades({ exchange: EXCHANGE, symbol });
    expect(trades).toMatchObject([{ symbol, qty: '8', commAsset: symbol.slice(0, -4) }]);
    const { balances } = await client.portfolio.get({ exchange: EXCHANGE });
    expect(balances?.map(({ asset }) => asset)).toEqual([symbol.slice(0, -4), 'USDT'].sort());
  });

  it('is set and held as a contract', async () => {
    const client = await clientOf(await held());
    const ask = async (method: string, path: string, body?: object) => {
      const { status, text } = await client.raw(method, path, { body: body && JSON.stringify(body) });
      expect(status, text).toBe(200);
      return JSON.parse(text).data;
    };
    const named = encodeURIComponent(symbol);
    await ask('POST', '/v2/portfolio/position/leverage', { exchange: FUTURES, symbol, leverage: 7 });
    expect(
      await ask('GET', `/v2/portfolio/position/leverage?exchange=${FUTURES}&symbols=BTCUSDT,${named}`),
    ).toMatchObject([{ symbol: 'BTCUSDT' }, { symbol, leverage: '7' }]);
    // Lower-case escapes are signed as they are sent.
    const brackets = `/v2/portfolio/leverage-brackets?exchange=${FUTURES}&symbol=${named.replace(/%../g, (hex) => hex.toLowerCase())}`;
    expect((await ask('GET', brackets)).length).toBeGreaterThan(0);
    await ask('POST', '/v2/orders', {
      exchange: FUTURES,
      symbol,
      side: 'SELL',
      type: 'MARKET',
      quantity: '40',
    });
    expect(Object.values(await ask('GET', `/v2/portfolio/positions?exchange=${FUTURES}`))).toMatchObject([
      { symbol, amount: '-40' },
    ]);
  });

  it('is followed on the stream, and no other with it', async () => {
    const t = await held();
    const client = await clientOf(t);
    const stream = await client.stream({ open: wsSocket({}) });
    const seen: string[] = [];
    await stream.subscribe('orders', {
      exchange: EXCHANGE,
      symbol,
      onEvent: ({ order }) => void seen.push(`${order.symbol} ${order.status}`),
    });
    await client.orders.place({
      exchange: EXCHANGE,
      ...LIMIT,
      symbol: 'BTCUSDT',
      price: '40000',
      quantity: '0.1',
    });
    const { id } = await client.orders.place({ exchange: EXCHANGE, symbol, ...LIMIT });
    await client.orders.cancel({ exchange: EXCHANGE, id });
    await until(t, () => seen.includes(`${symbol} CANCELLED`));
    expect(new Set(seen.map((line) => line.split(' ')[0]))).toEqual(new Set([symbol]));
    await stream.close();
  });

  it('is what a bot trades', async () => {
    const t = await held();
    const client = await clientOf(t);
    const bot = await client.bots.create({
      type: 'CHANNEL',
      settings: {
        exchange: EXCHANGE,
        symbol: { base: symbol.slice(0, -4), quote: 'USDT' },
        deposit: { value: '1000', asset: 'USDT' },
        flavor: 'GRID',
        grid: { low: '1', high: '6', count: 5 },
        filters: { blacklist: ['BTCUSDT', HAN.replace('币', '幣')] },
      },
    });
    await client.bots.start(bot.id);
    await t.call('feed.control', { action: 'step' });
    await until(t, async () => (await client.orders.list({ symbol })).length > 0);
    const [order] = await client.orders.list({ symbol });
    expect(order?.creatorId).toBe(bot.id);
  });
});

describe('a symbol that is none', () => {
  it('is refused with what is wrong with it', async () => {
    const client = await clientOf(await held());
    const place = (symbol: string) =>
      refusal(client, 'POST', '/v2/orders', { exchange: EXCHANGE, ...LIMIT, symbol });
    const name = 'symbol must be a name of 1 to 64 letters and numbers and . _ : -';
    expect(await place(NFC.normalize('NFD'))).toBe(`${name} (U+0301 is none of them), got "E?TE?USDT"`);
    expect(await place('\u212bUSDT')).toBe(
      `${name} (it is not composed: send it in the form NFC), got "\u212bUSDT"`,
    );
    expect(await place('BTC\u200bUSDT')).toBe(`${name} (U+200B is none of them), got "BTC?USDT"`);
    expect(await place('x'.repeat(70))).toMatch(/\(it has 70\), got "x{40}\.\.\."$/);
    expect(await place('ВTCUSDT')).toBe(
      'symbol "ВTCUSDT" is not traded on paper-spot: В (Cyrillic) is outside A-Z; did you mean BTCUSDT?',
    );
    expect(await place('币安人生-usdt')).toBe(
      'symbol "币安人生-usdt" is not traded on paper-spot; did you mean 币安人生USDT?',
    );
    const query = (path: string) => refusal(client, 'GET', path);
    expect(await query(`/v2/orders?symbol=${encodeURIComponent('BTC\u202e')}`)).toMatch(/U\+202E is none/);
    expect(await query('/v2/orders?symbol=%E5%B8')).toMatch(/wrong percent escape/);
    const levers = `/v2/portfolio/position/leverage?exchange=${FUTURES}&symbols=`;
    expect(await query(`${levers}${encodeURIComponent(`${HAN},BTC USDT`)}`)).toMatch(
      /^symbols must be 1 to 200/,
    );
  });
});
