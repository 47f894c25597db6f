/**
 * A run of a bot on a simulated market, so that its orders can be shown before it is started: exactly the
 * runtime and strategy of the live desk, led from price to price until every entry has filled. Apart from
 * this path nothing about the market is assumed. Pure.
 */

import { type Dec, ONE, ZERO } from '../../domain/decimal.ts';
import { RunHost } from '../backtest/run-host.ts';
import { TickMarket } from '../backtest/tick-market.ts';
import { periodStart } from '../market/candle.ts';
import { CandleHub } from '../market/candle-hub.ts';
import type { RunOrder } from '../run/contract.ts';
import type { CompiledSettings, MarketRules, Problem } from '../settings/compiled.ts';
import { kindOf } from '../types/kinds.ts';
import type { LadderWalk } from './type-ladder.ts';

/** An order as it was sent, and the price at that moment. */
export interface Sent {
  readonly order: RunOrder;
  readonly at: Dec;
  /** Sent by the first tick of the run. */
  readonly first: boolean;
}

export interface WalkOptions {
  readonly settings: CompiledSettings;
  readonly rules: MarketRules;
  /** Market time, Unix ms. */
  readonly now: number;
  /** Free balance of the quote or margin asset, and of the base asset. */
  readonly quote: Dec;
  readonly base: Dec;
  /** Futures: position held before the start. */
  readonly position: { readonly amount: Dec; readonly entryPrice: Dec } | null;
}

/** Maximum number of fills in one walk: a grid has 200 cells, and an order may be divided by 100. */
const MAX_STEPS = 600;

/** Records the orders that are sent. */
class Notebook extends TickMarket {
  readonly sent: Sent[] = [];
  first = true;

  override place(order: RunOrder, now: number): void {
    const at = order.price ?? order.stopPrice ?? this.price ?? ZERO;
    this.sent.push({ order: { ...order }, at, first: this.first });
    super.place(order, now);
  }
}

export class Walk implements LadderWalk {
  readonly market: Notebook;
  readonly host: RunHost;
  readonly #settings: CompiledSettings;
  #time: number;

  constructor({ settings, rules, now, quote, base, position }: WalkOptions) {
    // Starts at the beginning of a candle, so that none closes while orders are read.
    const start = periodStart(now, settings.timeFrame ?? 60_000);
    const hub = new CandleHub({ time: start });
    this.#settings = settings;
    this.#time = start;
    this.market = new Notebook({
      rules,
      balances: new Map([
        [rules.quote, quote],
        [rules.base, base],
      ]),
      leverage: BigInt(settings.deposit?.leverage ?? 1) * ONE,
      ...(position ? { position } : {}),
    });
    this.host = new RunHost({
      settings,
      strategy: kindOf(settings.type).strategy,
      market: this.market,
      hub,
      history: () => [],
      start,
      seed: 'ladder',
    });
  }

  get run() {
    return this.host.run;
  }

  get now(): number {
    return this.host.now;
  }

  get tickSize(): Dec {
    return this.market.rules.tick;
  }

  up(price: Dec, percent: Dec): Dec {
    return this.run.up(price, percent);
  }

  down(price: Dec, percent: Dec): Dec {
    return this.run.down(price, percent);
  }

  /** Returns the strategy's problems with its planned entries at a price. */
  planned(notional: Dec, price: Dec): readonly Problem[] {
    const settings = this.#settings;
    return kindOf(settings.type).strategy.startProblems(settings, this.market.rules, notional, price);
  }

  /** Begins the run at a price. */
  begin(price: Dec): void {
    this.run.fund();
    this.host.start();
    this.tick(price);
    this.market.first = false;
  }

  tick(price: Dec): void {
    this.host.tick(this.#settings.symbol, price, ONE, this.#time++);
  }

  /** Lets time pass at the present price: candles close, timers fire. */
  pass(ms: number): void {
    this.#time += ms;
    this.host.advance(this.#time);
  }

  /** Lets time pass until the bot's own candle has closed at the present price. */
  passCandle(): void {
    this.pass(this.#settings.timeFrame ?? 60_000);
  }

  /**
   * Moves the price to the nearest resting entry, again and again, until none is left. `each` is called after
   * every step. False: there were too many.
   */
  fillEntries(each: () => void): boolean {
    for (let step = 0; step < MAX_STEPS; step++) {
      const next = this.#nearestEntry();
      if (next === null || this.host.ended) return true;
      this.tick(next);
      each();
    }
    return false;
  }

  #nearestEntry(): Dec | null {
    const price = this.market.price ?? ZERO;
    let nearest: Dec | null = null;
    for (const { order, price: limit, stopPrice } of this.market.open()) {
      if (order.role !== 'entry') continue;
      const at = stopPrice ?? limit;
      if (at !== null && (nearest === null || away(at, price) < away(nearest, price))) nearest = at;
    }
    return nearest;
  }
}

function away(a: Dec, b: Dec): Dec {
  return a > b ? a - b : b - a;
}
