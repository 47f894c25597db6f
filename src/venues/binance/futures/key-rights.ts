/**
 * Asks what the key of a futures account may do. The wallet answers that at the address of spot, which has a
 * clock, lanes and a list of requests of its own. Live only.
 */
import type { Permissions } from '../../../domain/permissions.ts';
import { Caller } from '../../kit/caller.ts';
import { ClockOffset } from '../../kit/clock-offset.ts';
import type { AccountGiven } from '../account-given.ts';
import { binanceDialect } from '../dialect.ts';
import { SPOT_WEIGHT } from '../spot/budgets.ts';
import { readRestrictions } from '../spot/messages.ts';
import { SPOT } from '../spot/requests.ts';
import { readTime } from './messages.ts';
import { successOf } from './questions.ts';

export interface KeyRights extends Permissions {
  /** Whether the account is in portfolio margin, which the futures API does not serve. */
  readonly portfolio: boolean;
}

/** Makes the question. Null: there is no wallet to ask, as on demo. */
export function keyRights(given: AccountGiven): (() => Promise<KeyRights | null>) | null {
  const { environment, addresses, clock, net, secrets, walletWay } = given;
  if (environment !== 'live' || addresses['spot-rest'] === undefined) return null;
  const way = walletWay();
  const offset = new ClockOffset(clock);
  const caller = new Caller({
    net,
    clock,
    way,
    offset,
    secrets,
    addresses,
    uid: () => '',
    dialect: binanceDialect({ weight: SPOT_WEIGHT, orders: {} }),
    forms: [SPOT.time, SPOT.restrictions],
  });
  const measure = () =>
    caller.ask(SPOT.time, {}, (called, { leftAt, now }) => {
      const read = readTime(successOf(called) ?? '');
      if (read.ok) offset.measured({ sentAt: leftAt, heardAt: now, time: read.value.serverTime });
      return null;
    });
  return async () => {
    if (offset.isDue) await measure();
    return caller.ask(SPOT.restrictions, {}, (called) => {
      const read = readRestrictions(successOf(called) ?? '');
      if (!read.ok) return null;
      const { value } = read;
      const expiresAt = value.tradingAuthorityExpirationTime ?? 0;
      return {
        trade: value.enableFutures === true,
        withdraw: value.enableWithdrawals,
        transfer: value.enableInternalTransfer === true || value.permitsUniversalTransfer === true,
        // The exchange says that addresses are set, but not which.
        addresses: value.ipRestrict ? ['those that Binance keeps'] : [],
        expiresAt: expiresAt > 0 ? expiresAt : null,
        portfolio: value.enablePortfolioMarginTrading === true,
      };
    });
  };
}
