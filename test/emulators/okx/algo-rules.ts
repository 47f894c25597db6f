/**
 * Checks of an algo order: each type has parameters of its own, and they are not interchangeable. Sources:
 * OKX v5 "Place algo order", "General Info" (counts), "Error Code" 51065, 51088, 51257..51332, 51415.
 */
import { type Dec, dec, ONE, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, leverOf, type MgnMode } from './account.ts';
import { ALGO_TYPES, type AlgoOrder, type AlgoType, type Leg, type TriggerType } from './algo.ts';
import type { Instrument, OkxMarket } from './market.ts';
import { missing, type Params, wrong } from './params.ts';
import { posSideOf, tradeModeOf } from './rules.ts';
import { Refusal } from './wire.ts';

const MOST = { stops: 100, triggers: 500, trailing: 50 } as const;
const TYPES: readonly TriggerType[] = ['last', 'index', 'mark'];
const LEAST_RATIO = dec('0.001');

export function priceOf(m: Instrument, type: TriggerType): Dec {
  return type === 'last' ? m.last : type === 'mark' ? m.mark : m.index;
}

export type AlgoWish = Omit<AlgoOrder, 'algoId' | 'cTime' | 'uTime' | 'account'>;

/** Reads and checks the body of an algo order. Throws Refusal. */
export function readAlgo(
  params: Params,
  market: OkxMarket,
  account: Account,
  isolatedSwaps: boolean,
): AlgoWish {
  const m = market.of(params.required('instId'));
  const { spec } = m;
  const tdMode = tradeModeOf(params, account, spec.instType, isolatedSwaps);
  const posSide = posSideOf(params, account, spec.instType);
  params.required('side');
  const side = params.oneOf('side', ['buy', 'sell']) as 'buy' | 'sell';
  params.required('ordType');
  const ordType = params.oneOf('ordType', ALGO_TYPES) as AlgoType;
  const reduceOnly = params.flag('reduceOnly');
  const closes = params.oneOf('closeFraction', ['1']) === '1';
  const sz = params.positive('sz');
  if (sz === null && !closes)
    throw new Refusal('50015', 'Either parameter sz or closeFraction is required', 400);
  if (params.list('attachAlgoOrds').length > 0) throw wrong('attachAlgoOrds');
  const isStop = ordType === 'conditional' || ordType === 'oco';
  const tp = isStop ? leg(params, 'tp') : null;
  const sl = isStop ? leg(params, 'sl') : null;
  if (isStop) checkLegs(ordType, tp, sl, params);
  if (spec.instType === 'SPOT' && [tp, sl].some((one) => one && one.type !== 'last')) throw onlyLast();
  // If both are sent in net mode, only the stop counts.
  const heeded = ordType === 'conditional' && tp && sl && account.posMode === 'net_mode' ? null : tp;
  checkSides(m, side, heeded, sl);
  if (closes) checkClosing(params, account, m, { isStop, tp: heeded, sl, reduceOnly, posSide, tdMode });
  if (reduceOnly && spec.instType === 'SPOT')
    throw new Refusal('51139', 'Reduce-only feature is unavailable for the spot transactions by spot mode.');
  const endsWithPosition = params.flag('cxlOnClosePos');
  if (endsWithPosition && !reduceOnly) throw wrong('cxlOnClosePos');
  const tgtCcy = params.oneOf('tgtCcy', ['base_ccy', 'quote_ccy']);
  if (tgtCcy !== '' && ordType === 'trigger')
    throw new Refusal('51281', 'Trigger order do not support the tgtCcy parameter.');
  const isQuoted = isStop && spec.instType === 'SPOT' && side === 'buy' && (sl ?? tp)?.ordPx === null;
  if (tgtCcy !== '' && !isQuoted) params.odd('tgtCcy where it does not apply');
  if (sz !== null && !(isQuoted && tgtCcy !== 'base_ccy')) checkSize(m, sz);
  const trigger = ordType === 'trigger' ? readTrigger(params, m) : null;
  const trailing = ordType === 'move_order_stop' ? readTrailing(params, m, side) : NO_TRAILING;
  const algoClOrdId = params.clientId('algoClOrdId') || deprecatedId(params);
  if (algoClOrdId !== '' && account.algos.byClient(algoClOrdId)?.state === 'live')
    throw new Refusal('51065', 'algoClOrdId already exists.');
  checkCounts(account, spec.symbol, ordType);
  return {
    instId: spec.symbol,
    instType: spec.instType,
    algoClOrdId,
    tag: params.tag(),
    ordType,
    side,
    posSide,
    tdMode,
    tgtCcy: isQuoted ? tgtCcy || 'quote_ccy' : '',
    sz: closes ? null : sz,
    reduceOnly: reduceOnly && ordType !== 'trigger',
    endsWithPosition: endsWithPosition || closes,
    tp: heeded,
    sl,
    trigger,
    advanceOrdType: params.oneOf('advanceOrdType', ['fok', 'ioc']),
    ...trailing,
    isActive: ordType === 'move_order_stop' && trailing.activePx === null,
    peak: m.last,
    lever: spec.instType === 'SWAP' ? leverOf(account, spec.symbol, tdMode as MgnMode, posSide) : null,
    last: m.last,
    state: 'live',
    failCode: '',
    ordId: '',
    actualSz: ZERO,
    actualPx: '',
    actualSide: '',
    triggerTime: 0,
  };
}

const NO_TRAILING = { callbackRatio: null, callbackSpread: null, activePx: null } as const;

const onlyLast = () =>
  new Refusal(
    '51415',
    'Unable to place order. Spot trading only supports using the last price as trigger price. Please select "Last" and try again.',
  );

/** A client id in the old field is copied (ccxt#17022). */
function deprecatedId(params: Params): string {
  const id = params.clientId('clOrdId');
  if (id !== '') params.odd('clOrdId of an algo order');
  return id;
}

function leg(params: Params, name: 'tp' | 'sl'): Leg | null {
  const triggerPx = params.positive(`${name}TriggerPx`);
  const ordPx = params.orderPrice(`${name}OrdPx`);
  if (triggerPx === null) {
    if (ordPx !== undefined) throw missing(`${name}TriggerPx`);
    return null;
  }
  if (ordPx === undefined) throw missing(`${name}OrdPx`);
  return { triggerPx, ordPx, type: params.oneOf(`${name}TriggerPxType`, TYPES) || 'last' };
}

function checkLegs(ordType: AlgoType, tp: Leg | null, sl: Leg | null, params: Params): void {
  if (!tp && !sl) throw new Refusal('50015', 'Either parameter tpTriggerPx or slTriggerPx is required', 400);
  if (ordType === 'oco' && !(tp && sl)) throw missing(tp ? 'slTriggerPx' : 'tpTriggerPx');
  if (ordType === 'conditional' && tp && sl) params.odd('both legs of a conditional order');
}

const WORDS: Readonly<Record<TriggerType, string>> = { last: 'last', mark: 'mark', index: 'index' };
/** [tp of a buy, sl of a buy, tp of a sell, sl of a sell]. */
const SIDES: Readonly<Record<TriggerType, readonly [string, string, string, string]>> = {
  last: ['51277', '51278', '51279', '51280'],
  mark: ['51300', '51302', '51303', '51304'],
  index: ['51305', '51306', '51307', '51308'],
};

function checkSides(m: Instrument, side: 'buy' | 'sell', tp: Leg | null, sl: Leg | null): void {
  const refuse = (one: Leg, at: number, what: string, where: string) =>
    new Refusal(
      SIDES[one.type][at] as string,
      `${what} trigger price cannot be ${where} than the ${WORDS[one.type]} price`,
    );
  const isBuy = side === 'buy';
  if (tp) {
    const price = priceOf(m, tp.type);
    if (isBuy && tp.triggerPx > price) throw refuse(tp, 0, 'TP', 'higher');
    if (!isBuy && tp.triggerPx < price) throw refuse(tp, 2, 'TP', 'lower');
  }
  if (sl) {
    const price = priceOf(m, sl.type);
    if (isBuy && sl.triggerPx < price) throw refuse(sl, 1, 'SL', 'lower');
    if (!isBuy && sl.triggerPx > price) throw refuse(sl, 3, 'SL', 'higher');
  }
}

function checkClosing(
  params: Params,
  account: Account,
  m: Instrument,
  o: {
    isStop: boolean;
    tp: Leg | null;
    sl: Leg | null;
    reduceOnly: boolean;
    posSide: string;
    tdMode: string;
  },
): void {
  if (params.has('sz'))
    throw new Refusal('50024', 'Parameter sz and closeFraction can not exist at the same time.');
  if (m.spec.instType !== 'SWAP')
    throw new Refusal('51327', 'closeFraction is only available for Expiry Futures and Perpetual Futures');
  if (account.acctLv === '4')
    throw new Refusal('51332', 'closeFraction is not applicable to Portfolio Margin');
  if (o.posSide === 'net' && !o.reduceOnly)
    throw new Refusal('51328', 'closeFraction is only available for reduceOnly orders');
  if (!o.isStop || (o.tp && o.tp.ordPx !== null) || (o.sl && o.sl.ordPx !== null))
    throw new Refusal('51330', 'closeFraction is only available for stop market orders');
  const isThere = account.algos
    .live()
    .some(
      (algo) =>
        algo.sz === null &&
        algo.instId === m.spec.symbol &&
        algo.posSide === o.posSide &&
        algo.tdMode === o.tdMode,
    );
  if (isThere) throw new Refusal('51088', 'You can only place 1 TP/SL order to close an entire position');
}

function checkSize(m: Instrument, sz: Dec): void {
  if (sz < dec(m.spec.minSz))
    throw new Refusal('51020', 'Your order should meet or exceed the minimum order amount.');
  if (sz % m.step !== ZERO) throw new Refusal('51121', 'Order quantity must be a multiple of the lot size.');
}

function readTrigger(params: Params, m: Instrument): AlgoOrder['trigger'] {
  const triggerPx = params.positive('triggerPx');
  if (triggerPx === null) throw missing('triggerPx');
  const ordPx = params.orderPrice('orderPx');
  if (ordPx === undefined) throw missing('orderPx');
  const type = params.oneOf('triggerPxType', TYPES) || 'last';
  if (m.spec.instType === 'SPOT' && type !== 'last') throw onlyLast();
  if (params.has('reduceOnly')) params.odd('reduceOnly of a trigger order');
  return { triggerPx, ordPx, type, rises: triggerPx > priceOf(m, type) };
}

function readTrailing(
  params: Params,
  m: Instrument,
  side: 'buy' | 'sell',
): Pick<AlgoOrder, 'callbackRatio' | 'callbackSpread' | 'activePx'> {
  const callbackRatio = params.positive('callbackRatio');
  const callbackSpread = params.positive('callbackSpread');
  if (callbackRatio === null && callbackSpread === null)
    throw new Refusal('50015', 'Either parameter callbackRatio or callbackSpread is required', 400);
  if (callbackRatio !== null && callbackSpread !== null)
    throw new Refusal('50024', 'Parameter callbackRatio and callbackSpread can not exist at the same time.');
  if (callbackRatio !== null && (callbackRatio < LEAST_RATIO || callbackRatio > ONE))
    throw new Refusal(
      '51311',
      'Failed to place trailing stop order. Callback rate should be within 0.001<x<=1',
    );
  const activePx = params.positive('activePx');
  if (activePx !== null && side === 'sell' && activePx <= m.last)
    throw new Refusal(
      '51258',
      'Trailing stop order placement failed. The trigger price of a sell order must be higher than the last transaction price.',
    );
  if (activePx !== null && side === 'buy' && activePx >= m.last)
    throw new Refusal(
      '51259',
      'Trailing stop order placement failed. The trigger price of a buy order must be lower than the last transaction price.',
    );
  return { callbackRatio, callbackSpread, activePx };
}

function checkCounts(account: Account, instId: string, ordType: AlgoType): void {
  const live = account.algos.live();
  if (ordType === 'trigger') {
    if (live.filter((algo) => algo.ordType === 'trigger').length >= MOST.triggers)
      throw new Refusal(
        '51299',
        `Order did not go through. You can hold a maximum of ${MOST.triggers} orders of this type.`,
      );
  } else if (ordType === 'move_order_stop') {
    if (live.filter((algo) => algo.ordType === 'move_order_stop').length >= MOST.trailing)
      throw new Refusal(
        '51260',
        `Maximum of ${MOST.trailing} pending trailing stop orders can be held at the same time.`,
      );
  } else {
    const stops = live.filter(
      (algo) => algo.instId === instId && (algo.ordType === 'conditional' || algo.ordType === 'oco'),
    );
    if (stops.length >= MOST.stops)
      throw new Refusal(
        '51261',
        `Each user can hold up to ${MOST.stops} pending stop orders at the same time.`,
      );
  }
}
