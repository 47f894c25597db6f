/**
 * The request budget of one address of an exchange (money-at-risk.md 4): its limits as rows of data, how much
 * of each is used, and what a breach has stopped. There is one object for each address, shared by all
 * connections and market data of that exchange. It only counts; `lanes.ts` decides who goes first. No side
 * effects beyond its own memory; times are monotonic ms.
 */
import type { RequestBudget } from '../venue.ts';
import { type Phase, type Resets, Window } from './window.ts';

/** One limit, as in the exchange's documentation. */
export interface BudgetRow {
  /** For people: `orders 10 s`. Unique within its address. */
  readonly name: string;
  /** The scope within which requests are counted together. */
  readonly scope: 'address' | 'uid' | 'uid and endpoint' | 'uid and instrument' | 'sub-account';
  readonly unit: 'requests' | 'weight' | 'orders';
  readonly windowMs: number;
  readonly limit: number;
  readonly resets: Resets;
  /**
   * What a breach stops: every request to the address, or new orders within the row's scope. It never stops
   * cancels.
   */
  readonly stops: 'address' | 'orders';
  /**
   * The use that is assumed until the exchange has said how much is used: `empty`, or `full` until one window
   * is over. The desk may have sent requests just before it was restarted.
   */
  readonly atStart: 'empty' | 'full';
  /** The part kept free for protective orders, cancels and exits. */
  readonly spare: number;
}

/**
 * What a request uses of one row. `of`: the uid, the instrument or whatever the row's scope names; empty: the
 * address.
 */
export interface Cost {
  readonly row: BudgetRow;
  readonly of: string;
  readonly amount: number;
}

/** How long nothing is sent after a breach of an address that names no time, ms (Bybit 403). */
export const BAN_MS = 600_000;
/** The longest ban that is believed, ms: Binance bans for 3 days at most. */
export const LONGEST_BAN_MS = 4 * 86_400_000;
/** The longest stop of new orders that is believed, ms. */
const LONGEST_STOP_MS = 86_400_000;
/** The number of windows that are kept even if nothing of them is used. */
const IDLE_MAX = 200;

interface TrackedWindow {
  readonly row: BudgetRow;
  readonly of: string;
  readonly window: Window;
  /** No new order leaves before this time. */
  stoppedUntil: number;
}

export class Budget {
  readonly #kept = new Map<string, TrackedWindow>();
  /** Name of a row -> the limit that the exchange has told, where it differs from the row's. */
  readonly #limits = new Map<string, number>();
  #bannedUntil = Number.NEGATIVE_INFINITY;
  #phase: Phase | null = null;
  readonly #bornAt: number;

  /** `now`: the current time, monotonic ms. */
  constructor(now: number) {
    this.#bornAt = now;
  }

  /** Called when a ban begins or becomes longer, with its length from now, ms. */
  onBan: ((ms: number) => void) | null = null;

  /**
   * Sets the exchange's clock; null: not known, and then its full windows are kept to wherever they may
   * begin.
   */
  clockIs(phase: Phase | null): void {
    this.#phase = phase;
  }

  /** Sets the limit of a row that the exchange itself has told. */
  limitIs(row: BudgetRow, limit: number): void {
    if (!Number.isSafeInteger(limit) || limit < 1) return;
    this.#limits.set(row.name, limit);
    for (const kept of this.#kept.values()) if (kept.row.name === row.name) kept.window.limitIs(limit);
  }

  /** The current limit of a row. */
  limitOf({ name, limit }: BudgetRow): number {
    return this.#limits.get(name) ?? limit;
  }

  window({ row, of }: Pick<Cost, 'row' | 'of'>, now: number): Window {
    return this.#keptOf(row, of, now).window;
  }

  leaves(costs: readonly Cost[], now: number): void {
    for (const cost of costs) this.window(cost, now).leaves(cost.amount, now);
  }

  ended(costs: readonly Cost[], now: number): void {
    for (const cost of costs) this.window(cost, now).ended(cost.amount, now);
  }

  /**
   * Takes from the header of an answer how much of a row is used. `leftAt`: when the request left; it has
   * ended.
   */
  reportUsed(row: BudgetRow, of: string, used: number, leftAt: number, now: number): void {
    this.#keptOf(row, of, now).window.told(used, leftAt, now);
  }

  /**
   * The exchange has refused a request because this row was used up. `afterMs`: the time it names
   * (Retry-After); null: none, then new orders stop for one window, an address for `BAN_MS`. A later breach
   * never shortens an earlier one.
   */
  breach(row: BudgetRow, of: string, afterMs: number | null, now: number): void {
    if (row.stops === 'address') {
      this.ban(afterMs, now);
      return;
    }
    const kept = this.#keptOf(row, of, now);
    kept.stoppedUntil = Math.max(kept.stoppedUntil, now + bounded(afterMs ?? row.windowMs, LONGEST_STOP_MS));
  }

  /** Stops everything for this time (null: `BAN_MS`). */
  ban(afterMs: number | null, now: number): void {
    const until = now + bounded(afterMs ?? BAN_MS, LONGEST_BAN_MS);
    if (until <= this.#bannedUntil) return;
    this.#bannedUntil = until;
    this.onBan?.(until - now);
  }

  /** How long nothing at all may leave, ms; 0: requests may leave. */
  bannedMs(now: number): number {
    return Math.max(0, this.#bannedUntil - now);
  }

  /** How long no new order within the row may leave, ms; 0: orders may leave. */
  stoppedMs({ row, of }: Pick<Cost, 'row' | 'of'>, now: number): number {
    return Math.max(0, (this.#kept.get(keyOf(row, of))?.stoppedUntil ?? now) - now);
  }

  /**
   * For people: the rows of which something is used, the most used first. During a ban the rows of the
   * address show as used up.
   */
  view(now: number): RequestBudget[] {
    const banned = this.bannedMs(now) > 0;
    return [...this.#kept.values()]
      .map(({ row, of, window }) => ({
        name: of === '' ? row.name : `${row.name} of ${of}`,
        used:
          banned && row.stops === 'address'
            ? this.limitOf(row)
            : Math.min(window.used(now), this.limitOf(row)),
        limit: this.limitOf(row),
        windowMs: row.windowMs,
      }))
      .sort((a, b) => b.used / b.limit - a.used / a.limit || (a.name < b.name ? -1 : 1));
  }

  #keptOf(row: BudgetRow, of: string, now: number): TrackedWindow {
    const key = keyOf(row, of);
    const known = this.#kept.get(key);
    if (known) return known;
    this.#forgetIdle(now);
    const phase = () => this.#phase;
    const rule = { ...row, limit: this.limitOf(row) };
    const window =
      row.atStart === 'full' ? new Window(rule, phase, this.#bornAt + row.windowMs) : new Window(rule, phase);
    const kept = { row, of, window, stoppedUntil: Number.NEGATIVE_INFINITY };
    this.#kept.set(key, kept);
    return kept;
  }

  /** Drops windows that are not in use, since there are many instruments. */
  #forgetIdle(now: number): void {
    if (this.#kept.size < IDLE_MAX) return;
    for (const [key, { window, stoppedUntil }] of this.#kept)
      if (window.isIdle(now) && stoppedUntil <= now) this.#kept.delete(key);
  }
}

function keyOf({ name }: BudgetRow, of: string): string {
  return `${name} ${of}`;
}

/** Limits a time that an exchange has named, ms: at least one. */
function bounded(ms: number, most: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(1, ms), most) : BAN_MS;
}
