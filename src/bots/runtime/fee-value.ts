/** What a fee is worth in the asset that its symbol is traded for: an exchange may take it in another one. Pure reads. */
import { type Dec, dec, div, mul, ZERO } from '../../domain/decimal.ts';
import type { FillRecord } from '../../domain/order.ts';
import { usdPrice } from '../../engine/balances.ts';
import type { AccountMemory } from '../../engine/memory.ts';

/** At the prices of now on the account's market; zero where the market has none for it. A rebate is below zero. */
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
