/** The memory that a desk uses for a run does not grow with the number of orders that the run has placed. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';
import { LEVELS, openBots } from './bots-rig.ts';

const { after } = BotEngine.prototype;
let engine: BotEngine | null = null;

beforeEach(() => {
  BotEngine.prototype.after = function watched(this: BotEngine, ...given) {
    engine = this;
    return after.apply(this, given);
  };
});

afterEach(() => {
  BotEngine.prototype.after = after;
  engine = null;
});

function live(): LiveRun {
  const [run] = engine?.book.runs.values() ?? [];
  if (!run) throw new Error('there is no run');
  return run;
}

it('an order is forgotten with its end, filled or cancelled', async () => {
  // The price goes through the run's levels, which move with the closes.
  const prices = Array.from({ length: 40 }, (_, i) => ['100', '89', '111', '79', '121'][i % 5] as string);
  const r = await openBots(prices);
  await r.minutes(1);
  const range = [{ type: 'price', min: '80' }];
  await r.started({ ...LEVELS, settings: { ...LEVELS.settings, range } });
  await r.minutes(30);
  expect(live().run.state.slots.nextKey).toBeGreaterThan(20);
  const open = await r.orders();
  expect(open.length).toBeGreaterThan(0);
  expect([...live().keys.keys()].sort()).toEqual(open.map(({ id }) => id).sort());
  expect(live().ids.size).toBe(open.length);
  await r.t.stop();
  const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
  await later.minutes(1);
  expect(live().ids.size).toBe((await later.orders()).length);
});

it('nothing is kept of a bot that was deleted, whatever had become of it', async () => {
  const r = await openBots(['100', '100', '89', '89', '111', '100']);
  await r.minutes(1);
  const made = await r.make();
  const stopped = await r.started();
  const running = await r.started();
  await r.minutes(2);
  await r.done('DELETE', `/bots/${stopped.id}/runs/${stopped.runId}`);
  await r.minutes(1);
  for (const { id } of [made, stopped]) await r.done('DELETE', `/bots/${id}`);
  await r.done('DELETE', `/bots/${running.id}?force=true`);
  await r.minutes(1);
  const sizes = Object.entries(engine?.book ?? {}).map(([name, kept]) => [
    name,
    (kept as Map<string, unknown>).size,
  ]);
  expect(sizes).toEqual([
    ['bots', 0],
    ['runs', 0],
    ['bySymbol', 0],
    ['alerts', 0],
    ['ended', 0],
  ]);
  expect((await r.balance('USDT')).lockedByBot).toBe(null);
  // The next start does not bring it back, either.
  await r.t.stop();
  const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
  expect(await later.done('GET', '/bots')).toEqual([]);
  for (const { id } of [made, stopped, running])
    expect((await later.refused('GET', `/bots/${id}`))[0]).toBe(404);
});
