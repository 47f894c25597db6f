/**
 * Market time for all runs: candles close and timers fire, each at its own time, candles first (strategies.md
 * 1). Pure.
 */
import type { Candle } from '../../domain/rows.ts';
import type { StepContext } from '../../engine/step-context.ts';
import { readCandle } from '../market/candle.ts';
import type { Close } from '../market/candle-hub.ts';
import type { MarketHubs } from '../market/market-hubs.ts';
import type { Bots } from './bots.ts';
import type { LiveRun } from './live-run.ts';

export class RunClock {
  readonly #e: Bots;
  readonly #hubs: MarketHubs;
  /** The earliest timer of all; null: it must be searched. */
  #next: number | null = null;
  /** Earliest timer of each run at its last check. */
  readonly #timers = new WeakMap<LiveRun, number>();

  constructor(engine: Bots, hubs: MarketHubs) {
    this.#e = engine;
    this.#hubs = hubs;
  }

  /** Advances market time: candles close and timers fire, each at its own time, candles first. */
  advance(step: StepContext, time: number): void {
    for (;;) {
      const timer = this.#nextTimer();
      this.#hubs.advance(Math.min(timer, time), (market, close) =>
        this.#give(step, market, close, close.candle.time + close.frameMs),
      );
      if (timer > time) break;
      this.#fireTimers(step, timer);
    }
  }

  /**
   * Handles a candle that the exchange reports as closed. Its time is now, since timers may have fired after
   * the candle's end.
   */
  told(step: StepContext, market: string, symbol: string, frameMs: number, candle: Candle): void {
    const hub = this.#hubs.of(market);
    const close = hub.told(symbol, frameMs, readCandle(candle));
    if (close) this.#give(step, market, close, Math.max(hub.time, step.now.market));
  }

  #give(step: StepContext, market: string, close: Close, at: number): void {
    for (const live of [...this.#e.book.runs.values()]) {
      if (!live.going || !live.run.state.started || live.parts.market !== market) continue;
      if (!live.parts.subscriptions.hears(close.symbol, close.frameMs)) continue;
      this.#e.at(step, at, () => this.#e.give(step, live, { type: 'candle', ...close }));
    }
  }

  /** Time at which the next candle closes or timer fires; Infinity when nothing waits for one. */
  get nextDue(): number {
    const closes = this.#e.book.runs.size > 0 ? this.#hubs.nextDue : Number.POSITIVE_INFINITY;
    return Math.min(closes, this.#nextTimer());
  }

  #fireTimers(step: StepContext, due: number): void {
    for (const live of [...this.#e.book.runs.values()]) {
      if (live.run.nextTimer() > due) continue;
      for (const [name, at] of [...live.run.state.timers]) {
        if (at > due || live.run.state.timers.get(name) !== at) continue;
        // A timer that was set for the past fires now.
        const now = Math.max(at, this.#hubs.time);
        this.#e.at(step, now, () => this.#e.give(step, live, { type: 'timer', name }));
        this.settled(live);
      }
    }
    for (const bot of [...this.#e.book.bots.values()]) {
      if (bot.restartAt !== null && bot.restartAt <= due)
        this.#e.at(step, bot.restartAt, () => this.#e.restart(step, bot));
    }
  }

  /** Forgets the earliest timer when runs or bots have come, gone or changed. */
  timersChanged(): void {
    this.#next = null;
  }

  /** Updates the earliest timer after a run has done something: only its own timers may have changed. */
  settled(live: LiveRun): void {
    const before = this.#timers.get(live);
    const timer = live.run.state.started ? live.run.nextTimer() : Number.POSITIVE_INFINITY;
    this.#timers.set(live, timer);
    if (this.#next === null || timer === before) return;
    if (timer <= this.#next) this.#next = timer;
    else if (before === undefined || before <= this.#next) this.#next = null;
  }

  #nextTimer(): number {
    this.#next ??= this.#findNextTimer();
    return this.#next;
  }

  #findNextTimer(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const live of this.#e.book.runs.values()) {
      if (live.run.state.started) next = Math.min(next, live.run.nextTimer());
    }
    for (const bot of this.#e.book.bots.values())
      if (bot.restartAt !== null) next = Math.min(next, bot.restartAt);
    return next;
  }

  tick(step: StepContext, market: string, symbol: string): void {
    const { price } = this.#hubs.of(market).view(symbol);
    if (price === null) return;
    for (const live of this.#e.book.runsOn(market, symbol)) {
      const { run } = live;
      if (live.going && run.state.started && run.wantsTick(price)) this.#e.give(step, live, { type: 'tick' });
    }
  }
}
