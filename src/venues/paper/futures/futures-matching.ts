/**
 * The tick market (strategies.md section 1) for the futures account: taking, resting fills, triggers, ends.
 * Reduce-only orders execute at most the position; their rest ends with it. Knows nothing of requests or
 * delivery.
 */
import { type Dec, mul, str, ZERO } from '../../../domain/decimal.ts';
import type { OrderChange, Rejected } from '../../../domain/exchange.ts';
import { crossWallet } from '../../../domain/margin/account.ts';
import { isolatedMargin } from '../../../domain/margin/fill.ts';
import type { PositionSide } from '../../../schemas/order.ts';
import { AMENDED_AWAY, amendedOf, applyAmend } from '../amend.ts';
import type { Changes } from '../changes.ts';
import { marketPrice, refusal } from '../filters.ts';
import { isMarketable, isOpen, type PaperOrder, remaining } from '../paper-order.ts';
import { settleFill } from './execution.ts';
import type { FuturesBook } from './futures-book.ts';
import { checkFuturesOrder, FUTURES_WORDS, marginRefusal } from './futures-filters.ts';
import type { FuturesState } from './futures-state.ts';
import { closable, executable, isClosing, openingPart } from './margin.ts';

type End = 'FILLED' | 'CANCELLED' | 'REJECTED';

/** The text for an order whose position is gone. */
const NOTHING_LEFT = 'reduce-only: there is no position left to reduce';

/**
 * Matches an order that has just become active (placed, or triggered): it takes what it can at the last
 * price, the rest rests or ends.
 */
export function activate(state: FuturesState, order: PaperOrder, book: FuturesBook, changes: Changes): void {
  const last = book.last();
  const price = order.price === null ? marketPrice(order.side, book, state.options) : last;
  const takes = price !== null && (order.price === null || isMarketable(order.side, order.price, price));
  if (takes) take(state, order, book, price, changes);
  if (remaining(order) === ZERO) {
    finish(state, order, 'FILLED', undefined, changes);
  } else if (isClosing(order) && executable(state, order) === ZERO) {
    finish(state, order, 'CANCELLED', NOTHING_LEFT, changes);
  } else if (order.price === null || order.timeInForce !== 'GTC') {
    const kind = order.price === null ? 'MARKET' : order.timeInForce;
    const why = `${kind}: ${str(remaining(order))} could not be taken at once`;
    finish(state, order, 'CANCELLED', why, changes);
  } else {
    order.status = 'WORKING';
    order.visible = remaining(order);
    book.add(order);
    state.touchAccount();
    changes.order(order, state.time);
  }
  sweep(state, order.symbol, order.terms?.positionSide ?? 'BOTH', changes);
}

function take(state: FuturesState, order: PaperOrder, book: FuturesBook, price: Dec, changes: Changes): void {
  const most = executable(state, order);
  const qty = book.available(most, state.options.participation);
  const whole = order.timeInForce === 'FOK' && order.price !== null;
  if (qty === ZERO || (whole && qty < remaining(order))) return;
  execute(state, order, book, { qty, price, maker: false }, changes);
}

/**
 * Makes one match of a resting order at its limit, as far as volume and position allow. False: nothing was
 * filled.
 */
export function fillResting(
  state: FuturesState,
  order: PaperOrder,
  book: FuturesBook,
  changes: Changes,
): boolean {
  const qty = book.available(executable(state, order), state.options.participation);
  if (qty === ZERO) return false;
  const price = order.price as Dec;
  if (!affords(state, order, qty, price)) {
    cancelOpen(state, order, book, FUTURES_WORDS.margin, changes);
    return true;
  }
  // Outside the book while it executes: its margin becomes the position's.
  book.remove(order);
  execute(state, order, book, { qty, price, maker: true }, changes);
  if (remaining(order) === ZERO) {
    finish(state, order, 'FILLED', undefined, changes);
  } else if (isClosing(order) && executable(state, order) === ZERO) {
    finish(state, order, 'CANCELLED', NOTHING_LEFT, changes);
  } else {
    order.visible = remaining(order);
    book.add(order);
    changes.order(order, state.time);
  }
  sweep(state, order.symbol, order.terms?.positionSide ?? 'BOTH', changes);
  return true;
}

/**
 * Triggers a conditional order whose stop was reached. Position, bracket and margin are checked now, as the
 * exchange does: an order that does not pass is REJECTED with the reason. A limit becomes a limit order at
 * the end of the queue; the event of this is sent before it trades.
 */
export function trigger(state: FuturesState, order: PaperOrder, book: FuturesBook, changes: Changes): void {
  book.remove(order);
  const refused = refusalAtTrigger(state, order, book);
  if (refused) {
    order.reason = refused.reason;
    finish(state, order, 'REJECTED', refused.message, changes);
    return;
  }
  if (order.terms?.closePosition)
    order.qty = closable(state, order.symbol, order.terms.positionSide, order.side);
  order.status = 'WORKING';
  order.age = state.nextStamp();
  changes.order(order, state.time);
  const last = book.last();
  const rests = order.price !== null && order.timeInForce === 'GTC';
  if (rests && last !== null && !isMarketable(order.side, order.price as Dec, last)) {
    book.add(order);
    state.touchAccount();
    return;
  }
  activate(state, order, book, changes);
}

function refusalAtTrigger(state: FuturesState, order: PaperOrder, book: FuturesBook): Rejected | null {
  if (isClosing(order)) {
    const side = order.terms?.positionSide ?? 'BOTH';
    return closable(state, order.symbol, side, order.side) === ZERO
      ? refusal('-2022', FUTURES_WORDS.reduce)
      : null;
  }
  const price = order.price ?? marketPrice(order.side, book, state.options);
  if (price === null) return null;
  const positionSide = order.terms?.positionSide ?? 'BOTH';
  const wanted = { side: order.side, positionSide, qty: remaining(order), price };
  return marginRefusal(state, order.symbol, wanted);
}

/** Takes an open order out of the book and ends it. */
export function cancelOpen(
  state: FuturesState,
  order: PaperOrder,
  book: FuturesBook,
  why: string,
  changes: Changes,
): void {
  book.remove(order);
  finish(state, order, 'CANCELLED', why, changes);
}

/** Changes a resting order, like `amendOpen` of spot. */
export function amendOpen(
  state: FuturesState,
  order: PaperOrder,
  change: OrderChange,
  changes: Changes,
): Rejected | null {
  const amended = amendedOf(order, change);
  if (amended === null || 'kind' in amended) return amended;
  const book = state.bookFor(order.symbol);
  if (amended.isOver) {
    cancelOpen(state, order, book, AMENDED_AWAY, changes);
    return null;
  }
  // Outside the book the order needs no margin and does not count towards its own limits.
  book.remove(order);
  const checked = checkFuturesOrder(state, amended.rest, book);
  if (!checked.ok) {
    book.add(order);
    return checked.refusal;
  }
  applyAmend(order, amended);
  if (amended.keepsPlace) {
    book.add(order);
    state.touchAccount();
    changes.order(order, state.time);
  } else {
    order.age = state.nextStamp();
    activate(state, order, book, changes);
  }
  return null;
}

/**
 * Ends the reduce-only and closePosition orders of a position that is gone or reversed, conditional ones too.
 */
export function sweep(
  state: FuturesState,
  symbol: string,
  positionSide: PositionSide,
  changes: Changes,
): void {
  for (const order of [...state.open.values()]) {
    if (order.symbol !== symbol || order.terms?.positionSide !== positionSide) continue;
    if (!isOpen(order) || !isClosing(order)) continue;
    if (closable(state, symbol, positionSide, order.side) > ZERO) continue;
    cancelOpen(state, order, state.bookFor(symbol), NOTHING_LEFT, changes);
  }
}

/**
 * Whether the wallet can pay for a fill: the margin set aside for a resting order may have been lost since,
 * and no fill may take the wallet below zero.
 */
function affords(state: FuturesState, order: PaperOrder, qty: Dec, price: Dec): boolean {
  const positionSide = order.terms?.positionSide ?? 'BOTH';
  const opened = openingPart(state, order.symbol, { side: order.side, positionSide, qty, price });
  if (opened === ZERO) return true;
  const fee = mul(mul(price, qty), state.options.makerRate);
  const margin = state.isolated(order.symbol)
    ? isolatedMargin(state.setting(order.symbol).leverage, opened, price)
    : ZERO;
  return margin + fee <= crossWallet(state);
}

function finish(
  state: FuturesState,
  order: PaperOrder,
  status: End,
  text: string | undefined,
  changes: Changes,
): void {
  order.status = status;
  order.visible = ZERO;
  order.text = text;
  state.finish(order, changes);
  state.touchAccount();
  changes.order(order, state.time);
}

function execute(
  state: FuturesState,
  order: PaperOrder,
  book: FuturesBook,
  fill: { qty: Dec; price: Dec; maker: boolean },
  changes: Changes,
): void {
  const { options } = state;
  const positionSide = order.terms?.positionSide ?? 'BOTH';
  const comm = mul(mul(fill.price, fill.qty), fill.maker ? options.makerRate : options.takerRate);
  const qty = order.side === 'BUY' ? fill.qty : -fill.qty;
  const applied = settleFill(state, { symbol: order.symbol, positionSide, qty, price: fill.price }, comm);
  if (options.participation !== null) book.take(fill.qty);
  recordFill(state, order, { ...fill, comm, pnl: applied.pnl }, changes);
  changes.price(book);
}

/** Records the trade of one execution; `pnl` is null when nothing was closed. */
export function recordFill(
  state: FuturesState,
  order: PaperOrder,
  fill: { qty: Dec; price: Dec; maker: boolean; comm: Dec; pnl: Dec | null; liquidation?: true },
  changes: Changes,
): void {
  order.cum += fill.qty;
  state.trade++;
  const trade = {
    tradeId: String(state.trade),
    clientId: order.clientId,
    symbol: order.symbol,
    side: order.side,
    price: str(fill.price),
    qty: str(fill.qty),
    comm: str(fill.comm),
    commAsset: 'USDT',
    maker: fill.maker,
    rPnl: fill.pnl === null ? null : str(fill.pnl),
    posSide: order.terms?.positionSide ?? 'BOTH',
    time: state.time,
    ...(fill.liquidation ? { liquidation: true } : {}),
    orderId: order.id,
  };
  state.addTrade(trade, order, changes);
}
