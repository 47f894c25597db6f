/**
 * The liquidation price: where the remaining balance equals the maintenance margin, in the tier that applies
 * there, nearest to the mark.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dec, dec, mul, str, ZERO } from '../../src/domain/decimal.ts';
import { liquidationPrice } from '../../src/domain/margin/liquidation-price.ts';
import type { Tiers } from '../../src/domain/margin/tiers.ts';

/**
 * Up to 1,000: 1 %; to 5,000: 2 %; beyond: 5 %. Cumulative amounts as exchanges state them: no step at the
 * edges.
 */
const TIERS: Tiers = [
  { leverage: 50, floor: ZERO, cap: dec('1000'), rate: dec('0.01'), cumulative: ZERO },
  { leverage: 20, floor: dec('1000'), cap: dec('5000'), rate: dec('0.02'), cumulative: dec('10') },
  { leverage: 5, floor: dec('5000'), cap: dec('100000000'), rate: dec('0.05'), cumulative: dec('160') },
];

const size = (amount: Dec) => (amount < ZERO ? -amount : amount);

/** Margin balance less maintenance margin at a price. */
function left(wallet: Dec, legs: readonly { amount: Dec; cost: Dec }[], price: Dec): Dec {
  return legs.reduce((sum, { amount, cost }) => {
    const value = mul(size(amount), price);
    const tier = TIERS.findLast(({ floor }) => value >= floor);
    if (!tier) throw new Error('no tier');
    return sum + mul(amount, price) - cost - (mul(value, tier.rate) - tier.cumulative);
  }, wallet);
}

const leg = (amount: string, entry: string) => ({ amount: dec(amount), cost: mul(dec(amount), dec(entry)) });
const of = (wallet: string, legs: ReturnType<typeof leg>[], mark: string) => {
  const price = liquidationPrice(dec(wallet), legs, TIERS, dec(mark));
  return price === null ? null : str(price);
};

describe('the liquidation price', () => {
  it.each([
    // 100 + 1 x (P - 900) = 1 % of P
    ['of a long in the first tier', '100.8', [leg('1', '900')], '900', '807.272727272727272727272727272727'],
    // 89 + 900 - P = 1 % of P
    ['of a short in the first tier', '100', [leg('-1', '890')], '890', '980.198019801980198019801980198020'],
    // 200 + 900 - P = 2 % of P - 10
    [
      'of a short that grows into the second',
      '200',
      [leg('-1', '900')],
      '900',
      '1088.235294117647058823529411764706',
    ],
    ['of nothing', '100', [], '900', null],
    ['of a flat position', '100', [leg('0', '900')], '900', null],
    ['of a long that the wallet pays for whole', '900', [leg('1', '900')], '900', null],
  ] as const)('%s', (_name, wallet, legs, mark, price) => {
    const found = of(wallet, [...legs], mark);
    if (price === null || found === null) expect(found).toBe(price);
    else expect(Number(found)).toBeCloseTo(Number(price), 9);
  });

  it('at the very edge of two tiers is that edge', () => {
    // 10 + 1 x (1,000 - 1,000) = 1 % of 1,000 = 2 % of 1,000 - 10
    expect(of('10', [leg('1', '1000')], '1100')).toBe('1000');
    expect(of('10', [leg('-1', '1000')], '900')).toBe('1000');
  });

  it('is where nothing is left to lose, and no such price is nearer to the mark', () => {
    const amount = fc.integer({ min: 1, max: 9_000 }).map((n) => dec(`${n / 1000}`));
    const entry = fc.integer({ min: 100, max: 3_000 }).map((n) => dec(`${n}`));
    const legs = fc.oneof(
      fc.tuple(amount, entry).map(([a, e]) => [{ amount: a, cost: mul(a, e) }]),
      fc.tuple(amount, entry).map(([a, e]) => [{ amount: -a, cost: mul(-a, e) }]),
      fc.tuple(amount, entry, amount, entry).map(([a, e, b, f]) => [
        { amount: a, cost: mul(a, e) },
        { amount: -b, cost: mul(-b, f) },
      ]),
    );
    fc.assert(
      fc.property(legs, fc.integer({ min: 1, max: 5_000 }), entry, (open, wallet, mark) => {
        const money = dec(`${wallet}`);
        const price = liquidationPrice(money, open, TIERS, mark);
        if (price !== null) expect(size(left(money, open, price)) < dec('0.0000001')).toBe(true);
        // The balance does not change its sign between the mark and that price.
        const end = price ?? dec('20000');
        const sign = left(money, open, mark) > ZERO;
        for (let n = 1; n < 40; n++) {
          const at = mark + ((end - mark) * BigInt(n)) / 40n;
          if (size(at - end) < dec('0.01')) continue;
          const there = left(money, open, at);
          if (size(there) > dec('0.0001')) expect(there > ZERO).toBe(sign);
        }
      }),
    );
  });
});
