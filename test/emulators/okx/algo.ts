/**
 * An algo order and its rows. It is identified by `algoClOrdId`; when it triggers it makes an ordinary order
 * with a number and a client id of its own. Sources: OKX v5 "Algo order details", "Algo orders channel",
 * "Advance algo orders channel".
 */
import { type Dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { PosSide } from './account.ts';
import { unitOf } from './instruments.ts';
import type { Instrument, OkxMarket } from './market.ts';
import type { InstType } from './wire.ts';

export const ALGO_TYPES = ['conditional', 'oco', 'trigger', 'move_order_stop'] as const;
export type AlgoType = (typeof ALGO_TYPES)[number];
export type TriggerType = 'last' | 'index' | 'mark';
export type AlgoState = 'live' | 'effective' | 'canceled' | 'order_failed';

/** One trigger with the price of the resulting order; null: market price. */
export interface Leg {
  triggerPx: Dec;
  ordPx: Dec | null;
  type: TriggerType;
}

export interface AlgoOrder {
  readonly account: string;
  readonly instId: string;
  readonly instType: InstType;
  readonly algoId: string;
  readonly algoClOrdId: string;
  readonly tag: string;
  readonly ordType: AlgoType;
  readonly side: 'buy' | 'sell';
  readonly posSide: PosSide;
  readonly tdMode: 'cash' | 'cross' | 'isolated';
  readonly tgtCcy: '' | 'base_ccy' | 'quote_ccy';
  /** Null: `closeFraction` 1. */
  sz: Dec | null;
  readonly reduceOnly: boolean;
  readonly endsWithPosition: boolean;
  tp: Leg | null;
  sl: Leg | null;
  /** The trigger of type `trigger`; its direction follows from the price at the placement. */
  trigger: (Leg & { rises: boolean }) | null;
  readonly advanceOrdType: '' | 'fok' | 'ioc';
  /** Fields of `move_order_stop`. */
  readonly callbackRatio: Dec | null;
  readonly callbackSpread: Dec | null;
  readonly activePx: Dec | null;
  isActive: boolean;
  /** The best price since activation. */
  peak: Dec;
  readonly lever: Dec | null;
  /** Last price at the placement. */
  readonly last: Dec;
  state: AlgoState;
  failCode: string;
  ordId: string;
  actualSz: Dec;
  actualPx: string;
  actualSide: '' | 'tp' | 'sl';
  triggerTime: number;
  readonly cTime: number;
  uTime: number;
}

export interface AlgoNews {
  readonly reqId?: string;
  readonly amendResult?: string;
}

/** Whether the order is reported on the advance channel. */
export const isAdvanced = ({ ordType }: AlgoOrder): boolean => ordType === 'move_order_stop';

const optional = (value: Dec | null | undefined): string =>
  value === null || value === undefined ? '' : str(value);

function legTexts(name: 'tp' | 'sl', leg: Leg | null): Record<string, string> {
  return {
    [`${name}TriggerPx`]: leg ? str(leg.triggerPx) : '',
    [`${name}TriggerPxType`]: leg ? leg.type : '',
    [`${name}OrdPx`]: leg ? (leg.ordPx === null ? '-1' : str(leg.ordPx)) : '',
  };
}

/** The present trigger price of a trailing order; null: it is not active. */
export function moveTriggerPx(algo: AlgoOrder): Dec | null {
  if (algo.ordType !== 'move_order_stop' || !algo.isActive) return null;
  const away =
    algo.callbackRatio !== null ? mul(algo.peak, algo.callbackRatio) : (algo.callbackSpread ?? ZERO);
  return algo.side === 'sell' ? algo.peak - away : algo.peak + away;
}

/** The row in REST lists. */
export function algoRow(algo: AlgoOrder): Record<string, unknown> {
  const { trigger } = algo;
  return {
    instType: algo.instType,
    instId: algo.instId,
    ccy: '',
    ordId: algo.ordId,
    ordIdList: algo.ordId === '' ? [] : [algo.ordId],
    algoId: algo.algoId,
    clOrdId: '',
    sz: optional(algo.sz),
    closeFraction: algo.sz === null ? '1' : '',
    ordType: algo.ordType,
    side: algo.side,
    posSide: algo.posSide,
    tdMode: algo.tdMode,
    tgtCcy: algo.tgtCcy,
    state: algo.state,
    lever: optional(algo.lever),
    ...legTexts('tp', algo.tp),
    ...legTexts('sl', algo.sl),
    triggerPx: trigger ? str(trigger.triggerPx) : '',
    triggerPxType: trigger ? trigger.type : '',
    ordPx: trigger ? (trigger.ordPx === null ? '-1' : str(trigger.ordPx)) : '',
    advanceOrdType: algo.advanceOrdType,
    actualSz: str(algo.actualSz),
    actualPx: algo.actualPx,
    actualSide: algo.actualSide,
    tag: algo.tag,
    triggerTime: algo.triggerTime === 0 ? '' : String(algo.triggerTime),
    pxVar: '',
    pxSpread: '',
    szLimit: '',
    pxLimit: '',
    timeInterval: '',
    callbackRatio: optional(algo.callbackRatio),
    callbackSpread: optional(algo.callbackSpread),
    activePx: optional(algo.activePx),
    moveTriggerPx: optional(moveTriggerPx(algo)),
    reduceOnly: String(algo.reduceOnly),
    quickMgnType: '',
    last: str(algo.last),
    failCode: algo.state === 'order_failed' ? algo.failCode : '',
    algoClOrdId: algo.algoClOrdId,
    amendPxOnTriggerType: '0',
    attachAlgoOrds: [],
    linkedOrd: { ordId: '' },
    isTradeBorrowMode: '',
    chaseType: '',
    chaseVal: '',
    maxChaseType: '',
    maxChaseVal: '',
    tradeQuoteCcy: algo.instType === 'SPOT' ? (algo.instId.split('-')[1] ?? '') : '',
    cTime: String(algo.cTime),
    uTime: String(algo.uTime),
  };
}

/** The row on its channel. */
export function algoNews(
  algo: AlgoOrder,
  news: AlgoNews,
  m: Instrument,
  market: OkxMarket,
  time: number,
): Record<string, unknown> {
  const size = algo.sz ?? ZERO;
  const usd = market.usd(algo.instType === 'SWAP' ? m.spec.settle : m.spec.quote);
  const { chaseType: _, chaseVal: _v, maxChaseType: _t, maxChaseVal: _m, ...row } = algoRow(algo);
  return {
    ...row,
    posSide: algo.instType === 'SPOT' ? '' : algo.posSide,
    lever: algo.lever === null ? '0' : str(algo.lever),
    notionalUsd:
      algo.tgtCcy === 'quote_ccy'
        ? str(mul(size, usd))
        : str(mul(mul(mul(size, unitOf(m.spec)), m.last), usd)),
    ...(isAdvanced(algo)
      ? { count: '1', pTime: String(time) }
      : { reqId: news.reqId ?? '', amendResult: news.amendResult ?? '' }),
  };
}
