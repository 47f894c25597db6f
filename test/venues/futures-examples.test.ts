/**
 * Worked examples of the exchange's public documentation against the formulas of the paper exchange. Each row
 * names its source.
 */
import { describe, expect, it } from 'vitest';
import { type Dec, dec, fixed, mul, str } from '../../src/domain/decimal.ts';
import { applyFill } from '../../src/domain/margin/fill.ts';
import { liquidationPriceOf } from '../../src/domain/margin/liquidation-price.ts';
import { entryPrice, unrealised } from '../../src/domain/margin/position.ts';
import { maintenanceMargin, maxNotional } from '../../src/domain/margin/tiers.ts';
import { readTiers, tiersOf } from '../../src/venues/paper/futures/brackets.ts';
import { fundingOf } from '../../src/venues/paper/futures/position-math.ts';
import { FuturesBench } from './futures-support.ts';

/** One leg: a long position at its entry price. */
function long(amount: string, entry: string, rate: string, cumulative: string) {
  return {
    amount: dec(amount),
    cost: mul(dec(amount), dec(entry)),
    rate: dec(rate),
    cumulative: dec(cumulative),
  };
}

/**
 * Binance FAQ b3c689c1f50a44cabb3a84e663b81d93, "How to Calculate Liquidation Price of USDT-M Futures
 * Contracts": wallet 1,535,443.01 USDT, long 3,683.979 ETHUSDT at 1,456.84 and long 109.488 BTCUSDT at
 * 32,481.98; marks 1,335.18 and 31,967.27. The page shows the figures as a picture; they are quoted in
 * freqtrade's tests (test_binance.py).
 */
describe('liquidation price (FAQ b3c689c1...)', () => {
  const WALLET = '1535443.01';
  const ETH = long('3683.979', '1456.84', '0.1', '135365');
  const BTC = long('109.488', '32481.98', '0.025', '16300');

  it.each([
    ['one-way, isolated ETH', ETH, '0', '0', '1114.78'],
    ['one-way, isolated BTC', BTC, '0', '0', '18778.73'],
    ['one-way, crossed ETH', ETH, '71200.81144', '-56354.57', '1153.26'],
    ['one-way, crossed BTC', BTC, '356512.508', '-448192.89', '26316.89'],
  ])('%s', (_name, leg, maintenanceOfOthers, profitOfOthers, expected) => {
    const wallet = dec(WALLET) - dec(maintenanceOfOthers) + dec(profitOfOthers);
    expect(fixed(liquidationPriceOf(wallet, [leg]) as Dec, 2)).toBe(expected);
  });

  it('the others of the crossed cases come out of our own margin formulas', () => {
    const others = (leg: typeof ETH, mark: string) => [
      fixed(mul(mul(leg.amount, dec(mark)), leg.rate) - leg.cumulative, 3),
      fixed(unrealised(leg, dec(mark)), 2),
    ];
    expect(others(BTC, '31967.27')).toEqual(['71200.811', '-56354.57']);
    expect(others(ETH, '1335.18')).toEqual(['356512.508', '-448192.89']);
  });

  it('hedge mode, crossed: both legs share the price of the formula with L and S', () => {
    // No numbers are published for hedge mode: long 2 at 30,000 and short 1 at 31,000 in the lowest tier (0.4
    // %), wallet 5,000: LP = (5000 - 2 x 30000 + 1 x 31000) / (2 x 0.004 + 1 x 0.004 - 2 + 1) = -24000 /
    // -0.988 = 24291.497975...
    const short = { amount: dec('-1'), cost: dec('-31000'), rate: dec('0.004'), cumulative: 0n };
    const price = liquidationPriceOf(dec('5000'), [long('2', '30000', '0.004', '0'), short]);
    expect(fixed(price as Dec, 6)).toBe('24291.497976');
  });
});

describe('maintenance amount (FAQ b3c689c1..., brackets of 2020/21)', () => {
  const BTC_2021 = readTiers('125 50000 0.004, 100 250000 0.005, 50 1000000 0.01, 20 10000000 0.025');

  it('a position of 500,000 USDT has an amount of 1,300: 250,000 x (1 % - 0.5 %) + 50', () => {
    expect(BTC_2021.map((tier) => str(tier.cumulative))).toEqual(['0', '50', '1300', '16300']);
    expect(str(maintenanceMargin(BTC_2021, dec('500000')))).toBe('3700');
  });

  it('a position of 264,000 USDT is in the tier of 1 %', () => {
    expect(str(maintenanceMargin(BTC_2021, dec('264000')))).toBe('1340');
  });

  it('the published amounts of BTCUSDT in October 2024', () => {
    expect(tiersOf('BTC').map((tier) => str(tier.cumulative))).toEqual(
      '0 50 950 11450 131450 481450 2981450 14481450 26481450 41481450 121481450 421481450'.split(' '),
    );
    expect(str(maxNotional(tiersOf('BTC'), 20))).toBe('100000000');
    expect(str(maxNotional(tiersOf('BTC'), 125))).toBe('50000');
    expect(str(maxNotional(tiersOf('XLM'), 125))).toBe('0');
  });
});

describe('cost of an order (FAQ 87fa7ee33b574f7084d42bd2ce2e463b)', () => {
  /**
   * "Cost required to open a limit or stop order": initial margin 462.66, open loss 0 for the long, 6.54 for
   * the short.
   */
  it.each([
    ['BUY', '462.66'],
    ['SELL', '469.20'],
  ] as const)('%s of 1 BTC at 9,253.30, mark 9,259.84, 20x', (side, expected) => {
    for (const [cents, accepted] of [
      [0n, true],
      [-1n, false],
    ] as const) {
      const b = new FuturesBench({ takerRate: '0', startBalances: { USDT: '0' } });
      b.tick('9259.84');
      // A marketable limit order fills at 9,259.84; the check before uses its limit price.
      b.keep(b.core.setBalance('USDT', str(dec(expected) + dec('0.01') + cents * dec('0.02'))));
      const outcome = b.submit({ side, price: '9253.3', quantity: '1' });
      expect(outcome.kind).toBe(accepted ? 'accepted' : 'rejected');
    }
  });

  it('1 BTC long at 49,948.80 while the mark is 49,822.10, 20x: 2,497.44 + 126.70 = 2,624.14 (ApolloX, same rule)', () => {
    const cost = (balance: string) => {
      const b = new FuturesBench({ takerRate: '0', startBalances: { USDT: balance } });
      b.tick('49822.1');
      return b.submit({ side: 'BUY', price: '49948.8', quantity: '1' }).kind;
    };
    expect([cost('2624.14'), cost('2624.13')]).toEqual(['accepted', 'rejected']);
  });
});

describe('profit and loss', () => {
  it.each([
    // Binance "A Beginner's Guide to Futures Trading" 360039304272: 1 BTC, entry 5,000.
    ['long 1 BTC, 5,000 -> 5,500', '1', '5000', '5500', '500'],
    ['short 1 BTC, 5,000 -> 4,500', '-1', '5000', '4500', '500'],
  ])('%s', (_name, amount, entry, exit, expected) => {
    const opened = applyFill({ amount: 0n, cost: 0n }, dec(amount), dec(entry)).after;
    expect(str(unrealised(opened, dec(exit)))).toBe(expected);
    expect(str(applyFill(opened, -dec(amount), dec(exit)).pnl as Dec)).toBe(expected);
  });

  it('entry price of two openings is weighted by size: 10 at 10,000 and 10 at 12,000 give 11,000', () => {
    const first = applyFill({ amount: 0n, cost: 0n }, dec('10'), dec('10000')).after;
    expect(str(entryPrice(applyFill(first, dec('10'), dec('12000')).after))).toBe('11000');
  });
});

describe('funding and break-even', () => {
  it('funding = notional x rate; above zero longs pay shorts (FAQ 360033525031)', () => {
    // 0.1 BTC at 60,000, rate 0.01 %: 0.6 USDT for 8 h.
    expect(str(fundingOf(dec('0.1'), dec('60000'), dec('0.0001')))).toBe('-0.6');
    expect(str(fundingOf(dec('-0.1'), dec('60000'), dec('0.0001')))).toBe('0.6');
  });

  it('a whole trade: 0.1 BTC 60,000 -> 62,000, maker in, taker out, one funding: 200 - 1.2 - 3.1 - 0.6 = 195.1', () => {
    const b = new FuturesBench();
    b.tick('60010');
    b.place({ side: 'BUY', price: '60000', quantity: '0.1' });
    b.tick('60000');
    expect(b.position().breakEvenPrice).toBe('60012');
    b.tick('62000', { after: 8 * 3_600_000 });
    expect(b.position().breakEvenPrice).toBe('60018');
    b.market('SELL', '0.1');
    expect(b.fills().map((fill) => [fill.comm, fill.rPnl])).toEqual([
      ['1.2', null],
      ['3.1', '200'],
    ]);
    expect(b.wallet()).toBe('100195.1');
  });

  it('break-even = (total cost - total gained) / size held (FAQ 8a2bc34f...)', () => {
    // Long 2 at 10,000, 1 sold at 11,000, no fees: (20,000 - 11,000) / 1 = 9,000. Short: the mirror, 11,000.
    for (const [open, close, exit, expected] of [
      ['BUY', 'SELL', '11000', '9000'],
      ['SELL', 'BUY', '9000', '11000'],
    ] as const) {
      const b = new FuturesBench({ makerRate: '0', takerRate: '0' });
      b.tick('10000');
      b.market(open, '2');
      b.tick(exit);
      b.market(close, '1');
      expect(b.position().breakEvenPrice).toBe(expected);
    }
  });
});
