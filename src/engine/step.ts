/**
 * The engine's inputs and outputs. `Engine.step(event, now)` is synchronous and pure apart from the engine's
 * own memory: it returns the rows to store and the effects to release once they are stored.
 * `desk/core/turn.ts` runs it.
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
      /** A refusal by the exchange does not end the cancel: it is repeated until the order has ended. */
      readonly keep?: true;
      /**
       * Further orders of the account that are cancelled with it, each also by a command of its own: one
       * request may be enough.
       */
      readonly with?: readonly string[];
    }
  /** Changes an open order in place: fields that are left out stay. Only for an operator (S51). */
  | ({ readonly type: 'amend'; readonly exchange: string; readonly id: string } & Amendment)
  | {
      readonly type: 'split';
      readonly exchange: string;
      readonly id: string;
      readonly prices: readonly string[];
    }
  /** Leverage, margin, hedge mode, dust (specification, "Portfolio" and "Exchange"). */
  | { readonly type: 'setting'; readonly exchange: string; readonly setting: Setting }
  /** Changes the guards of an account: fields that are left out stay. Only for an operator (S51). */
  | { readonly type: 'guards'; readonly exchange: string; readonly change: Partial<Guards> }
  /** Lifts a reached `dailyLossLimit`: entries are taken again. Only for an operator (S51). */
  | { readonly type: 'lift'; readonly exchange: string }
  /** Commands that the engine's extension answers. */
  | BotCommand
  /**
   * A request refused before the engine (schema): recorded under its idempotency key like any response (S47).
   */
  | { readonly type: 'refuse'; readonly error: ServiceError };

/** Number of random base32 characters that a command carries for the ids of what it creates. */
export const ENTROPY_LENGTH = 11;

/** The data of one request for the envelope and the idempotency record. */
export interface RequestContext {
  readonly requestId: string;
  readonly idempotency?: { readonly key: string; readonly fingerprint: string };
}

/**
 * For a response: `Versions.heard` of the account when the query was sent. It orders the response among the
 * events that came meanwhile (S58). Left out: it is an event.
 */
type AskedAt = number;

export type EngineEvent =
  | {
      readonly type: 'command';
      /** Returned in the answer effect. */
      readonly token: number;
      readonly actor: Actor;
      readonly command: OrderCommand;
      readonly context: RequestContext;
      /** ENTROPY_LENGTH random characters for the ids of the orders or bots that the command creates. */
      readonly entropy: string;
      /**
       * Time after which to try again, ms: an order placed now would not be sent within `SEND_WITHIN_MS`.
       * Left out: it would, or no order is placed.
       */
      readonly retryAfterMs?: number;
    }
  | {
      readonly type: 'submitted';
      readonly exchange: string;
      readonly orderId: string;
      readonly outcome: SubmitOutcome;
      /**
       * Monotonic time at which the request left: the validity window counts from it, however long the commit
       * before it took.
       */
      readonly sentAt?: number;
    }
  /** An order, or its cancel, waits for its turn to be sent, possibly for long. */
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
      /** Number of the order's change. */
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
      /** Monotonic time at which the query left: "not found" is judged by it, however late the response. */
      readonly askedAt?: number;
    }
  | { readonly type: 'venue.order'; readonly exchange: string; readonly state: ExchangeOrderState }
  | {
      readonly type: 'venue.fill';
      readonly exchange: string;
      readonly fill: ExchangeFill;
      /** It came in a response, so it may be old. */
      readonly asked?: true;
    }
  | {
      readonly type: 'venue.balances';
      readonly exchange: string;
      readonly changed: readonly ExchangeBalance[];
      /** The report is complete: an asset that is missing in it has no balance. */
      readonly all?: boolean;
      readonly askedAt?: AskedAt;
    }
  /** Absolute states of positions that changed, flat ones included. */
  | {
      readonly type: 'venue.positions';
      readonly exchange: string;
      readonly changed: readonly ExchangePosition[];
      /**
       * The report is complete: a missing position is flat, unless an event has reported it since the query.
       */
      readonly all?: boolean;
      readonly askedAt?: AskedAt;
    }
  /** The trading settings of the account, as the exchange has them. */
  | {
      readonly type: 'venue.settings';
      readonly exchange: string;
      readonly hedge?: boolean;
      readonly leverage?: readonly LeverageInfo[];
      readonly askedAt?: AskedAt;
    }
  /** An account was connected while the desk runs. */
  | { readonly type: 'joined'; readonly joining: JoiningAccount }
  /** An account was disconnected: nothing is open on it and no bot runs on it. */
  | { readonly type: 'left'; readonly exchange: string; readonly why: string }
  /** An account was connected for the first time since the start, or could not be. */
  | {
      readonly type: 'account';
      readonly exchange: string;
      /** Why the account cannot be reached; null: it can. */
      readonly away: string | null;
      /** Its instruments as known now. */
      readonly instruments?: readonly Instrument[];
      /** Leverage brackets of its contracts, by symbol. */
      readonly brackets?: ReadonlyMap<string, readonly LeverageBracket[]>;
      /** The exchange's time at which it was first connected, Unix ms; left out: unchanged. */
      readonly since?: number;
    }
  /** New fees of an account for executions. */
  | { readonly type: 'fees'; readonly exchange: string; readonly rates: FeeRates }
  /** The rights of the account's key, as its exchange reports them now. */
  | { readonly type: 'permissions'; readonly exchange: string; readonly told: Permissions }
  /** An owner accepts these rights of the key. */
  | {
      readonly type: 'permissions-confirmed';
      readonly exchange: string;
      readonly rights: readonly WideRight[];
    }
  /** Orders of another desk, by their ids, that were found on the account before anything was sent. */
  | { readonly type: 'others-found'; readonly exchange: string; readonly ids: readonly string[] }
  /** An owner confirms that the other desk is stopped. */
  | { readonly type: 'others-taken'; readonly exchange: string }
  /** The instruments of an account have changed while it was open; fields as in `account`. */
  | {
      readonly type: 'instruments';
      readonly exchange: string;
      readonly instruments: readonly Instrument[];
      readonly brackets?: ReadonlyMap<string, readonly LeverageBracket[]>;
    }
  /** A page of the account's ledger: entries that are not stored yet, and the cursor to go on. */
  | {
      readonly type: 'ledger';
      readonly exchange: string;
      readonly entries: readonly LedgerEntry[];
      /** The exchange's time from which on the ledger is read, Unix ms. */
      readonly since: number;
      readonly after: string | null;
    }
  /**
   * A full comparison and the whole ledger are known; `askedAt`: monotonic time at which their queries began.
   */
  | { readonly type: 'audit'; readonly exchange: string; readonly askedAt: number }
  /**
   * A countdown of the account's dead-man switch runs, was renewed, or was cancelled (null); see `Countdown`.
   */
  | {
      readonly type: 'countdown';
      readonly exchange: string;
      readonly symbol: string;
      readonly countdown: Countdown | null;
    }
  | { readonly type: 'setting-done'; readonly id: string; readonly outcome: SettingOutcome }
  /**
   * A comparison with the exchange has ended with a response to every query: balances, settings, positions,
   * orders, fills.
   */
  | { readonly type: 'compared'; readonly exchange: string }
  /**
   * The connection to an exchange is up or down. `gap`: events may be missing, and no full comparison has
   * been made since.
   */
  | { readonly type: 'link'; readonly exchange: string; readonly up: boolean; readonly gap: boolean }
  /** A new mark price of a contract. */
  | { readonly type: 'mark'; readonly market: string; readonly symbol: string; readonly price: string }
  /**
   * The market moves: sent before the exchanges match the tick, so that closed candles and timers come first.
   */
  | {
      readonly type: 'market';
      readonly market: string;
      readonly symbol: string;
      /** Market time, Unix ms. */
      readonly time: number;
      readonly price: string;
      readonly volume: string;
    }
  /** The exchange has closed a candle of a live market: its own values, whatever the ticks here gave. */
  | {
      readonly type: 'closed';
      readonly market: string;
      readonly symbol: string;
      readonly frameMs: number;
      readonly candle: Candle;
    }
  /**
   * Whether the prices of a live market's symbol arrive: the reason why not, or null when they do. An empty
   * symbol: all of them.
   */
  | { readonly type: 'stale'; readonly market: string; readonly symbol: string; readonly why: string | null }
  /** History of a live market has arrived, or more of it: bots that asked for it in vain ask again. */
  | { readonly type: 'history'; readonly market: string }
  /**
   * A day has begun in the desk's time zone, in days since 1970. Also sent for the first known day after a
   * start.
   */
  | { readonly type: 'day'; readonly day: number }
  /** Market time moves on without a trade: candles close and timers fire. */
  | { readonly type: 'time'; readonly time: number }
  /** A new last price; also moves GTD, stops and trailing orders that the engine holds. */
  | { readonly type: 'tick'; readonly market: string; readonly symbol: string; readonly price: string }
  /** The last price known at a start: sets it, moves nothing. */
  | { readonly type: 'price'; readonly market: string; readonly symbol: string; readonly price: string }
  /**
   * Wall time has reached `Engine.nextWake()`: for the resolver, and the removal of old entries from memory.
   */
  | { readonly type: 'wake' }
  /**
   * Result of a reconciliation's query for open orders: orders that are live here but missing there get
   * queried.
   */
  | {
      readonly type: 'reconciled';
      readonly exchange: string;
      readonly open: readonly ExchangeOrderState[];
      /**
       * Monotonic time of the query. Where it is missing, the list proves nothing about orders that have
       * ended here.
       */
      readonly askedAt?: number;
    };

/**
 * A response of the API: final status and body bytes (as text), rendered once so that a replay has the same
 * bytes.
 */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** True when this is a stored response (header X-Idempotent-Replayed). */
  readonly replayed: boolean;
  /** The same as data, for the console; left out on a replay. */
  readonly outcome?: Outcome<unknown>;
}

export type Effect =
  | {
      readonly kind: 'answer';
      readonly token: number;
      readonly answer: Answer;
      /**
       * Present for a request that had waited since an earlier step: it goes on waiting when this step cannot
       * be stored.
       */
      readonly waited?: { readonly orderId: string; readonly waiter: Waiter };
    }
  | {
      readonly kind: 'submit';
      readonly exchange: string;
      readonly order: ExchangeOrder;
      readonly terms: SendTerms;
    }
  /** Withdraws an order: if it has not left yet, it is never sent. */
  | { readonly kind: 'withdraw'; readonly exchange: string; readonly orderId: string }
  | ({ readonly kind: 'cancel' } & OrderAtExchange)
  /** `n`: number of the order's change. */
  | ({
      readonly kind: 'amend';
      readonly n: number;
      readonly to: OrderChange;
      readonly terms: SendTerms;
    } & OrderAtExchange)
  /** One request to cancel everything that is open in a symbol: these orders. */
  | {
      readonly kind: 'cancel-all';
      readonly exchange: string;
      readonly symbol: string;
      readonly orders: readonly OrderAtExchange[];
    }
  | ({ readonly kind: 'query' } & OrderAtExchange)
  | { readonly kind: 'setting'; readonly id: string; readonly exchange: string; readonly setting: Setting }
  /** The instruments of an account have changed, in these symbols; they include `listed` and `delisted`. */
  | {
      readonly kind: 'instruments';
      readonly exchange: string;
      readonly symbols: readonly string[];
      readonly listed: readonly string[];
      readonly delisted: readonly string[];
    }
  /** The assessment of whether another desk trades on an account has changed. */
  | { readonly kind: 'others-event'; readonly exchange: string }
  /** The time at which trading in a symbol of an account ends, Unix ms: at most a day from now. */
  | { readonly kind: 'ends'; readonly exchange: string; readonly symbol: string; readonly at: number }
  | { readonly kind: 'position-event'; readonly user: string; readonly exchange: string }
  /** An order has left memory (ended over an hour ago). */
  | { readonly kind: 'forgotten'; readonly orderId: string }
  | {
      readonly kind: 'order-event';
      readonly user: string;
      readonly event: 'ORDER_CREATE' | 'ORDER_UPDATE';
      /** A copy of the order at this moment. */
      readonly order: OrderRecord;
    }
  | {
      readonly kind: 'balance-event';
      readonly user: string;
      readonly exchange: string;
      readonly assets: readonly string[];
    }
  /** A copy of the bot at this moment. */
  | { readonly kind: 'bot-event'; readonly user: string; readonly event: BotEvent; readonly bot: PublicBot }
  | {
      readonly kind: 'bot-gone';
      readonly user: string;
      readonly botId: string;
      /** The bot's alerts are kept. */
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
  /** False when the rows may wait for the next commit (trailing peaks). */
  readonly force: boolean;
}
