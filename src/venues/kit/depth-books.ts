/**
 * The depth of the symbols that somebody looks at: a book of each, what it is after every message, and another subscription where a
 * book has broken. Knows no socket: how an exchange is asked is `DepthWire`, so that its prices never wait for its depth.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { DEPTH_LEVELS, type Depth } from '../../domain/depth.ts';
import { DepthBook, type DepthNews } from './depth-book.ts';

/** The streams of depth of an exchange. */
export interface DepthWire {
  /** Names of streams by symbol, all that are wanted from now on. */
  watch(wanted: ReadonlyMap<string, ReadonlySet<string>>): void;
  close(): void;
}

export interface DepthBooksOptions {
  readonly clock: Clock;
  /** What the stream of a symbol is called; null: the exchange has none of it. */
  readonly streamOf: (symbol: string) => string | null;
  /** Made at the first symbol. */
  readonly wire: (events: DepthEvents) => DepthWire;
  /** Null: its depth is not known any more. */
  readonly tell: (symbol: string, depth: Depth | null) => void;
}

export interface DepthEvents {
  /** What a stream tells. */
  news(news: DepthNews): void;
  /** The stream of a symbol is up (why null), or is not. */
  state(symbol: string, why: string | null): void;
}

/** A book that has broken is asked for again after this, ms: an exchange counts what it is asked. */
export const ASK_AGAIN_MS = 5_000;

export class DepthBooks {
  readonly #o: DepthBooksOptions;
  readonly #books = new Map<string, { readonly symbol: string; readonly book: DepthBook }>();
  #wanted: ReadonlySet<string> = new Set();
  #wire: DepthWire | null = null;
  /** Symbols whose stream is let go until it is asked for anew. */
  readonly #broken = new Set<string>();
  #again: Cancelable | null = null;

  constructor(options: DepthBooksOptions) {
    this.#o = options;
  }

  /** All that are looked at from now on. */
  watch(symbols: ReadonlySet<string>): void {
    this.#wanted = symbols;
    this.#apply();
  }

  close(): void {
    this.#again?.cancel();
    this.#again = null;
    this.#wire?.close();
    this.#wire = null;
    this.#books.clear();
  }

  #apply(): void {
    const streams = new Map<string, ReadonlySet<string>>();
    const known = new Set<string>();
    for (const symbol of this.#wanted) {
      const stream = this.#o.streamOf(symbol);
      if (stream === null) continue;
      known.add(stream);
      if (!this.#books.has(stream)) this.#books.set(stream, { symbol, book: new DepthBook() });
      if (!this.#broken.has(symbol)) streams.set(symbol, new Set([stream]));
    }
    for (const [stream, { symbol }] of this.#books)
      if (!known.has(stream)) {
        this.#books.delete(stream);
        this.#broken.delete(symbol);
      }
    if (!this.#wire && streams.size === 0) return;
    this.#wire ??= this.#o.wire({
      news: (news) => this.#news(news),
      state: (symbol, why) => {
        if (why !== null) this.#lose(symbol);
      },
    });
    this.#wire.watch(streams);
  }

  #news(news: DepthNews): void {
    const known = this.#books.get(news.stream);
    if (!known || this.#broken.has(known.symbol)) return;
    const taken = known.book.take(news);
    if (taken === 'taken') this.#o.tell(known.symbol, known.book.top(DEPTH_LEVELS));
    else if (taken === 'gap') {
      this.#lose(known.symbol);
      this.#broken.add(known.symbol);
      this.#apply();
      this.#again ??= this.#o.clock.after(ASK_AGAIN_MS, () => {
        this.#again = null;
        this.#broken.clear();
        this.#apply();
      });
    }
  }

  #lose(symbol: string): void {
    const stream = this.#o.streamOf(symbol);
    const known = stream === null ? undefined : this.#books.get(stream);
    if (!known) return;
    known.book.clear();
    this.#o.tell(symbol, null);
  }
}
