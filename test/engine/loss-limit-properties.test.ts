/**
 * `dailyLossLimit` against a model in plain numbers: for any order of fills, prices, payments, days and
 * restarts, an entry is sent exactly when the loss is known and below the limit, and a close is always sent.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import { mayBeOpen, type OrderRecord } from '../../src/domain/order.ts';
import { Bench } from './support/bench.ts';
import { OPERATOR } from './support/market.ts';

/** Whole dollars a BTC, whole BTC and whole dollars: nothing is rounded. */
const PERCENT = 5;
const PRICES = [40, 44, 47, 48, 50, 52, 55, 60] as const;
const FIRST_DAY = 20_458;

const actions = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('price' as const), price: fc.constantFrom(...PRICES) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('buy' as const), fills: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('sell' as const), fills: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('pay' as const),
        amount: fc.integer({ min: -150, max: 300 }),
        ledgerFirst: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('day' as const), by: fc.constantFrom(-5, -1, 0, 1, 1, 2) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('stale' as const), on: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('lift' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('rest' as const), side: fc.constantFrom('BUY', 'SELL') }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  ),
  { maxLength: 50, size: 'max' },
);

class Model {
  usdt = 5_000;
  btc = 100;
  price = 50;
  stale = false;
  day = FIRST_DAY;
  /** The day's base, including later payments. */
  base: { day: number; usd: number } | null = { day: FIRST_DAY, usd: 10_000 };
  lifted: { day: number; lost: number } | null = null;
  reached = false;
  /** Nothing was reported since the start. */
  fresh = false;
  /** The date was not reported since the start: the stored day goes on. */
  dayTold = true;

  get worth(): number {
    return this.usdt + this.btc * this.price;
  }

  /** The loss that counts; null: not known. */
  get counted(): number | null {
    if (this.fresh || this.stale || this.base === null) return null;
    const lost = this.base.usd - this.worth;
    return lost - (this.lifted?.day === this.base.day ? this.lifted.lost : 0);
  }

  look(): void {
    this.fresh = false;
    const { base, day } = this;
    const goesOn = base !== null && (!this.dayTold || day === base.day || day === base.day - 1);
    if (!goesOn) this.base = this.stale ? base : { day, usd: this.worth };
    if (!goesOn && this.stale) return;
    const { counted } = this;
    if (counted !== null && this.base && counted > 0 && counted >= (this.base.usd * PERCENT) / 100)
      this.reached = true;
  }

  get takesEntries(): boolean {
    return !this.reached && this.counted !== null;
  }
}

class Trader {
  readonly bench = new Bench({
    caps: { pricesFirst: true },
    ledger: true,
    price: '50',
    balances: [
      { asset: 'USDT', free: '5000', locked: '0' },
      { asset: 'BTC', free: '100', locked: '0' },
    ],
  });
  readonly model = new Model();

  constructor() {
    const { bench } = this;
    bench.event({ type: 'day', day: FIRST_DAY });
    const change = { dailyLossLimit: `${PERCENT}` };
    bench.ask({ type: 'guards', exchange: bench.exchange, change }, { actor: OPERATOR });
    bench.event({ type: 'ledger', exchange: bench.exchange, entries: [], since: 0, after: null });
    for (let i = 0; i < 2; i++) {
      bench.pass(1);
      bench.event({ type: 'audit', exchange: bench.exchange, askedAt: bench.mono });
    }
  }

  tell(): void {
    const { bench, model } = this;
    const changed = [
      { asset: 'USDT', free: `${model.usdt}`, locked: '0' },
      { asset: 'BTC', free: `${model.btc}`, locked: '0' },
    ];
    bench.event({ type: 'venue.balances', exchange: bench.exchange, changed });
  }

  tick(price = this.model.price): void {
    this.model.price = price;
    this.bench.tick(`${price}`);
    this.model.look();
    this.afterLook();
  }

  /**
   * Checks that resting entries are gone or on their way out once the limit is reached; closing orders are
   * unchanged.
   */
  afterLook(): void {
    for (const order of this.bench.engine.memory.orders.values()) {
      if (!mayBeOpen(order)) continue;
      if (order.side === 'SELL') expect(order.cancel).toBeUndefined();
      else if (this.model.reached) expect(order.cancel?.by).toBe('dailyLossLimit');
      else expect(order.cancel).toBeUndefined();
    }
    for (const order of this.open) if (order.cancel) this.bench.cancelDone(order);
  }

  /** Places an order far from the market. */
  rest(side: 'BUY' | 'SELL'): void {
    const { bench, model } = this;
    const before = bench.engine.memory.orders.size;
    const request = side === 'BUY' ? { price: '15', quantity: '1' } : { price: '200', quantity: '1' };
    const { order } = bench.place({ side, ...request });
    expect(bench.engine.memory.orders.size > before).toBe(side === 'SELL' || model.takesEntries);
    if (bench.engine.memory.orders.size > before) bench.accepted(order);
  }

  get open(): OrderRecord[] {
    return [...this.bench.engine.memory.orders.values()].filter(mayBeOpen);
  }

  trade(side: 'BUY' | 'SELL', fills: boolean): void {
    const { bench, model } = this;
    // A resting order locks a little of both.
    if (side === 'BUY' ? model.usdt < 1_000 : model.btc < 30) return;
    const before = bench.engine.memory.orders.size;
    const price = `${model.price}`;
    const quantity = '2';
    const { order, token } = bench.place({ side, price, quantity });
    const isSent = bench.engine.memory.orders.size > before;
    const may = side === 'SELL' || model.takesEntries;
    expect(isSent, isSent ? 'it was sent' : bench.reply(token).message).toBe(may);
    if (!isSent) return;
    bench.accepted(order);
    if (fills) this.filled(order);
    else {
      bench.cancel(order.id);
      bench.cancelDone(order);
    }
    this.tell();
    this.tick();
  }

  filled(order: OrderRecord): void {
    const { bench, model } = this;
    const sign = order.side === 'BUY' ? 1 : -1;
    model.btc += sign * 2;
    model.usdt -= sign * 2 * model.price;
    bench.fill(bench.trade(order, '2', { commAsset: 'USDT' }));
    // Between the execution and the balances the limit is not reached, and nothing known is forgotten.
    const { reached } = model;
    bench.tick(`${model.price}`);
    expect(this.isReached).toBe(reached);
  }

  get isReached(): boolean {
    return this.bench.engine.memory.account(this.bench.exchange).guards?.loss.stored.reachedAt !== null;
  }

  pay(amount: number, ledgerFirst: boolean): void {
    const { bench, model } = this;
    if (model.usdt + amount < 0) return;
    model.usdt += amount;
    if (model.base) model.base = { ...model.base, usd: model.base.usd + amount };
    const entry = {
      id: `${bench.wall} ${amount}`,
      time: bench.wall,
      asset: 'USDT',
      kind: 'transfer' as const,
    };
    const ledger = () => {
      const entries = amount === 0 ? [] : [{ ...entry, amount: str(dec(`${amount}`)) }];
      bench.event({ type: 'ledger', exchange: bench.exchange, entries, since: 0, after: null });
    };
    bench.pass(1);
    if (ledgerFirst) ledger();
    else this.tell();
    const { reached } = model;
    bench.tick(`${model.price}`);
    expect(this.isReached).toBe(reached);
    if (ledgerFirst) this.tell();
    else ledger();
    this.tick();
  }

  act(action: (typeof actions extends fc.Arbitrary<infer A> ? A : never)[number]): void {
    const { bench, model } = this;
    switch (action.do) {
      case 'price':
        this.tick(action.price);
        return;
      case 'buy':
        this.trade('BUY', action.fills);
        return;
      case 'rest':
        // As many as the wallet covers.
        if (this.open.length < 12) this.rest(action.side as 'BUY' | 'SELL');
        return;
      case 'sell':
        this.trade('SELL', action.fills);
        return;
      case 'pay':
        // A payment before the first report after a start is included in the balances of that start.
        if (!model.fresh) this.pay(action.amount, action.ledgerFirst);
        return;
      case 'day':
        model.day += action.by;
        model.dayTold = true;
        bench.event({ type: 'day', day: model.day });
        model.look();
        this.afterLook();
        return;
      case 'stale':
        model.stale = action.on;
        bench.event({ type: 'stale', market: 'paper', symbol: '', why: action.on ? 'no line' : null });
        model.look();
        this.afterLook();
        return;
      case 'lift': {
        const { status } = bench.ask({ type: 'lift', exchange: bench.exchange }, { actor: OPERATOR }).reply();
        if (!model.reached) {
          expect(status).toBe(409);
          return;
        }
        model.look();
        const { counted, base } = model;
        expect(status).toBe(counted === null ? 503 : 200);
        if (counted === null || base === null) return;
        model.lifted = { day: base.day, lost: Math.max(0, base.usd - model.worth) };
        model.reached = false;
        this.afterLook();
        return;
      }
      case 'restart':
        bench.restart();
        bench.event({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: `${model.price}` });
        this.tell();
        model.stale = false;
        model.dayTold = false;
        model.fresh = true;
        this.tick();
        return;
    }
  }
}

it('an entry leaves exactly when the limit is known and not reached', () => {
  fc.assert(
    fc.property(actions, (list) => {
      const trader = new Trader();
      trader.tick();
      for (const action of list) {
        trader.act(action);
        expect(trader.isReached).toBe(trader.model.reached);
      }
    }),
    { numRuns: 120 },
  );
});
