/**
 * What each way of refusing an entry means for two entries of one run (strategies.md 2, run rule 3): when each
 * is tried again, what is said, and what ends the run.
 */
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import type { OrderChange, RunOrder } from '../../../src/bots/run/contract.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { Lonely } from './lonely.ts';

type Why = Extract<OrderChange, { kind: 'rejected' }>['why'];

const LEVELS = {
  levels: [
    { buy: '44000', sell: '46000' },
    { buy: '43000', sell: '45500' },
  ],
};
const NO_RESERVE = { deposit: { value: '1000', asset: 'USDT', allocate: 'no_reserve' } };

/** A run with two entries that were asked for. */
function two(changes: object = {}) {
  const lonely = new Lonely('LEVELS', { ...LEVELS, ...changes }, '45000');
  const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
  return {
    lonely,
    upper,
    lower,
    refuse: ({ key }: RunOrder, why: Why, sent = true) =>
      lonely.change({ key, kind: 'rejected', reason: 'no', why, sent }),
    /** `slot price` of what was placed, and what was said. */
    asked: () => {
      const actions = lonely.asked();
      return {
        placed: actions.flatMap((one) => (one.do === 'place' ? [one.order] : [])),
        said: actions.flatMap((one) => (one.do === 'notice' ? [one.text] : [])),
        cancels: actions.filter((one) => one.do === 'cancel').length,
      };
    },
  };
}

describe('an entry that is kept back by a guard or cannot be judged yet', () => {
  it.each([
    ['guard', ['cell 44000-46000: waits, no']],
    ['later', []],
  ] as const)('%s: comes again every five seconds for ever, said once for all entries', (why, said) => {
    const { lonely, upper, lower, refuse, asked } = two();
    refuse(upper, why);
    refuse(lower, why);
    expect(asked()).toEqual({ placed: [], said, cancels: 0 });
    for (let n = 0; n < 6; n++) {
      lonely.wait(4_999);
      lonely.tick('44900');
      // A tick takes a second of its own: the tries were due in between.
      lonely.wait(0);
      const again = asked();
      expect(again.placed.map(({ slot, price, qty }) => ({ slot, price, qty }))).toEqual(
        [upper, lower].map(({ slot, price, qty }) => ({ slot, price, qty })),
      );
      expect([again.said, lonely.run.state.phase]).toEqual([[], 'running']);
      for (const order of again.placed) refuse(order, why);
      expect(asked().said).toEqual([]);
    }
  });

  it('not a moment before five seconds, and each at its own time', () => {
    const { lonely, upper, lower, refuse, asked } = two();
    refuse(upper, 'guard');
    lonely.wait(2_000);
    refuse(lower, 'guard');
    lonely.wait(2_999);
    expect(asked().placed).toEqual([]);
    lonely.wait(1);
    expect(asked().placed.map(({ slot }) => slot)).toEqual([upper.slot]);
    lonely.wait(1_999);
    expect(asked().placed).toEqual([]);
    lonely.wait(1);
    expect(asked().placed.map(({ slot }) => slot)).toEqual([lower.slot]);
  });

  it('is said again when a guard keeps one back after all of them had gone out', () => {
    const { lonely, upper, lower, refuse, asked } = two();
    refuse(upper, 'guard');
    refuse(lower, 'guard');
    expect(asked().said).toHaveLength(1);
    lonely.wait(5_000);
    const [first, second] = asked().placed as [RunOrder, RunOrder];
    lonely.change({ key: first.key, kind: 'accepted' });
    // The other one still waits, and it was said for both.
    refuse(second, 'guard');
    expect(asked().said).toEqual([]);
    lonely.wait(5_000);
    const [again] = asked().placed as [RunOrder];
    lonely.change({ key: again.key, kind: 'accepted' });
    lonely.change({ key: again.key, kind: 'ended' });
    const [anew] = asked().placed as [RunOrder];
    refuse(anew, 'guard');
    expect(asked().said).toEqual(['cell 43000-45500: waits, no']);
  });

  it('does not count: after it each has its own three tries before the run ends', () => {
    const { lonely, upper, lower, refuse, asked } = two();
    lonely.change({ key: lower.key, kind: 'accepted' });
    let order = upper;
    for (const why of ['guard', 'later', 'guard', 'later'] as const) {
      refuse(order, why);
      lonely.wait(5_000);
      [order] = asked().placed as [RunOrder];
    }
    for (const wait of [1_000, 5_000, 30_000]) {
      refuse(order, 'other');
      expect(asked().said).toEqual(['BUY cell 44000-46000 was rejected: no']);
      lonely.wait(wait - 1);
      expect(asked().placed).toEqual([]);
      lonely.wait(1);
      [order] = asked().placed as [RunOrder];
    }
    expect(lonely.run.state.phase).toBe('running');
    refuse(order, 'other');
    expect(lonely.run.state).toMatchObject({ phase: 'ending', reason: 'error', error: 'no' });
    expect(asked().cancels).toBe(1);
    lonely.change({ key: lower.key, kind: 'ended' });
    expect(lonely.run.state.phase).toBe('ended');
  });
});

describe('an entry that is refused for good', () => {
  it('ends a run that holds nothing at once, and takes back the other entry', () => {
    const { lonely, upper, lower, refuse, asked } = two();
    lonely.change({ key: lower.key, kind: 'accepted' });
    refuse(upper, 'final');
    expect(asked()).toMatchObject({ placed: [], cancels: 1 });
    expect(lonely.run.state).toMatchObject({ phase: 'ending', reason: 'error', error: 'no' });
  });

  it('is given up by a run that holds something, whose exit and other entry stay', () => {
    const { lonely, upper, lower, refuse, asked } = two();
    lonely.change({ key: lower.key, kind: 'accepted' });
    lonely.part(lower, dec('0.004'), '43000');
    const [exit] = asked().placed as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    refuse(upper, 'final');
    const { placed, said, cancels } = asked();
    expect([placed, cancels, lonely.run.state.phase]).toEqual([[], 0, 'running']);
    expect(said).toEqual([
      'BUY cell 44000-46000 was rejected: no',
      'cell 44000-46000: given up, what is held goes on with its exits',
    ]);
    expect([...lonely.run.slots.orders()].map(({ key }) => key).toSorted()).toEqual(
      [lower.key, exit.key].toSorted(),
    );
  });
});

describe('an entry that the balance does not cover', () => {
  it.each([
    ['its budget is reserved', {}, false],
    ['nothing is reserved', NO_RESERVE, true],
  ] as const)('where %s', (_what, changes, isSkipped) => {
    const { lonely, upper, lower, refuse, asked } = two(changes);
    lonely.change({ key: lower.key, kind: 'accepted' });
    let order = upper;
    for (const [i, wait] of [1_000, 5_000, 30_000, 30_000].entries()) {
      refuse(order, 'balance');
      const words = isSkipped
        ? i === 0
          ? ['cell 44000-46000: skipped, no']
          : []
        : ['BUY cell 44000-46000 was rejected: no'];
      if (!isSkipped && i === 3) break;
      expect(asked().said).toEqual(words);
      lonely.wait(wait - 1);
      expect(asked().placed).toEqual([]);
      lonely.wait(1);
      [order] = asked().placed as [RunOrder];
    }
    expect(lonely.run.state.phase).toBe(isSkipped ? 'running' : 'ending');
  });

  it('comes again at its time after a restart, and no earlier', () => {
    const { lonely, upper, refuse, asked } = two(NO_RESERVE);
    refuse(upper, 'balance');
    lonely.wait(1_000);
    const [order] = asked().placed as [RunOrder];
    refuse(order, 'balance');
    asked();
    lonely.again((state) => decodeState(encodeState(state)));
    lonely.wait(4_000);
    expect(lonely.touched()).toEqual([]);
    lonely.wait(1_000);
    const { placed, said } = asked();
    expect([placed.map(({ slot, qty }) => [slot, qty]), said]).toEqual([[[upper.slot, upper.qty]], []]);
  });
});

describe('a cancel that nobody answers', () => {
  it('of a run that was ended by force is asked for again every five seconds until it is done', () => {
    const { lonely, upper, lower, asked } = two();
    for (const { key } of [upper, lower]) lonely.change({ key, kind: 'accepted' });
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: true });
    expect([asked().cancels, lonely.run.state.phase]).toEqual([2, 'ended']);
    lonely.wait(4_999);
    expect(asked().cancels).toBe(0);
    lonely.wait(1);
    expect(asked()).toEqual({ placed: [], said: [], cancels: 2 });
    lonely.change({ key: upper.key, kind: 'stays' });
    lonely.change({ key: lower.key, kind: 'ended' });
    asked();
    lonely.wait(4_999);
    expect(asked().cancels).toBe(0);
    lonely.wait(1);
    expect(lonely.asked()).toEqual([{ do: 'cancel', key: upper.key }]);
    lonely.change({ key: upper.key, kind: 'ended' });
    lonely.wait(60_000);
    expect([lonely.asked(), [...lonely.run.slots.orders()]]).toEqual([[], []]);
  });
});
