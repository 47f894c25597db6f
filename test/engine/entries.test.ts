/**
 * What counts as a close while an account accepts no entries: at most the part that no other open order
 * closes yet.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Bench } from './support/bench.ts';

const SIZE = 50;

/** Orders against the position of a long account in one-way mode, each filled in part. */
const resting = fc.array(
  fc.record({ side: fc.constantFrom('BUY', 'SELL'), qty: fc.integer({ min: 2, max: 10 }), part: fc.nat(99) }),
  { maxLength: 5 },
);

// proves: S61
it('a close during a gap may be as large as the position less what other orders have still to close of it', () => {
  fc.assert(
    fc.property(resting, fc.integer({ min: -2, max: 2 }), fc.boolean(), (orders, beyond, restarts) => {
      const bench = new Bench({ futures: true });
      const hold = (amount: number) =>
        bench.event({
          type: 'venue.positions',
          exchange: bench.exchange,
          changed: [{ ...LONG, amount: `${amount}`, updateTime: bench.wall }],
          all: true,
        });
      let held = SIZE;
      hold(held);
      let closing = 0;
      for (const { side, qty, part } of orders) {
        const price = side === 'SELL' ? '61000' : '59000';
        const order = bench.resting({ side, quantity: `${qty}`, price });
        const done = part % qty;
        if (done > 0) bench.fill(bench.trade(order, `${done}`, { commAsset: 'USDT' }));
        bench.pass(1);
        held += side === 'SELL' ? -done : done;
        hold(held);
        if (side === 'SELL') closing += qty - done;
      }
      if (restarts) {
        bench.restart();
        hold(held);
      }
      bench.event({ type: 'link', exchange: bench.exchange, up: true, gap: true });
      const quantity = held - closing + beyond;
      fc.pre(quantity > 0);
      const { token } = bench.place({ price: '60500', side: 'SELL', quantity: `${quantity}` });
      expect(bench.isAnswered(token) ? bench.reply(token).status : 'sent').toBe(beyond > 0 ? 503 : 'sent');
    }),
  );
});

const LONG = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
} as const;
