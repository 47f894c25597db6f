/** Modes and leverages of contracts of Bybit, as positions tell them, and what may have changed unheard. */
import { expect, it } from 'vitest';
import { AccountFacts } from '../../../src/venues/bybit/account-facts.ts';
import type { PositionRow } from '../../../src/venues/bybit/messages.ts';

const symbol = 'BTCUSDT';
const flat = (positionIdx: 0 | 1 | 2, leverage: string) =>
  ({ symbol, positionIdx, side: '', size: '0', leverage }) as PositionRow;
const told = (facts: AccountFacts) =>
  facts.leverage([symbol]).map(({ side, leverage }) => `${side} ${leverage}`);

it('a leverage is of the mode in which it was told, and of both sides where one was told', () => {
  const facts = new AccountFacts();
  expect([facts.isHedged(symbol), told(facts)]).toEqual([null, []]);
  facts.position(flat(0, '5'));
  expect([facts.isHedged(symbol), told(facts)]).toEqual([false, ['BOTH 5']]);
  facts.position(flat(1, '7'));
  expect([facts.isHedged(symbol), told(facts)]).toEqual([true, ['LONG 7', 'SHORT 7']]);
  facts.position(flat(2, '9'));
  expect(told(facts)).toEqual(['LONG 7', 'SHORT 9']);
  facts.setLeverage(symbol, 3);
  expect(told(facts)).toEqual(['LONG 3', 'SHORT 3']);
  facts.position(flat(0, ''));
  expect(told(facts)).toEqual(['BOTH 1']);
});

it('what may have changed is as it was told last, and not known, until it is told again', () => {
  const facts = new AccountFacts();
  facts.position(flat(0, '5'));
  for (let times = 0; times < 2; times++) {
    expect(facts.knows(symbol)).toBe(true);
    facts.doubtModes();
    expect([facts.knows(symbol), told(facts)]).toEqual([false, ['BOTH 5']]);
    facts.position(flat(0, '5'));
  }
  facts.forgetModes();
  expect([facts.knows(symbol), facts.isHedged(symbol), told(facts)]).toEqual([false, null, []]);
});
