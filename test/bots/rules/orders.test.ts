/** The `orders` block in action: every option of each side (strategies.md 2, "orders"). */
import { describe, it } from 'vitest';
import { plays, type Scene } from '../../scenarios/scene.ts';
import { cell, fibo, type Settings, scale, squeeze, stop } from './bots.ts';

const one = (orders: Settings, scene: Omit<Scene, 'settings'>) =>
  plays('CHANNEL', { settings: cell({ orders }), ...scene });
const BOUGHT = ['0 105', '10 100'];
const BUY = '10 BUY 1 at 100 maker';

describe('orders.buy', () => {
  // proves: bot orders buy MARKET, bot orders buy LIMIT-0
  it.each([{ type: 'MARKET' }, { type: 'LIMIT', price: 0 }, { type: 'LIMIT' }])(
    '%j: nothing rests, a MARKET order goes out when the level is reached',
    async (buy) => {
      await one(
        { buy },
        {
          events: ['0 105', '5 100.01', '5 open: none', '10 99.5'],
          fills: ['10 BUY 1.005 at 99.5 taker'],
          open: 'SELL LIMIT 110 1.005',
        },
      );
    },
  );

  // proves: bot orders buy LIMIT
  it('LIMIT some percent worse: goes out at the level, and rests where the market ran away', async () => {
    await one(
      { buy: { type: 'LIMIT', price: 1 } },
      {
        participation: '1',
        events: ['0 105', '5 100.01', '5 open: none', '10 99.5 x0.4'],
        fills: ['10 BUY 0.4 at 99.5 taker'],
        open: 'BUY LIMIT 100.49 0.595; SELL LIMIT 110 0.4',
      },
    );
  });

  // proves: bot orders buy size
  it('size: divided equally, the last takes the rest', async () => {
    await one(
      { buy: { size: 3 } },
      {
        events: ['0 105', '0 open: BUY LIMIT 100 0.333; BUY LIMIT 100 0.333; BUY LIMIT 100 0.334', '10 100'],
        open: 'SELL LIMIT 110 1',
      },
    );
  });
});

describe('orders.sell', () => {
  // proves: bot orders sell MARKET, bot orders sell LIMIT-0
  it.each([{ type: 'MARKET' }, { type: 'LIMIT', price: 0 }, { type: 'LIMIT' }])(
    '%j: nothing rests, a MARKET order goes out at the target',
    async (sell) => {
      await one(
        { sell },
        {
          events: [...BOUGHT, '20 109.99', '20 open: none', '30 110.5'],
          fills: [BUY, '30 SELL 1 at 110.5 taker'],
        },
      );
    },
  );

  // proves: bot orders sell LIMIT
  it('LIMIT some percent worse: goes out at the target', async () => {
    await one(
      { sell: { type: 'LIMIT', price: 1 } },
      {
        participation: '1',
        events: ['0 105', '10 100 x1', '20 109.99 x1', '20 open: none', '30 110.5 x0.4'],
        fills: [BUY, '30 SELL 0.4 at 110.5 taker'],
        open: 'SELL LIMIT 109.4 0.6',
      },
    );
  });

  // proves: bot orders sell LIMIT, bot stop-rule order MARKET
  it('LIMIT some percent worse: the sale of a stop rule goes out at MARKET all the same', async () => {
    await plays('CHANNEL', {
      settings: cell({
        orders: { sell: { type: 'LIMIT', price: 1 } },
        stop: stop('fixed', 'kline', { value: '95' }),
      }),
      participation: '1',
      events: ['0 105', '10 100 x1', '20 94 x0.4', '30 90 x1'],
      fills: [BUY, '20 SELL 0.4 at 94 taker', '30 SELL 0.6 at 90 taker'],
      open: 'none',
    });
  });

  // proves: bot orders sell size
  it('size: divided equally, the last takes the rest', async () => {
    await one(
      { sell: { size: 3 } },
      {
        events: BOUGHT,
        open: 'SELL LIMIT 110 0.333; SELL LIMIT 110 0.333; SELL LIMIT 110 0.334',
      },
    );
  });

  // proves: bot orders sell trailing
  it('trailing: at the target the exit is trailed by a quarter of its distance', async () => {
    await one(
      { sell: { priceStrategy: 'trailing' } },
      {
        events: [...BOUGHT, '20 110', '20 open: none', '30 112', '40 109.21', '50 109.2'],
        fills: [BUY, '50 SELL 1 at 109.2 taker'],
      },
    );
  });

  /** Bought in part at 97 as taker, the rest at its limit of 99. */
  const squeezed = (priceStrategy: string, open: string) =>
    plays('SQUEEZE', {
      settings: squeeze({ trailingEdge: 'high', orders: { sell: { priceStrategy } } }),
      participation: '1',
      events: ['0 100 x1', '59 97 x0.5', '60', '70 97 x0.51'],
      open,
    });

  // proves: bot orders sell fixed
  it('fixed: the target is computed once, when the lot was bought', async () => {
    await plays('CHANNEL', {
      settings: scale({ orders: { sell: { priceStrategy: 'fixed' } } }),
      events: ['0 100', '10 90'],
      fills: ['0 BUY 1 at 100 taker', '10 BUY 1.111 at 90 maker'],
      open: 'SELL LIMIT 110 2.111',
    });
    await squeezed('fixed', 'SELL LIMIT 97.97 1.01');
  });

  // proves: bot orders sell dynamic
  it('dynamic: the target follows the average entry', async () => {
    // (1 x 100 + 1.111 x 90) / 2.111 = 94.736..., and 10 %.
    await plays('CHANNEL', {
      settings: scale({ orders: { sell: { priceStrategy: 'dynamic' } } }),
      events: ['0 100', '10 90'],
      open: 'SELL LIMIT 104.22 2.111',
    });
    await squeezed('dynamic', 'SELL LIMIT 98.99 1.01');
    const channels = [
      { name: '0', depositePercent: '0', fiboPrice: '80' },
      { name: '0.382', depositePercent: '50' },
      { name: '0.500', depositePercent: '50' },
      { name: '1', depositePercent: '0', fiboPrice: '120' },
    ];
    // Targets of 120 and 100, weighted with 0.5 and 0.524.
    await plays('FIBO', {
      settings: fibo({ channels, orders: { sell: { priceStrategy: 'dynamic' } } }),
      events: ['0 105', '10 95'],
      open: 'SELL LIMIT 109.77 0.5; SELL LIMIT 109.77 0.524',
    });
  });
});
