/**
 * Who makes a request: every command carries its actor; tier, shields, `creator` and the audit line follow
 * from it.
 */

export type Tier = 'read' | 'trade' | 'full';

export type Actor =
  /** A signed API request. `keyId` is the 43-character public key. */
  | {
      readonly kind: 'key';
      readonly user: string;
      readonly keyId: string;
      readonly tier: Tier;
      /** Shield: exchange accounts the key may touch; null when unrestricted. */
      readonly allowedExchanges: readonly string[] | null;
    }
  /** A person at a console of this desk. */
  | {
      readonly kind: 'operator';
      readonly user: string;
      /**
       * Which operator, in which session, from which address: `alice/s7 10.1.2.3`; left out: the desk's own
       * console.
       */
      readonly by?: string;
    }
  /** A run of a bot. */
  | { readonly kind: 'bot'; readonly user: string; readonly botId: string; readonly runId: string };

/** The one local user under which the console runs (S27). */
export const OWNER = 'owner';

/** Returns a short form for logs and the audit: `key A6EHv_PO`, `operator`, `alice/s7 10.1.2.3`, `bot b1`. */
export function actorLabel(actor: Actor): string {
  switch (actor.kind) {
    case 'key':
      return `key ${actor.keyId.slice(0, 8)}`;
    case 'operator':
      return actor.by ?? 'operator';
    case 'bot':
      return `bot ${actor.botId}`;
  }
}
