/**
 * Effects of fees and funding on a linear position, each formula with its source; executions and valuation
 * are in `domain/margin`. Pure.
 */
import { type Dec, mul } from '../../../domain/decimal.ts';
import { money, type Open, priceOf } from '../../../domain/margin/position.ts';

/**
 * Break-even price = (total cost - total gained) / size held (Binance FAQ 8a2bc34f411b414888fb10a2db851a9b);
 * the costs include fees and funding paid since the position opened. The future closing fee is not known and
 * not included.
 */
export function breakEvenPrice(
  position: Open & { readonly realized: Dec; readonly fees: Dec; readonly funding: Dec },
): Dec {
  return priceOf(position.cost - position.realized + position.fees - position.funding, position.amount);
}

/**
 * Funding received (negative: paid) = - size x mark x rate: at a rate above zero longs pay shorts (Binance
 * FAQ 360033525031).
 */
export function fundingOf(amount: Dec, mark: Dec, rate: Dec): Dec {
  return money(-mul(mul(amount, mark), rate));
}
