/**
 * The exchange: accepts, fills, amends and ends orders, moves positions and the wallet, and reports each
 * step. Algo orders are in `algos.ts`, acts of the exchange itself in `acts.ts`. It never reads a request.
 */
import { type Dec, dec, div, floorTo, minDec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { Print } from '../kit/market.ts';
import {
  type Account,
  Algos,
  cashOf,
  leverOf,
  Margin,
  type MgnMode,
  Orders,
  type Position,
  sizeOf,
} from './account.ts';
import type { AlgoNews, AlgoOrder } from './algo.ts';
import { type BillWish, billOf } from './bills.ts';
import type { Instrument, OkxMarket } from './market.ts';
import { CANCEL, isOpen, type OkxOrder, type OrderNews } from './order.ts';
import { closable, openingOf, Rules, reducersOf, reduces, type Wish } from './rules.ts';
import type { CompiledSettings } from './settings.ts';
import { namesOf, Settlement } from './settlement.ts';
import { Refusal } from './wire.ts';

/** Reports events to the private channels. */
export interface Teller {
  order(account: Account, order: OkxOrder, news: OrderNews): void;
  algo(account: Account, algo: AlgoOrder, news: AlgoNews): void;
  /**
   * Balances and positions changed; `why` as `balance_and_position` names it, '' where that channel is
   * silent.
   */
  money(
    account: Account,
    why: string,
    ccys: readonly string[],
    positions: readonly Position[],
    trades?: readonly { instId: string; tradeId: string }[],
  ): void;
}

export interface ExchangeOptions {
  readonly market: OkxMarket;
  readonly settings: CompiledSettings;
  readonly now: () => number;
  readonly teller: Teller;
  readonly log: (row: Record<string, unknown>) => void;
}

/** Why and for which order an order is made that no client has sent. */
export interface Origin {
  readonly algo?: AlgoOrder;
  readonly category?: OkxOrder['category'];
  readonly source?: OkxOrder['source'];
}

const FIRST_ID = 2_500_000_000_000_000_000n;
const ID_STEP = 4_096n;

export class Exchange {
  readonly o: ExchangeOptions;
  readonly accounts = new Map<string, Account>();
  readonly margin: Margin;
  readonly rules: Rules;
  readonly #settlement: Settlement;
  /** Called for triggers, before resting orders are filled. */
  onTriggers: (m: Instrument, price: Dec, type: 'last' | 'mark' | 'index') => void = () => {};
  onPositionGone: (account: Account, position: Position) => void = () => {};
  readonly #logged = new WeakSet<OkxOrder>();
  readonly #prints: Print[] = [];
  #isMatching = false;
  #ids = 0n;

  constructor(o: ExchangeOptions) {
    this.o = o;
    this.margin = new Margin(o.market);
    this.#settlement = new Settlement(this);
    this.rules = new Rules(o.market, this.margin, o.settings.maxPending);
  }

  /** Returns a number for orders, algo orders, bills and positions: beyond the exact range of a double. */
  id(): string {
    this.#ids += ID_STEP;
    return String(FIRST_ID + this.#ids);
  }

  open(name: string, uid: string): Account {
    const { settings, now } = this.o;
    const account: Account = {
      name,
      uid,
      acctLv: settings.acctLv,
      posMode: settings.posMode,
      fees: settings.fees,
      wallet: new Map(Object.entries(settings.balances).map(([ccy, amount]) => [ccy, dec(amount)])),
      frozen: new Map(),
      touched: new Map(Object.keys(settings.balances).map((ccy) => [ccy, now()])),
      positions: new Map(),
      levers: new Map(),
      orders: new Orders(),
      algos: new Algos(),
      fills: [],
      bills: [],
      closings: [],
      conversions: [],
      changes: 0,
      ordersImr: new Map(),
    };
    this.accounts.set(name, account);
    for (const [asset, amount] of Object.entries(settings.balances))
      this.o.log({ kind: 'start', account: name, market: 'unified', asset, amount });
    return account;
  }

  account(name: string): Account {
    const account = this.accounts.get(name);
    if (!account) throw new Error(`no account ${name}`);
    return account;
  }

  /** Accepts an order, or throws Refusal. Matching orders are filled before this returns. */
  place(account: Account, wish: Wish, origin: Origin = {}): OkxOrder {
    this.rules.check(account, wish);
    return this.accept(account, wish, origin);
  }

  /** Accepts an order without checks: liquidations and reductions. */
  accept(account: Account, wish: Wish, origin: Origin): OkxOrder {
    const { m } = wish;
    const time = this.o.now();
    const isSwap = m.spec.instType === 'SWAP';
    const order: OkxOrder = {
      account: account.name,
      instId: m.spec.symbol,
      instType: m.spec.instType,
      ordId: this.id(),
      clOrdId: wish.clOrdId,
      tag: wish.tag,
      side: wish.side,
      posSide: wish.posSide,
      tdMode: wish.tdMode,
      ordType: wish.ordType,
      px: wish.px,
      sz: wish.sz,
      tgtCcy: wish.tgtCcy,
      reduceOnly: reduces(account, wish),
      stpMode: wish.stpMode,
      lever: isSwap ? leverOf(account, m.spec.symbol, wish.tdMode as MgnMode, wish.posSide) : null,
      qty: wish.tgtCcy === 'quote_ccy' ? this.#quantityFor(m, wish.side, wish.sz) : wish.sz,
      filled: ZERO,
      value: ZERO,
      opening: isSwap ? openingOf(account, wish) : ZERO,
      fee: ZERO,
      feeCcy: isSwap ? m.spec.settle : wish.side === 'buy' ? m.spec.base : m.spec.quote,
      rebate: ZERO,
      rebateCcy: isSwap ? m.spec.settle : wish.side === 'buy' ? m.spec.quote : m.spec.base,
      pnl: ZERO,
      state: 'live',
      category: origin.category ?? 'normal',
      source: origin.source ?? '',
      algoId: origin.algo?.algoId ?? '',
      algoClOrdId: origin.algo?.algoClOrdId ?? '',
      cancelSource: '',
      frozen: null,
      last: null,
      cTime: time,
      uTime: time,
      queuedAt: time,
    };
    account.orders.add(order);
    const there = order.px === null ? ZERO : this.#there(m, order.side, order.px);
    if (order.ordType === 'post_only' && there > ZERO) {
      this.end(account, order, CANCEL.postOnly);
      return order;
    }
    if (order.ordType === 'fok' && there < order.qty) {
      this.end(account, order, CANCEL.fok);
      return order;
    }
    this.#freeze(account, order, m);
    this.tell(account, order, {});
    this.#take(account, order, m);
    if (order.reduceOnly) this.#trim(account, order);
    return order;
  }

  cancel(account: Account, order: OkxOrder, source: string = CANCEL.user): void {
    this.end(account, order, source);
  }

  /** Changes size and price; throws Refusal before anything has changed. */
  amend(account: Account, order: OkxOrder, newSz: Dec | null, newPx: Dec | null, reqId: string): void {
    const m = this.o.market.of(order.instId);
    const sz = newSz ?? order.qty;
    const px = newPx ?? order.px;
    if (order.px === null) throw new Refusal('51506', 'Order modification unavailable for the order type.');
    if (px !== null && px !== order.px) this.rules.price(m, order.side, px, false);
    if (newSz !== null) this.rules.size(m, { sz, px, tgtCcy: '', ordType: order.ordType, side: order.side });
    if (order.ordType === 'post_only' && px !== null && this.#there(m, order.side, px) > ZERO)
      throw new Refusal(
        '51511',
        'Modification failed as the order price did not meet the requirement for Post Only.',
      );
    this.#amendMoney(account, order, m, sz, px as Dec);
    this.#thaw(account, order);
    const isGrown = sz > order.qty || px !== order.px;
    if (order.opening > ZERO) order.opening += sz - order.qty;
    order.qty = sz;
    order.sz = sz;
    order.px = px;
    order.uTime = this.o.now();
    if (isGrown) order.queuedAt = order.uTime;
    const news = { reqId, amendResult: '0', amendSource: '1' };
    if (order.qty <= order.filled) {
      order.state = 'filled';
      this.tell(account, order, news);
      this.#money(account, order, m, '');
      return;
    }
    this.#freeze(account, order, m);
    this.tell(account, order, news);
    this.#take(account, order, m);
  }

  #amendMoney(account: Account, order: OkxOrder, m: Instrument, sz: Dec, px: Dec): void {
    const rest = sz - order.filled;
    if (order.instType === 'SWAP') {
      if (order.reduceOnly) return;
      const grown = sz > order.qty ? sz - order.qty : ZERO;
      const more = this.rules.needs(account, m, order, grown, px);
      if (more > this.margin.forPositions(account, m.spec.settle))
        throw new Refusal(
          '51502',
          `Order failed. Insufficient ${m.spec.settle} margin in account`,
          200,
          '1031',
        );
      return;
    }
    const ccy = order.side === 'buy' ? m.spec.quote : m.spec.base;
    const needs = order.side === 'buy' ? mul(rest, px) : rest;
    if (needs > this.margin.available(account, ccy) + (order.frozen?.amount ?? ZERO))
      throw new Refusal('51502', 'Unable to edit order: insufficient balance or margin.', 200, '1030');
  }

  onPrint(print: Print): void {
    this.#prints.push(print);
    if (this.#isMatching) return;
    this.#isMatching = true;
    try {
      for (let next = this.#prints.shift(); next; next = this.#prints.shift()) this.#match(next);
    } finally {
      this.#isMatching = false;
    }
  }

  #match(print: Print): void {
    const m = this.o.market.of(print.symbol);
    this.onTriggers(m, print.price, 'last');
    if (print.own) return;
    for (const account of this.accounts.values()) {
      let left = print.qty;
      const resting = account.orders.open(print.symbol).sort((a, b) => {
        const [x, y] = [a.px ?? ZERO, b.px ?? ZERO];
        if (a.side === b.side && x !== y) return x < y === (a.side === 'sell') ? -1 : 1;
        return a.queuedAt - b.queuedAt || (a.ordId < b.ordId ? -1 : 1);
      });
      for (const order of resting) {
        if (!isOpen(order) || order.px === null) continue;
        const beyond = order.side === 'buy' ? order.px > print.price : order.px < print.price;
        if (!beyond && order.px !== print.price) continue;
        const rest = order.qty - order.filled;
        const qty = beyond ? rest : floorTo(minDec(rest, left), m.step);
        if (qty <= ZERO) continue;
        if (!beyond) left -= qty;
        this.fill(account, order, m, order.px, qty, true);
      }
    }
  }

  /** Quantity of the made-up book up to a limit price. */
  #there(m: Instrument, side: 'buy' | 'sell', px: Dec): Dec {
    return this.o.market
      .quotes(m, side === 'buy' ? 'BUY' : 'SELL')
      .filter(({ price }) => (side === 'buy' ? price <= px : price >= px))
      .reduce((sum, { qty }) => sum + qty, ZERO);
  }

  /** The base quantity for a sum in quote, in whole lots. */
  #quantityFor(m: Instrument, side: 'buy' | 'sell', sum: Dec): Dec {
    let left = sum;
    let qty = ZERO;
    const quotes = this.o.market.quotes(m, side === 'buy' ? 'BUY' : 'SELL');
    quotes.forEach((quote, i) => {
      const can = floorTo(div(left, quote.price), m.step);
      const taken = i < quotes.length - 1 ? minDec(quote.qty, can) : can;
      qty += taken;
      left -= mul(taken, quote.price);
    });
    return qty;
  }

  #take(account: Account, order: OkxOrder, m: Instrument): void {
    const { market } = this.o;
    const isMarket = order.px === null;
    // A swap's market order is a limit order at the band: levels beyond it are not used.
    const bands = market.bands(m);
    const limit =
      order.px ?? (m.spec.instType === 'SPOT' ? null : order.side === 'buy' ? bands.buy : bands.sell);
    const quotes = market
      .quotes(m, order.side === 'buy' ? 'BUY' : 'SELL')
      .filter(({ price }) => limit === null || (order.side === 'buy' ? price <= limit : price >= limit));
    quotes.forEach((quote, i) => {
      const rest = order.qty - order.filled;
      const isLast = isMarket && i === quotes.length - 1 && !m.spec.isThin;
      const qty = isLast ? rest : minDec(rest, quote.qty);
      if (qty > ZERO && isOpen(order)) this.fill(account, order, m, quote.price, qty, false);
    });
    if (!isOpen(order)) return;
    if (order.ordType === 'limit' || order.ordType === 'post_only') return;
    this.end(account, order, CANCEL.ioc);
  }

  /** Executes one trade. A reducing order never exceeds the position. */
  fill(account: Account, order: OkxOrder, m: Instrument, px: Dec, wanted: Dec, isMaker: boolean): void {
    let qty = wanted;
    if (order.reduceOnly) {
      const held = closable(account, order);
      if (held === ZERO) {
        this.end(account, order, CANCEL.closedAtMarket);
        return;
      }
      qty = minDec(qty, held);
    }
    const isForced = order.category !== 'normal';
    const number = isMaker || isForced ? ++m.tradeId : m.tradeId + 1;
    const tradeId = isForced ? String(-number) : String(number);
    this.#thaw(account, order);
    const fill = this.#settlement.fill(account, order, m, { px, qty, isMaker, tradeId });
    order.last = fill;
    order.filled += qty;
    order.value += mul(px, qty);
    order.uTime = fill.fillTime;
    const isAll = order.filled >= order.qty;
    order.state = isAll ? 'filled' : 'partially_filled';
    if (!isAll) this.#freeze(account, order, m);
    account.fills.push(fill);
    this.#settlement.log(fill, m, isMaker);
    // Each trade of a spot market order is reported as partial; a message without a trade then reports it as
    // filled.
    const isSpotMarket = order.instType === 'SPOT' && order.ordType === 'market';
    if (isAll && isSpotMarket) {
      order.state = 'partially_filled';
      this.tell(account, order, { fill });
      order.state = 'filled';
      this.tell(account, order, {});
    } else this.tell(account, order, { fill });
    this.#money(account, order, m, this.#whyOf(order), tradeId);
    if (!isMaker && !isForced) this.o.market.print(order.instId, px, qty, order.side === 'sell', true);
    if (order.instType === 'SWAP') this.#afterSwapFill(account, order);
  }

  #whyOf({ category }: OkxOrder): string {
    return category === 'normal' ? 'filled' : category === 'adl' ? 'adl' : 'liquidation';
  }

  #afterSwapFill(account: Account, order: OkxOrder): void {
    const position = account.positions.get(`${order.instId} ${order.tdMode} ${order.posSide}`);
    if (!position) return;
    for (const side of ['buy', 'sell'] as const) this.#trim(account, { ...order, side });
    if (position.amount !== ZERO) return;
    this.#settlement.closed(account, position, order);
    this.onPositionGone(account, position);
  }

  /** Ends reducing orders that together exceed the position, the worst price first. */
  #trim(account: Account, like: Pick<OkxOrder, 'instId' | 'side' | 'posSide' | 'tdMode'>): void {
    const held = closable(account, like);
    let sum = ZERO;
    for (const order of reducersOf(account, like)) {
      sum += order.qty - order.filled;
      if (sum > held) this.end(account, order, held === ZERO ? CANCEL.closedAtMarket : '23');
    }
  }

  end(account: Account, order: OkxOrder, source: string): void {
    if (!isOpen(order)) return;
    this.#thaw(account, order);
    order.state = 'canceled';
    order.cancelSource = source;
    order.uTime = this.o.now();
    this.tell(account, order, {});
    this.#money(account, order, this.o.market.of(order.instId), '');
  }

  #freeze(account: Account, order: OkxOrder, m: Instrument): void {
    if (order.instType !== 'SPOT' || order.px === null) return;
    const rest = order.qty - order.filled;
    const isBuy = order.side === 'buy';
    const ccy = isBuy ? m.spec.quote : m.spec.base;
    const amount = isBuy ? mul(rest, order.px) : rest;
    order.frozen = { ccy, amount };
    account.frozen.set(ccy, (account.frozen.get(ccy) ?? ZERO) + amount);
  }

  #thaw(account: Account, order: OkxOrder): void {
    if (!order.frozen) return;
    const { ccy, amount } = order.frozen;
    account.frozen.set(ccy, (account.frozen.get(ccy) ?? ZERO) - amount);
    order.frozen = null;
  }

  /** Changes the wallet only; the caller writes the bill. */
  change(account: Account, ccy: string, amount: Dec): void {
    account.wallet.set(ccy, cashOf(account, ccy) + amount);
    account.touched.set(ccy, this.o.now());
  }

  /** Adds or takes money without a trade: funding, transfers, penalties. */
  credit(account: Account, wish: BillWish): void {
    this.change(account, wish.ccy, wish.change);
    this.bill(account, wish);
  }

  bill(account: Account, wish: BillWish): string {
    const billId = this.id();
    account.bills.push(billOf(account, wish, billId, this.o.now()));
    return billId;
  }

  #money(account: Account, order: OkxOrder, m: Instrument, why: string, tradeId?: string): void {
    const { base, quote, settle } = m.spec;
    const isSwap = order.instType === 'SWAP';
    const position = account.positions.get(`${order.instId} ${order.tdMode} ${order.posSide}`);
    if (!this.o.settings.cashTimes)
      for (const ccy of isSwap ? [settle] : [order.side === 'buy' ? quote : base])
        account.touched.set(ccy, this.o.now());
    this.o.teller.money(
      account,
      why,
      isSwap ? [settle] : [base, quote],
      isSwap && position ? [position] : [],
      tradeId === undefined ? [] : [{ instId: order.instId, tradeId }],
    );
  }

  tell(account: Account, order: OkxOrder, news: OrderNews): void {
    account.changes++;
    if (!news.fill) this.#logOrder(order);
    if (!news.fill && isOpen(order)) this.#money(account, order, this.o.market.of(order.instId), '');
    this.o.teller.order(account, order, news);
  }

  /** Logs `NEW` first, whatever happens at once; then the later state. */
  #logOrder(order: OkxOrder): void {
    const isNew = !this.#logged.has(order);
    this.#logged.add(order);
    this.o.log({
      kind: 'order',
      account: order.account,
      ...namesOf(this.o.market.of(order.instId)),
      orderId: order.ordId,
      clientOrderId: order.clOrdId,
      algoClientId: order.algoClOrdId,
      execution: isNew ? 'NEW' : order.state.toUpperCase(),
      status: order.state,
      qty: str(order.qty),
      executed: str(order.filled),
      time: order.uTime,
    });
  }

  /** Deposits or withdraws money. */
  transfer(name: string, ccy: string, amount: Dec): void {
    const account = this.account(name);
    this.credit(account, {
      type: '1',
      subType: amount > ZERO ? '11' : '12',
      ccy,
      change: amount,
      sz: sizeOf(amount),
    });
    this.o.log({
      kind: 'transfer',
      account: name,
      market: 'unified',
      asset: ccy,
      amount: str(amount),
      time: this.o.now(),
    });
    this.o.teller.money(account, 'transferred', [ccy], []);
  }
}
