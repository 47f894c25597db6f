/** What every account of Binance, spot or futures, is made with. */
import type { AccountGiven as GivenToAll } from '../kit/account-given.ts';
import type { LaneClient } from '../kit/addresses.ts';

export interface AccountGiven extends GivenToAll {
  /** The way to the wallet's requests and their lanes; the wallet has the address of spot. */
  readonly walletWay: () => LaneClient;
}
