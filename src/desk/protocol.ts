/**
 * The contract between a terminal and the desk: methods, the state a terminal mirrors, and the messages of every
 * transport. Plain data only. Types and small constants; no behaviour.
 */
import type { AccessKey } from '../domain/access-key.ts';
import type { Tier } from '../domain/actor.ts';
import type { Outcome } from '../domain/errors.ts';
import type { ExchangeAccount } from '../domain/exchange.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { FillRecord, OrderEvent, OrderView } from '../domain/order.ts';
import type { LeverageBracket, Setting } from '../domain/position.ts';
import type { Candle, LogLine } from '../domain/rows.ts';
import type { TicketFigures } from '../engine/ticket.ts';
import type { Dust } from '../schemas/futures.ts';
import type { CreateOrder, MarginType, PositionSide } from '../schemas/order.ts';
import type { Portfolio } from '../schemas/portfolio.ts';

export const PROTOCOL_VERSION = 1;

export interface DeskInfo {
  readonly version: string;
  readonly user: string;
  readonly paper: boolean;
  /** REST root, e.g. `http://127.0.0.1:7420/api`. */
  readonly apiUrl: string;
  readonly wsUrl: string;
  readonly dataDir: string;
  readonly startedAt: number;
}

export interface ClockView {
  readonly wall: number;
  readonly market: number;
  readonly feed: string;
  /** Market and wall time are meant to agree. */
  readonly live: boolean;
  readonly speed: number | 'max';
  readonly held: boolean;
  /** A replay has come to its end. */
  readonly ended: boolean;
}

export interface AccountView extends ExchangeAccount {
  readonly link: 'up' | 'down';
  /** Of the last answered call, ms; null before the first. */
  readonly latencyMs: number | null;
}

export interface PriceView {
  readonly symbol: string;
  readonly last: string;
  /** Market time of the last price. */
  readonly time: number;
  /** Last price 24 h of market time ago, if known. */
  readonly open24h: string | null;
  /** Up to 60 recent one-minute closes, oldest first; for sparklines. */
  readonly spark: readonly number[];
}

/** A position on a console: the exchange's figures, PnL at the mark price of now, and what protects it. */
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
  /** Of the margin put in, percent, signed. */
  readonly returnPercent: string;
  readonly marginType: MarginType;
  readonly leverage: number;
  /** Notional / leverage at the mark price. */
  readonly margin: string;
  readonly liquidationPrice: string | null;
  /** From mark to liquidation price, percent. */
  readonly liquidationDistance: string | null;
  /** Base size that resting stops would close, and since when (wall ms). */
  readonly protectedQty: string;
  readonly protectedSince: number | null;
}

/** A futures account: its positions and how it trades. */
export interface FuturesView {
  readonly positions: readonly PositionView[];
  readonly hedgeMode: boolean;
  /** By symbol. */
  readonly leverage: Readonly<Record<string, { readonly leverage: number; readonly marginType: MarginType }>>;
}

export interface EquityView {
  readonly usd: string;
  readonly btc: string | null;
  readonly partial: boolean;
  /** Up to 60 samples, one a market minute, oldest first. */
  readonly spark: readonly number[];
  /** Equity at 00:00 UTC of the market day (or at the start of the desk), for PnL today. */
  readonly dayStartUsd: string | null;
}

/** What every terminal mirrors. */
export interface DeskState {
  readonly desk: DeskInfo;
  readonly clock: ClockView;
  readonly accounts: readonly AccountView[];
  readonly instruments: readonly Instrument[];
  readonly prices: Readonly<Record<string, PriceView>>;
  /** Open and recent orders by id. */
  readonly orders: Readonly<Record<string, OrderView>>;
  /** By exchange account. */
  readonly portfolios: Readonly<Record<string, Portfolio>>;
  /** By futures account. */
  readonly futures: Readonly<Record<string, FuturesView>>;
  readonly equity: EquityView;
  readonly keys: readonly AccessKey[];
  /** Newest last, at most LOG_LINES. */
  readonly log: readonly LogLine[];
}

export const LOG_LINES = 200;

/** Changed parts since the last message; records merge by key, `null` removes. `log` appends; other fields replace. */
export interface DeskDelta {
  readonly clock?: ClockView;
  readonly accounts?: readonly AccountView[];
  readonly prices?: Readonly<Record<string, PriceView>>;
  readonly orders?: Readonly<Record<string, OrderView | null>>;
  readonly portfolios?: Readonly<Record<string, Portfolio>>;
  readonly futures?: Readonly<Record<string, FuturesView>>;
  readonly equity?: EquityView;
  readonly keys?: readonly AccessKey[];
  readonly log?: readonly LogLine[];
}

export interface OrderDetail {
  readonly order: OrderView;
  readonly events: readonly OrderEvent[];
  readonly fills: readonly FillRecord[];
}

/** What the ticket shows while it is filled in. */
export type TicketCheck = TicketFigures;

export interface SplitPreview {
  readonly problems: readonly string[];
  readonly remaining: string;
  readonly parts: readonly { readonly price: string; readonly quantity: string; readonly notional: string }[];
}

export interface KeySettings {
  readonly label: string;
  readonly tier: Tier;
}

export interface GeneratedKey {
  readonly key: AccessKey;
  /** Where the private key was written (0600); it exists nowhere else. */
  readonly path: string;
  /** A worked example of signing GET /v2/ping: the exact bytes and their signature. */
  readonly example: { readonly message: string; readonly signature: string; readonly command: string };
}

export type PaperFaultRequest =
  | {
      readonly fault:
        | 'reject'
        | 'loseRequest'
        | 'lateArrival'
        | 'loseAnswer'
        | 'serverErrorAfterAccept'
        | 'delay'
        | 'dropEvent'
        | 'duplicateEvent'
        | 'reorderEvent'
        | 'queryFails';
      /** Default paper-spot. */
      readonly exchange?: string;
      readonly on?: 'submit' | 'cancel' | 'order' | 'fill' | 'balances';
      readonly times?: number;
      readonly ms?: number;
    }
  | { readonly fault: 'down'; readonly exchange?: string; readonly ms: number };

/** Every call of a terminal: name -> [parameters, result]. Refusals are outcomes, not errors. */
export interface DeskMethods {
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
  'market.candles': [{ symbol: string; frameMs: number; from: number; to: number }, Candle[]];
  'futures.set': [{ exchange: string; setting: Setting }, Outcome<unknown>];
  'futures.brackets': [{ exchange: string; symbol: string }, readonly LeverageBracket[]];
  'futures.marginMode': [{ exchange: string }, { mode: number | null }];
  'portfolio.dust': [{ exchange: string }, Outcome<Dust>];
  'keys.generate': [KeySettings, Outcome<GeneratedKey>];
  /** `publicKey`: 43 characters or a public-key PEM. */
  'keys.register': [KeySettings & { publicKey: string }, Outcome<AccessKey>];
  'keys.revoke': [{ id: string }, Outcome<{ key: AccessKey; closedSockets: number }>];
  'feed.control': [{ action: 'play' | 'pause' | 'step' }, ClockView];
  /** Fault switches of the paper exchange (engine.md): hits the next `times` requests or events, or takes it down. */
  'paper.fault': [PaperFaultRequest, Outcome<null>];
  'desk.stop': [Record<string, never>, null];
}

export type Method = keyof DeskMethods;
export type Params<M extends Method> = DeskMethods[M][0];
export type Result<M extends Method> = DeskMethods[M][1];

export type ToDesk =
  | { readonly t: 'hello'; readonly protocol: number }
  | { readonly t: 'call'; readonly id: number; readonly method: Method; readonly params: unknown }
  /** The terminal has taken state message `seq` in; only then is the next one sent. */
  | { readonly t: 'ack'; readonly seq: number };

export type FromDesk =
  | { readonly t: 'snapshot'; readonly seq: number; readonly state: DeskState }
  | { readonly t: 'delta'; readonly seq: number; readonly delta: DeskDelta }
  | { readonly t: 'result'; readonly id: number; readonly value: unknown }
  | { readonly t: 'error'; readonly id: number; readonly message: string }
  /** The desk is about to end; the transport closes after it. */
  | { readonly t: 'bye'; readonly reason: string };

/** A terminal's end of the line. */
export interface DeskClient {
  /** Resolves with the method's result; rejects when the line is lost or the desk failed internally. */
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** First call of `listener` is with a snapshot. The next message is sent only after `ack` of this one was called. */
  onState(listener: (message: { snapshot: DeskState } | { delta: DeskDelta }, ack: () => void) => void): void;
  onClosed(listener: (reason: string) => void): void;
  close(): void;
}

/** Applies a delta to a state; used by every mirror. */
export function applyDelta(state: DeskState, delta: DeskDelta): DeskState {
  const next = { ...state } as { -readonly [K in keyof DeskState]: DeskState[K] };
  if (delta.clock) next.clock = delta.clock;
  if (delta.accounts) next.accounts = delta.accounts;
  if (delta.prices) next.prices = { ...state.prices, ...delta.prices };
  if (delta.portfolios) next.portfolios = { ...state.portfolios, ...delta.portfolios };
  if (delta.futures) next.futures = { ...state.futures, ...delta.futures };
  if (delta.equity) next.equity = delta.equity;
  if (delta.keys) next.keys = delta.keys;
  if (delta.log) next.log = [...state.log, ...delta.log].slice(-LOG_LINES);
  if (delta.orders) {
    const orders: Record<string, OrderView> = { ...state.orders };
    for (const [id, order] of Object.entries(delta.orders)) {
      if (order) orders[id] = order;
      else delete orders[id];
    }
    next.orders = orders;
  }
  return next;
}
