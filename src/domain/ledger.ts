/**
 * Changes of a wallet other than fills: funding, transfers, rebates. An exchange reports entries; the desk
 * stores them as records, with two kinds of its own: the balance when it first looked, and differences that
 * neither fills nor entries explain.
 */
import type { PositionSide } from '../schemas/order.ts';

/** The kinds of change that an exchange may report. */
export const LEDGER_KINDS = [
  'funding',
  'transfer',
  'interest',
  'rebate',
  'insurance',
  'conversion',
  'bonus',
  'settlement',
  'other',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** One change of a wallet, as its exchange reports it. */
export interface LedgerEntry {
  /** Unique within the account, and the same each time it is reported. */
  readonly id: string;
  /** The exchange's time, Unix ms. */
  readonly time: number;
  readonly asset: string;
  /** Signed change of the wallet. */
  readonly amount: string;
  readonly kind: LedgerKind;
  /** The symbol of the change, e.g. the contract whose funding it is. */
  readonly symbol?: string;
}

/** One row of an account's ledger. */
export interface LedgerRecord extends Omit<LedgerEntry, 'kind'> {
  readonly exchange: string;
  readonly user: string;
  /**
   * `opening`: the wallet's balance when it was first looked at. `position`: a position at that moment, its
   * signed size in base; not part of any sum; size zero: it ended without a fill. `unexplained`: the part of
   * the wallet beyond opening, fills and entries.
   */
  readonly kind: LedgerKind | 'opening' | 'position' | 'unexplained';
  /**
   * For a `position`: its side, and the signed sum of price x size over the open part; left out in rows of
   * older stores.
   */
  readonly posSide?: PositionSide;
  readonly cost?: string;
  /**
   * For a `position` that its exchange reported: the exchange's time of its last change, Unix ms. It includes
   * executions up to then and none later, whenever the desk received them. Left out: not reported, and in
   * rows of older stores.
   */
  readonly asOf?: number;
}
