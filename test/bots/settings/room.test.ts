/** R7: a deposit on futures leaves room for its entry's fee and opening loss. */
import { describe, expect, it } from 'vitest';
import { largestBudget } from '../../../src/bots/settings/room.ts';
import { dec, floorTo, mul, ONE, str } from '../../../src/domain/decimal.ts';
import { scene } from './room-scene.ts';

const RULES = { kind: 'futures', takerRate: dec('0.0005') } as Parameters<typeof largestBudget>[2];
const MARKET = { buy: null, short: false };
const worse = (percent: string) => ({ type: 'LIMIT' as const, worsePercent: dec(percent), size: 1 });

describe('the largest deposit', () => {
  it('is all of it on spot', () => {
    expect(str(largestBudget(dec('1000'), MARKET, { ...RULES, kind: 'spot' }, ONE))).toBe('1000');
  });

  it('leaves the taker fee of its notional', () => {
    const budget = largestBudget(dec('1000'), MARKET, RULES, dec('10'));
    expect(str(floorTo(budget, dec('0.01')))).toBe('995.02');
    const spent = budget + mul(mul(budget, dec('10')), dec('0.0005'));
    expect(spent <= dec('1000')).toBe(true);
    expect(spent).toBeGreaterThan(dec('999.999999'));
  });

  it.each([false, true])('leaves what a worse limit loses as it opens, short %s', (short) => {
    const budget = largestBudget(dec('1000'), { buy: worse('2'), short }, RULES, dec('10'));
    const limit = short ? dec('98') : dec('102');
    const qty = (budget * 10n * ONE) / limit;
    const spent = budget + mul(qty, dec('2')) + mul(mul(qty, limit), dec('0.0005'));
    expect(spent <= dec('1000.000001')).toBe(true);
    expect(spent).toBeGreaterThan(dec('999.999'));
  });
});

describe('a start on futures', () => {
  // proves: bot ruling R7
  it('takes a percentage as it is where it fits, and the largest that fits where it does not', () => {
    expect(scene('50', 'percent').budget).toBe('500');
    expect(scene('100', 'percent').budget).toBe('995.02');
  });

  // proves: bot ruling R7
  it('refuses a fixed deposit that leaves no room, and names the largest that does', () => {
    expect(scene('995', 'fixed').problem).toBeNull();
    expect(scene('1000', 'fixed').problem).toEqual({
      path: 'deposit.value',
      message:
        'deposit 1000 leaves no room for the fee and the opening loss of its entry: 1000 USDT is available, at most 995.02 fits',
    });
  });
});
