/** What the API key of an exchange account may do there, and which of its rights go beyond trading. Pure. */
import { utcText } from './utc-time.ts';

/** The rights of a key as the exchange reports them. */
export interface Permissions {
  readonly trade: boolean;
  readonly withdraw: boolean;
  /** Transfers to accounts of the same owner or of others, within the exchange. */
  readonly transfer: boolean;
  /** Addresses from which the key may be used; empty: any. */
  readonly addresses: readonly string[];
  /** Unix ms; null: it does not expire. */
  readonly expiresAt: number | null;
}

/** A right that trading does not need. */
export type WideRight = 'withdraw' | 'transfer';

export const WIDE_RIGHTS: readonly WideRight[] = ['withdraw', 'transfer'];

/** Returns the rights of a key that trading does not need. */
export function wideRights(permissions: Permissions): WideRight[] {
  return WIDE_RIGHTS.filter((right) => permissions[right]);
}

const DAY_MS = 24 * 3_600_000;
/** How many days before its expiry a key is mentioned. */
const EXPIRY_NOTICE_DAYS = 14;

/** Returns what an owner should know about the key of an account, as sentences; `now`: Unix ms. */
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
