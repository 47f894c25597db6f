/**
 * One tick on one contract, handed out step by step: funding that fell due before it (at the mark price
 * before the tick), then the new price with its matches, then liquidations until every margin is sufficient.
 * Each step is one operation.
 */
import type { Dec } from '../../../domain/decimal.ts';
import { assertNever } from '../../../domain/errors.ts';
import type { Reached } from '../book.ts';
import type { Changes } from '../changes.ts';
import { isOpen, type PaperOrder } from '../paper-order.ts';
import { dueFunding, payFunding } from './funding.ts';
import type { FuturesBook } from './futures-book.ts';
import { fillResting, trigger } from './futures-matching.ts';
import type { FuturesState } from './futures-state.ts';
import { cancelUnderMargined, reduceEndangered, underMargined } from './liquidation.ts';

interface NewPrice {
  readonly price: string;
  readonly volume: string;
  readonly time: number;
}

/** A mark price from outside, with the next funding from now on; null: not known. */
interface NewMark {
  readonly mark: Dec;
  readonly funding: { readonly rate: Dec; readonly at: number } | null;
  readonly time: number;
}

type Stage = 'funding' | 'trailing' | 'matches' | 'liquidation' | 'done';

export class FuturesTick {
  readonly #state: FuturesState;
  readonly #book: FuturesBook;
  readonly #news: NewPrice | NewMark;
  #stage: Stage = 'funding';
  /** Trailing stops whose best price was changed by this tick. */
  readonly #moved: { readonly order: PaperOrder; readonly armed: boolean }[] = [];
  #queue: Reached[] = [];
  #next = 0;
  /**
   * The margins whose orders this tick has cancelled: once each, so that new orders cannot delay the
   * reduction.
   */
  readonly #cancelled = new Set<string>();

  private constructor(state: FuturesState, book: FuturesBook, news: NewPrice | NewMark) {
    this.#state = state;
    this.#book = book;
    this.#news = news;
  }

  /** Begins a tick. Null: the price is taken, and there are no steps to make. */
  static begin(state: FuturesState, book: FuturesBook, news: NewPrice | NewMark): FuturesTick | null {
    const tick = new FuturesTick(state, book, news);
    if (dueFunding(state, news.time)) return tick;
    const moved = tick.#apply();
    if (moved || tick.#queue.length > 0) return tick;
    // A margin can only become insufficient by a change of the mark price, or by a match or a payment, after
    // which every margin is checked.
    if (state.positionsOf(book.instrument.symbol).length === 0 || underMargined(state) === null) return null;
    return tick;
  }

  /** Runs the next step into `changes`. False: there is none. */
  step(changes: Changes): boolean {
    for (;;) {
      const stage = this.#stage;
      switch (stage) {
        case 'funding':
          if (this.#fund()) return true;
          this.#apply();
          break;
        case 'trailing':
          this.#stage = 'matches';
          changes.price(this.#book);
          for (const { order, armed } of this.#moved) {
            if (armed) changes.order(order, this.#state.time);
            else changes.keep(order);
          }
          return true;
        case 'matches':
          if (this.#match(changes)) return true;
          this.#stage = 'liquidation';
          break;
        case 'liquidation':
          if (this.#liquidate(changes)) return true;
          this.#stage = 'done';
          break;
        case 'done':
          return false;
        default:
          assertNever(stage);
      }
    }
  }

  #fund(): boolean {
    const due = dueFunding(this.#state, this.#news.time);
    if (due) payFunding(this.#state, due, this.#news.time);
    return due !== null;
  }

  /** Takes the price; true when a trailing stop's best price moved and has to be stored. */
  #apply(): boolean {
    const { options } = this.#state;
    const { time } = this.#news;
    const reaches = this.#take();
    const moved = reaches && this.#book.follow(time, (order, armed) => this.#moved.push({ order, armed }));
    if (reaches) this.#queue = this.#book.reachedNow(options.through);
    this.#stage = moved ? 'trailing' : 'matches';
    return moved;
  }

  /** Takes the price or the mark. True: limits may be reached, or there are conditional orders. */
  #take(): boolean {
    const news = this.#news;
    if (!('mark' in news)) return this.#book.move(news.price, news.volume, this.#state.options.markLagMs);
    this.#book.funding = news.funding ?? this.#book.funding;
    return this.#book.markIs(news.mark);
  }

  /**
   * Makes the next match. The orders reached were fixed with the price; one that has ended or changed since
   * is skipped.
   */
  #match(changes: Changes): boolean {
    while (this.#next < this.#queue.length) {
      const { order, rank } = this.#queue[this.#next++] as Reached;
      if (!isOpen(order)) continue;
      // The order was amended since, and the prices have reached its old price only.
      if (order.status === 'WORKING' && order.price !== rank) continue;
      changes.price(this.#book);
      if (order.status === 'PENDING') {
        trigger(this.#state, order, this.#book, changes);
        return true;
      }
      if (fillResting(this.#state, order, this.#book, changes)) return true;
    }
    return false;
  }

  #liquidate(changes: Changes): boolean {
    const margin = underMargined(this.#state);
    if (!margin) return false;
    changes.price(this.#book);
    if (!this.#cancelled.has(margin.key)) {
      this.#cancelled.add(margin.key);
      if (cancelUnderMargined(this.#state, margin, changes)) return true;
    }
    reduceEndangered(this.#state, margin, changes);
    return true;
  }
}
