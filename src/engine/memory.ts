/**
 * The engine's whole memory: orders with their fills, accounts, prices, plans, idempotency records and
 * waiting requests. Loaded from the store at start; changed only inside `Engine.step`. No decisions here.
 */
import type { Countdown } from '../domain/dead-man.ts';
import { type Dec, dec, ZERO } from '../domain/decimal.ts';
import { type DeskIdentity, NO_DESK } from '../domain/desk-id.ts';
import {
  type ExchangeAccount,
  type ExchangeCaps,
  type FeeRates,
  holderOf,
  marketOf,
  type OrderNames,
  walletOf,
} from '../domain/exchange.ts';
import type { Instrument, InstrumentNumbers } from '../domain/instrument.ts';
import { type Tiers, tiersOfBrackets } from '../domain/margin/tiers.ts';
import {
  type FillRecord,
  isContradicted,
  type OrderAtExchange,
  type OrderRecord,
  type SplitPlan,
  TERMINAL,
} from '../domain/order.ts';
import type { ExchangePosition, LeverageBracket, Setting } from '../domain/position.ts';
import type { IdempotencyRecord } from '../domain/rows.ts';
import type { Absence } from './absence.ts';
import type { ChangeWatch } from './amend-state.ts';
import { bookEnded, bookLoaded } from './booking.ts';
import type { DayBase } from './day-base.ts';
import { EndDates } from './end-dates.ts';
import type { GuardMemory } from './guard-figures.ts';
import { IdempotencyTable } from './idempotency-table.ts';
import { type KeyMemory, newKey } from './key-refused.ts';
import type { LedgerMemory } from './ledger.ts';
import { Leverages } from './leverage.ts';
import { MarketMemory } from './market-memory.ts';
import { OrderFills } from './order-fills.ts';
import type { OtherDeskMemory } from './other-desk.ts';
import type { OwedFills } from './owed-fills.ts';
import type { ParkedFill } from './parked-fills.ts';
import type { PendingEnd } from './pending-end.ts';
import type { PermissionsMemory } from './permissions.ts';
import { joinWallet, newWallet, type WalletMemory } from './wallet.ts';
import { isMadeId, WireIds } from './wire-ids.ts';

/** State that only futures accounts have, as the exchange reports it. */
export interface FuturesMemory {
  hedge: boolean;
  /** Positions that are not flat; key: symbol + space + side. */
  readonly positions: Map<string, ExchangePosition>;
  /** Leverage and margin type per symbol and side. */
  readonly leverage: Leverages;
  /** Last mark price per symbol, from the account's market. */
  readonly marks: ReadonlyMap<string, Dec>;
  /** Leverage brackets per symbol, where the exchange has reported them. */
  readonly tiers: Map<string, Tiers>;
  /** Assets that positions are margined in. */
  readonly marginAssets: Set<string>;
  /** Orders that have not ended, by symbol. */
  readonly open: Map<string, Set<OrderRecord>>;
}

/** The parts of an account, each read as a whole; `settings`: leverage, margin types and hedge mode. */
export type AccountPart = 'balances' | 'positions' | 'settings';

/** One exchange account as the engine sees it. */
export interface AccountMemory {
  readonly account: ExchangeAccount;
  /** The market that it trades on; other accounts may share it. */
  readonly market: MarketMemory;
  readonly caps: ExchangeCaps;
  readonly instruments: Map<string, Instrument>;
  readonly numbers: Map<string, InstrumentNumbers>;
  /** Why it cannot be reached: never connected since the start, or not configured any more; null: it can. */
  away: string | null;
  /** Not configured, or not any more: kept for its orders only. */
  absent: boolean;
  /** The exchange's time of its first connection: external executions before it are ignored. Unix ms. */
  since: number;
  /** Changes since the last check: assets whose balance changed, symbols whose position changed. */
  readonly moved: { readonly assets: Set<string>; readonly symbols: Set<string> };
  /** Parts that were never read: there, a missing value does not mean zero (S59). */
  readonly unread: Set<AccountPart>;
  /** Its wallet, which it may share with other accounts. */
  readonly wallet: WalletMemory;
  /** Its fees for executions, as its exchange reports them; null: the fees set on this desk apply. */
  fees: FeeRates | null;
  /** The connection to the exchange. `gap`: events may be missing, with no full comparison since. */
  readonly link: { up: boolean; gap: boolean };
  /** The guards; null: none is set. */
  guards: GuardMemory | null;
  /** The rights of its key; null: it has no key, or the exchange does not report them. */
  readonly permissions: PermissionsMemory | null;
  /** Signs of another desk on the account; null: nobody else can trade on it. */
  readonly others: OtherDeskMemory | null;
  readonly key: KeyMemory;
  /** Countdowns that run at its exchange, by symbol: at the end of one, orders may have been ended. */
  readonly countdowns: Map<string, Countdown>;
  /** Null on spot. */
  readonly futures: FuturesMemory | null;
}

/** A request that waits for an order, a plan or a setting. `token` null: after a restart, no client waits. */
export interface Waiter {
  readonly kind: 'place' | 'cancel' | 'amend' | 'split' | 'setting' | 'bot';
  readonly token: number | null;
  readonly requestId: string;
  readonly user: string;
  readonly record: IdempotencyRecord | null;
}

/** The times that decide about an unresolved order: monotonic, shown as wall times in the order's row. */
export interface Deadlines {
  /** Time of the next query. */
  askAt: number;
  /** Time from which on a "not found" response is reliable. */
  readonly settlesAt: number;
}

/** The times that decide about an order that has ended here only; monotonic. */
export interface ContradictionWatch {
  /** Responses to queries from this time on are newer than all that is known. */
  readonly since: number;
  /** From this time on a cancel without a response has arrived or never will; "not found" is reliable. */
  readonly settlesAt: number;
  /** Time of the next query. */
  askAt: number;
}

export interface PendingSetting {
  readonly exchange: string;
  readonly setting: Setting;
  readonly waiter: Waiter | null;
  /** Who requested it, for the log; missing when nobody did. */
  readonly by?: string;
  /** The order that is sent once the setting is made (S32: margin type). */
  readonly orderId?: string;
}

export class EngineMemory {
  /** Identity of the desk, which is part of the order ids. */
  desk: Pick<DeskIdentity, 'id' | 'earlier'> = NO_DESK;
  readonly accounts = new Map<string, AccountMemory>();
  readonly orders = new Map<string, OrderRecord>();
  readonly wireIds = new WireIds();
  readonly fills = new Map<string, OrderFills>();
  /** The markets by name. */
  readonly markets = new Map<string, MarketMemory>();
  readonly splits = new Map<string, SplitPlan>();
  /** Settings on their way to an exchange, and the request that waits for each. */
  readonly settings = new Map<string, PendingSetting>();
  readonly idempotency = new IdempotencyTable();
  /** Key: order id (for a split: the id of the order that is split). */
  readonly waiters = new Map<string, Waiter[]>();
  /** Open orders with an end date. */
  readonly dated = new EndDates();
  /** Orders with a query to send or a timeout to watch. */
  readonly attention = new Set<string>();
  /** Open orders per exchange and symbol, for the MAX_NUM_ORDERS filter. */
  readonly openCount = new Map<string, number>();
  /** Number of orders that have not ended here, per exchange and symbol; none is left out. */
  readonly live = new Map<string, Map<string, number>>();
  /** Deadlines of unresolved orders. */
  readonly deadlines = new Map<string, Deadlines>();
  /** Monotonic time of the next query about a cancel whose outcome got lost, per order. */
  readonly cancelAskAt = new Map<string, number>();
  /** Changes at an exchange whose outcome got lost, per order. */
  readonly changeWatch = new Map<string, ChangeWatch>();
  /** Monotonic time at which an order ended here; orders that ended before the start have none. */
  readonly endedAt = new Map<string, number>();
  /** Monotonic time of the start. */
  startedAt = 0;
  /** Announced ends of trading that were already reported. */
  readonly delistings = new Set<string>();
  /** Today, in days since 1970 in the desk's time zone, as reported since the start; null: not yet. */
  day: number | null = null;
  /** Orders that have ended here but not at their exchange. */
  readonly contradictions = new Map<string, ContradictionWatch>();
  /** Order states with fills that have not all arrived yet. */
  readonly owedFills = new Map<string, OwedFills>();
  /** Reported ends of orders that are split, which are not applied yet. */
  readonly settling = new Map<string, PendingEnd>();
  /** Live orders that are unknown to their exchange in its last responses. */
  readonly absences = new Map<string, Absence>();
  /** Monotonic time at which requests without an idempotency key have waited enough for a split, per plan. */
  readonly splitReleaseAt = new Map<string, number>();
  /** Monotonic time at which a trailing peak was last stored, per order. */
  readonly peakStoredAt = new Map<string, number>();
  /** Monotonic time before which a replacement order is not sent, per order (S53). */
  readonly retryAt = new Map<string, number>();
  /** Executions that may belong to one of the desk's orders, oldest first. */
  parked: ParkedFill[] = [];
  /** Held orders whose condition was met while their exchange could not be reached. */
  readonly deferred = new Set<string>();
  /** Held orders whose trailing peak has moved since their row was last written. */
  readonly movedPeaks = new Set<string>();

  account(exchange: string): AccountMemory {
    const account = this.accounts.get(exchange);
    if (!account) throw new Error(`unknown exchange account ${exchange}`);
    return account;
  }

  /** Returns the market; creates it at first use. */
  market(name: string): MarketMemory {
    let market = this.markets.get(name);
    if (!market) {
      market = new MarketMemory();
      this.markets.set(name, market);
    }
    return market;
  }

  /** Returns the wallet; creates it with the first account that trades with it. */
  private wallet(account: ExchangeAccount): WalletMemory {
    const name = walletOf(account);
    for (const { wallet } of this.accounts.values()) if (wallet.name === name) return wallet;
    return newWallet(name);
  }

  /** Returns the ids of the held orders of all markets. */
  heldIds(): readonly string[] {
    return [...this.markets.values()].flatMap((market) => market.heldIds());
  }

  /** Returns the user who owns the account. */
  holder(exchange: string): string {
    return holderOf(this.account(exchange).account);
  }

  /** Returns a user's own accounts (S27). */
  accountsOf(user: string): AccountMemory[] {
    return [...this.accounts.values()].filter(({ account, absent }) => !absent && holderOf(account) === user);
  }

  /** Adds an account. `brackets`: the leverage brackets of a contract; empty where they are not known. */
  addAccount(
    account: ExchangeAccount,
    caps: ExchangeCaps,
    instruments: readonly Instrument[],
    {
      away = null,
      absent = false,
      fees = caps.highestFees ?? null,
      brackets = () => [],
      ledger = null,
      dayBase = null,
      permissions = null,
      guards = null,
      others = null,
      countdowns = new Map(),
    }: {
      readonly away?: string | null;
      readonly absent?: boolean;
      readonly fees?: FeeRates | null;
      readonly brackets?: (symbol: string) => readonly LeverageBracket[];
      readonly ledger?: LedgerMemory | null;
      readonly dayBase?: DayBase | null;
      readonly permissions?: PermissionsMemory | null;
      readonly guards?: GuardMemory | null;
      readonly others?: OtherDeskMemory | null;
      readonly countdowns?: ReadonlyMap<string, Countdown>;
    } = {},
  ): void {
    const futures = account.kind === 'futures';
    const market = this.market(marketOf(account));
    const wallet = this.wallet(account);
    wallet.ledger ??= ledger;
    wallet.dayBase ??= dayBase;
    const made: AccountMemory = {
      account,
      market,
      caps,
      instruments: new Map(),
      numbers: new Map(),
      away,
      absent,
      since: 0,
      moved: { assets: new Set(), symbols: new Set() },
      unread: new Set(futures ? ['balances', 'positions', 'settings'] : ['balances']),
      wallet,
      fees,
      link: { up: true, gap: false },
      guards,
      permissions,
      others,
      key: newKey(),
      countdowns: new Map(countdowns),
      futures: futures ? emptyFutures(market) : null,
    };
    this.accounts.set(account.id, made);
    joinWallet(made);
    this.setInstruments(account.id, instruments, brackets);
  }

  /** Sets all known instruments: those traded now come first. */
  setInstruments(
    exchange: string,
    list: readonly Instrument[],
    brackets: (symbol: string) => readonly LeverageBracket[],
  ): void {
    const { instruments, numbers, futures, market } = this.account(exchange);
    const lastTiers = new Map(futures?.tiers);
    instruments.clear();
    numbers.clear();
    futures?.tiers.clear();
    futures?.marginAssets.clear();
    for (const instrument of list) {
      const { symbol, quote, delisted } = instrument;
      instruments.set(symbol, instrument);
      numbers.set(symbol, instrumentNumbers(instrument));
      if (instrument.multiplier !== undefined) market.addMultiple(instrument);
      if (!futures) continue;
      const told = tiersOfBrackets(brackets(symbol));
      const tiers = told.length === 0 && delisted ? lastTiers.get(symbol) : told;
      if (tiers && tiers.length > 0) futures.tiers.set(symbol, tiers);
      futures.marginAssets.add(quote);
    }
  }

  /** Puts an order with its fills into every index; used at load and when a new order is made. */
  addOrder(order: OrderRecord, fills: Iterable<FillRecord>): void {
    this.orders.set(order.id, order);
    this.fills.set(order.id, new OrderFills(fills));
    if (TERMINAL.has(order.status)) {
      if (isContradicted(order)) this.reopen(order);
      return;
    }
    // For an account that is not configured any more no order fires or expires by itself.
    const { absent } = this.account(order.exchange);
    if (order.phase === 'held' && !absent) this.hold(order);
    if (order.goodTillDate !== undefined && !absent) this.dated.add(order.id, order.goodTillDate);
    if (order.lock) this.addLock(order.exchange, order.lock.asset, dec(order.lock.amount));
    bookLoaded(this, order);
    this.countOpen(order, 1);
    this.countLive(order, 1);
  }

  /** Removes a terminal order from every index of open orders. */
  closeOrder(order: OrderRecord): void {
    this.unhold(order);
    this.dated.delete(order.id);
    this.attention.delete(order.id);
    this.owedFills.delete(order.id);
    this.absences.delete(order.id);
    this.settling.delete(order.id);
    this.deadlines.delete(order.id);
    this.cancelAskAt.delete(order.id);
    this.changeWatch.delete(order.id);
    this.peakStoredAt.delete(order.id);
    this.retryAt.delete(order.id);
    this.deferred.delete(order.id);
    this.movedPeaks.delete(order.id);
    this.releaseLock(order);
    // The time of its end is unknown here.
    bookEnded(this, order, {});
    this.countOpen(order, -1);
    this.countLive(order, -1);
  }

  /** Counts an order that has ended here as one of those that are open at its exchange; its status stays. */
  reopen(order: OrderRecord): void {
    this.countOpen(order, 1);
  }

  /** Removes such an order from the open ones. */
  closeReopened(order: OrderRecord): void {
    this.contradictions.delete(order.id);
    this.attention.delete(order.id);
    this.countOpen(order, -1);
  }

  /** Returns, for a chain of orders that replaced each other, the open or else the last one (S53). */
  lastOfChain(order: OrderRecord): OrderRecord {
    let last = order;
    while (last.replacedBy !== undefined) {
      const next = this.orders.get(last.replacedBy);
      if (!next) break;
      last = next;
    }
    return last;
  }

  /**
   * Returns the order with this id at an exchange; the same id at another exchange, or for another symbol,
   * does not match (S56). Ids given by the exchange come first: others may give one client id to many orders.
   */
  orderAt(exchange: string, { clientId, symbol, venueIds = [] }: OrderNames): OrderRecord | undefined {
    for (const venueId of venueIds) {
      const id = this.wireIds.orderId(exchange, venueId, symbol);
      if (id !== undefined) return this.orders.get(id);
    }
    if (clientId === '') return undefined;
    for (const id of [this.wireIds.orderId(exchange, clientId), clientId]) {
      const order = id === undefined ? undefined : this.orders.get(id);
      if (order?.exchange !== exchange || order.symbol !== symbol) continue;
      if (this.wireIds.of(order.id) !== clientId) continue;
      // The external order found is a different one with the same client id.
      const isOther = venueIds.length > 0 && order.external && this.wireIds.venueIds(order.id).length > 0;
      if (!isOther) return order;
    }
    return undefined;
  }

  /** Returns the order in the form for queries to its exchange. */
  atExchange({ exchange, id, symbol, external }: OrderRecord): OrderAtExchange {
    const given = this.wireIds.of(id);
    const venueIds = this.wireIds.venueIds(id);
    const clientId = external && given === id && isMadeId(id) ? '' : given;
    return { exchange, orderId: id, clientId, symbol, ...(venueIds.length > 0 ? { venueIds } : {}) };
  }

  forget(id: string): void {
    this.orders.delete(id);
    this.wireIds.forget(id);
    this.fills.delete(id);
    this.endedAt.delete(id);
  }

  hold(order: OrderRecord): void {
    this.account(order.exchange).market.hold(order);
  }

  unhold(order: OrderRecord): void {
    this.account(order.exchange).market.unhold(order);
  }

  setLock(order: OrderRecord, asset: string, amount: string): void {
    order.lock = { asset, amount };
    this.addLock(order.exchange, asset, dec(amount));
  }

  releaseLock(order: OrderRecord): void {
    if (!order.lock) return;
    this.addLock(order.exchange, order.lock.asset, -dec(order.lock.amount));
    order.lock = undefined;
  }

  openOn(exchange: string, symbol: string): number {
    return this.openCount.get(`${exchange} ${symbol}`) ?? 0;
  }

  private countOpen(order: OrderRecord, change: 1 | -1): void {
    const key = `${order.exchange} ${order.symbol}`;
    this.openCount.set(key, (this.openCount.get(key) ?? 0) + change);
    const open = this.accounts.get(order.exchange)?.futures?.open;
    if (!open) return;
    const orders = open.get(order.symbol) ?? new Set();
    if (change > 0) orders.add(order);
    else orders.delete(order);
    if (orders.size > 0) open.set(order.symbol, orders);
    else open.delete(order.symbol);
  }

  private countLive({ exchange, symbol }: OrderRecord, change: 1 | -1): void {
    const symbols = this.live.get(exchange) ?? new Map<string, number>();
    const count = (symbols.get(symbol) ?? 0) + change;
    if (count > 0) symbols.set(symbol, count);
    else symbols.delete(symbol);
    this.live.set(exchange, symbols);
  }

  private addLock(exchange: string, asset: string, amount: Dec): void {
    const { locks } = this.account(exchange).wallet;
    const sum = (locks.get(asset) ?? ZERO) + amount;
    if (sum < ZERO) throw new Error(`lock of ${asset} on ${exchange} fell below zero`);
    locks.set(asset, sum);
  }
}

function emptyFutures({ marks }: MarketMemory): FuturesMemory {
  return {
    hedge: false,
    positions: new Map(),
    leverage: new Leverages(),
    marks,
    tiers: new Map(),
    marginAssets: new Set(),
    open: new Map(),
  };
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
