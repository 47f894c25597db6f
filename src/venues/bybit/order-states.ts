/**
 * What the exchange says of an order, in the words of the port, from answers and events alike. `seq` is the exchange's own time of the
 * change. A word that is not known makes the whole unreadable: null.
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
  /** Of a symbol that is traded; zero: it is not known. */
  readonly stepOf: (symbol: string) => Dec;
}

/** `orderStatus` (DOC enum). A trigger that is met passes through `Triggered`, which tells nothing new. */
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
/** `rejectReason` that is none. */
const NO_REASON: ReadonlySet<string> = new Set(['', 'EC_NoError', 'EC_PerCancelRequest', 'UNKNOWN']);

/** Null: a word in it is not known here. */
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

/** What was asked over an amount of the quote asset has the quantity that it bought. */
function quantityOf({ qty }: OrderRow, executed: string, isAmount: boolean): string {
  const quantity = figure(qty);
  // What closes all of a position is sized when it does.
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
  // What is open and has executed all of its quantity is filled, whatever it is called.
  if (word === 'WORKING') return !isAmount && done > ZERO && done >= dec(row.qty) ? 'FILLED' : 'WORKING';
  if (word === 'CANCELLED' && isAmount && hasSpentAll(row, done, stepOf(row.symbol))) return 'FILLED';
  // S63: one that was never open and has done nothing was refused; what it did before counts, whatever it is called.
  const isRefused = done === ZERO && !wasOpen;
  if (word === 'REJECTED') return isRefused ? 'REJECTED' : 'CANCELLED';
  if (word === 'CANCELLED' && row.rejectReason === POST_ONLY && isRefused) return 'REJECTED';
  return word;
}

/** What it has left is worth less than one step of quantity at the price that it had. */
function hasSpentAll(row: OrderRow, done: Dec, step: Dec): boolean {
  const value = dec(figure(row.cumExecValue));
  if (done === ZERO || value === ZERO) return false;
  return mul(dec(figure(row.qty)) - value, done) < mul(step, value);
}

/**
 * Spot has no direction of a trigger: one that was passed while the order was on its way is waited for from the other side, and the
 * order protects nothing.
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

/** Words that are in no table, as of older and demo services: INSUFFICIENT_MARGIN. */
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
    // Of a market order it is the bound of what it may pay.
    ...(price === undefined ? {} : { price }),
    ...(stopPrice === undefined ? {} : { stopPrice }),
    timeInForce: timeInForce === 'IOC' || timeInForce === 'FOK' ? timeInForce : 'GTC',
    // In hedge mode the side of the position says so.
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

/** `stopOrderType` that is none. */
const NO_STOP: ReadonlySet<string> = new Set(['', 'UNKNOWN']);

/** It waits for a trigger, or has waited for one. */
export function hasTrigger({ stopOrderType = '' }: Pick<OrderRow, 'stopOrderType'>): boolean {
  return !NO_STOP.has(stopOrderType);
}

/** There is no take-profit of its own: which of the two it is says the direction, or where the price was. */
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
