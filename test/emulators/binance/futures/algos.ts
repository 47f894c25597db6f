/**
 * Conditional orders: they wait for their trigger, enter the matching engine through TRIGGERING as an order
 * of their own, and end with it. Sources: USD-M "New Algo Order", "Event Algo Order Update"; facts-binance D
 * 6, 9, 11, 12.
 */
import { type Dec, dec, decOfInt, div, mul, ZERO } from '../../../../src/domain/decimal.ts';
import type { SymbolMarket } from '../market.ts';
import { Refusal } from '../wire.ts';
import { type FuturesAccount, positionOf, sizeOf } from './account.ts';
import type { FuturesExchange } from './exchange.ts';
import type { AlgoOrder, FuturesOrder } from './order.ts';
import { type AlgoWish, closable, isTriggered, type OrderWish } from './rules.ts';
import { text } from './tell.ts';

/** Most open conditional orders of an account, over all symbols (2025-12-29). */
const OPEN_MAX = 200;

export class Algos {
  readonly #exchange: FuturesExchange;
  readonly #triggeringMs: () => number;
  #algoId = 2_146_000;

  /** `triggeringMs`: time between the trigger and the matching engine. */
  constructor(exchange: FuturesExchange, triggeringMs: () => number) {
    this.#exchange = exchange;
    this.#triggeringMs = triggeringMs;
    exchange.onTriggers = (m, price, workingType) => this.#price(m, price, workingType);
    exchange.onAlgoLinked = (algo, child) => {
      algo.child = child;
      this.#event(algo);
    };
    exchange.onOrderEnded = (order) => this.#childEnded(order);
    exchange.onPositionGone = (account, position) => {
      for (const algo of this.open(account, position.symbol))
        if (algo.closePosition && algo.positionSide === position.side && algo.status === 'NEW')
          this.#end(algo, 'EXPIRED');
    };
  }

  open(account: FuturesAccount, symbol?: string): AlgoOrder[] {
    return account.algos.open().filter((algo) => symbol === undefined || algo.symbol === symbol);
  }

  find(account: FuturesAccount, algoId: number | null, client: string | null): AlgoOrder | null {
    return algoId !== null ? account.algos.byId(algoId) : account.algos.byClient(client ?? '');
  }

  /** Throws Refusal. */
  place(account: FuturesAccount, wish: AlgoWish): AlgoOrder {
    const { o } = this.#exchange;
    const open = this.open(account);
    if (open.length >= OPEN_MAX) throw new Refusal(-4045, 'Reach max stop order limit.');
    if (wish.clientAlgoId !== null && open.some((algo) => algo.clientAlgoId === wish.clientAlgoId))
      throw new Refusal(-4116, 'ClientOrderId is duplicated.');
    if (wish.reduceOnly && closable(account, wish) === ZERO && !wish.closePosition)
      throw new Refusal(-2022, 'ReduceOnly Order is rejected.');
    if (wish.closePosition && open.some((algo) => sameClose(algo, wish)))
      throw new Refusal(
        -4130,
        'An open stop or take profit order with GTE and closePosition in the direction is existing.',
      );
    const time = o.now();
    const isTrailing = wish.type === 'TRAILING_STOP_MARKET';
    const algo: AlgoOrder = {
      ...wish,
      account: account.name,
      algoId: ++this.#algoId,
      clientAlgoId: wish.clientAlgoId ?? o.id(22),
      status: 'NEW',
      isActive: false,
      extreme: ZERO,
      createTime: time,
      updateTime: time,
      triggerTime: 0,
      child: null,
      reason: '',
    };
    account.algos.add(algo, algo.clientAlgoId);
    this.#event(algo);
    if (isTrailing && wish.activatePrice === ZERO) this.#activate(algo, this.#priceOf(algo));
    if (algo.goodTillDate > 0)
      o.after(algo.goodTillDate - time, () => {
        if (algo.status === 'NEW') this.#end(algo, 'EXPIRED');
      });
    return algo;
  }

  /** Throws Refusal -2011, -4117. */
  cancel(algo: AlgoOrder): void {
    if (algo.status === 'TRIGGERING') throw new Refusal(-4117, 'Stop order is triggering.');
    if (algo.status !== 'NEW') throw new Refusal(-2011, 'Unknown order sent.');
    this.#end(algo, 'CANCELED');
  }

  #priceOf(algo: AlgoOrder): Dec {
    const m = this.#exchange.o.market.of(algo.symbol);
    return algo.workingType === 'MARK_PRICE' ? m.mark : m.last;
  }

  #price(m: SymbolMarket, price: Dec, workingType: string): void {
    for (const account of this.#exchange.accounts.values()) {
      for (const algo of account.algos.open()) {
        if (algo.status !== 'NEW' || algo.symbol !== m.spec.symbol || algo.workingType !== workingType)
          continue;
        if (algo.type === 'TRAILING_STOP_MARKET') this.#trail(account, algo, price);
        else if (isTriggered(algo.side, algo.type, algo.triggerPrice, price)) this.#trigger(account, algo);
      }
    }
  }

  #trail(account: FuturesAccount, algo: AlgoOrder, price: Dec): void {
    const isBuy = algo.side === 'BUY';
    if (!algo.isActive) {
      if (isBuy ? price > algo.activatePrice : price < algo.activatePrice) return;
      this.#activate(algo, price);
    }
    if (isBuy ? price < algo.extreme : price > algo.extreme) algo.extreme = price;
    const share = div(dec(algo.callbackRate), decOfInt(100));
    const trigger = mul(algo.extreme, isBuy ? decOfInt(1) + share : decOfInt(1) - share);
    if (isBuy ? price >= trigger : price <= trigger) this.#trigger(account, algo);
  }

  #activate(algo: AlgoOrder, price: Dec): void {
    algo.isActive = true;
    algo.extreme = price;
    algo.updateTime = this.#exchange.o.now();
    this.#event(algo);
  }

  #trigger(account: FuturesAccount, algo: AlgoOrder): void {
    const { o } = this.#exchange;
    algo.status = 'TRIGGERING';
    algo.triggerTime = o.now();
    algo.updateTime = o.now();
    this.#event(algo);
    const wait = this.#triggeringMs();
    if (wait > 0) o.after(wait, () => this.#enter(account, algo));
    else this.#enter(account, algo);
  }

  /** Sends the order into the matching engine, which may refuse it. */
  #enter(account: FuturesAccount, algo: AlgoOrder): void {
    if (algo.status !== 'TRIGGERING') return;
    const { o } = this.#exchange;
    const held = sizeOf(positionOf(account, algo.symbol, algo.positionSide).amount);
    if (algo.closePosition && held === ZERO) {
      this.#end(algo, 'EXPIRED');
      return;
    }
    const isLimit = algo.type === 'STOP' || algo.type === 'TAKE_PROFIT';
    const wish: OrderWish = {
      symbol: algo.symbol,
      side: algo.side,
      positionSide: algo.positionSide,
      type: isLimit ? 'LIMIT' : 'MARKET',
      timeInForce: isLimit ? algo.timeInForce : 'GTC',
      qty: algo.closePosition ? held : algo.qty,
      price: algo.price,
      reduceOnly: algo.reduceOnly && !account.hedge,
      clientOrderId: algo.clientAlgoId,
      stp: algo.stp,
      goodTillDate: 0,
      respType: 'ACK',
    };
    algo.status = 'TRIGGERED';
    algo.updateTime = o.now();
    try {
      this.#exchange.check(account, wish);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      algo.reason = error.message;
      this.#end(algo, error.code === -2022 ? 'EXPIRED' : 'REJECTED');
      return;
    }
    this.#exchange.place(account, wish, algo);
  }

  #childEnded(order: FuturesOrder): void {
    const { algo } = order;
    if (!algo || algo.status === 'FINISHED') return;
    algo.child = order;
    this.#end(algo, 'FINISHED');
  }

  #end(algo: AlgoOrder, status: AlgoOrder['status']): void {
    algo.status = status;
    algo.updateTime = this.#exchange.o.now();
    this.#event(algo);
  }

  #event(algo: AlgoOrder): void {
    const { o, texts } = this.#exchange;
    const time = o.now();
    o.log({
      kind: 'algo',
      account: algo.account,
      symbol: algo.symbol,
      algoId: algo.algoId,
      clientAlgoId: algo.clientAlgoId,
      status: algo.status,
      orderId: algo.child?.orderId ?? null,
      qty: text(algo.qty),
      time,
    });
    o.tell(algo.account, texts.algoEvent(algo, time));
  }
}

function sameClose(algo: AlgoOrder, wish: AlgoWish): boolean {
  return (
    algo.closePosition &&
    algo.symbol === wish.symbol &&
    algo.side === wish.side &&
    algo.positionSide === wish.positionSide &&
    algo.type === wish.type
  );
}
