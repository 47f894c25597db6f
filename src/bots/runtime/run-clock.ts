/** Market time for all runs: candles close and timers fire, each at its own time, candles first (strategies.md 1). Pure. */
import type { StepContext } from '../../engine/step-context.ts';
import type { CandleHub } from '../market/candle-hub.ts';
import type { BotEngine } from './bot-engine.ts';
import type { LiveRun } from './live-run.ts';

export class RunClock {
  readonly #e: BotEngine;
  readonly #hub: CandleHub;

  constructor(engine: BotEngine, hub: CandleHub) {
    this.#e = engine;
    this.#hub = hub;
  }

  /** Market time moves on: candles close and timers fire, each at its own time, candles first. */
  advance(step: StepContext, time: number): void {
    const hub = this.#hub;
    for (;;) {
      const timer = this.#nextTimer();
      hub.advance(Math.min(timer, time), (close) => {
        const at = close.candle.time + close.frameMs;
        for (const live of [...this.#e.book.runs.values()]) {
          if (!live.going || !live.run.state.started || !hears(live, close.symbol)) continue;
          this.#e.at(step, at, () => this.#e.give(step, live, { type: 'candle', ...close }));
        }
      });
      if (timer > time) break;
      this.#fireTimers(step, timer);
    }
  }

  /** When the next candle closes or timer fires; Infinity when nobody waits for one. */
  get nextDue(): number {
    const closes = this.#e.book.runs.size > 0 ? this.#hub.nextDue : Number.POSITIVE_INFINITY;
    return Math.min(closes, this.#nextTimer());
  }

  #fireTimers(step: StepContext, due: number): void {
    for (const live of [...this.#e.book.runs.values()]) {
      if (live.run.nextTimer() > due) continue;
      for (const [name, at] of [...live.run.state.timers]) {
        if (at > due || live.run.state.timers.get(name) !== at) continue;
        this.#e.at(step, at, () => this.#e.give(step, live, { type: 'timer', name }));
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

  tick(step: StepContext, symbol: string): void {
    const { price } = this.#hub.view(symbol);
    if (price === null) return;
    for (const live of [...this.#e.book.runs.values()]) {
      const { run } = live;
      if (run.settings.symbol !== symbol || !live.going || !run.state.started) continue;
      if (run.wantsTick(price)) this.#e.give(step, live, { type: 'tick' });
    }
  }
}

function hears(live: LiveRun, symbol: string): boolean {
  const own = live.run.settings.symbol;
  return own === symbol || own === '';
}
