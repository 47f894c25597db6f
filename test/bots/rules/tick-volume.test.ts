/**
 * Limits set by the volume of a tick and the size of a position, live and in the backtest (strategies.md 1,
 * partial fills).
 */
import { describe, it } from 'vitest';
import { plays } from '../../scenarios/scene.ts';
import { cell, cells } from './bots.ts';

// proves: bot tick partial
describe('two ticks at one time', () => {
  it.each([true, false])('have a volume each, futures %s', async (futures) => {
    await plays('CHANNEL', {
      futures,
      participation: '1',
      settings: cell({ levels: [{ buy: '100', sell: '200' }] }),
      events: ['0 101 x5', '1 100 x0.4', '1 99 x0.3', '1 99 x0.3', '2 99 x5'],
      fills: ['1 BUY 0.4 at 100 maker', '1 BUY 0.3 at 100 maker', '1 BUY 0.3 at 100 maker'],
      status: 'STARTED',
    });
  });

  it('also at the same price, after the orders of the first have moved', async () => {
    await plays('CHANNEL', {
      participation: '0.5',
      settings: cells([
        ['100', '101'],
        ['98', '99'],
      ]),
      events: ['0 102 x5', '1 97 x1', '1 97 x1', '1 97 x4', '2 103 x1', '2 103 x9'],
      fills: [
        '1 BUY 0.5 at 100 maker',
        '1 BUY 0.5 at 100 maker',
        '1 BUY 1.02 at 98 maker',
        '2 SELL 0.5 at 99 maker',
        '2 SELL 0.52 at 99 maker',
        '2 SELL 1 at 101 maker',
      ],
      status: 'STARTED',
    });
  });
});

// proves: bot stop-rule cancels-exits
it('a stop with a limit that has triggered closes its lots only, also when more is opened in its tick', async () => {
  const trigger = { type: 'exchange', value: '105' };
  const rule = { strategy: 'fixed', trigger, order: { type: 'LIMIT' }, complete: true };
  const levels = [
    ['80', '100'],
    ['80', '104'],
  ] as const;
  await plays('CHANNEL', {
    futures: true,
    settings: cells(levels, { short: true, stop: rule }),
    // In one tick the stop of the first cell triggers and rests at 105, and the second cell sells.
    events: ['0 99', '1 101', '2 106', '2 open: BUY LIMIT 105 1; BUY LIMIT 80 0.961', '3 105'],
    fills: [
      '1 SELL 1 at 100 maker',
      '2 SELL 0.961 at 104 maker',
      '3 BUY 1 at 105 maker',
      '3 BUY 0.961 at 105 taker',
    ],
  });
});

// proves: bot ALGO tpsl quantity
describe('a pair on more than the position', () => {
  const pair = { symbol: 'BTCUSDT', algo: 'tpsl', quantity: '3' };

  it('sells what is held, and no more', async () => {
    await plays('ALGO', {
      futures: true,
      position: { amount: '1', entryPrice: '100' },
      settings: { ...pair, side: 'SELL', takeProfit: { price: '110' }, stopLoss: { price: '90' } },
      events: ['0 100', '1 112', '2 115', '3 80'],
      fills: ['1 SELL 1 at 110 maker'],
      held: null,
    });
  });

  it('buys back what a short has sold, and no more, at its stop', async () => {
    await plays('ALGO', {
      futures: true,
      position: { amount: '-1', entryPrice: '100' },
      settings: { ...pair, side: 'BUY', takeProfit: { price: '90' }, stopLoss: { price: '110' } },
      events: ['0 100', '1 112', '2 115', '3 80'],
      fills: ['1 BUY 1 at 112 taker'],
      held: null,
    });
  });
});
