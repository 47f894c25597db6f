/**
 * The reported figures of an account, with movements that the reports do not include yet. In memory only.
 * Pure.
 */
import type { Dec } from '../domain/decimal.ts';
import { type Movement, PendingMovements, type Report } from './pending-movements.ts';

/** A fill that the exchange's report of its position does not include yet. */
export interface UntoldFill extends Movement {
  readonly symbol: string;
  readonly price: Dec;
}

/** What the exchange has locked for an order of a spot account. */
export interface LockedThere {
  readonly asset: string;
  amount: Dec;
}

/** The reported figures of an account, with movements not reported yet. */
export class AccountMovements {
  /** Balances by asset; the number of parts is given by `partsOf`. */
  readonly balances = new Map<string, PendingMovements>();
  /** By `positionKey`: the signed size. */
  readonly positions = new Map<string, PendingMovements<UntoldFill>>();
  /** Locks by order, for orders at the exchange. */
  readonly locked = new Map<string, LockedThere>();
  /** Sequence number of the moment at which an order was sent, by order. */
  readonly sentAt = new Map<string, number>();
  /** The same for the cancel of an order. */
  readonly cancelSentAt = new Map<string, number>();

  /** The last report of all positions: a position missing in it is flat. */
  allPositions: Report | null = null;
  /** The last report of all balances: an asset missing in it is zero. */
  allBalances: Report | null = null;

  balance(asset: string, parts: number): PendingMovements {
    const known = this.balances.get(asset) ?? new PendingMovements(parts, this.allBalances);
    this.balances.set(asset, known);
    return known;
  }

  position(key: string): PendingMovements<UntoldFill> {
    const known = this.positions.get(key) ?? new PendingMovements<UntoldFill>(1, this.allPositions);
    this.positions.set(key, known);
    return known;
  }

  /** Returns whether some movement may or may not be in the last report: the next response decides. */
  get hasDoubt(): boolean {
    for (const untold of this.balances.values()) if (untold.hasDoubt) return true;
    for (const untold of this.positions.values()) if (untold.hasDoubt) return true;
    return false;
  }

  /** Moves what was booked for one order to another: it counts once, for the latter. */
  rename(from: string, to: string): void {
    for (const untold of this.balances.values()) untold.rename(from, to);
    for (const untold of this.positions.values()) untold.rename(from, to);
  }

  /** Takes over the figures of another memory of the same account. */
  copy(from: AccountMovements): void {
    this.allPositions = from.allPositions;
    this.allBalances = from.allBalances;
    for (const [asset, untold] of from.balances) this.balances.set(asset, untold.copy());
    for (const [key, untold] of from.positions) this.positions.set(key, untold.copy());
  }
}
