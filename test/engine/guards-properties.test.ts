/**
 * Guards in any sequence of orders: no entry beyond them is sent, and no close is held back. Counted
 * independently from the sent orders.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dec, mul, str } from '../../src/domain/decimal.ts';
import type { Guards } from '../../src/domain/guards.ts';
import { mayBeOpen, type OrderRecord } from '../../src/domain/order.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { OPERATOR } from './support/market.ts';

const MOST = { maxOrderValue: '6000', maxPositionValue: '20000', maxOpenOrders: 5, maxOrdersPerMinute: 4 };
const MARK = dec('60000');

const actions = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('place' as const),
        side: fc.constantFrom('BUY' as const, 'SELL' as const),
        steps: fc.integer({ min: 2, max: 120 }),
        price: fc.constantFrom('59000', '60000', '61000'),
        held: fc.boolean(),
        reduce: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('fill' as const), pick: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fire' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  ),
  { maxLength: 40, size: 'max' },
);

/**
 * An account that trades: the state of the exchange, reported at once, and the orders sent within the last
 * minute.
 */
class Trader {
  readonly bench: Bench;
  readonly futures: boolean;
  position = 0n;
  sent: number[] = [];

  constructor(futures: boolean, change: Partial<Guards>) {
    this.futures = futures;
    this.bench = new Bench({
      futures,
      ...(futures ? {} : { balances: [{ asset: 'USDT', free: '9000000', locked: '0' }] }),
    });
    this.bench.ask({ type: 'guards', exchange: this.bench.exchange, change }, { actor: OPERATOR });
  }

  get open(): OrderRecord[] {
    return [...this.bench.engine.memory.orders.values()].filter(mayBeOpen);
  }

  tell(): void {
    const { bench } = this;
    if (this.futures) {
      const changed = [{ ...FLAT, amount: str(this.position), updateTime: bench.wall }];
      bench.event({ type: 'venue.positions', exchange: bench.exchange, changed, all: true });
      return;
    }
    const locked = this.open.filter(({ side, phase }) => side === 'SELL' && phase === 'live');
    const sum = locked.reduce((total, order) => total + restOf(order), 0n);
    const changed = [{ asset: 'BTC', free: str(this.position - sum), locked: str(sum) }];
    bench.event({ type: 'venue.balances', exchange: bench.exchange, changed });
  }

  /** Checks a sent order: whether it was a close, by the position before it. Then it is accepted. */
  left(order: OrderRecord): void {
    const sell = order.side === 'SELL';
    const size = sell ? this.position : -this.position;
    const others = this.open
      .filter((one) => one !== order && one.side === order.side)
      .reduce((total, one) => total + restOf(one), 0n);
    const quantity = dec(order.origQty);
    const closes = this.futures ? size > 0n && quantity <= (order.reduceOnly ? size : size - others) : sell;
    if (!closes) {
      const price = dec(order.price ?? order.stopPrice ?? '60000');
      const worth = mul(quantity, sell && price < MARK ? MARK : price);
      expect(worth <= dec(MOST.maxOrderValue), `${order.id} is worth ${str(worth)}`).toBe(true);
      if (!order.reduceOnly) {
        this.sent = [...this.sent.filter((at) => at > this.bench.mono - 60_000), this.bench.mono];
        expect(this.sent.length).toBeLessThanOrEqual(MOST.maxOrdersPerMinute);
      }
      expect(this.open.length).toBeLessThanOrEqual(MOST.maxOpenOrders);
      const way = sell ? -1n : 1n;
      const held = way * this.position;
      const entries = this.open.filter((one) => one.side === order.side && !one.reduceOnly);
      const units = entries.reduce((total, one) => total + restOf(one), 0n) + held;
      // The sum in that direction, at the lowest price of these tests.
      expect(mul(units, dec('59000')) <= dec(MOST.maxPositionValue), `${str(units)} at once`).toBe(true);
    }
    this.bench.accepted(order);
    this.tell();
  }

  act(action: (typeof actions extends fc.Arbitrary<infer A> ? A : never)[number]): void {
    const { bench } = this;
    const pickOf = (pick: number) => {
      const live = this.open.filter(({ phase, status }) => phase === 'live' && status === 'OPENED');
      return live.at(-1 - (pick % Math.max(1, live.length)));
    };
    switch (action.do) {
      case 'place': {
        const { side, steps, price, held, reduce } = action;
        const quantity = str(BigInt(steps) * dec('0.001'));
        const stop = { type: 'STOP_MARKET', stopPrice: side === 'BUY' ? '61500' : '58500' } as const;
        const request: Partial<CreateOrder> = {
          ...(held && !this.futures ? stop : { price }),
          ...(reduce && this.futures ? { reduceOnly: true } : {}),
          side,
          quantity,
        };
        const before = bench.engine.memory.orders.size;
        const { order, token } = bench.place(request);
        if (bench.engine.memory.orders.size === before) {
          expect(bench.reply(token).status).toBe(400);
          this.refused(request, bench.reply(token).reason);
        } else if (order.phase === 'sending') this.left(order);
        return;
      }
      case 'fill': {
        const order = pickOf(action.pick);
        if (!order) return;
        const quantity = restOf(order);
        this.position += order.side === 'BUY' ? quantity : -quantity;
        bench.fill(bench.trade(order, str(quantity), { commAsset: 'USDT' }));
        bench.pass(1);
        this.tell();
        return;
      }
      case 'cancel': {
        const order = pickOf(action.pick);
        if (!order) return;
        bench.cancel(order.id);
        bench.cancelDone(order);
        this.tell();
        return;
      }
      case 'fire':
        for (const price of ['61500', '58500', '60000']) {
          bench.tick(price);
          for (const order of this.open) if (order.phase === 'sending') this.left(order);
        }
        return;
      case 'pass':
        bench.pass(action.ms);
        return;
      case 'restart':
        bench.restart();
        this.tell();
    }
  }

  /** Checks an order refused by a guard: it must not be a close. */
  refused({ side, quantity = '0', reduceOnly }: Partial<CreateOrder>, reason: string | undefined): void {
    if (!reason?.startsWith('GUARD_')) return;
    const size = side === 'SELL' ? this.position : -this.position;
    const others = this.open.filter((one) => one.side === side).reduce((sum, one) => sum + restOf(one), 0n);
    const room = reduceOnly ? size : size - others;
    if (this.futures) expect(dec(quantity) > room || size <= 0n).toBe(true);
    else expect(side).toBe('BUY');
  }
}

function restOf({ origQty, executedQty }: OrderRecord): bigint {
  return dec(origQty) - dec(executedQty);
}

const FLAT = {
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

describe.each([
  ['spot', false],
  ['one-way futures', true],
])('in any sequence on %s', (_, futures) => {
  it('no entry beyond a guard is sent, and no close is kept back', () => {
    fc.assert(
      fc.property(actions, (list) => {
        const trader = new Trader(futures, MOST);
        for (const action of list) trader.act(action);
      }),
    );
  });
});
