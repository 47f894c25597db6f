/** A registered API key as stored and as shown. The service only ever knows the public half. Pure. */
import type { Tier } from './actor.ts';
import type { ErrorCode } from './errors.ts';

/** Counts of the signed requests that were accepted (and of logins on the WebSocket). */
export interface KeyCounts {
  /** The UTC day that `today` counts, in days since 1970. */
  readonly day: number;
  readonly today: number;
  readonly total: number;
}

export const NO_COUNTS: KeyCounts = { day: 0, today: 0, total: 0 };

/**
 * The last request with a valid signature of this key that was refused all the same: address list, tier,
 * shield, budget.
 */
export interface KeyRefusal {
  readonly code: ErrorCode;
  /** Unix ms. */
  readonly at: number;
  readonly from: string;
}

/** What the owner of a key chooses at its registration (specification, "Keys and permissions"). */
export interface KeySettings {
  readonly label: string;
  readonly tier: Tier;
  /** CIDR entries; null or left out: any address. */
  readonly ipList?: readonly string[] | null;
  /** Exchange accounts; null or left out: all. */
  readonly allowedExchanges?: readonly string[] | null;
}

/** The field for which a registration can be refused; `keys`: the account already has its ten keys. */
export type KeyField = 'label' | 'tier' | 'ipList' | 'allowedExchanges' | 'publicKey' | 'keys';

export interface KeyProblem {
  readonly field: KeyField;
  /** Index of the wrong entry in `ipList`; left out when the field is wrong as a whole. */
  readonly entry?: number;
  readonly code: 'INVALID_REQUEST' | 'CONFLICT';
  readonly message: string;
}

export interface AccessKey {
  /** Base64url public key, 43 characters: also the key's id. */
  readonly id: string;
  readonly user: string;
  readonly label: string;
  readonly tier: Tier;
  /** CIDR entries; null = any address. */
  readonly ipList: readonly string[] | null;
  /** Shield: exchange accounts; null = all. */
  readonly allowedExchanges: readonly string[] | null;
  /**
   * Name of the private key's file in `keys/` of the data folder; null: the desk only ever had the public
   * half.
   */
  readonly file: string | null;
  readonly createdAt: number;
  revokedAt: number | null;
  lastUsedAt: number | null;
  lastUsedFrom: string | null;
  readonly counts: KeyCounts;
  readonly lastRefusal: KeyRefusal | null;
}

/** Values of a new key that was pasted; also the defaults for fields that rows of older versions lack. */
export const UNUSED_KEY = {
  file: null,
  revokedAt: null,
  lastUsedAt: null,
  lastUsedFrom: null,
  counts: NO_COUNTS,
  lastRefusal: null,
} as const;

const DAY_MS = 86_400_000;

/** Returns the UTC day of a time, in days since 1970. */
export function utcDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Returns the number of requests of the key since 00:00 UTC. */
export function requestsToday({ counts }: Pick<AccessKey, 'counts'>, now: number): number {
  return counts.day === utcDay(now) ? counts.today : 0;
}

/** Returns the counts after one more request. */
export function countOne(counts: KeyCounts, now: number): KeyCounts {
  const day = utcDay(now);
  return { day, today: counts.day === day ? counts.today + 1 : 1, total: counts.total + 1 };
}
