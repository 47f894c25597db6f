/**
 * The book of algo orders: they wait for a price, then make an ordinary order or fail. Nothing is locked for
 * them before that. Source: OKX v5 "Place algo order", "Algo order details" (states).
 */
import { type Dec, div, str, ZERO } from '../../../src/domain/decimal.ts';
import type { Account, Position } from './account.ts';
import { sizeOf } from './account.ts';
import type { AlgoNews, AlgoOrder, Leg, TriggerType } from './algo.ts';
import { moveTriggerPx } from './algo.ts';
import { type AlgoWish, priceOf } from './algo-rules.ts';
import type { Exchange } from './exchange.ts';
import type { Instrument } from './market.ts';
import type { OkxOrder } from './order.ts';
import type { Params } from './params.ts';
import { wrong } from './params.ts';
import type { Wish } from './rules.ts';
import { namesOf } from './settlement.ts';
import { Refusal } from './wire.ts';

export class AlgoBook {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.onTriggers = (m, price, type) => this.#onPrice(m, price, type);
    exchange.onPositionGone = (account, position) => this.#onPositionGone(account, position);
  }

  place(account: Account, wish: AlgoWish): AlgoOrder {
    const time = this.#exchange.o.now();
    const algo: AlgoOrder = {
      ...wish,
      account: account.name,
      algoId: this.#exchange.id(),
      cTime: time,
      uTime: time,
    };
    account.algos.add(algo);
    this.#tell(account, algo, {});
    return algo;
  }

  cancel(account: Account, algo: AlgoOrder): void {
    algo.state = 'canceled';
    algo.uTime = this.#exchange.o.now();
    this.#tell(account, algo, {});
  }

  /** Changes size and prices of TP/SL and trigger orders. Throws Refusal. */
  amend(account: Account, algo: AlgoOrder, params: Params): void {
    if (algo.ordType === 'move_order_stop')
      throw new Refusal('51506', 'Order modification unavailable for the order type.');
    if (algo.state !== 'live') throw new Refusal('51503', 'Your order has already been filled or canceled.');
    const newSz = params.positive('newSz');
    if (newSz !== null && algo.sz === null)
      throw new Refusal(
        '51524',
        'Unable to modify the order quantity of a stop order that closes an entire position. Please modify the trigger price instead.',
      );
    const tp = this.#amended(params, 'Tp', algo.tp);
    const sl = this.#amended(params, 'Sl', algo.sl);
    const triggerPx = params.positive('newTriggerPx');
    const ordPx = params.orderPrice('newOrdPx');
    if (algo.trigger && (triggerPx !== null || ordPx !== undefined)) {
      const type = params.oneOf('newTriggerPxType', ['last', 'index', 'mark']) || algo.trigger.type;
      const at = triggerPx ?? algo.trigger.triggerPx;
      const m = this.#exchange.o.market.of(algo.instId);
      algo.trigger = {
        triggerPx: at,
        ordPx: ordPx === undefined ? algo.trigger.ordPx : ordPx,
        type,
        rises: at > priceOf(m, type),
      };
    }
    if (newSz !== null) algo.sz = newSz;
    algo.tp = tp;
    algo.sl = sl;
    algo.uTime = this.#exchange.o.now();
    this.#tell(account, algo, { reqId: params.text('reqId'), amendResult: '0' });
  }

  #amended(params: Params, name: 'Tp' | 'Sl', leg: Leg | null): Leg | null {
    const triggerPx = params.positive(`new${name}TriggerPx`);
    const ordPx = params.orderPrice(`new${name}OrdPx`);
    if (triggerPx === null && ordPx === undefined) return leg;
    if (!leg) throw wrong(`new${name}TriggerPx`);
    return {
      triggerPx: triggerPx ?? leg.triggerPx,
      ordPx: ordPx === undefined ? leg.ordPx : ordPx,
      type: params.oneOf(`new${name}TriggerPxType`, ['last', 'index', 'mark']) || leg.type,
    };
  }

  #onPrice(m: Instrument, price: Dec, type: TriggerType): void {
    for (const account of this.#exchange.accounts.values())
      for (const algo of account.algos.live()) {
        if (algo.instId !== m.spec.symbol || algo.state !== 'live') continue;
        const hit = this.#hit(algo, price, type);
        if (hit) this.#trigger(account, algo, m, hit);
      }
  }

  #hit(algo: AlgoOrder, price: Dec, type: TriggerType): { leg: Leg; side: AlgoOrder['actualSide'] } | null {
    const isSell = algo.side === 'sell';
    const { tp, sl, trigger } = algo;
    if (sl && sl.type === type && (isSell ? price <= sl.triggerPx : price >= sl.triggerPx))
      return { leg: sl, side: 'sl' };
    if (tp && tp.type === type && (isSell ? price >= tp.triggerPx : price <= tp.triggerPx))
      return { leg: tp, side: 'tp' };
    if (
      trigger &&
      trigger.type === type &&
      (trigger.rises ? price >= trigger.triggerPx : price <= trigger.triggerPx)
    )
      return { leg: trigger, side: '' };
    if (algo.ordType === 'move_order_stop' && type === 'last') return this.#trail(algo, price);
    return null;
  }

  #trail(algo: AlgoOrder, price: Dec): { leg: Leg; side: '' } | null {
    const isSell = algo.side === 'sell';
    if (!algo.isActive) {
      const activePx = algo.activePx ?? price;
      if (isSell ? price < activePx : price > activePx) return null;
      algo.isActive = true;
      algo.peak = price;
    }
    if (isSell ? price > algo.peak : price < algo.peak) algo.peak = price;
    const at = moveTriggerPx(algo) as Dec;
    const isHit = isSell ? price <= at : price >= at;
    return isHit ? { leg: { triggerPx: at, ordPx: null, type: 'last' }, side: '' } : null;
  }

  /**
   * Places its order; if that is refused: `order_failed` with the code. The algo order is reported after its
   * order, or later (`algoLagMs`).
   */
  #trigger(
    account: Account,
    algo: AlgoOrder,
    m: Instrument,
    hit: { leg: Leg; side: AlgoOrder['actualSide'] },
  ): void {
    const time = this.#exchange.o.now();
    algo.triggerTime = time;
    algo.uTime = time;
    algo.actualSide = hit.side;
    algo.state = 'effective';
    try {
      const wish = this.#wish(account, algo, m, hit.leg);
      const source = algo.ordType === 'trigger' ? '6' : algo.ordType === 'move_order_stop' ? '25' : '7';
      const order = this.#exchange.place(account, wish, { algo, source });
      algo.ordId = order.ordId;
      algo.actualSz = order.qty;
      algo.actualPx = actualPx(order);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      algo.state = 'order_failed';
      algo.failCode = error.code;
    }
    this.#tell(account, algo, {});
  }

  #wish(account: Account, algo: AlgoOrder, m: Instrument, leg: Leg): Wish {
    const held = account.positions.get(`${algo.instId} ${algo.tdMode} ${algo.posSide}`);
    const sz = algo.sz ?? sizeOf(held?.amount ?? ZERO);
    if (sz === ZERO) throw new Refusal('51058', 'No available position for this algo order');
    const isMarket = leg.ordPx === null;
    const isSpot = m.spec.instType === 'SPOT';
    return {
      m,
      side: algo.side,
      posSide: algo.posSide,
      tdMode: algo.tdMode,
      ordType: isMarket ? 'market' : algo.advanceOrdType || 'limit',
      px: leg.ordPx,
      sz,
      tgtCcy: isSpot && isMarket ? algo.tgtCcy || 'base_ccy' : '',
      reduceOnly: algo.reduceOnly,
      banAmend: false,
      amendsPrice: false,
      // A client id by the exchange: the client that placed the algo order does not know it.
      clOrdId: `O${algo.algoId}`,
      tag: algo.tag,
      stpMode: 'cancel_maker',
    };
  }

  /** Cancels algo orders that belong to a position which is gone. */
  #onPositionGone(account: Account, position: Position): void {
    for (const algo of account.algos.live())
      if (
        algo.endsWithPosition &&
        algo.instId === position.instId &&
        algo.posSide === position.posSide &&
        algo.tdMode === position.mgnMode
      )
        this.cancel(account, algo);
  }

  #tell(account: Account, algo: AlgoOrder, news: AlgoNews): void {
    this.#exchange.o.log({
      kind: 'algo',
      account: account.name,
      ...namesOf(this.#exchange.o.market.of(algo.instId)),
      algoId: algo.algoId,
      clientAlgoId: algo.algoClOrdId,
      status: algo.state,
      orderId: algo.ordId,
      failCode: algo.failCode,
      time: algo.uTime,
    });
    this.#exchange.o.teller.algo(account, algo, news);
  }
}

function actualPx(order: OkxOrder): string {
  if (order.filled > ZERO) return str(div(order.value, order.filled));
  return order.px === null ? '' : str(order.px);
}
