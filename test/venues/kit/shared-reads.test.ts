/** One read of a list serves all who asked before it began, and nobody who asked later. */
import { expect, it } from 'vitest';
import { SharedReads } from '../../../src/venues/kit/shared-reads.ts';

const soon = () => new Promise((resolve) => setImmediate(resolve));

function rig() {
  const reads = new SharedReads<number>();
  const begun: PromiseWithResolvers<number>[] = [];
  const ask = (name = 'list') =>
    reads.ask(name, () => {
      const one = Promise.withResolvers<number>();
      begun.push(one);
      return one.promise;
    });
  return { begun, ask };
}

it('who asks while one is under way waits for the next, which serves all of them', async () => {
  const { begun, ask } = rig();
  const first = ask();
  const later = [ask(), ask(), ask()];
  expect(begun).toHaveLength(1);
  begun[0]?.resolve(1);
  expect(await first).toBe(1);
  await soon();
  expect(begun).toHaveLength(2);
  const last = ask();
  begun[1]?.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
  await soon();
  begun[2]?.resolve(3);
  expect(await last).toBe(3);
  expect(begun).toHaveLength(3);
});

it('one that fails fails for those it serves, and the next begins all the same', async () => {
  const { begun, ask } = rig();
  const first = ask();
  const second = ask();
  begun[0]?.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await soon();
  begun[1]?.resolve(2);
  expect(await second).toBe(2);
  void ask();
  expect(begun).toHaveLength(3);
});

it('other lists are read by themselves', () => {
  const { begun, ask } = rig();
  void ask('one');
  void ask('other');
  expect(begun).toHaveLength(2);
});
