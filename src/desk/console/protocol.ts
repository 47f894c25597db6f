/**
 * The contract between a terminal and the desk: methods, the state a terminal mirrors, and the messages of
 * every transport. Plain data only. Types and small constants; no behaviour.
 */

import type { Preview } from '../../bots/backtest/preview.ts';
import type { LadderAnswer } from '../../bots/ladder/ladder-text.ts';
import type { Problem } from '../../bots/settings/compiled.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import type {
  AlertRecord,
  BotChange,
  BotNotice,
  NewBot,
  PublicBot,
  RunRecord,
  StopWay,
} from '../../domain/bot.ts';
import type { Outcome } from '../../domain/errors.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { LedgerRecord } from '../../domain/ledger.ts';
import type { FillRecord, OrderEvent, OrderView } from '../../domain/order.ts';
import type { WideRight } from '../../domain/permissions.ts';
import type { LeverageBracket, Setting } from '../../domain/position.ts';
import type { Candle, LogLine } from '../../domain/rows.ts';
import type { OrderPreview } from '../../engine/order-preview.ts';
import type { Dust } from '../../schemas/futures.ts';
import type { CreateOrder, MarginType, PositionSide, Side } from '../../schemas/order.ts';
import type { Portfolio } from '../../schemas/portfolio.ts';
import type {
  AccountView,
  DeskShut,
  ExportFile,
  PaperFaultRequest,
  PaperSettings,
  Reconciled,
  StandingFaults,
} from './account-views.ts';
import type { EquityView, WalletEquity } from './equity-views.ts';

export type { ConnectionPlace } from '../../domain/connection.ts';
export type {
  AccountView,
  DeskShut,
  ExportFile,
  GeneratedKey,
  GuardsView,
  KeyExample,
  LabReport,
  LabRequest,
  LabRule,
  PaperFaultRequest,
  PaperSettings,
  PaperView,
  Reconciled,
  StandingFaults,
} from './account-views.ts';
export type {
  AccountConnection,
  ConnectionRequest,
  ConnectionsView,
  ConnectionTest,
  ConnectionTested,
  ConnectionView,
  CredentialTexts,
  TestLine,
  VenueKindView,
} from './connection-views.ts';

import type { AlertMuteSet, MuteRequest } from '../alerts/alert-mutes.ts';
import type { ClockJump } from '../core/clock-watch.ts';
import type { PnlMethods } from '../pnl/pnl-methods.ts';
import type { AmendMethods } from './amend-methods.ts';
import type { ConnectionMethods } from './connection-views.ts';
import type { GuardMethods } from './guard-methods.ts';
import type { KeyMethods } from './key-methods.ts';
import type { LookPart, LookView } from './look-views.ts';
import type { MemoryMethods } from './memory-methods.ts';
import type { PanicNote, PanicPart, PanicTargets } from './panic-views.ts';
import type { Introduction, Me, OperatorMethods, SessionMethods } from './session-methods.ts';
import type { StatePart } from './state-parts.ts';
import type { VaultMethods, VaultView } from './vault-view.ts';

export type { OperatorForm, OperatorRecord, Role } from '../../domain/operator.ts';
export type {
  EquityPoint,
  FigureTexts,
  PnlGroup,
  PnlQuery,
  PnlRow,
  PnlTrade,
  PnlView,
  TradeStats,
} from '../pnl/pnl-methods.ts';
export type { EquityView, WalletEquity } from './equity-views.ts';
export type { LookPart, LookRequest, LookTrade, LookView } from './look-views.ts';
export type { PanicNote, PanicPart, PanicTargets } from './panic-views.ts';
export type { Introduction, Me, SessionView, SshView } from './session-methods.ts';
export type { VaultView } from './vault-view.ts';

export const PROTOCOL_VERSION = 8;

export interface DeskInfo {
  readonly version: string;
  readonly user: string;
  readonly paper: boolean;
  /** The API's root URL, e.g. `http://127.0.0.1:7420/api`. */
  readonly apiUrl: string;
  readonly wsUrl: string;
  readonly dataDir: string;
  readonly startedAt: number;
}

export interface ClockView {
  readonly wall: number;
  readonly market: number;
  readonly feed: string;
  /** Market time follows wall time. */
  readonly live: boolean;
  readonly speed: number | 'max';
  readonly held: boolean;
  /** A replay has ended. */
  readonly ended: boolean;
  /** The last jump of the wall clock since the start of the desk (D22); absent: none. */
  readonly jump?: ClockJump;
}

export interface PriceView {
  /** The market where the price forms (exchanges.md 1). */
  readonly market: string;
  readonly symbol: string;
  readonly last: string;
  /** Why no newer prices arrive; left out: they do. */
  readonly stale?: string;
  /** Market time of the last price. */
  readonly time: number;
  /** Last price 24 h of market time ago, if known. */
  readonly open24h: string | null;
  /** Up to 60 recent one-minute closes, oldest first; for sparklines. */
  readonly spark: readonly number[];
}

/** A position on a console: the exchange's amounts, PnL at the present mark price, and what protects it. */
export interface PositionView {
  /** Opaque key (S20), the same as in the API. */
  readonly key: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly side: PositionSide;
  /** Signed: negative short. */
  readonly amount: string;
  readonly entryPrice: string;
  readonly breakEvenPrice: string;
  readonly markPrice: string;
  readonly unrealizedProfit: string;
  /** Return on the margin put in, percent, signed. */
  readonly returnPercent: string;
  readonly marginType: MarginType;
  readonly leverage: number;
  /** Notional / leverage at the mark price. */
  readonly margin: string;
  readonly liquidationPrice: string | null;
  /** From mark to liquidation price, percent; null: not known, or there is none. */
  readonly liquidationDistance: string | null;
  /** Base size that resting stops would close, and since when (wall ms). */
  readonly protectedQty: string;
  readonly protectedSince: number | null;
  /** More base size, closed only by stops that this desk holds while it runs. Left out: none. */
  readonly heldQty?: string;
}

/** The positions and settings of a futures account. */
export interface FuturesView {
  readonly positions: readonly PositionView[];
  readonly hedgeMode: boolean;
  /** By symbol. */
  readonly leverage: Readonly<Record<string, { readonly leverage: number; readonly marginType: MarginType }>>;
}

/** A bot on a console: the API's view of it, and its times. */
export interface BotView extends PublicBot {
  /** Wall times. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Market time of the automatic restart that is due; null: none is due. */
  readonly restartAt: number | null;
  /** Market time when the present run started; null: none runs. */
  readonly startedAt: number | null;
  /** What its run holds on a spot account; left out: nothing. */
  readonly holds?: { readonly qty: string; readonly asset: string };
  /** Settings and similar fields are too long to be all here: `bots.detail` has them. */
  readonly abridged?: true;
}

/** What a run holds and which orders it waits for, for charts and panes. Decimal strings. */
export interface RunOutline {
  readonly symbol: string;
  readonly lots: readonly {
    readonly label: string;
    readonly qty: string;
    readonly entryPrice: string;
    readonly openedAt: number;
  }[];
  readonly averageEntry: string | null;
  readonly breakEven: string | null;
  /** Stop rules with the price at which each fires now; null: it has none. */
  readonly stops: readonly {
    readonly strategy: string;
    readonly trigger: string;
    readonly level: string | null;
    readonly disabled: boolean;
    readonly rule: Readonly<Record<string, unknown>>;
  }[];
}

export interface BotDetail {
  readonly bot: BotView;
  /** Open orders. */
  readonly orders: readonly OrderView[];
  /** Newest first. */
  readonly runs: readonly Omit<RunRecord, 'state'>[];
  readonly notices: readonly BotNotice[];
  readonly live?: RunOutline;
  /** The bot's last fills on its market, oldest first; market times. */
  readonly fills?: readonly BotFill[];
}

export interface BotFill {
  readonly time: number;
  readonly side: Side;
  readonly price: string;
  readonly qty: string;
}

/** One entry of a batch's answer (specification, Bots rule 5). */
export interface BotBatchResult {
  readonly id: string;
  readonly success: boolean;
  readonly runId?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** What every terminal mirrors. */
export interface DeskState {
  readonly desk: DeskInfo;
  /** This terminal's identity; left out: the desk does not say. */
  readonly me?: Me;
  readonly clock: ClockView;
  readonly accounts: readonly AccountView[];
  /** All instruments, with delisted ones (`delisted`) of which something is left. */
  readonly instruments: readonly Instrument[];
  /** By `marketKey`. */
  readonly prices: Readonly<Record<string, PriceView>>;
  /** Open and recent orders by id. */
  readonly orders: Readonly<Record<string, OrderView>>;
  /** By exchange account. */
  readonly portfolios: Readonly<Record<string, Portfolio>>;
  /** By futures account. */
  readonly futures: Readonly<Record<string, FuturesView>>;
  readonly bots: Readonly<Record<string, BotView>>;
  /** Newest last. */
  readonly alerts: readonly AlertRecord[];
  /** Bots and targets whose alerts are not sent. */
  readonly mutes: AlertMuteSet;
  readonly equity: EquityView;
  /** By wallet. */
  readonly wallets: Readonly<Record<string, WalletEquity>>;
  readonly keys: readonly AccessKey[];
  readonly vault: VaultView;
  /** What the API answers everybody during maintenance; null: it serves. */
  readonly maintenance: string | null;
  /** The symbol that this terminal looks at closely; left out: none. */
  readonly look?: LookView;
  /** Newest last, at most LOG_LINES. */
  readonly log: readonly LogLine[];
}

export const LOG_LINES = 200;

/**
 * Parts that changed since the last message; records merge by key, where `null` removes. `log` appends,
 * `instruments` replace those of the same account and symbol; other fields replace.
 */
export interface DeskDelta {
  readonly clock?: ClockView;
  readonly accounts?: readonly AccountView[];
  readonly instruments?: readonly Instrument[];
  readonly prices?: Readonly<Record<string, PriceView>>;
  readonly orders?: Readonly<Record<string, OrderView | null>>;
  readonly portfolios?: Readonly<Record<string, Portfolio>>;
  readonly futures?: Readonly<Record<string, FuturesView>>;
  readonly bots?: Readonly<Record<string, BotView | null>>;
  readonly alerts?: readonly AlertRecord[];
  readonly mutes?: AlertMuteSet;
  readonly equity?: EquityView;
  readonly wallets?: Readonly<Record<string, WalletEquity>>;
  readonly keys?: readonly AccessKey[];
  readonly vault?: VaultView;
  readonly maintenance?: string | null;
  readonly log?: readonly LogLine[];
  /** Null: the close look has ended. */
  readonly look?: LookPart | null;
}

export interface OrderDetail {
  readonly order: OrderView;
  readonly events: readonly OrderEvent[];
  readonly fills: readonly FillRecord[];
}

/** A bot that is still being written. */
export interface BotSketch {
  readonly type: NewBot['type'];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Every price and order of a bot at the present price. */
export type LadderView = LadderAnswer;

/** The result of a bot over the last candles. */
export type ReplayView =
  | { readonly done: 'played'; readonly preview: Preview; readonly frameMs: number }
  /** Another replay of the same terminal has replaced it, or it was ended. */
  | { readonly done: 'cancelled' }
  /** Why it cannot be played, in a sentence. */
  | { readonly done: 'impossible'; readonly text: string };

/** What the order ticket shows while it is filled in. */
export type TicketCheck = OrderPreview;

export interface SplitPreview {
  readonly problems: readonly string[];
  readonly remaining: string;
  readonly parts: readonly { readonly price: string; readonly quantity: string; readonly notional: string }[];
}

/** Switches maintenance on or off, with the sentence for refused callers. */
export interface MaintenanceRequest {
  readonly on: boolean;
  /** The sentence in the answers; left out or blank: a general one. */
  readonly message?: string;
}

/** Every call of a terminal: name -> [parameters, result]. Refusals are outcomes, not errors. */
export interface DeskMethods
  extends AmendMethods,
    ConnectionMethods,
    GuardMethods,
    KeyMethods,
    MemoryMethods,
    OperatorMethods,
    PnlMethods,
    SessionMethods,
    VaultMethods {
  'orders.place': [CreateOrder, Outcome<OrderView>];
  'orders.check': [Partial<CreateOrder>, TicketCheck];
  'orders.cancel': [{ exchange: string; id: string }, Outcome<OrderView>];
  'orders.cancelAll': [
    { exchange?: string; symbol?: string; ids?: readonly string[] },
    { id: string; outcome: Outcome<OrderView> }[],
  ];
  'orders.split': [{ exchange: string; id: string; prices: readonly string[] }, Outcome<OrderView[]>];
  'orders.splitPreview': [{ exchange: string; id: string; prices: readonly string[] }, SplitPreview];
  'orders.detail': [{ id: string }, OrderDetail | null];
  'orders.closed': [
    { exchange?: string; symbol?: string; before?: string; limit: number },
    { orders: OrderView[]; next: string | null },
  ];
  'trades.list': [
    { exchange: string; symbol: string; startTime?: number; endTime?: number; limit: number },
    FillRecord[],
  ];
  /** Changes of an account's wallet that are no trades, newest first. */
  'portfolio.ledger': [
    { exchange: string; before?: string; limit: number },
    { rows: readonly LedgerRecord[]; next: string | null },
  ];
  /** Trades of all symbols, newest first. */
  'trades.page': [
    { exchange?: string; symbol?: string; before?: string; limit: number },
    { trades: readonly FillRecord[]; next: string | null },
  ];
  /** Writes all orders that have ended, or all trades, as CSV, newest first. `exchange` left out: all. */
  'orders.export': [{ exchange?: string }, Outcome<ExportFile>];
  'trades.export': [{ exchange?: string }, Outcome<ExportFile>];
  'market.candles': [
    { market: string; symbol: string; frameMs: number; from: number; to: number },
    readonly Candle[],
  ];
  'futures.set': [{ exchange: string; setting: Setting }, Outcome<unknown>];
  'futures.brackets': [{ exchange: string; symbol: string }, readonly LeverageBracket[]];
  'futures.marginMode': [{ exchange: string }, { mode: number | null }];
  /** Returns what could be converted now, and how long until a conversion is allowed, ms (0: now). */
  'portfolio.dust': [{ exchange: string }, Outcome<Dust & { waitMs: number }>];
  /** Writes every balance of the operator's accounts as CSV. */
  'portfolio.export': [{ exchange?: string }, Outcome<ExportFile>];
  'bots.create': [{ bot: NewBot }, Outcome<PublicBot>];
  /** Makes and starts a bot for an order with exits or a price alert (S60); if refused, none is kept. */
  'bots.manage': [{ bot: NewBot }, Outcome<PublicBot>];
  /** Deep validation, as far as it needs neither price nor balance. */
  'bots.check': [BotSketch, { problems: readonly Problem[]; warnings: readonly Problem[]; text: string }];
  'bots.ladder': [BotSketch, LadderView];
  /** Replays the last candles of the bot's frame, in its own thread. One replay at a time per `token`. */
  'bots.replay': [BotSketch & { token: string; candles?: number }, ReplayView];
  /** Candles played so far in the token's replay; null: none runs. */
  'bots.replayProgress': [{ token: string }, { done: number; of: number } | null];
  'bots.replayEnd': [{ token: string }, null];
  'bots.patch': [{ id: string; change: BotChange }, Outcome<{ bot: PublicBot; old: PublicBot }>];
  'bots.tag': [{ id: string; tag: string }, Outcome<PublicBot>];
  'bots.delete': [{ id: string; force: boolean }, Outcome<{ id: string }>];
  'bots.start': [{ id: string }, Outcome<{ id: string; status: string; runId: string; startedAt: number }>];
  'bots.stop': [
    { id: string; runId: string; way: StopWay },
    Outcome<{ id: string; status: string; runId: string; stoppedAt: number; reason: string }>,
  ];
  'bots.message': [
    { id: string; runId: string; message: string; params: Readonly<Record<string, unknown>> },
    Outcome<null>,
  ];
  'bots.batch': [
    (
      | { op: 'start' | 'delete'; ids: readonly string[] }
      | { op: 'stop'; runs: readonly (readonly [string, string])[]; way: StopWay }
    ),
    Outcome<BotBatchResult[]>,
  ];
  'bots.detail': [{ id: string }, BotDetail | null];
  'alerts.mute': [MuteRequest, Outcome<AlertMuteSet>];
  'alerts.seen': [{ ids: readonly string[] }, null];
  /** Pausing and stepping are refused while an account trades on a live market. */
  'feed.control': [{ action: 'play' | 'pause' | 'step' }, Outcome<ClockView>];
  /** Sets how much faster than the clock; refused on a market that runs with the clock. */
  'feed.speed': [{ speed: number | 'max' }, Outcome<ClockView>];
  /** An owner accepts these rights of an account's key, which trading does not need. */
  'exchange.confirmRights': [{ exchange: string; rights: readonly WideRight[] }, Outcome<null>];
  /** An owner says that the desk which trades or traded the account is stopped. `of`: why it is closed. */
  'exchange.takeOver': [{ exchange: string; of: Exclude<DeskShut['kind'], 'another'> }, Outcome<null>];
  /** Compares the account with the exchange now. */
  'exchange.reconcile': [{ exchange: string }, Outcome<Reconciled>];
  'paper.configure': [{ exchange: string; change: Partial<PaperSettings> }, Outcome<PaperSettings>];
  /** Sets the free amount of an asset. */
  'paper.balance': [{ exchange: string; asset: string; amount: string }, Outcome<null>];
  /** Cancels every order and position of the account and gives it the balances of a new one. */
  'paper.reset': [{ exchange: string }, Outcome<null>];
  /** Changes the given standing faults. `heal`: switches all off first, single ones to come included. */
  'paper.faults': [{ exchange: string; change?: Partial<StandingFaults>; heal?: boolean }, Outcome<null>];
  /** Sets a fault of the paper exchange (engine.md): the next `times` requests or events, or an outage. */
  'paper.fault': [PaperFaultRequest, Outcome<null>];
  'panic.targets': [{ part: PanicPart; after?: string }, PanicTargets];
  /** Stored when it is answered; does nothing of the panic itself. */
  'desk.panic': [PanicNote, Outcome<null>];
  /** Makes the API answer 503; terminals work on. Returns the sentence in the answers, null when off. */
  'desk.maintenance': [MaintenanceRequest, Outcome<{ maintenance: string | null }>];
  'desk.stop': [Record<string, never>, null];
}

export type Method = keyof DeskMethods;
export type Params<M extends Method> = DeskMethods[M][0];
export type Result<M extends Method> = DeskMethods[M][1];

export type ToDesk =
  /** `state: false`: only calls; the answer is `welcome`, and no state follows. */
  | ({ readonly t: 'hello'; readonly protocol: number; readonly state?: boolean } & Introduction)
  /** A key was pressed: the terminal is not idle. At most once a second. */
  | { readonly t: 'key' }
  | { readonly t: 'call'; readonly id: number; readonly method: Method; readonly params: unknown }
  /** The terminal has processed state message `seq`; only then is the next one sent. */
  | { readonly t: 'ack'; readonly seq: number };

export type FromDesk =
  /** `more`: parts follow, each after an acknowledgement; the state is complete with the last. */
  | { readonly t: 'snapshot'; readonly seq: number; readonly state: DeskState; readonly more?: true }
  | { readonly t: 'part'; readonly seq: number; readonly part: StatePart; readonly more?: true }
  | { readonly t: 'delta'; readonly seq: number; readonly delta: DeskDelta }
  | { readonly t: 'welcome'; readonly desk: DeskInfo }
  | { readonly t: 'result'; readonly id: number; readonly value: unknown }
  | { readonly t: 'error'; readonly id: number; readonly message: string }
  /** The desk is about to end; the transport closes after it. */
  | { readonly t: 'bye'; readonly reason: string };

/** A terminal's end of the connection. */
export interface DeskClient {
  /** Resolves with the method's result; rejects when the connection is lost or the desk failed internally. */
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Calls `listener` first with a snapshot. The next message is sent only after `ack` was called. */
  onState(listener: (message: { snapshot: DeskState } | { delta: DeskDelta }, ack: () => void) => void): void;
  onClosed(listener: (reason: string) => void): void;
  /** Reports that a key was pressed here: the terminal is not idle. */
  touched(): void;
  close(): void;
}
