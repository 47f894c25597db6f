/**
 * The tick market for one run on one symbol (strategies.md 1, "The tick market"): the exchange of backtest,
 * preview and scenarios, with exactly the rules of the paper exchange but without its storage. Pure;
 * everything happens at once.
 */
import { ceilTo, type Dec, div, floorTo, maxDec, minDec, mul, ONE, str, ZERO } from '../../domain/decimal.ts';
import type { Fill, OrderChange, RunOrder, TickBounds } from '../run/contract.ts';
import type { MarketRules } from '../settings/compiled.ts';
import { abs, TickPosition } from './tick-position.ts';

export interface TickMarketOptions {
  readonly rules: MarketRules;
  /** Free balances before the start, by asset (futures: the wallet of the margin asset). */
  readonly balances: ReadonlyMap<string, Dec>;
  /** Futures: position held before the start. */
  readonly position?: { readonly amount: Dec; readonly entryPrice: Dec };
  /** Share of a tick's volume that resting orders may take; null = all. */
  readonly participation?: Dec | null;
  /** Fraction by which MARKET orders fill at a worse price, rounded to the tick against the trader. */
  readonly slippage?: Dec;
  readonly leverage?: Dec;
}

/** One execution as it is reported. */
export interface MarketFill extends Fill {
  readonly key: string;
  readonly side: 'BUY' | 'SELL';
  readonly at: number;
}

interface Resting {
  readonly order: RunOrder;
  /** Null while a stop waits for its trigger. */
  limit: Dec | null;
  /** Price at which a waiting stop triggers; null when it does not wait. */
  stop: Dec | null;
  /** Triggers at or above its stop (else at or below). */
  readonly upward: boolean;
  left: Dec;
  age: number;
  /** Spot: the asset and amount that the order locks. */
  lockAsset: string;
  locked: Dec;
  /**
   * Spot has no market stops: the engine holds the order, and the exchange knows neither it nor the amount it
   * locks.
   */
  held: boolean;
  open: boolean;
}

type Rejected = Extract<OrderChange, { kind: 'rejected' }>;
type Refusal = Pick<Rejected, 'reason' | 'why'>;

export class TickMarket {
  readonly rules: MarketRules;
  price: Dec | null = null;
  readonly fills: MarketFill[] = [];
  /** Base amount (signed) and entry price on futures. */
  readonly position: TickPosition;
  readonly #options: TickMarketOptions;
  readonly #free = new Map<string, Dec>();
  #resting: Resting[] = [];
  #age = 0;
  #now = 0;
  #volume: Dec | null = null;
  readonly #changes: OrderChange[] = [];
  readonly #refusals: OrderChange[] = [];
  #bounds: TickBounds | null = null;

  constructor(options: TickMarketOptions) {
    this.rules = options.rules;
    this.#options = options;
    for (const [asset, amount] of options.balances) this.#free.set(asset, amount);
    this.position = new TickPosition(options.position ?? { amount: ZERO, entryPrice: ZERO });
  }

  /** Returns the next change of the run's orders: refusals of the engine first, then all others in order. */
  take(): OrderChange | undefined {
    return this.takeRefusal() ?? this.#changes.shift();
  }

  /**
   * Returns the next refusal of an order that the engine did not send; the run gets it before any answer of
   * the exchange.
   */
  takeRefusal(): OrderChange | undefined {
    return this.#refusals.shift();
  }

  /**
   * Amount that an order may use; for the margin asset, what positions, orders and losses leave of the
   * wallet.
   */
  free(asset: string): Dec {
    const { rules, price, position } = this;
    if (rules.kind === 'spot') return maxDec(this.#wallet(asset) - this.#heldBack(asset), ZERO);
    if (asset !== rules.quote) return this.#wallet(asset);
    const loss = maxDec(-position.profit(price), ZERO);
    const margin = this.#positionMargin() + this.#orderMargin(null);
    return maxDec(this.#wallet(asset) - margin - loss, ZERO);
  }

  /** Free and locked amount of an asset. */
  total(asset: string): Dec {
    let sum = this.#wallet(asset);
    for (const one of this.#resting) if (one.lockAsset === asset && !one.held) sum += one.locked;
    return sum;
  }

  /** Yields open orders with their remaining quantities, oldest first; a triggered stop shows as LIMIT. */
  *open(): Generator<{ order: RunOrder; type: string; price: Dec | null; stopPrice: Dec | null; qty: Dec }> {
    for (const one of this.#resting) {
      if (!one.open) continue;
      const waiting = one.stop !== null;
      yield {
        order: one.order,
        type: waiting ? one.order.type : 'LIMIT',
        price: one.order.type === 'STOP_MARKET' ? null : one.limit,
        stopPrice: one.stop,
        qty: one.left,
      };
    }
  }

  /** True when a tick at this price would fill or trigger something. */
  touches(price: Dec): boolean {
    const { below, above } = this.bounds();
    return (below !== null && price <= below) || (above !== null && price >= above);
  }

  /** Nearest prices at or beyond which an order fills or triggers. */
  bounds(): TickBounds {
    this.#bounds ??= this.#findBounds();
    return this.#bounds;
  }

  place(order: RunOrder, now: number): void {
    this.#now = now;
    const unsent = this.#engineRefuses(order);
    const refusal = unsent ?? this.#exchangeRefuses(order);
    if (refusal) {
      const change = { key: order.key, kind: 'rejected', ...refusal } as const;
      if (unsent) this.#refusals.push(change);
      else this.#changes.push({ ...change, sent: true });
      return;
    }
    const stops = order.stopPrice !== null;
    const one: Resting = {
      order,
      limit: order.price,
      stop: order.stopPrice,
      upward: order.side === 'BUY',
      left: order.qty,
      age: this.#age++,
      ...this.#lockOf(order, order.stopPrice ?? this.#worst(order.side)),
      held: this.rules.kind === 'spot' && order.type === 'STOP_MARKET',
      open: true,
    };
    if (!one.held) this.#move(one.lockAsset, -one.locked);
    this.#changes.push({ key: order.key, kind: 'accepted' });
    this.#resting.push(one);
    this.#bounds = null;
    if (!stops) this.#activate(one);
  }

  cancel(key: string): void {
    const one = this.#resting.find((each) => each.order.key === key);
    if (one) this.#close(one);
  }

  /**
   * Handles a new last price. Crossed orders are handled one by one; `drain` runs after each, so that the bot
   * handles a fill before the next order is checked.
   */
  tick(price: Dec, now: number, volume: Dec | null, drain: () => void): void {
    this.pass(price, now, volume);
    if (!this.touches(price)) return;
    for (const one of this.#reached(price)) {
      if (!one.open) continue;
      if (one.stop !== null) this.#trigger(one);
      else this.#fillResting(one);
      drain();
    }
  }

  /** Handles a last price at which nothing fills or triggers. */
  pass(price: Dec, now: number, volume: Dec | null): void {
    this.price = price;
    this.#now = now;
    const { participation } = this.#options;
    this.#volume = participation == null ? null : mul(volume ?? ZERO, participation);
  }

  #reached(price: Dec): Resting[] {
    const crossed = this.#resting.filter((one) => {
      if (one.stop !== null) return one.upward ? price >= one.stop : price <= one.stop;
      if (one.limit === null) return false;
      return one.order.side === 'BUY' ? price <= one.limit : price >= one.limit;
    });
    const rank = (one: Resting) => one.stop ?? (one.limit as Dec);
    const buys = crossed.filter((one) => one.order.side === 'BUY');
    const sells = crossed.filter((one) => one.order.side === 'SELL');
    buys.sort((a, b) => (rank(a) === rank(b) ? a.age - b.age : rank(a) > rank(b) ? -1 : 1));
    sells.sort((a, b) => (rank(a) === rank(b) ? a.age - b.age : rank(a) < rank(b) ? -1 : 1));
    return [...buys, ...sells];
  }

  /**
   * Triggers a waiting stop. Its cost is checked now: an order that is not covered any more is rejected, as
   * at the exchange.
   */
  #trigger(one: Resting): void {
    const refusal = this.#refusedAtTrigger(one);
    if (refusal) {
      this.#end(one, { key: one.order.key, kind: 'rejected', ...refusal, sent: true });
      return;
    }
    one.stop = null;
    one.age = this.#age++;
    this.#bounds = null;
    // A stop with a limit is an order of its own from here on, and the exchange reports it.
    if (one.limit !== null) this.#changes.push({ key: one.order.key, kind: 'accepted', triggered: true });
    this.#activate(one);
  }

  #refusedAtTrigger(one: Resting): Refusal | null {
    const { rules, price } = this;
    const { order } = one;
    if (rules.kind === 'futures') return this.#marginRefuses(order);
    if (!one.held || price === null) return null;
    // The exchange has the order from here on.
    one.held = false;
    const { locked } = this.#lockOf(order, this.#worst(order.side));
    one.locked = ZERO;
    if (mul(order.qty, price) < rules.minNotional) {
      return { reason: `the order is below the minimum of ${str(rules.minNotional)}`, why: 'other' };
    }
    if (locked > this.#wallet(one.lockAsset)) return uncovered(one.lockAsset);
    one.locked = locked;
    this.#move(one.lockAsset, -locked);
    return null;
  }

  /**
   * Brings an order to the market: a marketable one executes at the last price, the rest of a LIMIT rests.
   */
  #activate(one: Resting): void {
    const { order } = one;
    const { price } = this;
    const takes =
      price !== null &&
      (one.limit === null || (order.side === 'BUY' ? price <= one.limit : price >= one.limit));
    if (takes) {
      const at = one.limit === null ? this.#worse(price, order.side) : price;
      const qty = this.#takeVolume(this.#executable(one));
      if (qty > ZERO) this.#execute(one, qty, at, false);
    }
    if (one.left === ZERO || one.limit === null || this.#executable(one) === ZERO) this.#close(one);
    this.#sweep();
  }

  /** The price of a MARKET order. */
  #worse(price: Dec, side: 'BUY' | 'SELL'): Dec {
    const { slippage = ZERO } = this.#options;
    const { tick } = this.rules;
    if (slippage === ZERO) return price;
    if (side === 'BUY') return ceilTo(mul(price, ONE + slippage), tick);
    return maxDec(floorTo(mul(price, ONE - slippage), tick), tick);
  }

  #worst(side: 'BUY' | 'SELL'): Dec | null {
    return this.price === null ? null : this.#worse(this.price, side);
  }

  #fillResting(one: Resting): void {
    const qty = this.#takeVolume(this.#executable(one));
    if (qty === ZERO) return;
    const price = one.limit as Dec;
    if (!this.#affords(one.order.side, qty, price)) {
      this.#close(one);
      return;
    }
    this.#execute(one, qty, price, true);
    if (one.left === ZERO || this.#executable(one) === ZERO) this.#close(one);
    this.#sweep();
  }

  /**
   * Quantity of the order that can execute; on futures a reduce-only order executes at most the position it
   * reduces.
   */
  #executable({ order, left }: Resting): Dec {
    return order.reduceOnly ? minDec(left, this.position.closable(order.side)) : left;
  }

  /** Futures: ends reduce-only orders when the position that they reduce is gone. */
  #sweep(): void {
    for (const one of [...this.#resting]) {
      if (one.order.reduceOnly && this.position.closable(one.order.side) === ZERO) this.#close(one);
    }
  }

  #takeVolume(wanted: Dec): Dec {
    if (this.#volume === null) return wanted;
    const room = maxDec(floorTo(this.#volume, this.rules.step), ZERO);
    const qty = wanted < room ? wanted : room;
    this.#volume -= qty;
    return qty;
  }

  #execute(one: Resting, qty: Dec, price: Dec, maker: boolean): void {
    const { rules } = this;
    const { order } = one;
    const rate = maker ? rules.makerRate : rules.takerRate;
    const notional = mul(qty, price);
    const before = one.left;
    one.left -= qty;
    let fee: Dec;
    let feeAsset: string;
    if (rules.kind === 'futures') {
      feeAsset = rules.quote;
      fee = mul(notional, rate);
      this.#move(rules.quote, this.position.settle(order.side, qty, price) - fee);
      // A loss beyond the wallet is paid by the insurance fund.
      if (this.#wallet(rules.quote) < ZERO) this.#free.set(rules.quote, ZERO);
    } else {
      const buys = order.side === 'BUY';
      feeAsset = buys ? rules.base : rules.quote;
      fee = mul(buys ? qty : notional, rate);
      // The amount that was locked for this part is freed first; the gain of a price better than the limit is
      // kept.
      const unlocked = one.left === ZERO ? one.locked : div(mul(one.locked, qty), before);
      one.locked -= unlocked;
      this.#move(one.lockAsset, unlocked);
      this.#move(rules.quote, buys ? -notional : notional - fee);
      this.#move(rules.base, buys ? qty - fee : -qty);
    }
    const fill: Fill = { price, qty, fee, feeAsset, maker };
    this.fills.push({ ...fill, key: order.key, side: order.side, at: this.#now });
    this.#changes.push({ key: order.key, kind: 'fill', fill });
  }

  #close(one: Resting): void {
    this.#end(one, { key: one.order.key, kind: 'ended' });
  }

  #end(one: Resting, change: OrderChange): void {
    one.open = false;
    if (!one.held) this.#move(one.lockAsset, one.locked);
    one.locked = ZERO;
    this.#resting = this.#resting.filter((each) => each !== one);
    this.#bounds = null;
    this.#changes.push(change);
  }

  /** Returns what the order locks. `at`: the price of a MARKET order. */
  #lockOf(order: RunOrder, at: Dec | null): { lockAsset: string; locked: Dec } {
    const { rules } = this;
    if (rules.kind === 'futures') return { lockAsset: rules.quote, locked: ZERO };
    if (order.side === 'SELL') return { lockAsset: rules.base, locked: order.qty };
    // A marketable limit executes at the last price, but may have to pay its limit later.
    return { lockAsset: rules.quote, locked: mul(order.qty, order.price ?? at ?? ZERO) };
  }

  /** Spot: amount that the engine reserves for the stops that it holds. */
  #heldBack(asset: string): Dec {
    let sum = ZERO;
    for (const one of this.#resting) if (one.held && one.lockAsset === asset) sum += one.locked;
    return sum;
  }

  /** Refuses orders that are not even sent. On futures only the exchange knows what is covered. */
  #engineRefuses(order: RunOrder): Refusal | null {
    const { rules, price } = this;
    const { stopPrice, side, type } = order;
    if (stopPrice !== null && price !== null && (side === 'BUY' ? price >= stopPrice : price <= stopPrice)) {
      const needed = `a ${type} ${side} needs a stopPrice ${side === 'BUY' ? 'above' : 'below'} it`;
      const reason = `stopPrice ${str(stopPrice)} would trigger at once: the last price is ${str(price)}; ${needed}`;
      return { reason, why: 'passed' };
    }
    if (order.qty < rules.minQty) {
      const reason = `quantity ${str(order.qty)} is below the minimum of ${str(rules.minQty)} ${rules.base}`;
      return { reason, why: 'other' };
    }
    if (rules.kind === 'futures') return null;
    const { lockAsset, locked } = this.#lockOf(order, stopPrice ?? price);
    return locked <= this.free(lockAsset) ? null : uncovered(lockAsset);
  }

  /** Refuses orders at the exchange; stops are judged when they trigger. */
  #exchangeRefuses(order: RunOrder): Refusal | null {
    if (this.rules.kind === 'futures') {
      const waits = order.stopPrice !== null && !order.reduceOnly;
      return waits ? null : this.#marginRefuses(order);
    }
    if (order.type !== 'MARKET') return null;
    const { lockAsset, locked } = this.#lockOf(order, this.#worst(order.side));
    return locked <= this.#wallet(lockAsset) ? null : uncovered(lockAsset);
  }

  /** Futures: a reduce-only order needs a position, any other order its margin, unless it opens nothing. */
  #marginRefuses(order: RunOrder): Refusal | null {
    if (order.reduceOnly) {
      const nothing = this.position.closable(order.side) === ZERO;
      return nothing ? { reason: 'there is no position that it would reduce', why: 'other' } : null;
    }
    if (this.position.opening(order.side, order.qty) === ZERO) return null;
    return this.#costOf(order) <= this.#available() ? null : uncovered(this.rules.quote);
  }

  // --- margin, computed as on the paper exchange: crossed, one-way; waiting stops need none ---

  /** Wallet and unrealised profit of the position less the initial margins; never more than the wallet. */
  #available(): Dec {
    const wallet = this.#wallet(this.rules.quote);
    const profit = this.position.profit(this.price);
    const free = wallet + profit - this.#positionMargin() - this.#orderMargin(null);
    return free < wallet ? free : wallet;
  }

  /** Initial margin that an order adds, its immediate loss, and the taker fee of the part that opens. */
  #costOf(order: RunOrder): Dec {
    const buys = order.side === 'BUY';
    const opening = this.position.opening(order.side, order.qty);
    const last = this.price;
    const at = order.price ?? (last === null ? (order.stopPrice ?? ZERO) : this.#worse(last, order.side));
    const margin =
      this.#orderMargin({ side: order.side, qty: order.qty, price: at }) - this.#orderMargin(null);
    const distance = last === null ? ZERO : buys ? at - last : last - at;
    return margin + mul(opening, maxDec(distance, ZERO)) + mul(mul(opening, at), this.rules.takerRate);
  }

  /** False when losses since then have used up the money that a resting order needs. */
  #affords(side: 'BUY' | 'SELL', qty: Dec, price: Dec): boolean {
    const { kind, quote, makerRate } = this.rules;
    if (kind === 'spot' || this.position.opening(side, qty) === ZERO) return true;
    return mul(mul(qty, price), makerRate) <= this.#wallet(quote);
  }

  #positionMargin(): Dec {
    const { amount, entryPrice } = this.position;
    return this.#margin(mul(abs(amount), this.price ?? entryPrice));
  }

  /**
   * Margin that the resting orders, and one more, can add to that of the position: the larger side counts.
   */
  #orderMargin(
    wanted: { readonly side: 'BUY' | 'SELL'; readonly qty: Dec; readonly price: Dec } | null,
  ): Dec {
    const { amount, entryPrice } = this.position;
    const held = mul(amount, this.price ?? entryPrice);
    let bids = wanted?.side === 'BUY' ? mul(wanted.qty, wanted.price) : ZERO;
    let asks = wanted?.side === 'SELL' ? mul(wanted.qty, wanted.price) : ZERO;
    for (const { order, left, limit, stop } of this.#resting) {
      if (order.reduceOnly || stop !== null || limit === null) continue;
      if (order.side === 'BUY') bids += mul(left, limit);
      else asks += mul(left, limit);
    }
    return this.#margin(maxDec(abs(held + bids), abs(held - asks)) - abs(held));
  }

  #margin(notional: Dec): Dec {
    return div(notional, this.#options.leverage ?? ONE);
  }

  #wallet(asset: string): Dec {
    return this.#free.get(asset) ?? ZERO;
  }

  #move(asset: string, amount: Dec): void {
    if (amount !== ZERO) this.#free.set(asset, this.#wallet(asset) + amount);
  }

  #findBounds(): TickBounds {
    let below: Dec | null = null;
    let above: Dec | null = null;
    for (const one of this.#resting) {
      const at = one.stop ?? one.limit;
      if (at === null) continue;
      const falling = one.stop !== null ? !one.upward : one.order.side === 'BUY';
      if (falling) below = below === null || at > below ? at : below;
      else above = above === null || at < above ? at : above;
    }
    return { below, above };
  }
}

function uncovered(asset: string): Refusal {
  return { reason: `insufficient balance of ${asset}`, why: 'balance' };
}
