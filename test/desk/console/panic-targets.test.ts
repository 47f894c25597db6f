/**
 * What a panic acts on: the owner's bots, orders and positions, page by page, none twice and none missing.
 */
import { expect, it } from 'vitest';
import { panicTargetsOf, TARGETS_PAGE } from '../../../src/desk/console/panic-targets.ts';
import type { DeskCore } from '../../../src/desk/core/desk-core.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { ACCOUNT, BTC, CAPS, FUTURES, FUTURES_ACCOUNT, SPOT, START } from '../../engine/support/market.ts';
import { order } from '../../store/rows.ts';
import { positionOf } from '../core/link-rig.ts';

const ANN = { id: 'ann-futures', name: 'Ann', kind: 'futures', user: 'ann', market: 'paper' } as const;

function world(bots: readonly object[] = []) {
  const engine = new Engine();
  const { memory } = engine;
  for (const account of [ACCOUNT, FUTURES_ACCOUNT, ANN]) {
    memory.addAccount(account, CAPS, [BTC]);
    memory.account(account.id).unread.clear();
  }
  const book = {
    of: (user: string) => bots.filter((bot) => (bot as { user: string }).user === user),
    bots: new Map(bots.map((bot) => [(bot as { id: string }).id, bot])),
    running: () => undefined,
    shown: (bot: object) => ({ ...bot, settings: {} }),
  };
  return { engine, memory, core: { engine, bots: { book } } as unknown as DeskCore };
}

it('orders that may be open come in pages by their ids, the owner’s alone', () => {
  const { memory, core } = world();
  const ids = Array.from({ length: 2 * TARGETS_PAGE + 1 }, (_, n) => `o${String(n).padStart(5, '0')}`);
  for (const id of [...ids].reverse()) memory.addOrder(order(id, { exchange: SPOT, status: 'OPENED' }), []);
  memory.addOrder(order('o00000x', { exchange: ANN.id, user: 'ann', status: 'OPENED' }), []);
  memory.addOrder(order('o00001x', { exchange: SPOT, status: 'CLOSED', phase: 'done' }), []);
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = panicTargetsOf(core, { part: 'orders', ...(after === undefined ? {} : { after }) });
    expect([page.bots, page.futures]).toEqual([{}, {}]);
    pages.push(Object.keys(page.orders));
    after = page.next ?? undefined;
  } while (after !== undefined);
  expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
  expect(pages.flat().sort()).toEqual(ids);
});

it('a page that is just full promises no other', () => {
  const { memory, core } = world();
  for (let n = 0; n < TARGETS_PAGE; n++)
    memory.addOrder(order(`o${n}`, { exchange: SPOT, status: 'OPENED' }), []);
  expect(panicTargetsOf(core, { part: 'orders' }).next).toBeNull();
});

it('bots that run, and those that wait for their next start, of the owner', () => {
  const bot = (id: string, more: object) => ({ id, user: 'owner', runId: null, restartAt: null, ...more });
  const { core } = world([
    bot('runs', { runId: 'r' }),
    bot('waits', { restartAt: 5 }),
    bot('idle', {}),
    bot('hers', { user: 'ann', runId: 'r' }),
  ]);
  expect(Object.keys(panicTargetsOf(core, { part: 'bots' }).bots)).toEqual(['runs', 'waits']);
});

it('positions of each futures account of the owner that was read', () => {
  const { engine, memory, core } = world();
  for (const exchange of [FUTURES, ANN.id])
    engine.step(
      { type: 'venue.positions', exchange, changed: [positionOf('BTCUSDT', '1', 1)] },
      { wall: START, market: START, mono: 0 },
    );
  const { futures, next } = panicTargetsOf(core, { part: 'positions' });
  expect([Object.keys(futures), next]).toEqual([[FUTURES], null]);
  expect(futures[FUTURES]?.positions).toHaveLength(1);
  memory.account(FUTURES).unread.add('positions');
  expect(panicTargetsOf(core, { part: 'positions' }).futures).toEqual({});
});
