/**
 * Orders left open by an ended run, and a restart that is due: what becomes of the bot that has gone on
 * meanwhile.
 */
import { describe, expect, it } from 'vitest';
import { LEVELS, openBots } from './bots-rig.ts';

/**
 * A run that bought 5.55 at 90 and ended with its orders left open: the SELL at 110 fills in a later minute.
 */
async function left() {
  const r = await openBots(['100', '100', '89', '100', '100', '100', '100', '112']);
  await r.minutes(1);
  const { id, runId } = await r.started();
  await r.minutes(3);
  await r.done('DELETE', `/bots/${id}/runs/${runId}?cleanup=leaveAllOrders`);
  expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
  const second = await r.done('POST', `/bots/${id}/runs`);
  await r.minutes(1);
  const again = async () => {
    await r.t.stop();
    return openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
  };
  return { r, id, second: second.runId as string, again };
}

describe('orders that a run before has left', () => {
  it('fill after a start of the desk, and the run that goes on goes on', async () => {
    const { id, second, again } = await left();
    const r = await again();
    await r.minutes(4);
    expect((await r.balance('BTC')).wallet).toBe('0.00000445');
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', runId: second, stats: { fills: 0 } });
  });

  it('fill after a start of the desk, and the bot shows how its last run has ended', async () => {
    const { r: first, id, second, again } = await left();
    await first.done('DELETE', `/bots/${id}/runs/${second}`);
    const before = await first.bot(id);
    expect(before).toMatchObject({ status: 'STOPPED', stats: { fills: 0 } });
    const r = await again();
    await r.minutes(4);
    expect((await r.balance('BTC')).wallet).toBe('0.00000445');
    expect(await r.bot(id)).toEqual(before);
  });
});

it('a change takes a restart back that was still to come', async () => {
  const r = await openBots(['100', '100', '89', '112', '100']);
  await r.minutes(1);
  const settings = { ...LEVELS.settings, levels: [{ buy: '90', sell: '110' }], onetime: true };
  const options = { restart: true, restartDelay: 5 * 60_000 };
  const ids = [];
  for (const _ of [1, 2]) ids.push((await r.started({ ...LEVELS, settings, options })).id);
  const [changed, other] = ids as [string, string];
  await r.minutes(4);
  const due = () => [changed, other].map((id) => r.t.desk.state().bots[id]?.restartAt ?? null);
  expect(due()).toEqual([expect.any(Number), expect.any(Number)]);
  await r.done('PATCH', `/bots/${changed}`, { metadata: 'changed' });
  expect(due()).toEqual([null, expect.any(Number)]);
  await r.minutes(8);
  expect((await r.bot(changed)).status).toBe('STOPPED');
  expect((await r.bot(other)).status).toBe('STARTED');
});

it('a start by hand is instead of the restart that was still to come', async () => {
  const r = await openBots(['100', '100', '89', '112', '100']);
  await r.minutes(1);
  const settings = { ...LEVELS.settings, levels: [{ buy: '90', sell: '110' }], onetime: true };
  const options = { restart: true, restartDelay: 5 * 60_000 };
  const { id } = await r.started({ ...LEVELS, settings, options });
  await r.minutes(4);
  const due = () => r.t.desk.state().bots[id]?.restartAt;
  expect(due()).toEqual(expect.any(Number));
  const { runId } = await r.done('POST', `/bots/${id}/runs`);
  expect(due()).toBeNull();
  await r.done('DELETE', `/bots/${id}/runs/${runId}`);
  await r.minutes(8);
  expect((await r.bot(id)).status).toBe('STOPPED');
});
