/**
 * The paper exchange itself: pure and synchronous. Each operation changes the memory and returns its outcome,
 * the events to send and the rows that must be stored before them. No clock, no randomness, no I/O: times are
 * passed in.
 */
import { type Dec, dec, ZERO } from '../../domain/decimal.ts';
import type {
  AmendOutcome,
  ExchangeBalance,
  ExchangeOrder,
  OrderChange,
  SubmitOutcome,
} from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Row } from '../../domain/rows.ts';
import { AccountCore } from './account-core.ts';
import type { Book, Reached } from './book.ts';
import { Changes, type PaperStep } from './changes.ts';
import { convertDust, type DustAsset, type DustOutcome, dustAssets, dustWaitMs } from './dust.ts';
import type { ExchangeCore } from './exchange-core.ts';
import { type CheckedOrder, checkOrder, refusal, WORDS } from './filters.ts';
import { activate, amendOpen, cancelOpen, fillResting, requeue, trigger } from './matching.ts';
import type { CompiledPaperOptions } from './options.ts';
import { isConditional, isOpen, type PaperOrder, stateOf } from './paper-order.ts';
import { type PaperDocuments, PaperState } from './state.ts';

export interface PaperCoreConfig {
  readonly kind: 'spot';
  readonly instruments: readonly Instrument[];
  readonly options: CompiledPaperOptions;
}

/** A tick whose matches are handed out one by one. */
interface RunningTick {
  readonly book: Book;
  readonly queue: Reached[];
  next: number;
}

export class PaperCore extends AccountCore<PaperState> implements ExchangeCore {
  readonly kind = 'spot';
  #run: RunningTick | null = null;

  /**
   * Makes a core from stored documents; an empty store is a new account, whose first rows `begin` returns.
   */
  constructor(config: PaperCoreConfig, documents: PaperDocuments) {
    super(new PaperState(config.instruments, config.options, documents));
  }

  /** Gives a new account its start balances; does nothing on a stored one. */
  begin(): PaperStep<null> {
    if (this.state.fresh) this.#endow();
    return this.close(this.changes(), null);
  }

  /**
   * Places an order. `acceptUsedId`: the id of a finished order may be used again (Binance's rule, a fault
   * switch here).
   */
  submit(order: ExchangeOrder, now: number, acceptUsedId = false): PaperStep<SubmitOutcome> {
    const state = this.state;
    const changes = this.changes();
    const refused = (code: string, message: string) =>
      this.close<SubmitOutcome>(changes, refusal(code, message));
    const book = state.books.get(order.symbol);
    if (!book) return refused('-1121', `Invalid symbol: ${order.symbol}.`);
    if (this.isTaken(order.clientId, acceptUsedId)) return refused('-2010', WORDS.duplicate);
    const checked = checkOrder(order, book, state.options);
    if (!checked.ok) return this.close<SubmitOutcome>(changes, checked.refusal);
    const made = this.#make(order, checked.order);
    if (!state.ledger.reserve(made, book.instrument, checked.order.worst))
      return refused('-2010', WORDS.balance);
    state.advance(now);
    made.time = state.time;
    made.age = state.nextStamp();
    state.open.set(made.clientId, made);
    changes.price(book);
    if (made.status === 'PENDING') {
      book.add(made);
      changes.order(made, state.time);
    } else {
      activate(state, made, book, changes);
    }
    return this.close<SubmitOutcome>(changes, { kind: 'accepted', state: stateOf(made) });
  }

  balances(): ExchangeBalance[] {
    const { balances, time } = this.state;
    return balances.assets().map((asset) => ({ ...balances.of(asset), time }));
  }

  /**
   * Takes a new last price. True: it reaches orders; call `nextMatch` until it returns null, and let the desk
   * handle each match before the next (rule 5). The orders reached are fixed here: one placed meanwhile fills
   * in this tick only by taking, one cancelled meanwhile is skipped.
   */
  beginTick(symbol: string, price: string, volume: string, time: number): boolean {
    const state = this.state;
    const book = state.books.get(symbol);
    if (!book?.comes(time)) return false;
    state.advance(time);
    if (!book.tick(price, volume)) return false;
    const queue = book.reached(state.options.through);
    if (queue.length === 0) return false;
    this.#run = { book, queue, next: 0 };
    return true;
  }

  /** Makes the next match of the running tick; null when the tick is done. */
  nextMatch(): PaperStep<null> | null {
    const run = this.#run;
    const state = this.state;
    while (run && run.next < run.queue.length) {
      const reached = run.queue[run.next++] as Reached;
      const { order, rank } = reached;
      // The order was amended since, and this tick has reached its old price only.
      if (order.status === 'WORKING' && order.price !== rank) continue;
      const changes = this.changes();
      changes.price(run.book);
      if (order.status === 'PENDING') {
        trigger(state, order, run.book, changes);
      } else {
        // An order that has ended meanwhile has no visible part to fill.
        if (!fillResting(state, order, run.book, changes)) continue;
        if (isOpen(order)) requeue(run.queue, run.next, reached);
      }
      return this.close(changes, null);
    }
    this.#run = null;
    return null;
  }

  /** Sets the last price without a match: the feed's last price before the stop. */
  seedPrice(symbol: string, price: string, time: number, nth = 1, volume = '0'): void {
    dec(price);
    this.state.advance(time);
    this.state.books.get(symbol)?.seed(price, time, nth, volume);
  }

  deferredRows(): Row[] {
    return [];
  }

  /**
   * Cancels all orders and restores the start balances. Trades and finished orders stay, numbering continues.
   */
  reset(now: number): PaperStep<null> {
    const state = this.state;
    const changes = this.changes();
    state.advance(now);
    this.cancelEverything('the paper account was reset', changes);
    const { balances } = state;
    const before = new Map(balances.assets().map((asset) => [asset, balances.free(asset)]));
    for (const asset of before.keys()) balances.set(asset, ZERO, ZERO);
    this.#endow();
    for (const asset of balances.assets())
      this.#paid(asset, balances.free(asset) - (before.get(asset) ?? ZERO));
    state.dustAt = null;
    changes.put(state.tables.meta, 'dust', null);
    return this.close(changes, null);
  }

  /**
   * Sets the free balance of an asset; the amounts locked by orders stay. Throws RangeError on a negative
   * amount.
   */
  setBalance(asset: string, amount: string, now = this.time): PaperStep<null> {
    const free = dec(amount);
    if (free < ZERO) throw new RangeError(`a balance cannot be negative: ${amount}`);
    this.#paid(asset, free - this.state.balances.free(asset), now);
    this.state.balances.set(asset, free, this.state.balances.locked(asset));
    return this.close(this.changes(), null);
  }

  dust(): DustAsset[] {
    return dustAssets(this.state);
  }

  dustWaitMs(wall: number): number {
    return dustWaitMs(this.state, wall);
  }

  convertDust(assets: readonly string[], wall: number): PaperStep<DustOutcome> {
    const changes = this.changes();
    const outcome = convertDust(this.state, assets, wall);
    if (outcome.kind === 'done') changes.put(this.state.tables.meta, 'dust', { at: wall });
    return this.close(changes, outcome);
  }

  /** Checks every balance and lock. Throws InvariantError. */
  audit(): void {
    this.state.audit();
  }

  #endow(): void {
    for (const [asset, amount] of Object.entries(this.state.options.startBalances)) {
      this.state.balances.set(asset, dec(amount), ZERO);
    }
  }

  #paid(asset: string, amount: Dec, now = this.time): void {
    const time = Math.max(now, this.time);
    this.state.entries.note({ kind: 'transfer', asset, amount, time });
  }

  #make(order: ExchangeOrder, checked: CheckedOrder): PaperOrder {
    const visible: Dec =
      checked.iceberg !== null && checked.iceberg < checked.qty ? checked.iceberg : checked.qty;
    return {
      // Also the order's first place in the queue, which uses this number once the order is accepted: a
      // refusal leaves no trace.
      id: this.state.stamp + 1,
      clientId: order.clientId,
      symbol: order.symbol,
      side: order.side,
      type: order.type,
      timeInForce: order.timeInForce,
      price: checked.price,
      stopPrice: checked.stopPrice,
      qty: checked.qty,
      iceberg: checked.iceberg,
      status: isConditional(order.type) ? 'PENDING' : 'WORKING',
      cum: ZERO,
      visible,
      lock: ZERO,
      age: 0,
      end: 0,
      seq: 0,
      time: 0,
      text: undefined,
      terms: null,
      fills: [],
    };
  }

  protected changes(): Changes {
    return new Changes(this.state.tables);
  }

  protected close<T>(changes: Changes, outcome: T): PaperStep<T> {
    return this.state.close(changes, outcome);
  }

  protected cancelOpen(order: PaperOrder, text: string, changes: Changes): void {
    cancelOpen(this.state, order, this.state.bookOf(order), text, changes);
  }

  protected amendOpen(order: PaperOrder, change: OrderChange, changes: Changes): AmendOutcome | null {
    return amendOpen(this.state, order, change, changes);
  }
}
