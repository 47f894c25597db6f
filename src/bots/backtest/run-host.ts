/**
 * Runs one run on the tick market: gives it its inputs in the order of strategies.md 1 (candle, timer, order,
 * tick, command) and carries out its actions, all at once. Backtest, preview and scenario tests drive it.
 * Pure.
 */
import { type Dec, ONE, ZERO } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';
import { periodStart } from '../market/candle.ts';
import type { CandleHub } from '../market/candle-hub.ts';
import { type CandleTable, priceUnit, rowAt, tickTime } from '../market/candle-table.ts';
import { seedCandles, seedDay } from '../market/past.ts';
import type { BotCandle } from '../market/view.ts';
import type { Alert, RunInput, RunWorld } from '../run/contract.ts';
import { Run } from '../run/run.ts';
import { newRunState } from '../run/run-state.ts';
import { applyStopCommand } from '../run/stop-commands.ts';
import type { WakeBounds } from '../run/wake-bounds.ts';
import type { CompiledSettings } from '../settings/compiled.ts';
import type { AnyStrategy } from '../strategy.ts';
import { fastForwardEnd } from './fast-forward.ts';
import { RunRecorder } from './recorder.ts';
import type { TickMarket } from './tick-market.ts';

export interface RunHostOptions {
  readonly settings: CompiledSettings;
  readonly strategy: AnyStrategy;
  readonly market: TickMarket;
  readonly hub: CandleHub;
  /** Closed candles of the past with from <= open time < to, oldest first. */
  readonly history: (symbol: string, frameMs: number, from: number, to: number) => readonly Candle[];
  /** Market time of the start. */
  readonly start: number;
  readonly leverage?: Dec;
  /** Seed of the run's generator. Default `backtest`. */
  readonly seed?: string;
  /** Symbols that trade on the account; default: the run's own. */
  readonly symbols?: readonly string[];
  readonly onNotice?: (at: number, level: 1 | 2 | 3, text: string) => void;
  /** Gives the run every tick, also those that it does not want. */
  readonly everyTick?: boolean;
}

/** An alert with its time. */
export interface TimedAlert extends Alert {
  readonly at: number;
}

export class RunHost {
  readonly run: Run;
  readonly alerts: TimedAlert[] = [];
  readonly recorder: RunRecorder;
  readonly #options: RunHostOptions;
  readonly #symbol: string;
  /** What is subscribed at the hub, by symbol and frame. */
  readonly #subscribed = new Set<string>();
  readonly #releases: (() => void)[] = [];
  #now: number;
  #draining = false;
  /**
   * True while the closes and timers of one market time are given: the exchange's answers come after the last
   * of them.
   */
  #inMoment = false;

  constructor(options: RunHostOptions) {
    const { settings, strategy, market, hub, start } = options;
    this.#options = options;
    this.#now = start;
    this.#symbol = settings.symbol;
    const world: RunWorld = {
      now: () => this.#now,
      available: (asset) => market.free(asset),
      reservedByOthers: () => ZERO,
      position: () => (market.position.amount === ZERO ? null : market.position),
      shared: () => this.#isShared(),
      leverage: () => leverageOf(options),
      seed: () => options.seed ?? 'backtest',
      symbols: () => options.symbols ?? [settings.symbol],
    };
    this.run = new Run(
      {
        settings,
        strategy,
        rules: market.rules,
        world,
        market: hub.view(settings.symbol),
        marketOf: (symbol) => hub.view(symbol),
        firsts: hub.firsts,
      },
      newRunState(start),
    );
    this.recorder = new RunRecorder(this.run);
  }

  get now(): number {
    return this.#now;
  }

  /** True when a part of the position does not belong to the run: it was there before. */
  #isShared(): boolean {
    const { rules, position } = this.#options.market;
    if (rules.kind !== 'futures') return false;
    const amount = this.#options.settings.short ? -position.amount : position.amount;
    return amount > this.run.lots.total();
  }

  get ended(): boolean {
    return this.run.state.phase === 'ended';
  }

  /** Subscribes what the run reads and starts it. */
  start(): void {
    this.#subscribe();
    this.run.start();
    this.#drain();
  }

  /** Releases the subscriptions. */
  release(): void {
    for (const release of this.#releases.splice(0)) release();
    this.#subscribed.clear();
    this.run.release();
  }

  /**
   * Advances market time: candles close and timers fire, each at its own time, candles first. As on the desk,
   * all closes and timers of one time are given before the exchange answers any of them. Stops where a timer
   * ends the run.
   */
  advance(time: number): void {
    const { hub } = this.#options;
    for (;;) {
      const next = Math.min(hub.nextDue, this.run.nextTimer());
      if (next > time) break;
      this.#inMoment = true;
      // A close may set a timer that comes before the next close.
      hub.advance(next, (close) => {
        this.#now = close.time;
        this.#give({ type: 'candle', symbol: close.symbol, frameMs: close.frameMs, candle: close.candle });
      });
      if (this.run.nextTimer() <= next) this.#fireTimers(next);
      this.#inMoment = false;
      this.#drain();
      if (this.ended) return;
    }
    hub.advance(time, () => {});
    this.#now = time;
  }

  /** Handles a new last price of a symbol. */
  tick(symbol: string, price: Dec, volume: Dec, time: number): void {
    const { hub, market, everyTick } = this.#options;
    this.advance(time);
    hub.tick(symbol, time, price, volume);
    if (symbol !== this.#symbol) return;
    market.tick(price, time, volume, () => this.#drain());
    if (everyTick || this.run.wantsTick(price)) this.#give({ type: 'tick' });
  }

  /**
   * Plays rows from <= row < to of the run's own symbol that change nothing, all at once, and returns the
   * first row that is left. Call `advance` to the first row's time before, and again after it.
   */
  skip(table: CandleTable, from: number, to: number): number {
    const { hub, market, everyTick } = this.#options;
    const wake = everyTick || this.ended ? null : this.run.wakeBounds();
    if (!wake || hub.keepsDay(this.#symbol)) return from;
    const frames = hub.frames(this.#symbol);
    const whole = frames.every((frameMs) => frameMs % table.frameMs === 0);
    if (!whole && wake.closes !== 'nothing') return from;
    let end = Math.min(to, rowsBefore(table, this.run.nextTimer()));
    // Rows can be played at once up to a close that must be given at its time, or that of a larger candle of
    // which a part is built already.
    if (wake.closes === null) end = Math.min(end, rowsBefore(table, hub.nextDue));
    if (wake.equity) end = Math.min(end, rowsBefore(table, hub.begunDue(this.#symbol, table.frameMs)));
    end = fastForwardEnd({
      table,
      from,
      to: end,
      wake,
      market: market.bounds(),
      whole,
      forming: this.#forming(wake.closes),
    });
    if (end <= from) return from;
    const last = this.#lastClose(table, from, end, wake.closes);
    this.#replay(table, from, last ?? end);
    if (last === null) return end;
    this.advance(table.times[last] as number);
    return last;
  }

  stop(input: Omit<Extract<RunInput, { type: 'stop' }>, 'type'>): void {
    this.#give({ type: 'stop', ...input });
  }

  /** Carries out a runtime command; returns a message why it cannot, or null. */
  command(message: string, params: unknown): string | null {
    const problem = applyStopCommand(this.run, message, params);
    this.#subscribe();
    this.#drain();
    return problem;
  }

  #subscribe(): void {
    const { hub } = this.#options;
    const { frames, days } = this.run.needs();
    for (const { symbol = this.#symbol, frameMs, ...needs } of frames) {
      const name = `${symbol} ${frameMs} ${JSON.stringify(needs)}`;
      if (this.#subscribed.has(name)) continue;
      this.#subscribed.add(name);
      this.#releases.push(hub.need(symbol, frameMs, needs));
      seedCandles(this.#options, symbol, frameMs);
    }
    for (const symbol of days) {
      if (this.#subscribed.has(`${symbol} day`)) continue;
      this.#subscribed.add(`${symbol} day`);
      this.#releases.push(hub.needDay(symbol));
      seedDay(this.#options, symbol);
    }
  }

  /** The begun part of a followed candle. */
  #forming(closes: WakeBounds['closes']): BotCandle | null {
    if (closes === 'nothing' || closes === null) return null;
    return this.#options.hub.view(this.#symbol).forming(closes.frameMs);
  }

  /** Row at whose opening the last followed close within the rows happens; that close is given to the run. */
  #lastClose(table: CandleTable, from: number, end: number, closes: WakeBounds['closes']): number | null {
    if (closes === 'nothing' || closes === null) return null;
    const time = periodStart(table.times[end - 1] as number, closes.frameMs);
    const first = table.times[from] as number;
    return time > first ? from + (time - first) / table.frameMs : null;
  }

  #replay(table: CandleTable, from: number, to: number): void {
    const { hub, market } = this.#options;
    hub.replay(table, from, to);
    this.run.passTicks();
    const last = to - 1;
    this.#now = tickTime(table.times[last] as number, table.frameMs, 3);
    market.pass(BigInt(table.close[last] as number) * priceUnit(table), this.#now, table.volume(last) / 4n);
  }

  #fireTimers(due: number): void {
    this.#now = Math.max(this.#now, due);
    for (const [name, at] of [...this.run.state.timers]) {
      if (at <= due && this.run.state.timers.get(name) === at) this.#give({ type: 'timer', name });
    }
  }

  #give(input: RunInput): void {
    this.run.input(input);
    this.recorder.follow(this.#now);
    this.#drain();
  }

  /** Carries out the run's actions and gives it their results, until nothing is left. */
  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    const { market, onNotice } = this.#options;
    for (;;) {
      const { actions } = this.run;
      if (actions.length > 0) this.run.actions = [];
      for (const action of actions) {
        if (action.do === 'place') market.place(action.order, this.#now);
        else if (action.do === 'alert') this.alerts.push({ ...action.alert, at: this.#now });
        else if (action.do === 'notice') onNotice?.(this.#now, action.level, action.text);
      }
      // As at an exchange, the balance that a cancel frees is not available yet to orders sent together with
      // it.
      for (const action of actions) if (action.do === 'cancel') market.cancel(action.key);
      const change = this.#inMoment ? market.takeRefusal() : market.take();
      if (!change) {
        if (this.run.actions.length === 0) break;
        continue;
      }
      const told = change.kind === 'fill' ? this.recorder.fill(change.key, change.fill, this.#now) : null;
      this.run.input({ type: 'order', change });
      told?.();
      this.recorder.follow(this.#now);
    }
    this.#draining = false;
  }
}

/** Number of rows whose last tick comes before a time. */
function rowsBefore(table: CandleTable, time: number): number {
  return time === Number.POSITIVE_INFINITY ? table.count : rowAt(table, time - table.frameMs + 1);
}

function leverageOf({ leverage, settings }: RunHostOptions): Dec {
  if (leverage !== undefined) return leverage;
  const wanted = settings.deposit?.leverage ?? null;
  return wanted === null ? ONE : BigInt(wanted) * ONE;
}
