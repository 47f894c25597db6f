/**
 * Converts an order into the parameters of the request that places it: regular orders by `POST
 * /fapi/v1/order`, those that wait for a trigger by `POST /fapi/v1/algoOrder`. Exact: an order that does not
 * convert is refused in words and not sent. Pure.
 */
import { dec, decOfInt, div, str, ZERO } from '../../../domain/decimal.ts';
import type { ExchangeOrder, Rejected } from '../../../domain/exchange.ts';
import type { OrderType } from '../../../schemas/order.ts';
import type { RequestForm } from '../../kit/requests.ts';
import { FUTURES } from './requests.ts';

export interface WireOrder {
  readonly kind: 'wire';
  readonly form: RequestForm;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Order types in the words of the algo family. A trailing stop is a STOP_MARKET here. */
const ALGO_TYPES: Partial<Record<OrderType, string>> = {
  STOP_MARKET: 'STOP_MARKET',
  STOP_LIMIT: 'STOP',
  TAKE_PROFIT_MARKET: 'TAKE_PROFIT_MARKET',
  TAKE_PROFIT_LIMIT: 'TAKE_PROFIT',
};

/** Whether an order waits for a trigger at the exchange. */
export function isAlgo({ type }: Pick<ExchangeOrder, 'type'>): boolean {
  return ALGO_TYPES[type] !== undefined;
}

export function wireOrder(order: ExchangeOrder): WireOrder | Rejected {
  const problem = problemOf(order);
  if (problem !== null)
    return { kind: 'rejected', reason: 'UNSUPPORTED', code: 'FORM', message: `not sent: ${problem}` };
  return isAlgo(order) ? conditional(order) : regular(order);
}

function problemOf({ quoteOrderQty, icebergQty, quantity, type, closePosition }: ExchangeOrder) {
  if (quoteOrderQty !== undefined) return 'Binance futures have no orders over an amount; give quantity';
  if (icebergQty !== undefined) return 'Binance futures have no iceberg orders; use split';
  const hasSize = quantity !== undefined && dec(quantity) > ZERO;
  if (!hasSize && !(closePosition && isAlgo({ type }))) return 'its quantity is not known';
  return null;
}

function common(order: ExchangeOrder): Record<string, string> {
  const { symbol, side, positionSide = 'BOTH' } = order;
  return { symbol, side, ...(positionSide === 'BOTH' ? {} : { positionSide }) };
}

/**
 * Whether to send reduceOnly. In hedge mode the position's side says what an order closes, and reduceOnly is
 * refused (-1106).
 */
function reduces({
  reduceOnly,
  closePosition,
  positionSide = 'BOTH',
}: ExchangeOrder): Record<string, string> {
  return (reduceOnly || closePosition) && positionSide === 'BOTH' ? { reduceOnly: 'true' } : {};
}

function regular(order: ExchangeOrder): WireOrder {
  const { type, quantity = '', price, timeInForce, goodTillDate, clientId } = order;
  const isLimit = type !== 'MARKET';
  const inForce =
    type === 'LIMIT_MAKER'
      ? 'GTX'
      : goodTillDate !== undefined && timeInForce === 'GTC'
        ? 'GTD'
        : timeInForce;
  return {
    kind: 'wire',
    form: FUTURES.place,
    parameters: {
      ...common(order),
      type: isLimit ? 'LIMIT' : 'MARKET',
      quantity,
      ...(isLimit ? { price: price ?? '', timeInForce: inForce } : {}),
      ...(isLimit && inForce === 'GTD' ? { goodTillDate: String(goodTillDate) } : {}),
      ...reduces(order),
      newClientOrderId: clientId,
      // An ACK says only that the order arrived; RESULT also says how a MARKET order has ended.
      newOrderRespType: 'RESULT',
    },
  };
}

function conditional(order: ExchangeOrder): WireOrder {
  const { type, quantity = '', price, stopPrice, timeInForce, workingType = 'MARK_PRICE', clientId } = order;
  const trails = order.trailingDelta !== undefined;
  // Only the two market types can close all.
  const closesAll = order.closePosition === true && !trails && price === undefined;
  return {
    kind: 'wire',
    form: FUTURES.placeAlgo,
    parameters: {
      algoType: 'CONDITIONAL',
      ...common(order),
      type: trails ? 'TRAILING_STOP_MARKET' : (ALGO_TYPES[type] as string),
      ...(closesAll ? { closePosition: 'true' } : { quantity, ...reduces(order) }),
      ...(price === undefined ? {} : { price, timeInForce }),
      ...(trails ? trailing(order) : { triggerPrice: stopPrice ?? '' }),
      // Without this field the last price would trigger it.
      workingType,
      clientAlgoId: clientId,
      newOrderRespType: 'RESULT',
    },
  };
}

/** The trailing parameters. `callbackRate` is in percent: 10 basis points are 0.1. */
function trailing({ trailingDelta = 0, activationPrice }: ExchangeOrder): Record<string, string> {
  const callbackRate = str(div(decOfInt(trailingDelta), dec('100')));
  return { callbackRate, ...(activationPrice === undefined ? {} : { activatePrice: activationPrice }) };
}
