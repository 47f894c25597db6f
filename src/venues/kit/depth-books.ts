/**
 * The depth of the symbols that somebody watches: one book for each, its state after every message, and a new
 * subscription where a book has broken. Knows no socket: how the exchange is asked is `DepthWire`, so that
 * prices never wait for depth.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { DEPTH_LEVELS, type Depth } from '../../domain/depth.ts';
import { DepthBook, type DepthNews } from './depth-book.ts';

/** The depth streams of an exchange. */
export interface DepthWire {
  /** Sets all wanted streams, their names by symbol. */
  watch(wanted: ReadonlyMap<string, ReadonlySet<string>>): void;
  close(): void;
}

export interface DepthBooksOptions {
  readonly clock: Clock;
  /** The name of a symbol's stream; null: the exchange has none for it. */
  readonly streamOf: (symbol: string) => string | null;
  /** Makes the wire, when the first symbol is watched. */
  readonly wire: (events: DepthEvents) => DepthWire;
  /** Called with each new state; null: the depth is not known any more. */
  readonly tell: (symbol: string, depth: Depth | null) => void;
}

export interface DepthEvents {
  /** Called for each message of a stream. */
  news(news: DepthNews): void;
  /** The stream of a symbol is up (`why` null) or down. */
  state(symbol: string, why: string | null): void;
}

/** A broken book is subscribed to again after this, ms, since an exchange counts requests. */
export const ASK_AGAIN_MS = 5_000;

export class DepthBooks {
  readonly #o: DepthBooksOptions;
  readonly #books = new Map<string, { readonly symbol: string; readonly book: DepthBook }>();
  #wanted: ReadonlySet<string> = new Set();
  #wire: DepthWire | null = null;
  /** Symbols with a broken book, whose stream is not wanted until the next subscription. */
  readonly #broken = new Set<string>();
  #again: Cancelable | null = null;

  constructor(options: DepthBooksOptions) {
    this.#o = options;
  }

  /** Sets all symbols that are watched from now on. */
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
