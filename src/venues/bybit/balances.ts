/**
 * The unified wallet in the form of the port (DOC account/wallet-balance): `walletBalance` includes borrowed
 * amounts, which are not the account's own; `locked` is the amount locked by spot orders. The margin of
 * positions is computed from the positions. Pure.
 */
import { dec, maxDec, minDec, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeBalance } from '../../domain/exchange.ts';
import { figure } from './figures.ts';
import type { CoinRow } from './messages.ts';

/** Converts the rows. `time`: the exchange's, Unix ms; left out: not known. */
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
