/**
 * The spent part of a run's budget after profits: the account's money stays the account's, also when the
 * profit is lost again.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fill } from '../../../src/bots/run/contract.ts';
import { LotBook, type LotState, newLotState } from '../../../src/bots/run/lots.ts';
import { dec, str, ZERO } from '../../../src/domain/decimal.ts';
import { rules } from '../backtest/support.ts';

const fill = (qty: string, price: string, fee = '0'): Fill => ({
  price: dec(price),
  qty: dec(qty),
  fee: dec(fee),
  feeAsset: 'USDT',
  maker: false,
});

function book(state = newLotState(), profitAsset: 'quote' | 'base' = 'quote') {
  const lots = new LotBook(state, rules({ step: dec('0.01') }), false, profitAsset);
  return {
    lots,
    buy: (key: string, qty: string, price: string, fee = '0') =>
      lots.buy(key, key, fill(qty, price, fee), dec(qty), 0),
    sell: (key: string, qty: string, price: string, fee = '0') => lots.sell([key], fill(qty, price, fee)),
    spent: () => str(lots.spent()),
  };
}

// proves: bot deposit reserve
describe('what a run has spent of its budget', () => {
  it('is what its lots have cost, whatever was earned before', () => {
    const { buy, sell, spent } = book();
    buy('a', '1', '100');
    expect(spent()).toBe('100');
    sell('a', '1', '120');
    expect(spent()).toBe('0');
    buy('b', '1', '100');
    expect(spent()).toBe('100');
  });

  it('is the whole loss that follows on a profit, and less again by a profit that follows on the loss', () => {
    const { buy, sell, spent } = book();
    buy('a', '1', '100');
    sell('a', '1', '120');
    buy('b', '1', '100');
    sell('b', '1', '85');
    expect(spent()).toBe('15');
    buy('c', '1', '100');
    sell('c', '1', '110');
    expect(spent()).toBe('5');
    buy('d', '1', '100');
    sell('d', '1', '110');
    expect(spent()).toBe('0');
    buy('e', '1', '100');
    sell('e', '1', '99');
    expect(spent()).toBe('1');
  });

  it('has what each part of a sale has earned, and fees and rebates as they come', () => {
    const { buy, sell, spent } = book();
    buy('a', '2', '100', '-1');
    expect(spent()).toBe('200');
    sell('a', '1', '120', '0.5');
    expect(spent()).toBe('100');
    sell('a', '1', '90', '0.5');
    expect(spent()).toBe('10.5');
  });

  it('has what the dust has cost, also when it is of a lot again', () => {
    const { lots, buy, sell, spent } = book();
    buy('a', '1', '100');
    sell('a', '1', '120');
    buy('b', '1.004', '100');
    expect(str(lots.sellable(['b'], dec('100')))).toBe('1');
    expect(spent()).toBe('100.4');
    buy('c', '1.006', '100');
    expect(str(lots.sellable(['c'], dec('100')))).toBe('1.01');
    expect(spent()).toBe('201');
    sell('b', '1', '100');
    sell('c', '1.01', '100');
    expect(spent()).toBe('0');
  });

  it('is nothing for dust that the profit of its own sale has paid for, so that the next entry has the whole budget', () => {
    const { lots, buy, sell, spent } = book();
    buy('a', '1.004', '100');
    lots.sellable(['a'], dec('100'));
    sell('a', '1', '120');
    expect([spent(), str(lots.state.dustCost), str(lots.state.earned)]).toEqual(['0', '0.4', '19.6']);
    buy('b', '1.004', '100');
    lots.sellable(['b'], dec('100'));
    sell('b', '1', '120');
    expect(spent()).toBe('0');
  });

  it('is all of its cost for dust that is held again: what had paid for it was earned, and pays for no loss', () => {
    const { lots, buy, sell, spent } = book();
    buy('a', '1.004', '100');
    lots.sellable(['a'], dec('100'));
    sell('a', '1', '120');
    buy('b', '1.006', '100');
    expect(str(lots.sellable(['b'], dec('100')))).toBe('1.01');
    expect([spent(), str(lots.state.dustCost), str(lots.state.earned)]).toEqual(['101', '0', '20']);
    sell('b', '1.01', '90');
    expect(spent()).toBe('10.1');
  });

  it('is never less than what the lots have cost, and never claims what was beyond it, whatever happens to them', () => {
    const amount = (max: number) => fc.integer({ min: 1, max }).map((cents) => `${cents / 100}`);
    const step = fc.record({
      what: fc.constantFrom('buy', 'sell', 'sellable', 'keep'),
      key: fc.constantFrom('a', 'b'),
      qty: fc.integer({ min: 1, max: 3_000 }).map((mills) => `${mills / 1_000}`),
      price: amount(20_000),
      fee: amount(100),
    });
    const steps = fc.array(step, { maxLength: 30 });
    fc.assert(
      fc.property(steps, fc.constantFrom('quote' as const, 'base' as const), (taken, profitAsset) => {
        const { lots, buy, sell } = book(newLotState(), profitAsset);
        let free = ZERO;
        for (const { what, key, qty, price, fee } of taken) {
          if (what === 'buy') buy(key, qty, price, fee);
          else if (what === 'sell') sell(key, qty, price, fee);
          else if (what === 'sellable') lots.sellable([key], dec(price));
          else if (profitAsset === 'base') lots.keep([key]);
          // Out of budget - paid, the run keeps budget - spent.
          const others = lots.spent() - lots.paid();
          expect(others >= free && others >= ZERO).toBe(true);
          free = others;
          expect(lots.spent() >= (profitAsset === 'base' ? ZERO : lots.cost())).toBe(true);
        }
      }),
    );
  });

  // proves: bot common profitAsset base
  it('is, with the profit kept in base, all that has not come back: a part of a sale earns nothing by itself', () => {
    const { lots, buy, sell, spent } = book(newLotState(), 'base');
    buy('a', '1', '100');
    sell('a', '0.4', '125');
    expect(spent()).toBe('50');
    sell('a', '0.4', '125');
    expect(spent()).toBe('0');
    lots.keep(['a']);
    expect(spent()).toBe('0');
    expect(str(lots.state.kept)).toBe('0.2');
    buy('b', '1', '100');
    expect(spent()).toBe('100');
    sell('b', '1', '90');
    expect(spent()).toBe('10');
  });

  // proves: bot common profitAsset base
  it('is not less, with the profit kept in base, by what a rounded sale or a stop has brought beyond the cost', () => {
    const { lots, buy, sell, spent } = book(newLotState(), 'base');
    buy('a', '1', '100');
    sell('a', '0.81', '125');
    lots.keep(['a']);
    expect(spent()).toBe('0');
    buy('b', '1', '100');
    expect(spent()).toBe('100');
    sell('b', '1', '110');
    expect(spent()).toBe('0');
    buy('c', '1', '100');
    sell('c', '1', '99');
    expect(spent()).toBe('1');
  });

  it.each(['quote', 'base'] as const)(
    'is the same for a book that is taken up again, profits in %s',
    (profitAsset) => {
      const one = book(newLotState(), profitAsset);
      one.buy('a', '1', '100');
      one.sell('a', '1', '120');
      one.buy('b', '1', '100');
      one.sell('b', '1', '85');
      expect(book(structuredClone(one.lots.state), profitAsset).spent()).toBe('15');
    },
  );

  it('begins, in a book of before this was counted, at what is earned now', () => {
    const old = (realised: string): LotState => {
      const { earned: _, ...state } = newLotState();
      return { ...state, realised: dec(realised) } as LotState;
    };
    const earning = book(old('20'));
    expect([earning.spent(), str(earning.lots.state.earned)]).toEqual(['0', '20']);
    earning.buy('a', '1', '100');
    earning.sell('a', '1', '85');
    expect(earning.spent()).toBe('15');
    const losing = book(old('-20'));
    expect([losing.spent(), losing.lots.state.earned]).toEqual(['20', ZERO]);
  });
});
