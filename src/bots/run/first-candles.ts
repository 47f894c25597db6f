/**
 * The candles in which a run started, for every symbol that it reads: each is built only from the ticks since
 * the start (strategies.md 1), whoever else reads the shared candles and whatever history is put under those
 * later. They are kept in the market's pool; a run knows which are its own. Pure.
 */
import type { CandleRow } from '../market/candle.ts';
import { FirstCandle, runView } from '../market/first-candle.ts';
import type { FirstCandlePool } from '../market/first-candle-pool.ts';
import type { BotCandle, SymbolView } from '../market/view.ts';

/** A run's first candle as it is stored; plain JSON. */
export interface StoredFirst {
  /** Id in the pool. */
  readonly id: number;
  readonly frameMs: number;
  readonly time: number;
  /** The candle is read while it is among this many closed candles; left out: for ever. */
  readonly keep?: number;
}

/** First candle as runs stored it themselves in older versions, one for each symbol and frame. */
export interface OwnedFirst extends Omit<StoredFirst, 'id'> {
  /** Left out: the run's own symbol. */
  readonly symbol?: string;
  readonly candle: CandleRow | null;
}

export class FirstCandles {
  /** Time at which all first candles are over, Unix ms. */
  readonly until: number;
  readonly #pool: FirstCandlePool;
  /** What is stored of the first candles, kept current here. */
  readonly #stored: StoredFirst[];
  readonly #views = new Map<string, SymbolView>();

  /** True when they differ from what the run is stored with. */
  readonly areOther: boolean;

  constructor(stored: StoredFirst[], pool: FirstCandlePool, areOther = false) {
    this.#stored = stored;
    this.#pool = pool;
    this.areOther = areOther;
    this.until = Math.max(Number.NEGATIVE_INFINITY, ...stored.map(({ time, frameMs }) => time + frameMs));
  }

  /** Returns a symbol's market as the run sees it. */
  view(symbol: string, shared: SymbolView): SymbolView {
    if (this.#stored.length === 0) return shared;
    const known = this.#views.get(symbol);
    if (known) return known;
    const firsts = this.#stored.flatMap(({ id }) => {
      const first = this.#pool.of(id);
      return first?.isOf(symbol) ? [first] : [];
    });
    const view = runView(shared, firsts);
    this.#views.set(symbol, view);
    return view;
  }

  /**
   * Handles the close of a shared candle: returns the run's own candle in its place, or the shared one.
   * `changed`: what is stored has changed.
   */
  close(symbol: string, frameMs: number, shared: BotCandle): { candle: BotCandle; changed: boolean } {
    const at = this.#stored.findIndex(
      (one) => one.frameMs === frameMs && this.#pool.of(one.id)?.isOf(symbol) === true,
    );
    const stored = this.#stored[at];
    const first = stored && this.#pool.of(stored.id);
    if (!first) return { candle: shared, changed: false };
    const candle = first.ofClosed(symbol, shared);
    const { id, keep } = stored;
    const isRead = keep === undefined || (shared.time - first.time) / frameMs < keep;
    if (candle !== shared || isRead) return { candle, changed: false };
    // It is the shared candle for every symbol: they all close together.
    this.#stored.splice(at, 1);
    this.#pool.release(id);
    this.#views.clear();
    return { candle, changed: true };
  }

  /** Releases all first candles: the run reads nothing any more. */
  release(): void {
    for (const { id } of this.#stored) this.#pool.release(id);
  }
}

/**
 * Returns the first candles of a run that is restored. Candles that the run stored itself go into the pool.
 */
export function firstsAgain(
  own: string,
  stored: readonly (StoredFirst | OwnedFirst)[],
  pool: FirstCandlePool,
): StoredFirst[] {
  const again: StoredFirst[] = [];
  const owned = new Map<string, { first: OwnedFirst; candles: [string, CandleRow][] }>();
  for (const one of stored) {
    if ('id' in one) {
      const { frameMs, time, keep } = one;
      const scope = keep === undefined ? own : '';
      const known = pool.again(one.id);
      again.push(known ? one : { ...one, id: pool.adopt(new FirstCandle(scope, frameMs, time)) });
      continue;
    }
    const scope = one.symbol === undefined ? own : '';
    const key = `${scope} ${one.frameMs} ${one.time}`;
    const { first, candles } = owned.get(key) ?? { first: one, candles: [] };
    if (one.candle) candles.push([one.symbol ?? own, one.candle]);
    owned.set(key, { first, candles });
  }
  for (const [key, { first, candles }] of owned) {
    const { frameMs, time, keep } = first;
    const symbol = key.slice(0, key.indexOf(' '));
    const id = pool.adopt(FirstCandle.restore({ symbol, frameMs, time, candles }));
    again.push({ id, frameMs, time, ...(keep === undefined ? {} : { keep }) });
  }
  return again;
}
