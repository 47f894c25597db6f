/**
 * Everything the engine knows, in memory: orders with their fills, accounts, prices, plans, idempotency records and who
 * waits for what. Loaded from the store at start; changed only inside `Engine.step`. No decisions here.
 */
import { type Dec, dec, ZERO } from '../domain/decimal.ts';
import {
  type ExchangeAccount,
  type ExchangeCaps,
  type ExchangeOrderState,
  holderOf,
} from '../domain/exchange.ts';
import type { Instrument, InstrumentNumbers } from '../domain/instrument.ts';
import { type FillRecord, type OrderRecord, type SplitPlan, TERMINAL } from '../domain/order.ts';
import type { ExchangePosition, LeverageInfo, Setting } from '../domain/position.ts';
import type { IdempotencyRecord } from '../domain/rows.ts';
import type { PositionSide } from '../schemas/order.ts';

export interface AssetBalance {
  free: Dec;
  locked: Dec;
}

/** What only futures accounts have, as the exchange reports it. */
export interface FuturesMemory {
  hedge: boolean;
  /** Positions that are not flat; key: symbol + space + side. */
  readonly positions: Map<string, ExchangePosition>;
  /** Leverage and margin type per symbol. */
  readonly leverage: Map<string, LeverageInfo>;
  /** Last mark price per symbol. */
  readonly marks: Map<string, Dec>;
}

export function positionKey(symbol: string, side: PositionSide): string {
  return `${symbol} ${side}`;
}

/** One exchange account as the engine sees it. */
export interface AccountMemory {
  readonly account: ExchangeAccount;
  readonly caps: ExchangeCaps;
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly numbers: ReadonlyMap<string, InstrumentNumbers>;
  /** As the exchange reports them. */
  readonly balances: Map<string, AssetBalance>;
  /** Sum of the engine's own locks per asset: orders held here or on their way. */
  readonly locks: Map<string, Dec>;
  /** What bots keep per asset: shown as lockedByBot, and what of the free balance no other order may use (S25). */
  readonly reserved: Map<string, { readonly shown: Dec; readonly excess: Dec }>;
  /** Null on spot. */
  readonly futures: FuturesMemory | null;
}

/** A request that waits for an order, a plan or a setting. `token` null: nobody listens any more (after a restart), only the record does. */
export interface Waiter {
  readonly kind: 'place' | 'cancel' | 'split' | 'setting' | 'bot';
  readonly token: number | null;
  readonly requestId: string;
  readonly user: string;
  readonly record: IdempotencyRecord | null;
}

export interface PendingSetting {
  readonly exchange: string;
  readonly setting: Setting;
  readonly waiter: Waiter | null;
  /** Who asked, for the log; missing when nobody did. */
  readonly by?: string;
  /** The order that is sent once the setting is made (S32: margin type). */
  readonly orderId?: string;
}

export class EngineMemory {
  readonly accounts = new Map<string, AccountMemory>();
  readonly orders = new Map<string, OrderRecord>();
  readonly fills = new Map<string, FillRecord[]>();
  /** Last price per symbol. */
  readonly prices = new Map<string, Dec>();
  readonly splits = new Map<string, SplitPlan>();
  /** Settings on their way to an exchange, and who waits for each. */
  readonly settings = new Map<string, PendingSetting>();
  /** Key: user + NUL + idempotency key. */
  readonly idempotency = new Map<string, IdempotencyRecord>();
  /** Key: order id (of a split: the id of the order that is split). */
  readonly waiters = new Map<string, Waiter[]>();
  /** Orders that the engine holds, by symbol. */
  readonly held = new Map<string, Set<string>>();
  /** Open orders with an end date. */
  readonly dated = new Set<string>();
  /** Orders with a question to ask or a timeout to watch. */
  readonly attention = new Set<string>();
  /** Open orders per exchange and symbol, for the MAX_NUM_ORDERS filter. */
  readonly openCount = new Map<string, number>();
  /** Final states whose fills are not all here yet, and when to ask for them next (wall). */
  readonly owedFills = new Map<string, { state: ExchangeOrderState; nextAskAt: number; asked: number }>();
  /** Wall time at which a trailing peak was last stored, per order. */
  readonly peakStoredAt = new Map<string, number>();
  /** Held orders whose trailing peak has moved since their row was last written. */
  readonly movedPeaks = new Set<string>();

  account(exchange: string): AccountMemory {
    const account = this.accounts.get(exchange);
    if (!account) throw new Error(`unknown exchange account ${exchange}`);
    return account;
  }

  /** Whose account it is. */
  holder(exchange: string): string {
    return holderOf(this.account(exchange).account);
  }

  /** A user's own accounts (S27). */
  accountsOf(user: string): AccountMemory[] {
    return [...this.accounts.values()].filter(({ account }) => holderOf(account) === user);
  }

  addAccount(account: ExchangeAccount, caps: ExchangeCaps, instruments: readonly Instrument[]): void {
    this.accounts.set(account.id, {
      account,
      caps,
      instruments: new Map(instruments.map((i) => [i.symbol, i])),
      numbers: new Map(instruments.map((i) => [i.symbol, instrumentNumbers(i)])),
      balances: new Map(),
      locks: new Map(),
      reserved: new Map(),
      futures:
        account.kind === 'futures'
          ? { hedge: false, positions: new Map(), leverage: new Map(), marks: new Map() }
          : null,
    });
  }

  /** Puts an order with its fills into every index; used at load and when a new order is made. */
  addOrder(order: OrderRecord, fills: FillRecord[]): void {
    this.orders.set(order.id, order);
    this.fills.set(order.id, fills);
    if (TERMINAL.has(order.status)) return;
    if (order.phase === 'held') this.hold(order);
    if (order.goodTillDate !== undefined) this.dated.add(order.id);
    if (order.lock) this.addLock(order.exchange, order.lock.asset, dec(order.lock.amount));
    this.countOpen(order, 1);
  }

  /** Takes a terminal order out of every index of open orders. */
  closeOrder(order: OrderRecord): void {
    this.unhold(order);
    this.dated.delete(order.id);
    this.attention.delete(order.id);
    this.owedFills.delete(order.id);
    this.peakStoredAt.delete(order.id);
    this.movedPeaks.delete(order.id);
    this.releaseLock(order);
    this.countOpen(order, -1);
  }

  forget(id: string): void {
    this.orders.delete(id);
    this.fills.delete(id);
  }

  hold(order: OrderRecord): void {
    let ids = this.held.get(order.symbol);
    if (!ids) {
      ids = new Set();
      this.held.set(order.symbol, ids);
    }
    ids.add(order.id);
  }

  unhold(order: OrderRecord): void {
    this.held.get(order.symbol)?.delete(order.id);
  }

  setLock(order: OrderRecord, asset: string, amount: string): void {
    order.lock = { asset, amount };
    this.addLock(order.exchange, asset, dec(amount));
  }

  releaseLock(order: OrderRecord): void {
    if (!order.lock) return;
    this.addLock(order.exchange, order.lock.asset, -dec(order.lock.amount));
    delete order.lock;
  }

  openOn(exchange: string, symbol: string): number {
    return this.openCount.get(`${exchange} ${symbol}`) ?? 0;
  }

  private countOpen(order: OrderRecord, change: number): void {
    const key = `${order.exchange} ${order.symbol}`;
    this.openCount.set(key, (this.openCount.get(key) ?? 0) + change);
  }

  private addLock(exchange: string, asset: string, amount: Dec): void {
    const locks = this.account(exchange).locks;
    const sum = (locks.get(asset) ?? ZERO) + amount;
    if (sum < ZERO) throw new Error(`lock of ${asset} on ${exchange} fell below zero`);
    locks.set(asset, sum);
  }
}

export function idempotencyId(user: string, key: string): string {
  return `${user}\0${key}`;
}

function instrumentNumbers(i: Instrument): InstrumentNumbers {
  return {
    tick: dec(i.tickSize),
    step: dec(i.stepSize),
    minPrice: dec(i.minPrice),
    maxPrice: dec(i.maxPrice),
    minQty: dec(i.minQty),
    maxQty: dec(i.maxQty),
    marketMaxQty: dec(i.marketMaxQty),
    minNotional: dec(i.minNotional),
    maxNotional: dec(i.maxNotional),
    percentDown: dec(i.percentDown),
    percentUp: dec(i.percentUp),
  };
}
