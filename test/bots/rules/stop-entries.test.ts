/**
 * A bracket whose entry is a stop: already passed, triggered at a price beyond its money, filled in part;
 * live and in the backtest (strategies.md R2).
 */
import { describe, it } from 'vitest';
import { plays, START } from '../../scenarios/scene.ts';

const ENTRY = { type: 'STOP_MARKET', stopPrice: '100' };
const LONG = {
  symbol: 'BTCUSDT',
  algo: 'bracket',
  side: 'BUY',
  quantity: '1',
  entry: ENTRY,
  takeProfit: { price: '120' },
  stopLoss: { price: '90' },
};
const SHORT = { ...LONG, side: 'SELL', takeProfit: { price: '80' }, stopLoss: { price: '110' } };
const MARKETS = [
  ['spot', false],
  ['futures', true],
] as const;

// proves: bot ruling R2
describe('a stop entry that the price has passed', () => {
  it.each(MARKETS)('waits until the price is back, then rests and triggers, on %s', async (_, futures) => {
    await plays('ALGO', {
      futures,
      settings: LONG,
      events: ['0 105', '1 open: none', '2 104', '3 99', '4 open: BUY STOP_MARKET @100 1', '5 101', '6 130'],
      fills: ['5 BUY 1 at 101 taker', '6 SELL 1 at 120 maker'],
      status: 'STOPPED',
      reason: 'completed',
    });
  });

  it('of a short waits for the price above it', async () => {
    await plays('ALGO', {
      futures: true,
      settings: SHORT,
      events: ['0 95', '1 96', '2 open: none', '3 101', '4 open: SELL STOP_MARKET @100 1', '5 99', '6 70'],
      fills: ['5 SELL 1 at 99 taker', '6 BUY 1 at 80 maker'],
      status: 'STOPPED',
      reason: 'completed',
    });
  });

  it.each(MARKETS)('waits at the very price of it too, however long, on %s', async (_, futures) => {
    await plays('ALGO', {
      futures,
      settings: LONG,
      events: ['0 100', '10 100', '60 100', '120 100.01', '180 100', '200 open: none', '240 99.99'],
      open: 'BUY STOP_MARKET @100 1',
      fills: [],
      status: 'STARTED',
    });
  });

  it('waits after the start trigger has let the price by', async () => {
    const startTrigger = { trend: { [START]: '103', [START + 1_000]: '103' }, direction: 'up' };
    await plays('ALGO', {
      futures: true,
      settings: { ...LONG, startTrigger },
      events: ['0 99', '10 104', '20 105', '30 98', '40 open: BUY STOP_MARKET @100 1', '50 100'],
      fills: ['50 BUY 1 at 100 taker'],
      status: 'STARTED',
    });
  });

  it.each(MARKETS)('waits after a pause in which the price went by, on %s', async (_, futures) => {
    await plays('ALGO', {
      futures,
      settings: { ...LONG, range: { type: 'price', min: '98' } },
      events: [
        '0 99',
        '1 open: BUY STOP_MARKET @100 1',
        '2 97',
        '3 open: none',
        '4 103',
        '5 open: none',
        '6 102',
        '7 99',
        '8 open: BUY STOP_MARKET @100 1',
      ],
      fills: [],
      status: 'STARTED',
    });
  });
});

// proves: bot ruling R2
describe('a stop entry that the price has gapped through', () => {
  const MONEY = { value: '1000', asset: 'USDT' };
  const { quantity: _, ...paid } = { ...LONG, deposit: MONEY };

  it.each(MARKETS)(
    'is tried again at MARKET when its money is too little at the gap, on %s',
    async (_, futures) => {
      const deposit = futures ? { ...MONEY, leverage: 1 } : MONEY;
      await plays('ALGO', {
        futures,
        balances: { USDT: '1000' },
        settings: { ...paid, deposit },
        // 10 at 100, and 1,000 pay for 9.523 at 105.
        events: ['0 99', '1 open: BUY STOP_MARKET @100 10', '2 105', '2 open: none', '10 106'],
        fills: ['3 BUY 9.523 at 105 taker'],
        status: 'STARTED',
      });
    },
  );

  it.each(MARKETS)(
    'that finds no volume goes out at MARKET with the next price, on %s',
    async (_, futures) => {
      await plays('ALGO', {
        futures,
        participation: '1',
        settings: LONG,
        events: ['0 99 x5', '1 105 x0', '2 open: none', '3 104 x5', '4 98 x5'],
        fills: ['3 BUY 1 at 104 taker'],
        status: 'STARTED',
      });
    },
  );

  it.each(MARKETS)(
    'that fills in part is done with what it has got, as any MARKET entry, on %s',
    async (_, futures) => {
      await plays('ALGO', {
        futures,
        participation: '1',
        settings: LONG,
        events: ['0 99 x5', '1 105 x0.4', '2 104 x5', '3 98 x5', '4 101 x5', '5 125 x5'],
        fills: ['1 BUY 0.4 at 105 taker', '5 SELL 0.4 at 120 maker'],
        status: 'STOPPED',
        reason: 'completed',
      });
    },
  );
});
