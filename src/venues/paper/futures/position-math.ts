/** What fees and funding do to a linear position, each formula with its source; executions and what it is worth: `domain/margin`. Pure. */
import { type Dec, mul } from '../../../domain/decimal.ts';
import { money, type Open, priceOf } from '../../../domain/margin/position.ts';

/**
 * Break-even price = (total cost - total gained) / size held (Binance FAQ 8a2bc34f411b414888fb10a2db851a9b), with the fees
 * and the funding paid since the position opened among the costs. The fee of closing is not known yet and not in it.
 */
export function breakEvenPrice(
  position: Open & { readonly realized: Dec; readonly fees: Dec; readonly funding: Dec },
): Dec {
  return priceOf(position.cost - position.realized + position.fees - position.funding, position.amount);
}

/** Funding received (negative: paid) = - size x mark x rate: at a rate above zero longs pay shorts (Binance FAQ 360033525031). */
export function fundingOf(amount: Dec, mark: Dec, rate: Dec): Dec {
  return money(-mul(mul(amount, mark), rate));
}
