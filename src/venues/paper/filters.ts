/**
 * The checks by which the exchange itself refuses orders, with Binance's codes and texts. They only check and
 * never round: a value that is not a multiple of its tick or step is refused.
 */
import { type Dec, dec, div, floorTo, maxDec, mul, ONE, roundTo, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeOrder, Rejected } from '../../domain/exchange.ts';
import type { OrderType } from '../../schemas/order.ts';
import type { Book } from './book.ts';
import type { CompiledPaperOptions } from './options.ts';
import { isConditional, isMarketable, NATIVE_TYPES, triggersUpward } from './paper-order.ts';
import { rejectCodeOf } from './reject-codes.ts';

export function refusal(code: string, message: string): Rejected {
  return { kind: 'rejected', reason: rejectCodeOf(code, message), code, message };
}

/** Texts that clients of Binance know. */
export const WORDS = {
  balance: 'Account has insufficient balance for requested action.',
  match: 'Order would immediately match and take.',
  trigger: 'Order would trigger immediately.',
  duplicate: 'Duplicate order sent.',
} as const;

/** An order whose fields were read and passed every filter. */
export interface CheckedOrder {
  readonly qty: Dec;
  readonly price: Dec | null;
  readonly stopPrice: Dec | null;
  readonly iceberg: Dec | null;
  /**
   * The price for which the locked amount must be enough: the limit, or the execution price of a MARKET
   * order.
   */
  readonly worst: Dec;
}

type Refused = { readonly ok: false; readonly refusal: Rejected };
type Checked = { readonly ok: true; readonly order: CheckedOrder } | Refused;

/** Carries a refusal out of the checks; caught within this folder. */
export class FilterRefusal extends Error {
  readonly refusal: Rejected;

  constructor(code: string, message: string) {
    super(message);
    this.refusal = refusal(code, message);
  }
}

export function no(code: string, message: string): never {
  throw new FilterRefusal(code, message);
}

/** Reads and checks an order against the symbol's filters and its last price. */
export function checkOrder(order: ExchangeOrder, book: Book, options: CompiledPaperOptions): Checked {
  try {
    checkForm(order);
    const checked = order.type === 'MARKET' ? checkMarket(order, book, options) : checkLimit(order, book);
    return { ok: true, order: checked };
  } catch (error) {
    if (error instanceof FilterRefusal) return { ok: false, refusal: error.refusal };
    throw error;
  }
}

/**
 * Execution price of a MARKET order: the last price worsened by the slippage and rounded to the tick, away
 * from the trader.
 */
export function marketPrice(side: 'BUY' | 'SELL', book: Book, options: CompiledPaperOptions): Dec | null {
  const last = book.last();
  if (last === null || options.slippage === ZERO) return last;
  const { tick } = book.numbers;
  if (side === 'BUY') {
    const worse = mul(last, ONE + options.slippage);
    const down = floorTo(worse, tick);
    return down === worse ? worse : down + tick;
  }
  return maxDec(floorTo(mul(last, ONE - options.slippage), tick), tick);
}

function checkForm(order: ExchangeOrder): void {
  if (!(NATIVE_TYPES as readonly OrderType[]).includes(order.type)) {
    no('-1116', `Order type ${order.type} is not supported by this exchange.`);
  }
  if (order.reduceOnly || order.closePosition) {
    no('-1106', `${order.reduceOnly ? 'reduceOnly' : 'closePosition'} has no meaning on spot.`);
  }
  if (!['GTC', 'IOC', 'FOK'].includes(order.timeInForce)) {
    no('-1115', `timeInForce ${order.timeInForce} is not supported by this exchange.`);
  }
  if (order.type === 'LIMIT_MAKER' && order.timeInForce !== 'GTC') {
    no('-1106', 'LIMIT_MAKER orders rest until cancelled: timeInForce must be GTC.');
  }
  if (order.type === 'MARKET') {
    if (order.price !== undefined) no('-1106', "Parameter 'price' sent when not required.");
    if ((order.quantity === undefined) === (order.quoteOrderQty === undefined)) {
      no('-1102', 'A MARKET order needs either quantity or quoteOrderQty.');
    }
  } else {
    if (order.quantity === undefined) no('-1102', `A ${order.type} order needs quantity.`);
    if (order.quoteOrderQty !== undefined) no('-1106', "Parameter 'quoteOrderQty' sent when not required.");
    if (order.price === undefined) no('-1102', `A ${order.type} order needs price.`);
  }
  if (isConditional(order.type) !== (order.stopPrice !== undefined)) {
    const words = isConditional(order.type) ? 'needs' : 'has no';
    no('-1102', `A ${order.type} order ${words} stopPrice.`);
  }
  if (order.icebergQty !== undefined && (order.type !== 'LIMIT' || order.timeInForce !== 'GTC')) {
    no('-1013', 'icebergQty needs a LIMIT order with timeInForce GTC.');
  }
}

function checkMarket(order: ExchangeOrder, book: Book, options: CompiledPaperOptions): CheckedOrder {
  const worst = marketPrice(order.side, book, options);
  if (worst === null) no('-1013', `There is no price for ${order.symbol} yet.`);
  const { step, minQty, maxQty, marketMaxQty } = book.numbers;
  let qty: Dec;
  if (order.quoteOrderQty !== undefined) {
    qty = floorTo(div(read('quoteOrderQty', order.quoteOrderQty), worst), step);
    if (qty === ZERO || qty < minQty) {
      no(
        '-1013',
        `Filter failure: LOT_SIZE: ${order.quoteOrderQty} buys ${str(qty)}, below the minimum of ${str(minQty)}.`,
      );
    }
  } else {
    qty = read('quantity', order.quantity as string);
  }
  onStep('quantity', qty, book);
  const most = marketMaxQty > ZERO && marketMaxQty < maxQty ? marketMaxQty : maxQty;
  inRange('LOT_SIZE', 'quantity', qty, minQty, most);
  const notional = mul(book.last() as Dec, qty);
  if (notional < book.numbers.minNotional) no('-1013', belowNotional(notional, book));
  return { qty, price: null, stopPrice: null, iceberg: null, worst };
}

function checkLimit(order: ExchangeOrder, book: Book): CheckedOrder {
  const { numbers, instrument } = book;
  const qty = read('quantity', order.quantity as string);
  const price = read('price', order.price as string);
  const stopPrice = order.stopPrice === undefined ? null : read('stopPrice', order.stopPrice);
  const iceberg = order.icebergQty === undefined ? null : read('icebergQty', order.icebergQty);
  onStep('quantity', qty, book);
  inRange('LOT_SIZE', 'quantity', qty, numbers.minQty, numbers.maxQty);
  onTick('price', price, book);
  if (stopPrice !== null) onTick('stopPrice', stopPrice, book);
  const notional = mul(price, qty);
  if (notional < numbers.minNotional) no('-1013', belowNotional(notional, book));
  if (numbers.maxNotional > ZERO && notional > numbers.maxNotional) {
    no(
      '-1013',
      `Filter failure: NOTIONAL: ${str(notional)} is above the maximum of ${instrument.maxNotional}.`,
    );
  }
  if (iceberg !== null) {
    onStep('icebergQty', iceberg, book);
    if (iceberg < numbers.minQty)
      no('-1013', `Filter failure: LOT_SIZE: icebergQty is below ${instrument.minQty}.`);
    const parts = (qty + iceberg - 1n) / iceberg;
    if (parts > BigInt(instrument.maxIcebergParts)) {
      no('-1013', `Filter failure: ICEBERG_PARTS: ${parts} parts, at most ${instrument.maxIcebergParts}.`);
    }
  }
  if (book.size >= instrument.maxOrders) {
    no(
      '-1013',
      `Filter failure: MAX_NUM_ORDERS: ${instrument.maxOrders} open orders on ${instrument.symbol} already.`,
    );
  }
  checkAgainstLast(order, price, stopPrice, book);
  return { qty, price, stopPrice, iceberg, worst: price };
}

/** Checks prices against the last price; before the symbol's first price nothing is checked. */
function checkAgainstLast(order: ExchangeOrder, price: Dec, stopPrice: Dec | null, book: Book): void {
  const last = book.last();
  if (last === null) return;
  const low = mul(last, book.numbers.percentDown);
  const high = mul(last, book.numbers.percentUp);
  if (price < low || (high > ZERO && price > high)) {
    no('-1013', `Filter failure: PERCENT_PRICE: price must be between ${str(low)} and ${str(high)}.`);
  }
  if (stopPrice !== null) {
    const fires = triggersUpward(order.type, order.side) ? last >= stopPrice : last <= stopPrice;
    if (fires) no('-2010', WORDS.trigger);
  }
  if (order.type === 'LIMIT_MAKER' && isMarketable(order.side, price, last)) no('-2010', WORDS.match);
}

export function read(name: string, text: string): Dec {
  let value: Dec;
  try {
    value = dec(text);
  } catch {
    return no('-1100', `Illegal characters found in parameter '${name}'.`);
  }
  if (value <= ZERO) no('-1100', `Parameter '${name}' must be above zero.`);
  return value;
}

export function onStep(name: string, value: Dec, book: Book): void {
  const { step } = book.numbers;
  if (step > ZERO && value % step !== ZERO) {
    no('-1013', `Filter failure: LOT_SIZE: ${name} ${str(value)} is not a multiple of ${str(step)}.`);
  }
}

export function onTick(name: string, value: Dec, book: Book): void {
  const { tick, minPrice, maxPrice } = book.numbers;
  if (tick > ZERO && value % tick !== ZERO) {
    const near = str(roundTo(value, tick));
    no(
      '-1013',
      `Filter failure: PRICE_FILTER: ${name} ${str(value)} is not a multiple of ${str(tick)} (near ${near}).`,
    );
  }
  inRange('PRICE_FILTER', name, value, minPrice, maxPrice);
}

export function inRange(filter: string, name: string, value: Dec, low: Dec, high: Dec): void {
  if (value < low) no('-1013', `Filter failure: ${filter}: ${name} ${str(value)} is below ${str(low)}.`);
  if (high > ZERO && value > high)
    no('-1013', `Filter failure: ${filter}: ${name} ${str(value)} is above ${str(high)}.`);
}

function belowNotional(notional: Dec, book: Book): string {
  return `Filter failure: NOTIONAL: ${str(notional)} is below the minimum of ${book.instrument.minNotional}.`;
}
