/**
 * The futures position of the tick market, one-way: how a fill changes it, what an order of a side can close.
 * Pure.
 */
import { type Dec, div, maxDec, mul, ZERO } from '../../domain/decimal.ts';

type Side = 'BUY' | 'SELL';

export class TickPosition {
  /** Base amount, signed. */
  amount: Dec;
  entryPrice: Dec;

  constructor({ amount, entryPrice }: { readonly amount: Dec; readonly entryPrice: Dec }) {
    this.amount = amount;
    this.entryPrice = entryPrice;
  }

  get size(): Dec {
    return abs(this.amount);
  }

  /** Books a fill; returns the realised profit that goes to the wallet. */
  settle(side: Side, qty: Dec, price: Dec): Dec {
    const signed = side === 'BUY' ? qty : -qty;
    const { size } = this;
    if (this.amount === ZERO || this.amount > ZERO === signed > ZERO) {
      this.entryPrice = div(mul(this.entryPrice, size) + mul(price, qty), size + qty);
      this.amount += signed;
      return ZERO;
    }
    const closed = qty < size ? qty : size;
    const perUnit = this.amount > ZERO ? price - this.entryPrice : this.entryPrice - price;
    this.amount += signed;
    if (this.amount === ZERO) this.entryPrice = ZERO;
    else if (closed < qty) this.entryPrice = price;
    return mul(perUnit, closed);
  }

  /** Quantity that an order of this side can close. */
  closable(side: Side): Dec {
    return this.amount !== ZERO && this.amount > ZERO === (side === 'SELL') ? this.size : ZERO;
  }

  /** Part of a quantity that opens instead of closing. */
  opening(side: Side, qty: Dec): Dec {
    return maxDec(qty - this.closable(side), ZERO);
  }

  /** Unrealised profit at a price. */
  profit(price: Dec | null): Dec {
    return price === null ? ZERO : mul(this.amount, price - this.entryPrice);
  }
}

export function abs(value: Dec): Dec {
  return value < ZERO ? -value : value;
}
