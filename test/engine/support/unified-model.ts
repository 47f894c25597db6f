/**
 * An exchange as `SpotModel`, with a futures account that trades with the same wallet: one contract, one-way,
 * crossed, at leverage 20, and a constant mark. No position can have a loss, so that the margin follows from
 * sizes and prices alone. It refuses an order on the contract without sufficient margin; a spot order without
 * funds is an error of the desk.
 */
import { type Dec, dec, decOfInt, div, maxDec, minDec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { ExchangeFill, ExchangeOrder } from '../../../src/domain/exchange.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import { FUTURES } from './market.ts';
import { type Booked, SpotModel, stateOf } from './spot-model.ts';

export const MARK = dec('60000');
const LEVERAGE = 20;

interface Ordered {
  readonly side: 'BUY' | 'SELL';
  readonly qty: Dec;
  /** The limit price; null: the order takes at once, at the mark. */
  readonly limit: Dec | null;
}

export class UnifiedModel extends SpotModel {
  /** Client ids of orders on the contract. */
  readonly onFutures = new Set<string>();
  /** Signed size. */
  #size = ZERO;
  #cost = ZERO;
  #realized = ZERO;
  refused = 0;

  override balanceOf(asset: string): { free: Dec; locked: Dec } {
    const { free, locked } = super.balanceOf(asset);
    const margin = asset === 'USDT' ? this.#margin([]) : ZERO;
    return { free: free - margin, locked: locked + margin };
  }

  /** Returns the rest of the margin asset once everything on its way has arrived. */
  leftInUsdt(): Dec {
    const coming: Ordered[] = [];
    let left = this.wallet.get('USDT')?.free ?? ZERO;
    for (const sent of this.onTheWay) {
      const ordered = orderedOf(sent);
      if (this.onFutures.has(sent.clientId)) coming.push(ordered);
      else if (sent.side === 'BUY') left -= mul(ordered.qty, ordered.limit ?? MARK);
    }
    return left - this.#margin(coming);
  }

  positions(): ExchangePosition[] {
    const entryPrice = str(this.#size === ZERO ? ZERO : div(this.#cost, this.#size));
    return [
      {
        symbol: 'BTCUSDT',
        side: 'BOTH',
        amount: str(this.#size),
        cost: str(this.#cost),
        entryPrice,
        breakEvenPrice: entryPrice,
        markPrice: str(MARK),
        marginType: 'CROSSED',
        leverage: LEVERAGE,
        unrealizedProfit: str(mul(this.#size, MARK) - this.#cost),
        isolatedWallet: '0',
        liquidationPrice: null,
        maintenanceMarginRate: '0.004',
        maintenanceMargin: '0',
        realizedPnl: str(this.#realized),
        updateTime: this.time() ?? 0,
      },
    ];
  }

  override report(askedAt: number): EngineEvent[] {
    const positions = { exchange: FUTURES, changed: this.positions(), all: true, askedAt } as const;
    return [...super.report(askedAt), { type: 'venue.positions', ...positions }];
  }

  override arrive(price: Dec): void {
    const [sent] = this.onTheWay;
    if (!sent || !this.onFutures.has(sent.clientId)) {
      super.arrive(price);
      return;
    }
    this.onTheWay.shift();
    const answer = { type: 'submitted', exchange: FUTURES, orderId: sent.clientId } as const;
    const { qty, limit } = orderedOf(sent);
    if ((this.wallet.get('USDT')?.free ?? ZERO) < this.#margin([orderedOf(sent)])) {
      this.refused += 1;
      const outcome = { kind: 'rejected', reason: 'BALANCE', code: '-2019', message: 'margin' } as const;
      this.answers.push({ ...answer, outcome });
      return;
    }
    const booked: Booked = {
      sent,
      symbol: sent.symbol,
      qty,
      limit,
      cum: ZERO,
      status: 'WORKING',
      seq: 0,
      fills: [],
      lock: { asset: 'USDT', amount: ZERO },
      time: this.tickOver(),
    };
    this.orders.set(sent.clientId, booked);
    this.changed(booked);
    if (limit === null) this.execute(booked, qty, MARK);
    else if (this.dice.chance(0.3)) this.execute(booked, this.part(qty), limit);
    this.tellBalances();
    this.answers.push({ ...answer, outcome: { kind: 'accepted', state: stateOf(booked) } });
  }

  protected override exchangeOf(sent: ExchangeOrder): string {
    return this.onFutures.has(sent.clientId) ? FUTURES : super.exchangeOf(sent);
  }

  protected override execute(booked: Booked, qty: Dec, at: Dec): void {
    if (!this.onFutures.has(booked.sent.clientId)) {
      super.execute(booked, qty, at);
      return;
    }
    // Not better than its limit, which is the mark: the margin of an execution equals that of its order.
    const price = MARK;
    const { sent, limit } = booked;
    const signed = sent.side === 'BUY' ? qty : -qty;
    const rPnl = this.#trade(signed, price);
    this.of('USDT').free += rPnl;
    const comm = this.feeAsset === null ? ZERO : dec('0.0003');
    if (this.feeAsset !== null) this.of(this.feeAsset).free -= comm;
    booked.cum += qty;
    const fill: ExchangeFill = {
      tradeId: `f${++this.trades}`,
      clientId: sent.clientId,
      symbol: sent.symbol,
      side: sent.side,
      price: str(price),
      qty: str(qty),
      comm: str(comm),
      commAsset: this.feeAsset ?? 'USDT',
      maker: limit !== null,
      rPnl: str(rPnl),
      posSide: 'BOTH',
      time: booked.time as number,
    };
    booked.fills.push(fill);
    this.orderLine.push({ type: 'venue.fill', exchange: FUTURES, fill });
    if (booked.cum === booked.qty) this.end(booked, 'FILLED');
    else this.changed(booked);
    this.balanceLine.push({ type: 'venue.positions', exchange: FUTURES, changed: this.positions() });
  }

  /** Updates the position by an execution; returns the proceeds. */
  #trade(signed: Dec, price: Dec): Dec {
    const shrinks = this.#size !== ZERO && this.#size > ZERO !== signed > ZERO;
    const closed = shrinks ? minDec(abs(signed), abs(this.#size)) : ZERO;
    let gained = ZERO;
    if (closed > ZERO) {
      const part = this.#size > ZERO ? closed : -closed;
      const cost = (this.#cost * part) / this.#size;
      gained = mul(part, price) - cost;
      this.#cost -= cost;
      this.#size -= part;
    }
    const opened = signed > ZERO ? signed - closed : signed + closed;
    this.#size += opened;
    this.#cost += mul(opened, price);
    this.#realized = this.#size === ZERO || opened !== ZERO ? ZERO : this.#realized + gained;
    return gained;
  }

  /**
   * Margin of the position and of the orders on the book or on their way: the larger side at its price, over
   * the leverage.
   */
  #margin(coming: readonly Ordered[]): Dec {
    let held = mul(this.#size, MARK);
    let [bids, asks] = [ZERO, ZERO];
    const rest = ({ side, qty }: Ordered, limit: Dec) => {
      if (side === 'BUY') bids += mul(qty, limit);
      else asks += mul(qty, limit);
    };
    for (const { sent, qty, cum, limit, status } of this.orders.values())
      if (this.onFutures.has(sent.clientId) && status === 'WORKING' && limit !== null)
        rest({ ...orderedOf(sent), qty: qty - cum }, limit);
    for (const ordered of coming) {
      if (ordered.limit !== null) rest(ordered, ordered.limit);
      else held += mul(ordered.side === 'BUY' ? ordered.qty : -ordered.qty, MARK);
    }
    return div(maxDec(abs(held + bids), abs(held - asks)), decOfInt(LEVERAGE));
  }
}

function orderedOf({ side, quantity, price }: ExchangeOrder): Ordered {
  return { side, qty: dec(quantity ?? '0'), limit: price === undefined ? null : dec(price) };
}

function abs(value: Dec): Dec {
  return maxDec(value, -value as Dec);
}
