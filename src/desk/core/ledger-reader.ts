/**
 * Reads the ledger of one account from where it is known, page by page: one at a time, each stored with the place after it in one
 * commit before the next is asked for. What is stored already is left out, however often it is told.
 */
import type { LedgerEntry } from '../../domain/ledger.ts';
import type { LedgerMemory } from '../../engine/ledger.ts';
import type { EngineEvent } from '../../engine/step.ts';
import type { LedgerPage, LedgerQuery } from '../../venues/venue.ts';

/** Rows of a page. */
export const LEDGER_LIMIT = 500;
/** Pages in one go at most, as of executions; the next one goes on. */
export const LEDGER_PAGES_MAX = 1_000;
/** What is this much older than the first connection is told as well: the exchange's clock is not ours. */
export const LEDGER_OVERLAP_MS = 60_000;

export interface LedgerReaderOptions {
  readonly exchange: string;
  readonly ask: (q: LedgerQuery) => Promise<LedgerPage | null>;
  /** Of the engine of now; null: the exchange tells none. */
  readonly memory: () => LedgerMemory | null;
  /** The exchange's time, as far as it is known. */
  readonly now: () => number;
  readonly isStored: (id: string) => boolean;
  readonly step: (event: Extract<EngineEvent, { type: 'ledger' }>) => void;
  /** Resolves when what was stepped is stored; rejects when it could not be. */
  readonly stored: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Symbols on which it says that something was executed. */
  readonly traded?: (symbols: readonly string[]) => void;
}

export class LedgerReader {
  readonly #o: LedgerReaderOptions;
  #running: Promise<boolean> | null = null;
  /** Whoever asked while one ran: it has begun too early for them. */
  #next: Promise<boolean> | null = null;

  constructor(options: LedgerReaderOptions) {
    this.#o = options;
  }

  /** All that the exchange tells from now on is read. False: something was not. */
  read(): Promise<boolean> {
    if (this.#running) {
      this.#next ??= this.#running.then(() => {
        this.#next = null;
        return this.read();
      });
      return this.#next;
    }
    this.#running = this.#pages()
      .catch((error: unknown) => {
        this.#o.failed(error);
        return false;
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #pages(): Promise<boolean> {
    const { ask, memory, now } = this.#o;
    const since = memory()?.place?.since ?? now();
    for (let pages = 0; pages < LEDGER_PAGES_MAX; pages++) {
      const after = memory()?.place?.after ?? null;
      const page = await ask({ after, since: Math.max(0, since - LEDGER_OVERLAP_MS), limit: LEDGER_LIMIT });
      // By now the engine may have been loaded again, and know less.
      if (!page || (memory()?.place?.after ?? null) !== after) return false;
      if (page.traded) this.#o.traded?.(page.traded);
      const next = page.next ?? after;
      if (!(await this.#take(page.rows, since, next))) return false;
      if (!page.more) return true;
      // A page that leads nowhere would be asked for for ever.
      if (next === after) return false;
    }
    return false;
  }

  async #take(rows: readonly LedgerEntry[], since: number, after: string | null): Promise<boolean> {
    const { exchange, memory, isStored, step, stored } = this.#o;
    const byId = new Map(rows.map((row) => [row.id, row]));
    const entries = [...byId.values()].filter(({ id }) => !isStored(id));
    const place = memory()?.place;
    if (entries.length === 0 && place?.after === after) return true;
    step({ type: 'ledger', exchange, entries, since, after });
    try {
      await stored();
      return true;
    } catch {
      // Who carries the failed commit on has been told.
      return false;
    }
  }
}
