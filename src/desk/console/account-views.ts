/**
 * What a terminal shows of exchange accounts and keys, and its calls about them; part of the contract in
 * `protocol.ts`. Types only.
 */
import type { AccessKey } from '../../domain/access-key.ts';
import type { AccountIdentity } from '../../domain/account-identity.ts';
import type { ExchangeAccount } from '../../domain/exchange.ts';
import type { GuardMeters, Guards } from '../../domain/guards.ts';
import type { Permissions, WideRight } from '../../domain/permissions.ts';
import type { FaultMix } from '../../venues/paper/faults.ts';
import type { RequestBudget } from '../../venues/venue.ts';
import type { DeadManView } from '../core/dead-man.ts';
import type { AccountConnection } from './connection-views.ts';

export interface AccountView extends ExchangeAccount {
  readonly link: 'up' | 'down';
  /** Events may be missing and the account has not been compared as a whole since: new entries wait. */
  readonly gap?: true;
  /** Why the account could not be connected since the start; left out: it was connected. */
  readonly away?: string;
  /** When the link's state last changed, wall time. */
  readonly since: number;
  /** Duration of the last answered call, ms; null before the first. */
  readonly latencyMs: number | null;
  /** The exchange's clock minus the desk's, ms; null: not known. */
  readonly clockOffsetMs: number | null;
  /** The exchange's limits on requests, and how much of each is used; empty: it sets no limit. */
  readonly budgets: readonly RequestBudget[];
  /** The last comparison with the exchange; null before the first. */
  readonly reconciled: Reconciled | null;
  /** Changes of its wallet that no fill and no row of its ledger explains; left out: none was found. */
  readonly unexplained?: number;
  /** Why the account takes no entries because of its key's permissions; left out: it takes entries. */
  readonly closed?: string;
  /** The account's identity at its exchange; left out: it is not known. */
  readonly identity?: AccountIdentity;
  /**
   * Why nothing, or no entry, is sent: another desk may trade the account, or it is another account; left
   * out: neither.
   */
  readonly shut?: DeskShut;
  /** What the key may do that trading does not need and nobody has confirmed. */
  readonly unconfirmed?: readonly WideRight[];
  /** What the key may do; left out: there is no key, or the exchange has not said. */
  readonly permissions?: Permissions;
  /** The connection of the account; left out: it is an account of this process. */
  readonly connection?: AccountConnection;
  /** Left out: no guards are set. */
  readonly guards?: GuardsView;
  /** How the exchange ends open orders when it hears nothing from this desk; left out: it does not. */
  readonly deadMan?: DeadManView;
  /** Settings of an embedded exchange; null on any other. */
  readonly paper: PaperView | null;
}

/**
 * `another`: it is not the same account as before. `held`: the data folder was moved or copied. `others`:
 * another desk has orders there. In these states nothing is sent. `paused`: orders of another desk have come:
 * no entries.
 */
export interface DeskShut {
  readonly kind: 'another' | 'held' | 'others' | 'paused';
  /** Ids of the first of the other desk's orders. */
  readonly ids: readonly string[];
  readonly more: boolean;
}

/** What may be put at risk on an account, and how much of that is used; `meters` null: no guard is set. */
export interface GuardsView {
  readonly set: Guards;
  readonly meters: GuardMeters | null;
}

/** The last comparison of orders, fills, balances and positions with the exchange. */
export interface Reconciled {
  readonly at: number;
  /** False: a question failed, so that something may still differ. */
  readonly whole: boolean;
}

/** Fees and latency of an embedded exchange. Rates are decimal strings: `0.001` is 0.1 %. */
export interface PaperSettings {
  readonly makerRate: string;
  readonly takerRate: string;
  readonly latencyMs: number;
  readonly jitterMs: number;
  readonly slippageBps: number;
}

/**
 * Faults that stay on: `rejectNth` refuses every Nth submit, the others are probabilities, 0 to 1. 0 is off.
 */
export type StandingFaults = Pick<
  FaultMix,
  | 'rejectNth'
  | 'loseRequest'
  | 'lateArrival'
  | 'loseAnswer'
  | 'serverErrorAfterAccept'
  | 'delay'
  | 'dropEvent'
  | 'duplicateEvent'
  | 'reorderEvent'
  | 'queryFails'
>;

export interface PaperView extends PaperSettings {
  /** Only the faults that are on. */
  readonly faults: Partial<StandingFaults>;
  /** Number of faults set for single requests and events that are still to come. */
  readonly faultsToCome: number;
}

/** A file that the desk has written into `exports/` of its data folder. */
export interface ExportFile {
  readonly path: string;
  readonly rows: number;
  /** False: there are more rows than a file may have. */
  readonly whole: boolean;
}

export type PaperFaultRequest =
  | {
      readonly fault:
        | 'reject'
        | 'loseRequest'
        | 'lateArrival'
        | 'loseAnswer'
        | 'serverErrorAfterAccept'
        | 'delay'
        | 'dropEvent'
        | 'duplicateEvent'
        | 'reorderEvent'
        | 'queryFails';
      /** Default paper-spot. */
      readonly exchange?: string;
      readonly on?: 'submit' | 'cancel' | 'order' | 'fill' | 'balances';
      readonly times?: number;
      readonly ms?: number;
    }
  | { readonly fault: 'down'; readonly exchange?: string; readonly ms: number };

/** A worked example of signing GET /v2/ping with a key, made at the time of the call. */
export interface KeyExample {
  /** The exact bytes to sign. */
  readonly message: string;
  /**
   * The signature, where the private key's file is still in the data folder; else null: only the key's owner
   * can make it.
   */
  readonly signature: string | null;
  readonly command: string;
}

export interface GeneratedKey {
  readonly key: AccessKey;
  /** Where the private key was written (0600); it exists nowhere else. */
  readonly path: string;
  readonly example: KeyExample;
}

/** A request of a program as it was signed and sent. */
export interface LabRequest {
  /** Id of the key that is said to have signed the request. */
  readonly id: string;
  readonly method: string;
  /** Such as `/api/v2/orders?status=open`; a whole URL, and one without `/api`, are understood. */
  readonly target: string;
  /** The exact body, as UTF-8 text. */
  readonly body: string;
  readonly timestamp: string;
  readonly signature: string;
}

/** One rule that the API checks, in its order. */
export interface LabRule {
  readonly name: string;
  /** `open`: cannot be decided from what was given. */
  readonly verdict: 'passes' | 'refuses' | 'open';
  /** The error's code, where it refuses. */
  readonly code: string | null;
  readonly text: string;
}

export interface LabReport {
  readonly rules: readonly LabRule[];
  /** What the signer most likely did wrong, where that explains the signature; null: no explanation. */
  readonly hint: string | null;
}
