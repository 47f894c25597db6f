/** What an isolated position has set aside after an execution: as much as is left of it needs. */
import { expect, it } from 'vitest';
import { dec, str } from '../../../src/domain/decimal.ts';
import { filled } from '../../../src/domain/margin/after-fill.ts';

it.each([
  // Of a LONG of 2 from 100 with 20 set aside at 10x: quantity, price; what is set aside and realised then.
  ['1', '130', 'ISOLATED', '33', null],
  ['-0.5', '110', 'ISOLATED', '15', '5'],
  ['-2', '90', 'ISOLATED', '0', '-20'],
  ['-5', '110', 'ISOLATED', '33', '20'],
  ['1', '130', 'CROSSED', '20', null],
] as const)('%s at %s (%s): %s set aside, %s realised', (qty, price, marginType, isolated, pnl) => {
  const before = { amount: dec('2'), cost: dec('200'), isolated: dec('20') };
  const after = filled(before, { leverage: 10, marginType }, dec(qty), dec(price));
  expect([str(after.isolated), after.pnl === null ? null : str(after.pnl)]).toEqual([isolated, pnl]);
});
