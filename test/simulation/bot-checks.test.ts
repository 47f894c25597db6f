/**
 * What the checks of runs at rest report as missing, and which runs may wait for a tick that no world sends
 * any more.
 */
import { expect, it } from 'vitest';
import type { LiveRun } from '../../src/bots/runtime/live-run.ts';
import { cell, stop } from '../bots/rules/bots.ts';
import { LiveTest } from '../bots/rules/live.ts';
import { line } from '../scenarios/scene.ts';
import { checkNothingIsMissing } from './bot-checks.ts';
import type { SimDesk } from './sim-desk.ts';

/** What the last check of a world reports about a run; leaves the run unlike any input would. */
function missing({ run }: LiveTest): string[] {
  const found: string[] = [];
  const runs = new Map([['r', { id: 'r', going: true, run } as unknown as LiveRun]]);
  checkNothingIsMissing({ core: { bots: { book: { runs } } } } as unknown as SimDesk, (_, text) => {
    found.push(text);
  });
  return found;
}

/** An entry at 96 below a line that falls from 97 by 1 in ten seconds. */
function barred(): LiveTest {
  const rule = stop('price', 'kline', { value: line('97', '87', 100) }, { complete: true });
  const t = new LiveTest('CHANNEL', cell({ levels: [{ buy: '96', sell: '110' }], stop: rule }));
  t.tick(0, '105');
  return t;
}

it('an entry that a falling line has barred goes out at the next tick of its symbol, and is not missed before', () => {
  const waiting = barred();
  waiting.pass(20);
  expect(missing(waiting)).toEqual([]);
  const t = barred();
  t.tick(20, '105');
  expect([...t.run.slots.orders()].map(({ price }) => price)).toHaveLength(1);
});

it('what a tick should have asked for is missed', () => {
  const t = barred();
  t.tick(20, '105');
  for (const slot of t.run.state.slots.slots.values()) slot.orders = [];
  expect(missing(t)).toHaveLength(1);
});
