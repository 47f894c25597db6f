/**
 * How an order record is shown: the specification's Order for the API, with more fields for the console.
 * Pure.
 */
import { type Dec, dec, decOfInt, div, mul, roundTo, str } from '../domain/decimal.ts';
import {
  type FillRecord,
  isContradicted,
  isWithoutStop,
  type OrderRecord,
  type OrderView,
} from '../domain/order.ts';
import type { Order, Side, Trade } from '../schemas/order.ts';

/** Averages are rounded to this step; a single fill's price is always exact. */
const AVERAGE_STEP = dec('0.0000000000000001');

const BPS = decOfInt(10_000);

/** Returns the price at which a trailing stop fires now, `best` being the best price since it was armed. */
export function trailLevel(side: Side, delta: number, best: Dec): Dec {
  const distance = mul(best, div(decOfInt(delta), BPS));
  return side === 'SELL' ? best - distance : best + distance;
}

export function orderOf(record: OrderRecord): Order {
  const executed = dec(record.executedQty);
  return {
    id: record.id,
    exchange: record.exchange,
    symbol: record.symbol,
    side: record.side,
    type: record.type,
    status: record.status,
    positionSide: record.positionSide,
    ...(record.price === undefined ? {} : { price: record.price }),
    stopPrice: record.stopPrice ?? null,
    fillPrice: executed > 0n ? str(roundTo(div(dec(record.quoteQty), executed), AVERAGE_STEP)) : null,
    origQty: record.origQty,
    executedQty: record.executedQty,
    reduceOnly: record.reduceOnly,
    closePosition: record.closePosition,
    trailing: record.trailing ? { delta: record.trailing.delta, time: record.trailing.armedAt ?? 0 } : null,
    isContract: record.isContract,
    isWorking: record.isWorking,
    creator: record.creator,
    creatorId: record.creatorId,
    metadata: record.metadata,
    specific: specificOf(record),
    orderTime: record.orderTime,
  };
}

export function orderViewOf(record: OrderRecord): OrderView {
  const unresolved = record.submission?.unresolved;
  return {
    ...orderOf(record),
    timeInForce: record.timeInForce,
    ...(record.goodTillDate === undefined ? {} : { goodTillDate: record.goodTillDate }),
    ...(record.workingType === 'CONTRACT_PRICE' ? { workingType: record.workingType } : {}),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ...(unresolved ? { unresolved: { ...unresolved } } : {}),
    cancelPending: isCancelPending(record),
    ...(isChanging(record) ? { amendPending: true as const } : {}),
    ...contradictionOf(record),
    ...(record.cancel?.forSplit ? { splitting: true } : {}),
    ...(record.phase === 'waiting' ? { waiting: true } : {}),
    ...(isWithoutStop(record) ? { withoutStop: true as const } : {}),
    ...(record.splitFrom === undefined ? {} : { splitFrom: record.splitFrom }),
    ...(record.replaces === undefined ? {} : { replaces: record.replaces }),
    ...(record.replacedBy === undefined ? {} : { replacedBy: record.replacedBy }),
    ...(record.text === undefined ? {} : { text: record.text }),
    ...(record.phase === 'held' ? { held: true as const, ...trailOf(record) } : {}),
  };
}

function trailOf({ side, trailing }: OrderRecord): Pick<OrderView, 'trail'> {
  if (trailing?.best === undefined) return {};
  const level = trailLevel(side, trailing.delta, dec(trailing.best));
  return { trail: { best: trailing.best, level: str(level) } };
}

/** Returns whether a cancel is pending; one that was refused for good is not. */
function isCancelPending({ cancel, contradiction }: OrderRecord): boolean {
  return cancel !== undefined || (contradiction?.cancel !== undefined && contradiction.cancel !== 'refused');
}

/** Returns whether a change is pending, in place or by another order. */
function isChanging({ change, cancel }: OrderRecord): boolean {
  return change !== undefined || cancel?.forChange === true;
}

/**
 * Returns the fields of a contradiction: such an order is listed with the unresolved ones until it is gone
 * (S62).
 */
function contradictionOf(record: OrderRecord): Pick<OrderView, 'contradiction' | 'unresolved'> {
  const { contradiction } = record;
  if (!contradiction || !isContradicted(record)) return {};
  const { since, proof, cancel, asked, nextAskAt = since } = contradiction;
  const cause = `${record.status} here, but ${proof}; ${cancel ? `cancel ${cancel}` : 'its executions are asked for'}`;
  return { contradiction: true, unresolved: { since, cause, asked, nextAskAt, settlesAt: nextAskAt } };
}

export function tradeOf(fill: FillRecord): Trade {
  return {
    symbol: fill.symbol,
    side: fill.side,
    price: fill.price,
    qty: fill.qty,
    comm: fill.comm,
    commAsset: fill.commAsset,
    buyer: fill.side === 'BUY',
    rPnl: fill.rPnl,
    posSide: fill.posSide,
    time: fill.time,
  };
}

function specificOf(record: OrderRecord): Record<string, unknown> {
  const specific: Record<string, unknown> = { timeInForce: record.timeInForce };
  if (record.goodTillDate !== undefined) specific.goodTillDate = record.goodTillDate;
  if (record.icebergQty !== undefined) specific.icebergQty = record.icebergQty;
  if (record.trailing?.activationPrice !== undefined)
    specific.activationPrice = record.trailing.activationPrice;
  if (record.emulated) specific.emulated = true;
  if (record.external) specific.external = true;
  if (record.submission?.unresolved || record.notConnected || isContradicted(record))
    specific.unresolved = true;
  if (record.contradiction) specific.contradiction = true;
  if (isCancelPending(record)) specific.cancelPending = true;
  if (isChanging(record)) specific.amendPending = true;
  if (record.splitFrom !== undefined) specific.splitFrom = record.splitFrom;
  if (record.replaces !== undefined) specific.replaces = record.replaces;
  if (record.replacedBy !== undefined) specific.replacedBy = record.replacedBy;
  return specific;
}
