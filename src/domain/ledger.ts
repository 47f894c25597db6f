/**
 * What changes a wallet and is no fill: funding, transfers, rebates. An exchange tells entries; the desk keeps them as records,
 * with two of its own: what there was when it first looked, and what neither fills nor entries explain.
 */
import type { PositionSide } from '../schemas/order.ts';

/** What an exchange may call a change. */
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

/** One change of a wallet, as its exchange tells it. */
export interface LedgerEntry {
  /** Unique within the account, and the same every time it is told. */
  readonly id: string;
  /** The exchange's time, Unix ms. */
  readonly time: number;
  readonly asset: string;
  /** What the wallet has more since; negative: less. */
  readonly amount: string;
  readonly kind: LedgerKind;
  /** What it is of, e.g. the contract whose funding it is. */
  readonly symbol?: string;
}

/** One row of an account's ledger. */
export interface LedgerRecord extends Omit<LedgerEntry, 'kind'> {
  readonly exchange: string;
  readonly user: string;
  /**
   * `opening`: what the wallet had when it was first looked at. `position`: a position of that moment, its signed size in base;
   * it is in no sum; of size zero, it is gone without a fill. `unexplained`: what the wallet has beyond opening, fills and entries.
   */
  readonly kind: LedgerKind | 'opening' | 'position' | 'unexplained';
  /** Of a `position`: which side it is, and the signed sum of price x size over what was open; left out in rows of older stores. */
  readonly posSide?: PositionSide;
  readonly cost?: string;
  /**
   * Of a `position` as its exchange had told it: the exchange's time of its last change, Unix ms. Executions up to then are in it, later
   * ones are not, whenever either was heard of. Left out: not told, and in rows of older stores.
   */
  readonly asOf?: number;
}
