/**
 * An order and its rows over REST and on the `orders` channel; the differences between the two are here.
 * Sources: OKX v5 "Order details", "Order channel".
 */
import { type Dec, div, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { Fill, PosSide } from './account.ts';
import { unitOf } from './instruments.ts';
import type { Instrument, OkxMarket } from './market.ts';
import type { InstType } from './wire.ts';

export const ORDER_TYPES = ['market', 'limit', 'post_only', 'fok', 'ioc', 'optimal_limit_ioc'] as const;
export type OrdType = (typeof ORDER_TYPES)[number];
export type OrderState = 'live' | 'partially_filled' | 'filled' | 'canceled';

export interface OkxOrder {
  readonly account: string;
  readonly instId: string;
  readonly instType: InstType;
  readonly ordId: string;
  readonly clOrdId: string;
  readonly tag: string;
  readonly side: 'buy' | 'sell';
  readonly posSide: PosSide;
  readonly tdMode: 'cash' | 'cross' | 'isolated';
  readonly ordType: OrdType;
  /** Null: market price. */
  px: Dec | null;
  /** Size as sent: quote for spot market orders with `quote_ccy`, otherwise base or contracts. */
  sz: Dec;
  readonly tgtCcy: '' | 'base_ccy' | 'quote_ccy';
  readonly reduceOnly: boolean;
  readonly stpMode: string;
  readonly lever: Dec | null;
  /** Quantity to be filled, base or contracts; for quote sizes the quantity that the book gives. */
  qty: Dec;
  filled: Dec;
  /** Sum of price x size. */
  value: Dec;
  /** Swap orders: contracts that open or enlarge a position. */
  opening: Dec;
  fee: Dec;
  feeCcy: string;
  rebate: Dec;
  rebateCcy: string;
  pnl: Dec;
  state: OrderState;
  readonly category: 'normal' | 'full_liquidation' | 'partial_liquidation' | 'adl';
  /** 6 trigger, 7 TP/SL, 25 trailing. */
  readonly source: '' | '6' | '7' | '25';
  readonly algoId: string;
  readonly algoClOrdId: string;
  cancelSource: string;
  frozen: { ccy: string; amount: Dec } | null;
  last: Fill | null;
  readonly cTime: number;
  uTime: number;
  /** Time that gives its place in the queue: an amended order gets a new one. */
  queuedAt: number;
}

export const isOpen = ({ state }: { state: OrderState }): boolean =>
  state === 'live' || state === 'partially_filled';

/** Reasons of an order's end, as in `cancelSource`. */
export const CANCEL = {
  system: '0',
  user: '1',
  risk: '3',
  fok: '13',
  ioc: '14',
  band: '15',
  closedAtMarket: '17',
  countdown: '20',
  positionClosed: '21',
  postOnly: '31',
} as const;

const REASONS: Readonly<Record<string, string>> = {
  '0': 'Order canceled by system',
  '1': 'Order canceled by user',
  '3': 'Order canceled: Risk cancellation was triggered. Pending order was canceled due to insufficient maintenance margin ratio and forced-liquidation risk.',
  '13': 'Order canceled: FOK order was canceled due to incompletely filled.',
  '14': 'Order canceled: IOC order was partially canceled due to incompletely filled.',
  '15': 'Order canceled: The order price is beyond the limit',
  '17': 'Order canceled: Close order was canceled, due to the position was already closed at market price.',
  '20': 'Cancel all after triggered',
  '21': 'Order canceled: The TP/SL order was canceled because the position had been closed',
  '31': 'The post-only order will take liquidity in taker orders',
};

const optional = (value: Dec | null): string => (value === null ? '' : str(value));

function averageOf(order: OkxOrder): Dec {
  return order.filled === ZERO ? ZERO : div(order.value, order.filled);
}

function common(order: OkxOrder): Record<string, unknown> {
  const isSwap = order.instType === 'SWAP';
  return {
    instType: order.instType,
    instId: order.instId,
    tgtCcy: order.tgtCcy,
    ccy: '',
    ordId: order.ordId,
    clOrdId: order.clOrdId,
    tag: order.tag,
    px: optional(order.px),
    pxUsd: '',
    pxVol: '',
    pxType: '',
    sz: str(order.sz),
    ordType: order.ordType,
    side: order.side,
    tdMode: order.tdMode,
    accFillSz: str(order.filled),
    state: order.state,
    attachAlgoClOrdId: '',
    tpTriggerPx: '',
    tpTriggerPxType: '',
    tpOrdPx: '',
    slTriggerPx: '',
    slTriggerPxType: '',
    slOrdPx: '',
    attachAlgoOrds: [],
    linkedAlgoOrd: { algoId: '' },
    stpId: '',
    stpMode: order.stpMode,
    feeCcy: order.feeCcy,
    fee: str(order.fee),
    rebateCcy: order.rebateCcy,
    rebate: str(order.rebate),
    pnl: str(order.pnl),
    source: order.source,
    cancelSource: order.cancelSource,
    category: order.category,
    reduceOnly: String(order.reduceOnly),
    quickMgnType: '',
    algoClOrdId: order.algoClOrdId,
    algoId: order.algoId,
    isTpLimit: 'false',
    tradeQuoteCcy: isSwap ? '' : (order.instId.split('-')[1] ?? ''),
    uTime: String(order.uTime),
    cTime: String(order.cTime),
  };
}

/** The row over REST: the last fill, empty texts before the first. Liquidations have trade 0. */
export function orderRow(order: OkxOrder): Record<string, unknown> {
  const { last } = order;
  return {
    ...common(order),
    posSide: order.posSide,
    lever: optional(order.lever),
    avgPx: order.filled === ZERO ? '' : str(averageOf(order)),
    fillPx: last ? str(last.px) : '',
    fillSz: last ? str(last.sz) : '0',
    fillTime: last ? String(last.fillTime) : '',
    tradeId: last ? tradeIdOf(order, last) : '',
    cancelSourceReason: REASONS[order.cancelSource] ?? '',
  };
}

/** Fields of a channel message beside the order. */
export interface OrderNews {
  /** The reported fill; left out: fillSz is 0 and there is no trade. */
  readonly fill?: Fill;
  readonly reqId?: string;
  readonly amendResult?: string;
  readonly amendSource?: string;
  readonly code?: string;
  readonly msg?: string;
}

/** The row on the channel: this fill, `0` before the first. */
export function orderNews(
  order: OkxOrder,
  news: OrderNews,
  m: Instrument,
  market: OkxMarket,
): Record<string, unknown> {
  const { fill } = news;
  const isSwap = order.instType === 'SWAP';
  const usd = market.usd(isSwap ? m.spec.settle : m.spec.quote);
  const notional = (size: Dec, price: Dec) => str(mul(mul(mul(size, unitOf(m.spec)), price), usd));
  return {
    ...common(order),
    posSide: isSwap ? order.posSide : '',
    lever: order.lever === null ? '0' : str(order.lever),
    avgPx: str(averageOf(order)),
    fillPx: fill ? str(fill.px) : '',
    fillSz: fill ? str(fill.sz) : '0',
    fillTime: fill ? String(fill.fillTime) : '',
    tradeId: fill ? tradeIdOf(order, fill) : '',
    fillPnl: fill ? str(fill.pnl) : '0',
    fillFee: fill ? str(fill.fee) : '0',
    fillFeeCcy: fill ? fill.feeCcy : '',
    fillNotionalUsd: fill ? notional(order.filled, fill.px) : '',
    fillMarkPx: fill && isSwap ? str(fill.markPx) : '',
    fillIdxPx: fill ? str(fill.idxPx) : '',
    fillMarkVol: '',
    fillFwdPx: '',
    fillPxUsd: '',
    fillPxVol: '',
    execType: fill ? fill.execType : '',
    notionalUsd: notional(order.qty, order.px ?? m.last),
    lastPx: str(m.last),
    reqId: news.reqId ?? '',
    amendResult: news.amendResult ?? '',
    amendSource: news.amendSource ?? '',
    code: news.code ?? '0',
    msg: news.msg ?? '',
  };
}

function tradeIdOf(order: OkxOrder, fill: Fill): string {
  return order.category === 'normal' ? fill.tradeId : '0';
}

/** A row of `fills`. */
export function fillRow(fill: Fill): Record<string, unknown> {
  const { order } = fill;
  const isSwap = order.instType === 'SWAP';
  return {
    instType: order.instType,
    instId: order.instId,
    tradeId: fill.tradeId,
    ordId: order.ordId,
    clOrdId: order.clOrdId,
    billId: fill.billId,
    subType: fill.subType,
    tag: order.tag,
    fillPx: str(fill.px),
    fillSz: str(fill.sz),
    fillIdxPx: str(fill.idxPx),
    fillPnl: str(fill.pnl),
    fillPxVol: '',
    fillPxUsd: '',
    fillMarkVol: '',
    fillFwdPx: '',
    fillMarkPx: isSwap ? str(fill.markPx) : '',
    side: order.side,
    posSide: order.posSide,
    execType: fill.execType,
    feeCcy: fill.feeCcy,
    fee: str(fill.fee),
    feeRate: isSwap ? '' : str(-fill.feeRate),
    ts: String(fill.ts),
    fillTime: String(fill.fillTime),
    tradeQuoteCcy: isSwap ? '' : (order.instId.split('-')[1] ?? ''),
  };
}
