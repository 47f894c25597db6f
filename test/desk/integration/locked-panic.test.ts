/**
 * A panic from a locked terminal on a whole desk: the panic's requests get through, and no other request
 * does.
 */
import { expect, it } from 'vitest';
import { panicCounts, USUAL_PARTS } from '../../../src/console/panic/panic.ts';
import { remotePanic } from '../../../src/console/panic/remote-panic.ts';
import type { DeskClient } from '../../../src/desk/console/protocol.ts';
import { openRoles } from './roles-rig.ts';
import { flat, ok, openTestDesk, place, until, writeCandles } from './support.ts';

const FUTURES = 'paper-futures';
const LOCKED = 'this terminal is locked';

it('stops, cancels and closes everything, and leaves the terminal locked', async () => {
  const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: flat('100', 5) }), hold: true });
  for (let n = 0; n < 8; n++) await t.call('feed.control', { action: 'step' });
  const resting = await place(t, { side: 'BUY', type: 'LIMIT', quantity: '1', price: '50' });
  const { id } = await place(t, { exchange: FUTURES, side: 'BUY', type: 'MARKET', quantity: '2' });
  await until(t, () => t.view(id).status === 'CLOSED');
  const { open, audit } = await openRoles(t);
  const one = await open({ as: 'a-operator', from: '10.1.2.3' }, true);
  expect(await one.call('session.lock')).toBeNull();
  await t.clock.advance(200);
  expect(one.state()?.me?.locked).toBe('asked');
  for (const method of [
    'orders.cancelAll',
    'panic.targets',
    'bots.patch',
    'pnl.read',
    'memory.read',
  ] as const)
    expect(await one.call(method, PARAMS[method])).toBe(LOCKED);
  const client = {
    call: async (method: Parameters<typeof one.call>[0], params: object) => {
      const answer = await one.call(method, params);
      if (typeof answer === 'string') throw new Error(answer);
      return answer;
    },
  } as unknown as DeskClient;
  const run = await remotePanic(client, USUAL_PARTS, () => {});
  expect(panicCounts(run.items)).toEqual({ all: 2, done: 2, failed: 0 });
  await until(t, () => t.view(resting.id).status === 'CANCELLED');
  expect(t.desk.state().futures[FUTURES]?.positions.filter(({ amount }) => Number(amount) !== 0)).toEqual([]);
  expect(await one.call('orders.cancelAll', {})).toBe(LOCKED);
  expect(one.state()?.me?.locked).toBe('asked');
  expect(one.state()?.orders).toEqual({});
  expect(audit.join('\n')).toContain('a-operator/s1 10.1.2.3 asks for orders.cancelAll');
});

it('takes back an automatic restart of a bot while a panic goes on, and changes nothing else of one', async () => {
  const { t, open } = await openRoles();
  const one = await open({ as: 'a-operator' }, true);
  await one.call('session.lock');
  await t.clock.advance(200);
  ok((await one.call('desk.panic', { phase: 'start', parts: ['bots'], again: false })) as never);
  const patch = (change: object) => one.call('bots.patch', { id: 'nobody', change });
  expect(await patch({ restart: false })).toMatchObject({ ok: false });
  for (const change of [{ restart: true }, {}, { restart: false, options: {} }])
    expect(await patch(change)).toBe(LOCKED);
});

const PARAMS = {
  'orders.cancelAll': {},
  'panic.targets': { part: 'orders' },
  'bots.patch': { id: 'b', change: { restart: false } },
  'pnl.read': { by: 'day' },
  'memory.read': {},
} as const;
