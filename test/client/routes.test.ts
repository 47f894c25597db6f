/** The typed client has a call for every route of the service. */
import { expect, it } from 'vitest';
import { ROUTE_TIERS } from '../../src/access/tiers.ts';
import type { Client } from '../../src/client/client.ts';
import { clientWith, success } from './fakes.ts';

const FUTURES = { exchange: 'paper-futures' };
const BTC = { ...FUTURES, symbol: 'BTCUSDT' };

/** Each call of the client, once. */
const CALLS: readonly ((client: Client) => Promise<unknown>)[] = [
  (c) => c.server.time(),
  (c) => c.server.status(),
  (c) => c.server.version(),
  (c) => c.ping(),
  (c) => c.exchange.supported(),
  (c) => c.exchange.hedgeMode(FUTURES),
  (c) => c.exchange.setHedgeMode({ ...FUTURES, dualSidePosition: true }),
  (c) => c.orders.list(),
  (c) => c.orders.place({ ...BTC, side: 'BUY', type: 'MARKET', quantity: '1' }),
  (c) => c.orders.cancel({ ...FUTURES, id: 'o1' }),
  (c) => c.orders.split({ ...FUTURES, id: 'o1', prices: ['1', '2'] }),
  (c) => c.orders.trades(BTC),
  (c) => c.portfolio.get(),
  (c) => c.portfolio.positions(),
  (c) => c.portfolio.leverage({ ...FUTURES, symbols: ['BTCUSDT', 'ETHUSDT'] }),
  (c) => c.portfolio.setLeverage({ ...BTC, leverage: 2 }),
  (c) => c.portfolio.marginMode(FUTURES),
  (c) => c.portfolio.setMarginMode({ ...FUTURES, mode: 1 }),
  (c) => c.portfolio.setMarginType({ ...BTC, marginType: 'ISOLATED' }),
  (c) => c.portfolio.brackets(BTC),
  (c) => c.portfolio.dust(FUTURES),
  (c) => c.portfolio.convertDust({ ...FUTURES, assets: ['ADA'] }),
  (c) => c.bots.list(),
  (c) => c.bots.create({ type: 'FIBO', settings: FUTURES }),
  (c) => c.bots.get('o1'),
  (c) => c.bots.patch('o1', { metadata: '' }),
  (c) => c.bots.delete('o1'),
  (c) => c.bots.start('o1'),
  (c) => c.bots.stop({ id: 'o1', runId: 'r1' }),
  (c) => c.bots.message({ id: 'o1', runId: 'r1', message: 'add_stoploss', params: {} }),
  (c) => c.bots.batchStart(['o1']),
  (c) => c.bots.batchStop({ bots: [['o1', 'r1']] }),
  (c) => c.bots.batchDelete(['o1']),
];

/**
 * Routes without a call: the other way to name the order to cancel (`orders.cancel` uses the preferred one),
 * and the API's own description.
 */
const WITHOUT_CALL = ['DELETE /orders', 'GET /openapi.json'];

it('every route has its call, and every call its route', async () => {
  const { client, sent } = clientWith([success(null)]);
  for (const call of CALLS) await call(client);
  const called = sent.map(
    ({ method, path }) =>
      `${method} ${path
        .replace(/^\/api\/v2|\?.*/g, '')
        .replace('/o1', '/{id}')
        .replace('/r1', '/{runId}')}`,
  );
  expect([...called, ...WITHOUT_CALL].sort()).toEqual(Object.keys(ROUTE_TIERS).sort());
});
