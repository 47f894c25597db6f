/**
 * The whole state of the paper futures account, and how it is stored as documents ('futures.*' rows) and read
 * back. No trading rules here.
 */
import { type Dec, dec, str, ZERO } from '../../../domain/decimal.ts';
import type { Instrument } from '../../../domain/instrument.ts';
import type { MarginAccount, MarginOrder, SymbolSetting } from '../../../domain/margin/account.ts';
import type { Tiers } from '../../../domain/margin/tiers.ts';
import { byCodePoint } from '../../../domain/market-name.ts';
import type { MarginMode } from '../../../domain/position.ts';
import type { PositionSide } from '../../../schemas/order.ts';
import { Changes, type PaperStep, paperTables } from '../changes.ts';
import { invariant } from '../invariant.ts';
import type { CompiledPaperOptions } from '../options.ts';
import { OrderMemory, type PaperDocuments } from '../order-memory.ts';
import { remaining } from '../paper-order.ts';
import { FuturesBook } from './futures-book.ts';

/** The one margin asset. */
export const MARGIN_ASSET = 'USDT';

/** A position that is not flat. Size and cost are signed, also in hedge mode (a SHORT is negative). */
export interface Position {
  readonly symbol: string;
  readonly side: PositionSide;
  amount: Dec;
  cost: Dec;
  /** The margin set aside when the symbol is isolated, without unrealised PnL; 0 when crossed. */
  isolated: Dec;
  /** Totals since the position opened: realised PnL, fees paid, funding received (negative: paid). */
  realized: Dec;
  fees: Dec;
  funding: Dec;
  /** Market time up to which funding is settled. */
  fundedAt: number;
  updateTime: number;
}

/** Binance's own defaults. */
export const DEFAULT_SETTING: SymbolSetting = { leverage: 20, marginType: 'CROSSED' };

/**
 * The wallet and the amounts it consists of: start + realized - fees + funding - liquidationFees + covered.
 */
const AMOUNTS = [
  'wallet',
  'start',
  'realized',
  'fees',
  'funding',
  'liquidationFees',
  /** Losses beyond the margin that the insurance fund paid into the wallet. */
  'covered',
  /**
   * This account's effect on the insurance fund: fees received - losses covered - positions taken over above
   * the mark.
   */
  'insurance',
] as const;
const AMOUNTS_OF_POSITION = ['amount', 'cost', 'isolated', 'realized', 'fees', 'funding'] as const;

export type AccountAmounts = Record<(typeof AMOUNTS)[number], Dec>;
type PositionDoc = Pick<Position, 'symbol' | 'side' | 'fundedAt' | 'updateTime'> &
  Record<(typeof AMOUNTS_OF_POSITION)[number], string>;
type AccountDoc = Record<(typeof AMOUNTS)[number], string> & {
  readonly hedge: boolean;
  readonly marginMode: MarginMode;
};

export class FuturesState extends OrderMemory<FuturesBook> implements MarginAccount {
  /** True when nothing had been stored yet. */
  readonly fresh: boolean;
  /** By `SYMBOL SIDE`; flat ones are not here. */
  readonly positions = new Map<string, Position>();
  readonly amounts = Object.fromEntries(AMOUNTS.map((name) => [name, ZERO])) as AccountAmounts;
  /** Mark prices and funding come from outside, not from the last prices and the clock. */
  readonly marksAreTold: boolean;
  hedge = false;
  marginMode: MarginMode = 1;
  readonly #settings = new Map<string, SymbolSetting>();
  /** What the running operation touched. */
  #accountTouched = false;
  readonly #touched = new Map<string, { symbol: string; side: PositionSide }>();

  constructor(
    instruments: readonly Instrument[],
    options: CompiledPaperOptions,
    documents: PaperDocuments,
    marksAreTold = false,
  ) {
    super(paperTables('futures'), options);
    this.marksAreTold = marksAreTold;
    this.list(instruments);
    const account = documents.get(this.tables.balance)?.get(MARGIN_ASSET) as AccountDoc | undefined;
    this.fresh = account === undefined;
    if (account) this.#load(account, documents);
  }

  /** Sets the instruments that are traded from now on; the books of others stay. */
  list(instruments: readonly Instrument[]): void {
    for (const instrument of instruments) {
      if (instrument.kind !== 'futures') continue;
      const book = this.books.get(instrument.symbol);
      if (book) book.trade(instrument);
      else this.books.set(instrument.symbol, new FuturesBook(instrument, this.marksAreTold));
    }
  }

  changes(): Changes {
    return new Changes(this.tables);
  }

  setting(symbol: string): SymbolSetting {
    return this.#settings.get(symbol) ?? DEFAULT_SETTING;
  }

  setSetting(symbol: string, setting: SymbolSetting, changes: Changes): void {
    this.#settings.set(symbol, setting);
    changes.put(this.tables.setting, symbol, setting);
    this.touchAccount();
  }

  clearSettings(changes: Changes): void {
    for (const symbol of this.#settings.keys()) changes.put(this.tables.setting, symbol, null);
    this.#settings.clear();
  }

  isolated(symbol: string): boolean {
    return this.setting(symbol).marginType === 'ISOLATED';
  }

  get wallet(): Dec {
    return this.amounts.wallet;
  }

  tiers(symbol: string): Tiers {
    return this.bookFor(symbol).tiers;
  }

  mark(symbol: string): Dec | null {
    return this.books.get(symbol)?.mark() ?? null;
  }

  openPositions(): Iterable<Position> {
    return this.positions.values();
  }

  *busySymbols(): Iterable<string> {
    for (const [symbol, book] of this.books) if (book.resting.size > 0) yield symbol;
  }

  *restingOf(symbol: string): Iterable<MarginOrder> {
    for (const order of this.bookFor(symbol).resting) {
      if (order.terms?.reduceOnly) continue;
      yield { side: order.side, qty: remaining(order), price: order.price as Dec };
    }
  }

  bookFor(symbol: string): FuturesBook {
    const book = this.books.get(symbol);
    invariant(book !== undefined, `no book of ${symbol}`);
    return book;
  }

  position(symbol: string, side: PositionSide): Position | null {
    return this.positions.get(`${symbol} ${side}`) ?? null;
  }

  /** The positions in an order that does not depend on the past. */
  sorted(): Position[] {
    return [...this.positions].sort(([a], [b]) => byCodePoint(a, b)).map(([, position]) => position);
  }

  /** The positions of one symbol: at most one, in hedge mode two. */
  positionsOf(symbol: string): Position[] {
    return (['BOTH', 'LONG', 'SHORT'] as const).flatMap((side) => this.position(symbol, side) ?? []);
  }

  /** Returns the position, or a new flat one; `touch` must follow. */
  positionFor(symbol: string, side: PositionSide): Position {
    const known = this.position(symbol, side);
    if (known) return known;
    const made: Position = {
      symbol,
      side,
      amount: ZERO,
      cost: ZERO,
      isolated: ZERO,
      realized: ZERO,
      fees: ZERO,
      funding: ZERO,
      fundedAt: this.time,
      updateTime: this.time,
    };
    this.positions.set(`${symbol} ${side}`, made);
    return made;
  }

  /** Marks a position as changed: it is stored and sent when the operation closes, and dropped when flat. */
  touch(position: Position): void {
    const key = `${position.symbol} ${position.side}`;
    position.updateTime = this.time;
    if (position.amount === ZERO) this.positions.delete(key);
    this.#touched.set(key, position);
    this.#accountTouched = true;
  }

  /** Marks the balance as changed: margins, wallet, settings of the account. */
  touchAccount(): void {
    this.#accountTouched = true;
  }

  /** Closes an operation. `view` returns the positions and the balance to send, as they are now. */
  close<T>(
    changes: Changes,
    outcome: T,
    view: { position: Parameters<typeof positionEvents>[1]; balance: () => BalanceOf },
  ): PaperStep<T> {
    this.entries.close(changes, this.tables.ledger, this.time);
    const touched = [...this.#touched].sort(([a], [b]) => byCodePoint(a, b));
    for (const [key] of touched) {
      const position = this.positions.get(key);
      changes.put(this.tables.position, key, position ? positionDoc(position) : null);
    }
    positionEvents(
      changes,
      view.position,
      touched.map(([, position]) => position),
    );
    if (this.#accountTouched) {
      changes.put(this.tables.balance, MARGIN_ASSET, this.#accountDoc());
      changes.events.push({ kind: 'balances', changed: [view.balance()] });
    }
    if (!changes.empty) changes.put(this.tables.meta, 'counters', this.countersDoc());
    this.#touched.clear();
    this.#accountTouched = false;
    return { outcome, events: changes.events, rows: changes.rows() };
  }

  /** The whole state as it is in the store once every row is written. */
  documents(): Map<string, Map<string, unknown>> {
    return new Map<string, Map<string, unknown>>([
      ...this.memoryDocuments(),
      [this.tables.balance, new Map([[MARGIN_ASSET, this.#accountDoc()]])],
      [this.tables.position, new Map([...this.positions].map(([key, p]) => [key, positionDoc(p)]))],
      [this.tables.setting, new Map(this.#settings)],
      [this.tables.meta, new Map([['counters', this.countersDoc()]])],
    ]);
  }

  #accountDoc(): AccountDoc {
    const amounts = Object.fromEntries(AMOUNTS.map((name) => [name, str(this.amounts[name])]));
    return { ...amounts, hedge: this.hedge, marginMode: this.marginMode } as AccountDoc;
  }

  #load(account: AccountDoc, documents: PaperDocuments): void {
    for (const name of AMOUNTS) this.amounts[name] = dec(account[name]);
    this.hedge = account.hedge;
    this.marginMode = account.marginMode;
    for (const [symbol, doc] of documents.get(this.tables.setting) ?? []) {
      this.#settings.set(symbol, doc as SymbolSetting);
    }
    this.loadMemory(documents);
    for (const [key, doc] of documents.get(this.tables.position) ?? []) {
      this.positions.set(key, positionFromDoc(doc as PositionDoc));
    }
    for (const position of this.positions.values()) this.advance(position.updateTime);
  }
}

type PositionsEvent = Extract<Changes['events'][number], { kind: 'positions' }>;
type BalancesEvent = Extract<Changes['events'][number], { kind: 'balances' }>;
type BalanceOf = BalancesEvent['changed'][number];

function positionEvents(
  changes: Changes,
  view: (symbol: string, side: PositionSide) => PositionsEvent['changed'][number],
  touched: readonly { symbol: string; side: PositionSide }[],
): void {
  if (touched.length === 0) return;
  changes.events.push({
    kind: 'positions',
    changed: touched.map(({ symbol, side }) => view(symbol, side)),
  });
}

function positionDoc(position: Position): PositionDoc {
  const amounts = Object.fromEntries(AMOUNTS_OF_POSITION.map((name) => [name, str(position[name])]));
  const { symbol, side, fundedAt, updateTime } = position;
  return { symbol, side, fundedAt, updateTime, ...amounts } as PositionDoc;
}

function positionFromDoc(doc: PositionDoc): Position {
  const amounts = Object.fromEntries(AMOUNTS_OF_POSITION.map((name) => [name, dec(doc[name])]));
  const { symbol, side, fundedAt, updateTime } = doc;
  return { symbol, side, fundedAt, updateTime, ...amounts } as unknown as Position;
}
