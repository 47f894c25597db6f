/**
 * Orders of every type that fill in parts: a tick brings a volume that is filled completely or in part
 * (strategies.md 1, 3 to 7).
 */
import { describe, it } from 'vitest';
import { level, plays } from '../../scenarios/scene.ts';
import { cell, fibo, PAIR, scale, squeeze, stop } from './bots.ts';

const participation = '1';
const pair = { symbol: 'BTCUSDT', side: 'BUY', takeProfit: { price: '110' }, stopLoss: { price: '95' } };

describe('an entry that fills in parts', () => {
  // proves: bot partial FIBO, bot FIBO exit
  it('FIBO: has an exit for what has filled, enlarged with every part', async () => {
    await plays('FIBO', {
      participation,
      settings: fibo(),
      events: ['0 105', '10 100 x0.4', '10 open: BUY LIMIT 100 0.6; SELL LIMIT 120 0.4', '20 99 x0.3'],
      fills: ['10 BUY 0.4 at 100 maker', '20 BUY 0.3 at 100 maker'],
      open: 'BUY LIMIT 100 0.3; SELL LIMIT 120 0.7',
    });
  });

  it('FIBO buyOnly: is completed by its last part, however much the parts before it have bought', async () => {
    const bought = { participation, settings: fibo({ buyOnly: true }) };
    const events = ['0 105', '10 100 x0.4', '20 99 x0.5'];
    await plays('FIBO', { ...bought, events, open: 'BUY LIMIT 100 0.1', status: 'STARTED' });
    await plays('FIBO', {
      ...bought,
      events: [...events, '30 99 x1'],
      status: 'STOPPED',
      state: 'completed',
    });
  });

  // proves: bot partial GRID
  it('GRID: a cell sells what it has so far, and rests for the others', async () => {
    const grid = { flavor: 'GRID', levels: undefined, grid: { low: '100', high: '110', count: 2 } };
    await plays('CHANNEL', {
      participation,
      settings: cell(grid),
      events: ['0 105', '10 100 x0.4', '10 open: BUY LIMIT 100 0.6; SELL LIMIT 110 0.4', '20 110 x0.3'],
      fills: ['10 BUY 0.4 at 100 maker', '20 SELL 0.3 at 110 maker'],
      open: 'BUY LIMIT 100 0.6; SELL LIMIT 110 0.1',
      stats: { cycles: 0 },
    });
  });

  // proves: bot partial SCALE, bot SCALE exit
  it('SCALE: the exit follows every part', async () => {
    // The average of 0.6 x 100 and 0.5 x 90 is 95.45..., and 10 % above it.
    await plays('CHANNEL', {
      participation,
      settings: scale(),
      events: ['0 100 x0.6', '0 open: BUY LIMIT 90 1.111; SELL LIMIT 110 0.6', '10 90 x0.5'],
      fills: ['0 BUY 0.6 at 100 taker', '10 BUY 0.5 at 90 maker'],
      open: 'BUY LIMIT 90 0.611; SELL LIMIT 105 1.1',
    });
  });

  // proves: bot partial SQUEEZE, bot partial SQUEEZE-remainder, bot SQUEEZE not-holding
  it('SQUEEZE: has its exit, and what has not filled goes when its candle closes', async () => {
    await plays('SQUEEZE', {
      participation,
      settings: squeeze(),
      events: [
        '0 100',
        '60 100',
        '70 99 x0.4',
        '70 open: BUY LIMIT 99 0.61; SELL LIMIT 99.99 0.4',
        '80 99 x0.3',
        '80 open: BUY LIMIT 99 0.31; SELL LIMIT 99.99 0.7',
        '120',
        '180',
      ],
      fills: ['70 BUY 0.4 at 99 maker', '80 BUY 0.3 at 99 maker'],
      open: 'SELL LIMIT 99.99 0.7',
    });
  });

  // proves: bot partial INTRADAY, bot INTRADAY entry
  it('INTRADAY: the take-profits follow what has filled and its average', async () => {
    await plays('INTRADAY', {
      participation,
      settings: {
        ...PAIR,
        deposit: { value: '100', asset: 'USDT' },
        orders: { buy: { type: 'LIMIT', price: 1 } },
        mode: 'breakout',
        trend: level(100),
        takeProfits: [
          { percent: '1', size: 50 },
          { percent: '2', size: 50 },
        ],
      },
      events: [
        '0 99',
        '10 100.2 x0.4',
        '10 open: BUY LIMIT 101.2 0.588; SELL LIMIT 101.21 0.2; SELL LIMIT 102.21 0.2',
        '20 100.1 x0.3',
      ],
      fills: ['10 BUY 0.4 at 100.2 taker', '20 BUY 0.3 at 101.2 maker'],
      // (0.4 x 100.2 + 0.3 x 101.2) / 0.7 = 100.628...
      open: 'BUY LIMIT 101.2 0.288; SELL LIMIT 101.64 0.35; SELL LIMIT 102.65 0.35',
    });
  });

  it('INTRADAY: what a take-profit has sold by then counts as part of its share of all that was bought', async () => {
    await plays('INTRADAY', {
      participation,
      settings: {
        ...PAIR,
        deposit: { value: '100', asset: 'USDT' },
        orders: { buy: { type: 'LIMIT', price: 1 } },
        mode: 'breakout',
        trend: level(100),
        takeProfits: [
          { percent: '2', size: 50 },
          { percent: '4', size: 50 },
        ],
      },
      events: ['0 99', '10 100.2 x0.4', '20 102.3 x0.1', '30 100.1 x0.2'],
      fills: ['10 BUY 0.4 at 100.2 taker', '20 SELL 0.1 at 102.21 maker', '30 BUY 0.2 at 101.2 maker'],
      // Half of 0.6 is 0.3, of which 0.1 is sold; (0.4 x 100.2 + 0.2 x 101.2) / 0.6 = 100.533...
      open: 'BUY LIMIT 101.2 0.388; SELL LIMIT 102.55 0.2; SELL LIMIT 104.56 0.3',
    });
  });

  // proves: bot partial bracket, bot partial pair-linked, bot ALGO bracket pair
  it('bracket: is protected at once; a leg that fills in part reduces the other', async () => {
    await plays('ALGO', {
      futures: true,
      participation,
      settings: { ...pair, algo: 'bracket', quantity: '1', entry: { type: 'LIMIT', price: '100' } },
      events: [
        '0 105',
        '10 100 x0.4',
        '10 open: BUY LIMIT 100 0.6; SELL LIMIT 110 0.4; SELL STOP_MARKET @95 0.4',
        '20 110 x0.3',
      ],
      fills: ['10 BUY 0.4 at 100 maker', '20 SELL 0.3 at 110 maker'],
      open: 'BUY LIMIT 100 0.6; SELL LIMIT 110 0.1; SELL STOP_MARKET @95 0.1',
    });
  });
});

describe('a sale that fills in parts', () => {
  // proves: bot partial stop
  it('of a stop rule goes on until its lots are gone', async () => {
    await plays('CHANNEL', {
      participation,
      settings: cell({ stop: stop('fixed', 'kline', { value: '95' }) }),
      events: ['0 105', '10 100 x1', '20 95 x0.4', '20 open: none', '30 94 x0.1', '40 99 x3'],
      fills: [
        '10 BUY 1 at 100 maker',
        '20 SELL 0.4 at 95 taker',
        '30 SELL 0.1 at 94 taker',
        '40 SELL 0.5 at 99 taker',
      ],
    });
  });

  it('of a stop rule counts once for maxStops, however many parts it has', async () => {
    const stops = stop('fixed', 'kline', { value: '95' }, { maxStops: 2 });
    const once = ['0 105', '10 100 x1', '20 95 x0.4', '30 94 x0.1', '40 94 x3'];
    const settings = cell({ stop: stops });
    await plays('CHANNEL', { participation, settings, events: once, total: { BTC: '0' }, status: 'STARTED' });
    const twice = [...once, '50 105 x1', '60 100 x3', '70 95 x0.3', '80 95 x3'];
    const ended = { status: 'STOPPED', reason: 'max stops' } as const;
    await plays('CHANNEL', { participation, settings, events: twice, total: { BTC: '0' }, ...ended });
  });
});

describe('a twap', () => {
  const twap = (more: object) => ({
    symbol: 'BTCUSDT',
    algo: 'twap',
    side: 'BUY',
    quantity: '3',
    duration: 3,
    ...more,
  });

  // proves: bot partial twap
  it.each(['BUY', 'SELL'])(
    '%s: what a slice could not trade rides on the next; the rest is said',
    async (side) => {
      await plays('ALGO', {
        participation,
        settings: twap({ side }),
        balances: { USDT: '1000', BTC: '3' },
        events: [
          '0 100 x0.4',
          '30 100 x1',
          '59 100 x2',
          '60',
          '90 100 x1',
          '119 100 x0.5',
          '120',
          '130 100 x5',
        ],
        fills: [`0 ${side} 0.4 at 100 taker`, `60 ${side} 1.6 at 100 taker`, `120 ${side} 0.5 at 100 taker`],
        stats: { unfilled: '0.5' },
        status: 'STOPPED',
        reason: 'completed',
      });
    },
  );

  it('sells nothing below its limit, however little a slice could sell', async () => {
    await plays('ALGO', {
      participation,
      settings: twap({ side: 'SELL', priceLimit: '100' }),
      balances: { USDT: '0', BTC: '3' },
      events: ['0 100 x0.4', '30 99 x5', '60', '119 101 x5', '120'],
      fills: ['0 SELL 0.4 at 100 taker', '120 SELL 2.6 at 101 taker'],
      stats: { unfilled: '0' },
    });
  });
});
