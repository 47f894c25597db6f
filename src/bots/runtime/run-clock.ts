/** Market time for all runs: candles close and timers fire, each at its own time, candles first (strategies.md 1). Pure. */
import type { Candle } from '../../domain/rows.ts';
import type { StepContext } from '../../engine/step-context.ts';
import { readCandle } from '../market/candle.ts';
import type { Close } from '../market/candle-hub.ts';
import type { MarketHubs } from '../market/market-hubs.ts';
import type { BotEngine } from './bot-engine.ts';

export class RunClock {
  readonly #e: BotEngine;
  readonly #hubs: MarketHubs;

  constructor(engine: BotEngine, hubs: MarketHubs) {
    this.#e = engine;
    this.#hubs = hubs;
  }

  /** Market time moves on: candles close and timers fire, each at its own time, candles first. */
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

  /** The exchange says that a candle has closed: now, since timers may have fired after its end. */
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

  /** When the next candle closes or timer fires; Infinity when nobody waits for one. */
  get nextDue(): number {
    const closes = this.#e.book.runs.size > 0 ? this.#hubs.nextDue : Number.POSITIVE_INFINITY;
    return Math.min(closes, this.#nextTimer());
  }

  #fireTimers(step: StepContext, due: number): void {
    for (const live of [...this.#e.book.runs.values()]) {
      if (live.run.nextTimer() > due) continue;
      for (const [name, at] of [...live.run.state.timers]) {
        if (at > due || live.run.state.timers.get(name) !== at) continue;
        // One that was set for the past fires now.
        const now = Math.max(at, this.#hubs.time);
        this.#e.at(step, now, () => this.#e.give(step, live, { type: 'timer', name }));
      }
    }
    for (const bot of [...this.#e.book.bots.values()]) {
      if (bot.restartAt !== null && bot.restartAt <= due)
        this.#e.at(step, bot.restartAt, () => this.#e.restart(step, bot));
    }
  }

  #nextTimer(): number {
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
    for (const live of [...this.#e.book.runs.values()]) {
      const { run, parts } = live;
      if (parts.market !== market || run.settings.symbol !== symbol || !live.going || !run.state.started)
        continue;
      if (run.wantsTick(price)) this.#e.give(step, live, { type: 'tick' });
    }
  }
}
