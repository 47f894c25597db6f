/**
 * Orders that wait for a price: conditional orders of either category, and take profit, stop loss and
 * trailing stop of a position, which the exchange makes (without a link id) and clears with the position.
 * Sources: order/create-order.mdx, position/trading-stop.mdx, enum.mdx stopOrderType, createType, cancelType.
 */
import { type Dec, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, type Position, sizeOf } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { Market, SymbolMarket } from './market.ts';
import { isOpen, type Order } from './order.ts';
import { checkFunds } from './rules.ts';
import { type Category, Refusal } from './wire.ts';

const OF_POSITION = ['TakeProfit', 'StopLoss', 'TrailingStop'] as const;
export type StopKind = (typeof OF_POSITION)[number];

export class Stops {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.onTriggers = (m, category, price, by) => this.onPrice(m, category, price, by);
    exchange.onPosition = (account, position, order) => this.onPosition(account, position, order);
    exchange.onEnded = (account, order) => this.#forget(account, order);
  }

  /** Fires the triggers that a price reaches; an equal price does. */
  onPrice(m: SymbolMarket, category: Category, price: Dec, by: string): void {
    for (const account of this.#exchange.accounts.values())
      for (const order of this.#exchange.openOrders(account, category, m.spec.symbol)) {
        if (order.status !== 'Untriggered' || !order.isTold) continue;
        if ((order.triggerBy === '' ? 'LastPrice' : order.triggerBy) !== by) continue;
        if (order.distance > ZERO ? trails(order, price) : fires(order, price)) this.#trigger(account, order);
      }
  }

  #trigger(account: Account, order: Order): void {
    const exchange = this.#exchange;
    order.status = 'Triggered';
    order.updatedTime = exchange.o.now();
    exchange.told(account, order);
    order.status = 'New';
    if (exchange.reduces(account, order)) {
      const held = exchange.margin.closable(account, order);
      if (held === ZERO) {
        exchange.end(account, order, 'CancelByReduceOnly', 'EC_NoError');
        return;
      }
      if (order.qty > held) order.qty = held;
    } else if (order.orderFilter !== 'tpslOrder') {
      try {
        // The funds are checked only now: with this status the order does not count among the open ones.
        const now = order.status;
        order.status = 'Untriggered';
        checkFunds(order, exchange, account);
        order.status = now;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        order.status = 'New';
        exchange.end(account, order, 'UNKNOWN', 'EC_Others');
        return;
      }
    }
    exchange.take(account, order);
  }

  /**
   * Follows a changed position: attached prices become its stops, and its stops follow its size or end with
   * it.
   */
  onPosition(account: Account, position: Position, order: Order): void {
    const mine = this.of(account, position);
    if (position.amount === ZERO) {
      for (const stop of mine) this.#exchange.end(account, stop, 'CancelByTpSlTsClear', 'EC_NoError');
      for (const other of this.#exchange.openOrders(account, 'linear', position.symbol))
        if (other.reduceOnly && other.status !== 'Untriggered' && other.positionIdx === position.idx)
          this.#exchange.end(account, other, 'CancelByReduceOnly', 'EC_NoError');
      position.takeProfit = ZERO;
      position.stopLoss = ZERO;
      position.trailingStop = ZERO;
      return;
    }
    for (const stop of mine) stop.qty = sizeOf(position.amount);
    if (order.takeProfit > ZERO && !order.reduceOnly && position.takeProfit !== order.takeProfit)
      this.set(account, position, 'TakeProfit', order.takeProfit, ZERO, 'LastPrice', order.orderLinkId);
    if (order.stopLoss > ZERO && !order.reduceOnly && position.stopLoss !== order.stopLoss)
      this.set(account, position, 'StopLoss', order.stopLoss, ZERO, 'LastPrice', order.orderLinkId);
  }

  of(account: Account, position: Position): Order[] {
    return this.#exchange
      .openOrders(account, 'linear', position.symbol)
      .filter(
        (order) =>
          order.positionIdx === position.idx &&
          order.status === 'Untriggered' &&
          (OF_POSITION as readonly string[]).includes(order.stopOrderType),
      );
  }

  /** Removes a stop from its position when it is cancelled as an order. */
  #forget(account: Account, order: Order): void {
    const position = account.positions.get(`${order.symbol} ${order.positionIdx}`);
    if (!position || order.category !== 'linear') return;
    if (order.stopOrderType === 'TakeProfit') position.takeProfit = ZERO;
    else if (order.stopOrderType === 'StopLoss') position.stopLoss = ZERO;
    else if (order.stopOrderType === 'TrailingStop') position.trailingStop = ZERO;
  }

  /** Sets one stop of a position, replaces it, or removes it (zero). */
  set(
    account: Account,
    position: Position,
    kind: StopKind,
    price: Dec,
    active: Dec,
    triggerBy: string,
    parent = '',
  ): void {
    const exchange = this.#exchange;
    const was = this.of(account, position).find(({ stopOrderType }) => stopOrderType === kind);
    if (was && isOpen(was)) exchange.end(account, was, 'CancelByUser', 'EC_PerCancelRequest');
    if (kind === 'TakeProfit') position.takeProfit = price;
    else if (kind === 'StopLoss') position.stopLoss = price;
    else position.trailingStop = price;
    if (price === ZERO) return;
    const isLong = position.amount > ZERO;
    const m = exchange.market('linear').of(position.symbol);
    const isTrailing = kind === 'TrailingStop';
    const rises = kind === 'TakeProfit' ? isLong : !isLong;
    const order = exchange.place(
      account,
      {
        category: 'linear',
        symbol: position.symbol,
        side: isLong ? 'Sell' : 'Buy',
        orderType: 'Market',
        timeInForce: 'IOC',
        price: ZERO,
        qty: sizeOf(position.amount),
        marketUnit: '',
        positionIdx: position.idx,
        orderFilter: 'Order',
        orderLinkId: '',
        triggerPrice: isTrailing ? active : price,
        triggerDirection: rises ? 1 : 2,
        triggerBy,
        reduceOnly: true,
        closeOnTrigger: true,
        takeProfit: ZERO,
        stopLoss: ZERO,
      },
      {
        createType: `CreateBy${kind}`,
        stopOrderType: kind,
        parentOrderLinkId: parent,
        ...(isTrailing ? { distance: price } : {}),
      },
    );
    // Without an activation price it trails from the present price.
    if (isTrailing && active === ZERO) order.best = m.last;
  }
}

function fires(order: Order, price: Dec): boolean {
  return order.triggerDirection === 1 ? price >= order.triggerPrice : price <= order.triggerPrice;
}

/** Updates the best price since activation; returns whether the market has moved back by the distance. */
function trails(order: Order, price: Dec): boolean {
  const isSell = order.side === 'Sell';
  if (order.best === ZERO) {
    if (isSell ? price < order.triggerPrice : price > order.triggerPrice) return false;
    order.best = price;
  }
  if (isSell ? price > order.best : price < order.best) order.best = price;
  return isSell ? price <= order.best - order.distance : price >= order.best + order.distance;
}

/** Fires the triggers on marks and indices. */
export function onMark(stops: Stops, market: Market, m: SymbolMarket): void {
  if (market.category !== 'linear') return;
  stops.onPrice(m, 'linear', m.mark, 'MarkPrice');
  stops.onPrice(m, 'linear', m.index, 'IndexPrice');
}
