/**
 * Converts the exchange's state of an order to that of the port, for answers and events alike. `seq` is the
 * exchange's own time of the change. An unknown word makes the whole state unreadable: null.
 */
import { type Dec, dec, mul, ZERO } from '../../domain/decimal.ts';
import type { ExchangeOrderState, ExchangeOrderStatus, ExchangeOrderTerms } from '../../domain/exchange.ts';
import { visible } from '../../domain/visible.ts';
import type { OrderType, Side } from '../../schemas/order.ts';
import type { Category } from './category.ts';
import { REJECT_REASONS } from './codes.ts';
import { figure, priceOf } from './figures.ts';
import type { OrderRow } from './messages.ts';
import { type OrderNamesKept, type SentOrder, sideOf } from './order-names.ts';
import { directionOf } from './wire-order.ts';

export interface StatesGiven {
  readonly category: Category;
  readonly names: OrderNamesKept;
  /** The step size of a symbol; zero: not known. */
  readonly stepOf: (symbol: string) => Dec;
}

/**
 * `orderStatus` (DOC enum). An order whose trigger is met passes through `Triggered`, which contains nothing
 * new.
 */
const STATUSES: ReadonlyMap<string, ExchangeOrderStatus> = new Map([
  ['New', 'WORKING'],
  ['PartiallyFilled', 'WORKING'],
  ['Untriggered', 'PENDING'],
  ['Triggered', 'PENDING'],
  ['Filled', 'FILLED'],
  ['Cancelled', 'CANCELLED'],
  ['PartiallyFilledCanceled', 'CANCELLED'],
  ['Deactivated', 'CANCELLED'],
  ['Rejected', 'REJECTED'],
]);

/** `cancelType` (DOC enum). */
const ENDED_BY: ReadonlyMap<string, string> = new Map([
  ['CancelByUser', 'cancelled'],
  ['CancelByReduceOnly', 'cancelled: nothing was left to reduce'],
  ['CancelByPrepareLiq', 'cancelled to prevent a liquidation'],
  ['CancelAllBeforeLiq', 'cancelled to prevent a liquidation'],
  ['CancelByPrepareAdl', 'cancelled by auto-deleveraging'],
  ['CancelAllBeforeAdl', 'cancelled by auto-deleveraging'],
  ['CancelByAdmin', 'cancelled by the exchange'],
  ['CancelBySettle', 'cancelled: the contract is delisted'],
  ['CancelByTpSlTsClear', 'cancelled: its position is closed'],
  ['CancelBySmp', 'cancelled: it would have traded with an order of the same account'],
  ['CancelByDCP', 'cancelled: the line of this account was broken (DCP)'],
]);

const POST_ONLY = 'EC_PostOnlyWillTakeLiquidity';
/** Values of `rejectReason` that mean no reason. */
const NO_REASON: ReadonlySet<string> = new Set(['', 'EC_NoError', 'EC_PerCancelRequest', 'UNKNOWN']);

/** Converts a row; null: a word in it is not known. */
export function stateOf(row: OrderRow, given: StatesGiven): ExchangeOrderState | null {
  const { names } = given;
  const { orderId, orderLinkId: clientId = '', symbol, rejectReason = '' } = row;
  const word = STATUSES.get(row.orderStatus);
  if (!word || (row.orderType !== 'Limit' && row.orderType !== 'Market')) return null;
  const sent = clientId === '' ? undefined : names.sent(clientId);
  const executed = figure(row.cumExecQty);
  const quantity = quantityOf(row, executed, isByAmount(row, given.category, sent));
  const isOpen = word === 'WORKING' || word === 'PENDING';
  const wasOpen = names.heard(orderId, clientId, row.positionIdx ?? 0, isOpen);
  const status = statusOf(row, word, executed, { ...given, wasOpen, sent });
  const time = Number(row.updatedTime);
  return {
    clientId,
    venueIds: [orderId],
    symbol,
    status,
    origQty: quantity,
    cumQty: executed,
    ...(row.cumExecValue === undefined ? {} : { quoteQty: figure(row.cumExecValue) }),
    seq: time,
    time,
    ...(status === 'CANCELLED' || status === 'REJECTED' ? { text: wordsOf(row) } : {}),
    ...(status === 'REJECTED' ? { reason: REJECT_REASONS[rejectReason] ?? reasonOf(rejectReason) } : {}),
    ...(status === 'PENDING' && waitsForTheOtherSide(row, given.category, sent) ? { stuck: true } : {}),
    terms: termsOf(row),
  };
}

/** The quantity of an order. One for an amount of the quote asset has the quantity that it has executed. */
function quantityOf({ qty }: OrderRow, executed: string, isAmount: boolean): string {
  const quantity = figure(qty);
  // The size of an order that closes a whole position is set when it does so.
  return isAmount || dec(quantity) === ZERO ? executed : quantity;
}

function isByAmount({ orderType, marketUnit = '', side }: OrderRow, category: Category, sent?: SentOrder) {
  if (category !== 'spot' || orderType !== 'Market') return false;
  if (sent) return sent.quoteOrderQty !== undefined;
  return marketUnit === 'quoteCoin' || (marketUnit === '' && side === 'Buy');
}

function statusOf(
  row: OrderRow,
  word: ExchangeOrderStatus,
  executed: string,
  { category, stepOf, wasOpen, sent }: StatesGiven & { wasOpen: boolean; sent: SentOrder | undefined },
): ExchangeOrderStatus {
  const done = dec(executed);
  const isAmount = isByAmount(row, category, sent);
  // An open order that has executed its whole quantity is filled, whatever its status says.
  if (word === 'WORKING') return !isAmount && done > ZERO && done >= dec(row.qty) ? 'FILLED' : 'WORKING';
  if (word === 'CANCELLED' && isAmount && hasSpentAll(row, done, stepOf(row.symbol))) return 'FILLED';
  // S63: an order that was never open and has executed nothing was refused; executions count, whatever the
  // status says.
  const isRefused = done === ZERO && !wasOpen;
  if (word === 'REJECTED') return isRefused ? 'REJECTED' : 'CANCELLED';
  if (word === 'CANCELLED' && row.rejectReason === POST_ONLY && isRefused) return 'REJECTED';
  return word;
}

/** Whether the rest of the amount is worth less than one step of quantity at the order's average price. */
function hasSpentAll(row: OrderRow, done: Dec, step: Dec): boolean {
  const value = dec(figure(row.cumExecValue));
  if (done === ZERO || value === ZERO) return false;
  return mul(dec(figure(row.qty)) - value, done) < mul(step, value);
}

/**
 * Whether a conditional order waits on the wrong side. Spot has no trigger direction: if the trigger price
 * was passed while the order was in flight, the exchange waits for it from the other side, and the order
 * protects nothing.
 */
function waitsForTheOtherSide(row: OrderRow, category: Category, sent?: SentOrder): boolean {
  const trigger = priceOf(row.triggerPrice);
  const last = priceOf(row.lastPriceOnCreated);
  if (category !== 'spot' || !sent || trigger === undefined || last === undefined) return false;
  return directionOf(sent) === 1 ? dec(trigger) <= dec(last) : dec(trigger) >= dec(last);
}

function wordsOf({ cancelType = '', rejectReason = '' }: OrderRow): string {
  if (rejectReason === POST_ONLY) return 'post-only: it would have traded at once';
  const byType = ENDED_BY.get(cancelType);
  if (!NO_REASON.has(rejectReason) && cancelType !== 'CancelByUser')
    return visible(rejectReason.replace(/^EC_/, '')).slice(0, 120);
  return byType ?? 'cancelled';
}

/** The reject code of a reason that is in no table, as in older and demo services: INSUFFICIENT_MARGIN. */
function reasonOf(words: string) {
  if (/margin|insufficient|balance|afford/i.test(words)) return 'BALANCE' as const;
  if (/reduce.?only/i.test(words)) return 'REDUCE_ONLY' as const;
  return 'OTHER' as const;
}

function termsOf(row: OrderRow): ExchangeOrderTerms {
  const { timeInForce, positionIdx = 0, closeOnTrigger, qty } = row;
  const price = row.orderType === 'Limit' ? priceOf(row.price) : undefined;
  const type = typeOf(row);
  const stopPrice = isTriggered(type) ? priceOf(row.triggerPrice) : undefined;
  const positionSide = sideOf(positionIdx);
  return {
    side: sideOfOrder(row.side),
    type,
    // For a market order `price` is only a limit on what it may pay.
    ...(price === undefined ? {} : { price }),
    ...(stopPrice === undefined ? {} : { stopPrice }),
    timeInForce: timeInForce === 'IOC' || timeInForce === 'FOK' ? timeInForce : 'GTC',
    // In hedge mode the position side says so.
    reduceOnly: row.reduceOnly === true && positionSide === 'BOTH',
    closePosition: closeOnTrigger === true && dec(qty) === ZERO,
    positionSide,
    workingType: row.triggerBy === 'MarkPrice' ? 'MARK_PRICE' : 'CONTRACT_PRICE',
  };
}

export function sideOfOrder(side: 'Buy' | 'Sell'): Side {
  return side === 'Buy' ? 'BUY' : 'SELL';
}

function isTriggered(type: OrderType): boolean {
  return type.startsWith('STOP_') || type.startsWith('TAKE_PROFIT_');
}

/** Values of `stopOrderType` that mean no stop. */
const NO_STOP: ReadonlySet<string> = new Set(['', 'UNKNOWN']);

/** Whether the order waits for a trigger, or has waited for one. */
export function hasTrigger({ stopOrderType = '' }: Pick<OrderRow, 'stopOrderType'>): boolean {
  return !NO_STOP.has(stopOrderType);
}

/**
 * The type of an order. Bybit has no separate take-profit orders: the trigger direction, or the price at
 * creation, tells them from stops.
 */
function typeOf(row: OrderRow): OrderType {
  const isLimit = row.orderType === 'Limit';
  const { stopOrderType = '', triggerDirection = 0, side } = row;
  const trigger = priceOf(row.triggerPrice);
  if (!hasTrigger(row) || trigger === undefined) {
    if (!isLimit) return 'MARKET';
    return row.timeInForce === 'PostOnly' ? 'LIMIT_MAKER' : 'LIMIT';
  }
  const last = dec(figure(row.lastPriceOnCreated));
  const rises = triggerDirection === 1 || (triggerDirection !== 2 && dec(trigger) > last);
  const meets = /TakeProfit/.test(stopOrderType) || (side === 'Buy') !== rises;
  const isProfit = meets && !/StopLoss/.test(stopOrderType);
  if (isProfit) return isLimit ? 'TAKE_PROFIT_LIMIT' : 'TAKE_PROFIT_MARKET';
  return isLimit ? 'STOP_LIMIT' : 'STOP_MARKET';
}
