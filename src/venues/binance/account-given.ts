/** What an account of Binance is made with, spot or futures: the same for both. */
import type { AccountGiven as GivenToAll } from '../kit/account-given.ts';
import type { Way } from '../kit/addresses.ts';

export interface AccountGiven extends GivenToAll {
  /** Through the lanes of the wallet, which has the address of spot. */
  readonly walletWay: () => Way;
}
