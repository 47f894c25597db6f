/**
 * A bot, its runs and its alerts as stored (specification, "Bot record"; strategies.md 2, "A run"). Plain
 * data.
 */
import type { BotType } from '../schemas/bots/bot-type.ts';

/** The status of a bot (specification, "Bot status"). */
export type BotStatus = 'NEW' | 'STARTED' | 'STOPPED' | 'ERROR';

export interface BotRecord {
  readonly id: string;
  readonly user: string;
  readonly type: BotType;
  readonly exchange: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly metadata: string | null;
  /** User label, at most 50 characters. */
  readonly tag: string | null;
  readonly status: BotStatus;
  /** Id of the current run; null when none is running. */
  readonly runId: string | null;
  /** Wall times, Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Market times of the automatic restarts of the last hour (S42). */
  readonly restarts: readonly number[];
  /** Market time of the automatic restart that is due; null without one. */
  readonly restartAt: number | null;
}

export type Cleanup = 'leaveAllOrders' | 'cancelBuyOrders' | 'cancelAllOrders';

/** How a run is stopped (specification, "Bots"). */
export interface StopWay {
  /** Default cancelAllOrders (strategies.md 2, run rule 4). */
  readonly cleanup?: Cleanup;
  /** Also sells the position at MARKET. */
  readonly action?: 'stop_and_sell';
  /** Ends a run that waits for the exchange: the clean-up continues after the run's end. */
  readonly force?: boolean;
}

export interface NewBot {
  readonly type: BotType;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly metadata?: string;
  readonly tag?: string;
}

/** A change of a bot: top-level fields that are given replace the old ones, null removes one (S41). */
export interface BotChange {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly metadata?: string;
  readonly restart?: boolean;
}

/** The commands for bots; their responses are in specification, "Bots", with S5 to S8. */
export type BotCommand =
  | { readonly type: 'bot.create'; readonly bot: NewBot }
  /** Made for an order with exits or for a price alert, and started at once: console only (S60). */
  | { readonly type: 'bot.manage'; readonly bot: NewBot }
  | { readonly type: 'bot.patch'; readonly id: string; readonly change: BotChange }
  /** Console only (S46). */
  | { readonly type: 'bot.tag'; readonly id: string; readonly tag: string }
  | { readonly type: 'bot.delete'; readonly id: string; readonly force: boolean }
  | { readonly type: 'bot.start'; readonly id: string }
  | { readonly type: 'bot.stop'; readonly id: string; readonly runId: string; readonly way: StopWay }
  | {
      readonly type: 'bot.message';
      readonly id: string;
      readonly runId: string;
      readonly message: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'bot.batchStart'; readonly ids: readonly string[] }
  | {
      readonly type: 'bot.batchStop';
      readonly runs: readonly (readonly [botId: string, runId: string])[];
      readonly way: StopWay;
    }
  | { readonly type: 'bot.batchDelete'; readonly ids: readonly string[] };

/** A bot as users see it (specification, "Bot record"): never contains a user, key or storage id. */
export interface PublicBot {
  readonly id: string;
  readonly type: BotType;
  readonly exchange: string;
  readonly symbol: unknown;
  readonly status: BotStatus;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly metadata?: string;
  readonly tag?: string;
  /** Live runtime state label. */
  readonly state?: string;
  readonly runId?: string;
  readonly stats?: RunFigures;
  /** The alert, in a BOT_UPDATE about one. */
  readonly alert?: {
    readonly symbol: string;
    readonly condition: string;
    readonly message: string;
    readonly time: number;
  };
}

export type BotEvent = 'BOT_STARTED' | 'BOT_STOPPED' | 'BOT_ERROR' | 'BOT_UPDATE';

/** Figures of a run; decimals as text, money in the quote or margin asset. */
export interface RunFigures {
  readonly realised: string;
  readonly unrealised: string;
  readonly fees: string;
  readonly volume: string;
  readonly cycles: number;
  readonly winningCycles: number;
  readonly fills: number;
  /** Percent of equity. */
  readonly maxDrawdown: string;
  readonly budget: string;
  /** Percent of the budget; null without a budget. */
  readonly roi: string | null;
  /** Yearly return, given only after 24 hours of market time. */
  readonly annualised: string | null;
  readonly unfilled: string;
  readonly skipped: number;
}

export interface RunRecord {
  readonly runId: string;
  readonly botId: string;
  readonly user: string;
  readonly type: BotType;
  readonly exchange: string;
  readonly symbol: string;
  /** Market times, Unix ms; `endedAt` is null while the run goes on. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly reason: string | null;
  readonly error: string | null;
  /** The settings with which the run started. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly label: string;
  readonly figures: RunFigures;
  /** Result of `encodeState` of the run; empty once the run has ended for good. */
  readonly state: string;
}

/** A notice of a run: one line of a bot's log. */
export interface BotNotice {
  readonly botId: string;
  readonly runId: string;
  readonly user: string;
  /** Market and wall time, Unix ms. */
  readonly market: number;
  readonly at: number;
  readonly level: 1 | 2 | 3;
  readonly text: string;
}

/** A firing of ALARM or NOTIFY and the progress of its deliveries. */
export interface AlertRecord {
  readonly id: string;
  readonly botId: string;
  readonly runId: string;
  readonly user: string;
  readonly market: number;
  readonly at: number;
  readonly symbol: string;
  readonly condition: string;
  readonly message: string;
  /** Decimal string; null when there was no price. */
  readonly price: string | null;
  readonly seen: boolean;
  readonly deliveries: readonly AlertDelivery[];
}

export interface AlertDelivery {
  /** `bell` or the name of a target. */
  readonly target: string;
  readonly state: 'waiting' | 'done' | 'failed';
  readonly tries: number;
  /** Wall time at which the first try began; left out until that try has ended. */
  readonly firstAt?: number;
  /** Wall time of the next try; null when no try is left. */
  readonly nextAt: number | null;
  /** Text of the last failure. */
  readonly error: string | null;
}
