/**
 * The candles in which a run started, of every symbol that it reads: each built from the ticks since the start alone
 * (strategies.md 1), whoever else reads the shared ones and whatever history is put under those later. Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import { FirstCandle, type FirstCandleSnapshot, runView } from '../market/first-candle.ts';
import type { BotCandle, SymbolView } from '../market/view.ts';

/** Plain JSON. */
export interface StoredFirst extends FirstCandleSnapshot {
  /** Left out: the run's own symbol. */
  readonly symbol?: string;
  /** It is read as long as it is among so many closed candles; left out: for ever. */
  readonly keep?: number;
}

interface Entry {
  readonly first: FirstCandle;
  /** Its place in what is stored. */
  at: number;
}

const NONE: readonly Entry[] = [];

export class FirstCandles {
  /** All periods are over by then, Unix ms. */
  readonly until: number;
  /** What is stored of them, kept up here. */
  readonly #stored: StoredFirst[];
  readonly #bySymbol = new Map<string, readonly Entry[]>();
  readonly #views = new Map<string, SymbolView>();

  /** `own`: the run's symbol. */
  constructor(own: string, stored: StoredFirst[]) {
    this.#stored = stored;
    let until = Number.NEGATIVE_INFINITY;
    stored.forEach((snapshot, at) => {
      const { symbol = own, time, frameMs } = snapshot;
      this.#bySymbol.set(symbol, [...this.#of(symbol), { first: FirstCandle.restore(snapshot), at }]);
      until = Math.max(until, time + frameMs);
    });
    this.until = until;
  }

  /** A symbol as the run sees it. */
  view(symbol: string, shared: SymbolView): SymbolView {
    const known = this.#views.get(symbol);
    if (known) return known;
    const firsts = this.#of(symbol).map(({ first }) => first);
    const view = runView(shared, firsts);
    if (firsts.length > 0) this.#views.set(symbol, view);
    return view;
  }

  /** A tick since the start. False: it changes none of them. */
  tick(symbol: string, time: number, price: Dec, volume: Dec): boolean {
    let changed = false;
    for (const entry of this.#of(symbol)) {
      if (!entry.first.tick(time, price, volume)) continue;
      this.#store(entry);
      changed = true;
    }
    return changed;
  }

  /** A shared candle has closed: the run's own in its place, or that one; `changed`: what is stored has. */
  close(symbol: string, frameMs: number, shared: BotCandle): { candle: BotCandle; changed: boolean } {
    const entry = this.#of(symbol).find(({ first }) => first.frameMs === frameMs);
    if (!entry) return { candle: shared, changed: false };
    const candle = entry.first.ofClosed(shared);
    if (candle !== shared) {
      // Without a tick it is flat only now.
      this.#store(entry);
      return { candle, changed: true };
    }
    const { keep } = this.#stored[entry.at] as StoredFirst;
    const isRead = keep === undefined || (shared.time - entry.first.time) / frameMs < keep;
    if (!isRead) this.#drop(symbol, entry);
    return { candle, changed: !isRead };
  }

  #of(symbol: string): readonly Entry[] {
    return this.#bySymbol.get(symbol) ?? NONE;
  }

  #store({ first, at }: Entry): void {
    this.#stored[at] = { ...this.#stored[at], ...first.snapshot() };
  }

  #drop(symbol: string, gone: Entry): void {
    this.#stored.splice(gone.at, 1);
    for (const entries of this.#bySymbol.values())
      for (const entry of entries) if (entry.at > gone.at) entry.at--;
    this.#bySymbol.set(
      symbol,
      this.#of(symbol).filter((entry) => entry !== gone),
    );
    this.#views.delete(symbol);
  }
}
