/**
 * Checks of the spot exchange before it accepts an order: the parameters of its type, the symbol's filters,
 * each with its code. Sources: binance-spot-api-docs rest-api.md "New order", filters.md, errors.md.
 */
import { type Dec, dec, decOfInt, div, isMultiple, mul, ZERO } from '../../../../src/domain/decimal.ts';
import type { Market, SymbolMarket } from '../market.ts';
import { illegal, missing, notRequired, type Params } from '../params.ts';
import { placesOf } from '../symbols.ts';
import { Refusal } from '../wire.ts';
import { hasLimit, isConditional, isOpen, type Side, type SpotOrder, type SpotType } from './order.ts';

const TYPES: readonly SpotType[] = [
  'LIMIT',
  'LIMIT_MAKER',
  'MARKET',
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'TAKE_PROFIT',
  'TAKE_PROFIT_LIMIT',
];
const STP = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'] as const;
const CLIENT_ID = /^[a-zA-Z0-9-_]{1,36}$/;

export interface SpotWish {
  readonly symbol: string;
  readonly side: Side;
  readonly type: SpotType;
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK';
  readonly price: Dec;
  readonly qty: Dec;
  readonly quoteQty: Dec;
  readonly stopPrice: Dec;
  readonly trailingDelta: number;
  readonly icebergQty: Dec;
  readonly clientOrderId: string | null;
  readonly stp: string;
  readonly respType: 'ACK' | 'RESULT' | 'FULL';
}

export function clientId(params: Params, name: string): string | null {
  const id = params.text(name);
  if (id !== null && !CLIENT_ID.test(id)) throw illegal(name, '^[a-zA-Z0-9-_]{1,36}$');
  return id;
}

/** Reads the requested order. Throws Refusal. */
export function readWish(params: Params, market: Market): SpotWish {
  const symbol = params.required('symbol');
  const book = market.of(symbol);
  const side = params.oneOf('side', ['BUY', 'SELL'], 'side') ?? 'BUY';
  const type = params.oneOf('type', TYPES, 'type') as SpotType;
  const timeInForce = params.oneOf('timeInForce', ['GTC', 'IOC', 'FOK'], 'timeInForce');
  const has = (name: string) => params.has(name);
  const need = (name: string) => {
    if (!has(name)) throw missing(name);
  };
  if (hasLimit(type)) {
    if (type !== 'LIMIT_MAKER') need('timeInForce');
    need('quantity');
    need('price');
    if (has('quoteOrderQty')) throw notRequired('quoteOrderQty');
  } else {
    if (has('price')) throw notRequired('price');
    if (has('timeInForce')) throw notRequired('timeInForce');
    if (!(type === 'MARKET' && has('quoteOrderQty'))) need('quantity');
    if (has('quantity') && has('quoteOrderQty'))
      throw new Refusal(-1128, 'Combination of optional parameters invalid.');
  }
  if (type === 'LIMIT_MAKER' && has('timeInForce')) throw notRequired('timeInForce');
  if (isConditional(type)) {
    if (!has('stopPrice') && !has('trailingDelta'))
      throw new Refusal(
        -1102,
        "A mandatory parameter was not sent, was empty/null, or malformed: 'stopPrice' or 'trailingDelta'.",
      );
  } else {
    if (has('stopPrice')) throw notRequired('stopPrice');
    if (has('trailingDelta')) throw notRequired('trailingDelta');
  }
  if (has('icebergQty') && !(hasLimit(type) && (timeInForce === 'GTC' || type === 'LIMIT_MAKER'))) {
    if (!hasLimit(type)) throw notRequired('icebergQty');
    throw new Refusal(-2010, "Iceberg orders must be 'GTC'.");
  }
  const tickPlaces = Math.max(placesOf(book.spec.tick), 0);
  const price = precise(params, 'price', tickPlaces);
  const stopPrice = precise(params, 'stopPrice', tickPlaces);
  const qty = precise(params, 'quantity', 8);
  const icebergQty = precise(params, 'icebergQty', 8);
  const quoteQty = precise(params, 'quoteOrderQty', 8);
  const isMarket = type === 'MARKET' || type === 'LIMIT';
  return {
    symbol,
    side,
    type,
    timeInForce: timeInForce ?? 'GTC',
    price: price ?? ZERO,
    qty: qty ?? ZERO,
    quoteQty: quoteQty ?? ZERO,
    stopPrice: stopPrice ?? ZERO,
    trailingDelta: params.integer('trailingDelta') ?? 0,
    icebergQty: icebergQty ?? ZERO,
    clientOrderId: clientId(params, 'newClientOrderId'),
    stp: params.oneOf('selfTradePreventionMode', STP, 'selfTradePreventionMode') ?? 'EXPIRE_MAKER',
    respType:
      params.oneOf('newOrderRespType', ['ACK', 'RESULT', 'FULL'], 'newOrderRespType') ??
      (isMarket ? 'FULL' : 'ACK'),
  };
}

/** -1111 means more decimals than the asset has; a price off the tick is refused by the filter. */
function precise(params: Params, name: string, _places: number): Dec | null {
  const value = params.positive(name);
  if (value === null) return null;
  const text = params.required(name);
  const places = (text.split('.')[1] ?? '').length;
  if (places > 8) throw new Refusal(-1111, `Parameter '${name}' has too much precision.`);
  return value;
}

const filter = (name: string): Refusal => new Refusal(-1013, `Filter failure: ${name}`);

/** Checks the filters. Throws Refusal. */
export function checkFilters(wish: SpotWish, market: Market, open: readonly SpotOrder[]): void {
  const book = market.of(wish.symbol);
  const { spec } = book;
  if ((spec.status ?? 'TRADING') !== 'TRADING') throw new Refusal(-2010, 'Market is closed.');
  if (!spec.stopMarket && wish.type === 'STOP_LOSS')
    throw new Refusal(-1013, 'Stop loss orders are not supported for this symbol.');
  if (!spec.stopMarket && wish.type === 'TAKE_PROFIT')
    throw new Refusal(-1013, 'Take profit orders are not supported for this symbol.');
  for (const price of [wish.price, wish.stopPrice]) {
    if (price > ZERO && (!isMultiple(price, book.tick) || price > decOfInt(1_000_000)))
      throw filter('PRICE_FILTER');
  }
  if (wish.price > ZERO) percentPrice(wish, book, market);
  if (wish.qty > ZERO) lots(wish, book);
  notional(wish, book, market);
  if (wish.icebergQty > ZERO) {
    if (!isMultiple(wish.icebergQty, book.step)) throw filter('LOT_SIZE');
    if (wish.icebergQty > wish.qty) throw new Refusal(-2010, 'Iceberg quantity exceeds quantity.');
    if (parts(wish.qty, wish.icebergQty) > 100) throw filter('ICEBERG_PARTS');
  }
  if (wish.trailingDelta !== 0 && (wish.trailingDelta < 10 || wish.trailingDelta > 2000))
    throw filter('TRAILING_DELTA');
  const here = open.filter((order) => order.symbol === wish.symbol && isOpen(order));
  if (here.length >= (spec.maxNumOrders ?? 200)) throw filter('MAX_NUM_ORDERS');
  const waiting = here.filter((order) => isConditional(order.type) && !order.isWorking).length;
  if (isConditional(wish.type) && waiting >= (spec.maxNumAlgoOrders ?? 5))
    throw filter('MAX_NUM_ALGO_ORDERS');
}

function parts(qty: Dec, visible: Dec): number {
  return Number((qty + visible - 1n) / visible);
}

function percentPrice(wish: SpotWish, book: SymbolMarket, market: Market): void {
  const average = market.average(book, 5);
  if (wish.price > mul(average, decOfInt(5)) || wish.price < mul(average, dec('0.2')))
    throw filter('PERCENT_PRICE_BY_SIDE');
}

function lots(wish: SpotWish, book: SymbolMarket): void {
  if (wish.qty < book.step || wish.qty > dec(book.spec.maxQty) || !isMultiple(wish.qty, book.step))
    throw filter('LOT_SIZE');
  if (!hasLimit(wish.type) && wish.qty > dec(book.spec.marketMaxQty)) throw filter('MARKET_LOT_SIZE');
}

function notional(wish: SpotWish, book: SymbolMarket, market: Market): void {
  const price = hasLimit(wish.type) ? wish.price : market.average(book, 5);
  const value = wish.quoteQty > ZERO ? wish.quoteQty : mul(wish.qty, price);
  if (value < dec(book.spec.minNotional)) throw filter('NOTIONAL');
  if (hasLimit(wish.type) && value > decOfInt(9_000_000)) throw filter('NOTIONAL');
}

/** Whether the price has reached the trigger of such an order; an equal price does. */
export function isReached(side: Side, type: SpotType, stopPrice: Dec, last: Dec): boolean {
  return (side === 'BUY') === type.startsWith('STOP') ? last >= stopPrice : last <= stopPrice;
}

/** The price at which a trailing order fires, from the extreme that it has seen. */
export function trailingTrigger(order: SpotOrder): { up: boolean; price: Dec } {
  const up = (order.side === 'BUY') === order.type.startsWith('STOP');
  const bp = decOfInt(order.trailingDelta);
  const tenThousand = decOfInt(10_000);
  return { up, price: mul(order.extreme, div(up ? tenThousand + bp : tenThousand - bp, tenThousand)) };
}
