/**
 * Up to which timestamp each key has signed (D21, S60): the highest one that was admitted. The marks are
 * stored with every commit: so a request's changes are never on disk without its mark, and a later process
 * refuses what an earlier one may have carried out. Pure: knows neither clock nor store.
 */
import type { Row } from '../domain/rows.ts';

/** Each key's mark is one row of the store, named by this prefix and the key's id. */
const PREFIX = 'replay-mark/';

export class ReplayMarks {
  /** Key id -> highest timestamp, Unix ms. */
  readonly #marks = new Map<string, number>();
  /** Keys whose mark is not committed yet. */
  readonly #moved = new Set<string>();

  /** @param meta what earlier processes have stored */
  constructor(meta: ReadonlyMap<string, unknown> = new Map()) {
    for (const [name, value] of meta) {
      if (name.startsWith(PREFIX)) this.#marks.set(name.slice(PREFIX.length), Number(value));
    }
  }

  raise(keyId: string, timestamp: number): void {
    if (timestamp <= (this.#marks.get(keyId) ?? 0)) return;
    this.#marks.set(keyId, timestamp);
    this.#moved.add(keyId);
  }

  /** Returns a copy of the marks as they are now. */
  copy(): ReadonlyMap<string, number> {
    return new Map(this.#marks);
  }

  /** Whether this key's mark waits for a commit. */
  isUnstored(keyId: string): boolean {
    return this.#moved.has(keyId);
  }

  /** Returns the rows for the next commit. */
  rows(): Row[] {
    return [...this.#moved].map((id) => ({
      kind: 'meta',
      name: `${PREFIX}${id}`,
      value: this.#marks.get(id),
    }));
  }

  /** Notes that `rows` were committed. */
  stored(): void {
    this.#moved.clear();
  }
}
