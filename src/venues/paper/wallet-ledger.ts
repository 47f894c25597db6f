/**
 * What the paper exchange writes down of a wallet that no execution has moved: numbered, stored, the newest kept. It knows
 * nothing of why.
 */
import { type Dec, str, ZERO } from '../../domain/decimal.ts';
import type { LedgerEntry, LedgerKind } from '../../domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../venue.ts';
import { BoundedList } from './bounded-list.ts';
import type { Changes } from './changes.ts';

/** Entries of an account at most; the oldest are forgotten first. */
const KEPT = 10_000;

export interface WalletChange {
  readonly kind: LedgerKind;
  readonly asset: string;
  readonly amount: Dec;
  readonly symbol?: string;
  /** Where it is not the account's own, which stands still between two prices. */
  readonly time?: number;
}

export class WalletLedger {
  readonly #entries = new BoundedList<LedgerEntry>(KEPT);
  /** Of the running operation. */
  #noted: WalletChange[] = [];
  /** Number of the newest; never goes back. */
  last = 0;

  note(change: WalletChange): void {
    if (change.amount !== ZERO) this.#noted.push(change);
  }

  /** The operation ends: its entries are stored, and told of. */
  close(changes: Changes, table: string, time: number): void {
    if (this.#noted.length === 0) return;
    for (const { amount, ...rest } of this.#noted) {
      this.last += 1;
      const entry: LedgerEntry = { id: String(this.last), time, amount: str(amount), ...rest };
      changes.put(table, entry.id, entry);
      const out = this.#entries.push(entry);
      if (out) changes.put(table, out.id, null);
    }
    this.#noted = [];
    changes.events.push({ kind: 'ledger' });
  }

  /** A place that it has not given is none: from the time on. */
  page({ after, since, limit }: LedgerQuery): LedgerPage {
    const from = after === null ? Number.NaN : Number(after);
    const isKnown = from >= 0 && from <= this.last;
    const all = [...this.#entries].filter(({ id, time }) => (isKnown ? Number(id) > from : time >= since));
    const rows = all.slice(0, limit);
    const more = rows.length < all.length;
    return { rows, next: more ? (rows.at(-1)?.id ?? after) : String(this.last), more };
  }

  /** By id. */
  documents(): Map<string, LedgerEntry> {
    return new Map([...this.#entries].map((entry) => [entry.id, entry]));
  }

  load(documents: ReadonlyMap<string, unknown> | undefined, last: number): void {
    this.last = last;
    const entries = [...(documents?.values() ?? [])] as LedgerEntry[];
    for (const entry of entries.sort((a, b) => Number(a.id) - Number(b.id))) this.#entries.push(entry);
  }
}
