/** The turn of a desk: how its effects affect each other, and whose calls it waits for. */
import { describe, expect, it } from 'vitest';
import { Turn } from '../../../src/desk/core/turn.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Effect } from '../../../src/engine/step.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { LinkRig } from './link-rig.ts';

describe('an effect whose listener throws', () => {
  it('does not keep the order that was stored with it from its exchange', async () => {
    const rig = await LinkRig.started();
    rig.core.onChange((mark) => {
      if (mark.kind === 'order') throw new Error('a console went away');
    });
    const answer = rig.place({ price: '50000', quantity: '0.01' });
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(1);
    expect((await answer).status).toBe(200);
    expect(rig.core.log.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/could not be told to everybody: a console went away/),
    );
  });
});

describe('what waits for a commit', () => {
  it('goes with one that an exchange of this process makes, and with no later one', async () => {
    const rig = await LinkRig.started();
    const stored = () => rig.store.load(0).log.map(({ text }) => text);
    rig.core.report('info', 'desk', 'said once');
    rig.core.turn.commitBeside([{ kind: 'meta', name: 'of-the-exchange', value: 1 }]);
    expect(stored()).toContain('said once');
    await rig.until(rig.place());
    expect(rig.orders).toMatchObject([{ status: 'OPENED' }]);
    rig.core.turn.flush(true);
    expect(stored().filter((text) => text === 'said once')).toEqual(['said once']);
  });

  it('stays behind while an input is pending, whose order must not be stored without its request', async () => {
    const rig = await LinkRig.started();
    rig.core.report('info', 'desk', 'said once');
    const placed = rig.place();
    rig.core.turn.commitBeside([{ kind: 'meta', name: 'of-the-exchange', value: 1 }]);
    expect(rig.store.load(0)).toMatchObject({ orders: [] });
    expect(rig.store.load(0).meta.get('of-the-exchange')).toBe(1);
    expect(rig.store.load(0).log.map(({ text }) => text)).not.toContain('said once');
    await rig.until(placed);
    const texts = rig.store.load(0).log.map(({ text }) => text);
    expect(texts.filter((text) => text === 'said once')).toEqual(['said once']);
  });
});

// proves: S55
describe('waiting for what is under way', () => {
  it('counts the calls of the accounts that are named, and of all when none is', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    void rig.link.reconcile();
    await rig.clock.settle();
    expect(rig.core.turn.quiet(['another account'])).toBeUndefined();
    expect(rig.core.turn.quiet([rig.venue.account.id])).toBeInstanceOf(Promise);
    expect(rig.core.turn.quiet()).toBeInstanceOf(Promise);
  });
});

/** A turn over an engine that only counts the commits. */
function turnOf() {
  const clock = new VirtualClock();
  const commits: (readonly Row[])[] = [];
  const events: string[] = [];
  const rides = { moved: true };
  const disk = { isFull: false };
  const engine = {
    movedPeaks: () => [],
    memory: { movedPeaks: new Set(['o1']) },
    extension: { stored: () => events.push('bots told') },
  };
  const turn = new Turn(engine as unknown as Engine, {
    clock,
    market: () => 0,
    commit: (rows) => {
      if (disk.isFull) throw new Error('the disk is full');
      commits.push(rows);
      events.push('commit');
    },
    rowsOf: (effects) => effects.flatMap(() => meta('alert', 1)),
    deferredRows: () => (rides.moved ? [meta('cursor', 1)] : []),
    deferredStored: () => void events.push('deferredRows stored'),
    release: (effect) => void events.push(`released ${effect.kind}`),
    releaseFailed: () => {},
    failed: () => {},
    broken: () => {},
  });
  const names = () =>
    commits.map((rows) => rows.map((row) => (row.kind === 'meta' ? `${row.name} ${row.value}` : '')));
  return { turn, clock, commits, events, names, engine, disk };
}
const meta = (name: string, value: number): Row => ({ kind: 'meta', name, value });
const FORGOTTEN: Effect = { kind: 'forgotten', orderId: 'x' };

describe('a commit', () => {
  it('has its rows in the order in which they came, so that the newer value of one name stays, and then what says where the market is', async () => {
    const { turn, clock, names, engine, events } = turnOf();
    turn.keep(meta('kept', 1));
    turn.store([meta('x', 1)], false);
    turn.store([meta('y', 1)], false);
    await clock.settle();
    expect(names()).toEqual([]);
    turn.store([meta('x', 2)], true);
    await clock.settle();
    expect(names()).toEqual([['kept 1', 'x 1', 'y 1', 'x 2', 'cursor 1']]);
    expect(events).toEqual(['commit', 'deferredRows stored', 'bots told']);
    expect(engine.memory.movedPeaks.size).toBe(0);
    turn.store([meta('z', 1)], true);
    turn.keep(meta('z', 2));
    turn.store([meta('z', 3)], false);
    await clock.settle();
    expect(names()[1]).toEqual(['z 1', 'z 2', 'z 3', 'cursor 1']);
  });

  it('comes for the rows that belong to an effect, though the step itself needs none, and before the effect', async () => {
    const { turn, clock, names, events } = turnOf();
    turn.take({ rows: [], effects: [FORGOTTEN], force: false });
    await clock.settle();
    expect(names()).toEqual([['alert 1', 'cursor 1']]);
    expect(events).toEqual(['commit', 'deferredRows stored', 'bots told', 'released forgotten']);
  });

  it.each(['kept', 'riding'])('comes by itself once more than a thousand rows are %s', async (how) => {
    const { turn, clock, commits } = turnOf();
    const add = (n: number) =>
      how === 'kept' ? turn.keep(meta(`m${n}`, n)) : turn.store([meta(`m${n}`, n)], false);
    for (let n = 0; n < 1_000; n++) add(n);
    await clock.settle();
    expect(commits).toEqual([]);
    add(1_000);
    await clock.settle();
    expect(commits.map((rows) => rows.length)).toEqual([1_002]);
    add(1_001);
    await clock.settle();
    expect(commits).toHaveLength(1);
  });

  it('at the end takes what rides; without anything that waits there is none', () => {
    const { turn, commits } = turnOf();
    turn.flush(true);
    expect(commits).toEqual([]);
    turn.keep(meta('a', 1));
    turn.flush();
    expect(commits).toEqual([]);
    turn.flush(true);
    turn.store([meta('b', 1)], false);
    turn.flush(true);
    expect(commits.map((rows) => rows.length)).toEqual([2, 2]);
  });

  it('that fails loses nothing of what is true whatever the engine knows, nor does the next that fails, and it is stored once', async () => {
    const { turn, clock, names, disk } = turnOf();
    disk.isFull = true;
    for (const name of ['a', 'b', 'c']) {
      turn.keep(meta(name, 1));
      turn.store([meta(`lost with ${name}`, 1)], true);
      await clock.settle();
    }
    disk.isFull = false;
    for (const name of ['x', 'y']) {
      turn.store([meta(name, 1)], true);
      await clock.settle();
    }
    expect(names()).toEqual([
      ['a 1', 'b 1', 'c 1', 'x 1', 'cursor 1'],
      ['y 1', 'cursor 1'],
    ]);
  });

  it('is what reads of its turn wait for; without one they come at once', async () => {
    const { turn, clock, commits, events } = turnOf();
    const read = () => commits.length;
    await expect(turn.read(read)).resolves.toBe(0);
    turn.store([meta('a', 1)], true);
    turn.take({ rows: [], effects: [FORGOTTEN], force: false });
    const reading = turn.read(() => events.push('read'));
    expect(events).toEqual([]);
    await clock.settle();
    await reading;
    expect(events).toEqual(['commit', 'deferredRows stored', 'bots told', 'released forgotten', 'read']);
  });
});
