/**
 * Terminals get their messages one after the other: local ones at once, remote ones a moment apart, none
 * forgotten.
 */
import { expect, it } from 'vitest';
import { APART_MS, Turns } from '../../../src/desk/console/turns.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function rig() {
  const clock = new VirtualClock();
  const turns = new Turns(clock);
  const from = clock.monotonic();
  const told: [name: string, at: number][] = [];
  const add = (name: string, isLocal: boolean) =>
    turns.add(() => told.push([name, clock.monotonic() - from]), isLocal);
  return { clock, told, add };
}

it('those of others come a moment after each other, in their order', async () => {
  const { clock, told, add } = rig();
  for (const name of ['a', 'b', 'c']) add(name, false);
  await clock.advance(10 * APART_MS);
  expect(told).toEqual([
    ['a', 0],
    ['b', APART_MS],
    ['c', 2 * APART_MS],
  ]);
  add('d', false);
  expect(told.at(-1)).toEqual(['d', 10 * APART_MS]);
});

it('one of this machine waits for no other', async () => {
  const { clock, told, add } = rig();
  for (const name of ['a', 'b']) add(name, false);
  for (const name of ['own', 'light']) add(name, true);
  await clock.advance(0);
  expect(told).toEqual(['a', 'own', 'light'].map((name) => [name, 0]));
  await clock.advance(APART_MS);
  expect(told.at(-1)).toEqual(['b', APART_MS]);
});

it('one a turn: what runs in between has its own', async () => {
  const { clock, told, add } = rig();
  const turns: string[] = [];
  add('own', true);
  turns.push(told.map(([name]) => name).join());
  add('light', true);
  turns.push(told.map(([name]) => name).join());
  await clock.advance(0);
  turns.push(told.map(([name]) => name).join());
  expect(turns).toEqual(['own', 'own', 'own,light']);
});

it('one that throws keeps nobody from its turn', async () => {
  const clock = new VirtualClock();
  const turns = new Turns(clock);
  const told: string[] = [];
  expect(() =>
    turns.add(() => {
      throw new Error('broken');
    }, true),
  ).toThrow('broken');
  turns.add(() => told.push('next'), true);
  await clock.advance(0);
  expect(told).toEqual(['next']);
});
