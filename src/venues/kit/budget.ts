/**
 * What one address of an exchange lets be sent (money-at-risk.md 4): its limits as rows of data, how much of each is used, and what
 * a breach has stopped. One object for an address, shared by all connections and market data of that exchange. It only counts:
 * who goes first is decided in `lanes.ts`. Pure but for its own memory; times are monotonic ms.
 */
import type { RequestBudget } from '../venue.ts';
import { type Phase, type Resets, Window } from './window.ts';

/** One limit, as the exchange's documents have it. */
export interface BudgetRow {
  /** For people: `orders 10 s`. One of its address. */
  readonly name: string;
  /** What counts together. */
  readonly scope: 'address' | 'uid' | 'uid and endpoint' | 'uid and instrument' | 'sub-account';
  readonly unit: 'requests' | 'weight' | 'orders';
  readonly windowMs: number;
  readonly limit: number;
  readonly resets: Resets;
  /** What a breach stops: every request of the address, or new orders of its scope, never cancels. */
  readonly stops: 'address' | 'orders';
  /**
   * What is reckoned with until the exchange has told how much is used: `empty`, or `full` until one window is over. The desk may
   * have sent something just before it was started again.
   */
  readonly atStart: 'empty' | 'full';
  /** Kept free of it for what protects, cancels and closes. */
  readonly spare: number;
}

/** What a request uses of one row. `of`: the uid, the instrument or the like that the row's scope names; empty: the address. */
export interface Cost {
  readonly row: BudgetRow;
  readonly of: string;
  readonly amount: number;
}

/** A breach of an address that names no time: so long nothing is sent (Bybit 403). */
export const BAN_MS = 600_000;
/** Windows that are kept though nothing of them is used. */
const IDLE_MAX = 200;

interface Kept {
  readonly row: BudgetRow;
  readonly of: string;
  readonly window: Window;
  /** No new order until then. */
  stoppedUntil: number;
}

export class Budget {
  readonly #kept = new Map<string, Kept>();
  /** Row by name -> what its exchange says that it allows, where that is another amount. */
  readonly #limits = new Map<string, number>();
  #bannedUntil = Number.NEGATIVE_INFINITY;
  #phase: Phase | null = null;
  readonly #bornAt: number;

  /** `now`: monotonic ms, of its making. */
  constructor(now: number) {
    this.#bornAt = now;
  }

  /** A ban has begun, or is longer than it was: so long from now, ms. */
  onBan: ((ms: number) => void) | null = null;

  /** The exchange's clock; null: not known, and its full windows are kept within whenever they begin. */
  clockIs(phase: Phase | null): void {
    this.#phase = phase;
  }

  /** The exchange itself says how much a row allows. */
  limitIs(row: BudgetRow, limit: number): void {
    if (!Number.isSafeInteger(limit) || limit < 1) return;
    this.#limits.set(row.name, limit);
    for (const kept of this.#kept.values()) if (kept.row.name === row.name) kept.window.limitIs(limit);
  }

  /** What a row allows now. */
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

  /** The header of an answer: so much of a row is used. `leftAt`: of its request, which has ended. */
  told(row: BudgetRow, of: string, used: number, leftAt: number, now: number): void {
    this.#keptOf(row, of, now).window.told(used, leftAt, now);
  }

  /**
   * The exchange has refused for lack of this row. `afterMs`: the time it names (Retry-After); null: none, then a window of new
   * orders, `BAN_MS` of an address. A later breach never shortens an earlier one.
   */
  breach(row: BudgetRow, of: string, afterMs: number | null, now: number): void {
    if (row.stops === 'address') {
      this.ban(afterMs, now);
      return;
    }
    const kept = this.#keptOf(row, of, now);
    kept.stoppedUntil = Math.max(kept.stoppedUntil, now + bounded(afterMs ?? row.windowMs));
  }

  /** Nothing leaves until then. */
  ban(afterMs: number | null, now: number): void {
    const until = now + bounded(afterMs ?? BAN_MS);
    if (until <= this.#bannedUntil) return;
    this.#bannedUntil = until;
    this.onBan?.(until - now);
  }

  /** How long nothing at all may leave, ms; 0: it may. */
  bannedMs(now: number): number {
    return Math.max(0, this.#bannedUntil - now);
  }

  /** How long no new order of the row may leave, ms; 0: it may. */
  stoppedMs({ row, of }: Pick<Cost, 'row' | 'of'>, now: number): number {
    return Math.max(0, (this.#kept.get(keyOf(row, of))?.stoppedUntil ?? now) - now);
  }

  /** For people: the rows of which something is used, those of the address first. A ban shows its rows as used up. */
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

  #keptOf(row: BudgetRow, of: string, now: number): Kept {
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

  /** There are many instruments. */
  #forgetIdle(now: number): void {
    if (this.#kept.size < IDLE_MAX) return;
    for (const [key, { window, stoppedUntil }] of this.#kept)
      if (window.isIdle(now) && stoppedUntil <= now) this.#kept.delete(key);
  }
}

function keyOf({ name }: BudgetRow, of: string): string {
  return `${name} ${of}`;
}

/** A time that an exchange has named, ms: at least one, at most a day. */
function bounded(ms: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(1, ms), 86_400_000) : BAN_MS;
}
