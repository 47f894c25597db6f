/**
 * USD-M orders, ordinary and conditional ("algo"), and the forms in which the exchange reports them. Sources:
 * USD-M "New Order", "New Algo Order", "Query Order", "Event Order Update", "Event Algo Order Update".
 */
import { type Dec, div, fixed, ZERO } from '../../../../src/domain/decimal.ts';
import type { Market } from '../market.ts';

export type PositionSide = 'BOTH' | 'LONG' | 'SHORT';
export type Side = 'BUY' | 'SELL';
export type AlgoType = 'STOP' | 'STOP_MARKET' | 'TAKE_PROFIT' | 'TAKE_PROFIT_MARKET' | 'TRAILING_STOP_MARKET';
export type OrderStatus = 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'EXPIRED' | 'EXPIRED_IN_MATCH';

export interface FuturesTrade {
  readonly id: number;
  readonly price: Dec;
  readonly qty: Dec;
  readonly realized: Dec;
  readonly commission: Dec;
  readonly commissionAsset: string;
  readonly time: number;
  readonly isMaker: boolean;
}

export interface FuturesOrder {
  readonly account: string;
  readonly symbol: string;
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: 'LIMIT' | 'MARKET';
  readonly origType: string;
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK' | 'GTX' | 'GTD';
  price: Dec;
  qty: Dec;
  executed: Dec;
  quote: Dec;
  readonly reduceOnly: boolean;
  readonly closePosition: boolean;
  readonly stopPrice: Dec;
  readonly workingType: string;
  readonly priceProtect: boolean;
  readonly stp: string;
  readonly goodTillDate: number;
  /** The part that would open a position: margin is kept for it. */
  openingQty: Dec;
  status: OrderStatus;
  /** Reason of its end: `er` of the event. */
  expiry: number;
  readonly time: number;
  updateTime: number;
  readonly trades: FuturesTrade[];
  readonly amendments: { readonly time: number; readonly was: [Dec, Dec]; readonly is: [Dec, Dec] }[];
  readonly algo: AlgoOrder | null;
  readonly callbackRate: string;
  readonly activatePrice: Dec;
}

export interface AlgoOrder {
  readonly account: string;
  readonly symbol: string;
  readonly algoId: number;
  readonly clientAlgoId: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: AlgoType;
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK' | 'GTX' | 'GTD';
  readonly qty: Dec;
  readonly price: Dec;
  readonly triggerPrice: Dec;
  readonly workingType: 'CONTRACT_PRICE' | 'MARK_PRICE';
  readonly closePosition: boolean;
  readonly priceProtect: boolean;
  readonly reduceOnly: boolean;
  readonly activatePrice: Dec;
  readonly callbackRate: string;
  readonly stp: string;
  readonly goodTillDate: number;
  status: 'NEW' | 'TRIGGERING' | 'TRIGGERED' | 'FINISHED' | 'CANCELED' | 'REJECTED' | 'EXPIRED';
  isActive: boolean;
  extreme: Dec;
  readonly createTime: number;
  updateTime: number;
  triggerTime: number;
  child: FuturesOrder | null;
  /** Reason of its refusal. */
  reason: string;
}

export const isOpenAlgo = (algo: AlgoOrder): boolean => algo.status === 'NEW' || algo.status === 'TRIGGERING';

/** Writes the figures of one symbol as texts. */
export class OrderTexts {
  readonly #market: Market;

  constructor(market: Market) {
    this.#market = market;
  }

  price(symbol: string, price: Dec): string {
    return price === ZERO ? '0' : this.#market.priceText(this.#market.of(symbol), price);
  }

  qty(symbol: string, qty: Dec): string {
    return qty === ZERO ? '0' : this.#market.qtyText(this.#market.of(symbol), qty);
  }

  average(order: FuturesOrder): string {
    if (order.executed === ZERO) return '0.00';
    return fixed(div(order.quote, order.executed), 5);
  }

  #common(order: FuturesOrder): Record<string, unknown> {
    const { symbol } = order;
    return {
      orderId: order.orderId,
      symbol,
      status: order.status,
      clientOrderId: order.clientOrderId,
      price: this.price(symbol, order.price),
      origQty: this.qty(symbol, order.qty),
      executedQty: this.qty(symbol, order.executed),
      timeInForce: order.timeInForce,
      type: order.type,
      reduceOnly: order.reduceOnly,
      closePosition: order.closePosition,
      side: order.side,
      positionSide: order.positionSide,
      stopPrice: this.price(symbol, order.stopPrice),
      workingType: order.workingType,
      priceProtect: order.priceProtect,
      origType: order.origType,
      priceMatch: 'NONE',
      selfTradePreventionMode: order.stp,
      goodTillDate: order.goodTillDate,
      updateTime: order.updateTime,
    };
  }

  /** The answer to a placement, cancellation or amendment: without average and quote since 2026-07-15. */
  answer(order: FuturesOrder): Record<string, unknown> {
    return { ...this.#common(order), cumQty: this.qty(order.symbol, order.executed) };
  }

  /** The short answer: always NEW with nothing filled. */
  ack(order: FuturesOrder): Record<string, unknown> {
    return { ...this.answer(order), status: 'NEW', executedQty: '0', cumQty: '0' };
  }

  query(order: FuturesOrder): Record<string, unknown> {
    return {
      ...this.#common(order),
      avgPrice: this.average(order),
      cumQuote: order.quote === ZERO ? '0' : fixed(order.quote, 5),
      time: order.time,
    };
  }

  algo(algo: AlgoOrder): Record<string, unknown> {
    const { symbol } = algo;
    const isTrailing = algo.type === 'TRAILING_STOP_MARKET';
    return {
      algoId: algo.algoId,
      clientAlgoId: algo.clientAlgoId,
      algoType: 'CONDITIONAL',
      orderType: algo.type,
      symbol,
      side: algo.side,
      positionSide: algo.positionSide,
      timeInForce: algo.timeInForce,
      quantity: this.qty(symbol, algo.qty),
      algoStatus: algo.status,
      triggerPrice: this.price(symbol, algo.triggerPrice),
      price: this.price(symbol, algo.price),
      icebergQuantity: null,
      selfTradePreventionMode: algo.stp,
      workingType: algo.workingType,
      priceMatch: 'NONE',
      closePosition: algo.closePosition,
      priceProtect: algo.priceProtect,
      reduceOnly: algo.reduceOnly,
      activatePrice: isTrailing ? this.price(symbol, algo.activatePrice) : '',
      callbackRate: isTrailing ? algo.callbackRate : '',
      createTime: algo.createTime,
      updateTime: algo.updateTime,
      triggerTime: algo.triggerTime,
      goodTillDate: algo.goodTillDate,
    };
  }

  /** The row of a conditional order in queries, which has more fields. */
  algoRow(algo: AlgoOrder): Record<string, unknown> {
    const { child } = algo;
    return {
      ...this.algo(algo),
      actualOrderId: child ? String(child.orderId) : '',
      actualPrice: child ? this.average(child) : '0.00000',
      actualQty: child ? this.qty(algo.symbol, child.executed) : '0',
      actualType: child?.type ?? '',
      tpTriggerPrice: '0.000',
      tpPrice: '0.000',
      slTriggerPrice: '0.000',
      slPrice: '0.000',
      tpOrderType: '',
    };
  }

  orderEvent(
    order: FuturesOrder,
    execution: string,
    time: number,
    trade?: FuturesTrade,
    more: Record<string, unknown> = {},
  ): Record<string, unknown> {
    const { symbol } = order;
    return {
      e: 'ORDER_TRADE_UPDATE',
      T: time,
      E: time,
      o: {
        s: symbol,
        c: order.clientOrderId,
        S: order.side,
        o: order.type,
        f: order.timeInForce,
        q: this.qty(symbol, order.qty),
        p: this.price(symbol, order.price),
        ap: this.average(order),
        sp: this.price(symbol, order.stopPrice),
        x: execution,
        X: order.status,
        i: order.orderId,
        l: this.qty(symbol, trade?.qty ?? ZERO),
        z: this.qty(symbol, order.executed),
        L: this.price(symbol, trade?.price ?? ZERO),
        ...(trade ? { n: fixed(trade.commission, 8), N: trade.commissionAsset } : {}),
        T: time,
        t: trade?.id ?? 0,
        b: '0',
        a: '0',
        m: trade?.isMaker ?? false,
        R: order.reduceOnly,
        wt: order.workingType,
        ot: order.origType,
        ps: order.positionSide,
        cp: order.closePosition,
        ...(order.origType === 'TRAILING_STOP_MARKET'
          ? { AP: this.price(symbol, order.activatePrice), cr: order.callbackRate }
          : {}),
        rp: fixed(trade?.realized ?? ZERO, 8),
        pP: order.priceProtect,
        si: 0,
        ss: 0,
        V: order.stp,
        pm: 'NONE',
        gtd: order.goodTillDate,
        er: String(order.expiry),
        ...more,
      },
    };
  }

  tradeLite(order: FuturesOrder, time: number, trade: FuturesTrade): Record<string, unknown> {
    const { symbol } = order;
    return {
      e: 'TRADE_LITE',
      E: time,
      T: time,
      s: symbol,
      q: this.qty(symbol, order.qty),
      p: this.price(symbol, order.price),
      m: trade.isMaker,
      c: order.clientOrderId,
      S: order.side,
      L: this.price(symbol, trade.price),
      l: this.qty(symbol, trade.qty),
      t: trade.id,
      i: order.orderId,
    };
  }

  algoEvent(algo: AlgoOrder, time: number): Record<string, unknown> {
    const { symbol, child } = algo;
    return {
      e: 'ALGO_UPDATE',
      T: time,
      E: time,
      o: {
        caid: algo.clientAlgoId,
        aid: algo.algoId,
        at: 'CONDITIONAL',
        o: algo.type,
        s: symbol,
        S: algo.side,
        ps: algo.positionSide,
        f: algo.timeInForce,
        q: this.qty(symbol, algo.qty),
        X: algo.status,
        ai: child ? String(child.orderId) : '',
        ...(child ? { ap: this.average(child), aq: this.qty(symbol, child.executed), act: child.type } : {}),
        tp: this.price(symbol, algo.triggerPrice),
        p: this.price(symbol, algo.price),
        V: algo.stp,
        wt: algo.workingType,
        pm: 'NONE',
        cp: algo.closePosition,
        pP: algo.priceProtect,
        R: algo.reduceOnly,
        tt: algo.triggerTime,
        gtd: algo.goodTillDate,
        ...(algo.type === 'TRAILING_STOP_MARKET'
          ? { ia: algo.isActive, AP: this.price(symbol, algo.activatePrice), cr: algo.callbackRate }
          : {}),
        ...(algo.reason === '' ? {} : { rm: algo.reason }),
      },
    };
  }
}
