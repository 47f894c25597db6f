/**
 * Margins of the futures account over its state: what positions and resting orders need, what is available, what is
 * told. Reads only. Sources: Binance FAQs 87fa7ee33b574f7084d42bd2ce2e463b (cost of an order), 360033162192 (leverage
 * and margin), account fields of the USDT-M API (bidNotional, askNotional, availableBalance).
 */
import { type Dec, maxDec, minDec, mul, str, ZERO } from '../../../domain/decimal.ts';
import type { ExchangeBalance } from '../../../domain/exchange.ts';
import type { PositionSide, Side } from '../../../schemas/order.ts';
import { type PaperOrder, remaining } from '../paper-order.ts';
import { maintenanceMargin } from './brackets.ts';
import { type FuturesState, MARGIN_ASSET, type Position } from './futures-state.ts';
import { abs, money, notional, unrealised } from './position-math.ts';

/** An order that is not on the book yet. */
export interface Wanted {
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly qty: Dec;
  /** Its limit, or the execution price of a market order. */
  readonly price: Dec;
}

/** The mark price, or the entry of a position whose symbol has no price (any more). */
export function markOf(state: FuturesState, position: Position): Dec {
  const mark = state.books.get(position.symbol)?.mark() ?? null;
  if (mark !== null) return mark;
  return position.amount === ZERO ? ZERO : (position.cost * 10n ** 30n) / position.amount;
}

export function profitOf(state: FuturesState, position: Position): Dec {
  return unrealised(position, markOf(state, position));
}

export function maintenanceOf(state: FuturesState, position: Position): Dec {
  const value = notional(position.amount, markOf(state, position));
  return maintenanceMargin(state.bookFor(position.symbol).tiers, value);
}

/** The wallet less what isolated positions have set aside. */
export function crossWallet(state: FuturesState): Dec {
  let wallet = state.amounts.wallet;
  for (const position of state.positions.values()) wallet -= position.isolated;
  return wallet;
}

/** The crossed positions' unrealised PnL and maintenance margin. */
export function crossed(state: FuturesState): { profit: Dec; maintenance: Dec; count: number } {
  let profit = ZERO;
  let maintenance = ZERO;
  let count = 0;
  for (const position of state.positions.values()) {
    if (state.isolated(position.symbol)) continue;
    profit += profitOf(state, position);
    maintenance += maintenanceOf(state, position);
    count++;
  }
  return { profit, maintenance, count };
}

/**
 * The largest notional a symbol can come to hold: in one-way mode max(|position + buys|, |position - sells|), so both
 * sides of a grid need the margin of the larger one; in hedge mode both sides add up. Reduce-only orders and waiting
 * orders (as at Binance: checked when they trigger) need none.
 */
export function exposure(state: FuturesState, symbol: string, wanted: Wanted | null): Dec {
  const { total, bids, asks } = sides(state, symbol, wanted);
  const held = state.positionsOf(symbol).reduce((sum, p) => sum + signedNotional(state, p), ZERO);
  if (state.hedge) return total + bids + asks;
  return maxDec(abs(held + bids), abs(held - asks));
}

function sides(
  state: FuturesState,
  symbol: string,
  wanted: Wanted | null,
): { total: Dec; bids: Dec; asks: Dec } {
  const book = state.bookFor(symbol);
  let bids = ZERO;
  let asks = ZERO;
  const add = (side: Side, qty: Dec, price: Dec) => {
    if (side === 'BUY') bids += mul(qty, price);
    else asks += mul(qty, price);
  };
  for (const order of book.resting) {
    if (!order.terms?.reduceOnly) add(order.side, remaining(order), order.price as Dec);
  }
  if (wanted) add(wanted.side, wanted.qty, wanted.price);
  return { total: positionNotional(state, symbol), bids, asks };
}

function signedNotional(state: FuturesState, position: Position): Dec {
  return mul(position.amount, markOf(state, position));
}

function positionNotional(state: FuturesState, symbol: string): Dec {
  return state
    .positionsOf(symbol)
    .reduce((sum, position) => sum + notional(position.amount, markOf(state, position)), ZERO);
}

/** Initial margin of the symbol's orders: what they can add to its positions, over the leverage. */
export function orderMargin(state: FuturesState, symbol: string, wanted: Wanted | null = null): Dec {
  const added = exposure(state, symbol, wanted) - positionNotional(state, symbol);
  return added / BigInt(state.setting(symbol).leverage);
}

/** Initial margin = notional at mark / leverage of the crossed positions; isolated ones have theirs set aside. */
function positionMargin(state: FuturesState): Dec {
  let margin = ZERO;
  for (const position of state.positions.values()) {
    if (state.isolated(position.symbol)) continue;
    const value = notional(position.amount, markOf(state, position));
    margin += value / BigInt(state.setting(position.symbol).leverage);
  }
  return margin;
}

function allOrderMargins(state: FuturesState): Dec {
  let margin = ZERO;
  for (const book of state.books.values()) {
    if (book.resting.size > 0) margin += orderMargin(state, book.instrument.symbol);
  }
  return margin;
}

/** Available balance = cross wallet + crossed unrealised PnL - initial margins - order margins; never more than the cross wallet. */
export function available(state: FuturesState): Dec {
  const wallet = crossWallet(state);
  const free = wallet + crossed(state).profit - positionMargin(state) - allOrderMargins(state);
  return minDec(free, wallet);
}

/** The part of an order that opens; the rest closes what is held the other way. */
export function openingPart(state: FuturesState, symbol: string, wanted: Wanted): Dec {
  if (wanted.positionSide !== 'BOTH') {
    return (wanted.positionSide === 'LONG') === (wanted.side === 'BUY') ? wanted.qty : ZERO;
  }
  const held = state.position(symbol, 'BOTH')?.amount ?? ZERO;
  const against = wanted.side === 'BUY' ? held < ZERO : held > ZERO;
  return against ? maxDec(wanted.qty - abs(held), ZERO) : wanted.qty;
}

/**
 * Cost of an order = initial margin + open loss (FAQ 87fa7ee3...: size x |min(0, direction x (mark - price))|), here also
 * the taker fee of what it opens, so that no fill finds an empty wallet.
 */
export function orderCost(state: FuturesState, symbol: string, wanted: Wanted): Dec {
  const opening = openingPart(state, symbol, wanted);
  if (opening === ZERO) return ZERO;
  const margin = orderMargin(state, symbol, wanted) - orderMargin(state, symbol);
  const mark = state.bookFor(symbol).mark() ?? wanted.price;
  const distance = wanted.side === 'BUY' ? wanted.price - mark : mark - wanted.price;
  const fee = mul(mul(opening, wanted.price), state.options.takerRate);
  return margin + mul(opening, maxDec(distance, ZERO)) + fee;
}

/**
 * What is told: locked = isolated wallets + initial margins + order margins + crossed loss, at most the wallet; free is the
 * rest. Unrealised PnL is in neither: a crossed loss only moves free to locked, a profit moves nothing.
 */
export function toldBalance(state: FuturesState): ExchangeBalance {
  const { wallet } = state.amounts;
  const loss = maxDec(-crossed(state).profit, ZERO);
  const used = wallet - crossWallet(state) + money(positionMargin(state) + allOrderMargins(state) + loss);
  const locked = minDec(used, wallet);
  return { asset: MARGIN_ASSET, free: str(wallet - locked), locked: str(locked) };
}

/** Whether the order may only shrink its position: asked for, or the closing direction of hedge mode. */
export function isClosing(order: PaperOrder): boolean {
  return order.terms?.reduceOnly === true;
}

/** How much of the order can execute: a closing one at most the position it works against. */
export function executable(state: FuturesState, order: PaperOrder): Dec {
  const rest = remaining(order);
  if (!isClosing(order)) return rest;
  return minDec(rest, closable(state, order.symbol, order.terms?.positionSide ?? 'BOTH', order.side));
}

/** Size of the position that an order of this side can close. */
export function closable(state: FuturesState, symbol: string, positionSide: PositionSide, side: Side): Dec {
  const held = state.position(symbol, positionSide)?.amount ?? ZERO;
  return held !== ZERO && held > ZERO === (side === 'SELL') ? abs(held) : ZERO;
}
