/** CHANNEL in action: cells and SCALE, time frames, bounds, reuse, states (strategies.md 4). */
import { describe, expect, it } from 'vitest';
import { plays } from '../../../scenarios/scene.ts';
import { DEPOSIT, PAIR, played, table } from '../../backtest/support.ts';
import { cell, cells, type Settings, scale } from '../../rules/bots.ts';

const grid = (changes: Settings = {}) =>
  cell({ flavor: 'GRID', levels: undefined, grid: { low: '100', high: '110', count: 2 }, ...changes });

describe('stopAbove and stopBelow', () => {
  const bounds = { stopAbove: '112', stopBelow: '95' };

  // proves: bot CHANNEL stopAbove, bot run end-cancels
  it('end the run strictly beyond, after the fills of that tick; the position is kept', async () => {
    await plays('CHANNEL', {
      settings: cells(
        [
          ['100', '111'],
          ['98', '120'],
        ],
        bounds,
      ),
      events: ['0 105', '10 98', '20 112', '20 open: BUY LIMIT 100 1; SELL LIMIT 120 1.02', '30 112.01'],
      fills: ['10 BUY 1 at 100 maker', '10 BUY 1.02 at 98 maker', '20 SELL 1 at 111 maker'],
      open: 'none',
      total: { BTC: '1.02' },
      status: 'STOPPED',
      state: 'completed',
      reason: 'completed',
    });
  });

  // proves: bot CHANNEL stopBelow
  it('below, with the buys that the same tick fills', async () => {
    await plays('CHANNEL', {
      settings: cell(bounds),
      events: ['0 105', '10 94.99'],
      fills: ['10 BUY 1 at 100 maker'],
      open: 'none',
      total: { BTC: '1' },
      reason: 'completed',
    });
  });

  // proves: bot CHANNEL sellOnExit
  it('with sellOnExit the position is sold', async () => {
    await plays('CHANNEL', {
      settings: cell({ ...bounds, sellOnExit: true }),
      events: ['0 105', '10 100', '20 95', '20 open: SELL LIMIT 110 1', '30 94'],
      fills: ['10 BUY 1 at 100 maker', '30 SELL 1 at 94 taker'],
      reason: 'completed',
    });
  });

  it.each([false, true])(
    'end a SCALE as well, which has bought further down by then (sellOnExit: %s)',
    async (sells) => {
      const bought = ['0 BUY 1 at 100 taker', '10 BUY 1.111 at 90 maker'];
      await plays('CHANNEL', {
        settings: scale({ stopBelow: '85', sellOnExit: sells }),
        events: ['0 100', '10 90', '20 85', '20 open: SELL LIMIT 104.22 2.111', '30 84.99', '40 110'],
        fills: sells ? [...bought, '30 SELL 2.111 at 84.99 taker'] : bought,
        open: 'none',
        total: { BTC: sells ? '0' : '2.111' },
        status: 'STOPPED',
        reason: 'completed',
      });
    },
  );

  it('end a SCALE whose base order has not been reached', async () => {
    await plays('CHANNEL', {
      settings: scale({ stopAbove: '105', entryPrice: '98' }),
      events: ['0 100', '10 105', '10 open: BUY LIMIT 98 1.02', '20 105.01', '30 97'],
      fills: [],
      open: 'none',
      reason: 'completed',
    });
  });

  it.each([
    ['cells', cell({ timeFrame: 60_000, stopBelow: '95' }), '70 BUY 1 at 100 maker', '70 100'],
    ['a SCALE', scale({ timeFrame: 60_000, stopBelow: '95' }), '60 BUY 0.952 at 105 taker', '70 104'],
  ])('are looked at between two closes, too, of %s', async (_what, settings, bought, price) => {
    await plays('CHANNEL', {
      settings,
      events: ['0 105', '60', price, '80 94.99'],
      fills: [bought],
      open: 'none',
      status: 'STOPPED',
      reason: 'completed',
    });
  });
});

describe('a time frame', () => {
  const frame = { timeFrame: 60_000 };

  // proves: bot CHANNEL trailUp-close
  it('moves the grid at closes only', async () => {
    await plays('CHANNEL', {
      settings: grid({ ...frame, trailUp: true }),
      events: [
        '0 105',
        '60',
        '60 open: BUY LIMIT 100 1',
        '70 125',
        '119.999',
        '119.999 open: BUY LIMIT 100 1',
        '120',
      ],
      // Moved by two cells: 120 to 130; 100 / 120 = 0.8333...
      open: 'BUY LIMIT 120 0.833',
    });
  });

  // proves: bot CHANNEL tick-after-close
  it('lets the close of an instant come before its tick', async () => {
    await plays('CHANNEL', {
      settings: cell(frame),
      events: ['0 105', '60 99'],
      // Placed at the close, with the last price of 105, and filled by the tick.
      fills: ['60 BUY 1 at 100 maker'],
    });
    await plays('CHANNEL', { settings: cell(frame), events: ['0 99', '60 105'], open: 'none' });
  });

  // proves: bot CHANNEL at-closes, bot CHANNEL first-close
  it('lets exits go at once', async () => {
    await plays('CHANNEL', {
      settings: cell(frame),
      events: [
        '0 105',
        '30 105',
        '30 open: none',
        '60',
        '70 100',
        '70 open: SELL LIMIT 110 1',
        '80 110',
        '90 108',
      ],
      fills: ['70 BUY 1 at 100 maker', '80 SELL 1 at 110 maker'],
      open: 'none',
    });
  });
});

describe('cells', () => {
  // proves: bot cells short
  it('of a short sell at the upper price and buy back at the lower', async () => {
    await plays('CHANNEL', {
      futures: true,
      settings: grid({ short: true }),
      // 100 / 110 = 0.9090...
      events: ['0 105', '0 open: SELL LIMIT 110 0.909', '10 111', '20 100'],
      fills: ['10 SELL 0.909 at 110 maker', '20 BUY 0.909 at 100 maker'],
      open: 'SELL LIMIT 110 0.909',
    });
  });

  // proves: bot cells trailUp
  it('of a short grid move down', async () => {
    await plays('CHANNEL', {
      futures: true,
      settings: grid({ short: true, trailUp: true }),
      events: ['0 105', '10 95'],
      open: 'SELL LIMIT 100 1',
    });
  });

  it('of a short geometric grid move down by its ratio', async () => {
    await plays('CHANNEL', {
      futures: true,
      // 100, 110 and 121; below them 90.909... and 82.644...
      settings: grid({
        short: true,
        trailUp: true,
        grid: { low: '100', high: '121', count: 3, spacing: 'geometric' },
      }),
      events: ['0 115', '10 85'],
      open: 'SELL LIMIT 90.91 0.549; SELL LIMIT 100 0.5',
    });
  });

  it('are named by the prices of their orders, whatever places their levels have', () => {
    const { trades } = played({
      bot: {
        type: 'CHANNEL',
        settings: { ...PAIR, deposit: DEPOSIT, flavor: 'GRID', grid: { low: '90', high: '100', count: 4 } },
      },
      candles: [
        table([
          [99, 99, 99, 99],
          [95, 95, 90, 95],
        ]),
      ],
    });
    const labels = new Set(trades.map(({ label }) => label));
    expect(labels).toEqual(new Set(['cell 96.6-100', 'cell 93.3-96.7', 'cell 90-93.4']));
  });

  // proves: bot options reuse GRID, bot options reuse loss
  it('with reuse buy with their share of deposit and profit, losses included', async () => {
    await plays('CHANNEL', {
      settings: grid(),
      options: { reuse: true },
      events: ['0 105', '10 100', '20 110'],
      open: 'BUY LIMIT 100 1.1',
    });
    await plays('CHANNEL', {
      settings: grid({ stop: { strategy: 'fixed', trigger: { type: 'kline', value: '90' } } }),
      options: { reuse: true },
      events: ['0 105', '10 100', '20 90', '30 101'],
      open: 'BUY LIMIT 100 0.9',
    });
  });
});

describe('LEVELS', () => {
  it('buy each with its own share, of the profit as well with reuse', async () => {
    const levels = [
      { buy: '100', sell: '110', depositePercent: 60 },
      { buy: '98', sell: '120', depositePercent: 40 },
    ];
    await plays('CHANNEL', {
      settings: cell({ deposit: { value: '200', asset: 'USDT' }, levels }),
      options: { reuse: true },
      // 120 / 100 and 80 / 98; then 60 % of 212.
      events: ['0 105', '0 open: BUY LIMIT 100 1.2; BUY LIMIT 98 0.816', '10 100', '20 110'],
      open: 'BUY LIMIT 98 0.816; BUY LIMIT 100 1.272',
    });
  });

  it('buy nothing at the start, whatever startBuy says, which is for GRID', async () => {
    await plays('CHANNEL', {
      settings: cell({ startBuy: true }),
      events: ['0 95'],
      fills: [],
      open: 'none',
      status: 'STARTED',
    });
  });
});

describe('SCALE', () => {
  it('with a size of its own buys just that, whatever was earned, with reuse', async () => {
    await plays('CHANNEL', {
      settings: scale({}, { size: '50' }),
      options: { reuse: true },
      events: ['0 100', '10 110', '20 100'],
      fills: ['0 BUY 0.5 at 100 taker', '10 SELL 0.5 at 110 maker', '20 BUY 0.5 at 100 taker'],
    });
  });

  it('with a time frame begins its next cycle at the close after the sale, whatever tick has sold', async () => {
    const events = ['0 100', '60', '70 105', '80 110', '119 110', '120'];
    const fills = ['60 BUY 1 at 100 taker', '80 SELL 1 at 110 maker', '120 BUY 0.909 at 110 taker'];
    const settings = scale({ timeFrame: 60_000 });
    await plays('CHANNEL', { settings, events, fills, stats: { cycles: 1 } });
  });

  // proves: bot SCALE entryPrice
  it('buys its base order at entryPrice as LIMIT', async () => {
    await plays('CHANNEL', {
      settings: scale({ entryPrice: '98' }),
      events: ['0 100', '0 open: BUY LIMIT 98 1.02', '10 97'],
      fills: ['10 BUY 1.02 at 98 maker'],
      // 10 % below and above 98.
      open: 'BUY LIMIT 88.2 1.133; SELL LIMIT 107.8 1.02',
    });
  });

  // proves: bot SCALE filters
  it('buys it when the filters pass', async () => {
    await plays('CHANNEL', {
      settings: scale({ filters: { price: { minVal: '105' } } }),
      events: ['0 100', '10 104.99', '20 105'],
      fills: ['20 BUY 0.952 at 105 taker'],
    });
  });

  // proves: bot SCALE cycle, bot SCALE onetime
  it('begins its next cycle with the tick after the one that closed the last, unless onetime', async () => {
    const events = ['0 100', '10 110', '10 open: none', '20 109'];
    const fills = ['0 BUY 1 at 100 taker', '10 SELL 1 at 110 maker'];
    await plays('CHANNEL', { settings: scale(), events, fills: [...fills, '20 BUY 0.917 at 109 taker'] });
    await plays('CHANNEL', { settings: scale({ onetime: true }), events, fills, state: 'completed' });
  });
});

describe('the state', () => {
  // proves: bot CHANNEL states
  it.each<[string, Settings, string[]]>([
    ['working', cell(), ['0 105']],
    ['waiting', cell(), ['0 100']],
    ['out_of_range', cell(), ['0 99']],
    ['holding', cell(), ['0 105', '10 100']],
    ['paused', cell({ range: { type: 'price', min: '103' } }), ['0 105', '10 102']],
    ['completed', cell({ onetime: true }), ['0 105', '10 100', '20 110']],
    ['working', scale({ entryPrice: '98' }), ['0 100']],
    ['waiting', scale(), ['0 100', '10 110']],
    ['holding', scale(), ['0 100']],
  ])('%s', async (state, settings, events) => {
    await plays('CHANNEL', { settings, events, state });
  });
});
