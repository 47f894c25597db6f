/** Executions that a wallet's ledger names: when they are asked for, and which. */
import { expect, it } from 'vitest';
import { NAMED_EVERY_MS, NAMED_SOON_MS, NamedTrades } from '../../../src/desk/core/named-trades.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

it('each symbol is asked for once after it was named, together with others, soon and then after a while', async () => {
  const clock = new VirtualClock();
  const from = clock.monotonic();
  const asked: [at: number, symbols: readonly string[]][] = [];
  const line = { isUp: true, answers: true, failed: 0 };
  const named = new NamedTrades({
    clock,
    read: async (symbols) => {
      asked.push([clock.monotonic() - from, symbols]);
      return line.answers;
    },
    isUp: () => line.isUp,
    failed: () => {
      line.failed += 1;
    },
  });
  named.add([]);
  named.add(['A']);
  await clock.advance(NAMED_SOON_MS - 1);
  named.add(['B', 'A']);
  expect(asked).toEqual([]);
  await clock.advance(1);
  expect(asked).toEqual([[NAMED_SOON_MS, ['A', 'B']]]);
  named.add(['C']);
  await clock.advance(NAMED_EVERY_MS - 1);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  expect(asked[1]).toEqual([NAMED_SOON_MS + NAMED_EVERY_MS, ['C']]);
  // A long time later it is soon again.
  await clock.advance(2 * NAMED_EVERY_MS);
  line.answers = false;
  named.add(['D']);
  await clock.advance(NAMED_SOON_MS);
  expect([asked[2]?.[1], line.failed]).toEqual([['D'], 1]);
  // What is named while the line is down is left to the comparison after its return.
  line.isUp = false;
  named.add(['E']);
  await clock.advance(2 * NAMED_EVERY_MS);
  line.isUp = true;
  named.add(['F']);
  await clock.advance(NAMED_SOON_MS);
  expect([asked.length, asked[3]?.[1], line.failed]).toEqual([4, ['F'], 2]);
  named.add(['G']);
  named.close();
  named.add(['H']);
  await clock.advance(2 * NAMED_EVERY_MS);
  expect(asked).toHaveLength(4);
});

it('one that is named while others are asked for is asked for next, and no other again', async () => {
  const clock = new VirtualClock();
  const asked: (readonly string[])[] = [];
  const answers: ((whole: boolean) => void)[] = [];
  const named = new NamedTrades({
    clock,
    read: (symbols) => {
      asked.push(symbols);
      return new Promise((resolve) => answers.push(resolve));
    },
    isUp: () => true,
    failed: () => {},
  });
  named.add(['A']);
  await clock.advance(NAMED_SOON_MS);
  named.add(['B']);
  answers[0]?.(true);
  await clock.advance(NAMED_EVERY_MS);
  expect(asked).toEqual([['A'], ['B']]);
});
