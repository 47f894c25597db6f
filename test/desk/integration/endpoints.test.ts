/**
 * Every operation of the OpenAPI document on a real desk: each is carried out once, and its answer matches
 * the document.
 */
import { expect, it } from 'vitest';
import { OPERATIONS, operationOf } from '../../support/openapi-check.ts';
import { clientOf, flat, openTestDesk, writeCandles } from './support.ts';

const LIMIT = {
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '45000',
};
const FUTURES = { ...LIMIT, exchange: 'paper-futures' };

async function openBench() {
  const feed = writeCandles({ BTCUSDT: flat('50000', 50), BNBUSDT: flat('500', 50) });
  const t = await openTestDesk({ feed, hold: true });
  for (let i = 0; i < 2; i++) await t.call('feed.control', { action: 'step' });
  const client = await clientOf(t);
  const done = new Set<string>();
  /** Returns `data` of a success (the whole body where the envelope is different). */
  async function ask(method: string, path: string, body?: object) {
    const answer = await client.raw(method, path, { body: body && JSON.stringify(body) });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    done.add(operationOf(method, `/api${path}`)?.name ?? path);
    const document = JSON.parse(answer.text);
    return document.meta === undefined ? document : document.data;
  }
  return { client, ask, done };
}

const GRID = {
  type: 'CHANNEL',
  settings: {
    exchange: 'paper-spot',
    symbol: { base: 'BTC', quote: 'USDT' },
    deposit: { value: '1000', asset: 'USDT' },
    flavor: 'GRID',
    grid: { low: '40000', high: '60000', count: 5 },
  },
};

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
async function askAboutBots(ask: (method: string, path: string, body?: object) => Promise<any>) {
  const { id } = await ask('POST', '/v2/bots', { ...GRID, tag: 'grid' });
  expect(await ask('GET', '/v2/bots?type=CHANNEL')).toMatchObject([{ id, status: 'NEW', tag: 'grid' }]);
  const { bot, old } = await ask('PATCH', `/v2/bots/${id}`, { config: { stopBelow: '30000' } });
  expect([old.settings.stopBelow, bot.settings.stopBelow]).toEqual([undefined, '30000']);
  const { runId } = await ask('POST', `/v2/bots/${id}/runs`);
  expect(await ask('GET', `/v2/bots/${id}`)).toMatchObject({ status: 'STARTED', runId });
  const params = {
    strategy: 'fixed',
    trigger: { type: 'kline' },
    order: { type: 'MARKET', stopPrice: '35000' },
  };
  const message = { message: 'add_stoploss', params };
  expect(await ask('POST', `/v2/bots/${id}/runs/${runId}/message`, message)).toBeNull();
  expect(await ask('DELETE', `/v2/bots/${id}/runs/${runId}?cleanup=cancelAllOrders`)).toMatchObject({
    status: 'STOPPED',
  });
  const other = await ask('POST', '/v2/bots', GRID);
  const bots = [id, other.id];
  const started = await ask('POST', '/v2/bots/batch/runs', { bots });
  expect(started).toMatchObject([{ id, success: true }, { success: true }]);
  const pairs = started.map((one: { id: string; runId: string }) => [one.id, one.runId]);
  expect(await ask('DELETE', '/v2/bots/batch/runs', { bots: pairs })).toMatchObject([{ success: true }, {}]);
  expect(await ask('DELETE', '/v2/bots/batch', { bots: [id] })).toEqual([{ id, success: true }]);
  expect(await ask('DELETE', `/v2/bots/${other.id}?force=true`)).toEqual({ id: other.id });
}

// proves: endpoint GET /server/time, endpoint GET /server/status, endpoint GET /server/version, endpoint GET /ping
// proves: endpoint GET /exchange/supported, endpoint GET /orders, endpoint POST /orders, endpoint DELETE /orders/{id}
// proves: endpoint POST /orders/{id}/split, endpoint GET /orders/trades, endpoint GET /portfolio
// proves: endpoint GET /portfolio/positions, endpoint GET /portfolio/position/leverage, endpoint POST /portfolio/position/leverage
// proves: endpoint GET /portfolio/margin-mode, endpoint POST /portfolio/margin-mode, endpoint POST /portfolio/position/margin-type
// proves: endpoint GET /portfolio/leverage-brackets, endpoint GET /exchange/hedge-mode, endpoint POST /exchange/hedge-mode
// proves: endpoint GET /portfolio/dust, endpoint POST /portfolio/dust/convert
// proves: endpoint GET /bots, endpoint POST /bots, endpoint GET /bots/{id}, endpoint PATCH /bots/{id}
// proves: endpoint DELETE /bots/{id}, endpoint POST /bots/{id}/runs, endpoint DELETE /bots/{id}/runs/{runId}
// proves: endpoint POST /bots/{id}/runs/{runId}/message, endpoint POST /bots/batch/runs
// proves: endpoint DELETE /bots/batch/runs, endpoint DELETE /bots/batch
it('answers every operation as the document says', async () => {
  const { ask, done } = await openBench();

  for (const what of ['time', 'status', 'version']) await ask('GET', `/v2/server/${what}`);
  expect(await ask('GET', '/v2/ping')).toMatchObject({ status: 'success', data: { message: 'pong' } });
  expect((await ask('GET', '/openapi.json')).openapi).toBe('3.1.0');
  expect(await ask('GET', '/v2/exchange/supported')).toHaveLength(2);

  const first = await ask('POST', '/v2/orders', LIMIT);
  expect(first).toMatchObject({ status: 'OPENED', isWorking: true });
  const children = await ask('POST', `/v2/orders/${first.id}/split`, {
    exchange: 'paper-spot',
    prices: ['44000', '43000'],
  });
  expect(children).toHaveLength(2);
  expect(await ask('DELETE', `/v2/orders/${children[0].id}?exchange=paper-spot`)).toMatchObject({
    status: 'CANCELLED',
  });
  await ask('DELETE', `/v2/orders?exchange=paper-spot&order=${children[1].id}`);
  expect(await ask('GET', '/v2/orders')).toEqual([]);
  expect(await ask('GET', '/v2/orders?status=recent')).toHaveLength(3);

  await ask('POST', '/v2/orders', { ...LIMIT, type: 'MARKET', quantity: '0.0002', price: undefined });
  expect(await ask('GET', '/v2/orders/trades?exchange=paper-spot&symbol=BTCUSDT')).toMatchObject([
    { side: 'BUY', rPnl: null },
  ]);
  expect((await ask('GET', '/v2/portfolio')).balances).toHaveLength(2);
  expect((await ask('GET', '/v2/portfolio?full=true')).balances.length).toBeGreaterThan(2);
  expect(await ask('GET', '/v2/portfolio?totalOnly=true')).toEqual({ total: expect.anything() });
  const { assets } = await ask('GET', '/v2/portfolio/dust?exchange=paper-spot');
  expect(assets).toMatchObject([{ asset: 'BTC', toAsset: 'BNB' }]);
  const converted = await ask('POST', '/v2/portfolio/dust/convert', {
    exchange: 'paper-spot',
    assets: ['BTC'],
  });
  expect(converted).toMatchObject({ toAsset: 'BNB', received: assets[0].toAmount });

  const lever = { exchange: 'paper-futures', symbol: 'BTCUSDT', leverage: 10 };
  expect(await ask('POST', '/v2/portfolio/position/leverage', lever)).toBeNull();
  const margin = { symbol: 'BTCUSDT', marginType: 'ISOLATED' };
  const onFutures = 'exchange=paper-futures';
  expect(await ask('POST', `/v2/portfolio/position/margin-type?${onFutures}`, margin)).toEqual(margin);
  await ask('POST', '/v2/orders', { ...FUTURES, type: 'MARKET', price: undefined });
  expect(Object.values(await ask('GET', '/v2/portfolio/positions'))).toMatchObject([
    { symbol: 'BTCUSDT', amount: '0.01', leverage: '10', type: 'ISOLATED', side: 'BOTH' },
  ]);
  const leverage = `/v2/portfolio/position/leverage?${onFutures}&symbols=BTCUSDT,BNBUSDT`;
  expect(await ask('GET', leverage)).toHaveLength(2);
  expect(await ask('GET', `${leverage}&marginType=ISOLATED`)).toMatchObject([{ leverage: '10' }]);
  const brackets = await ask('GET', `/v2/portfolio/leverage-brackets?${onFutures}&symbol=BTCUSDT`);
  expect(brackets.length).toBeGreaterThan(1);
  await ask('POST', '/v2/orders', {
    ...FUTURES,
    side: 'SELL',
    type: 'MARKET',
    quantity: '0',
    price: undefined,
    closePosition: true,
  });
  expect(await ask('GET', '/v2/portfolio/positions')).toEqual({});
  expect((await ask('GET', `/v2/orders/trades?${onFutures}&symbol=BTCUSDT&limit=1`))[0].rPnl).not.toBeNull();
  expect((await ask('GET', `/v2/portfolio?${onFutures}`)).balances).toHaveLength(1);

  expect(await ask('GET', `/v2/portfolio/margin-mode?${onFutures}`)).toEqual({ mode: 1 });
  expect(await ask('POST', `/v2/portfolio/margin-mode?${onFutures}&mode=2`)).toEqual({ mode: 2 });
  expect(await ask('POST', `/v2/portfolio/margin-mode?${onFutures}&mode=2`, { mode: 1 })).toEqual({
    mode: 1,
  });
  expect(await ask('GET', `/v2/exchange/hedge-mode?${onFutures}`)).toEqual({ dualSidePosition: false });
  const hedged = { dualSidePosition: true };
  expect(await ask('POST', `/v2/exchange/hedge-mode?${onFutures}`, hedged)).toEqual(hedged);
  expect(await ask('GET', leverage)).toHaveLength(4);

  await askAboutBots(ask);
  expect([...done].sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
});
