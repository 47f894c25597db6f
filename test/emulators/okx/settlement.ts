/**
 * The effects of a trade: on the wallet, the position, the bills, the raw log. `exchange.ts` decides whether
 * and at what price it happens. Sources: OKX v5 "Transaction details", "Get bills details", "Get positions
 * history".
 */
import { type Dec, div, mul, ONE, str, ZERO } from '../../../src/domain/decimal.ts';
import {
  type Account,
  type Fill,
  floor10,
  leverOf,
  type MgnMode,
  movePosition,
  type Position,
  ratesOf,
} from './account.ts';
import type { Exchange } from './exchange.ts';
import { unitOf } from './instruments.ts';
import type { Instrument } from './market.ts';
import type { OkxOrder } from './order.ts';

export interface Trade {
  readonly px: Dec;
  readonly qty: Dec;
  readonly isMaker: boolean;
  readonly tradeId: string;
}

export class Settlement {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Moves the money; apart from its fees the caller updates the order's figures. */
  fill(account: Account, order: OkxOrder, m: Instrument, trade: Trade): Fill {
    return order.instType === 'SPOT'
      ? this.#spotFill(account, order, m, trade)
      : this.#swapFill(account, order, m, trade);
  }

  #spotFill(account: Account, order: OkxOrder, m: Instrument, { px, qty, isMaker, tradeId }: Trade): Fill {
    const { base, quote } = m.spec;
    const value = mul(px, qty);
    const rate = ratesOf(account, 'SPOT', m.spec.groupId)[isMaker ? 'maker' : 'taker'];
    const isBuy = order.side === 'buy';
    const [gets, ccy] = isBuy ? [qty, base] : [value, quote];
    const fee = -floor10(mul(gets, rate));
    this.#exchange.change(account, isBuy ? quote : base, isBuy ? -value : -qty);
    this.#exchange.change(account, ccy, gets + fee);
    order.feeCcy = ccy;
    if (fee > ZERO && !(isMaker && !isBuy)) {
      order.rebate += fee;
      order.rebateCcy = ccy;
    } else order.fee += fee;
    const subType = isBuy ? '1' : '2';
    const shared = { type: '2', subType, order, tradeId, px, isMaker, fee };
    const gaveSize = isBuy ? value : qty;
    this.#exchange.bill(account, {
      ...shared,
      ccy: isBuy ? quote : base,
      change: -gaveSize,
      sz: gaveSize,
      fee: ZERO,
    });
    const billId = this.#exchange.bill(account, { ...shared, ccy, change: gets + fee, sz: gets });
    return this.#fillOf(order, m, {
      tradeId,
      billId,
      px,
      sz: qty,
      fee,
      feeCcy: ccy,
      feeRate: rate,
      subType,
      isMaker,
      pnl: ZERO,
    });
  }

  #swapFill(account: Account, order: OkxOrder, m: Instrument, { px, qty, isMaker, tradeId }: Trade): Fill {
    const { settle } = m.spec;
    const mgnMode = order.tdMode as MgnMode;
    const position = this.#position(account, m, mgnMode, order.posSide);
    const lever = leverOf(account, order.instId, mgnMode, order.posSide);
    const change = order.side === 'buy' ? qty : -qty;
    const { realized, toWallet } = movePosition(position, change, px, unitOf(m.spec), lever);
    const rate = ratesOf(account, 'SWAP', m.spec.groupId)[isMaker ? 'maker' : 'taker'];
    const fee = -floor10(mul(this.#exchange.o.market.value(m, qty, px), rate));
    this.#exchange.change(account, settle, (mgnMode === 'cross' ? realized : toWallet) + fee);
    position.fee += fee;
    position.pnl += realized;
    position.tradeId = tradeId;
    position.uTime = this.#exchange.o.now();
    order.fee += fee;
    order.pnl += realized;
    const subType = swapSubType(order);
    const billId = this.#exchange.bill(account, {
      type: order.category === 'normal' ? '2' : order.category === 'adl' ? '9' : '5',
      subType,
      order,
      tradeId,
      px,
      isMaker,
      fee,
      ccy: settle,
      change: (mgnMode === 'cross' ? realized : toWallet) + fee,
      sz: qty,
      pnl: realized,
      mgnMode,
    });
    return this.#fillOf(order, m, {
      tradeId,
      billId,
      px,
      sz: qty,
      fee,
      feeCcy: settle,
      feeRate: rate,
      subType,
      isMaker,
      pnl: realized,
    });
  }

  #fillOf(
    order: OkxOrder,
    m: Instrument,
    fill: Pick<
      Fill,
      'tradeId' | 'billId' | 'px' | 'sz' | 'fee' | 'feeCcy' | 'feeRate' | 'subType' | 'pnl'
    > & { isMaker: boolean },
  ): Fill {
    const { isMaker, ...rest } = fill;
    const time = this.#exchange.o.now();
    return {
      ...rest,
      order,
      execType: order.category === 'normal' ? (isMaker ? 'M' : 'T') : '',
      markPx: m.mark,
      idxPx: m.index,
      fillTime: time,
      ts: time + 1,
    };
  }

  /** Writes a row of `positions-history`. */
  closed(account: Account, position: Position, order: OkxOrder): void {
    const isLong = order.side === 'sell';
    account.closings.push({
      instType: 'SWAP',
      instId: position.instId,
      mgnMode: position.mgnMode,
      type: order.category === 'adl' ? '6' : order.category === 'full_liquidation' ? '3' : '2',
      cTime: String(position.cTime),
      uTime: String(position.uTime),
      openAvgPx: str(position.entry),
      closeAvgPx: position.closed > ZERO ? str(div(position.closedValue, position.closed)) : '',
      posId: position.posId,
      openMaxPos: str(position.most),
      closeTotalPos: str(position.closed),
      realizedPnl: str(position.pnl + position.fee + position.funding + position.penalty),
      fee: str(position.fee),
      fundingFee: str(position.funding),
      liqPenalty: str(position.penalty),
      pnl: str(position.pnl),
      pnlRatio: '',
      posSide: position.posSide,
      lever: order.lever === null ? '' : str(order.lever),
      direction: isLong ? 'long' : 'short',
      triggerPx: '',
      uly: position.instId.replace(/-SWAP$/, ''),
      ccy: position.ccy,
    });
  }

  /** Returns the position of that side and mode; an empty one is started anew. */
  #position(account: Account, m: Instrument, mgnMode: MgnMode, posSide: Position['posSide']): Position {
    const name = `${m.spec.symbol} ${mgnMode} ${posSide}`;
    const time = this.#exchange.o.now();
    const known = account.positions.get(name);
    if (known && known.amount !== ZERO) return known;
    const position: Position = {
      instId: m.spec.symbol,
      posSide,
      mgnMode,
      posId: known?.posId ?? this.#exchange.id(),
      ccy: m.spec.settle,
      amount: ZERO,
      cost: ZERO,
      pnl: ZERO,
      fee: ZERO,
      funding: ZERO,
      penalty: ZERO,
      margin: ZERO,
      tradeId: '',
      cTime: time,
      uTime: time,
      entry: ZERO,
      most: ZERO,
      closedValue: ZERO,
      closed: ZERO,
    };
    account.positions.set(name, position);
    return position;
  }

  log(fill: Fill, m: Instrument, isMaker: boolean): void {
    const { order } = fill;
    const unit = m.spec.instType === 'SWAP' ? unitOf(m.spec) : ONE;
    this.#exchange.o.log({
      kind: 'fill',
      account: order.account,
      ...namesOf(m),
      orderId: order.ordId,
      clientOrderId: order.clOrdId,
      algoClientId: order.algoClOrdId,
      tradeId: fill.tradeId,
      side: order.side.toUpperCase(),
      positionSide: order.posSide,
      price: str(fill.px),
      sz: str(fill.sz),
      qty: str(mul(fill.sz, unit)),
      quote: str(this.#exchange.o.market.value(m, fill.sz, fill.px)),
      realized: str(fill.pnl),
      commission: str(-fill.fee),
      commissionAsset: fill.feeCcy,
      category: order.category,
      isMaker,
      time: fill.fillTime,
    });
  }
}

/** Names of an instrument in the raw log: the market, the symbol without separators, the exchange's own. */
export function namesOf({ spec }: Instrument): { market: string; symbol: string; instId: string } {
  return { market: spec.instType.toLowerCase(), symbol: spec.base + spec.quote, instId: spec.symbol };
}

/** Source: "Transaction details", subType. */
function swapSubType({ side, posSide, category }: OkxOrder): string {
  const isBuy = side === 'buy';
  if (category === 'adl')
    return posSide === 'net' ? (isBuy ? '127' : '128') : posSide === 'long' ? '125' : '126';
  if (category === 'partial_liquidation')
    return posSide === 'net' ? (isBuy ? '102' : '103') : posSide === 'long' ? '100' : '101';
  if (category === 'full_liquidation')
    return posSide === 'net' ? (isBuy ? '106' : '107') : posSide === 'long' ? '104' : '105';
  if (posSide === 'long') return isBuy ? '3' : '5';
  if (posSide === 'short') return isBuy ? '6' : '4';
  return isBuy ? '1' : '2';
}
