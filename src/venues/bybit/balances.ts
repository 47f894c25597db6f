/**
 * The unified wallet, in the words of the port (DOC account/wallet-balance): `walletBalance` has what is borrowed in it, which is not
 * the account's own; `locked` is what orders of spot bind. What positions bind is computed from them. Pure.
 */
import { dec, maxDec, minDec, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeBalance } from '../../domain/exchange.ts';
import { figure } from './figures.ts';
import type { CoinRow } from './messages.ts';

/** `time`: the exchange's, Unix ms; left out: not told. */
export function balancesOf(coins: readonly CoinRow[], time?: number): ExchangeBalance[] {
  return coins.map(({ coin, walletBalance, spotBorrow, locked }) => {
    const own = dec(figure(walletBalance)) - dec(figure(spotBorrow));
    const bound = maxDec(ZERO, minDec(dec(figure(locked)), own));
    return {
      asset: coin,
      free: str(own - bound),
      locked: str(bound),
      ...(time === undefined ? {} : { time }),
    };
  });
}
