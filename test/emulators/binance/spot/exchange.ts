/**
 * The spot exchange: accounts, orders, matching against other people's prints, and reports of each step. It
 * never reads a request; `spot/endpoints.ts` does.
 */
import { type Dec, dec, floorTo, mul, ZERO } from '../../../../src/domain/decimal.ts';
import type { Print, Quote } from '../../kit/market.ts';
import { OrderStore, TradeStore } from '../../kit/order-store.ts';
import type { Market, SymbolMarket } from '../market.ts';
import { Refusal } from '../wire.ts';
import { commissionOf, needsOf, quantityFor } from './money.ts';
import { hasLimit, isConditional, isOpen, report, type SpotFill, type SpotOrder } from './order.ts';
import { checkFilters, isReached, type SpotWish, trailingTrigger } from './rules.ts';

export interface Wallet {
  free: Dec;
  locked: Dec;
}

export interface SpotAccount {
  readonly name: string;
  readonly uid: number;
  readonly wallets: Map<string, Wallet>;
  readonly orders: OrderStore<SpotOrder>;
  readonly trades: TradeStore<SpotTrade>;
  maker: Dec;
  taker: Dec;
  /** Whether fees are paid in BNB, a quarter cheaper, while there is enough. */
  paysInBnb: boolean;
  updateTime: number;
  dustAt: number;
}

export interface SpotTrade extends SpotFill {
  readonly order: SpotOrder;
}

export interface SpotExchangeOptions {
  readonly market: Market;
  readonly now: () => number;
  readonly id: (length: number) => string;
  /** Sends an event to the account's streams. */
  readonly tell: (account: string, event: Record<string, unknown>) => void;
  /** Writes to the raw log. */
  readonly log: (row: Record<string, unknown>) => void;
  /** Called at a first fill, which gives order slots back. */
  readonly firstFill: (account: string, isMaker: boolean) => void;
}

export class SpotExchange {
  readonly #o: SpotExchangeOptions;
  readonly accounts = new Map<string, SpotAccount>();
  #orderId = 5_000_000;
  readonly #prints: Print[] = [];
  #isMatching = false;

  constructor(o: SpotExchangeOptions) {
    this.#o = o;
  }

  open(name: string, uid: number, balances: Readonly<Record<string, string>>): SpotAccount {
    const account: SpotAccount = {
      name,
      uid,
      wallets: new Map(),
      orders: new OrderStore(({ orderId }) => orderId, isOpen),
      trades: new TradeStore(),
      maker: dec('0.001'),
      taker: dec('0.001'),
      paysInBnb: false,
      updateTime: this.#o.now(),
      dustAt: 0,
    };
    this.accounts.set(name, account);
    for (const [asset, amount] of Object.entries(balances)) {
      account.wallets.set(asset, { free: dec(amount), locked: ZERO });
      this.#o.log({ kind: 'start', account: name, market: 'spot', asset, amount });
    }
    return account;
  }

  account(name: string): SpotAccount {
    const account = this.accounts.get(name);
    if (!account) throw new Refusal(-2015, 'Invalid API-key, IP, or permissions for action.', 401);
    return account;
  }

  openOrders(account: SpotAccount, symbol?: string): SpotOrder[] {
    return account.orders.open().filter((order) => symbol === undefined || order.symbol === symbol);
  }

  /** Finds an order by number, otherwise the newest with that client id. */
  find(
    account: SpotAccount,
    symbol: string,
    orderId: number | null,
    clientOrderId: string | null,
  ): SpotOrder | null {
    const found =
      orderId !== null ? account.orders.byId(orderId) : account.orders.byClient(clientOrderId ?? '');
    if (!found || found.symbol !== symbol) return null;
    if (orderId !== null && clientOrderId !== null && found.clientOrderId !== clientOrderId) return null;
    return found;
  }

  /** Makes all checks of an order without accepting it. Throws Refusal. */
  check(account: SpotAccount, wish: SpotWish, without?: SpotOrder): void {
    const { market } = this.#o;
    const open = this.openOrders(account).filter((order) => order !== without);
    checkFilters(wish, market, open);
    const book = market.of(wish.symbol);
    if (wish.clientOrderId !== null && open.some((order) => order.clientOrderId === wish.clientOrderId))
      throw new Refusal(-2010, 'Duplicate order sent.');
    if (
      isConditional(wish.type) &&
      wish.stopPrice > ZERO &&
      isReached(wish.side, wish.type, wish.stopPrice, book.last)
    )
      throw new Refusal(-2010, 'Order would trigger immediately.');
    if (wish.type === 'LIMIT_MAKER' && this.#takes(book, wish.side, wish.price))
      throw new Refusal(-2010, 'Order would immediately match and take.');
    const [asset, amount] = needsOf(wish, book, this.#o.market);
    const freed = without && this.#assetOf(without) === asset ? without.locked : ZERO;
    if ((account.wallets.get(asset)?.free ?? ZERO) + freed < amount)
      throw new Refusal(-2010, 'Account has insufficient balance for requested action.');
  }

  /** Accepts an order. Throws Refusal. */
  place(account: SpotAccount, wish: SpotWish): SpotOrder {
    this.check(account, wish);
    const { market, now, id } = this.#o;
    const book = market.of(wish.symbol);
    const time = now();
    const waits = isConditional(wish.type);
    const order: SpotOrder = {
      account: account.name,
      symbol: wish.symbol,
      orderId: ++this.#orderId,
      clientOrderId: wish.clientOrderId ?? id(22),
      side: wish.side,
      type: wish.type,
      timeInForce: wish.timeInForce,
      price: wish.price,
      qty: wish.qty,
      quoteQty: wish.quoteQty,
      stopPrice: wish.stopPrice,
      trailingDelta: wish.trailingDelta,
      trailingTime: -1,
      extreme: ZERO,
      icebergQty: wish.icebergQty,
      stp: wish.stp,
      status: 'NEW',
      executed: ZERO,
      quote: ZERO,
      time,
      updateTime: time,
      workingTime: waits ? -1 : time,
      isWorking: !waits,
      locked: ZERO,
      fills: [],
      expiryReason: null,
      amendments: [],
      executionId: 0,
    };
    if (wish.quoteQty > ZERO) order.qty = quantityFor(book, order, market);
    const [asset, amount] = needsOf(wish, book, this.#o.market);
    const isLocked = waits || hasLimit(wish.type);
    if (isLocked) this.#lock(account, asset, amount, order);
    account.orders.add(order, order.clientOrderId);
    if (wish.trailingDelta > 0 && wish.stopPrice === ZERO) this.#startTrailing(order, book.last, time);
    this.#report(order, 'NEW');
    if (isLocked) this.#position(account, asset);
    if (!waits) this.#take(account, order, book);
    return order;
  }

  cancel(order: SpotOrder, cancelId = this.#o.id(22)): string {
    const account = this.account(order.account);
    this.#end(account, order, 'CANCELED', null, cancelId);
    return cancelId;
  }

  /** Reduces the quantity; the order keeps its place in the queue. Throws Refusal. */
  amend(order: SpotOrder, qty: Dec, newClientOrderId: string | null): string {
    const account = this.account(order.account);
    if (qty >= order.qty)
      throw new Refusal(
        -2038,
        'The requested action would not decrease the order quantity or is otherwise invalid.',
      );
    if (qty <= order.executed)
      throw new Refusal(-2038, 'New quantity must be greater than the executed quantity.');
    const was = order.clientOrderId;
    const asset = this.#assetOf(order);
    const freed = order.side === 'SELL' ? order.qty - qty : mul(order.qty - qty, order.price);
    const newId = newClientOrderId ?? this.#o.id(22);
    order.amendments.push({ time: this.#o.now(), was: order.qty, is: qty, origId: was, newId });
    order.qty = qty;
    order.clientOrderId = newId;
    account.orders.rename(order, was, newId);
    order.updateTime = this.#o.now();
    this.#unlock(account, asset, freed, order);
    this.#report(order, 'REPLACED', { origId: was });
    this.#position(account, asset);
    return was;
  }

  /** Deposits or withdraws money. */
  transfer(name: string, asset: string, amount: Dec): void {
    const account = this.account(name);
    const wallet = this.wallet(account, asset);
    wallet.free += amount;
    const time = this.#o.now();
    this.#o.log({ kind: 'transfer', account: name, market: 'spot', asset, amount: text(amount), time });
    this.#o.tell(name, { e: 'balanceUpdate', E: time, a: asset, d: text(amount), T: time });
    this.#position(account, asset);
  }

  wallet(account: SpotAccount, asset: string): Wallet {
    let wallet = account.wallets.get(asset);
    if (!wallet) {
      wallet = { free: ZERO, locked: ZERO };
      account.wallets.set(asset, wallet);
    }
    return wallet;
  }

  /**
   * Handles a print of the market: fires triggers, fills resting orders. Prints that result from it follow
   * afterwards.
   */
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
    const book = this.#o.market.of(print.symbol);
    for (const account of this.accounts.values()) {
      const here = this.openOrders(account, print.symbol);
      for (const order of here) if (!order.isWorking) this.#maybeTrigger(account, order, book, print);
      if (print.own) continue;
      let left = print.qty;
      const resting = here
        .filter((order) => order.isWorking && isOpen(order) && hasLimit(order.type) && order.workingTime >= 0)
        .sort(
          (a, b) =>
            (a.side === 'BUY' ? cmp(b.price, a.price) : cmp(a.price, b.price)) ||
            a.workingTime - b.workingTime ||
            a.orderId - b.orderId,
        );
      for (const order of resting) {
        if (!isOpen(order)) continue;
        const beyond = order.side === 'BUY' ? order.price > print.price : order.price < print.price;
        if (!beyond && order.price !== print.price) continue;
        const rest = order.qty - order.executed;
        const shown = order.icebergQty > ZERO && order.icebergQty < rest && !beyond ? order.icebergQty : rest;
        const qty = beyond ? rest : floorTo(shown < left ? shown : left, book.step);
        if (qty <= ZERO) continue;
        if (!beyond) left -= qty;
        this.#fill(account, order, book, order.price, qty, true);
      }
    }
  }

  #maybeTrigger(account: SpotAccount, order: SpotOrder, book: SymbolMarket, print: Print): void {
    if (order.trailingDelta > 0) {
      if (order.trailingTime < 0) {
        if (!isReached(order.side, order.type, order.stopPrice, print.price)) return;
        this.#startTrailing(order, print.price, print.time);
        return;
      }
      const { up } = trailingTrigger(order);
      if (up ? print.price < order.extreme : print.price > order.extreme) order.extreme = print.price;
      const { price } = trailingTrigger(order);
      if (up ? print.price < price : print.price > price) return;
    } else if (!isReached(order.side, order.type, order.stopPrice, print.price)) return;
    order.isWorking = true;
    order.workingTime = print.time;
    order.updateTime = print.time;
    this.#take(account, order, book);
  }

  #startTrailing(order: SpotOrder, price: Dec, time: number): void {
    order.trailingTime = time;
    order.extreme = price;
  }

  /** Matches an order against the made-up book; then it rests or ends. */
  #take(account: SpotAccount, order: SpotOrder, book: SymbolMarket): void {
    const { market } = this.#o;
    const isLimit = hasLimit(order.type);
    const crosses = (quote: Quote) =>
      !isLimit || (order.side === 'BUY' ? quote.price <= order.price : quote.price >= order.price);
    const quotes = market.quotes(book, order.side).filter(crosses);
    const rest = () => order.qty - order.executed;
    if (order.timeInForce === 'FOK' && isLimit) {
      const there = quotes.reduce((sum, quote) => sum + quote.qty, ZERO);
      if (there < rest()) {
        this.#end(account, order, 'EXPIRED', 'UNFILLED_FOK_ORDER_EXPIRED');
        return;
      }
    }
    quotes.forEach((quote, i) => {
      // The last level of the book is unlimited for an order without a limit price.
      const qty = !isLimit && i === quotes.length - 1 ? rest() : rest() < quote.qty ? rest() : quote.qty;
      if (qty > ZERO && isOpen(order)) this.#fill(account, order, book, quote.price, qty, false);
    });
    if (!isOpen(order) || rest() <= ZERO) return;
    if (isLimit && order.timeInForce === 'GTC') return;
    this.#end(
      account,
      order,
      'EXPIRED',
      isLimit ? 'UNFILLED_IOC_QUANTITY_EXPIRED' : 'INSUFFICIENT_LIQUIDITY',
    );
  }

  #takes(book: SymbolMarket, side: 'BUY' | 'SELL', price: Dec): boolean {
    const best = this.#o.market.quotes(book, side)[0];
    return best !== undefined && (side === 'BUY' ? price >= best.price : price <= best.price);
  }

  #fill(
    account: SpotAccount,
    order: SpotOrder,
    book: SymbolMarket,
    price: Dec,
    qty: Dec,
    isMaker: boolean,
  ): void {
    const { market, now, log } = this.#o;
    const { base, quote } = book.spec;
    const value = mul(price, qty);
    const isBuy = order.side === 'BUY';
    const pays = this.wallet(account, isBuy ? quote : base);
    const gets = this.wallet(account, isBuy ? base : quote);
    const cost = isBuy ? value : qty;
    const fromLock = order.locked < cost ? order.locked : cost;
    if (pays.free + fromLock < cost) {
      this.#end(account, order, 'EXPIRED', 'INSUFFICIENT_LIQUIDITY');
      return;
    }
    order.locked -= fromLock;
    pays.locked -= fromLock;
    pays.free -= cost - fromLock;
    const [commissionAsset, commission] = commissionOf(
      market,
      account,
      isBuy ? base : quote,
      isBuy ? qty : value,
      value,
      book,
      isMaker,
    );
    gets.free += isBuy ? qty : value;
    this.wallet(account, commissionAsset).free -= commission;
    const id = isMaker ? ++book.tradeId : 0;
    order.executed += qty;
    order.quote += value;
    order.status = order.executed >= order.qty ? 'FILLED' : 'PARTIALLY_FILLED';
    order.updateTime = now();
    if (order.fills.length === 0) this.#o.firstFill(account.name, isMaker);
    const fill = (number: number): SpotFill => ({
      id: number,
      price,
      qty,
      commission,
      commissionAsset,
      time: order.updateTime,
      isMaker,
    });
    // The taker's trade is a print of its own; its triggers are handled after this.
    const number = isMaker ? id : book.tradeId + 1;
    const done = fill(number);
    order.fills.push(done);
    account.trades.add(order.symbol, { ...done, order });
    if (order.status === 'FILLED') this.#release(account, order);
    else if (isBuy && hasLimit(order.type)) {
      // The unused part of the locked quote: it was bought for less.
      const excess = order.locked - mul(order.qty - order.executed, order.price);
      if (excess > ZERO) this.#unlock(account, quote, excess, order);
    }
    log({
      kind: 'fill',
      account: account.name,
      market: 'spot',
      symbol: order.symbol,
      orderId: order.orderId,
      clientOrderId: order.clientOrderId,
      tradeId: number,
      side: order.side,
      price: text(price),
      qty: text(qty),
      quote: text(value),
      commission: text(commission),
      commissionAsset,
      isMaker,
      time: order.updateTime,
    });
    this.#report(order, 'TRADE', { fill: done });
    this.#position(account, base, quote, commissionAsset);
    if (!isMaker) market.print(order.symbol, price, qty, !isBuy, true);
  }

  #end(
    account: SpotAccount,
    order: SpotOrder,
    status: 'CANCELED' | 'EXPIRED',
    reason: string | null,
    cancelId?: string,
  ): void {
    order.status = status;
    order.expiryReason = reason;
    order.updateTime = this.#o.now();
    const asset = this.#assetOf(order);
    this.#release(account, order);
    this.#report(order, status, cancelId === undefined ? {} : { cancelId });
    this.#position(account, asset);
  }

  #release(account: SpotAccount, order: SpotOrder): void {
    if (order.locked > ZERO) this.#unlock(account, this.#assetOf(order), order.locked, order);
  }

  #lock(account: SpotAccount, asset: string, amount: Dec, order: SpotOrder): void {
    const wallet = this.wallet(account, asset);
    wallet.free -= amount;
    wallet.locked += amount;
    order.locked += amount;
  }

  #unlock(account: SpotAccount, asset: string, amount: Dec, order: SpotOrder): void {
    const wallet = this.wallet(account, asset);
    wallet.free += amount;
    wallet.locked -= amount;
    order.locked -= amount;
  }

  #assetOf(order: SpotOrder): string {
    const { base, quote } = this.#o.market.of(order.symbol).spec;
    return order.side === 'BUY' ? quote : base;
  }

  #report(
    order: SpotOrder,
    execution: 'NEW' | 'CANCELED' | 'REPLACED' | 'TRADE' | 'EXPIRED',
    more: { fill?: SpotFill; cancelId?: string; origId?: string } = {},
  ): void {
    order.executionId++;
    const time = this.#o.now();
    if (execution !== 'TRADE')
      this.#o.log({
        kind: 'order',
        account: order.account,
        market: 'spot',
        symbol: order.symbol,
        orderId: order.orderId,
        clientOrderId: order.clientOrderId,
        execution,
        status: order.status,
        qty: text(order.qty),
        executed: text(order.executed),
        time,
      });
    this.#o.tell(order.account, report(order, { execution, time, ...more }));
  }

  #position(account: SpotAccount, ...assets: string[]): void {
    const time = this.#o.now();
    account.updateTime = time;
    this.#o.tell(account.name, {
      e: 'outboundAccountPosition',
      E: time,
      u: time,
      B: [...new Set(assets)].map((asset) => {
        const { free, locked } = this.wallet(account, asset);
        return { a: asset, f: text(free), l: text(locked) };
      }),
    });
  }
}

function text(value: Dec): string {
  const size = value < ZERO ? -value : value;
  const whole = size / 10n ** 30n;
  const rest = (size % 10n ** 30n).toString().padStart(30, '0').slice(0, 8);
  return `${value < ZERO ? '-' : ''}${whole}.${rest}`;
}

function cmp(a: Dec, b: Dec): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
