/**
 * The USD-M exchange: accepts, fills, amends and ends orders, moves positions and wallets, and reports each
 * step. Conditional orders are in `algos.ts`, liquidation and funding in `events.ts`. It never reads a
 * request.
 */
import { type Dec, dec, decOfInt, div, floorTo, mul, ZERO } from '../../../../src/domain/decimal.ts';
import type { Print } from '../../kit/market.ts';
import { OrderStore, TradeStore } from '../../kit/order-store.ts';
import type { Market, SymbolMarket } from '../market.ts';
import { Refusal } from '../wire.ts';
import {
  type FuturesAccount,
  floorTo8,
  type Income,
  isOpenStatus,
  Margin,
  movePosition,
  type Position,
  positionOf,
  settingOf,
} from './account.ts';
import {
  type AlgoOrder,
  type FuturesOrder,
  type FuturesTrade,
  isOpenAlgo,
  type OrderStatus,
  OrderTexts,
} from './order.ts';
import { checkOrder, closable, closesByForm, type OrderWish } from './rules.ts';
import { AccountTeller, text } from './tell.ts';

export interface FuturesOptions {
  readonly market: Market;
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => void;
  readonly id: (length: number) => string;
  readonly tell: (account: string, event: Record<string, unknown>) => void;
  readonly log: (row: Record<string, unknown>) => void;
}

/** Reason of an order's end, as in `er` (facts-binance E 4). */
export const EXPIRY = {
  iocRest: 2,
  reduceOnly: 4,
  liquidation: 5,
  fok: 10,
  postOnly: 11,
  marketRest: 9,
} as const;

const MAX_CHANGES = 10_000;

export class FuturesExchange {
  readonly o: FuturesOptions;
  readonly accounts = new Map<string, FuturesAccount>();
  readonly margin: Margin;
  readonly texts: OrderTexts;
  readonly teller: AccountTeller;
  /** Callbacks for conditional orders: an order has ended, a child order is linked, a position is gone. */
  onOrderEnded: (order: FuturesOrder) => void = () => {};
  onAlgoLinked: (algo: AlgoOrder, child: FuturesOrder) => void = () => {};
  onPositionGone: (account: FuturesAccount, position: Position) => void = () => {};
  #orderId = 8_389_765_739_000_000;
  #tranId = 9_689_322_000;
  readonly #prints: Print[] = [];
  #isMatching = false;
  onTriggers: (m: SymbolMarket, price: Dec, workingType: 'CONTRACT_PRICE' | 'MARK_PRICE') => void = () => {};

  constructor(o: FuturesOptions) {
    this.o = o;
    this.margin = new Margin(o.market);
    this.texts = new OrderTexts(o.market);
    this.teller = new AccountTeller(o.market, this.margin, o.now, o.tell);
  }

  open(name: string, balances: Readonly<Record<string, string>>, hedge: boolean): FuturesAccount {
    const account: FuturesAccount = {
      name,
      wallets: new Map(Object.entries(balances).map(([asset, amount]) => [asset, dec(amount)])),
      positions: new Map(),
      settings: new Map(),
      orders: new OrderStore(
        ({ orderId }) => orderId,
        ({ status }) => isOpenStatus(status),
      ),
      trades: new TradeStore(),
      algos: new OrderStore(({ algoId }) => algoId, isOpenAlgo),
      incomes: [],
      hedge,
      multiAssets: false,
      feeBurn: false,
      maker: dec('0.0002'),
      taker: dec('0.0005'),
      updateTime: this.o.now(),
    };
    this.accounts.set(name, account);
    for (const [asset, amount] of Object.entries(balances))
      this.o.log({ kind: 'start', account: name, market: 'futures', asset, amount });
    return account;
  }

  account(name: string): FuturesAccount {
    const account = this.accounts.get(name);
    if (!account) throw new Refusal(-2015, 'Invalid API-key, IP, or permissions for action.', 401);
    return account;
  }

  openOrders(account: FuturesAccount, symbol?: string): FuturesOrder[] {
    return account.orders.open().filter((order) => symbol === undefined || order.symbol === symbol);
  }

  find(
    account: FuturesAccount,
    symbol: string,
    orderId: number | null,
    client: string | null,
  ): FuturesOrder | null {
    const found = orderId !== null ? account.orders.byId(orderId) : account.orders.byClient(client ?? '');
    return found?.symbol === symbol ? found : null;
  }

  /** Makes all checks of an order. Throws Refusal. */
  check(account: FuturesAccount, wish: OrderWish): void {
    const m = this.o.market.of(wish.symbol);
    checkOrder(wish, m, account);
    const open = this.openOrders(account);
    if (wish.clientOrderId !== null && open.some((order) => order.clientOrderId === wish.clientOrderId))
      throw new Refusal(-4116, 'ClientOrderId is duplicated.');
    if (open.filter((order) => order.symbol === wish.symbol).length >= (m.spec.maxNumOrders ?? 200))
      throw new Refusal(-2025, 'Reach max open order limit.');
    const held = closable(account, wish);
    const opening = wish.reduceOnly || wish.qty <= held ? ZERO : wish.qty - held;
    const price =
      wish.type === 'LIMIT' ? wish.price : (this.o.market.quotes(m, wish.side)[0]?.price ?? m.last);
    const needs = div(mul(opening, price), decOfInt(settingOf(account, wish.symbol).leverage));
    const fee = mul(mul(opening, price), account.taker);
    if (opening > ZERO && needs + fee > this.margin.available(account, m.spec.quote))
      throw new Refusal(-2019, 'Margin is insufficient.');
    if (wish.type !== 'LIMIT') return;
    const takes = this.#there(m, wish.side, wish.price);
    if (wish.timeInForce === 'GTX' && takes > ZERO)
      throw new Refusal(
        -5022,
        'Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history.',
      );
    if (wish.timeInForce === 'FOK' && takes < wish.qty)
      throw new Refusal(
        -5021,
        'Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history.',
      );
  }

  place(account: FuturesAccount, wish: OrderWish, algo: AlgoOrder | null = null): FuturesOrder {
    this.check(account, wish);
    const time = this.o.now();
    const held = closable(account, wish);
    const order: FuturesOrder = {
      account: account.name,
      symbol: wish.symbol,
      orderId: ++this.#orderId,
      clientOrderId: wish.clientOrderId ?? this.o.id(22),
      side: wish.side,
      positionSide: wish.positionSide,
      type: wish.type,
      origType: algo?.type ?? wish.type,
      timeInForce: wish.timeInForce,
      price: wish.price,
      qty: wish.qty,
      executed: ZERO,
      quote: ZERO,
      reduceOnly: wish.reduceOnly,
      closePosition: algo?.closePosition ?? false,
      stopPrice: algo?.triggerPrice ?? ZERO,
      workingType: algo?.workingType ?? 'CONTRACT_PRICE',
      priceProtect: algo?.priceProtect ?? false,
      stp: wish.stp,
      goodTillDate: wish.goodTillDate,
      openingQty: wish.reduceOnly || wish.qty <= held ? ZERO : wish.qty - held,
      status: 'NEW',
      expiry: 0,
      time,
      updateTime: time,
      trades: [],
      amendments: [],
      algo,
      callbackRate: algo?.callbackRate ?? '',
      activatePrice: algo?.activatePrice ?? ZERO,
    };
    account.orders.add(order, order.clientOrderId);
    if (algo) this.onAlgoLinked(algo, order);
    this.event(order, 'NEW');
    if (order.goodTillDate > 0)
      this.o.after(order.goodTillDate - time, () => {
        if (isOpenStatus(order.status)) this.end(order, 'EXPIRED', 0);
      });
    this.#take(account, order);
    return order;
  }

  cancel(order: FuturesOrder): void {
    this.end(order, 'CANCELED', 0);
  }

  /** Changes price and quantity. Throws Refusal. */
  modify(account: FuturesAccount, order: FuturesOrder, qty: Dec, price: Dec): void {
    const m = this.o.market.of(order.symbol);
    if (order.type !== 'LIMIT') throw new Refusal(-5025, 'Only limit order is supported.');
    if (qty === order.qty && price === order.price) throw new Refusal(-5027, 'No need to modify the order.');
    if (order.amendments.length >= MAX_CHANGES)
      throw new Refusal(-5026, 'Exceed maximum modify order limit.');
    if (mul(qty, price) < dec(m.spec.minNotional) && !order.reduceOnly)
      throw new Refusal(-5029, "The order's notional is too small.");
    if (order.timeInForce === 'GTX' && this.#there(m, order.side, price) > ZERO) {
      this.end(order, 'EXPIRED', EXPIRY.postOnly);
      throw new Refusal(
        -5022,
        'Due to the order could not be executed as maker, the Post Only order will be rejected.',
      );
    }
    if (qty <= order.executed) {
      this.end(order, 'CANCELED', 0);
      return;
    }
    const growth = qty > order.qty ? qty - order.qty : ZERO;
    const dearer = price > order.price ? mul(qty, price - order.price) : ZERO;
    const more = div(mul(growth, price) + dearer, decOfInt(settingOf(account, order.symbol).leverage));
    if (!order.reduceOnly && order.openingQty > ZERO && more > this.margin.available(account, m.spec.quote))
      throw new Refusal(-2019, 'Margin is insufficient.');
    const time = this.o.now();
    order.amendments.push({ time, was: [order.price, order.qty], is: [price, qty] });
    if (order.openingQty > ZERO) order.openingQty += qty - order.qty;
    order.qty = qty;
    order.price = price;
    order.updateTime = time;
    this.event(order, 'AMENDMENT', undefined, { M: order.amendments.length });
    this.#take(account, order);
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
    this.onTriggers(m, print.price, 'CONTRACT_PRICE');
    if (print.own) return;
    for (const account of this.accounts.values()) {
      let left = print.qty;
      const resting = this.openOrders(account, print.symbol)
        .filter(({ type }) => type === 'LIMIT')
        .sort(
          (a, b) =>
            (a.side === 'BUY'
              ? Number(b.price > a.price) - Number(b.price < a.price)
              : Number(a.price > b.price) - Number(a.price < b.price)) ||
            // A modified order is reordered in the match queue (Modify Order).
            queuedAt(a) - queuedAt(b) ||
            a.orderId - b.orderId,
        );
      for (const order of resting) {
        if (!isOpenStatus(order.status)) continue;
        const beyond = order.side === 'BUY' ? order.price > print.price : order.price < print.price;
        if (!beyond && order.price !== print.price) continue;
        const rest = order.qty - order.executed;
        const qty = beyond ? rest : floorTo(rest < left ? rest : left, m.step);
        if (qty <= ZERO) continue;
        if (!beyond) left -= qty;
        this.fill(account, order, order.price, qty, true);
      }
    }
  }

  /** Quantity of the made-up book up to a limit price. */
  #there(m: SymbolMarket, side: 'BUY' | 'SELL', price: Dec): Dec {
    return this.o.market
      .quotes(m, side)
      .filter((quote) => (side === 'BUY' ? quote.price <= price : quote.price >= price))
      .reduce((sum, quote) => sum + quote.qty, ZERO);
  }

  #take(account: FuturesAccount, order: FuturesOrder): void {
    const m = this.o.market.of(order.symbol);
    const isLimit = order.type === 'LIMIT';
    const quotes = this.o.market
      .quotes(m, order.side)
      .filter(
        ({ price }) => !isLimit || (order.side === 'BUY' ? price <= order.price : price >= order.price),
      );
    quotes.forEach((quote, i) => {
      const rest = order.qty - order.executed;
      const qty = !isLimit && i === quotes.length - 1 ? rest : rest < quote.qty ? rest : quote.qty;
      if (qty > ZERO && isOpenStatus(order.status)) this.fill(account, order, quote.price, qty, false);
    });
    if (!isOpenStatus(order.status)) return;
    if (isLimit && order.timeInForce !== 'IOC' && order.timeInForce !== 'FOK') return;
    this.end(order, 'EXPIRED', isLimit ? EXPIRY.iocRest : EXPIRY.marketRest);
  }

  /**
   * Executes one trade. A reduce-only order never exceeds the position. `feeRate`: instead of the account's.
   */
  fill(
    account: FuturesAccount,
    order: FuturesOrder,
    price: Dec,
    wanted: Dec,
    isMaker: boolean,
    execution = 'TRADE',
    feeRate?: Dec,
  ): void {
    const { market, now, log } = this.o;
    const m = market.of(order.symbol);
    let qty = wanted;
    if (order.reduceOnly || closesByForm(order)) {
      const held = closable(account, order);
      if (held === ZERO) {
        this.end(order, 'EXPIRED', EXPIRY.reduceOnly);
        return;
      }
      if (qty > held) qty = held;
    }
    const time = now();
    const position = positionOf(account, order.symbol, order.positionSide);
    const realized = movePosition(account, position, order.side === 'BUY' ? qty : -qty, price);
    const value = mul(price, qty);
    const rate = feeRate ?? (isMaker ? account.maker : account.taker);
    const [commissionAsset, commission] = this.#commission(account, m, value, rate);
    const asset = m.spec.quote;
    const number = isMaker ? ++m.tradeId : m.tradeId + 1;
    account.wallets.set(asset, (account.wallets.get(asset) ?? ZERO) + realized);
    account.wallets.set(commissionAsset, (account.wallets.get(commissionAsset) ?? ZERO) - commission);
    const trade: FuturesTrade = {
      id: number,
      price,
      qty,
      realized,
      commission,
      commissionAsset,
      time,
      isMaker,
    };
    order.trades.push(trade);
    account.trades.add(order.symbol, { ...trade, order });
    order.executed += qty;
    order.quote += value;
    order.status = order.executed >= order.qty ? 'FILLED' : 'PARTIALLY_FILLED';
    order.updateTime = time;
    position.updateTime = time;
    const tradeId = String(number);
    if (realized !== ZERO) this.income(account, order.symbol, 'REALIZED_PNL', realized, asset, tradeId, time);
    if (commission !== ZERO)
      this.income(account, order.symbol, 'COMMISSION', -commission, commissionAsset, tradeId, time);
    log({
      kind: 'fill',
      account: account.name,
      market: 'futures',
      symbol: order.symbol,
      orderId: order.orderId,
      clientOrderId: order.clientOrderId,
      tradeId: number,
      side: order.side,
      positionSide: order.positionSide,
      price: text(price),
      qty: text(qty),
      quote: text(value),
      realized: text(realized),
      commission: text(commission),
      commissionAsset,
      isMaker,
      time,
    });
    if (execution === 'TRADE') this.o.tell(account.name, this.texts.tradeLite(order, time, trade));
    this.teller.update(account, 'ORDER', [asset, commissionAsset], [position]);
    this.event(order, execution, trade);
    if (!isMaker) market.print(order.symbol, price, qty, order.side === 'SELL', true);
    if (order.status === 'FILLED') this.onOrderEnded(order);
    if (position.amount === ZERO) {
      this.#knockOut(account, position);
      this.onPositionGone(account, position);
    }
  }

  /** Ends reduce-only orders whose position is gone. */
  #knockOut(account: FuturesAccount, position: Position): void {
    for (const order of this.openOrders(account, position.symbol))
      if (order.reduceOnly && order.positionSide === position.side)
        this.end(order, 'EXPIRED', EXPIRY.reduceOnly);
  }

  #commission(account: FuturesAccount, m: SymbolMarket, value: Dec, rate: Dec): [string, Dec] {
    if (account.feeBurn) {
      const price = this.o.market.symbols.get(`BNB${m.spec.quote}`)?.mark;
      if (price) {
        const fee = floorTo8(div(mul(mul(value, rate), dec('0.9')), price));
        if ((account.wallets.get('BNB') ?? ZERO) >= fee) return ['BNB', fee];
      }
    }
    return [m.spec.quote, floorTo8(mul(value, rate))];
  }

  end(order: FuturesOrder, status: Extract<OrderStatus, 'CANCELED' | 'EXPIRED'>, expiry: number): void {
    order.status = status;
    order.expiry = expiry;
    order.updateTime = this.o.now();
    this.event(order, status);
    this.onOrderEnded(order);
  }

  income(
    account: FuturesAccount,
    symbol: string,
    incomeType: string,
    income: Dec,
    asset: string,
    tradeId: string,
    time: number,
  ): void {
    const row: Income = {
      symbol,
      incomeType,
      income,
      asset,
      time,
      tranId: ++this.#tranId,
      tradeId,
      info: tradeId === '' ? incomeType : tradeId,
    };
    account.incomes.push(row);
    if (incomeType !== 'REALIZED_PNL' && incomeType !== 'COMMISSION')
      this.o.log({
        kind: 'income',
        account: account.name,
        market: 'futures',
        symbol,
        incomeType,
        income: text(income),
        asset,
        tranId: row.tranId,
        time,
      });
  }

  /** Deposits or withdraws money. */
  transfer(name: string, asset: string, amount: Dec): void {
    const account = this.account(name);
    account.wallets.set(asset, (account.wallets.get(asset) ?? ZERO) + amount);
    this.income(account, '', 'TRANSFER', amount, asset, '', this.o.now());
    this.teller.update(account, amount > ZERO ? 'DEPOSIT' : 'WITHDRAW', [asset], [], amount);
  }

  event(
    order: FuturesOrder,
    execution: string,
    trade?: FuturesTrade,
    more: Record<string, unknown> = {},
  ): void {
    const time = this.o.now();
    if (execution !== 'TRADE')
      this.o.log({
        kind: 'order',
        account: order.account,
        market: 'futures',
        symbol: order.symbol,
        orderId: order.orderId,
        clientOrderId: order.clientOrderId,
        execution,
        status: order.status,
        qty: text(order.qty),
        executed: text(order.executed),
        time,
      });
    this.o.tell(order.account, this.texts.orderEvent(order, execution, time, trade, more));
  }
}

function queuedAt({ time, amendments }: FuturesOrder): number {
  return amendments.at(-1)?.time ?? time;
}
