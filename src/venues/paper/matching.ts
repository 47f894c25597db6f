/**
 * The tick market (strategies.md section 1) on the exchange's state: taking, resting fills, triggers, ends.
 * Knows nothing of requests, commits or delivery.
 */
import { type Dec, str, ZERO } from '../../domain/decimal.ts';
import type { OrderChange, Rejected } from '../../domain/exchange.ts';
import { AMENDED_AWAY, amendedOf, applyAmend } from './amend.ts';
import type { Book, Reached } from './book.ts';
import type { Changes } from './changes.ts';
import { checkOrder, marketPrice, refusal, WORDS } from './filters.ts';
import { invariant } from './invariant.ts';
import { isMarketable, nextVisible, type PaperOrder, remaining } from './paper-order.ts';
import type { PaperState } from './state.ts';

/**
 * Matches an order that has just become active (placed, or triggered): a marketable one takes at the last
 * price, and its rest rests (GTC) or ends (MARKET, IOC, FOK). Its funds are locked, and it is in no list yet.
 */
export function activate(state: PaperState, order: PaperOrder, book: Book, changes: Changes): void {
  const last = book.last();
  const price = order.type === 'MARKET' ? marketPrice(order.side, book, state.options) : last;
  const takes = price !== null && (order.price === null || isMarketable(order.side, order.price, price));
  if (takes) take(state, order, book, price, changes);
  if (remaining(order) === ZERO) {
    finish(state, order, book, 'FILLED', undefined, changes);
  } else if (order.type === 'MARKET' || order.timeInForce !== 'GTC') {
    const kind = order.type === 'MARKET' ? 'MARKET' : order.timeInForce;
    const why = `${kind}: ${str(remaining(order))} could not be taken at once`;
    finish(state, order, book, 'CANCELLED', why, changes);
  } else {
    order.status = 'WORKING';
    order.visible = nextVisible(order);
    book.add(order);
    changes.order(order, state.time);
  }
}

function take(state: PaperState, order: PaperOrder, book: Book, price: Dec, changes: Changes): void {
  const qty = book.available(remaining(order), state.options.participation);
  if (qty === ZERO || (order.timeInForce === 'FOK' && order.type !== 'MARKET' && qty < remaining(order)))
    return;
  execute(state, order, book, { qty, price, maker: false }, changes);
}

/**
 * Makes one match of a resting order: its visible part, at its limit, as far as the tick's volume goes. A
 * refilled iceberg gets a new place in the queue. `false`: there was no volume for the order.
 */
export function fillResting(state: PaperState, order: PaperOrder, book: Book, changes: Changes): boolean {
  const qty = book.available(order.visible, state.options.participation);
  if (qty === ZERO) return false;
  execute(state, order, book, { qty, price: order.price as Dec, maker: true }, changes);
  order.visible -= qty;
  if (remaining(order) === ZERO) {
    book.remove(order);
    finish(state, order, book, 'FILLED', undefined, changes);
    return true;
  }
  if (order.visible === ZERO) {
    book.remove(order);
    order.visible = nextVisible(order);
    order.age = state.nextStamp();
    book.add(order);
  }
  changes.order(order, state.time);
  return true;
}

/**
 * Turns a conditional order whose stop was reached into a LIMIT order at the end of the queue; the event of
 * this is sent before it trades.
 */
export function trigger(state: PaperState, order: PaperOrder, book: Book, changes: Changes): void {
  book.remove(order);
  order.status = 'WORKING';
  order.age = state.nextStamp();
  changes.order(order, state.time);
  const last = book.last();
  invariant(last !== null && order.price !== null, `${order.clientId} triggered without a price`);
  if (order.timeInForce === 'GTC' && !isMarketable(order.side, order.price, last)) {
    book.add(order);
    return;
  }
  activate(state, order, book, changes);
}

/** Takes an open order out of the book and ends it. */
export function cancelOpen(
  state: PaperState,
  order: PaperOrder,
  book: Book,
  why: string,
  changes: Changes,
): void {
  book.remove(order);
  finish(state, order, book, 'CANCELLED', why, changes);
}

/**
 * Changes a resting order in place; Rejected: it rests as before. An order that is marketable at its new
 * price takes now, and one that has already executed its new quantity ends.
 */
export function amendOpen(
  state: PaperState,
  order: PaperOrder,
  change: OrderChange,
  changes: Changes,
): Rejected | null {
  const amended = amendedOf(order, change);
  if (amended === null || 'kind' in amended) return amended;
  const book = state.bookOf(order);
  if (amended.isOver) {
    cancelOpen(state, order, book, AMENDED_AWAY, changes);
    return null;
  }
  // Outside the book the order does not count towards its own limits.
  book.remove(order);
  const checked = checkOrder(amended.rest, book, state.options);
  const refused = checked.ok ? null : checked.refusal;
  if (refused || !state.ledger.amend(order, book.instrument, amended)) {
    book.add(order);
    return refused ?? refusal('-2010', WORDS.balance);
  }
  applyAmend(order, amended);
  if (amended.keepsPlace) {
    book.add(order);
    changes.order(order, state.time);
  } else {
    order.age = state.nextStamp();
    activate(state, order, book, changes);
  }
  return null;
}

/** Puts the rest of a refilled iceberg back into a running tick, behind all orders at its price. */
export function requeue(queue: Reached[], from: number, again: Reached): void {
  let at = from;
  while (at < queue.length) {
    const other = queue[at] as Reached;
    if (other.order.side !== again.order.side || other.rank !== again.rank) break;
    at++;
  }
  queue.splice(at, 0, again);
}

function finish(
  state: PaperState,
  order: PaperOrder,
  book: Book,
  status: 'FILLED' | 'CANCELLED',
  text: string | undefined,
  changes: Changes,
): void {
  state.ledger.release(order, book.instrument);
  order.status = status;
  order.visible = ZERO;
  order.text = text;
  state.finish(order, changes);
  changes.order(order, state.time);
}

function execute(
  state: PaperState,
  order: PaperOrder,
  book: Book,
  fill: { qty: Dec; price: Dec; maker: boolean },
  changes: Changes,
): void {
  const worst = order.price ?? fill.price;
  const charge = state.ledger.settle(order, book.instrument, { ...fill, worst });
  order.cum += fill.qty;
  if (state.options.participation !== null) book.take(fill.qty);
  state.trade++;
  const trade = {
    tradeId: String(state.trade),
    clientId: order.clientId,
    symbol: order.symbol,
    side: order.side,
    price: str(fill.price),
    qty: str(fill.qty),
    comm: str(charge.comm),
    commAsset: charge.commAsset,
    maker: fill.maker,
    rPnl: charge.rPnl,
    posSide: charge.posSide,
    time: state.time,
    orderId: order.id,
  };
  state.addTrade(trade, order, changes);
  changes.price(book);
}
