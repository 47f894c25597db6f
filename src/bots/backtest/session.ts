/**
 * A bot on the tick market from its start to its end, automatic restarts included (strategies.md 4; S42):
 * what the live desk does with a bot, for a bot that is alone. Pure.
 */
import { type Dec, ONE, ZERO } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';
import { CandleHub } from '../market/candle-hub.ts';
import type { CandleTable } from '../market/candle-table.ts';
import { problemsText } from '../settings/check.ts';
import { compileBot } from '../settings/compile.ts';
import type { BotType, CompiledSettings, MarketRules, Problem, SettingsWorld } from '../settings/compiled.ts';
import { fixedRules } from '../settings/market-rules.ts';
import { kindOf } from '../types/kinds.ts';
import { RunHost } from './run-host.ts';
import { TickMarket } from './tick-market.ts';

/** A bot as given to POST /bots. */
export interface BotGiven {
  readonly type: BotType;
  readonly settings: unknown;
  readonly options?: unknown;
}

export interface SessionOptions {
  readonly bot: BotGiven;
  /** `now` is set by the session. */
  readonly world: Omit<SettingsWorld, 'now'>;
  readonly start: number;
  /** First price of the market, for the checks of a start. */
  readonly firstPrice: Dec;
  /** Frame of the candles that are played, ms. */
  readonly frameMs: number;
  readonly balances: (settings: CompiledSettings, rules: MarketRules) => ReadonlyMap<string, Dec>;
  /** Futures: position held before the start, signed. */
  readonly position?: { readonly amount: Dec; readonly entryPrice: Dec };
  readonly slippage: Dec;
  readonly participation: Dec | null;
  readonly history: (symbol: string, frameMs: number, from: number, to: number) => readonly Candle[];
  /** Symbols that trade on the account. */
  readonly symbols: readonly string[];
  readonly everyTick: boolean;
}

export interface Notice {
  readonly at: number;
  readonly text: string;
}

/** Leverage of a symbol on the paper exchange until somebody sets it. */
const PAPER_LEVERAGE = 20;
const MINUTE_MS = 60_000;
const RESTART_WINDOW_MS = 3_600_000;
const RESTARTS_MAX = 10;
/** Maximum number of notices of level 1 that are kept; newer ones are only counted. */
export const MAX_NOTICES = 200;

export class BotSession {
  readonly settings: CompiledSettings;
  readonly warnings: readonly Problem[];
  readonly market: TickMarket;
  readonly hub: CandleHub;
  /** Runs so far, the present one last. */
  readonly hosts: RunHost[] = [];
  readonly notices: Notice[] = [];
  /** Market time at which the bot was stopped for good; null while it goes on. */
  endedAt: number | null = null;
  readonly #o: SessionOptions;
  readonly #restarts: number[] = [];
  #restartAt: number | null = null;

  private constructor(o: SessionOptions, settings: CompiledSettings, warnings: readonly Problem[]) {
    this.#o = o;
    this.settings = settings;
    this.warnings = warnings;
    const rules = rulesOf(o, settings);
    this.hub = new CandleHub({ time: o.start, dayBucketMs: Math.max(o.frameMs, MINUTE_MS) });
    this.market = new TickMarket({
      rules,
      balances: o.balances(settings, rules),
      ...(o.position ? { position: o.position } : {}),
      slippage: o.slippage,
      participation: o.participation,
      leverage: BigInt(settings.deposit?.leverage ?? PAPER_LEVERAGE) * ONE,
    });
  }

  /** Checks the bot and starts it, or returns all problems, in the words of the live desk. */
  static open(o: SessionOptions): BotSession | readonly Problem[] {
    const { type, settings, options } = o.bot;
    const compiled = compileBot(type, settings, options ?? undefined, { ...o.world, now: o.start });
    const invalid = compiled.ok ? [] : compiled.problems;
    if (!compiled.settings) return invalid;
    const session = new BotSession(o, compiled.settings, compiled.warnings);
    const problems = [...invalid, ...session.#startProblems(o.start, o.firstPrice)];
    if (problems.length > 0) return problems;
    session.#begin(o.start);
    return session;
  }

  get host(): RunHost {
    return this.hosts.at(-1) as RunHost;
  }

  get going(): boolean {
    return this.endedAt === null;
  }

  /**
   * Equity beyond the first deposit at a price: the earnings of all runs, and the unrealised gain of what
   * they hold.
   */
  earned(price: Dec): Dec {
    let sum = ZERO;
    for (const { run } of this.hosts) sum += run.lots.state.realised + run.lots.unrealised(price);
    return sum;
  }

  advance(time: number): void {
    this.#advanceRun(time);
    while (this.#restartAt !== null && this.#restartAt <= time) {
      const at = this.#restartAt;
      this.hub.advance(at, () => {});
      this.#restart(at);
      this.#advanceRun(time);
    }
    if (this.host.ended) this.hub.advance(time, () => {});
  }

  /**
   * Advances the present run. After its end nothing is left to do: the next run sees the candles from its own
   * start on.
   */
  #advanceRun(time: number): void {
    if (this.host.ended) return;
    this.host.advance(time);
    this.#afterInput();
  }

  tick(symbol: string, price: Dec, volume: Dec, time: number): void {
    this.advance(time);
    this.host.tick(symbol, price, volume, time);
    this.#afterInput();
  }

  /** Plays rows at once, like `RunHost.skip`. */
  skip(table: CandleTable, from: number, to: number): number {
    const end = this.host.skip(table, from, to);
    this.#afterInput();
    return end;
  }

  /** Plans a restart of a run that ended by itself, at most ten times an hour. */
  #afterInput(): void {
    if (!this.host.ended || this.#restartAt !== null || this.endedAt !== null) return;
    const { state } = this.host.run;
    const { options } = this.settings;
    const at = state.endedAt ?? this.host.now;
    this.host.release();
    if (options.restart && state.reason !== 'operator' && state.reason !== 'error') {
      const recent = this.#restarts.filter((before) => at - before < RESTART_WINDOW_MS);
      if (recent.length < RESTARTS_MAX) {
        this.#restartAt = at + options.restartDelay;
        return;
      }
      this.#notice(at, 1, `not started again: ${RESTARTS_MAX} automatic restarts within an hour`);
    }
    this.endedAt = at;
  }

  #restart(at: number): void {
    this.#restartAt = null;
    this.#restarts.push(at);
    if (this.#restarts.length > RESTARTS_MAX) this.#restarts.shift();
    const problems = this.#startProblems(at, this.market.price ?? this.#o.firstPrice);
    if (problems.length === 0) {
      this.#begin(at);
      return;
    }
    this.#notice(at, 1, `not started again: ${problemsText(problems)}`);
    this.endedAt = at;
  }

  #begin(at: number): void {
    const host = this.#newHost(at, this.hub);
    this.hosts.push(host);
    if (!this.settings.startTrigger) host.run.fund();
    host.start();
    this.#afterInput();
  }

  /**
   * Returns the problems that a start after that price would have; the run itself waits for its first tick.
   */
  #startProblems(at: number, price: Dec): readonly Problem[] {
    const hub = new CandleHub({ time: at });
    if (this.settings.symbol !== '') hub.lastPrice(this.settings.symbol, at, price);
    return this.#newHost(at, hub).run.startProblems();
  }

  #newHost(at: number, hub: CandleHub): RunHost {
    const { history, symbols, everyTick, bot } = this.#o;
    return new RunHost({
      settings: this.settings,
      strategy: kindOf(bot.type).strategy,
      market: this.market,
      hub,
      history,
      start: at,
      seed: `backtest ${this.hosts.length}`,
      symbols,
      everyTick,
      onNotice: (time, level, text) => this.#notice(time, level, text),
    });
  }

  #notice(at: number, level: 1 | 2 | 3, text: string): void {
    if (level === 1 && this.notices.length < MAX_NOTICES) this.notices.push({ at, text });
  }
}

/** Rules of the bot's symbol; for a NOTIFY that scans all symbols, rules without a symbol of its own. */
function rulesOf({ world, symbols }: SessionOptions, { exchange, symbol }: CompiledSettings): MarketRules {
  const own = symbol === '' ? null : world.instrument(exchange, symbol);
  if (own) return own;
  const [first] = symbols;
  const rules = first === undefined ? null : world.instrument(exchange, first);
  if (!rules) throw new Error(`no instrument for the candles of ${exchange}`);
  return fixedRules(rules, { symbol: '' });
}
