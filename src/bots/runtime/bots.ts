/** The bots as the parts of their runtime see them: what a part may ask the bot engine. Types only. */
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
   * Closed candles of a market's symbol with from <= open time < to, oldest first; null: they are not here
   * yet, `history` reports when they are. `isPatient`: nobody waits for them.
   */
  readonly history: (
    ...asked: [market: string, ...Parameters<MarketPast['history']>, isPatient?: boolean]
  ) => readonly Candle[] | null;
  /** Returns the last stored run of a bot; null without one. */
  readonly lastRun: (botId: string) => RunRecord | null;
  /** Maximum number of bots of one account. Default MAX_BOTS. */
  readonly maxBots?: number;
}

export interface Bots {
  readonly book: BotBook;
  readonly world: BotWorld;
  readonly stops: StopRequests;
  /** Maximum number of bots of one account. */
  readonly maxBots: number;
  /** Market time of the input that is being given, Unix ms. */
  readonly now: () => number;
  /** Starts a run, or returns a message why it cannot start (strategies.md 2, run rule 1). */
  startRun(step: StepContext, bot: BotRecord, runId: string): LiveRun | string;
  /** True when past candles that a start would read are not here; they are loaded from now on. */
  lacksPast(bot: BotRecord, now: number): boolean;
  /** Gives a run one input and carries out all that follows from it. */
  give(step: StepContext, live: LiveRun, input: RunInput): void;
  /** Gives inputs at a market time of their own. */
  at(step: StepContext, time: number, run: () => void): void;
  /** Carries out what follows when a runtime command has changed a run. */
  touched(step: StepContext, live: LiveRun): void;
  /** Why the entries of a run would wait now; null: they would not. */
  pauseOf(live: LiveRun): Pause | null;
  /** Makes the exchange's settings that a run needs, then starts it. */
  arrange(step: StepContext, live: LiveRun): void;
  /** Reports that a run which still holds something has failed. */
  failed(step: StepContext, live: LiveRun): void;
  /** Gives the runs their order changes until none is left. */
  work(step: StepContext): void;
  /** Carries out a run's actions, and what follows from its new state. */
  settle(step: StepContext, live: LiveRun): void;
  /** Restarts a bot whose automatic restart is due. */
  restart(step: StepContext, bot: BotRecord): void;
  setBot(step: StepContext, bot: BotRecord): void;
  dropBot(step: StepContext, bot: BotRecord, keepsAlerts?: true): void;
  /** Removes the run from memory. */
  drop(live: LiveRun): void;
  store(step: StepContext, live: LiveRun): void;
  tell(step: StepContext, botId: string, event: BotEvent, alert?: PublicBot['alert']): void;
  notice(step: StepContext, live: LiveRun, level: BotNotice['level'], text: string): void;
}
