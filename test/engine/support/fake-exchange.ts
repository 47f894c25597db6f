/**
 * A spot exchange as a pure, synchronous model: accepts orders, fills them in part or completely as the price
 * moves, and reports what happened. It has no faults: `world.ts` adds them when it delivers requests and
 * events. A used client id makes a second order, as at Binance, so a double send is a double execution.
 */
import { dec, div, floorTo, minDec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type {
  CancelOutcome,
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  ExchangeOrderStatus,
  QueryOutcome,
  SubmitOutcome,
} from '../../../src/domain/exchange.ts';
import { BTC, type Dice } from './market.ts';

export interface FakeOrder {
  readonly order: ExchangeOrder;
  status: ExchangeOrderStatus;
  orig: bigint;
  cum: bigint;
  seq: number;
  fills: ExchangeFill[];
  lock: { asset: string; amount: bigint };
  text?: string;
}

export type FakeEvent =
  | { readonly kind: 'order'; readonly state: ExchangeOrderState }
  | { readonly kind: 'fill'; readonly fill: ExchangeFill }
  | { readonly kind: 'balances'; readonly changed: readonly ExchangeBalance[] };

const STEP = dec(BTC.stepSize);
const FEE = dec('0.001');

export class FakeExchange {
  readonly orders = new Map<string, FakeOrder>();
  readonly wallet = new Map<string, { free: bigint; locked: bigint }>();
  /** Client ids that were accepted more than once. */
  readonly doubled: string[] = [];
  price: bigint;
  now = 0;
  readonly #dice: Dice;
  readonly #tell: (event: FakeEvent) => void;
  #trades = 0;

  constructor(dice: Dice, price: string, tell: (event: FakeEvent) => void) {
    this.#dice = dice;
    this.price = dec(price);
    this.#tell = tell;
    this.wallet.set('USDT', { free: dec('100000'), locked: ZERO });
    this.wallet.set('BTC', { free: dec('10'), locked: ZERO });
  }

  submit(order: ExchangeOrder): SubmitOutcome {
    const known = this.orders.get(order.clientId);
    if (known) this.doubled.push(order.clientId);
    const { type, side } = order;
    const limit = order.price === undefined ? this.price : dec(order.price);
    const orig =
      order.quoteOrderQty === undefined
        ? dec(order.quantity ?? '0')
        : floorTo(div(dec(order.quoteOrderQty), this.price), STEP);
    const marketable = side === 'BUY' ? limit >= this.price : limit <= this.price;
    if (type === 'STOP_MARKET' || type === 'TAKE_PROFIT_MARKET') {
      return {
        kind: 'rejected',
        reason: 'UNSUPPORTED',
        code: '-1116',
        message: `Invalid orderType ${type}.`,
      };
    }
    if (type === 'LIMIT_MAKER' && marketable) {
      return {
        kind: 'rejected',
        reason: 'POST_ONLY',
        code: '-2010',
        message: 'Order would immediately match and take.',
      };
    }
    const asset = side === 'SELL' ? 'BTC' : 'USDT';
    const amount = side === 'SELL' ? orig : mul(orig, limit);
    const wallet = this.#balance(asset);
    if (amount > wallet.free || orig <= ZERO) {
      return {
        kind: 'rejected',
        reason: 'BALANCE',
        code: '-2010',
        message: 'Account has insufficient balance.',
      };
    }
    wallet.free -= amount;
    wallet.locked += amount;
    const entry: FakeOrder = {
      order,
      status: 'WORKING',
      orig,
      cum: ZERO,
      seq: 1,
      fills: [],
      lock: { asset, amount },
    };
    this.orders.set(order.clientId, entry);
    if (type === 'STOP_LIMIT' || type === 'TAKE_PROFIT_LIMIT') entry.status = 'PENDING';
    this.#changed(entry);
    if (entry.status === 'PENDING') return { kind: 'accepted', state: stateOf(entry, this.now) };
    if (type === 'MARKET') {
      this.#fill(entry, this.#dice.chance(0.7) ? orig : this.#part(orig), false);
      if (entry.status === 'WORKING') this.#end(entry, 'CANCELLED', 'no more liquidity');
    } else if (order.timeInForce === 'FOK') {
      if (marketable) this.#fill(entry, orig, false);
      else this.#end(entry, 'CANCELLED', 'fill or kill');
    } else {
      if (marketable) this.#fill(entry, this.#dice.chance(0.5) ? orig : this.#part(orig), false);
      if (order.timeInForce === 'IOC' && entry.status === 'WORKING') {
        this.#end(entry, 'CANCELLED', 'immediate or cancel');
      }
    }
    return { kind: 'accepted', state: stateOf(entry, this.now) };
  }

  cancel(id: string): CancelOutcome {
    const entry = this.orders.get(id);
    if (!entry) return { kind: 'gone', state: null };
    if (!isOpen(entry)) return { kind: 'gone', state: stateOf(entry, this.now) };
    this.#end(entry, 'CANCELLED');
    return { kind: 'done', state: stateOf(entry, this.now) };
  }

  query(id: string): QueryOutcome {
    const entry = this.orders.get(id);
    return entry
      ? { kind: 'found', state: stateOf(entry, this.now), fills: [...entry.fills] }
      : { kind: 'absent' };
  }

  open(): ExchangeOrderState[] {
    return [...this.orders.values()].filter(isOpen).map((entry) => stateOf(entry, this.now));
  }

  balances(): ExchangeBalance[] {
    return [...this.wallet].map(([asset, b]) => ({ asset, free: str(b.free), locked: str(b.locked) }));
  }

  tick(price: bigint): void {
    this.price = price;
    for (const entry of this.orders.values()) {
      if (entry.status === 'PENDING' && this.#triggered(entry)) {
        entry.status = 'WORKING';
        this.#changed(entry);
      }
      if (entry.status !== 'WORKING') continue;
      const limit = dec(entry.order.price ?? '0');
      if (entry.order.side === 'BUY' ? price > limit : price < limit) continue;
      const rest = entry.orig - entry.cum;
      this.#fill(entry, this.#dice.chance(0.6) ? rest : this.#part(rest), true);
    }
  }

  /** Ends an order by itself: a delisting, or a refusal after the order had been accepted. */
  kill(id: string, status: 'CANCELLED' | 'REJECTED'): void {
    const entry = this.orders.get(id);
    if (!entry || !isOpen(entry) || (status === 'REJECTED' && entry.cum > ZERO)) return;
    this.#end(entry, status, status === 'REJECTED' ? 'refused by the matching engine' : 'delisted');
  }

  #triggered(entry: FakeOrder): boolean {
    const stop = dec(entry.order.stopPrice ?? '0');
    const above = entry.order.type.startsWith('STOP') === (entry.order.side === 'BUY');
    return above ? this.price >= stop : this.price <= stop;
  }

  /** Returns a part of a quantity, rounded to the step, at least one step. */
  #part(quantity: bigint): bigint {
    const steps = quantity / STEP;
    return steps <= 1n ? quantity : STEP * BigInt(this.#dice.int(1, Number(steps)));
  }

  #fill(entry: FakeOrder, wanted: bigint, maker: boolean): void {
    const { order } = entry;
    const qty = minDec(wanted, entry.orig - entry.cum);
    if (qty <= ZERO) return;
    const price = maker ? dec(order.price ?? '0') : this.price;
    const got = order.side === 'BUY' ? 'BTC' : 'USDT';
    const gross = order.side === 'BUY' ? qty : mul(qty, price);
    const comm = mul(gross, FEE);
    const paid = order.side === 'BUY' ? mul(qty, price) : qty;
    const reserved = order.side === 'BUY' ? mul(qty, dec(order.price ?? str(this.price))) : qty;
    const from = this.#balance(entry.lock.asset);
    entry.lock.amount -= reserved;
    from.locked -= reserved;
    from.free += reserved - paid;
    this.#balance(got).free += gross - comm;
    entry.cum += qty;
    const fill: ExchangeFill = {
      tradeId: `t${++this.#trades}`,
      clientId: order.clientId,
      symbol: order.symbol,
      side: order.side,
      price: str(price),
      qty: str(qty),
      comm: str(comm),
      commAsset: got,
      maker,
      rPnl: null,
      posSide: 'BOTH',
      time: this.now,
    };
    entry.fills.push(fill);
    this.#tell({ kind: 'fill', fill });
    if (entry.cum === entry.orig) this.#end(entry, 'FILLED');
    else this.#changed(entry);
  }

  #end(entry: FakeOrder, status: ExchangeOrderStatus, text?: string): void {
    entry.status = status;
    if (text !== undefined) entry.text = text;
    const wallet = this.#balance(entry.lock.asset);
    wallet.locked -= entry.lock.amount;
    wallet.free += entry.lock.amount;
    entry.lock.amount = ZERO;
    this.#changed(entry);
  }

  #changed(entry: FakeOrder): void {
    entry.seq += 1;
    this.#tell({ kind: 'order', state: stateOf(entry, this.now) });
    this.#tell({ kind: 'balances', changed: this.balances() });
  }

  #balance(asset: string): { free: bigint; locked: bigint } {
    let balance = this.wallet.get(asset);
    if (!balance) {
      balance = { free: ZERO, locked: ZERO };
      this.wallet.set(asset, balance);
    }
    return balance;
  }
}

function isOpen(entry: FakeOrder): boolean {
  return entry.status === 'PENDING' || entry.status === 'WORKING';
}

function stateOf(entry: FakeOrder, time: number): ExchangeOrderState {
  return {
    clientId: entry.order.clientId,
    symbol: entry.order.symbol,
    status: entry.status,
    origQty: str(entry.orig),
    cumQty: str(entry.cum),
    seq: entry.seq,
    time,
    ...(entry.text === undefined ? {} : { text: entry.text }),
  };
}
