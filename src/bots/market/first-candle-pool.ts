/**
 * The candles in which the runs of a market started, each shared by the runs that began with the same tick.
 * It is given every tick; what has changed since a commit is stored with the next one. Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import { FirstCandle, type FirstCandleSnapshot } from './first-candle.ts';

export type FirstCandleRow = readonly [id: number, snapshot: FirstCandleSnapshot | null];

interface Known {
  readonly first: FirstCandle;
  readers: number;
}

export class FirstCandlePool {
  readonly #known = new Map<number, Known>();
  /**
   * Ids of candles whose period is not over, judged by the ticks so far, by symbol; those of every symbol are
   * under the empty key.
   */
  readonly #open = new Map<string, number[]>();
  /** Ids of candles that have changed or were dropped since they were last stored. */
  readonly #changed = new Set<number>();
  #written: readonly number[] = [];
  #last = 0;

  /** Returns the id of a first candle for a run that starts now. `symbol`: empty for all. */
  take(symbol: string, frameMs: number, start: number): number {
    for (const id of this.#open.get(symbol) ?? []) {
      const known = this.#known.get(id);
      if (!known?.first.isUntouched || known.first.frameMs !== frameMs) continue;
      // A start in another period gets other ticks, even where neither had one yet.
      if (known.first.time !== new FirstCandle(symbol, frameMs, start).time) continue;
      known.readers += 1;
      return id;
    }
    return this.adopt(new FirstCandle(symbol, frameMs, start));
  }

  /** Adds a candle that has ticks already; returns its id. */
  adopt(first: FirstCandle): number {
    this.#last += 1;
    this.#add(this.#last, first, 1);
    this.#changed.add(this.#last);
    return this.#last;
  }

  /** Returns the candle for a run that is restored. Undefined: it is not known. */
  again(id: number): FirstCandle | undefined {
    const known = this.#known.get(id);
    if (known) known.readers += 1;
    return known?.first;
  }

  of(id: number): FirstCandle | undefined {
    return this.#known.get(id)?.first;
  }

  /** Releases the candle for one run. */
  release(id: number): void {
    const known = this.#known.get(id);
    if (!known) return;
    known.readers -= 1;
    if (known.readers <= 0) this.#drop(id, known.first.symbol);
  }

  tick(symbol: string, time: number, price: Dec, volume: Dec): void {
    this.#tick(symbol, symbol, time, price, volume);
    this.#tick('', symbol, time, price, volume);
  }

  /** Returns the rows for a commit: only changed candles; null for dropped ones. */
  rows(): FirstCandleRow[] {
    this.#written = [...this.#changed];
    return this.#written.map((id) => [id, this.of(id)?.snapshot() ?? null]);
  }

  /** Notes that the commit is stored. */
  stored(): void {
    for (const id of this.#written) this.#changed.delete(id);
    this.#written = [];
  }

  /**
   * Restores the stored candles before the runs are restored; the returned function drops those that no run
   * took.
   */
  restore(rows: Iterable<FirstCandleRow>): () => void {
    for (const [id, snapshot] of rows) {
      this.#last = Math.max(this.#last, id);
      if (snapshot) this.#add(id, FirstCandle.restore(snapshot), 0);
    }
    return () => {
      for (const [id, { first, readers }] of this.#known) if (readers === 0) this.#drop(id, first.symbol);
    };
  }

  #add(id: number, first: FirstCandle, readers: number): void {
    this.#known.set(id, { first, readers });
    this.#open.set(first.symbol, [...(this.#open.get(first.symbol) ?? []), id]);
  }

  #drop(id: number, symbol: string): void {
    this.#known.delete(id);
    this.#close(symbol, [id]);
    this.#changed.add(id);
  }

  #tick(scope: string, symbol: string, time: number, price: Dec, volume: Dec): void {
    const open = this.#open.get(scope);
    if (open === undefined) return;
    const over: number[] = [];
    for (const id of open) {
      if (this.#known.get(id)?.first.tick(symbol, time, price, volume)) this.#changed.add(id);
      else over.push(id);
    }
    if (over.length > 0) this.#close(scope, over);
  }

  #close(scope: string, gone: readonly number[]): void {
    const left = (this.#open.get(scope) ?? []).filter((id) => !gone.includes(id));
    if (left.length > 0) this.#open.set(scope, left);
    else this.#open.delete(scope);
  }
}
