/**
 * Converts an order into the parameters of the request that places it: ordinary orders by `/trade/order`,
 * those that wait for a trigger by `/trade/order-algo`. Exact: an order that does not convert is refused in
 * words and not sent. Pure.
 *
 * Everything that waits is a `conditional` order, entries too: its stop (`sl`) or its take-profit (`tp`) says
 * on which side of the price the trigger is, and one on the wrong side is refused. A `trigger` order guesses
 * the side from the price at its arrival, cannot be reduce-only and accepts no `tgtCcy` (OD Place algo
 * order).
 */
import { dec, decOfInt, div, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeOrder, Rejected } from '../../domain/exchange.ts';
import type { OkxMarketKind } from './account-given.ts';
import { wireIdOf } from './client-ids.ts';
import { TAGS } from './forms.ts';
import { type Listing, sizeOf } from './instruments.ts';
import { OKX, type OkxForm } from './requests.ts';

export interface WireOrder {
  readonly kind: 'wire';
  readonly form: OkxForm;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface TradedAs {
  readonly kind: OkxMarketKind;
  readonly listing: Listing;
  /** `tdMode` for the account's mode. */
  readonly tdMode: 'cash' | 'cross';
}

/** Whether an order waits for a trigger at the exchange. */
export function isAlgo({ type }: Pick<ExchangeOrder, 'type'>): boolean {
  return type.startsWith('STOP_') || type.startsWith('TAKE_PROFIT_');
}

export function wireOrder(order: ExchangeOrder, as: TradedAs): WireOrder | Rejected {
  const problem = problemOf(order, as);
  if (typeof problem === 'string')
    return { kind: 'rejected', reason: 'UNSUPPORTED', code: 'FORM', message: `not sent: ${problem}` };
  return isAlgo(order) ? conditional(order, as, problem) : regular(order, as, problem);
}

interface Exact {
  /** Size in the exchange's own unit; empty: the order goes by an amount, or closes all. */
  readonly size: string;
  readonly wireId: string;
}

/** The exact figures of an order; or a text: why it cannot be sent. */
function problemOf(order: ExchangeOrder, { kind, listing }: TradedAs): string | Exact {
  const { clientId, quoteOrderQty, icebergQty, quantity, type, timeInForce, goodTillDate, closePosition } =
    order;
  const wireId = wireIdOf(clientId);
  if (wireId === null) return `OKX takes ids of 1 to 32 letters and digits, which ${clientId} is not`;
  if (icebergQty !== undefined) return 'OKX has no iceberg orders; use split';
  if (goodTillDate !== undefined) return 'OKX has no end dates';
  if (kind === 'spot' && (order.reduceOnly || closePosition)) return 'spot orders reduce no position';
  if (isAlgo(order) && timeInForce !== 'GTC')
    return `what waits for a trigger is GTC at OKX, not ${timeInForce}; leave timeInForce out`;
  if (quoteOrderQty !== undefined) {
    if (kind !== 'spot' || type !== 'MARKET')
      return 'OKX has orders over an amount for spot at the market only; give quantity';
    return { size: '', wireId };
  }
  if (closePosition && isAlgo(order) && order.trailingDelta === undefined && order.price === undefined)
    return { size: '', wireId };
  if (quantity === undefined || dec(quantity) <= ZERO) return 'its quantity is not known';
  const size = sizeOf(listing, quantity);
  if (size === null)
    return `${quantity} is no number of contracts of ${str(listing.unit)} ${listing.instrument.base}, and nothing is rounded`;
  return { size, wireId };
}

function common({ side, positionSide = 'BOTH' }: ExchangeOrder, { kind, listing, tdMode }: TradedAs) {
  return {
    instId: listing.instId,
    tdMode,
    side: side === 'BUY' ? 'buy' : 'sell',
    ...(kind === 'spot' || positionSide === 'BOTH' ? {} : { posSide: positionSide.toLowerCase() }),
  };
}

/**
 * Whether to send reduceOnly. In hedge mode the position's side says what an order closes, and the flag is
 * ignored.
 */
function reduces({
  reduceOnly,
  closePosition,
  positionSide = 'BOTH',
}: ExchangeOrder): Record<string, string> {
  return (reduceOnly || closePosition) && positionSide === 'BOTH' ? { reduceOnly: 'true' } : {};
}

function regular(order: ExchangeOrder, as: TradedAs, { size, wireId }: Exact): WireOrder {
  const { type, price, timeInForce, quoteOrderQty } = order;
  const isMarket = type === 'MARKET';
  const spotMarket = isMarket && as.kind === 'spot';
  return {
    kind: 'wire',
    form: OKX.place,
    parameters: {
      ...common(order, as),
      ordType: isMarket ? 'market' : ordTypeOf(type === 'LIMIT_MAKER', timeInForce),
      sz: quoteOrderQty ?? size,
      ...(isMarket ? {} : { px: price ?? '' }),
      ...(spotMarket ? { tgtCcy: quoteOrderQty === undefined ? 'base_ccy' : 'quote_ccy' } : {}),
      // Without this flag the exchange silently reduces the order if the balance is too small.
      ...(spotMarket ? { banAmend: 'true' } : {}),
      ...reduces(order),
      clOrdId: wireId,
      tag: TAGS[as.kind],
    },
  };
}

function ordTypeOf(isPostOnly: boolean, timeInForce: ExchangeOrder['timeInForce']): string {
  if (isPostOnly) return 'post_only';
  return timeInForce === 'GTC' ? 'limit' : timeInForce.toLowerCase();
}

/** The price that means at the market. */
const MARKET = '-1';

function conditional(order: ExchangeOrder, as: TradedAs, { size, wireId }: Exact): WireOrder {
  const { type, price, stopPrice = '', trailingDelta, workingType = 'MARK_PRICE', side } = order;
  const trails = trailingDelta !== undefined;
  // Spot triggers use only the last price (51415).
  const by = as.kind === 'swap' && workingType === 'MARK_PRICE' ? 'mark' : 'last';
  const way = type.startsWith('STOP_') ? 'sl' : 'tp';
  const closesAll = size === '';
  const spotBuy = as.kind === 'spot' && side === 'BUY' && price === undefined;
  return {
    kind: 'wire',
    form: OKX.placeAlgo,
    parameters: {
      ...common(order, as),
      ordType: trails ? 'move_order_stop' : 'conditional',
      ...(closesAll ? { closeFraction: '1' } : { sz: size }),
      ...(trails
        ? trailing(order)
        : { [`${way}TriggerPx`]: stopPrice, [`${way}OrdPx`]: price ?? MARKET, [`${way}TriggerPxType`]: by }),
      ...(spotBuy ? { tgtCcy: 'base_ccy' } : {}),
      ...reduces(order),
      algoClOrdId: wireId,
      tag: TAGS[as.kind],
    },
  };
}

/** The callback as a ratio: 10 basis points are 0.001. */
function trailing({ trailingDelta = 0, activationPrice }: ExchangeOrder): Record<string, string> {
  const callbackRatio = str(div(decOfInt(trailingDelta), dec('10000')));
  return { callbackRatio, ...(activationPrice === undefined ? {} : { activePx: activationPrice }) };
}
