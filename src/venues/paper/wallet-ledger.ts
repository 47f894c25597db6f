/**
 * The paper exchange's ledger: every change of a wallet that is not an execution, numbered and stored; only
 * the newest are kept. It knows nothing of the reasons.
 */
import { type Dec, str, ZERO } from '../../domain/decimal.ts';
import type { LedgerEntry, LedgerKind } from '../../domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../venue.ts';
import { BoundedList } from './bounded-list.ts';
import type { Changes } from './changes.ts';

/** The largest number of entries of an account; the oldest are dropped first. */
const KEPT = 10_000;

export interface WalletChange {
  readonly kind: LedgerKind;
  readonly asset: string;
  readonly amount: Dec;
  readonly symbol?: string;
  /** The time, where it differs from the account's market time, which does not advance between two prices. */
  readonly time?: number;
}

export class WalletLedger {
  readonly #entries = new BoundedList<LedgerEntry>(KEPT);
  /** The changes of the running operation. */
  #noted: WalletChange[] = [];
  /** The number of the newest entry; never decreases. */
  last = 0;

  note(change: WalletChange): void {
    if (change.amount !== ZERO) this.#noted.push(change);
  }

  /** Ends an operation: stores its entries and adds the event. */
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

  /** Returns a page; a cursor that this ledger has not given counts as none: then from the time on. */
  page({ after, since, limit }: LedgerQuery): LedgerPage {
    const from = after === null ? Number.NaN : Number(after);
    const isKnown = from >= 0 && from <= this.last;
    const all = [...this.#entries].filter(({ id, time }) => (isKnown ? Number(id) > from : time >= since));
    const rows = all.slice(0, limit);
    const more = rows.length < all.length;
    return { rows, next: more ? (rows.at(-1)?.id ?? after) : String(this.last), more };
  }

  /** The entries by id. */
  documents(): Map<string, LedgerEntry> {
    return new Map([...this.#entries].map((entry) => [entry.id, entry]));
  }

  load(documents: ReadonlyMap<string, unknown> | undefined, last: number): void {
    this.last = last;
    const entries = [...(documents?.values() ?? [])] as LedgerEntry[];
    for (const entry of entries.sort((a, b) => Number(a.id) - Number(b.id))) this.#entries.push(entry);
  }
}
