/**
 * The engine's inputs and outputs. `Engine.step(event, now)` is synchronous and pure but for the engine's own memory:
 * it returns the rows to store and the effects to release once they are stored. The shell is `desk/core/turn.ts`.
 */
import type { Actor } from '../domain/actor.ts';
import type { BotCommand, BotEvent, BotNotice, PublicBot } from '../domain/bot.ts';
import type { Countdown } from '../domain/dead-man.ts';
import type { Outcome, ServiceError } from '../domain/errors.ts';
import type {
  AmendOutcome,
  CancelOutcome,
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  FeeRates,
  OrderChange,
  QueryOutcome,
  SubmitOutcome,
} from '../domain/exchange.ts';
import type { Guards } from '../domain/guards.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { SendTerms } from '../domain/lane.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import type { Amendment, OrderAtExchange, OrderRecord } from '../domain/order.ts';
import type { Permissions, WideRight } from '../domain/permissions.ts';
import type {
  ExchangePosition,
  LeverageBracket,
  LeverageInfo,
  Setting,
  SettingOutcome,
} from '../domain/position.ts';
import type { Candle, Row } from '../domain/rows.ts';
import type { CreateOrder } from '../schemas/order.ts';
import type { JoiningAccount } from './joining.ts';
import type { Waiter } from './memory.ts';

export type OrderCommand =
  | { readonly type: 'place'; readonly request: CreateOrder }
  | {
      readonly type: 'cancel';
      readonly exchange: string;
      readonly id: string;
      /** The exchange's refusal does not end it: it is asked for again until the order has ended. */
      readonly keep?: true;
      /** Further orders of the account that are cancelled with it, each by a command of its own too: one request may do. */
      readonly with?: readonly string[];
    }
  /** Changes an open order in its place: fields that are left out stay. Of an operator only (S51). */
  | ({ readonly type: 'amend'; readonly exchange: string; readonly id: string } & Amendment)
  | {
      readonly type: 'split';
      readonly exchange: string;
      readonly id: string;
      readonly prices: readonly string[];
    }
  /** Leverage, margin, hedge mode, dust (specification, "Portfolio" and "Exchange"). */
  | { readonly type: 'setting'; readonly exchange: string; readonly setting: Setting }
  /** Guards of an account: fields that are left out stay. Of an operator only (S51). */
  | { readonly type: 'guards'; readonly exchange: string; readonly change: Partial<Guards> }
  /** A reached `dailyLossLimit` is lifted: entries go on. Of an operator only (S51). */
  | { readonly type: 'lift'; readonly exchange: string }
  /** Answered by the engine's extension. */
  | BotCommand
  /** A request refused before the engine (schema): recorded under its idempotency key like any answer (S47). */
  | { readonly type: 'refuse'; readonly error: ServiceError };

/** Random base32 characters that a command brings for the ids of what it makes. */
export const ENTROPY_LENGTH = 11;

/** Of one request, for the envelope and the idempotency record. */
export interface RequestContext {
  readonly requestId: string;
  readonly idempotency?: { readonly key: string; readonly fingerprint: string };
}

/**
 * Of an answer: `Versions.heard` of the account when the question was sent. It orders the answer against the events that came
 * meanwhile (S58). Left out: it is an event.
 */
type AskedAt = number;

export type EngineEvent =
  | {
      readonly type: 'command';
      /** Given back in the answer effect. */
      readonly token: number;
      readonly actor: Actor;
      readonly command: OrderCommand;
      readonly context: RequestContext;
      /** ENTROPY_LENGTH random characters for the ids of the orders or bots this makes. */
      readonly entropy: string;
      /** An order placed now would not leave within `SEND_WITHIN_MS`: when to ask again, ms. Left out: it would, or none is placed. */
      readonly retryAfterMs?: number;
    }
  | {
      readonly type: 'submitted';
      readonly exchange: string;
      readonly orderId: string;
      readonly outcome: SubmitOutcome;
      /** Monotonic time at which the request left: the validity window counts from it, however long the commit before took. */
      readonly sentAt?: number;
    }
  /** An order, or its cancel, waits for its turn toward its exchange, and may do so for long. */
  | { readonly type: 'waits'; readonly exchange: string; readonly orderId: string }
  | {
      readonly type: 'cancelled';
      readonly exchange: string;
      readonly orderId: string;
      readonly outcome: CancelOutcome;
    }
  | {
      readonly type: 'amended';
      readonly exchange: string;
      readonly orderId: string;
      /** Which of the order's changes. */
      readonly n: number;
      readonly outcome: AmendOutcome;
      /** Monotonic time by which the request had left. */
      readonly sentAt?: number;
    }
  | {
      readonly type: 'queried';
      readonly exchange: string;
      readonly orderId: string;
      readonly outcome: QueryOutcome;
      /** Monotonic time at which the question left: "not found" is judged by it, however late the answer. */
      readonly askedAt?: number;
    }
  | { readonly type: 'venue.order'; readonly exchange: string; readonly state: ExchangeOrderState }
  | {
      readonly type: 'venue.fill';
      readonly exchange: string;
      readonly fill: ExchangeFill;
      /** It was asked for, so it may be long past. */
      readonly asked?: true;
    }
  | {
      readonly type: 'venue.balances';
      readonly exchange: string;
      readonly changed: readonly ExchangeBalance[];
      /** All there are: an asset that was never told has none. */
      readonly all?: boolean;
      readonly askedAt?: AskedAt;
    }
  /** Absolute states of positions that changed, flat ones included. */
  | {
      readonly type: 'venue.positions';
      readonly exchange: string;
      readonly changed: readonly ExchangePosition[];
      /** All there are: what is missing is flat, unless an event has told of it since the question. */
      readonly all?: boolean;
      readonly askedAt?: AskedAt;
    }
  /** How the account trades, as the exchange has it. */
  | {
      readonly type: 'venue.settings';
      readonly exchange: string;
      readonly hedge?: boolean;
      readonly leverage?: readonly LeverageInfo[];
      readonly askedAt?: AskedAt;
    }
  /** An account is there from now on: it was connected while the desk runs. */
  | { readonly type: 'joined'; readonly joining: JoiningAccount }
  /** It is not there any more: nothing of it is open and no bot runs on it. */
  | { readonly type: 'left'; readonly exchange: string; readonly why: string }
  /** An account was connected for the first time since the start, or could not be. */
  | {
      readonly type: 'account';
      readonly exchange: string;
      /** Why nothing can be asked of it; null: it can. */
      readonly away: string | null;
      /** What it trades, as known now. */
      readonly instruments?: readonly Instrument[];
      /** Leverage brackets of its contracts, by symbol. */
      readonly brackets?: ReadonlyMap<string, readonly LeverageBracket[]>;
      /** The exchange's time at which it was first connected, Unix ms; left out: as it was. */
      readonly since?: number;
    }
  /** What an account pays for executions from now on. */
  | { readonly type: 'fees'; readonly exchange: string; readonly rates: FeeRates }
  /** What the key of an account may do, as its exchange says now. */
  | { readonly type: 'permissions'; readonly exchange: string; readonly told: Permissions }
  /** An owner accepts these rights of it. */
  | {
      readonly type: 'permissions-confirmed';
      readonly exchange: string;
      readonly rights: readonly WideRight[];
    }
  /** Orders of another desk were found on it before anything was sent, by their ids. */
  | { readonly type: 'others-found'; readonly exchange: string; readonly ids: readonly string[] }
  /** An owner says that the other desk is stopped. */
  | { readonly type: 'others-taken'; readonly exchange: string }
  /** What an account trades has changed while it was open; as `account` tells it. */
  | {
      readonly type: 'instruments';
      readonly exchange: string;
      readonly instruments: readonly Instrument[];
      readonly brackets?: ReadonlyMap<string, readonly LeverageBracket[]>;
    }
  /** A page of its ledger: what is not stored of it yet, and where to go on. */
  | {
      readonly type: 'ledger';
      readonly exchange: string;
      readonly entries: readonly LedgerEntry[];
      /** The exchange's time from which on the ledger is read, Unix ms. */
      readonly since: number;
      readonly after: string | null;
    }
  /** A whole comparison and the whole ledger are known; `askedAt`: monotonic time at which their questions began. */
  | { readonly type: 'audit'; readonly exchange: string; readonly askedAt: number }
  /** A countdown of its dead-man switch runs, was renewed, or is taken back (null); see `Countdown`. */
  | {
      readonly type: 'countdown';
      readonly exchange: string;
      readonly symbol: string;
      readonly countdown: Countdown | null;
    }
  | { readonly type: 'setting-done'; readonly id: string; readonly outcome: SettingOutcome }
  /** A comparison with the exchange has ended, every question of it answered: balances, settings, positions, orders, fills. */
  | { readonly type: 'compared'; readonly exchange: string }
  /** The line to an exchange is up or down. `gap`: events may be missing, and it has not been compared as a whole since. */
  | { readonly type: 'link'; readonly exchange: string; readonly up: boolean; readonly gap: boolean }
  /** A new mark price of a contract. */
  | { readonly type: 'mark'; readonly market: string; readonly symbol: string; readonly price: string }
  /** The market moves: told before the exchanges match the tick, so that closed candles and timers come first. */
  | {
      readonly type: 'market';
      readonly market: string;
      readonly symbol: string;
      /** Market time, Unix ms. */
      readonly time: number;
      readonly price: string;
      readonly volume: string;
    }
  /** The exchange has closed a candle of a live market: its own word, whatever the ticks have made of it here. */
  | {
      readonly type: 'closed';
      readonly market: string;
      readonly symbol: string;
      readonly frameMs: number;
      readonly candle: Candle;
    }
  /** Whether the prices of a live market's symbol arrive: why they do not, or null when they do. An empty symbol stands for all. */
  | { readonly type: 'stale'; readonly market: string; readonly symbol: string; readonly why: string | null }
  /** The past of a live market has come, or more of it: bots that asked for it and had none ask again. */
  | { readonly type: 'history'; readonly market: string }
  /** A day has begun in the desk's time zone: which, in days since 1970. Also the first one that is known after a start. */
  | { readonly type: 'day'; readonly day: number }
  /** Market time moves on without a trade: candles close and timers fire. */
  | { readonly type: 'time'; readonly time: number }
  /** A new last price; also what moves GTD, stops and trailing orders that the engine holds. */
  | { readonly type: 'tick'; readonly market: string; readonly symbol: string; readonly price: string }
  /** The last price as known at a start: sets it, moves nothing. */
  | { readonly type: 'price'; readonly market: string; readonly symbol: string; readonly price: string }
  /** Wall time has reached `Engine.nextWake()`: the resolver's turn, retention of memory. */
  | { readonly type: 'wake' }
  /** Result of a reconciliation's open-orders question: orders the engine thinks live but that are missing get queried. */
  | {
      readonly type: 'reconciled';
      readonly exchange: string;
      readonly open: readonly ExchangeOrderState[];
      /** Monotonic time of the question. Where it is not told, the list proves nothing about orders that have ended here. */
      readonly askedAt?: number;
    };

/** What the API sends back: final status and body bytes (as text), rendered once so that a replay has the same bytes. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** True when this is a stored answer (header X-Idempotent-Replayed). */
  readonly replayed: boolean;
  /** The same as data, for the console; absent on a replay. */
  readonly outcome?: Outcome<unknown>;
}

export type Effect =
  | {
      readonly kind: 'answer';
      readonly token: number;
      readonly answer: Answer;
      /** Of a request that had waited since an earlier step: it waits on when this step cannot be stored. */
      readonly waited?: { readonly orderId: string; readonly waiter: Waiter };
    }
  | {
      readonly kind: 'submit';
      readonly exchange: string;
      readonly order: ExchangeOrder;
      readonly terms: SendTerms;
    }
  /** It is wanted no more: if it has not left yet, it never does. */
  | { readonly kind: 'withdraw'; readonly exchange: string; readonly orderId: string }
  | ({ readonly kind: 'cancel' } & OrderAtExchange)
  /** `n`: which of the order's changes. */
  | ({
      readonly kind: 'amend';
      readonly n: number;
      readonly to: OrderChange;
      readonly terms: SendTerms;
    } & OrderAtExchange)
  /** One request for everything that is open of a symbol: these orders. */
  | {
      readonly kind: 'cancel-all';
      readonly exchange: string;
      readonly symbol: string;
      readonly orders: readonly OrderAtExchange[];
    }
  | ({ readonly kind: 'query' } & OrderAtExchange)
  | { readonly kind: 'setting'; readonly id: string; readonly exchange: string; readonly setting: Setting }
  /** What can be traded on an account has changed: of these symbols; `listed` and `delisted` are among them. */
  | {
      readonly kind: 'instruments';
      readonly exchange: string;
      readonly symbols: readonly string[];
      readonly listed: readonly string[];
      readonly delisted: readonly string[];
    }
  /** Whether another desk trades an account is seen otherwise. */
  | { readonly kind: 'others-event'; readonly exchange: string }
  /** A symbol of an account is traded until then only, Unix ms: at most a day from now. */
  | { readonly kind: 'ends'; readonly exchange: string; readonly symbol: string; readonly at: number }
  | { readonly kind: 'position-event'; readonly user: string; readonly exchange: string }
  /** An order has left memory (ended over an hour ago). */
  | { readonly kind: 'forgotten'; readonly orderId: string }
  | {
      readonly kind: 'order-event';
      readonly user: string;
      readonly event: 'ORDER_CREATE' | 'ORDER_UPDATE';
      /** A copy as of this moment. */
      readonly order: OrderRecord;
    }
  | {
      readonly kind: 'balance-event';
      readonly user: string;
      readonly exchange: string;
      readonly assets: readonly string[];
    }
  /** A copy as of this moment. */
  | { readonly kind: 'bot-event'; readonly user: string; readonly event: BotEvent; readonly bot: PublicBot }
  | {
      readonly kind: 'bot-gone';
      readonly user: string;
      readonly botId: string;
      /** What it has told stays. */
      readonly keepsAlerts?: true;
    }
  | { readonly kind: 'bot-notice'; readonly notice: BotNotice }
  | {
      readonly kind: 'bot-alert';
      readonly user: string;
      readonly botId: string;
      readonly runId: string;
      /** Market time. */
      readonly market: number;
      readonly alert: {
        readonly condition: string;
        readonly symbol: string;
        readonly message: string;
        readonly price: string | null;
      };
      /** `console`, `bell` and names of targets. */
      readonly targets: readonly string[];
    }
  | {
      readonly kind: 'log';
      readonly level: 'error' | 'warn' | 'info';
      /** @default order */
      readonly source?: 'bot' | 'exchange';
      readonly text: string;
      readonly orderId?: string;
    };

export interface StepResult {
  readonly rows: Row[];
  readonly effects: Effect[];
  /** False when the rows may ride along with the next commit (trailing peaks). */
  readonly force: boolean;
}
