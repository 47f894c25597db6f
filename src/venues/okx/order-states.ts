/**
 * Converts what OKX says of an order into the words of the port: ordinary and conditional orders, answers and
 * events. `seq` is the exchange's own time of the change. A word that is not known makes the whole
 * unreadable: null. Pure.
 */
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type {
  ExchangeFill,
  ExchangeOrderState,
  ExchangeOrderStatus,
  ExchangeOrderTerms,
} from '../../domain/exchange.ts';
import type { RejectCode } from '../../domain/reject-code.ts';
import type { OrderType, PositionSide, Side } from '../../schemas/order.ts';
import { algoName } from '../kit/algo-names.ts';
import { idOfWire } from './client-ids.ts';
import { OKX_CODES } from './codes.ts';
import { type Listing, quantityOf } from './instruments.ts';
import type { AlgoRow, FillRow, OrderPush, OrderRow } from './messages.ts';

const STATES: ReadonlyMap<string, ExchangeOrderStatus> = new Map([
  ['live', 'WORKING'],
  ['partially_filled', 'WORKING'],
  ['filled', 'FILLED'],
  ['canceled', 'CANCELLED'],
  ['mmp_canceled', 'CANCELLED'],
]);

const TYPES: ReadonlyMap<string, OrderType> = new Map([
  ['limit', 'LIMIT'],
  ['market', 'MARKET'],
  ['post_only', 'LIMIT_MAKER'],
  ['fok', 'LIMIT'],
  ['ioc', 'LIMIT'],
  ['optimal_limit_ioc', 'MARKET'],
  ['elp', 'LIMIT_MAKER'],
]);

/** Reasons of a cancel by `cancelSource` (OD Order channel). */
const ENDED_BY: ReadonlyMap<string, string> = new Map([
  ['0', 'cancelled by the exchange'],
  ['1', 'cancelled'],
  ['2', 'cancelled by the exchange: reduce-only, not enough margin'],
  ['3', 'cancelled by the exchange: risk of liquidation'],
  ['4', 'cancelled by the exchange: borrowing has reached its cap'],
  ['6', 'cancelled by the exchange: ADL'],
  ['7', 'cancelled by the exchange: delivery'],
  ['9', 'cancelled by the exchange: no balance after funding'],
  ['13', 'expired: FOK, it could not be filled as a whole'],
  ['14', 'expired: IOC, the rest was not taken'],
  ['15', 'expired: its price is beyond the limit'],
  ['17', 'cancelled by the exchange: its position was closed at the market'],
  ['20', 'cancelled by the countdown of the account'],
  ['21', 'cancelled by the exchange: its position was closed'],
  ['22', 'cancelled by the exchange: a better reduce-only order rests'],
  ['23', 'cancelled by the exchange: a better reduce-only order came'],
  ['27', 'expired: the price of the other side is too far away'],
  ['31', 'expired: post-only, it would have traded at once'],
  ['32', 'expired: it would have traded with an order of the same account'],
  ['33', 'expired: it has met as many orders as one may'],
]);
const POST_ONLY = '31';

/** Categories of orders that the exchange makes against the account's will. */
const LIQUIDATIONS: ReadonlySet<string> = new Set(['full_liquidation', 'partial_liquidation', 'adl']);
/** `subType` of liquidation and ADL fills (OD Transaction details). */
const LIQUIDATION_FILLS = /^(?:10[0-7]|12[5-8])$/;

export function figure(text: string | null | undefined): string {
  return text ? str(dec(text)) : '0';
}

/** Reads a price. Undefined: none is given; zero and -1, which means at the market, count as none. */
function priceOf(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  const value = dec(text);
  return value <= ZERO ? undefined : str(value);
}

export function positionSideOf(word: string | undefined): PositionSide {
  if (word === 'long') return 'LONG';
  return word === 'short' ? 'SHORT' : 'BOTH';
}

function sideOf(word: string): Side {
  return word === 'buy' ? 'BUY' : 'SELL';
}

function isSet(flag: string | boolean | undefined): boolean {
  return flag === true || flag === 'true';
}

/** Whether a conditional order's trigger has made it: then it goes by that order's names. */
export function isChild({ algoId }: Pick<OrderRow, 'algoId'>): boolean {
  return algoId !== undefined && algoId !== '';
}

export function isLiquidation({ category }: Pick<OrderRow, 'category'>): boolean {
  return category !== undefined && LIQUIDATIONS.has(category);
}

/** The exchange's ids of an order, and ours if it has one. */
export function namesOfOrder(row: OrderRow): Pick<ExchangeOrderState, 'clientId' | 'venueIds'> {
  const { ordId, clOrdId, algoId = '', algoClOrdId = '' } = row;
  if (!isChild(row)) return { clientId: idOfWire(clOrdId), venueIds: [ordId] };
  return { clientId: idOfWire(algoClOrdId), venueIds: [algoName(algoId), ordId] };
}

export function stateOfOrder(row: OrderRow, listing: Listing): ExchangeOrderState | null {
  const known = STATES.get(row.state);
  const type = TYPES.get(row.ordType);
  if (!known || (!type && !isChild(row))) return null;
  const isQuote = row.tgtCcy === 'quote_ccy' && row.ordType === 'market';
  const cumQty = quantityOf(listing, row.accFillSz || '0');
  // The quantity bought for an amount is known when the order has ended.
  const isOver = known !== 'WORKING';
  const origQty = isQuote ? (isOver ? cumQty : '0') : quantityOf(listing, row.sz || '0');
  const isWhole = !isQuote && dec(cumQty) > ZERO && dec(cumQty) >= dec(origQty);
  const cancelled = known === 'CANCELLED';
  const isTaking = cancelled && row.cancelSource === POST_ONLY && dec(cumQty) === ZERO;
  const text = cancelled ? (ENDED_BY.get(row.cancelSource ?? '') ?? 'cancelled') : undefined;
  const time = Number(row.uTime);
  return {
    ...namesOfOrder(row),
    symbol: listing.instrument.symbol,
    status: isTaking ? 'REJECTED' : known === 'WORKING' && isWhole ? 'FILLED' : known,
    origQty,
    cumQty,
    seq: time,
    time,
    ...(text === undefined ? {} : { text }),
    ...(isTaking ? { reason: 'POST_ONLY' as const } : {}),
    ...(type && !isChild(row) ? { terms: termsOfOrder(row, type) } : {}),
  };
}

function termsOfOrder(row: OrderRow, type: OrderType): ExchangeOrderTerms {
  const price = priceOf(row.px);
  const positionSide = positionSideOf(row.posSide);
  return {
    side: sideOf(row.side),
    type,
    ...(price === undefined || type === 'MARKET' ? {} : { price }),
    timeInForce: row.ordType === 'ioc' ? 'IOC' : row.ordType === 'fok' ? 'FOK' : 'GTC',
    // In hedge mode the side of the position says whether an order reduces.
    reduceOnly: isSet(row.reduceOnly) && positionSide === 'BOTH',
    closePosition: false,
    positionSide,
    workingType: 'CONTRACT_PRICE',
  };
}

/** The stage of a conditional order; `made`: its trigger has made an order, which reports the rest itself. */
export type AlgoStage = 'waiting' | 'made' | 'over';

const STAGES: ReadonlyMap<string, AlgoStage> = new Map([
  ['live', 'waiting'],
  ['pause', 'waiting'],
  ['effective', 'made'],
  ['partially_effective', 'made'],
  ['partially_failed', 'made'],
  ['canceled', 'over'],
  ['order_failed', 'over'],
]);

/** The stage for a state. Null: a word that is not known. */
export function stageOf({ state }: Pick<AlgoRow, 'state'>): AlgoStage | null {
  return STAGES.get(state) ?? null;
}

/** The number of the order that its trigger has made, the last of several; null: none. */
export function childOf({ ordId = '', ordIdList = [] }: AlgoRow): string | null {
  const made = ordIdList.findLast((id) => id !== '') ?? ordId;
  return made === '' || made === '0' ? null : made;
}

export function stateOfAlgo(row: AlgoRow, listing: Listing): ExchangeOrderState | null {
  const stage = stageOf(row);
  const terms = termsOfAlgo(row);
  if (!stage || !terms) return null;
  const child = childOf(row);
  const isQuote = row.tgtCcy === 'quote_ccy';
  const origQty = isQuote ? '0' : quantityOf(listing, row.sz || '0');
  const time = Number(row.uTime || row.cTime);
  const status = statusOfAlgo(row, stage, child);
  const follows = row.ordType === 'move_order_stop' && (!row.activePx || !!row.moveTriggerPx);
  return {
    clientId: idOfWire(row.algoClOrdId ?? ''),
    venueIds: [algoName(row.algoId), ...(child === null ? [] : [child])],
    symbol: listing.instrument.symbol,
    status,
    origQty,
    // Only the order that it has made tells of executions: `actualSz` is the quantity of that order.
    cumQty: '0',
    seq: time,
    time,
    terms,
    ...(status === 'CANCELLED' ? { text: 'cancelled' } : {}),
    ...(status === 'REJECTED' ? failureOf(row.failCode ?? '') : {}),
    ...(status === 'PENDING' && follows ? { armedAt: time } : {}),
  };
}

function statusOfAlgo({ state }: AlgoRow, stage: AlgoStage, child: string | null): ExchangeOrderStatus {
  if (stage === 'waiting') return 'PENDING';
  if (stage === 'over') return state === 'order_failed' ? 'REJECTED' : 'CANCELLED';
  return child === null ? 'PENDING' : 'WORKING';
}

/** Why a trigger has failed: `failCode` is one of the codes that refuse an order. */
function failureOf(code: string): { readonly text: string; readonly reason: RejectCode } {
  const meaning = OKX_CODES.meaning('submit', { code, message: '' });
  const reason = meaning.kind === 'rejected' ? meaning.reason : 'OTHER';
  return { text: `its trigger was met and the exchange refused its order (${code || 'no code'})`, reason };
}

function termsOfAlgo(row: AlgoRow): ExchangeOrderTerms | null {
  const form = algoForm(row);
  if (!form) return null;
  const { type, stopPrice, price, working } = form;
  const positionSide = positionSideOf(row.posSide);
  const closesAll = dec(row.closeFraction || '0') > ZERO;
  return {
    side: sideOf(row.side),
    type,
    ...(price === undefined ? {} : { price }),
    ...(stopPrice === undefined ? {} : { stopPrice }),
    timeInForce: 'GTC',
    reduceOnly: isSet(row.reduceOnly) && positionSide === 'BOTH' && !closesAll,
    closePosition: closesAll,
    positionSide,
    workingType: working === 'mark' ? 'MARK_PRICE' : 'CONTRACT_PRICE',
  };
}

function algoForm(row: AlgoRow) {
  const limitOr = (limit: OrderType, market: OrderType, px: string | undefined) =>
    priceOf(px) === undefined ? market : limit;
  switch (row.ordType) {
    case 'conditional':
    case 'oco': {
      // If there are both, the stop is the one that protects.
      const sl = priceOf(row.slTriggerPx);
      if (sl !== undefined)
        return {
          type: limitOr('STOP_LIMIT', 'STOP_MARKET', row.slOrdPx),
          stopPrice: sl,
          price: priceOf(row.slOrdPx),
          working: row.slTriggerPxType,
        };
      const tp = priceOf(row.tpTriggerPx);
      return {
        type: limitOr('TAKE_PROFIT_LIMIT', 'TAKE_PROFIT_MARKET', row.tpOrdPx),
        stopPrice: tp,
        price: priceOf(row.tpOrdPx),
        working: row.tpTriggerPxType,
      };
    }
    case 'trigger':
      return {
        type: limitOr('STOP_LIMIT', 'STOP_MARKET', row.ordPx),
        stopPrice: priceOf(row.triggerPx),
        price: priceOf(row.ordPx),
        working: row.triggerPxType,
      };
    case 'move_order_stop':
      return { type: 'STOP_MARKET' as const, stopPrice: undefined, price: undefined, working: 'last' };
    default:
      return null;
  }
}

/** The cost from a fee: OKX writes a charge as negative, a rebate as positive. */
function costOf(fee: string | undefined): string {
  return fee ? str(-dec(fee)) : '0';
}

/** The fill in an event. Null: it has no execution, or one whose number only a request gives. */
export function fillOfPush(row: OrderPush, listing: Listing): ExchangeFill | null {
  const { tradeId = '', fillSz, fillPx } = row;
  if (tradeId === '' || tradeId === '0' || !fillSz || !fillPx || dec(fillSz) === ZERO) return null;
  const { kind, quote } = listing.instrument;
  return {
    tradeId,
    clientId: namesOfOrder(row).clientId,
    venueId: row.ordId,
    symbol: listing.instrument.symbol,
    side: sideOf(row.side),
    price: figure(fillPx),
    qty: quantityOf(listing, fillSz),
    comm: costOf(row.fillFee),
    commAsset: row.fillFeeCcy || quote,
    maker: row.execType === 'M',
    rPnl: kind === 'spot' ? null : figure(row.fillPnl),
    posSide: positionSideOf(row.posSide),
    time: Number(row.fillTime || row.uTime),
    ...(isLiquidation(row) ? { liquidation: true } : {}),
  };
}

export function fillOfRow(row: FillRow, listing: Listing, clientId: string): ExchangeFill {
  const { kind, quote } = listing.instrument;
  return {
    tradeId: row.tradeId,
    clientId,
    venueId: row.ordId,
    symbol: listing.instrument.symbol,
    side: sideOf(row.side),
    price: figure(row.fillPx),
    qty: quantityOf(listing, row.fillSz),
    comm: costOf(row.fee),
    commAsset: row.feeCcy || quote,
    maker: row.execType === 'M',
    rPnl: kind === 'spot' ? null : figure(row.fillPnl),
    posSide: positionSideOf(row.posSide),
    time: Number(row.fillTime || row.ts),
    ...(LIQUIDATION_FILLS.test(row.subType ?? '') ? { liquidation: true } : {}),
  };
}
