/**
 * The matching side, spot and linear on one account: accepts orders that the gateway has acknowledged, fills,
 * amends and ends them, moves coins and positions. An acknowledgement says nothing about the result
 * (create-order.mdx: the request is asynchronous). Triggers are in `stops.ts`, liquidation and funding in
 * `acts.ts`, messages in `tell.ts`. It never reads a request.
 */
import { type Dec, dec, floorTo, minDec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { Print } from '../kit/market.ts';
import { OrderStore } from '../kit/order-store.ts';
import { type Account, isHedged, Margin, movePosition, type Position, positionOf } from './account.ts';
import { commissionOf } from './fees.ts';
import { Ledger } from './ledger.ts';
import type { Market, SymbolMarket } from './market.ts';
import { type Execution, isActive, isOpen, type Order, type PositionIdx, type Side } from './order.ts';
import { Teller } from './tell.ts';
import type { Category } from './wire.ts';
import { closesByForm, type Made, stopTypeOf, type Wish } from './wish.ts';

export interface ExchangeOptions {
  readonly markets: Readonly<Record<Category, Market>>;
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => void;
  readonly tell: (account: string, topic: string, rows: readonly Record<string, unknown>[]) => void;
  readonly log: (row: Record<string, unknown>) => void;
  /** Time from the acknowledgement to the matching engine, ms. */
  readonly matchMs: () => number;
}

export const RECENT_KEPT = 500;

export class Exchange {
  readonly o: ExchangeOptions;
  readonly accounts = new Map<string, Account>();
  readonly margin: Margin;
  readonly teller: Teller;
  readonly ledger: Ledger;
  /** Returns why an arriving, acknowledged order is rejected; null: it is not. */
  lateReject: (order: Order) => string | null = () => null;
  /** Whether a market order finds only the ten levels of the book and nothing behind them. */
  isThin = false;
  onPosition: (account: Account, position: Position, order: Order) => void = () => {};
  /** Called when an order has ended without being filled. */
  onEnded: (account: Account, order: Order) => void = () => {};
  onTriggers: (m: SymbolMarket, category: Category, price: Dec, by: string) => void = () => {};
  #number = 1_726_025_498_520_715_008n;
  /** Arrival time of the newest request on its way: no request overtakes another. */
  #arrival = 0;
  seq = 4_688_002_127;
  readonly #prints: { category: Category; print: Print }[] = [];
  #isMatching = false;

  constructor(o: ExchangeOptions) {
    this.o = o;
    this.margin = new Margin(o.markets.spot, o.markets.linear);
    this.teller = new Teller(o.markets, this.margin, o.tell, o.now);
    this.ledger = new Ledger(o.now, o.log);
  }

  open(name: string, uid: number, balances: Readonly<Record<string, string>>, hedge: boolean): Account {
    // A triggered order is reported as such, and is open again at the same moment.
    const isHere = (order: Order) => isOpen(order) || order.status === 'Triggered';
    const store = () => new OrderStore<Order, string>(({ orderId }) => orderId, isHere);
    const account: Account = {
      name,
      uid,
      coins: new Map(Object.entries(balances).map(([coin, amount]) => [coin, dec(amount)])),
      positions: new Map(),
      leverages: new Map(),
      hedged: new Map(hedge ? [['USDT', true]] : []),
      orders: { spot: store(), linear: store() },
      recent: { spot: [], linear: [] },
      executions: { spot: [], linear: [] },
      log: [],
      marginMode: 'REGULAR_MARGIN',
      paysInMnt: false,
      fees: {
        spot: { maker: dec('0.001'), taker: dec('0.001') },
        linear: { maker: dec('0.0002'), taker: dec('0.00055') },
      },
      notCollateral: new Set(),
      dcp: new Map(),
      updatedTime: this.o.now(),
    };
    this.accounts.set(name, account);
    for (const [asset, amount] of Object.entries(balances))
      this.o.log({ kind: 'start', account: name, market: 'unified', asset, amount });
    return account;
  }

  market(category: Category): Market {
    return this.o.markets[category];
  }

  openOrders(account: Account, category: Category, symbol?: string): Order[] {
    return account.orders[category].open().filter((order) => symbol === undefined || order.symbol === symbol);
  }

  newId(category: Category): string {
    this.#number += 257n;
    const text = String(this.#number);
    if (category === 'spot') return text;
    const hex = this.#number.toString(16).padStart(16, '0');
    return `${hex.slice(8)}-${hex.slice(4, 8)}-4e70-b6c3-${hex.slice(0, 4)}a${hex.slice(9)}`;
  }

  /** Returns the order as the gateway acknowledges it; the streams report what happens to it. */
  place(account: Account, wish: Wish, made: Made = {}): Order {
    const time = this.o.now();
    const m = this.market(wish.category).of(wish.symbol);
    const isConditional = wish.triggerPrice > ZERO || made.distance !== undefined;
    const order: Order = {
      ...wish,
      account: account.name,
      orderId: this.newId(wish.category),
      parentOrderLinkId: made.parentOrderLinkId ?? '',
      createType: made.createType ?? 'CreateByUser',
      stopOrderType: made.stopOrderType ?? stopTypeOf(wish, isConditional),
      createdTime: time,
      lastPrice: m.last,
      distance: made.distance ?? ZERO,
      best: ZERO,
      // A linear market order is a limit order at a bound, and its row shows that bound.
      price: wish.orderType === 'Market' && wish.category === 'linear' ? bound(m, wish.side) : wish.price,
      status: isConditional ? 'Untriggered' : 'New',
      cancelType: 'UNKNOWN',
      rejectReason: 'EC_NoError',
      executed: ZERO,
      value: ZERO,
      closedPnl: ZERO,
      fees: new Map(),
      executions: [],
      updatedTime: time,
      queuedAt: time,
      isTold: false,
    };
    account.orders[wish.category].add(order, order.orderLinkId);
    this.#log(order, 'NEW');
    this.later(() => this.#arrive(account, order));
    return order;
  }

  /** Runs a request when it reaches the matching engine. */
  later(run: () => void): void {
    const now = this.o.now();
    this.#arrival = Math.max(this.#arrival, now + this.o.matchMs());
    if (this.#arrival > now) this.o.after(this.#arrival - now, run);
    else run();
  }

  cancel(account: Account, order: Order, cancelType = 'CancelByUser'): void {
    if (isOpen(order)) {
      this.end(account, order, cancelType, 'EC_PerCancelRequest');
      return;
    }
    // The cancel was acknowledged, but came too late (websocket/private/order.mdx).
    if (order.status !== 'Filled' || cancelType !== 'CancelByUser') return;
    this.teller.order({ ...order, cancelType, rejectReason: 'EC_OrigClOrdIDDoesNotExist' });
  }

  /** Changes price, quantity or trigger. */
  amend(
    account: Account,
    order: Order,
    change: { price: Dec | null; qty: Dec | null; triggerPrice: Dec | null },
  ): void {
    if (!isOpen(order)) return;
    order.price = change.price ?? order.price;
    order.qty = change.qty ?? order.qty;
    order.triggerPrice = change.triggerPrice ?? order.triggerPrice;
    order.updatedTime = this.o.now();
    order.queuedAt = order.updatedTime;
    if (order.qty <= order.executed) {
      this.end(account, order, 'CancelByUser', 'EC_PerCancelRequest');
      return;
    }
    order.isTold = false;
    if (isActive(order)) this.take(account, order);
    else this.told(account, order);
  }

  /** Ends an order that is not filled: the status follows from its previous one. */
  end(account: Account, order: Order, cancelType: string, rejectReason: string): void {
    const was = order.status;
    const isPart = order.executed > ZERO;
    if (was === 'Untriggered') order.status = 'Deactivated';
    else order.status = order.category === 'spot' && isPart ? 'PartiallyFilledCanceled' : 'Cancelled';
    order.cancelType = cancelType;
    order.rejectReason = rejectReason;
    this.#closed(account, order);
    this.told(account, order);
    this.onEnded(account, order);
  }

  reject(account: Account, order: Order, reason: string): void {
    order.status = 'Rejected';
    order.rejectReason = reason;
    this.#closed(account, order);
    this.told(account, order);
  }

  /** Reports an order and its effect on money: once a step, with the final state. */
  told(account: Account, order: Order): void {
    order.isTold = true;
    this.#log(order, order.status);
    this.teller.order(order);
    if (order.category === 'linear')
      this.teller.position(account, positionOf(account, order.symbol, order.positionIdx, this.o.now()));
    const { base, quote, settle } = this.market(order.category).of(order.symbol).spec;
    this.teller.wallet(account, order.category === 'linear' ? [settle ?? quote] : [base, quote]);
  }

  /** Logs an order: `NEW` when it is acknowledged, then its later states. */
  #log(order: Order, execution: string): void {
    this.o.log({
      kind: 'order',
      account: order.account,
      market: order.category === 'spot' ? 'spot' : 'futures',
      symbol: order.symbol,
      orderId: order.orderId,
      clientOrderId: order.orderLinkId,
      execution,
      status: order.status,
      qty: str(order.qty),
      executed: str(order.executed),
      time: order.updatedTime,
    });
  }

  onPrint(category: Category, print: Print): void {
    this.#prints.push({ category, print });
    if (this.#isMatching) return;
    this.#isMatching = true;
    try {
      for (let next = this.#prints.shift(); next; next = this.#prints.shift())
        this.#match(next.category, next.print);
    } finally {
      this.#isMatching = false;
    }
  }

  #arrive(account: Account, order: Order): void {
    if (!isOpen(order)) return;
    const reason = this.lateReject(order);
    if (reason !== null) {
      this.reject(account, order, reason);
      return;
    }
    if (order.status === 'Untriggered') this.told(account, order);
    else this.take(account, order);
  }

  #match(category: Category, print: Print): void {
    const m = this.market(category).of(print.symbol);
    this.onTriggers(m, category, print.price, 'LastPrice');
    if (print.own) return;
    for (const account of this.accounts.values()) {
      let left = print.qty;
      const resting = this.openOrders(account, category, print.symbol)
        .filter((order) => isActive(order) && order.isTold)
        .sort(
          (a, b) =>
            (a.side === 'Buy' ? compare(b.price, a.price) : compare(a.price, b.price)) ||
            a.queuedAt - b.queuedAt,
        );
      for (const order of resting) {
        if (!isActive(order)) continue;
        const beyond = order.side === 'Buy' ? order.price > print.price : order.price < print.price;
        if (!beyond && order.price !== print.price) continue;
        const rest = order.qty - order.executed;
        const qty = beyond ? rest : floorTo(minDec(rest, left), m.step);
        if (qty <= ZERO) continue;
        if (!beyond) left -= qty;
        this.fill(account, order, [{ price: order.price, qty }], true);
        if (isOpen(order)) this.told(account, order);
      }
    }
  }

  /** Matches an order against the made-up book; then it rests or ends. */
  take(account: Account, order: Order): void {
    const m = this.market(order.category).of(order.symbol);
    const isLimit = order.orderType === 'Limit';
    const isBuy = order.side === 'Buy';
    const quotes = this.market(order.category)
      .quotes(m, isBuy ? 'BUY' : 'SELL')
      .filter(({ price }) => !isLimit || (isBuy ? price <= order.price : price >= order.price));
    const there = quotes.reduce((sum, { qty }) => sum + qty, ZERO);
    if (order.timeInForce === 'PostOnly' && there > ZERO) {
      this.end(account, order, 'UNKNOWN', 'EC_PostOnlyWillTakeLiquidity');
      return;
    }
    if (order.timeInForce === 'FOK' && there < order.qty - order.executed) {
      this.end(account, order, 'UNKNOWN', 'EC_CancelForNoFullFill');
      return;
    }
    const trades: { price: Dec; qty: Dec }[] = [];
    let rest = order.qty - order.executed;
    quotes.forEach((quote, i) => {
      const isEndless = !isLimit && i === quotes.length - 1 && !this.isThin;
      // An amount in quote buys whole steps; a rest below one step is left over.
      const wanted =
        order.marketUnit === 'quoteCoin' ? floorTo((rest * 10n ** 30n) / quote.price, m.step) : rest;
      const qty = isEndless ? wanted : minDec(wanted, quote.qty);
      if (qty <= ZERO) return;
      trades.push({ price: quote.price, qty });
      rest -= order.marketUnit === 'quoteCoin' ? mul(qty, quote.price) : qty;
    });
    if (trades.length > 0) this.fill(account, order, trades, false);
    if (!isOpen(order)) return;
    if (!isLimit || order.timeInForce === 'IOC' || order.timeInForce === 'FOK') {
      this.end(
        account,
        order,
        'UNKNOWN',
        isLimit || order.executed === ZERO ? 'EC_NoImmediateQtyToFill' : 'EC_NoError',
      );
      return;
    }
    this.told(account, order);
  }

  #ifOver(account: Account, order: Order): void {
    if (!isOpen(order)) return;
    const done = order.marketUnit === 'quoteCoin' ? order.value : order.executed;
    if (done >= order.qty) {
      order.status = 'Filled';
      this.#closed(account, order);
    } else if (order.executed > ZERO) order.status = 'PartiallyFilled';
  }

  #closed(account: Account, order: Order): void {
    order.updatedTime = this.o.now();
    const recent = account.recent[order.category];
    recent.push(order);
    if (recent.length > RECENT_KEPT * 2) recent.splice(0, recent.length - RECENT_KEPT);
  }

  /**
   * Trades of one moment: one message, one `seq`, and the order's own message if it ends. A reduce-only order
   * never exceeds the position.
   * `fee`: a rate instead of the account's.
   */
  fill(
    account: Account,
    order: Order,
    trades: readonly { readonly price: Dec; readonly qty: Dec }[],
    isMaker: boolean,
    execType = 'Trade',
    fee?: Dec,
  ): void {
    const market = this.market(order.category);
    const m = market.of(order.symbol);
    const seq = ++this.seq;
    const done: Execution[] = [];
    for (const { price, qty: wanted } of trades) {
      let qty = wanted;
      if (this.reduces(account, order)) {
        qty = minDec(qty, this.margin.closable(account, order));
        if (qty <= ZERO) {
          this.#flush(account, order, done);
          this.end(account, order, 'CancelByReduceOnly', 'EC_NoError');
          return;
        }
      }
      done.push(this.#trade(account, order, m, price, qty, isMaker, execType, seq, fee));
    }
    this.#ifOver(account, order);
    this.#flush(account, order, done);
    // A settlement is recorded as a trade, not as an order.
    if (order.status === 'Filled' && execType !== 'Delivery') this.told(account, order);
    else if (execType === 'Delivery')
      this.teller.position(account, positionOf(account, order.symbol, order.positionIdx, this.o.now()));
    if (!isMaker)
      for (const { price, qty } of done) market.print(order.symbol, price, qty, order.side === 'Sell', true);
    if (order.category !== 'linear') return;
    const position = positionOf(account, order.symbol, order.positionIdx, this.o.now());
    this.onPosition(account, position, order);
  }

  reduces(
    account: Account,
    order: {
      readonly category: Category;
      readonly symbol: string;
      readonly side: Side;
      readonly reduceOnly: boolean;
      readonly positionIdx: PositionIdx;
    },
  ): boolean {
    if (order.category === 'spot') return false;
    if (order.reduceOnly) return true;
    const m = this.market('linear').of(order.symbol);
    return isHedged(account, m) && closesByForm(order);
  }

  #trade(
    account: Account,
    order: Order,
    m: SymbolMarket,
    price: Dec,
    qty: Dec,
    isMaker: boolean,
    execType: string,
    seq: number,
    fee?: Dec,
  ): Execution {
    const time = this.o.now();
    const value = mul(price, qty);
    const fees = account.fees[order.category];
    const rate = fee ?? (isMaker ? fees.maker : fees.taker);
    const [feeCurrency, commission] = commissionOf(account, order, m, this.margin, {
      value,
      qty,
      rate,
      isMaker,
    });
    let pnl = ZERO;
    let closedSize = ZERO;
    if (order.category === 'linear') {
      const position = positionOf(account, order.symbol, order.positionIdx, time);
      const moved = movePosition(position, order.side === 'Buy' ? qty : -qty, price, time);
      pnl = moved.realised;
      closedSize = moved.closed;
      position.updatedTime = time;
      position.seq = seq;
    }
    order.executed += qty;
    order.value += value;
    order.closedPnl += pnl;
    order.updatedTime = time;
    order.fees.set(feeCurrency, (order.fees.get(feeCurrency) ?? ZERO) + commission);
    const done = order.marketUnit === 'quoteCoin' ? order.value : order.executed;
    const execution: Execution = {
      order,
      execId: this.newId(order.category),
      price,
      qty,
      fee: commission,
      feeCurrency,
      feeRate: rate,
      execType,
      isMaker,
      time,
      seq,
      closedSize,
      pnl,
      leavesQty: order.marketUnit === 'quoteCoin' || order.qty < done ? ZERO : order.qty - done,
      markPrice: m.mark,
    };
    order.executions.push(execution);
    account.executions[order.category].push(execution);
    this.ledger.trade(account, execution, m, sizeAfter(account, order));
    return execution;
  }

  #flush(account: Account, order: Order, done: readonly Execution[]): void {
    if (done.length === 0) return;
    this.teller.executions(account, order, done);
    const { settle, quote, base } = this.market(order.category).of(order.symbol).spec;
    const coins = order.category === 'linear' ? [settle ?? quote] : [base, quote];
    this.teller.wallet(account, [...new Set([...coins, ...done.map(({ feeCurrency }) => feeCurrency)])]);
  }
}

const compare = (a: Dec, b: Dec): number => (a < b ? -1 : a > b ? 1 : 0);

/** The price at which a market order stops: so far away that none reaches it here. */
function bound(m: SymbolMarket, side: Side): Dec {
  const part = mul(m.mark, dec('0.05'));
  return floorTo(side === 'Buy' ? m.mark + part : m.mark - part, m.tick);
}

function sizeAfter(account: Account, order: Order): Dec {
  return order.category === 'spot'
    ? ZERO
    : (account.positions.get(`${order.symbol} ${order.positionIdx}`)?.amount ?? ZERO);
}
