/**
 * A reduction by others is taken from several lots in proportion, to one step, the remainder from the
 * oldest.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fill } from '../../../src/bots/run/contract.ts';
import { LotBook, newLotState } from '../../../src/bots/run/lots.ts';
import { inProportion } from '../../../src/bots/run/proportion.ts';
import { type Dec, dec, mul, ONE, str, ZERO } from '../../../src/domain/decimal.ts';
import { rules } from '../backtest/support.ts';

const STEP = dec('0.001');
const sumOf = (list: readonly Dec[]) => list.reduce((sum, one) => sum + one, ZERO);

describe('a cut', () => {
  it('is in proportion to one step, whole, in steps, and never more than there is', () => {
    const amounts = fc.array(
      fc.integer({ min: 1, max: 5_000 }).map((steps) => BigInt(steps) * STEP),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 1_000 }), (held, permille) => {
        const sum = sumOf(held);
        const cut = (((sum / STEP) * BigInt(permille)) / 1_000n) * STEP;
        const shares = inProportion(held, cut, STEP);
        expect(sumOf(shares)).toBe(cut);
        for (const [i, share] of shares.entries()) {
          const amount = held[i] ?? ZERO;
          expect(share >= ZERO && share <= amount && share % STEP === ZERO).toBe(true);
          const off = share * sum - amount * cut;
          // A share that was exact may receive a whole step of the remainder; none is reduced by one.
          expect(off <= STEP * sum && off > -STEP * sum, `${str(share)} of ${str(amount)}`).toBe(true);
        }
        // A lot that gives a step more than its share rounded down is older than one that does not.
        const more = shares.map((share, i) => share > (((held[i] ?? ZERO) * cut) / sum / STEP) * STEP);
        const roomy = more.filter((_, i) => shares[i] !== held[i] || more[i]);
        expect(roomy).toEqual([...roomy].sort((a, b) => Number(b) - Number(a)));
      }),
    );
  });

  it('takes the remainder from the oldest', () => {
    const shares = (held: readonly string[], cut: string) =>
      inProportion(held.map(dec), dec(cut), STEP).map(str);
    expect(shares(['1', '1', '1'], '1')).toEqual(['0.334', '0.333', '0.333']);
    expect(shares(['0.001', '5'], '4.999')).toEqual(['0.001', '4.998']);
    expect(shares(['2', '4'], '6')).toEqual(['2', '4']);
    // A lot of less than a step gives no more than it has.
    expect(shares(['0.0004', '5'], '4.9995')).toEqual(['0.0004', '4.9991']);
    expect(shares(['1.0004', '1.0004', '1.0004'], '3.0011')).toEqual(['1.0004', '1.0004', '1.0003']);
  });
});

describe('the lots of a run on futures', () => {
  const fill = (qty: string, price: string): Fill => ({
    price: dec(price),
    qty: dec(qty),
    fee: ZERO,
    feeAsset: 'USDT',
    maker: false,
  });
  const book = (short = false) => {
    const lots = new LotBook(newLotState(), rules({ kind: 'futures', step: STEP }), short);
    const qty = (key: string) => str(lots.get(key)?.qty ?? ZERO);
    return { lots, qty, state: lots.state };
  };

  it.each([
    [false, '-10'],
    [true, '10'],
  ])('that others close earn and lose what their price makes of them (short: %s)', (short, realised) => {
    const { lots, qty, state } = book(short);
    lots.buy('a', 'a', fill('1', '100'), ONE, 0);
    lots.buy('b', 'b', fill('3', '100'), dec('3'), 1);
    expect(lots.lose(dec('1'), dec('90'), ZERO)).toEqual([]);
    expect([qty('a'), qty('b'), str(state.realised), str(state.lost)]).toEqual([
      '0.75',
      '2.25',
      realised,
      '1',
    ]);
    expect(lots.cost()).toBe(dec('300'));
    expect(lots.lose(dec('3'), dec('90'), dec('2'))).toEqual(['a', 'b']);
    expect(str(state.realised)).toBe(str(mul(dec(realised), dec('4')) - dec('2')));
    expect([str(state.volume), lots.open.length]).toEqual(['400', 0]);
  });

  it('earn nothing by what an exit has sold beyond them', () => {
    const { lots, state } = book();
    lots.buy('a', 'a', fill('1', '100'), ONE, 0);
    expect(lots.sell(['a'], fill('3', '110'))).toEqual(['a']);
    expect([str(state.realised), str(state.oversold)]).toEqual(['10', '2']);
    // No lot is left to which it could belong.
    lots.sell(['a'], fill('1', '120'));
    expect([str(state.realised), str(state.oversold)]).toEqual(['10', '3']);
  });
});
