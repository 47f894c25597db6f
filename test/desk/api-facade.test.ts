/** The lists of orders that the API caches until the next change: one for each user and query. */
import { expect, it } from 'vitest';
import { apiFacade } from '../../src/desk/api/api-facade.ts';
import type { DeskCore } from '../../src/desk/core/desk-core.ts';
import type { OrderRecord } from '../../src/domain/order.ts';

it('no user and no question gets the list of another', async () => {
  const orders = new Map<string, OrderRecord>();
  const give = (id: string, more: Partial<OrderRecord>) =>
    orders.set(id, { id, executedQty: '0', quoteQty: '0', ...more } as OrderRecord);
  give('a1', { user: 'ann', exchange: 'x', symbol: 'BTCUSDT', status: 'OPENED' });
  give('a2', { user: 'ann', exchange: 'x', symbol: 'ETHUSDT', status: 'CLOSED' });
  give('a3', { user: 'ann', exchange: 'y', symbol: 'BTCUSDT', status: 'OPENED' });
  give('b1', { user: 'bob', exchange: 'x', symbol: 'BTCUSDT', status: 'OPENED' });
  const turn = { changes: 1, read: async (then: () => unknown) => then() };
  const core = { engine: { memory: { orders } }, turn } as unknown as DeskCore;
  const face = apiFacade({ core, store: null as never, version: '0', startedAt: 0, wall: () => 0 });
  const asked = async (user: string, q: object) =>
    ((await face.orders(user, q as never)) as readonly { id: string }[]).map(({ id }) => id);
  for (const again of [false, true]) {
    expect(await asked('ann', {}), String(again)).toEqual(['a1', 'a2', 'a3']);
    expect(await asked('bob', {})).toEqual(['b1']);
    expect(await asked('ann', { exchange: 'x' })).toEqual(['a1', 'a2']);
    expect(await asked('ann', { symbol: 'BTCUSDT' })).toEqual(['a1', 'a3']);
    expect(await asked('ann', { status: 'open' })).toEqual(['a1', 'a3']);
    expect(await asked('nobody', {})).toEqual([]);
  }
  give('b2', { user: 'bob', exchange: 'y', symbol: 'ETHUSDT', status: 'OPENED' });
  turn.changes += 1;
  expect(await asked('bob', {})).toEqual(['b1', 'b2']);
});
