/**
 * Random orders, settings, ticks, funding, liquidations and restarts on the pure core, against sums computed
 * independently from its reports: every cent of the wallet, every position, every restart.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dec, dec, mul, roundTo, str } from '../../src/domain/decimal.ts';
import type { ExchangeOrder } from '../../src/domain/exchange.ts';
import { applyFill } from '../../src/domain/margin/fill.ts';
import { liquidationPrice } from '../../src/domain/margin/liquidation-price.ts';
import { abs, type Open } from '../../src/domain/margin/position.ts';
import { maintenanceMargin } from '../../src/domain/margin/tiers.ts';
import { tiersOf } from '../../src/venues/paper/futures/brackets.ts';
import type { PaperOptions } from '../../src/venues/paper/options.ts';
import { FuturesBench } from './futures-support.ts';
import { plain } from './paper-support.ts';

const HOUR = 3_600_000;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT'] as const;

type Action =
  | { readonly do: 'submit'; readonly order: Partial<ExchangeOrder> }
  | { readonly do: 'cancel'; readonly pick: number }
  | { readonly do: 'leverage'; readonly symbol: string; readonly leverage: number }
  | {
      readonly do: 'tick';
      readonly symbol: string;
      readonly percent: number;
      readonly after: number;
      readonly order: Partial<ExchangeOrder> | null;
    }
  | { readonly do: 'restart' };

interface Setup {
  readonly options: PaperOptions;
  readonly hedge: boolean;
  readonly isolated: readonly boolean[];
  readonly leverage: number;
}

const symbol = fc.constantFrom(...SYMBOLS);
/** Prices in percent of the first one: 88 .. 112, so that high leverages are liquidated. */
const percent = fc.integer({ min: 88, max: 112 });
const BASE: Record<string, Dec> = { BTCUSDT: dec('50000'), ETHUSDT: dec('2000') };
const at = (name: string, share: number): string => str(((BASE[name] as Dec) * BigInt(share)) / 100n);

const order: fc.Arbitrary<Partial<ExchangeOrder>> = fc
  .record({
    symbol,
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    type: fc.constantFrom(
      'MARKET',
      'MARKET',
      'LIMIT',
      'LIMIT',
      'LIMIT_MAKER',
      'STOP_MARKET',
      'TAKE_PROFIT_MARKET',
      'STOP_LIMIT',
      'TRAILING',
    ),
    size: fc.integer({ min: 1, max: 3_000 }),
    price: percent,
    stop: percent,
    timeInForce: fc.constantFrom('GTC', 'GTC', 'IOC', 'FOK'),
    mark: fc.boolean(),
    closing: fc.constantFrom('', '', 'reduce', 'close'),
    positionSide: fc.constantFrom('LONG' as const, 'SHORT' as const),
  })
  .map((o) => {
    const trailing = o.type === 'TRAILING';
    const type = trailing ? 'STOP_MARKET' : o.type;
    const limit = type.includes('LIMIT');
    const conditional = type.startsWith('STOP') || type.startsWith('TAKE');
    const close = o.closing === 'close' && !limit;
    return {
      symbol: o.symbol,
      side: o.side,
      type,
      positionSide: o.positionSide,
      timeInForce: type === 'LIMIT_MAKER' ? 'GTC' : o.timeInForce,
      workingType: o.mark ? 'MARK_PRICE' : 'CONTRACT_PRICE',
      ...(close
        ? { closePosition: true }
        : { quantity: str(dec(o.symbol === 'BTCUSDT' ? '0.01' : '0.3') * BigInt(o.size)) }),
      ...(o.closing === 'reduce' ? { reduceOnly: true } : {}),
      ...(limit ? { price: at(o.symbol, o.price) } : {}),
      ...(conditional && !trailing ? { stopPrice: at(o.symbol, o.stop) } : {}),
      ...(trailing ? { trailingDelta: 200 } : {}),
    } as Partial<ExchangeOrder>;
  });
const tick = fc
  .record({
    symbol,
    percent,
    after: fc.constantFrom(1, 60_000, 3 * HOUR, 8 * HOUR),
    order: fc.option(order, { freq: 4 }),
  })
  .map((made): Action => ({ do: 'tick', ...made }));
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: order.map((made): Action => ({ do: 'submit', order: made })) },
  { weight: 2, arbitrary: fc.nat(1_000).map((pick): Action => ({ do: 'cancel', pick })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ symbol, leverage: fc.constantFrom(1, 5, 20, 75, 125) })
      .map((made): Action => ({ do: 'leverage', ...made })),
  },
  { weight: 9, arbitrary: tick },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'restart' }) },
);
const setup: fc.Arbitrary<Setup> = fc.record({
  options: fc.record({
    participation: fc.constantFrom(null, null, '0.5'),
    slippageBps: fc.constantFrom(0, 7),
    makerRate: fc.constantFrom('0.0002', '0'),
    takerRate: fc.constantFrom('0.0005', '0.00037'),
    fundingRate: fc.constantFrom('0.0001', '-0.0075', '0.00031'),
    markLagMs: fc.constantFrom(0, 0, 30_000),
    liquidationFeeRate: fc.constantFrom(null, '0.0003'),
    finishedKept: fc.constantFrom(4, 1_000),
    tradesKept: fc.constantFrom(5, 1_000),
  }),
  hedge: fc.boolean(),
  isolated: fc.tuple(fc.boolean(), fc.boolean()),
  leverage: fc.constantFrom(5, 20, 50, 100),
});

class World {
  readonly bench: FuturesBench;
  readonly hedge: boolean;
  readonly options: PaperOptions;
  readonly ids: { clientId: string; symbol: string }[] = [];
  /** By `SYMBOL SIDE`: signed size, money paid for it, and realised profit. */
  readonly flows = new Map<string, { size: Dec; paid: Dec; pnl: Dec }>();
  funding = 0n;
  fees = 0n;
  pnl = 0n;
  liquidated = 0;
  #told = 0;
  readonly #seqs = new Map<string, number>();

  constructor(made: Setup) {
    this.options = made.options;
    this.hedge = made.hedge;
    this.bench = new FuturesBench(made.options);
    for (const name of SYMBOLS) this.bench.tick(at(name, 100), { symbol: name });
    if (made.hedge) this.bench.mustSet((core) => core.setHedgeMode(true));
    SYMBOLS.forEach((name, n) => {
      this.bench.mustSet((core) => core.setLeverage(name, made.leverage));
      if (made.isolated[n]) this.bench.mustSet((core) => core.setMarginType(name, 'ISOLATED'));
    });
  }

  run(step: Action): void {
    const { bench } = this;
    switch (step.do) {
      case 'submit':
        this.#submit(step.order);
        break;
      case 'cancel': {
        const ref = this.ids[step.pick % Math.max(1, this.ids.length)];
        if (ref) bench.keep(bench.core.cancel(ref, bench.now));
        break;
      }
      case 'leverage':
        bench.set((core) => core.setLeverage(step.symbol, step.leverage));
        break;
      case 'tick':
        this.#tick(step);
        break;
      case 'restart':
        bench.core = this.#reloaded();
        break;
    }
    this.check();
  }

  check(): void {
    const { bench } = this;
    this.#take();
    bench.core.audit();
    const amounts = bench.core.amounts();
    expect(str(amounts.realized)).toBe(str(this.pnl));
    expect(str(amounts.fees + amounts.liquidationFees)).toBe(str(this.fees));
    expect(str(amounts.funding)).toBe(str(this.funding));
    expect(amounts.covered >= 0n && amounts.wallet >= 0n).toBe(true);
    expect(str(amounts.wallet)).toBe(
      str(dec('100000') + this.pnl - this.fees + this.funding + amounts.covered),
    );
    const { rows } = bench.core.ledger({ after: '0', since: 0, limit: 10_000 });
    const others = rows.reduce((sum, { amount }) => sum + dec(amount), 0n);
    expect(str(dec('100000') + this.pnl - this.fees + others)).toBe(str(amounts.wallet));
    const [told] = bench.core.balances();
    expect(str(dec(told?.free ?? '') + dec(told?.locked ?? ''))).toBe(str(amounts.wallet));
    const open = new Map(bench.core.positions().map((p) => [`${p.symbol} ${p.side}`, p]));
    for (const [key, flow] of this.flows) {
      const position = open.get(key);
      const size = position ? dec(position.amount) * (position.side === 'SHORT' ? -1n : 1n) : 0n;
      expect(str(size)).toBe(str(flow.size));
      const value = position ? mul(size, dec(position.markPrice)) : 0n;
      const unrealised = position ? dec(position.unrealizedProfit) : 0n;
      // Money received plus present value = realised + unrealised, to the last digit.
      expect(str(flow.pnl + unrealised)).toBe(str(value - flow.paid));
      open.delete(key);
    }
    expect([...open.keys()]).toEqual([]);
    this.#reloaded();
  }

  #submit(made: Partial<ExchangeOrder>): void {
    const side = this.hedge ? made.positionSide : undefined;
    const { positionSide: _, ...rest } = made;
    const outcome = this.bench.submit(side ? { ...rest, positionSide: side } : rest);
    if (outcome.kind === 'accepted') {
      this.ids.push({ clientId: outcome.state.clientId, symbol: outcome.state.symbol });
    }
  }

  #tick(step: Extract<Action, { do: 'tick' }>): void {
    const { bench } = this;
    const before = bench.now;
    const due = Math.floor((before + step.after) / (8 * HOUR)) - Math.floor(before / (8 * HOUR));
    for (let n = 0; n < due; n++) {
      for (const position of bench.core.positions()) {
        const size = dec(position.amount) * (position.side === 'SHORT' ? -1n : 1n);
        const value = mul(size, dec(position.markPrice));
        this.funding -= roundTo(mul(value, dec(this.options.fundingRate as string)), dec('0.00000001'));
      }
    }
    let first: Partial<ExchangeOrder> | null = due > 0 ? null : step.order;
    bench.tick(at(step.symbol, step.percent), {
      symbol: step.symbol,
      after: step.after,
      volume: '20',
      between: () => {
        bench.core.audit();
        if (first) this.#submit(first);
        first = null;
      },
    });
  }

  #take(): void {
    for (const event of this.bench.events.slice(this.#told)) {
      if (event.kind === 'fill') {
        const { fill } = event;
        const key = `${fill.symbol} ${fill.posSide}`;
        const flow = this.flows.get(key) ?? { size: 0n, paid: 0n, pnl: 0n };
        const qty = dec(fill.qty) * (fill.side === 'BUY' ? 1n : -1n);
        flow.size += qty;
        flow.paid += mul(qty, dec(fill.price));
        flow.pnl += dec(fill.rPnl ?? '0');
        this.flows.set(key, flow);
        this.fees += dec(fill.comm);
        this.pnl += dec(fill.rPnl ?? '0');
        if (fill.clientId.startsWith('liq-')) this.liquidated++;
      } else if (event.kind === 'order') {
        const { clientId, seq, cumQty, origQty, status } = event.state;
        expect(seq).toBe((this.#seqs.get(clientId) ?? 0) + 1);
        this.#seqs.set(clientId, seq);
        expect((status === 'FILLED') === (cumQty === origQty && origQty !== '0')).toBe(true);
      }
    }
    this.#told = this.bench.events.length;
  }

  #reloaded() {
    const again = this.bench.reloaded();
    expect(plain(again.documents())).toEqual(plain(this.bench.core.documents()));
    expect(again.positions()).toEqual(this.bench.core.positions());
    expect(again.balances()).toEqual(this.bench.core.balances());
    expect(again.openOrders()).toEqual(this.bench.core.openOrders());
    for (const ago of [0, 1, 60_000]) {
      const q = { symbol: 'BTCUSDT', from: again.time - ago };
      expect(this.bench.reloaded().fills(q)).toEqual(this.bench.core.fills(q));
    }
    return again;
  }
}

let liquidations = 0;

describe('any path of orders, settings, ticks, funding, liquidations and restarts', () => {
  it('accounts for every last digit of the wallet and of every position', () => {
    fc.assert(
      fc.property(setup, fc.array(action, { maxLength: 50, size: 'max' }), (made, actions) => {
        const world = new World(made);
        for (const step of actions) world.run(step);
        liquidations += world.liquidated;
      }),
      { numRuns: 200 },
    );
    expect(liquidations).toBeGreaterThan(20);
  });

  it('gives a restarted core the same future', () => {
    fc.assert(
      fc.property(
        setup,
        fc.array(action, { maxLength: 40, size: 'max' }),
        fc.nat(40),
        (made, actions, cut) => {
          const straight = new World(made);
          const restarted = new World(made);
          actions.forEach((step, n) => {
            if (n === cut) restarted.run({ do: 'restart' });
            if (step.do === 'restart') return;
            straight.run(step);
            restarted.run(step);
          });
          expect(restarted.bench.events).toEqual(straight.bench.events);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('formulas', () => {
  const quantity = fc.integer({ min: 1, max: 200_000 }).map((n) => dec('0.001') * BigInt(n));
  const price = fc.integer({ min: 1_000_000, max: 9_000_000 }).map((n) => dec('0.01') * BigInt(n));

  it('a round trip realises the same however it is split into fills at the same prices', () => {
    // More decimals than money has, so that the rounding of outflows is covered.
    const fine = fc.integer({ min: 1, max: 90_000_000 }).map((n) => dec('0.000000001') * BigInt(n));
    const parts = fc.array(quantity, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, parts, fine, fine, fc.boolean(), (ins, outs, entry, exit, isLong) => {
        const sign = isLong ? 1n : -1n;
        const total = ins.reduce((sum, qty) => sum + qty, 0n);
        let open: Open = { amount: 0n, cost: 0n };
        for (const qty of ins) open = applyFill(open, sign * qty, entry).after;
        let pnl = 0n;
        for (const qty of [...outs, total]) {
          const left = abs(open.amount);
          const applied = applyFill(open, -sign * (qty < left ? qty : left), exit);
          if (left > 0n) pnl += applied.pnl ?? 0n;
          open = applied.after;
        }
        expect(open).toEqual({ amount: 0n, cost: 0n });
        expect(str(pnl)).toBe(str(sign * mul(total, exit - entry)));
      }),
    );
  });

  it('at the liquidation price margin balance and maintenance margin are equal (1e-10), in every bracket and mode', () => {
    const leg = fc.record({ size: fc.integer({ min: 1, max: 20_000_000 }), entry: price });
    let found = 0;
    fc.assert(
      fc.property(
        fc.constantFrom('BTC', 'SOL', 'XLM'),
        fc.option(leg),
        fc.option(leg),
        fc.integer({ min: 1, max: 1_000_000_000 }),
        price,
        (base, l, s, wallet, mark) => {
          const tiers = tiersOf(base);
          const made = (of: typeof l, sign: bigint): Open[] => {
            if (!of) return [];
            const amount = sign * dec('0.001') * BigInt(of.size);
            return [{ amount, cost: mul(amount, of.entry) }];
          };
          const legs = [...made(l, 1n), ...made(s, -1n)];
          const at = liquidationPrice(dec(String(wallet)), legs, tiers, mark);
          if (at === null) return;
          found++;
          let balance = dec(String(wallet));
          let maintenance = 0n;
          for (const open of legs) {
            balance += mul(open.amount, at) - open.cost;
            maintenance += maintenanceMargin(tiers, mul(abs(open.amount), at));
          }
          expect(abs(balance - maintenance) * 10_000_000_000n <= maintenance).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(found).toBeGreaterThan(300);
  });

  it('the maintenance margin has no jump between two brackets', () => {
    for (const base of 'BTC ETH BNB SOL XRP DOGE ADA TRX AVAX LINK DOT LTC BCH UNI ATOM XLM NEAR SUI AAVE SHIB'.split(
      ' ',
    )) {
      const tiers = tiersOf(base);
      expect(tiers.length).toBeGreaterThan(7);
      tiers.slice(1).forEach((tier, n) => {
        const below = tiers[n] as (typeof tiers)[number];
        expect(str(mul(tier.floor, tier.rate) - tier.cumulative)).toBe(
          str(mul(tier.floor, below.rate) - below.cumulative),
        );
      });
    }
  });
});
