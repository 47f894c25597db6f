/**
 * The symbols of a live market whose trades are needed: with an open order, a position or a run, or held by
 * somebody who looks at them. A symbol that is not needed any more is kept a minute longer, so that a screen
 * that comes and goes asks once.
 */
import type { BotEngine } from '../../../bots/runtime/bot-engine.ts';
import type { Clock } from '../../../domain/clock.ts';
import { marketOf } from '../../../domain/exchange.ts';
import type { EngineMemory } from '../../../engine/memory.ts';

/** How long a symbol that nobody needs any more is still watched, ms. */
export const LET_GO_MS = 60_000;

export class WatchedSymbols {
  readonly #market: string;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Number of holders of a symbol. */
  readonly #holders = new Map<string, number>();
  /** Monotonic time at which a symbol was last needed. */
  readonly #neededAt = new Map<string, number>();

  constructor(market: string, clock: Pick<Clock, 'monotonic'>) {
    this.#market = market;
    this.#clock = clock;
  }

  /** Watches a symbol until the returned function is called. */
  hold(symbol: string): () => void {
    this.#holders.set(symbol, (this.#holders.get(symbol) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#holders.get(symbol) ?? 1) - 1;
      if (left > 0) this.#holders.set(symbol, left);
      else this.#holders.delete(symbol);
      this.#neededAt.set(symbol, this.#clock.monotonic());
    };
  }

  /** Returns all symbols that are watched now. */
  now(memory: EngineMemory, bots: Pick<BotEngine, 'book'> | null): Set<string> {
    const mono = this.#clock.monotonic();
    for (const symbol of this.#needed(memory, bots)) this.#neededAt.set(symbol, mono);
    for (const symbol of this.#holders.keys()) this.#neededAt.set(symbol, mono);
    for (const [symbol, at] of this.#neededAt) if (mono - at > LET_GO_MS) this.#neededAt.delete(symbol);
    return new Set(this.#neededAt.keys());
  }

  *#needed(memory: EngineMemory, bots: Pick<BotEngine, 'book'> | null): Iterable<string> {
    for (const { account, futures } of memory.accounts.values()) {
      if (marketOf(account) !== this.#market) continue;
      for (const { symbol } of futures?.positions.values() ?? []) yield symbol;
      yield* memory.live.get(account.id)?.keys() ?? [];
    }
    for (const { parts, run } of bots?.book.runs.values() ?? [])
      if (parts.market === this.#market && run.settings.symbol !== '') yield run.settings.symbol;
  }
}
