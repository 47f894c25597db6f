/**
 * Value of a fee in the quote asset of its symbol: an exchange may take the fee in another asset. Pure reads.
 */
import { type Dec, dec, div, mul, ZERO } from '../../domain/decimal.ts';
import type { FillRecord } from '../../domain/order.ts';
import { usdPrice } from '../../engine/balances.ts';
import type { AccountMemory } from '../../engine/memory.ts';

/**
 * Uses the present prices of the account's market; zero where the market has none for the fee's asset. A
 * rebate is negative.
 */
export function feeInQuote(
  account: AccountMemory,
  { symbol, price, comm, commAsset }: Pick<FillRecord, 'symbol' | 'price' | 'comm' | 'commAsset'>,
): Dec {
  const fee = dec(comm);
  const { base, quote } = account.instruments.get(symbol) ?? {};
  if (fee === ZERO || commAsset === quote || quote === undefined) return fee;
  if (commAsset === base) return mul(fee, dec(price));
  const [worth, unit] = [usdPrice(account.market, commAsset), usdPrice(account.market, quote)];
  return worth === null || unit === null ? ZERO : div(mul(fee, worth), unit);
}
