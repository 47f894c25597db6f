/**
 * Watches what is committed, and holds at every moment what may be checked at every moment. Knows the exchanges' truth from
 * their committed documents and the engine's from its committed rows; `checks.ts` compares the two at the end.
 */
import { dec } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { OrderStatus } from '../../src/schemas/order.ts';
import type { TradeDoc } from '../../src/venues/paper/changes.ts';
import type { PaperOrderDoc } from '../../src/venues/paper/paper-order.ts';

/** The number in front is the invariant of design/testing.md; 0 = something broke that has no number. */
export class Violation extends Error {
  readonly invariant: number;

  constructor(invariant: number, text: string) {
    super(text);
    this.name = 'Violation';
    this.invariant = invariant;
  }
}

export const S30: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  NEW: ['OPENED', 'CANCELLED', 'ERROR'],
  OPENED: ['CLOSED', 'CANCELLED', 'ERROR'],
  CLOSED: [],
  CANCELLED: [],
  ERROR: [],
};

/** One commit may hold several moves. */
export function reachable(from: OrderStatus, to: OrderStatus): boolean {
  return from === to || S30[from].some((next) => reachable(next, to));
}

interface CommittedOrder {
  readonly status: OrderStatus;
  readonly executedQty: string;
  readonly fixed: string;
}

/** What one exchange account has stored. */
export interface ExchangeTruth {
  /** By the exchange's own number. */
  readonly orders: Map<string, PaperOrderDoc>;
  readonly numbersOf: Map<string, string[]>;
  readonly trades: Map<string, TradeDoc>;
  readonly balances: Map<string, { readonly free: string; readonly locked: string }>;
}

/** What one subscriber, connected since a desk's start, was told about one order. */
interface Told {
  readonly path: OrderStatus[];
  executedQty: string;
  readonly created: boolean;
}

export class Watch {
  readonly orders = new Map<string, CommittedOrder>();
  readonly fills = new Map<string, string>();
  readonly exchanges = new Map<string, ExchangeTruth>();
  /** Exchange ids under which a planted bug has sent an order again -> the order meant. */
  readonly aliases = new Map<string, string>();
  /** Per order: what each desk in turn has told. */
  readonly told: Map<string, Told>[] = [];
  readonly #violate: (invariant: number, text: string) => void;
  readonly #trace: (line: string) => void;

  constructor(violate: (invariant: number, text: string) => void, trace: (line: string) => void) {
    this.#violate = violate;
    this.#trace = trace;
  }

  /** Rows of the engine, right after their commit. */
  committed(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind === 'order') this.#order(row.order);
      else if (row.kind === 'fill') {
        const key = `${row.fill.exchange} ${row.fill.tradeId}`;
        const text = `${row.fill.orderId} ${row.fill.qty} ${row.fill.price}`;
        const known = this.fills.get(key);
        if (known !== undefined && known !== text)
          this.#violate(3, `fill ${key} was stored as ${known} and as ${text}`);
        this.fills.set(key, text);
        this.#trace(`fill ${key} ${text}`);
      } else if (row.kind === 'idempotency') {
        this.#trace(`idempotency ${row.record.key} ${row.record.answer?.status ?? '-'}`);
      } else if (row.kind === 'split') this.#trace(`split ${row.plan.id} ${row.plan.stage}`);
    }
  }

  /** Rows of an exchange account, right after their commit. */
  exchangeCommitted(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind !== 'paper') continue;
      const [kind = '', table] = row.table.split('.');
      const truth = this.exchange(kind);
      if (table === 'order' && row.doc !== null) this.#exchangeOrder(truth, row.id, row.doc as PaperOrderDoc);
      else if (table === 'trade' && row.doc !== null) truth.trades.set(row.id, row.doc as TradeDoc);
      else if (table === 'balance') truth.balances.set(row.id, row.doc as { free: string; locked: string });
      this.#trace(`exchange ${row.table} ${row.id}`);
    }
  }

  /** `kind`: spot or futures, as the stored tables are named. */
  exchange(kind: string): ExchangeTruth {
    let truth = this.exchanges.get(kind);
    if (!truth) {
      truth = { orders: new Map(), numbersOf: new Map(), trades: new Map(), balances: new Map() };
      this.exchanges.set(kind, truth);
    }
    return truth;
  }

  /** A desk has started: its subscriber begins anew. */
  deskStarted(): void {
    this.told.push(new Map());
  }

  /** An effect that is released now. */
  released(effect: Effect): void {
    if (effect.kind !== 'order-event') return;
    const { order, event } = effect;
    const told = this.told.at(-1) as Map<string, Told>;
    const known = told.get(order.id);
    this.#trace(`told ${event} ${order.id} ${order.status} ${order.executedQty}`);
    if (!this.orders.has(order.id)) this.#violate(6, `${order.id} was told before it was stored`);
    if (!known) {
      told.set(order.id, {
        path: [order.status],
        executedQty: order.executedQty,
        created: event === 'ORDER_CREATE',
      });
      return;
    }
    if (event === 'ORDER_CREATE') this.#violate(6, `ORDER_CREATE of ${order.id} was told twice`);
    const last = known.path.at(-1) as OrderStatus;
    if (last !== order.status) {
      if (!S30[last].includes(order.status))
        this.#violate(6, `${order.id} was told ${last}, then ${order.status}`);
      known.path.push(order.status);
    }
    if (dec(order.executedQty) < dec(known.executedQty)) {
      this.#violate(5, `executedQty of ${order.id} was told ${known.executedQty}, then ${order.executedQty}`);
    }
    known.executedQty = order.executedQty;
  }

  #order(order: OrderRecord): void {
    const known = this.orders.get(order.id);
    const fixed = `${order.exchange} ${order.symbol} ${order.side} ${order.type} ${order.price} ${order.stopPrice} ${order.createdAt} ${order.splitFrom}`;
    if (known) {
      if (!reachable(known.status, order.status)) {
        this.#violate(5, `${order.id} went from ${known.status} to ${order.status}`);
      }
      if (dec(order.executedQty) < dec(known.executedQty)) {
        this.#violate(5, `executedQty of ${order.id} fell from ${known.executedQty} to ${order.executedQty}`);
      }
      if (known.fixed !== fixed) this.#violate(1, `${order.id} was ${known.fixed} and is ${fixed}`);
    }
    this.orders.set(order.id, { status: order.status, executedQty: order.executedQty, fixed });
    this.#trace(
      `order ${order.id} ${order.status} ${order.phase} ${order.executedQty} ${order.cancel?.state ?? '-'}`,
    );
  }

  #exchangeOrder(truth: ExchangeTruth, number: string, doc: PaperOrderDoc): void {
    if (!truth.orders.has(number)) {
      const intent = this.aliases.get(doc.clientId) ?? doc.clientId;
      const numbers = truth.numbersOf.get(intent) ?? [];
      numbers.push(number);
      truth.numbersOf.set(intent, numbers);
      if (!this.orders.has(intent))
        this.#violate(2, `the exchange has an order ${doc.clientId} that has no row`);
      if (numbers.length > 1)
        this.#violate(2, `${intent} was executed ${numbers.length} times (numbers ${numbers.join()})`);
    }
    truth.orders.set(number, doc);
  }
}
