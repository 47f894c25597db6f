/**
 * What a step of the engine has done to orders of runs, as changes that runs understand: read from its rows
 * and effects, and kept until each run has been given its own.
 */
import { dec } from '../../domain/decimal.ts';
import { type FillRecord, TERMINAL } from '../../domain/order.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { OrderChange } from '../run/contract.ts';
import type { BotBook } from './bot-book.ts';
import { changeOf } from './bot-orders.ts';
import { feeInQuote } from './fee-value.ts';
import type { LiveRun } from './live-run.ts';
import type { SharedPositions } from './shared-positions.ts';

/** A change for a run. `fill`: set for a running run; its position is updated with the same fill. */
export interface OrderNote {
  readonly live: LiveRun;
  readonly change: OrderChange;
  readonly fill?: FillRecord;
}

export class OrderNews {
  /** Notes that are not given yet, oldest first. */
  readonly notes: OrderNote[] = [];
  readonly #book: BotBook;
  readonly #shared: SharedPositions;
  /** How far the step's rows and effects have been read. */
  #step: StepContext | null = null;
  #rowsSeen = 0;
  #effectsSeen = 0;

  constructor(book: BotBook, shared: SharedPositions) {
    this.#book = book;
    this.#shared = shared;
  }

  add(note: OrderNote): void {
    this.notes.push(note);
  }

  next(): OrderNote | undefined {
    return this.notes.shift();
  }

  enter(step: StepContext): void {
    if (this.#step === step) return;
    this.#step = step;
    this.#rowsSeen = 0;
    this.#effectsSeen = 0;
  }

  /** Reads what the step has done since the last call. */
  collect(step: StepContext): void {
    for (; this.#rowsSeen < step.rows.length; this.#rowsSeen++) {
      const row = step.rows[this.#rowsSeen];
      if (row?.kind !== 'fill' && !(row?.kind === 'event' && row.event.kind === 'triggered')) continue;
      const { orderId } = row.kind === 'fill' ? row.fill : row.event;
      const order = step.memory.orders.get(orderId);
      const live = order && this.#book.runOf(order);
      const key = live?.keys.get(orderId);
      // A fill of no running run changes the position, but no lots.
      if (row.kind === 'fill' && (!live?.going || key === undefined)) this.#shared.fill(row.fill, false);
      if (!live || key === undefined) continue;
      if (row.kind === 'event') {
        this.add({ live, change: { key, kind: 'triggered' } });
        continue;
      }
      const { price, qty, comm, commAsset, maker } = row.fill;
      const feeQuote = feeInQuote(step.memory.account(order.exchange), row.fill);
      const fill = { price: dec(price), qty: dec(qty), fee: dec(comm), feeAsset: commAsset, feeQuote, maker };
      const own = live.going ? { fill: row.fill } : {};
      this.add({ live, change: { key, kind: 'fill', fill }, ...own });
    }
    for (; this.#effectsSeen < step.effects.length; this.#effectsSeen++) {
      const effect = step.effects[this.#effectsSeen];
      if (effect?.kind !== 'order-event' || effect.order.creator !== 'BOT') continue;
      const { order } = effect;
      const live = this.#book.runOf(order);
      const key = live?.keys.get(order.id);
      if (!live || key === undefined) continue;
      const instrument = step.memory.account(order.exchange).instruments.get(order.symbol);
      const change = changeOf(key, order, instrument?.delisted === true);
      if (change) this.add({ live, change });
      // The run has asked for a cancel, but the engine has no cancel of this order any more.
      if (!order.cancel && !TERMINAL.has(order.status) && live.asksToCancel(key))
        this.add({ live, change: { key, kind: 'stays' } });
    }
  }
}
