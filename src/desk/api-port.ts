/**
 * What the API sees of the desk. The console's contract is `protocol.ts`; both end in the same Desk. Types only.
 */
import type { AccessKey } from '../domain/access-key.ts';
import type { Actor } from '../domain/actor.ts';
import type { Outcome } from '../domain/errors.ts';
import type { ExchangeAccount } from '../domain/exchange.ts';
import type { Answer, OrderCommand, RequestContext } from '../engine/step.ts';
import type { Bracket, Dust, LeverageItem, Position } from '../schemas/futures.ts';
import type { MarginType, Order, Trade } from '../schemas/order.ts';
import type { Portfolio } from '../schemas/portfolio.ts';

export interface ApiDesk {
  /** Wall time, Unix ms. */
  now(): number;
  readonly startedAt: number;
  readonly version: string;
  accounts(): readonly ExchangeAccount[];
  /** Active key by its 43-character id; null when unknown or revoked. */
  activeKey(id: string): AccessKey | null;
  /** Last use, stored with the next commit. */
  touchKey(id: string, from: string): void;
  /**
   * Idempotency lookup, key state re-read (D41), engine, commit, answer: resolves after the commit. Never rejects:
   * a failed commit is an answer with 503.
   */
  command(actor: Actor, command: OrderCommand, context: RequestContext): Promise<Answer>;
  /** Reads wait for the commit of the turn they arrive in. Filters: absent = all. */
  orders(
    user: string,
    q: { exchange?: string; symbol?: string; status: 'open' | 'recent' },
  ): Promise<Order[]>;
  trades(
    user: string,
    q: { exchange: string; symbol: string; startTime?: number; endTime?: number; limit: number },
  ): Promise<Trade[]>;
  portfolio(user: string, q: { exchange: string; full: boolean; totalOnly: boolean }): Promise<Portfolio>;
  /** Open positions by opaque key (S20). Refusals: not a futures account, the exchange could not be asked. */
  positions(user: string, exchange: string): Promise<Outcome<Record<string, Position>>>;
  leverage(
    user: string,
    q: { exchange: string; symbols: readonly string[]; marginType?: MarginType },
  ): Promise<Outcome<LeverageItem[]>>;
  marginMode(user: string, exchange: string): Promise<Outcome<{ mode: number }>>;
  hedgeMode(user: string, exchange: string): Promise<Outcome<{ dualSidePosition: boolean }>>;
  brackets(user: string, q: { exchange: string; symbol: string }): Promise<Outcome<Bracket[]>>;
  dust(user: string, exchange: string): Promise<Outcome<Dust>>;
  /** Audit and log line from the API. */
  log(level: 'error' | 'warn' | 'info', text: string): void;
}
