/**
 * An exchange that errs as real ones do (exchanges.md 4), built over a correct one: its own market, replicas
 * that lag, ids of its own, other people on the account. It goes on while the desk is down, and holds the
 * truth that the desk's books are compared with. `rough-spot.ts` and `rough-futures.ts` have what only one
 * kind of account has.
 */
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';
import type { ExchangeAccount, ExchangeFill, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { LedgerEntry } from '../../../src/domain/ledger.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { TradeDoc } from '../../../src/venues/paper/changes.ts';
import type { ExchangeCore } from '../../../src/venues/paper/exchange-core.ts';
import type { PaperOptions } from '../../../src/venues/paper/options.ts';
import { isConditional, type PaperOrderDoc } from '../../../src/venues/paper/paper-order.ts';
import type { SimAccount } from '../accounts.ts';
import type { Dice } from '../dice.ts';
import { ExternalExchange } from '../external-exchange.ts';
import { SimMarket } from '../market.ts';
import type { SimClock } from '../sim-clock.ts';
import type { SimFaults } from '../sim-faults.ts';
import { toldName } from './rough-account.ts';
import type { RoughPlan } from './rough-plan.ts';

/** Number of recent prices kept: an order may be sent a moment after the price that it waited for. */
const PRICES_KEPT = 8;

/** The tables whose changes are tracked. */
const LOOKED_AT: ReadonlySet<string> = new Set(['balance', 'position', 'setting']);

type Tables = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** Its books at a moment of true time. */
export interface Past {
  readonly at: number;
  readonly tables: Tables;
  /** Balances of the assets that its core does not keep. */
  readonly beside: ReadonlyMap<string, Dec>;
}

export interface RoughTick {
  readonly at: number;
  readonly symbol: string;
  readonly price: string;
  readonly volume: string;
  /** Mark price of a contract; null: spot. */
  readonly mark: string | null;
}

export interface RoughExchangeOptions<P extends RoughPlan = RoughPlan> {
  readonly plan: P;
  readonly paper: PaperOptions;
  readonly stride: number;
  readonly tickEveryMs: () => number;
  readonly clock: SimClock;
  readonly dice: Dice;
  readonly marketDice: Dice;
  readonly ledgerDice: Dice;
  readonly faults: SimFaults;
  readonly healed: () => boolean;
  readonly stored: (rows: readonly Row[]) => void;
  readonly struck: (name: string) => void;
  /** Whether a desk has been connected to it: everything earlier is its past. */
  readonly isKnown: () => boolean;
}

type Commission = Pick<ExchangeFill, 'comm' | 'commAsset'>;

export abstract class RoughExchange<P extends RoughPlan = RoughPlan> {
  readonly inner: ExternalExchange;
  /** The account. Its core keeps orders and trades in the tables `<kind>.order` and so on. */
  readonly simAccount: SimAccount;
  /** The prices that the desk has received last, by symbol. */
  readonly told = new Map<string, string[]>();
  /** The same for executions, which are reported more than once, and late. */
  readonly toldFills = new Map<string, string[]>();
  /** The same for mark prices. */
  readonly toldMarks = new Map<string, string[]>();
  /** The lowest and the highest price that the desk has ever received, by symbol. */
  readonly #heard = new Map<string, readonly [number, number]>();
  /** Balances of assets that its core does not keep. */
  readonly beside = new Map<string, Dec>();
  /** True time of the last change of a balance, a position or a setting, by its name. */
  readonly movedAt = new Map<string, number>();
  /** Orders that the exchange has reported as unknown. */
  readonly forgotten = new Set<string>();
  /** True time at which it last rejected a ledger cursor as unknown. */
  forgotPlaceAt = Number.NEGATIVE_INFINITY;
  /** Ledger rows that it never reports, by their number. */
  readonly hidden = new Set<string>();
  /** Called when a tick has been matched. */
  onTick: ((tick: RoughTick) => void) | null = null;
  /** Called when a balance has moved that its core does not keep. */
  onBeside: ((asset: string) => void) | null = null;
  protected readonly o: RoughExchangeOptions<P>;
  readonly #market: SimMarket;
  readonly #past: Past[] = [];
  /** The core's trade number -> the reported number within its symbol. */
  readonly #tradeIds = new Map<string, string>();
  readonly #ownTradeIds = new Map<string, string>();
  readonly #trades = new Map<string, number>();
  readonly #pictures = new Map<string, string>();
  readonly #triggered = new Set<number>();
  /** Cores over its books, cached while the books are unchanged: requests come several at a time. */
  readonly #cores = new WeakMap<Tables, ExchangeCore>();
  /** The row number of the newest order with a client id. */
  readonly #rowIds = new Map<string, string>();

  protected constructor(o: RoughExchangeOptions<P>, account: SimAccount, scale: number, paper: PaperOptions) {
    this.o = o;
    this.simAccount = account;
    this.#market = new SimMarket(o.marketDice, o.stride, scale);
    this.inner = new ExternalExchange({
      account,
      clock: o.clock.true(),
      random: o.dice,
      faults: o.faults,
      paper: { ...o.paper, ...paper },
      marketTime: () => o.clock.now,
      fails: () => false,
      stored: (rows) => this.#stored(rows),
    });
  }

  /** Builds a core over past books. */
  abstract core(tables: Tables): ExchangeCore;

  /** Deposits less withdrawals by others, by asset. */
  abstract transfers(): ReadonlyMap<string, Dec>;

  /** Lets a stranger trade or cancel. */
  protected abstract strangerActs(): void;

  protected abstract transfer(): void;

  /** Called with rows that are about to be stored in its books. */
  protected abstract note(rows: readonly Row[]): void;

  /** The tracked content of a row, by its table; null: it may move by itself. */
  protected abstract pictureOf(table: string, doc: unknown): string | null;

  get plan(): P {
    return this.o.plan;
  }

  get account(): ExchangeAccount {
    return this.simAccount.account;
  }

  get instruments(): readonly Instrument[] {
    return this.simAccount.instruments;
  }

  async open(): Promise<void> {
    await this.inner.open();
    this.#armTick(0);
    const { strangersEveryMs, transfersEveryMs } = this.plan;
    this.every(strangersEveryMs, () => this.strangerActs());
    this.every(transfersEveryMs, () => this.transfer());
  }

  last(symbol: string): number | null {
    const price = this.inner.venue.lastPrice(symbol);
    return price === null ? null : Number(price);
  }

  /** A wallet, the signed size of a position, or a contract's margin type, as it is now. */
  figure(part: string, key: string): string {
    const beside = this.beside.get(key);
    if (part === 'balance' && beside !== undefined) return str(beside);
    const doc = this.#table(part)?.get(key) as Readonly<Record<string, string>> | undefined;
    if (!doc) return '0';
    if (part === 'position') return doc.amount as string;
    if (part === 'setting') return `${doc.leverage}x ${doc.marginType}`;
    return doc.wallet ?? walletOf(doc as { free: string; locked: string });
  }

  /** The lowest and the highest price so far. */
  pricesOf(symbol: string): readonly number[] | undefined {
    return this.#heard.get(symbol);
  }

  /** The books as they were that many ms ago. */
  past(behindMs: number): Past {
    const at = this.o.clock.now - behindMs;
    return (this.#past.findLast((one) => one.at <= at) ?? this.#past[0]) as Past;
  }

  /** A core that answers from past books; it must not be changed. */
  coreOf({ tables }: Past): ExchangeCore {
    const known = this.#cores.get(tables);
    if (known) return known;
    const made = this.core(tables);
    this.#cores.set(tables, made);
    return made;
  }

  docs<T>(table: 'order' | 'trade' | 'balance' | 'position'): T[] {
    return [...(this.#table(table)?.values() ?? [])] as T[];
  }

  doc(clientId: string): PaperOrderDoc | undefined {
    const id = this.#rowIds.get(clientId);
    if (id === undefined) return undefined;
    const newest = this.#table('order')?.get(id) as PaperOrderDoc | undefined;
    if (newest) return newest;
    return this.docs<PaperOrderDoc>('order').findLast((one) => one.clientId === clientId);
  }

  /** Finds the order by one of the exchange's own ids. */
  named(venueId: string): PaperOrderDoc | undefined {
    return this.#table('order')?.get(venueId.slice(1)) as PaperOrderDoc | undefined;
  }

  /** The exchange's own ids of an order; a trigger adds that of the order it makes. */
  venueIds({ id, type }: Pick<PaperOrderDoc, 'id' | 'type'>): string[] {
    if (!this.plan.triggersMakeOrders || !isConditional(type)) return [`n${id}`];
    return this.#triggered.has(id) ? [`a${id}`, `c${id}`] : [`a${id}`];
  }

  /**
   * Whether nobody can tell any more which order this one's trigger has made: its executions then belong to
   * an unknown order.
   */
  hasLostChild({ id, clientId }: PaperOrderDoc): boolean {
    return this.plan.triggersMakeOrders && this.#triggered.has(id) && this.forgotten.has(clientId);
  }

  /** The number under which a trade is reported. */
  ownTradeId({ symbol, tradeId }: { readonly symbol: string; readonly tradeId: string }): string | undefined {
    return this.#ownTradeIds.get(`${symbol} ${tradeId}`);
  }

  tradeId(own: string): string {
    return this.#tradeIds.get(own) ?? own;
  }

  /** The commission of a trade. */
  commission({ comm, commAsset }: TradeDoc | ExchangeFill): Commission {
    return { comm, commAsset };
  }

  state(state: ExchangeOrderState): ExchangeOrderState {
    const doc = this.doc(state.clientId);
    const { driftMs } = this.plan;
    const told = {
      ...state,
      clientId: toldName(state.clientId),
      time: state.time + driftMs,
      ...(state.armedAt === undefined ? {} : { armedAt: state.armedAt + driftMs }),
    };
    if (!doc) return told;
    const { positionSide = 'BOTH', reduceOnly = false, closePosition = false } = doc.terms ?? {};
    return {
      ...told,
      venueIds: this.venueIds(doc),
      ...(this.o.dice.chance(this.plan.emptyFigures) ? { text: '' } : {}),
      terms: {
        side: doc.side,
        type: doc.type,
        ...(doc.price === null ? {} : { price: doc.price }),
        ...(doc.stopPrice === null ? {} : { stopPrice: doc.stopPrice }),
        ...(doc.iceberg === null ? {} : { icebergQty: doc.iceberg }),
        timeInForce: doc.timeInForce,
        // In hedge mode the position side implies it.
        reduceOnly: reduceOnly && positionSide === 'BOTH',
        closePosition,
        positionSide,
        workingType: doc.terms?.workingType ?? 'CONTRACT_PRICE',
      },
    };
  }

  /** The execution as reported. `asked`: by an answer, which does not say why the order was made. */
  fill(fill: ExchangeFill, asked: boolean): ExchangeFill {
    this.#hear(this.toldFills, fill.symbol, fill.price);
    const trade = this.#table('trade')?.get(fill.tradeId) as TradeDoc | undefined;
    const doc = trade && (this.#table('order')?.get(String(trade.orderId)) as PaperOrderDoc);
    const { liquidation, ...rest } = { ...fill, ...this.commission(fill) };
    const told = {
      ...rest,
      clientId: toldName(fill.clientId),
      tradeId: this.tradeId(fill.tradeId),
      time: fill.time + this.plan.driftMs,
      ...(liquidation && !asked ? { liquidation } : {}),
    };
    if (!doc) return told;
    const venueId = this.venueIds(doc).at(-1) as string;
    const nameless = venueId.startsWith('c');
    if (nameless) this.o.struck('execution names its child only');
    return { ...told, venueId, ...(nameless ? { clientId: '' } : {}) };
  }

  /** Sends a price to the desk. */
  tell({ symbol, price, mark }: Pick<RoughTick, 'symbol' | 'price' | 'mark'>): void {
    this.#hear(this.told, symbol, price);
    if (mark !== null) tell(this.toldMarks, symbol, mark);
  }

  /** Repeats `act` at random intervals around `ms` until the faults have healed; 0: never. */
  protected every(ms: number, act: () => void): void {
    if (ms === 0) return;
    const { clock, dice, healed } = this.o;
    clock.after(ms * dice.between(0.3, 1.7), () => {
      if (healed()) return;
      if (this.o.isKnown()) act();
      this.every(ms, act);
    });
  }

  protected isPast(tradeId: string): boolean {
    return this.#tradeIds.has(tradeId);
  }

  #hear(told: Map<string, string[]>, symbol: string, price: string): void {
    tell(told, symbol, price);
    const [low = Number(price), high = Number(price)] = this.#heard.get(symbol) ?? [];
    this.#heard.set(symbol, [Math.min(low, Number(price)), Math.max(high, Number(price))]);
  }

  #table(name: string): ReadonlyMap<string, unknown> | undefined {
    return this.inner.tables.get(`${this.account.kind}.${name}`);
  }

  #stored(rows: readonly Row[]): void {
    this.#cores.delete(this.inner.tables);
    this.note(rows);
    const { now } = this.o.clock;
    for (const row of rows) {
      if (row.kind !== 'paper') continue;
      const [, table = ''] = row.table.split('.');
      if (row.doc !== null) this.#row(table, row.id, row.doc);
      if (LOOKED_AT.has(table)) this.#look(table, row.id, row.doc, now);
    }
    if (this.plan.lagMs > 0 || this.#past.length === 0) {
      const before = this.#past.at(-1)?.tables;
      const moved = new Set(rows.map((row) => (row.kind === 'paper' ? row.table : '')));
      const same = (name: string) => (moved.has(name) ? undefined : before?.get(name));
      const tables = new Map(
        [...this.inner.tables].map(([name, table]) => [name, same(name) ?? new Map(table)]),
      );
      this.#past.push({ at: now, tables, beside: new Map(this.beside) });
    } else this.#past[0] = { at: now, tables: this.inner.tables, beside: this.beside };
    while (this.#past.length > 1 && (this.#past[1] as Past).at < now - this.plan.lagMs) this.#past.shift();
    this.o.stored(rows);
  }

  #row(table: string, id: string, given: unknown): void {
    if (table === 'trade') {
      const { symbol } = given as TradeDoc;
      const n = (this.#trades.get(symbol) ?? 0) + 1;
      if (this.#tradeIds.has(id)) return;
      this.#trades.set(symbol, n);
      this.#tradeIds.set(id, String(n));
      this.#ownTradeIds.set(`${symbol} ${n}`, id);
    } else if (table === 'ledger') {
      const isPaid = (given as LedgerEntry).kind === 'transfer';
      if (!isPaid || !this.o.ledgerDice.chance(this.plan.hides)) return;
      this.o.struck('transfer that is in no ledger');
      this.hidden.add(id);
    } else if (table === 'order') {
      const doc = given as PaperOrderDoc;
      if (Number(this.#rowIds.get(doc.clientId) ?? 0) < Number(id)) this.#rowIds.set(doc.clientId, id);
      if (isConditional(doc.type) && (doc.status === 'WORKING' || doc.status === 'FILLED'))
        this.#triggered.add(doc.id);
    }
  }

  #look(table: string, id: string, doc: unknown, now: number): void {
    const name = `${table} ${id}`;
    const picture = doc === null ? '' : this.pictureOf(table, doc);
    if (picture === null || this.#pictures.get(name) === picture) return;
    this.#pictures.set(name, picture);
    this.movedAt.set(name, now);
  }

  #armTick(n: number): void {
    this.o.clock.after(this.o.tickEveryMs(), () => {
      const tick = { ...this.#market.tick(n), at: this.o.clock.now };
      void this.inner.venue.tick({ ...tick, time: tick.at });
      this.onTick?.({ ...tick, mark: this.inner.venue.futures?.markPrice(tick.symbol) ?? null });
      this.#armTick(n + 1);
    });
  }
}

function tell(prices: Map<string, string[]>, symbol: string, price: string): void {
  prices.set(symbol, [...(prices.get(symbol) ?? []).slice(-PRICES_KEPT), price]);
}

/** Adds an amount to the sum under a name. */
export function addTo(sums: Map<string, Dec>, name: string, amount: Dec): void {
  sums.set(name, (sums.get(name) ?? ZERO) + amount);
}

/** Free and locked added up. */
export function walletOf({ free, locked }: { readonly free: string; readonly locked: string }): string {
  return str(dec(free) + dec(locked));
}
