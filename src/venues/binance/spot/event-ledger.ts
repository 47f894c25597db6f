/**
 * Changes of the spot wallet other than executions, as far as they were heard. Binance has no request that
 * lists them all: of moves while nobody listened only the sum is known. Bounded.
 */
import type { LedgerEntry } from '../../../domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../../venue.ts';

const KEPT = 10_000;

export class EventLedger {
  readonly #entries: { readonly entry: LedgerEntry; readonly at: number }[] = [];
  #last = 0;
  readonly #life: string;

  /** `life` names this process, so that cursors of an earlier one are recognised. */
  constructor(life: string) {
    this.#life = life;
  }

  /**
   * Adds an entry. One reported twice, as by both sockets during a change, counts once; so do two equal ones
   * in one millisecond.
   */
  add(entry: LedgerEntry): void {
    if (this.#entries.some((one) => one.entry.id === entry.id)) return;
    this.#last += 1;
    this.#entries.push({ entry, at: this.#last });
    if (this.#entries.length > KEPT) this.#entries.shift();
  }

  page({ after, since, limit }: LedgerQuery): LedgerPage {
    const [life, place] = (after ?? '').split(' ');
    const from = life === this.#life ? Number(place) : null;
    const all = this.#entries.filter(({ at, entry }) => (from === null ? entry.time >= since : at > from));
    const rows = all.slice(0, limit);
    const more = rows.length < all.length;
    const next = more ? (rows.at(-1)?.at ?? 0) : this.#last;
    return { rows: rows.map(({ entry }) => entry), next: `${this.#life} ${next}`, more };
  }
}
