/** A registered API key as stored and as shown. The service only ever knows the public half. */
import type { Tier } from './actor.ts';

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
  readonly createdAt: number;
  revokedAt: number | null;
  lastUsedAt: number | null;
  lastUsedFrom: string | null;
}
