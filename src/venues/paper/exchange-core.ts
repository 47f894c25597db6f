/**
 * What the host and the venue need from an account's core, spot or futures. Pure and synchronous; times are
 * passed in.
 */
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  OrderChange,
  QueryOutcome,
  SubmitOutcome,
} from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Row } from '../../domain/rows.ts';
import type { LedgerPage, LedgerQuery, OrderRef } from '../venue.ts';
import type { Book } from './book.ts';
import type { PaperStep } from './changes.ts';
import type { CompiledPaperOptions } from './options.ts';

export interface ExchangeCore {
  readonly kind: 'spot' | 'futures';
  /** The newest market time seen; 0 before the first. */
  readonly time: number;
  /** Gives a new account its start balances; does nothing on a stored one. */
  begin(): PaperStep<null>;
  /**
   * Loads ended orders and trades into memory, before somebody has to wait for them. Throws what reading them
   * throws.
   */
  recall(): void;
  configure(options: CompiledPaperOptions): void;
  submit(order: ExchangeOrder, now: number, acceptUsedId?: boolean): PaperStep<SubmitOutcome>;
  cancel(ref: OrderRef, now: number): PaperStep<CancelOutcome>;
  cancelAll(symbol: string, now: number): PaperStep<CancelAllOutcome>;
  amend(ref: OrderRef, change: OrderChange, now: number): PaperStep<AmendOutcome>;
  query(ref: OrderRef): QueryOutcome;
  openOrders(): ExchangeOrderState[];
  fills(q: { symbol: string; from: number }): ExchangeFill[];
  balances(): ExchangeBalance[];
  ledger(q: LedgerQuery): LedgerPage;
  lastPrice(symbol: string): string | null;
  /** Sets the instruments that are traded from now on; resting orders on others stay. */
  trade(instruments: readonly Instrument[]): void;
  /**
   * Takes the feed's next tick of the symbol. True: there are matches to make, call `nextMatch` until it
   * returns null.
   */
  beginTick(symbol: string, price: string, volume: string, time: number): boolean;
  nextMatch(): PaperStep<null> | null;
  /**
   * Sets the last tick that the feed gave before the stop; `nth`: its number among the symbol's ticks of that
   * time (default 1), `volume` default 0.
   */
  seedPrice(symbol: string, price: string, time: number, nth?: number, volume?: string): void;
  readonly books: ReadonlyMap<string, Book>;
  /** Takes over prices and time of a core whose memory was lost with a commit. */
  goOnFrom(lost: ExchangeCore): void;
  /** Rows about the present state that go with every commit, whoever makes it. */
  deferredRows(): readonly Row[];
  priceRows(): PaperStep<null>;
  reset(now: number): PaperStep<null>;
  setBalance(asset: string, amount: string, now?: number): PaperStep<null>;
  /** The whole state as stored documents: table -> id -> document. */
  documents(): ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  audit(): void;
}
