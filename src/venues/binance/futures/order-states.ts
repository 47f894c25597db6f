/**
 * Converts what the exchange says of an order into the words of the port: regular and conditional orders,
 * answers and events. `seq` is the exchange's own time of the change. A word that is not known makes the
 * whole unreadable: null. Pure.
 */
import { dec, str, ZERO } from '../../../domain/decimal.ts';
import type {
  ExchangeOrderState,
  ExchangeOrderStatus,
  ExchangeOrderTerms,
} from '../../../domain/exchange.ts';
import type { RejectCode } from '../../../domain/reject-code.ts';
import { visible } from '../../../domain/visible.ts';
import type { OrderType, PositionSide, Side } from '../../../schemas/order.ts';
import type { AlgoEvent, AlgoOrder, FuturesOrder, OrderEvent } from './messages.ts';
import type { Names } from './order-names.ts';

const STATUSES: ReadonlyMap<string, ExchangeOrderStatus> = new Map([
  ['NEW', 'WORKING'],
  ['PARTIALLY_FILLED', 'WORKING'],
  ['FILLED', 'FILLED'],
  ['CANCELED', 'CANCELLED'],
  ['EXPIRED', 'CANCELLED'],
  ['EXPIRED_IN_MATCH', 'CANCELLED'],
  ['REJECTED', 'REJECTED'],
  // Statuses of orders that the exchange makes itself, with their only execution.
  ['NEW_INSURANCE', 'WORKING'],
  ['NEW_ADL', 'WORKING'],
]);

const TYPES: ReadonlyMap<string, OrderType> = new Map([
  ['LIMIT', 'LIMIT'],
  ['MARKET', 'MARKET'],
  ['STOP', 'STOP_LIMIT'],
  ['STOP_MARKET', 'STOP_MARKET'],
  ['TAKE_PROFIT', 'TAKE_PROFIT_LIMIT'],
  ['TAKE_PROFIT_MARKET', 'TAKE_PROFIT_MARKET'],
  ['TRAILING_STOP_MARKET', 'STOP_MARKET'],
  ['LIQUIDATION', 'MARKET'],
]);

/** Reasons of an end by `er` of an event (Event Order Update). */
const ENDED_BY: ReadonlyMap<string, string> = new Map([
  ['1', 'expired: it would have traded with an order of the same account'],
  ['2', 'expired: IOC, the rest was not taken'],
  ['3', 'expired: IOC, it would have traded with an order of the same account'],
  ['4', 'expired: reduce-only, nothing was left to reduce'],
  ['5', 'expired: the account was liquidated'],
  ['6', 'expired: its position or order is gone'],
  ['7', 'expired: the symbol is not traded any more'],
  ['8', 'expired: its stop has fired'],
  ['9', 'expired: the market had no more within its limits'],
  ['10', 'expired: FOK, it could not be filled as a whole'],
  ['11', 'expired: post-only, it would have traded at once'],
]);

/** Reads a price. Empty, "null" and zero mean that the order has none. */
function priceOf(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null || text === '' || text === 'null') return undefined;
  const value = dec(text);
  return value === ZERO ? undefined : str(value);
}

/** A figure without trailing zeros; a word for none is zero. */
export function figure(text: string | null | undefined): string {
  return text === undefined || text === null || text === '' || text === 'null' ? '0' : str(dec(text));
}

interface Described {
  readonly side: Side;
  readonly type: string;
  readonly price: string | null | undefined;
  readonly stopPrice: string | null | undefined;
  readonly timeInForce: string | null | undefined;
  readonly reduceOnly: boolean | undefined;
  readonly closePosition: boolean | undefined;
  readonly positionSide: PositionSide | undefined;
  readonly workingType: string | null | undefined;
}

function termsOf(one: Described): ExchangeOrderTerms | null {
  const known = TYPES.get(one.type);
  if (!known) return null;
  const { positionSide = 'BOTH', timeInForce: inForce } = one;
  const price = priceOf(one.price);
  const stopPrice = priceOf(one.stopPrice);
  return {
    side: one.side,
    type: known === 'LIMIT' && inForce === 'GTX' ? 'LIMIT_MAKER' : known,
    ...(price === undefined ? {} : { price }),
    ...(stopPrice === undefined ? {} : { stopPrice }),
    timeInForce: inForce === 'IOC' || inForce === 'FOK' ? inForce : 'GTC',
    // In hedge mode the side of the position says whether an order reduces.
    reduceOnly: one.reduceOnly === true && positionSide === 'BOTH',
    closePosition: one.closePosition === true,
    positionSide,
    workingType: one.workingType === 'MARK_PRICE' ? 'MARK_PRICE' : 'CONTRACT_PRICE',
  };
}

/** An order that has executed all of its quantity is filled, whatever its status word. */
function statusOf(word: string, executed: string, quantity: string): ExchangeOrderStatus | null {
  const status = STATUSES.get(word) ?? null;
  const isWhole = dec(executed) > ZERO && dec(executed) >= dec(quantity);
  return status === 'WORKING' && isWhole ? 'FILLED' : status;
}

/**
 * Converts a regular order. `isChild`: a trigger has made it, so its type and terms are those of the
 * conditional order.
 */
export function stateOfOrder(order: FuturesOrder, names: Names, isChild: boolean): ExchangeOrderState | null {
  const status = statusOf(order.status, order.executedQty, order.origQty);
  const terms = termsOf({ ...described(order), type: order.origType ?? order.type });
  if (!status || !terms) return null;
  return {
    ...idsOf(names),
    symbol: order.symbol,
    status,
    origQty: figure(order.origQty),
    cumQty: figure(order.executedQty),
    ...(order.cumQuote === undefined ? {} : { quoteQty: figure(order.cumQuote) }),
    seq: order.updateTime,
    time: order.updateTime,
    ...(status === 'CANCELLED' ? { text: order.status === 'CANCELED' ? 'cancelled' : 'expired' } : {}),
    ...(isChild ? {} : { terms }),
  };
}

function described({ side, price, stopPrice, timeInForce, reduceOnly, closePosition, ...o }: FuturesOrder) {
  const { positionSide, workingType } = o;
  return { side, price, stopPrice, timeInForce, reduceOnly, closePosition, positionSide, workingType };
}

function idsOf({ clientId, venueIds }: Names): Pick<ExchangeOrderState, 'clientId' | 'venueIds'> {
  return { clientId, venueIds };
}

export function stateOfOrderEvent(
  { T, o }: OrderEvent,
  names: Names,
  isChild: boolean,
): ExchangeOrderState | null {
  const status = statusOf(o.X, o.z, o.q);
  const terms = termsOf({
    side: o.S,
    type: o.ot ?? o.o,
    price: o.p,
    stopPrice: o.sp,
    timeInForce: o.f,
    reduceOnly: o.R,
    closePosition: o.cp,
    positionSide: o.ps,
    workingType: o.wt,
  });
  if (!status || !terms) return null;
  return {
    ...idsOf(names),
    symbol: o.s,
    status,
    origQty: figure(o.q),
    cumQty: figure(o.z),
    seq: T,
    time: T,
    ...(status === 'CANCELLED' ? { text: ENDED_BY.get(String(o.er)) ?? 'cancelled' } : {}),
    ...(isChild ? {} : { terms }),
  };
}

/** The stage of a conditional order; `made`: its trigger has made an order, which reports the rest itself. */
export type AlgoStage = 'waiting' | 'firing' | 'made' | 'over';

const STAGES: ReadonlyMap<string, AlgoStage> = new Map([
  ['NEW', 'waiting'],
  // The condition is met and the order is on its way to the matching engine: it may stay so (NT discussion
  // 5378).
  ['TRIGGERING', 'firing'],
  ['TRIGGERED', 'made'],
  ['FINISHED', 'made'],
  ['CANCELED', 'over'],
  ['EXPIRED', 'over'],
  ['REJECTED', 'over'],
]);

/** The stage for a status word. Null: a word that is not known. */
export function stageOf(status: string): AlgoStage | null {
  return STAGES.get(status) ?? null;
}

interface Algo extends Described {
  readonly symbol: string;
  readonly status: string;
  readonly quantity: string | null | undefined;
  /** The executed quantity; left out: not given. */
  readonly executed: string | null | undefined;
  readonly why: string | null | undefined;
  readonly time: number;
  readonly armed: boolean;
}

export function stateOfAlgo(algo: AlgoOrder, names: Names): ExchangeOrderState | null {
  return algoState(
    {
      ...algo,
      type: algo.orderType,
      price: algo.price,
      stopPrice: algo.triggerPrice,
      timeInForce: algo.timeInForce,
      reduceOnly: algo.reduceOnly,
      closePosition: algo.closePosition,
      positionSide: algo.positionSide,
      workingType: algo.workingType,
      status: algo.algoStatus,
      quantity: algo.quantity,
      executed: algo.actualQty,
      why: null,
      time: algo.updateTime,
      armed: false,
    },
    names,
  );
}

export function stateOfAlgoEvent({ T, o }: AlgoEvent, names: Names): ExchangeOrderState | null {
  return algoState(
    {
      symbol: o.s,
      side: o.S,
      type: o.o,
      price: o.p,
      stopPrice: o.tp,
      timeInForce: o.f,
      reduceOnly: o.R,
      closePosition: o.cp,
      positionSide: o.ps,
      workingType: o.wt,
      status: o.X,
      quantity: o.q,
      executed: o.aq,
      why: o.rm,
      time: T,
      armed: o.ia === true,
    },
    names,
  );
}

function algoState(algo: Algo, names: Names): ExchangeOrderState | null {
  const terms = termsOf(algo);
  const stage = stageOf(algo.status);
  if (!terms || !stage) return null;
  const { symbol, time, why } = algo;
  const quantity = figure(algo.quantity);
  const executed = figure(algo.executed);
  const status = algoStatus(algo, stage, names);
  const words = why ? visible(why).slice(0, 200) : null;
  return {
    ...idsOf(names),
    symbol,
    status,
    origQty: quantity,
    cumQty: stage === 'made' ? executed : '0',
    seq: time,
    time,
    ...(status === 'CANCELLED'
      ? { text: words ?? (algo.status === 'EXPIRED' ? 'expired' : 'cancelled') }
      : {}),
    ...(status === 'REJECTED'
      ? { text: words ?? 'refused by the matching engine', reason: reasonOf(why ?? '') }
      : {}),
    ...(algo.armed && status === 'PENDING' ? { armedAt: time } : {}),
    terms,
  };
}

/**
 * Status of a conditional order. FINISHED means filled or cancelled in the matching engine: the executed
 * quantity shows which. An order that closes a position has no quantity of its own: the order that its
 * trigger has made shows how it ended, and until that is asked it counts as open.
 */
function algoStatus(
  { status, quantity, executed, closePosition }: Algo,
  stage: AlgoStage,
  { venueIds }: Names,
): ExchangeOrderStatus {
  if (stage === 'waiting' || stage === 'firing') return 'PENDING';
  if (stage === 'over') return status === 'REJECTED' ? 'REJECTED' : 'CANCELLED';
  if (status === 'TRIGGERED') return venueIds.length > 1 ? 'WORKING' : 'PENDING';
  const done = dec(figure(executed));
  if (done > ZERO && closePosition && dec(figure(quantity)) === ZERO) return 'WORKING';
  return done > ZERO && done >= dec(figure(quantity)) ? 'FILLED' : 'CANCELLED';
}

/** Why the matching engine has refused the order of a trigger: it gives words (`rm`) and no code. */
function reasonOf(words: string): RejectCode {
  if (/reduce\s*-?only/i.test(words)) return 'REDUCE_ONLY';
  if (/margin|insufficient|balance/i.test(words)) return 'BALANCE';
  return 'OTHER';
}
