/** ALGO in action: entries and pairs, slices, states (strategies.md 7). */
import { describe, expect, it } from 'vitest';
import { seededShares } from '../../../../src/bots/types/algo/jitter.ts';
import { dec, ONE } from '../../../../src/domain/decimal.ts';
import { plays, refusesToStart } from '../../../scenarios/scene.ts';
import type { Settings } from '../../rules/bots.ts';

const CODE = { symbol: 'BTCUSDT' };
const bracket = (entry: Settings, changes: Settings = {}): Settings => ({
  ...CODE,
  algo: 'bracket',
  side: 'BUY',
  quantity: '1',
  entry,
  takeProfit: { percent: '10' },
  stopLoss: { percent: '5' },
  ...changes,
});
const twap = (changes: Settings = {}): Settings => ({
  ...CODE,
  algo: 'twap',
  side: 'BUY',
  quantity: '3',
  duration: 3,
  ...changes,
});

describe('a bracket', () => {
  // proves: bot ALGO bracket STOP_MARKET, bot ALGO bracket percent
  it('may be entered by a STOP_MARKET; percents count from the fill', async () => {
    await plays('ALGO', {
      futures: true,
      settings: bracket({ type: 'STOP_MARKET', stopPrice: '102' }),
      events: ['0 100', '0 open: BUY STOP_MARKET @102 1', '10 103'],
      fills: ['10 BUY 1 at 103 taker'],
      open: 'SELL LIMIT 113.3 1; SELL STOP_MARKET @97.85 1',
    });
  });

  // proves: bot ALGO bracket SELL
  it('of a SELL opens a short', async () => {
    await plays('ALGO', {
      futures: true,
      settings: bracket({ type: 'LIMIT', price: '100' }, { side: 'SELL' }),
      events: ['0 95', '10 100', '10 open: BUY LIMIT 90 1; BUY STOP_MARKET @105 1', '20 106'],
      fills: ['10 SELL 1 at 100 maker', '20 BUY 1 at 106 taker'],
      held: null,
      open: 'none',
      reason: 'completed',
    });
  });

  // proves: bot ALGO bracket sides-market
  it.each([
    ['BUY', '99', '95'],
    ['BUY', '100', '95'],
    ['BUY', '105', '100'],
    ['BUY', '105', '101'],
    ['SELL', '100', '105'],
    ['SELL', '95', '100'],
  ])(
    'with a MARKET entry is checked at the first price: on its wrong side, or at it, it fails without an order (%s %s %s)',
    async (side, profit, loss) => {
      const prices = { takeProfit: { price: profit }, stopLoss: { price: loss } };
      await plays('ALGO', {
        futures: true,
        settings: bracket({ type: 'MARKET' }, { side, ...prices }),
        events: ['0 100'],
        fills: [],
        open: 'none',
        status: 'ERROR',
      });
    },
  );

  // proves: bot ALGO bracket sides, bot start-error bracket-side
  it('whose prices do not bracket the entry is refused', async () => {
    const entry = { type: 'LIMIT', price: '100' };
    const settings = bracket(entry, { takeProfit: { price: '95' }, stopLoss: { price: '90' } });
    await refusesToStart(
      'ALGO',
      { settings, events: [] },
      'takeProfit 95 must be above the entry 100 for a BUY',
    );
  });
});

describe('a tpsl', () => {
  const pair = {
    ...CODE,
    algo: 'tpsl',
    side: 'SELL',
    takeProfit: { percent: '10' },
    stopLoss: { percent: '5' },
  };

  // proves: bot ALGO tpsl reference, bot ALGO tpsl whole
  it('on a whole position counts from its entry price', async () => {
    await plays('ALGO', {
      futures: true,
      position: { amount: '2', entryPrice: '80' },
      settings: pair,
      events: ['0 85'],
      open: 'SELL LIMIT 88 2; SELL STOP_MARKET @76 2',
    });
  });

  it('of more than the position is closes the position, and no more', async () => {
    await plays('ALGO', {
      futures: true,
      position: { amount: '1', entryPrice: '100' },
      settings: { ...pair, quantity: '2' },
      events: ['0 100', '0 open: SELL LIMIT 110 1; SELL STOP_MARKET @95 1', '10 110'],
      fills: ['10 SELL 1 at 110 maker'],
      held: null,
    });
  });

  // proves: bot ALGO tpsl quantity, bot ALGO tpsl reference
  it('on a part of a balance counts from the price at which it begins', async () => {
    await plays('ALGO', {
      balances: { USDT: '0', BTC: '3' },
      settings: { ...pair, quantity: '1' },
      events: ['0 100', '0 open: SELL LIMIT 110 1', '10 94'],
      fills: ['10 SELL 1 at 94 taker'],
      total: { BTC: '2' },
    });
  });
});

describe('a twap', () => {
  // proves: bot ALGO twap deposit
  it('by deposit spends its share at the price of the moment, the last slice what is left', async () => {
    const { quantity: _none, ...rest } = twap();
    await plays('ALGO', {
      settings: { ...rest, deposit: { value: '300', asset: 'USDT' } },
      events: ['0 100', '30 90', '60', '90 110', '120'],
      // 100 / 90 = 1.111, spent 199.99; the last has 100.01.
      fills: ['0 BUY 1 at 100 taker', '60 BUY 1.111 at 90 taker', '120 BUY 0.909 at 110 taker'],
      reason: 'completed',
    });
  });

  // proves: bot ALGO twap first
  it('sends what was due before the first price at the first tick', async () => {
    await plays('ALGO', {
      settings: twap(),
      events: ['70 100', '120'],
      fills: ['70 BUY 2 at 100 taker', '120 BUY 1 at 100 taker'],
    });
  });

  it('sends what a late first price leaves for its last order at once, not an interval later', async () => {
    await plays('ALGO', {
      settings: twap({ limitOffset: '1' }),
      events: ['200 100', '201 100'],
      fills: ['200 BUY 3 at 100 taker'],
      reason: 'completed',
    });
  });

  // proves: bot ALGO twap priceLimit-final, bot ALGO twap priceLimit
  it('does not trade its last order either where the price is worse than its limit', async () => {
    const settings = twap({ limitOffset: '1', priceLimit: '101' });
    const events = ['0 100', '30 100', '60', '120', '130 102', '180'];
    await plays('ALGO', { settings, events, fills: [], stats: { unfilled: '3' }, reason: 'completed' });
    await plays('ALGO', {
      settings,
      events: [...events.slice(0, -2), '130 101', '180'],
      fills: ['180 BUY 3 at 101 taker'],
      stats: { unfilled: '0' },
    });
  });

  // proves: bot ALGO twap SELL
  it('sells what the account holds', async () => {
    await plays('ALGO', {
      balances: { USDT: '0', BTC: '5' },
      settings: twap({ side: 'SELL' }),
      events: ['0 100', '60', '120'],
      fills: ['0 SELL 1 at 100 taker', '60 SELL 1 at 100 taker', '120 SELL 1 at 100 taker'],
      total: { USDT: '300', BTC: '2' },
    });
  });

  it('of which the price lets nothing be sold holds nothing when it is over: what is left is the account’s', async () => {
    await plays('ALGO', {
      balances: { USDT: '0', BTC: '5' },
      settings: twap({ side: 'SELL', priceLimit: '100' }),
      events: ['0 100', '30 99', '60', '120'],
      fills: ['0 SELL 1 at 100 taker'],
      total: { USDT: '100', BTC: '4' },
      held: null,
      stats: { unfilled: '2' },
      reason: 'completed',
    });
  });

  // proves: bot ALGO twap jitter
  it('varies times and quantities by up to its jitter, from its seed, the total unchanged', async () => {
    const shares = (seed: string) => seededShares(seed, 20, dec('30'));
    expect(shares('one')).toEqual(shares('one'));
    expect(shares('one')).not.toEqual(shares('two'));
    const { weights, shifts } = shares('one');
    expect(new Set(weights).size).toBeGreaterThan(10);
    expect(weights.reduce((a, b) => a + b)).toBe(20n * ONE);
    for (const weight of weights) expect(weight >= dec('0.7') && weight <= dec('1.3')).toBe(true);
    for (const shift of shifts) expect(Math.abs(shift)).toBeLessThanOrEqual(0.3);
    // Whatever the slices are, the whole quantity is bought within duration and one interval.
    const events = Array.from({ length: 60 }, (_, i) => `${i * 4} 100`);
    await plays('ALGO', {
      settings: twap({ jitter: '40' }),
      events,
      total: { BTC: '3' },
      reason: 'completed',
    });
  });
});

describe('the state', () => {
  // proves: bot ALGO states
  it.each<[string, Settings, string[]]>([
    // No balance covers its entry: it is tried again with each tick.
    [
      'entering',
      bracket(
        { type: 'MARKET' },
        { quantity: undefined, deposit: { value: '20000', asset: 'USDT', allocate: 'no_reserve' } },
      ),
      ['0 100', '10 101'],
    ],
    ['working', bracket({ type: 'LIMIT', price: '90' }), ['0 100']],
    ['working', bracket({ type: 'STOP_MARKET', stopPrice: '102' }), ['0 100']],
    ['protected', bracket({ type: 'MARKET' }), ['0 100']],
    ['completed', bracket({ type: 'MARKET' }), ['0 100', '10 110']],
    ['slicing', twap(), ['0 100']],
    ['completed', twap(), ['0 100', '60', '120']],
  ])('%s', async (state, settings, events) => {
    await plays('ALGO', { settings, events, state });
  });
});
