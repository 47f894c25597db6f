/**
 * For any request with a valid signature, the response has the documented form, is not an internal error, and
 * the desk continues.
 */
import { expect, it } from 'vitest';
import { clientOf, flat, openTestDesk, writeCandles } from '../desk/integration/support.ts';
import { Dice } from '../simulation/dice.ts';
import { attacked } from '../support/attacks.ts';
import { seedOr } from '../support/seeds.ts';
import { type Known, RequestMaker } from './random-requests.ts';

const REQUESTS = 2_500;
/** Number of requests between two ticks of the market. */
const TICK_EVERY = 25;

it('answers requests at random and goes on', async () => {
  const feed = writeCandles({ BTCUSDT: flat('100', 100), ETHUSDT: flat('50', 100) });
  const t = await openTestDesk({ feed, hold: true });
  const client = await clientOf(t);
  const known: Known = { orders: [], bots: [], runs: [] };
  const maker = new RequestMaker(new Dice(seedOr(1), 'requests'), known);
  const statuses = new Map<number, number>();
  for (let n = 0; n < REQUESTS; n++) {
    if (n % TICK_EVERY === 0) await t.call('feed.control', { action: 'step' });
    const { method, path, body, keyed } = maker.next();
    // Every response is checked against the API's description on its way (support/openapi-check.ts).
    const answer = await client.raw(method, path, {
      ...(body === null ? {} : { body, headers: { 'content-type': 'application/json' } }),
      ...(keyed ? { idempotencyKey: crypto.randomUUID() } : {}),
    });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expect(answer.text, `${method} ${path} ${body}`).not.toContain('an unexpected error occurred');
    remember(known, answer.text);
    await t.clock.advance(50);
  }
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404]));
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10);
  const order = {
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    price: '90',
    quantity: '0.1',
  };
  expect((await client.orders.place(order as never)).status).toBe('OPENED');
  attacked('random requests and messages, well formed and not', REQUESTS, REQUESTS);
});

function remember(known: Known, text: string): void {
  const { data } = JSON.parse(text) as {
    data?: { id?: string; runId?: string; orderTime?: number; type?: string };
  };
  if (typeof data?.runId === 'string') known.runs.push(data.runId);
  if (typeof data?.id !== 'string') return;
  const ids = data.orderTime === undefined ? known.bots : known.orders;
  ids.push(data.id);
}
