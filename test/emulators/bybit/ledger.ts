/**
 * Changes of coins and the transaction log that records them; the raw log gets them too, for independent
 * sums. Source: account/transaction-log.mdx (change = cashFlow + funding - fee; a row per coin on spot).
 */
import { type Dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, coinOf, type LogRow } from './account.ts';
import type { SymbolMarket } from './market.ts';
import type { Execution, Order } from './order.ts';

type Move = Pick<LogRow, 'type' | 'currency' | 'change'> & Partial<LogRow>;

export class Ledger {
  readonly #now: () => number;
  readonly #log: (row: Record<string, unknown>) => void;
  #id = 161_440_249_321;

  constructor(now: () => number, log: (row: Record<string, unknown>) => void) {
    this.#now = now;
    this.#log = log;
  }

  /** Applies one change of one coin. */
  move(account: Account, move: Move): void {
    const { currency, change } = move;
    const cashBalance = coinOf(account, currency) + change;
    account.coins.set(currency, cashBalance);
    account.updatedTime = this.#now();
    account.log.push({
      id: `${account.uid}_${move.symbol ?? currency}_${++this.#id}`,
      symbol: '',
      category: '',
      side: 'None',
      qty: ZERO,
      size: ZERO,
      tradePrice: ZERO,
      funding: null,
      fee: ZERO,
      cashFlow: ZERO,
      feeRate: null,
      tradeId: '',
      orderId: '',
      orderLinkId: '',
      time: this.#now(),
      ...move,
      cashBalance,
    });
  }

  /** Deposits or withdraws money. */
  transfer(account: Account, coin: string, amount: Dec): void {
    const type = amount > ZERO ? 'TRANSFER_IN' : 'TRANSFER_OUT';
    this.move(account, { type, currency: coin, change: amount, cashFlow: amount, qty: amount });
    this.#log({
      kind: 'transfer',
      account: account.name,
      market: 'unified',
      asset: coin,
      amount: str(amount),
      time: this.#now(),
    });
  }

  /** Applies a change without a trade: funding, insurance, conversions. */
  income(account: Account, move: Move): void {
    this.move(account, move);
    this.#log({
      kind: 'income',
      account: account.name,
      market: 'unified',
      symbol: move.symbol ?? '',
      incomeType: move.type,
      income: str(move.change),
      asset: move.currency,
      time: this.#now(),
    });
  }

  trade(account: Account, e: Execution, m: SymbolMarket, size: Dec): void {
    const { order } = e;
    const { base, quote, settle } = m.spec;
    const value = mul(e.price, e.qty);
    const type =
      e.execType === 'BustTrade'
        ? 'LIQUIDATION'
        : e.execType === 'AdlTrade'
          ? 'ADL'
          : e.execType === 'Delivery'
            ? 'DELIVERY'
            : 'TRADE';
    const row = {
      ...named(order, e),
      symbol: order.symbol,
      category: order.category,
      side: order.side,
      tradePrice: e.price,
      feeRate: e.feeRate,
      type,
      size,
    } as const;
    const feeOf = (coin: string) => (coin === e.feeCurrency ? e.fee : ZERO);
    if (order.category === 'linear') {
      const coin = settle ?? quote;
      const fee = feeOf(coin);
      this.move(account, { ...row, currency: coin, qty: e.qty, cashFlow: e.pnl, fee, change: e.pnl - fee });
    } else {
      const sign = order.side === 'Buy' ? 1n : -1n;
      for (const [coin, flow] of [
        [base, sign * e.qty],
        [quote, -sign * value],
      ] as const) {
        const fee = feeOf(coin);
        this.move(account, { ...row, currency: coin, qty: flow, cashFlow: flow, fee, change: flow - fee });
      }
    }
    if (![base, quote, settle].includes(e.feeCurrency))
      this.move(account, { ...row, currency: e.feeCurrency, fee: e.fee, change: -e.fee });
    this.#log({
      kind: 'fill',
      account: account.name,
      market: order.category === 'spot' ? 'spot' : 'futures',
      symbol: order.symbol,
      orderId: order.orderId,
      clientOrderId: order.orderLinkId,
      tradeId: e.execId,
      side: order.side === 'Buy' ? 'BUY' : 'SELL',
      positionIdx: order.positionIdx,
      price: str(e.price),
      qty: str(e.qty),
      quote: str(value),
      realized: str(e.pnl),
      commission: str(e.fee),
      commissionAsset: e.feeCurrency,
      isMaker: e.isMaker,
      time: e.time,
    });
  }
}

function named(order: Order, e: Execution) {
  return { orderId: order.orderId, orderLinkId: order.orderLinkId, tradeId: e.execId };
}
