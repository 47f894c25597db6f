/** The idempotency records in memory, with a count for each user (D17 counts per account). */
import type { IdempotencyRecord } from '../domain/rows.ts';

/** The records by `idempotencyId`. */
export class IdempotencyTable extends Map<string, IdempotencyRecord> {
  readonly #counts = new Map<string, number>();

  countOf(user: string): number {
    return this.#counts.get(user) ?? 0;
  }

  override set(id: string, record: IdempotencyRecord): this {
    if (!this.has(id)) this.#count(record.user, 1);
    return super.set(id, record);
  }

  override delete(id: string): boolean {
    const record = this.get(id);
    if (record) this.#count(record.user, -1);
    return super.delete(id);
  }

  override clear(): void {
    this.#counts.clear();
    super.clear();
  }

  #count(user: string, change: number): void {
    const left = this.countOf(user) + change;
    if (left === 0) this.#counts.delete(user);
    else this.#counts.set(user, left);
  }
}

export function idempotencyId(user: string, key: string): string {
  return `${user}\0${key}`;
}
