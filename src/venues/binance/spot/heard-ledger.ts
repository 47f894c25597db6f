/**
 * Changes of the spot wallet that are no execution, as far as they were heard: Binance has no question that gives them all, so what
 * moved while nobody listened is known by nothing but its sum. Bounded.
 */
import type { LedgerEntry } from '../../../domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../../venue.ts';

const KEPT = 10_000;

export class HeardLedger {
  readonly #entries: { readonly entry: LedgerEntry; readonly at: number }[] = [];
  #last = 0;
  readonly #life: string;

  /** `life`: of this process, so that places of an earlier one are known as such. */
  constructor(life: string) {
    this.#life = life;
  }

  /** One that was told twice, as by both sockets of a change, is one; two alike in one millisecond are, too. */
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
