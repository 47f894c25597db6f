/**
 * The API's contract with the desk. The console's contract is `protocol.ts`; both end in the same Desk. Types
 * only.
 */
import type { ReplayMarks } from '../../access/replay-marks.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import type { Actor } from '../../domain/actor.ts';
import type { PublicBot } from '../../domain/bot.ts';
import type { ErrorCode, Outcome } from '../../domain/errors.ts';
import type { ExchangeAccount } from '../../domain/exchange.ts';
import type { Answer, OrderCommand, RequestContext } from '../../engine/step.ts';
import type { BotType } from '../../schemas/bots/bot-type.ts';
import type { Bracket, Dust, LeverageItem, Position } from '../../schemas/futures.ts';
import type { MarginType, Order, Trade } from '../../schemas/order.ts';
import type { Portfolio } from '../../schemas/portfolio.ts';

/** New values of a balance; decimal strings (specification, "Events" detail 2). */
export interface BalanceChange {
  readonly free: string;
  readonly wallet: string;
  readonly locked: string;
  readonly lockedByBot?: string;
  readonly usd?: string;
}

/**
 * An event of one user's account, in the order of the commits; fed to the WebSocket (specification, "Events";
 * S13, S14).
 */
export type ApiEvent =
  | {
      readonly channel: 'orders';
      readonly user: string;
      readonly event: 'ORDER_CREATE' | 'ORDER_UPDATE';
      /** The order at the moment of the event, not of its delivery. */
      readonly order: Order;
    }
  | {
      readonly channel: 'balance';
      readonly user: string;
      readonly event: 'BALANCE_UPDATE';
      readonly exchange: string;
      readonly marketType: ExchangeAccount['kind'];
      /** By asset. */
      readonly changes: Readonly<Record<string, BalanceChange>>;
      readonly total?: Readonly<Record<string, string | number>>;
    }
  | {
      readonly channel: 'positions';
      readonly user: string;
      readonly event: 'POSITION_UPDATE';
      readonly exchange: string;
      /** By symbol: changed fields only, `symbol` and `side` always. */
      readonly changes: Readonly<Record<string, Partial<Position>>>;
    }
  | {
      readonly channel: 'botStatus';
      readonly user: string;
      readonly event: 'BOT_STARTED' | 'BOT_STOPPED' | 'BOT_ERROR' | 'BOT_UPDATE';
      readonly exchange: string;
      readonly bot: Readonly<Record<string, unknown>>;
    };

export interface ApiEventListener {
  wants(user: string, channel: ApiEvent['channel']): boolean;
  event(event: ApiEvent): void;
}

export interface ApiDesk {
  /** Wall time, Unix ms. */
  now(): number;
  readonly startedAt: number;
  readonly version: string;
  /** Raised by the code that admits requests; each commit stores them. */
  readonly replayMarks: ReplayMarks;
  /** Returns the user's own exchange accounts (S27); all others do not exist for the user. */
  accounts(user: string): readonly ExchangeAccount[];
  /** Returns an active key by its 43-character id; null when unknown or revoked. */
  activeKey(id: string): AccessKey | null;
  /** Notes the last use of a key, stored with the next commit. */
  touchKey(id: string, from: string): void;
  /**
   * Notes that a request signed by the key was refused: address list, tier, shield, budget. Stored like its
   * use.
   */
  keyRefused(id: string, code: ErrorCode, from: string): void;
  /**
   * Returns the sentence of a 503 for signed requests while the service is under maintenance; null: it
   * serves.
   */
  maintenance(): string | null;
  /**
   * Looks up the idempotency key, reads the key's state again (D41), runs the engine, commits and answers:
   * resolves after the commit. Never rejects: a failed commit is an answer with 503.
   */
  command(actor: Actor, command: OrderCommand, context: RequestContext): Promise<Answer>;
  /** Reads wait for the commit of the turn they arrive in. Filters: absent = all. */
  orders(
    user: string,
    q: { exchange?: string; symbol?: string; status: 'open' | 'recent' },
  ): Promise<Order[]>;
  /**
   * Returns trades, ascending by time (S37). A real account is asked first (S64). Refusal: it was never read.
   */
  trades(
    user: string,
    q: { exchange: string; symbol: string; startTime?: number; endTime?: number; limit: number },
  ): Promise<Outcome<Trade[]>>;
  /** Refusal: the account could not be read yet. */
  portfolio(
    user: string,
    q: { exchange: string; full: boolean; totalOnly: boolean },
  ): Promise<Outcome<Portfolio>>;
  /**
   * Returns open positions by opaque key (S20). Refusals: not a futures account, the exchange could not be
   * asked.
   */
  positions(user: string, exchange: string): Promise<Outcome<Record<string, Position>>>;
  leverage(
    user: string,
    q: { exchange: string; symbols: readonly string[]; marginType?: MarginType },
  ): Promise<Outcome<LeverageItem[]>>;
  marginMode(user: string, exchange: string): Promise<Outcome<{ mode: number }>>;
  hedgeMode(user: string, exchange: string): Promise<Outcome<{ dualSidePosition: boolean }>>;
  brackets(user: string, q: { exchange: string; symbol: string }): Promise<Outcome<Bracket[]>>;
  dust(user: string, exchange: string): Promise<Outcome<Dust>>;
  /** Returns bots, oldest first; `type`: only of this type. */
  bots(user: string, type?: BotType): Promise<readonly PublicBot[]>;
  /** Returns a bot; null when the user has no such bot. */
  bot(user: string, id: string): Promise<PublicBot | null>;
  /** Returns the present exchange account of one of the user's bots; null when the user has no such bot. */
  botExchange(user: string, id: string): string | null;
  /**
   * Calls the listener with events of all users after the commit that made them; returns a function that ends
   * this. `wants` is asked before an event is rendered, so that nothing is built while nobody has subscribed.
   */
  onEvent(listener: ApiEventListener): () => void;
  /** Writes a line of the audit and the log for the API. */
  log(level: 'error' | 'warn' | 'info', text: string): void;
}
