/**
 * Rows of balances and positions, over REST and on the channels. Fields that do not apply to the account's
 * level are "". Sources: OKX v5 "Get balance" (with its table of levels), "Get positions", "Account channel",
 * "Positions channel".
 */
import { type Dec, div, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import {
  type Account,
  cashOf,
  currenciesOf,
  entryOf,
  frozenOf,
  leverOf,
  type Margin,
  type Position,
  sizeOf,
} from './account.ts';
import type { OkxMarket } from './market.ts';

export class AccountRows {
  readonly #market: OkxMarket;
  readonly #margin: Margin;
  readonly #now: () => number;

  constructor(market: OkxMarket, margin: Margin, now: () => number) {
    this.#market = market;
    this.#margin = margin;
    this.#now = now;
  }

  /** The row of these currencies, or of all. Empty ones are left out, except for those named as changed. */
  balance(account: Account, ccys: ReadonlySet<string> | null, changed = false): Record<string, unknown> {
    const margin = this.#margin;
    const { totalEq, adjEq, imr, mmr, ordFroz, notional, upl, isoEq } = margin.usd(account);
    const is = (...levels: string[]) => levels.includes(account.acctLv);
    const on = (value: Dec, ...levels: string[]) => (is(...levels) ? str(value) : '');
    const details = currenciesOf(account)
      .filter((ccy) => ccys === null || ccys.has(ccy))
      .filter((ccy) => changed || cashOf(account, ccy) !== ZERO || margin.equity(account, ccy) !== ZERO)
      .map((ccy) => this.#detail(account, ccy));
    return {
      adjEq: on(adjEq, '3', '4'),
      availEq: on(positive(adjEq - imr - ordFroz), '3', '4'),
      borrowFroz: on(ZERO, '3', '4'),
      delta: '0',
      deltaLever: '0',
      deltaNeutralStatus: '0',
      details,
      imr: on(imr, '3', '4'),
      isoEq: on(isoEq, '2', '3', '4'),
      mgnRatio: mmr > ZERO ? on(div(adjEq, mmr), '3', '4') : '',
      mmr: on(mmr, '3', '4'),
      notionalUsd: on(notional, '3', '4'),
      notionalUsdForBorrow: on(ZERO, '3', '4'),
      notionalUsdForFutures: on(ZERO, '3', '4'),
      notionalUsdForOption: on(ZERO, '3', '4'),
      notionalUsdForSwap: on(notional, '3', '4'),
      ordFroz: on(ordFroz, '3', '4'),
      totalEq: str(totalEq),
      uTime: String(this.#now()),
      upl: on(upl, '3', '4'),
    };
  }

  #detail(account: Account, ccy: string): Record<string, unknown> {
    const margin = this.#margin;
    const is = (...levels: string[]) => levels.includes(account.acctLv);
    const on = (value: Dec, ...levels: string[]) => (is(...levels) ? str(value) : '');
    const equity = margin.equity(account, ccy);
    const kept = is('1') ? frozenOf(account, ccy) : margin.kept(account, ccy);
    const isoEq = margin.isolatedEquity(account, ccy);
    const hasCross = is('2') && !margin.open(account, ccy, 'cross').next().done;
    const imr = margin.crossImr(account, ccy) + margin.ordersImr(account, ccy);
    const mmr = margin.sum(account, ccy, 'cross', (position) => margin.mmr(position));
    const price = this.#market.usd(ccy);
    return {
      accAvgPx: '',
      autoLendMtAmt: '0',
      autoLendStatus: 'off',
      availBal: str(margin.available(account, ccy)),
      availEq: on(positive(equity - kept), '2', '3', '4'),
      borrowFroz: on(ZERO, '3', '4'),
      cashBal: str(cashOf(account, ccy)),
      ccy,
      clSpotInUseAmt: '',
      coinUsdPrice: str(price),
      colBorrAutoConversion: '0',
      colRes: '0',
      collateralEnabled: is('3'),
      collateralRestrict: false,
      crossLiab: on(ZERO, '3', '4'),
      disEq: on(mul(equity, price), '3', '4'),
      eq: str(equity),
      eqUsd: str(mul(equity, price)),
      fixedBal: '0',
      frozenBal: str(kept),
      frpType: '0',
      imr: hasCross ? str(imr) : '',
      interest: on(ZERO, '3', '4'),
      isoEq: on(isoEq, '2', '3', '4'),
      isoLiab: on(ZERO, '3', '4'),
      isoUpl: on(
        margin.sum(account, ccy, 'isolated', (position) => margin.upl(position)),
        '2',
        '3',
        '4',
      ),
      liab: on(ZERO, '3', '4'),
      maxLoan: on(ZERO, '3', '4'),
      maxSpotInUse: '',
      mgnRatio: hasCross && mmr > ZERO ? str(div(equity - isoEq, mmr)) : '',
      mmr: hasCross ? str(mmr) : '',
      notionalLever: is('2') ? '0' : '',
      openAvgPx: '',
      ordFrozen: str(frozenOf(account, ccy) + margin.ordersImr(account, ccy)),
      rewardBal: '0',
      smtSyncEq: '0',
      spotBal: '',
      spotCopyTradingEq: '0',
      spotInUseAmt: '',
      spotIsoBal: '0',
      spotUpl: '',
      spotUplRatio: '',
      stgyEq: '0',
      totalPnl: '',
      totalPnlRatio: '',
      twap: '0',
      uTime: String(account.touched.get(ccy) ?? this.#now()),
      upl: on(margin.crossUpl(account, ccy), '2', '3', '4'),
      uplLiab: on(ZERO, '3', '4'),
    };
  }

  position(account: Account, position: Position): Record<string, unknown> {
    const margin = this.#margin;
    const m = this.#market.of(position.instId);
    const isCross = position.mgnMode === 'cross';
    const isFlat = position.amount === ZERO;
    const upl = margin.upl(position);
    const uplLast = margin.upl(position, m.last);
    const lever = leverOf(account, position.instId, position.mgnMode, position.posSide);
    const mmr = margin.mmr(position);
    const money = isCross ? margin.equity(account, position.ccy) : position.margin + upl;
    const base = isFlat
      ? ZERO
      : div(mul(sizeOf(position.cost), this.#market.value(m, 10n ** 30n, 10n ** 30n)), lever);
    return {
      adl: isFlat ? '' : '1',
      availPos: '',
      avgPx: isFlat ? '' : str(entryOf(position)),
      baseBal: '',
      baseBorrowed: '',
      baseInterest: '',
      bePx: isFlat ? '' : str(entryOf(position)),
      bizRefId: '',
      bizRefType: '',
      cTime: String(position.cTime),
      ccy: position.ccy,
      clSpotInUseAmt: '',
      closeOrderAlgo: account.algos
        .live()
        .filter(
          (algo) => algo.sz === null && algo.instId === position.instId && algo.posSide === position.posSide,
        )
        .map((algo) => ({
          algoId: algo.algoId,
          slTriggerPx: algo.sl ? str(algo.sl.triggerPx) : '',
          slTriggerPxType: algo.sl?.type ?? '',
          tpTriggerPx: algo.tp ? str(algo.tp.triggerPx) : '',
          tpTriggerPxType: algo.tp?.type ?? '',
          closeFraction: '1',
        })),
      deltaBS: '',
      deltaPA: '',
      fee: str(position.fee),
      fundingFee: str(position.funding),
      gammaBS: '',
      gammaPA: '',
      hedgedPos: '',
      idxPx: str(m.index),
      imr: isCross && !isFlat ? str(margin.imr(account, position)) : '',
      instId: position.instId,
      instType: 'SWAP',
      interest: '',
      last: str(m.last),
      lever: isCross && account.acctLv === '4' ? '' : str(lever),
      liab: '',
      liabCcy: '',
      liqPenalty: str(position.penalty),
      liqPx: isFlat ? '' : zeroAsNone(margin.liquidationPrice(account, position)),
      margin: isCross ? '' : str(position.margin),
      markPx: str(m.mark),
      maxSpotInUseAmt: '',
      mgnMode: position.mgnMode,
      mgnRatio: mmr > ZERO ? str(div(money, mmr)) : '',
      mmr: isFlat ? '' : str(mmr),
      nonSettleAvgPx: '',
      notionalUsd: isFlat ? '' : str(mul(margin.notional(position), this.#market.usd(position.ccy))),
      optVal: '',
      pendingCloseOrdLiabVal: '0',
      pnl: str(position.pnl),
      pos: posText(position),
      posCcy: '',
      posId: position.posId,
      posSide: position.posSide,
      quoteBal: '',
      quoteBorrowed: '',
      quoteInterest: '',
      realizedPnl: str(position.pnl + position.fee + position.funding + position.penalty),
      settledPnl: '',
      spotInUseAmt: '',
      spotInUseCcy: '',
      thetaBS: '',
      thetaPA: '',
      tradeId: position.tradeId,
      uTime: String(position.uTime),
      upl: isFlat ? '' : str(upl),
      uplLastPx: isFlat ? '' : str(uplLast),
      uplRatio: base > ZERO ? str(div(upl, base)) : '',
      uplRatioLastPx: base > ZERO ? str(div(uplLast, base)) : '',
      usdPx: str(this.#market.usd(position.ccy)),
      vegaBS: '',
      vegaPA: '',
    };
  }
}

/** The size as text: signed in net mode, unsigned for long and short. */
export function posText({ amount, posSide }: Position): string {
  return str(posSide === 'net' ? amount : sizeOf(amount));
}

const positive = (value: Dec): Dec => (value > ZERO ? value : ZERO);
const zeroAsNone = (value: Dec): string => (value === ZERO ? '' : str(value));
