/**
 * The candles of the period in which runs start, as those runs see them: built only from the ticks since the
 * start (strategies.md 1). Their closes equal those of the shared candles, so the shared indicators hold for
 * them.
 */
import type { Dec } from '../../domain/decimal.ts';
import {
  addTick,
  type CandleRow,
  candleOfRow,
  candleRow,
  flatCandle,
  type MutableCandle,
  openCandle,
  periodStart,
} from './candle.ts';
import type { BotCandle, DayFigures, LastTold, SymbolView } from './view.ts';

/** State of a first candle; plain JSON. */
export interface FirstCandleSnapshot {
  /** Symbol; empty: every symbol. */
  readonly symbol: string;
  readonly frameMs: number;
  readonly time: number;
  readonly candles: readonly (readonly [symbol: string, candle: CandleRow])[];
}

export class FirstCandle {
  /** Symbol; empty: every symbol. */
  readonly symbol: string;
  readonly frameMs: number;
  /** Open time of the period in which the run starts. */
  readonly time: number;
  readonly #candles = new Map<string, MutableCandle>();

  /** `start`: market time of the run's start. */
  constructor(symbol: string, frameMs: number, start: number) {
    this.symbol = symbol;
    this.frameMs = frameMs;
    this.time = periodStart(start, frameMs);
  }

  static restore({ symbol, frameMs, time, candles }: FirstCandleSnapshot): FirstCandle {
    const first = new FirstCandle(symbol, frameMs, time);
    for (const [of, row] of candles) first.#candles.set(of, candleOfRow(row));
    return first;
  }

  /** True while no tick has come since its start: a run that starts now can share it. */
  get isUntouched(): boolean {
    return this.#candles.size === 0;
  }

  /** True when it covers this symbol. */
  isOf(symbol: string): boolean {
    return this.symbol === '' || this.symbol === symbol;
  }

  /**
   * Adds a tick since the start. False, and without effect, once the period is over: no more ticks are
   * needed.
   */
  tick(symbol: string, time: number, price: Dec, volume: Dec): boolean {
    if (time >= this.time + this.frameMs) return false;
    const candle = this.#candles.get(symbol);
    if (candle === undefined) this.#candles.set(symbol, openCandle(this.time, price, volume));
    else addTick(candle, price, volume);
    return true;
  }

  /** Returns the run's own candle in place of the shared one being built. */
  ofForming(symbol: string, shared: BotCandle): BotCandle | null {
    return shared.time === this.time ? (this.#candles.get(symbol) ?? null) : shared;
  }

  /**
   * Returns the run's own candle in place of the shared closed one; flat when no tick came since the start.
   */
  ofClosed(symbol: string, shared: BotCandle): BotCandle {
    if (shared.time !== this.time) return shared;
    let candle = this.#candles.get(symbol);
    if (candle === undefined) {
      candle = flatCandle(this.time, shared.close);
      this.#candles.set(symbol, candle);
    }
    return candle;
  }

  snapshot(): FirstCandleSnapshot {
    const { symbol, frameMs, time } = this;
    const candles = [...this.#candles].map(([of, candle]) => [of, candleRow(candle)] as const);
    return { symbol, frameMs, time, candles };
  }
}

/**
 * Returns a run's view of a symbol: the shared view, with the candles in which the run started as the run saw
 * them, at most one for each frame.
 */
export function runView(shared: SymbolView, firsts: readonly FirstCandle[]): SymbolView {
  return firsts.length === 0 ? shared : new RunView(shared, firsts);
}

class RunView implements SymbolView {
  readonly symbol: string;
  readonly #shared: SymbolView;
  readonly #firsts: readonly FirstCandle[];

  constructor(shared: SymbolView, firsts: readonly FirstCandle[]) {
    this.symbol = shared.symbol;
    this.#shared = shared;
    this.#firsts = firsts;
  }

  get price(): Dec | null {
    return this.#shared.price;
  }

  get ticks(): number {
    return this.#shared.ticks;
  }

  get lastTold(): LastTold {
    return this.#shared.lastTold;
  }

  get priceTime(): number {
    return this.#shared.priceTime;
  }

  lastClosed(frameMs: number): BotCandle | null {
    const candle = this.#shared.lastClosed(frameMs);
    const first = this.#first(frameMs);
    return candle && first ? first.ofClosed(this.symbol, candle) : candle;
  }

  closed(frameMs: number, count: number): readonly BotCandle[] {
    const candles = this.#shared.closed(frameMs, count);
    const first = this.#first(frameMs);
    const newest = candles.at(-1);
    if (!first || !newest) return candles;
    // Closed candles have no gaps, so the position of the first candle follows from its time.
    const at = candles.length - 1 - (newest.time - first.time) / frameMs;
    const candle = candles[at];
    return candle ? candles.with(at, first.ofClosed(this.symbol, candle)) : candles;
  }

  forming(frameMs: number): BotCandle | null {
    const candle = this.#shared.forming(frameMs);
    const first = this.#first(frameMs);
    return candle && first ? first.ofForming(this.symbol, candle) : candle;
  }

  rsi(frameMs: number, period: number): number | null {
    return this.#shared.rsi(frameMs, period);
  }

  previousRsi(frameMs: number, period: number): number | null {
    return this.#shared.previousRsi(frameMs, period);
  }

  ema(frameMs: number, period: number): number | null {
    return this.#shared.ema(frameMs, period);
  }

  day(): DayFigures {
    return this.#shared.day();
  }

  #first(frameMs: number): FirstCandle | undefined {
    for (const first of this.#firsts) if (first.frameMs === frameMs) return first;
    return undefined;
  }
}
