/** What is told of an account as figures, with what has been heard and is not told yet. In memory only. Pure. */
import type { Dec } from '../domain/decimal.ts';
import { type Movement, type Report, Untold } from './untold.ts';

/** A fill whose position the exchange has not told yet. */
export interface UntoldFill extends Movement {
  readonly symbol: string;
  readonly price: Dec;
}

/** What the exchange has locked for an order of a spot account. */
export interface LockedThere {
  readonly asset: string;
  amount: Dec;
}

/** What is told of an account as figures, with what is not told yet. */
export class Untolds {
  /** By asset; of so many numbers as `partsOf` says. */
  readonly balances = new Map<string, Untold>();
  /** By `positionKey`: the signed size. */
  readonly positions = new Map<string, Untold<UntoldFill>>();
  /** By order, of those that are at the exchange. */
  readonly locked = new Map<string, LockedThere>();
  /** Number of the moment at which an order was sent, by order. */
  readonly sentAt = new Map<string, number>();
  /** The same of the cancel of an order. */
  readonly cancelSentAt = new Map<string, number>();

  /** The report of all positions: what it has not named is flat. */
  allPositions: Report | null = null;
  /** The report of all balances: what it has not named there is none of. */
  allBalances: Report | null = null;

  balance(asset: string, parts: number): Untold {
    const known = this.balances.get(asset) ?? new Untold(parts, this.allBalances);
    this.balances.set(asset, known);
    return known;
  }

  position(key: string): Untold<UntoldFill> {
    const known = this.positions.get(key) ?? new Untold<UntoldFill>(1, this.allPositions);
    this.positions.set(key, known);
    return known;
  }

  /** There is something of which nobody can say whether the last report knows of it: the next answer will. */
  get hasDoubt(): boolean {
    for (const untold of this.balances.values()) if (untold.hasDoubt) return true;
    for (const untold of this.positions.values()) if (untold.hasDoubt) return true;
    return false;
  }

  /** What was heard of one order was of another: it counts once, for that. */
  rename(from: string, to: string): void {
    for (const untold of this.balances.values()) untold.rename(from, to);
    for (const untold of this.positions.values()) untold.rename(from, to);
  }

  /** Takes over the figures that another memory of the same account knows. */
  copy(from: Untolds): void {
    this.allPositions = from.allPositions;
    this.allBalances = from.allBalances;
    for (const [asset, untold] of from.balances) this.balances.set(asset, untold.copy());
    for (const [key, untold] of from.positions) this.positions.set(key, untold.copy());
  }
}
