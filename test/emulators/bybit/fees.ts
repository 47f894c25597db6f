/**
 * The coin in which a fee is taken. Source: enum.mdx "Spot Fee Currency Instruction"; MNT for accounts that
 * have chosen it.
 */
import { type Dec, dec, div, mul, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, floored, type Margin } from './account.ts';
import type { SymbolMarket } from './market.ts';
import type { Order } from './order.ts';

export interface Charged {
  readonly value: Dec;
  readonly qty: Dec;
  readonly rate: Dec;
  readonly isMaker: boolean;
}

/** Coin and amount of a fee; negative: a rebate. */
export function commissionOf(
  account: Account,
  order: Order,
  m: SymbolMarket,
  margin: Margin,
  { value, qty, rate, isMaker }: Charged,
): [string, Dec] {
  const { base, quote, settle } = m.spec;
  if (account.paysInMnt && rate > ZERO) {
    const usd = mul(mul(value, margin.usd(quote)), rate);
    const mnt = floored(div(mul(usd, dec(order.category === 'spot' ? '0.75' : '0.9')), margin.usd('MNT')));
    if ((account.coins.get('MNT') ?? ZERO) >= mnt) return ['MNT', mnt];
  }
  if (order.category === 'linear') return [settle ?? quote, floored(mul(value, rate))];
  const isSwapped = isMaker && rate < ZERO;
  const inBase = (order.side === 'Buy') !== isSwapped;
  return inBase ? [base, floored(mul(qty, rate))] : [quote, floored(mul(value, rate))];
}
