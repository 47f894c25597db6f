/** The detail of a bot: its own orders and fills, and none of another bot or user. */
import { expect, it } from 'vitest';
import { botHandlers } from '../../../src/desk/console/console-bots.ts';
import type { FillRecord, OrderRecord } from '../../../src/domain/order.ts';

const made = (id: string, creatorId: string, change: object = {}) =>
  ({
    id,
    creator: 'BOT',
    creatorId,
    status: 'OPENED',
    user: 'owner',
    exchange: 'x',
    symbol: 'BTCUSDT',
    origQty: '1',
    executedQty: '0',
    metadata: '',
    specific: {},
    ...change,
  }) as unknown as OrderRecord;
const fill = (orderId: string, time: number) =>
  ({ orderId, time, side: 'BUY', price: '1', qty: '2', symbol: 'BTCUSDT' }) as unknown as FillRecord;

function desk(user = 'owner', runs: readonly object[] = []) {
  const orders = [
    made('own', 'b'),
    made('of another bot', 'c'),
    made('by hand', 'b', { creator: 'UI' }),
    made('own, over', 'b', { status: 'CANCELLED' }),
  ];
  /** Records that have left memory. */
  const stored = new Map([
    ['own, long ago', { order: made('own, long ago', 'b') }],
    ['of another, long ago', { order: made('of another, long ago', 'c') }],
  ]);
  const bot = { id: 'b', user, runId: null };
  const book = {
    bots: new Map([['b', bot]]),
    runs: new Map(),
    running: () => null,
    shown: () => ({ id: 'b', exchange: 'x', symbol: { base: 'BTC', quote: 'USDT' } }),
  };
  const asked: unknown[] = [];
  const store = {
    runs: () => runs,
    notices: () => [],
    order: (id: string) => stored.get(id) ?? null,
    trades: (query: unknown) => {
      asked.push(query);
      return ['own', 'of another bot', 'own, long ago', 'of another, long ago', 'by hand', 'unknown'].map(
        fill,
      );
    },
  };
  const memory = { orders: new Map(orders.map((one) => [one.id, one])) };
  const core = { bots: { book }, engine: { memory }, turn: { read: async (run: () => unknown) => run() } };
  const handlers = botHandlers({ core, store } as unknown as Parameters<typeof botHandlers>[0]);
  return { asked, detail: () => handlers['bots.detail']({ id: 'b' }) };
}

it('has the open orders and the fills that are its own, also those that only the store knows', async () => {
  const { asked, detail } = desk();
  const found = await detail();
  expect(found?.orders.map(({ id }) => id)).toEqual(['own']);
  expect(found?.fills?.map(({ time }) => time)).toEqual([0, 2]);
  expect(asked).toEqual([{ user: 'owner', exchange: 'x', symbol: 'BTCUSDT', limit: 300 }]);
});

it('of another user’s bot there is none', async () => {
  expect(await desk('second').detail()).toBeNull();
});

it('has the newest run whatever its length, older ones as far as they are not too long together', async () => {
  const run = (runId: string, length: number) => ({
    runId,
    settings: 'x'.repeat(length),
    state: 'y'.repeat(length),
  });
  const told = async (...runs: object[]) =>
    (await desk('owner', runs).detail())?.runs.map(({ runId }) => runId);
  const half = 512 * 1024 - 100;
  expect(await told(run('a', 5 * half))).toEqual(['a']);
  expect(await told(run('a', 5 * half), run('b', 1))).toEqual(['a']);
  expect(await told(run('a', half), run('b', half), run('c', 500))).toEqual(['a', 'b']);
});
