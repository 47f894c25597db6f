/**
 * Reads the ledger of one account from its cursor on, page by page: one at a time, each stored with the new
 * cursor in one commit before the next is asked for. Rows that are stored already are left out.
 */
import type { LedgerEntry } from '../../domain/ledger.ts';
import type { LedgerMemory } from '../../engine/ledger.ts';
import type { EngineEvent } from '../../engine/step.ts';
import type { LedgerPage, LedgerQuery } from '../../venues/venue.ts';

/** Rows of a page. */
export const LEDGER_LIMIT = 500;
/** Most pages in one run, as for executions; the next run goes on. */
export const LEDGER_PAGES_MAX = 1_000;
/**
 * Entries this long before the first connection are asked for, too: the exchange's clock differs from ours.
 */
export const LEDGER_OVERLAP_MS = 60_000;

export interface LedgerReaderOptions {
  readonly exchange: string;
  readonly ask: (q: LedgerQuery) => Promise<LedgerPage | null>;
  /** The ledger in the current engine; null: the exchange has none. */
  readonly memory: () => LedgerMemory | null;
  /** The exchange's time, as far as it is known. */
  readonly now: () => number;
  readonly isStored: (id: string) => boolean;
  readonly step: (event: Extract<EngineEvent, { type: 'ledger' }>) => void;
  /** Resolves when the inputs so far are stored; rejects when they could not be. */
  readonly stored: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  /** Called with symbols that the ledger says were traded. */
  readonly traded?: (symbols: readonly string[]) => void;
}

export class LedgerReader {
  readonly #o: LedgerReaderOptions;
  #running: Promise<boolean> | null = null;
  /** Resolves for callers who asked while a run was under way: it began too early for them. */
  #next: Promise<boolean> | null = null;

  constructor(options: LedgerReaderOptions) {
    this.#o = options;
  }

  /** Reads everything that the exchange has from now on. False: something could not be read. */
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
      // A page whose cursor does not move would be asked for again without end.
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
      // The failed commit has been reported to its handler.
      return false;
    }
  }
}
