/**
 * Reads the executions of one account from a stored cursor on, to find those that no event has reported: a
 * liquidation whose event got lost is reported in no other way. By symbol and page by page; the cursor is
 * stored with what was read.
 */
import type { ExchangeFill } from '../../domain/exchange.ts';
import type { Row } from '../../domain/rows.ts';
import type { FillsPage } from '../../venues/venue.ts';

/**
 * Executions this long before the account was first connected are asked for, too: the exchange's clock
 * differs from ours.
 */
export const FILLS_OVERLAP_MS = 60_000;
/** Symbols that are asked about at the same time: entries wait for the end of a comparison. */
export const FILLS_AT_ONCE = 5;
/** Most pages of one symbol in one comparison; the next comparison goes on. */
export const FILLS_PAGES_MAX = 1_000;

/**
 * How often a question without an answer is asked before an account is opened. The next opening would ask
 * everything anew: with an exchange that answers two questions of three, hardly any opening would succeed.
 */
export const PEEK_TRIES = 3;
/**
 * Pages of one symbol that are checked before an account is opened; later ones are checked while it trades.
 */
export const PEEK_PAGES_MAX = 20;

/** Meta row: the exchange's time at which an account was first connected. */
export function connectedName(exchange: string): string {
  return `connected ${exchange}`;
}

/** Returns the exchange's time at which an account was first connected, Unix ms; null: it never was. */
export function connectedSince(meta: ReadonlyMap<string, unknown>, exchange: string): number | null {
  const since = meta.get(connectedName(exchange)) ?? meta.get(`fills-confirmed ${exchange}`);
  return typeof since === 'number' ? since : null;
}

/** The cursor of a symbol of which nothing has been read. */
const UNREAD = '';

/** Meta row: up to where the executions of a symbol are known, in the exchange's own terms. */
export function cursorName(exchange: string, symbol: string): string {
  return `fills ${exchange} ${symbol}`;
}

export interface FillsReaderOptions {
  readonly exchange: string;
  /** Meta rows of the store at the start. */
  readonly meta: ReadonlyMap<string, unknown>;
  readonly ask: (q: { symbol: string; after: string | null; since: number }) => Promise<FillsPage | null>;
  /** Takes one execution; false: it is not stored, since nobody can say yet which order it belongs to. */
  readonly take: (fill: ExchangeFill) => boolean;
  /** Stores rows with all that was taken before; runs `then` only once they are stored. */
  readonly stored: (rows: Row[], then: () => void) => void;
  /** Stores a row that stays true if the commit fails. */
  readonly keep: (row: Row) => void;
}

export class FillsReader {
  readonly #options: FillsReaderOptions;
  readonly #cursors = new Map<string, string>();
  /** The exchange's time at which the account was first connected, Unix ms; null: it never was. */
  since: number | null = null;

  constructor(options: FillsReaderOptions) {
    this.#options = options;
    const { exchange, meta } = options;
    this.since = connectedSince(meta, exchange);
    const prefix = cursorName(exchange, '');
    for (const [name, cursor] of meta)
      if (name.startsWith(prefix) && typeof cursor === 'string')
        this.#cursors.set(name.slice(prefix.length), cursor);
  }

  /** Symbols whose executions were read before, or that are to be read since they were named. */
  get known(): Iterable<string> {
    return this.#cursors.keys();
  }

  /**
   * Notes that the account is connected; `now`: the exchange's time. Earlier executions than the first
   * connection are its past.
   */
  connected(now: number): number {
    if (this.since === null) {
      this.since = now;
      this.#options.keep({ kind: 'meta', name: connectedName(this.#options.exchange), value: now });
    }
    return this.since;
  }

  /**
   * Notes symbols whose executions are to be read: a start reads those that were not, since what has named them
   * is not asked for again.
   */
  named(symbols: Iterable<string>): void {
    const { exchange, keep } = this.#options;
    for (const symbol of symbols) {
      if (this.#cursors.has(symbol)) continue;
      this.#cursors.set(symbol, UNREAD);
      keep({ kind: 'meta', name: cursorName(exchange, symbol), value: UNREAD });
    }
  }

  /** Reads the executions of these symbols. False: not all are known. */
  read(symbols: Iterable<string>): Promise<boolean> {
    return inLanes(symbols, (symbol) => this.#symbol(symbol));
  }

  /**
   * Shows executions that are not known yet and takes none. Those from before the first connection are the
   * account's past. False: a question failed.
   */
  async peek(symbols: Iterable<string>, see: (fill: ExchangeFill) => void): Promise<boolean> {
    const { since } = this;
    if (since === null) return true;
    return inLanes(symbols, async (symbol) => {
      let after = this.#after(symbol);
      for (let pages = 0; pages < PEEK_PAGES_MAX; pages++) {
        const q = { symbol, after, since: Math.max(0, since - FILLS_OVERLAP_MS) };
        const page = await untilAnswered(() => this.#options.ask(q));
        if (!page) return false;
        for (const fill of page.fills) if (fill.time >= since) see(fill);
        if (!page.more || page.next === null || page.next === after) return true;
        after = page.next;
      }
      return true;
    });
  }

  /** Reads one more page of a symbol; false: the question failed, or there is more. */
  page(symbol: string): Promise<boolean> {
    return this.#symbol(symbol, 1);
  }

  async #symbol(symbol: string, pagesMax = FILLS_PAGES_MAX): Promise<boolean> {
    const { ask, take } = this.#options;
    const since = Math.max(0, (this.since ?? 0) - FILLS_OVERLAP_MS);
    let after = this.#after(symbol);
    let whole = true;
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await ask({ symbol, after, since });
      if (!page) return false;
      // All executions of a page are taken, even if one of them cannot be stored yet.
      const taken = page.fills.map(take);
      // Pages after a waiting execution are read as well, or each would wait by itself; a start reads again
      // from before it.
      if (taken.includes(false)) whole = false;
      if (whole && page.next !== null && page.next !== after) this.#goOnAt(symbol, page.next);
      // A page whose cursor does not move would be asked for again without end.
      if (!page.more || page.next === null || page.next === after) return whole;
      after = page.next;
    }
    return false;
  }

  #after(symbol: string): string | null {
    return this.#cursors.get(symbol) || null;
  }

  #goOnAt(symbol: string, cursor: string): void {
    const { exchange, stored } = this.#options;
    const row: Row = { kind: 'meta', name: cursorName(exchange, symbol), value: cursor };
    stored([row], () => this.#cursors.set(symbol, cursor));
  }
}

/** Asks up to `PEEK_TRIES` times. Null: no try had an answer. */
export async function untilAnswered<T>(ask: () => Promise<T | null>): Promise<T | null> {
  for (let n = 1; n < PEEK_TRIES; n++) {
    const answer = await ask();
    if (answer !== null) return answer;
  }
  return ask();
}

/** Runs a task once for each symbol, a few at a time. True: all succeeded. */
async function inLanes(
  symbols: Iterable<string>,
  one: (symbol: string) => Promise<boolean>,
): Promise<boolean> {
  const left = [...new Set(symbols)];
  let whole = true;
  const lane = async () => {
    for (let symbol = left.shift(); symbol !== undefined; symbol = left.shift())
      if (!(await one(symbol))) whole = false;
  };
  await Promise.all(Array.from({ length: FILLS_AT_ONCE }, lane));
  return whole;
}
