/**
 * The checks by which the futures exchange itself refuses orders, with Binance's USDT-M codes. They only
 * check and never round: a value that is not a multiple of its tick or step is refused.
 */
import { type Dec, dec, div, floorTo, mul, str, ZERO } from '../../../domain/decimal.ts';
import type { ExchangeOrder, Rejected } from '../../../domain/exchange.ts';
import { available, exposure } from '../../../domain/margin/account.ts';
import { maxNotional } from '../../../domain/margin/tiers.ts';
import type { OrderType } from '../../../schemas/order.ts';
import { FilterRefusal, inRange, marketPrice, no, onStep, onTick, read, refusal } from '../filters.ts';
import { type FuturesTerms, isConditional, isMarketable, triggersUpward } from '../paper-order.ts';
import type { FuturesBook } from './futures-book.ts';
import type { FuturesState } from './futures-state.ts';
import { closable, openingPart, orderCost, type Wanted } from './margin.ts';

/**
 * The order types that this exchange triggers and matches by itself: everything except end dates and
 * icebergs.
 */
export const FUTURES_NATIVE_TYPES = [
  'MARKET',
  'LIMIT',
  'LIMIT_MAKER',
  'STOP_MARKET',
  'STOP_LIMIT',
  'TAKE_PROFIT_MARKET',
  'TAKE_PROFIT_LIMIT',
] as const satisfies readonly OrderType[];

export const FUTURES_WORDS = {
  margin: 'Margin is insufficient.',
  reduce: 'ReduceOnly Order is rejected.',
  side: "Order's position side does not match user's setting.",
  trigger: 'Order would immediately trigger.',
  taker: 'Post Only order will be rejected: it would be matched immediately.',
  leverage: 'Exceeded the maximum allowable position at current leverage.',
  duplicate: 'ClientOrderId is duplicated.',
} as const;

/**
 * PERCENT_PRICE of the contracts: a BUY at most 5 % above the mark price, a SELL at most 5 % below; no limit
 * on the other side, as at Binance.
 */
const PERCENT_UP = dec('1.05');
const PERCENT_DOWN = dec('0.95');

export interface CheckedFuturesOrder {
  /** 0 for a closePosition order that has not triggered. */
  readonly qty: Dec;
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
  readonly terms: FuturesTerms;
}

type Checked =
  | { readonly ok: true; readonly order: CheckedFuturesOrder }
  | { readonly ok: false; readonly refusal: Rejected };

/** Reads and checks an order against mode, position, filters, prices, brackets and margin. */
export function checkFuturesOrder(state: FuturesState, order: ExchangeOrder, book: FuturesBook): Checked {
  try {
    checkForm(order);
    const terms = readTerms(state, order, book);
    const closing = terms.reduceOnly;
    if (closing && closable(state, order.symbol, terms.positionSide, order.side) === ZERO) {
      no('-2022', FUTURES_WORDS.reduce);
    }
    const price = order.price === undefined ? null : read('price', order.price);
    const stopPrice = order.stopPrice === undefined ? null : read('stopPrice', order.stopPrice);
    const qty = readQuantity(state, order, book, terms);
    if (price !== null) onTick('price', price, book);
    if (stopPrice !== null) onTick('stopPrice', stopPrice, book);
    const at = price ?? stopPrice ?? book.last();
    if (!closing) checkNotional(at ?? ZERO, qty, book);
    checkCount(order, book);
    checkPrices(order, price, stopPrice, terms, book);
    if (!isConditional(order.type) && !closing) {
      const worst = price ?? (marketPrice(order.side, book, state.options) as Dec);
      const wanted = { side: order.side, positionSide: terms.positionSide, qty, price: worst };
      const refused = marginRefusal(state, order.symbol, wanted);
      if (refused) return { ok: false, refusal: refused };
    }
    return { ok: true, order: { qty, price, stopPrice, terms } };
  } catch (error) {
    if (error instanceof FilterRefusal) return { ok: false, refusal: error.refusal };
    throw error;
  }
}

/**
 * The refusal of an order that opens or adds: beyond the bracket of its leverage, or the available balance;
 * null: none.
 */
export function marginRefusal(state: FuturesState, symbol: string, wanted: Wanted): Rejected | null {
  const opening = openingPart(state, symbol, wanted);
  if (opening === ZERO) return null;
  const { leverage } = state.setting(symbol);
  const most = maxNotional(state.bookFor(symbol).tiers, leverage);
  const before = exposure(state, symbol, null);
  const after = exposure(state, symbol, wanted);
  if (after > before && after > most) return refusal('-2027', FUTURES_WORDS.leverage);
  return orderCost(state, symbol, wanted) > available(state) ? refusal('-2019', FUTURES_WORDS.margin) : null;
}

function checkForm(order: ExchangeOrder): void {
  if (!(FUTURES_NATIVE_TYPES as readonly OrderType[]).includes(order.type)) {
    no('-1116', `Order type ${order.type} is not supported by this exchange.`);
  }
  if (order.icebergQty !== undefined) no('-1106', 'There are no iceberg orders on futures.');
  if (!['GTC', 'IOC', 'FOK'].includes(order.timeInForce)) {
    no('-1115', `timeInForce ${order.timeInForce} is not supported by this exchange.`);
  }
  if (order.type === 'LIMIT_MAKER' && order.timeInForce !== 'GTC') {
    no('-1106', 'LIMIT_MAKER orders rest until cancelled: timeInForce must be GTC.');
  }
  const limit = order.type.includes('LIMIT');
  if (limit !== (order.price !== undefined)) {
    no('-1102', `A ${order.type} order ${limit ? 'needs' : 'has no'} price.`);
  }
  const trailing = order.trailingDelta !== undefined;
  if (trailing && order.type !== 'STOP_MARKET') no('-1106', 'trailingDelta goes with STOP_MARKET only.');
  if (!trailing && order.activationPrice !== undefined) {
    no('-1106', 'activationPrice goes with trailingDelta only.');
  }
  const stops = isConditional(order.type) && !trailing;
  if (stops !== (order.stopPrice !== undefined)) {
    no('-1102', `A ${trailing ? 'trailing' : order.type} order ${stops ? 'needs' : 'has no'} stopPrice.`);
  }
  if (order.closePosition && limit) no('-1106', 'closePosition goes with market orders only.');
}

function readTerms(state: FuturesState, order: ExchangeOrder, book: FuturesBook): FuturesTerms {
  const positionSide = order.positionSide ?? 'BOTH';
  if (state.hedge === (positionSide === 'BOTH')) no('-4061', FUTURES_WORDS.side);
  const closesSide = state.hedge && (positionSide === 'LONG') === (order.side === 'SELL');
  if (order.reduceOnly && state.hedge && !closesSide) no('-2022', FUTURES_WORDS.reduce);
  const trailing = order.trailingDelta ?? null;
  const { trailingMinBps, trailingMaxBps } = book.instrument;
  if (
    trailing !== null &&
    !(Number.isInteger(trailing) && trailing >= trailingMinBps && trailing <= trailingMaxBps)
  ) {
    no(
      '-2007',
      `trailingDelta must be a whole number of basis points from ${trailingMinBps} to ${trailingMaxBps}.`,
    );
  }
  const activationPrice =
    order.activationPrice === undefined ? null : read('activationPrice', order.activationPrice);
  if (activationPrice !== null) onTick('activationPrice', activationPrice, book);
  return {
    positionSide,
    reduceOnly: order.reduceOnly === true || order.closePosition === true || closesSide,
    closePosition: order.closePosition === true,
    workingType: order.workingType ?? 'MARK_PRICE',
    trailing,
    activationPrice,
    best: null,
    armedAt: null,
  };
}

function readQuantity(
  state: FuturesState,
  order: ExchangeOrder,
  book: FuturesBook,
  terms: FuturesTerms,
): Dec {
  const market = !order.type.includes('LIMIT');
  if (order.type === 'MARKET' && book.last() === null) {
    no('-4131', `There is no price for ${order.symbol} yet.`);
  }
  if (terms.closePosition) {
    if (order.type !== 'MARKET') return ZERO;
    return closable(state, order.symbol, terms.positionSide, order.side);
  }
  const { step, minQty, maxQty, marketMaxQty } = book.numbers;
  let qty: Dec;
  if (order.quoteOrderQty !== undefined) {
    if (order.type !== 'MARKET' || order.quantity !== undefined) {
      no('-1106', "Parameter 'quoteOrderQty' goes with MARKET and without quantity.");
    }
    const price = marketPrice(order.side, book, state.options) as Dec;
    qty = floorTo(div(read('quoteOrderQty', order.quoteOrderQty), price), step);
    if (qty < minQty)
      no('-4003', `Quantity less than min quantity: ${order.quoteOrderQty} buys ${str(qty)}.`);
  } else {
    if (order.quantity === undefined) no('-1102', `A ${order.type} order needs quantity.`);
    qty = read('quantity', order.quantity as string);
  }
  onStep('quantity', qty, book);
  const most = market && marketMaxQty > ZERO && marketMaxQty < maxQty ? marketMaxQty : maxQty;
  inRange('LOT_SIZE', 'quantity', qty, minQty, most);
  return qty;
}

/**
 * Checks the notional of orders that open; closing ones are exempt (engine.md, submission rule 1; -4164 there
 * too).
 */
function checkNotional(price: Dec, qty: Dec, book: FuturesBook): void {
  if (price === ZERO) return;
  const value = mul(price, qty);
  if (value < book.numbers.minNotional) {
    const least = book.instrument.minNotional;
    no(
      '-4164',
      `Order's notional must be no smaller than ${least} (unless you choose reduce only), not ${str(value)}.`,
    );
  }
}

function checkCount(order: ExchangeOrder, book: FuturesBook): void {
  if (order.type !== 'MARKET' && book.size >= book.instrument.maxOrders) {
    no('-4045', `Reach max stop order limit or max open orders: ${book.size} on ${order.symbol} already.`);
  }
}

/** Checks prices against last and mark price; before the symbol's first price nothing is checked. */
function checkPrices(
  order: ExchangeOrder,
  price: Dec | null,
  stopPrice: Dec | null,
  terms: FuturesTerms,
  book: FuturesBook,
): void {
  const last = book.last();
  const mark = book.mark();
  if (last === null || mark === null) return;
  if (price !== null) {
    const from = stopPrice ?? mark;
    const high = mul(from, PERCENT_UP);
    const low = mul(from, PERCENT_DOWN);
    if (order.side === 'BUY' && price > high) no('-4016', `Limit price can't be higher than ${str(high)}.`);
    if (order.side === 'SELL' && price < low) no('-4024', `Limit price can't be lower than ${str(low)}.`);
  }
  if (stopPrice !== null) {
    const now = terms.workingType === 'MARK_PRICE' ? mark : last;
    const fires = triggersUpward(order.type, order.side) ? now >= stopPrice : now <= stopPrice;
    if (fires) no('-2021', FUTURES_WORDS.trigger);
  }
  if (order.type === 'LIMIT_MAKER' && isMarketable(order.side, price as Dec, last)) {
    no('-5022', FUTURES_WORDS.taker);
  }
}
