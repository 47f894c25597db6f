/** What the key of an exchange account may do there, and what of it goes beyond trading. Pure. */
import { utcText } from './utc-time.ts';

/** As the exchange tells it. */
export interface Permissions {
  readonly trade: boolean;
  readonly withdraw: boolean;
  /** To accounts of the same owner or of others, within the exchange. */
  readonly transfer: boolean;
  /** Addresses it may be used from; empty: from any. */
  readonly addresses: readonly string[];
  /** Unix ms; null: it does not expire. */
  readonly expiresAt: number | null;
}

/** A right that trading does not need. */
export type WideRight = 'withdraw' | 'transfer';

export const WIDE_RIGHTS: readonly WideRight[] = ['withdraw', 'transfer'];

/** What of them a key has. */
export function wideRights(permissions: Permissions): WideRight[] {
  return WIDE_RIGHTS.filter((right) => permissions[right]);
}

const DAY_MS = 24 * 3_600_000;
/** How long before its end a key is spoken of. */
const EXPIRY_NOTICE_DAYS = 14;

/** What an owner should know of the key of an account, as sentences; `now`: Unix ms. */
export function permissionNotices(
  exchange: string,
  { addresses, expiresAt }: Permissions,
  now: number,
): string[] {
  const notices: string[] = [];
  if (addresses.length === 0)
    notices.push(`the key of ${exchange} may be used from any address: restrict it at the exchange`);
  if (expiresAt === null) return notices;
  const days = Math.floor((expiresAt - now) / DAY_MS);
  const at = utcText(expiresAt).slice(0, 10);
  if (expiresAt <= now) notices.push(`the key of ${exchange} expired on ${at}`);
  else if (days < EXPIRY_NOTICE_DAYS)
    notices.push(`the key of ${exchange} expires on ${at}, in ${days} ${days === 1 ? 'day' : 'days'}`);
  return notices;
}
