/**
 * A stop whose price the market has already passed when it is placed is carried out at once, live and in the
 * backtest (strategies.md 2, "stop", and 7).
 */
import { describe, it } from 'vitest';
import { plays } from '../../scenarios/scene.ts';
import { cell, stop } from './bots.ts';

const entry = { type: 'LIMIT', price: '100' };
const bracket = { symbol: 'BTCUSDT', algo: 'bracket', side: 'BUY', quantity: '1', entry };
const GAP = ['0 105', '10 90', '20 89', '30 80'];
const BOUGHT = '10 BUY 1 at 100 maker';

describe('a gap through entry and stop', () => {
  // proves: bot ALGO bracket pair
  it.each([true, false])('bracket: sells at the price that is there, futures %s', async (futures) => {
    await plays('ALGO', {
      futures,
      settings: { ...bracket, takeProfit: { price: '120' }, stopLoss: { price: '95' } },
      events: GAP,
      fills: [BOUGHT, '10 SELL 1 at 90 taker'],
      status: 'STOPPED',
      reason: 'completed',
    });
  });

  it('bracket: a stop with a limit rests at its limit', async () => {
    await plays('ALGO', {
      futures: true,
      settings: { ...bracket, takeProfit: { price: '120' }, stopLoss: { price: '95', limitPrice: '94' } },
      events: [...GAP, '30 open: SELL LIMIT 94 1', '40 94'],
      fills: [BOUGHT, '40 SELL 1 at 94 maker'],
      status: 'STOPPED',
      reason: 'completed',
    });
  });

  it('of a short: buys back at the price that is there', async () => {
    await plays('ALGO', {
      futures: true,
      settings: { ...bracket, side: 'SELL', takeProfit: { price: '80' }, stopLoss: { price: '105' } },
      events: ['0 95', '10 110', '20 111'],
      fills: ['10 SELL 1 at 100 maker', '10 BUY 1 at 110 taker'],
      status: 'STOPPED',
      reason: 'completed',
    });
  });

  // proves: bot stop-rule exchange-placed
  it.each([true, false])('a rule at the exchange: sells, and counts, futures %s', async (futures) => {
    const rule = stop('price_percent_buy', 'exchange', { value: '5' }, { complete: true, maxStops: 1 });
    await plays('CHANNEL', {
      futures,
      settings: cell({ stop: rule }),
      events: GAP,
      fills: [BOUGHT, '10 SELL 1 at 90 taker'],
      status: 'STOPPED',
      reason: 'max stops',
    });
  });

  it('a rule with a limit becomes MARKET after 30 s', async () => {
    const rule = stop('price_percent_buy', 'exchange', { value: '5' }, { complete: true, maxStops: 1 });
    await plays('CHANNEL', {
      futures: true,
      settings: cell({ stop: { ...rule, order: { type: 'LIMIT' } } }),
      events: ['0 105', '10 90', '20 89', '20 open: SELL LIMIT 95 1', '50 88'],
      fills: [BOUGHT, '40 SELL 1 at 89 taker'],
      status: 'STOPPED',
      reason: 'max stops',
    });
  });
});
