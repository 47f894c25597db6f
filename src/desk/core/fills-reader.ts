/**
 * Reads the executions of one account from where they are known, for those that no event has told: a liquidation whose event got
 * lost is told by nothing else. By symbol and page by page; where to go on is stored with what was read.
 */
import type { ExchangeFill } from '../../domain/exchange.ts';
import type { Row } from '../../domain/rows.ts';
import type { FillsPage } from '../../venues/venue.ts';

/** Executions this long before the account was first connected are asked for, too: the exchange's clock is not ours. */
export const FILLS_OVERLAP_MS = 60_000;
/** Symbols that are asked about at the same time: entries wait for the end of a comparison. */
export const FILLS_AT_ONCE = 5;
/** Pages of one symbol within one comparison at most; the next one goes on. */
export const FILLS_PAGES_MAX = 1_000;

/**
 * A question without an answer is asked so often before an account is opened. The next opening would ask everything anew: of an exchange
 * that answers two questions of three, hardly any would ever go well.
 */
export const PEEK_TRIES = 3;
/** Pages of one symbol that are looked through before an account is opened; what is beyond is seen while it trades. */
export const PEEK_PAGES_MAX = 20;

/** Meta row: the exchange's time at which an account was first connected. */
export function connectedName(exchange: string): string {
  return `connected ${exchange}`;
}

/** Meta row: up to where the executions of a symbol are known, in the exchange's own terms. */
export function cursorName(exchange: string, symbol: string): string {
  return `fills ${exchange} ${symbol}`;
}

export interface FillsReaderOptions {
  readonly exchange: string;
  /** Meta rows of the store at the start. */
  readonly meta: ReadonlyMap<string, unknown>;
  readonly ask: (q: { symbol: string; after: string | null; since: number }) => Promise<FillsPage | null>;
  /** Takes one; false: it is not stored, since nobody can say yet whose it is. */
  readonly take: (fill: ExchangeFill) => boolean;
  /** Stores rows with all that was taken before; what follows happens only once they are stored. */
  readonly stored: (rows: Row[], then: () => void) => void;
  /** Stores what is true whatever becomes of the rest. */
  readonly keep: (row: Row) => void;
}

export class FillsReader {
  readonly #options: FillsReaderOptions;
  readonly #cursors = new Map<string, string>();
  /** Null until the account was connected for the first time. */
  since: number | null = null;

  constructor(options: FillsReaderOptions) {
    this.#options = options;
    const { exchange, meta } = options;
    const since = meta.get(connectedName(exchange)) ?? meta.get(`fills-confirmed ${exchange}`);
    if (typeof since === 'number') this.since = since;
    const prefix = cursorName(exchange, '');
    for (const [name, cursor] of meta)
      if (name.startsWith(prefix) && typeof cursor === 'string')
        this.#cursors.set(name.slice(prefix.length), cursor);
  }

  /** Symbols of which executions were read before. */
  get known(): Iterable<string> {
    return this.#cursors.keys();
  }

  /** The account is connected; `now`: the exchange's time. What was executed before the first time is its past. */
  connected(now: number): number {
    if (this.since === null) {
      this.since = now;
      this.#options.keep({ kind: 'meta', name: connectedName(this.#options.exchange), value: now });
    }
    return this.since;
  }

  /** False: not all are known. */
  read(symbols: Iterable<string>): Promise<boolean> {
    return inLanes(symbols, (symbol) => this.#symbol(symbol));
  }

  /** Shows what is not known yet and takes nothing. What was executed before the account was first connected is its past. False: a question failed. */
  async peek(symbols: Iterable<string>, see: (fill: ExchangeFill) => void): Promise<boolean> {
    const { since } = this;
    if (since === null) return true;
    return inLanes(symbols, async (symbol) => {
      let after = this.#cursors.get(symbol) ?? null;
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

  /** One page of a symbol more than is known; false: the question failed, or there is more. */
  page(symbol: string): Promise<boolean> {
    return this.#symbol(symbol, 1);
  }

  async #symbol(symbol: string, pagesMax = FILLS_PAGES_MAX): Promise<boolean> {
    const { ask, take } = this.#options;
    const since = Math.max(0, (this.since ?? 0) - FILLS_OVERLAP_MS);
    let after = this.#cursors.get(symbol) ?? null;
    let whole = true;
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await ask({ symbol, after, since });
      if (!page) return false;
      // All of a page are taken, whatever becomes of one of them.
      const taken = page.fills.map(take);
      // What comes after one that waits is read as well, or each page would wait by itself; a start goes on before it.
      if (taken.includes(false)) whole = false;
      if (whole && page.next !== null && page.next !== after) this.#goOnAt(symbol, page.next);
      // A page that leads nowhere would be asked for for ever.
      if (!page.more || page.next === null || page.next === after) return whole;
      after = page.next;
    }
    return false;
  }

  #goOnAt(symbol: string, cursor: string): void {
    const { exchange, stored } = this.#options;
    const row: Row = { kind: 'meta', name: cursorName(exchange, symbol), value: cursor };
    stored([row], () => this.#cursors.set(symbol, cursor));
  }
}

/** Null: none of the tries had an answer. */
export async function untilAnswered<T>(ask: () => Promise<T | null>): Promise<T | null> {
  for (let n = 1; n < PEEK_TRIES; n++) {
    const answer = await ask();
    if (answer !== null) return answer;
  }
  return ask();
}

/** Each symbol once, a few at a time. True: each went well. */
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
