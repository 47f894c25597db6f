/** The bots as the parts of their runtime see them: what a part may ask of the whole. Types only. */
import type { BotEvent, BotNotice, BotRecord, PublicBot, RunRecord } from '../../domain/bot.ts';
import type { Candle } from '../../domain/rows.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { MarketHubs } from '../market/market-hubs.ts';
import type { MarketPast } from '../market/past.ts';
import type { Pause, RunInput } from '../run/contract.ts';
import type { BotBook } from './bot-book.ts';
import type { BotWorld, BotWorldOptions } from './bot-world.ts';
import type { LiveRun } from './live-run.ts';
import type { StopRequests } from './stop-requests.ts';

export interface BotEngineOptions extends BotWorldOptions {
  readonly hubs: MarketHubs;
  /**
   * Closed candles of a market's symbol with from <= open time < to, oldest first; null: not here yet, `history` says when.
   * `isPatient`: nobody waits for them.
   */
  readonly history: (
    ...asked: [market: string, ...Parameters<MarketPast['history']>, isPatient?: boolean]
  ) => readonly Candle[] | null;
  /** The last stored run of a bot; null without one. */
  readonly lastRun: (botId: string) => RunRecord | null;
  /** Of one account. Default MAX_BOTS. */
  readonly maxBots?: number;
}

export interface Bots {
  readonly book: BotBook;
  readonly world: BotWorld;
  readonly stops: StopRequests;
  /** Of one account. */
  readonly maxBots: number;
  /** Market time of what is being given, Unix ms. */
  readonly now: () => number;
  /** Starts a run, or says what speaks against it (strategies.md 2, run rule 1). */
  startRun(step: StepContext, bot: BotRecord, runId: string): LiveRun | string;
  /** What a start of it would read of the past is not here, and is loaded from now on. */
  lacksPast(bot: BotRecord, now: number): boolean;
  /** Gives a run one input and does all that follows from it. */
  give(step: StepContext, live: LiveRun, input: RunInput): void;
  /** Gives inputs at a market time of their own. */
  at(step: StepContext, time: number, run: () => void): void;
  /** A run was changed by a runtime command. */
  touched(step: StepContext, live: LiveRun): void;
  /** Why the entries of a run would wait now; null: they would not. */
  pauseOf(live: LiveRun): Pause | null;
  /** Sets what a run needs before its start, then starts it. */
  arrange(step: StepContext, live: LiveRun): void;
  /** A run has failed that still holds something. */
  failed(step: StepContext, live: LiveRun): void;
  /** Until no order of a run has changed any more. */
  work(step: StepContext): void;
  /** Does what a run asks for, and what follows from what it has become. */
  settle(step: StepContext, live: LiveRun): void;
  /** The automatic restart of a bot is due. */
  restart(step: StepContext, bot: BotRecord): void;
  setBot(step: StepContext, bot: BotRecord): void;
  dropBot(step: StepContext, bot: BotRecord, keepsAlerts?: true): void;
  /** The run is out of memory. */
  drop(live: LiveRun): void;
  store(step: StepContext, live: LiveRun): void;
  tell(step: StepContext, botId: string, event: BotEvent, alert?: PublicBot['alert']): void;
  notice(step: StepContext, live: LiveRun, level: BotNotice['level'], text: string): void;
}
