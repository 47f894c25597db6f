/**
 * An entry that fills although it was withdrawn belongs to its level by the whole of that level's name: its
 * exit is at the target of that level, not of another one whose name begins like it.
 */
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { Lonely } from '../run/lonely.ts';

/** A run whose entries are all accepted, the one that rests highest first. */
function resting(
  kind: 'FIBO' | 'GRID',
  changes: Record<string, unknown>,
  price: string,
): [Lonely, RunOrder[]] {
  const lonely = new Lonely(kind, changes, price);
  const entries = lonely.placed();
  for (const { key } of entries) lonely.change({ key, kind: 'accepted' });
  return [lonely, entries];
}

it('FIBO: a fill of 0.500 is none of 0', () => {
  const [lonely, entries] = resting('FIBO', { onetime: false }, '46000');
  const [upper, lower] = entries as [RunOrder, RunOrder];
  lonely.fill(lower, '40000');
  const [exit] = lonely.placed() as [RunOrder];
  expect(exit).toMatchObject({ role: 'exit', price: dec('45000') });
  // The cycle is over and the upper entry is withdrawn.
  lonely.fill(exit, '45000');
  expect(lonely.asked()).toContainEqual({ do: 'cancel', key: upper.key });
  lonely.fill(upper, '45000');
  expect(lonely.placed()).toMatchObject([
    { role: 'exit', price: dec('50000'), from: [upper.into[0]?.lot], label: 'channel 0.500' },
  ]);
});

it('GRID: a fill of the eleventh cell is none of the second', () => {
  const grid = { low: '40000', high: '46000', count: 13 };
  const [lonely, entries] = resting('GRID', { grid, trailUp: true }, '45900');
  const entry = entries.find(({ slot }) => slot === 'entry 10') as RunOrder;
  expect(entry.price).toBe(dec('45000'));
  lonely.tick('46100');
  expect(lonely.asked()).toContainEqual({ do: 'cancel', key: entry.key });
  // The grid has moved up by one cell, of 500.
  lonely.fill(entry, '45000');
  expect(lonely.placed()).toMatchObject([{ role: 'exit', price: dec('46000'), from: [entry.into[0]?.lot] }]);
});
