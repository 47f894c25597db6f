/**
 * Entries that a filter or a range holds back, and entries that are refused: their reason may be gone by the
 * time they could be sent (strategies.md 2, 3, 6).
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../../src/domain/decimal.ts';
import { level, plays } from '../../scenarios/scene.ts';
import { cell, DEPOSIT, fibo, PAIR } from './bots.ts';
import { LiveTest } from './live.ts';

const MARKET = { buy: { type: 'MARKET' } };
const fills = (t: LiveTest) => t.market.fills.map(({ side, price }) => `${side} ${str(price)}`);

/** An exchange that refuses the first entries. */
function refusing(t: LiveTest, count: number): LiveTest {
  let left = count;
  t.market.refuses = ({ role }) => (role === 'entry' && left-- > 0 ? { reason: 'busy', why: 'other' } : null);
  return t;
}

describe('an entry that goes out at its level', () => {
  // proves: bot filter all, bot orders buy MARKET
  it('does not go out for a level that was reached while the range blocked', async () => {
    await plays('CHANNEL', {
      settings: cell({ orders: MARKET, range: [{ type: 'price', min: '99.5' }] }),
      events: ['0 105', '10 99', '20 109', '30 109.5', '40 99.8'],
      fills: ['40 BUY 1.002 at 99.8 taker'],
    });
  });

  // proves: bot ruling R6
  it('waits until the price has been above its level when the range passes below it', async () => {
    await plays('CHANNEL', {
      settings: cell({ orders: MARKET, range: [{ type: 'price', max: '104' }] }),
      events: ['0 105', '10 99.5', '20 98', '30 100.5', '40 100'],
      fills: ['40 BUY 1 at 100 taker'],
    });
  });

  // proves: bot run entry-retry
  it('waits for its level again when it is refused and the price has left', () => {
    const t = refusing(new LiveTest('CHANNEL', cell({ orders: MARKET })), 1);
    t.tick(1, '101');
    t.tick(2, '100');
    t.tick(2.5, '109');
    t.pass(20);
    expect(fills(t)).toEqual([]);
    t.tick(21, '99.5');
    expect(fills(t)).toEqual(['BUY 99.5']);
  });

  it('is tried again when it is refused and the price is still there', () => {
    const t = refusing(new LiveTest('CHANNEL', cell({ orders: MARKET })), 1);
    t.tick(1, '101');
    t.tick(2, '100');
    t.pass(4);
    expect(fills(t)).toEqual(['BUY 100']);
  });

  // proves: bot orders buy LIMIT
  it('with a LIMIT that rests is cancelled by the range, and comes again at its level', async () => {
    await plays('CHANNEL', {
      participation: '1',
      settings: cell({
        orders: { buy: { type: 'LIMIT', price: 1 } },
        range: [{ type: 'price', max: '104' }],
      }),
      events: [
        '0 103',
        '10 99 x0',
        '10 open: BUY LIMIT 99.99 1',
        '20 105 x0',
        '20 open: none',
        '30 103 x1',
        '30 open: none',
        '40 99 x2',
      ],
      fills: ['40 BUY 1 at 99 taker'],
    });
  });

  it('with a LIMIT that has filled in part comes again for the rest', async () => {
    await plays('CHANNEL', {
      participation: '1',
      settings: cell({
        orders: { buy: { type: 'LIMIT', price: 1 } },
        range: [{ type: 'price', max: '104' }],
      }),
      events: ['0 103', '10 99 x0.4', '20 105 x0', '20 open: SELL LIMIT 110 0.4', '30 103 x1', '40 99 x2'],
      fills: ['10 BUY 0.4 at 99 taker', '40 BUY 0.6 at 99 taker'],
      open: 'SELL LIMIT 110 1',
    });
  });
});

describe('FIBO trailing', () => {
  const bot = (range: object) => fibo({ trailing: true, trailingMaxChange: 1, range: [range] });

  // proves: bot FIBO trailing, bot filter all
  it('keeps its channels armed while the range blocks, and follows the price down', async () => {
    await plays('FIBO', {
      settings: bot({ type: 'price', max: '99.5' }),
      events: ['0 101', '10 99', '20 98.5', '30 99.6', '40 110', '50 90', '60 90.8', '70 90.9'],
      fills: ['70 BUY 1.1 at 90.9 taker'],
    });
  });

  it('arms its channels anew when the range blocks while their entry is refused', () => {
    const t = refusing(new LiveTest('FIBO', bot({ type: 'price', max: '104' })), 1);
    for (const [i, price] of ['101', '99', '98.5', '99.6', '105', '103'].entries()) t.tick(1 + i / 10, price);
    t.pass(10);
    expect([fills(t), t.run.label()]).toEqual([[], 'armed']);
    for (const [i, price] of ['103', '95', '95.9', '95.95'].entries()) t.tick(11 + i, price);
    expect(fills(t)).toEqual(['BUY 95.95']);
  });
});

describe('INTRADAY', () => {
  const bot = (range: object | null, more: object = {}) => ({
    ...PAIR,
    deposit: DEPOSIT,
    trend: level(100),
    mode: 'bounce',
    takeProfits: [{ percent: '5', size: '100' }],
    ...(range && { range: [range] }),
    ...more,
  });

  // proves: bot INTRADAY invalid, bot filter all
  it('does not enter a set-up that has become void while the range blocked', async () => {
    await plays('INTRADAY', {
      settings: bot({ type: 'price', max: '100.15' }),
      events: ['0 101', '10 100', '20 100.3', '25 100.1', '30 110', '40 60', '50 61'],
      fills: [],
      state: 'watching',
    });
  });

  it('does not enter a set-up that has become void while its entry was refused', () => {
    const t = refusing(new LiveTest('INTRADAY', bot(null)), 1);
    for (const [i, price] of ['101', '100', '100.3', '98.9'].entries()) t.tick(1 + i / 10, price);
    t.pass(10);
    expect([fills(t), t.run.label()]).toEqual([[], 'watching']);
  });

  it('does not enter a breakout that was taken back while its entry was refused', () => {
    const t = refusing(new LiveTest('INTRADAY', bot(null, { mode: 'breakout' })), 1);
    for (const [i, price] of ['99', '100.3', '100.1'].entries()) t.tick(1 + i / 10, price);
    t.pass(10);
    expect([fills(t), t.run.label()]).toEqual([[], 'watching']);
    t.tick(11, '100.3');
    expect(fills(t)).toEqual(['BUY 100.3']);
  });

  it('does not buy late what the range has stopped while it was refused', () => {
    const t = refusing(new LiveTest('INTRADAY', bot({ type: 'price', max: '105' })), 1);
    for (const [i, price] of ['101', '100', '100.3', '106', '104'].entries()) t.tick(1 + i / 10, price);
    t.pass(10);
    expect([fills(t), t.run.label()]).toEqual([[], 'watching']);
  });
});

describe('an entry that the margin does not cover', () => {
  // proves: bot deposit no_reserve
  it('is tried again at its times, live as in the backtest', async () => {
    const deposit = { value: '900', asset: 'USDT', allocate: 'no_reserve', leverage: 1 };
    const levels = [
      { buy: '100', sell: '110' },
      { buy: '90', sell: '120' },
    ];
    await plays('CHANNEL', {
      futures: true,
      balances: { USDT: '860' },
      settings: cell({ deposit, levels }),
      // The profit of the first cell covers the second, which is tried 0, 1, 6 and 36 s after the start.
      events: [
        '0 105',
        '10 100',
        '20 110',
        '30 open: BUY LIMIT 100 4.5',
        '40 109',
        '40 open: BUY LIMIT 100 4.5; BUY LIMIT 90 5',
      ],
    });
  });
});
