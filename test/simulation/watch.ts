/**
 * Watches the commits, and checks at every moment what holds at every moment. It takes the exchanges' truth
 * from their committed documents and the engine's from its committed rows; `checks.ts` compares the two at
 * the end.
 */
import { type Dec, dec, mul, str, ZERO } from '../../src/domain/decimal.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { OrderStatus } from '../../src/schemas/order.ts';
import type { PriceDoc } from '../../src/venues/paper/book.ts';
import type { TradeDoc } from '../../src/venues/paper/changes.ts';
import type { PaperOrderDoc } from '../../src/venues/paper/paper-order.ts';
import { checkNotBeside } from './replacements.ts';
import { isOfOthers } from './rough/rough-account.ts';

/** The number in front is the invariant of design/testing.md; 0: something broke that has no number. */
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

/** Whether one commit may take an order from one status to the other: it may hold several moves. */
export function reachable(from: OrderStatus, to: OrderStatus): boolean {
  return from === to || S30[from].some((next) => reachable(next, to));
}

interface CommittedOrder {
  readonly status: OrderStatus;
  readonly executedQty: string;
  readonly phase: OrderRecord['phase'];
  /** The fields that never change. */
  readonly what: string;
  readonly terms: string;
}

const UNTOLD = 'not told yet';

/** What one exchange account has stored. */
export interface ExchangeTruth {
  /** Orders by the exchange's own id. */
  readonly orders: Map<string, PaperOrderDoc>;
  readonly numbersOf: Map<string, string[]>;
  readonly trades: Map<string, TradeDoc>;
  readonly balances: Map<string, { readonly free: string; readonly locked: string }>;
  /** Every other table, whole: positions, settings, prices, counters. */
  readonly others: Map<string, Map<string, unknown>>;
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
  /** Orders for which somebody has asked for an amendment. */
  readonly changed = new Set<string>();
  /** Replacement order -> the order that it replaces. */
  readonly #replaced = new Map<string, string>();
  /** Prices that were stored as wanted for an order before it got them. */
  readonly #wanted = new Map<string, Set<string>>();
  /** Per order: what each desk in turn has told. */
  readonly told: Map<string, Told>[] = [];
  readonly #violate: (invariant: number, text: string) => void;
  readonly #trace: (line: string) => void;

  readonly #participation: Dec | null;

  /** `participation`: share of a tick's volume that orders may take; null: all. */
  constructor(
    violate: (invariant: number, text: string) => void,
    trace: (line: string) => void,
    participation: string | null,
  ) {
    this.#violate = violate;
    this.#trace = trace;
    this.#participation = participation === null ? null : dec(participation);
  }

  /** Checks rows of the engine, right after their commit. */
  committed(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind === 'order') this.#order(row.order);
      else if (row.kind === 'fill') {
        const key = `${row.fill.exchange} ${row.fill.symbol} ${row.fill.tradeId}`;
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

  /** Checks rows of an exchange account, right after their commit. */
  exchangeCommitted(rows: readonly Row[], venue = 'paper'): void {
    this.#checkTaken(rows, venue);
    for (const row of rows) {
      if (row.kind !== 'paper') continue;
      const [kind = '', table] = row.table.split('.');
      const truth = this.exchange(`${venue}-${kind}`);
      if (table === 'order' && row.doc !== null) this.#exchangeOrder(truth, row.id, row.doc as PaperOrderDoc);
      else if (table === 'trade' && row.doc !== null) truth.trades.set(row.id, row.doc as TradeDoc);
      else if (table === 'balance') {
        truth.balances.set(row.id, row.doc as { free: string; locked: string });
        if (kind === 'futures') this.#checkWallet(row.doc as Readonly<Record<string, string>>);
      } else if (table !== 'trade' && table !== 'order') this.#other(truth, row);
      this.#trace(`exchange ${venue === 'paper' ? '' : `${venue} `}${row.table} ${row.id}`);
    }
  }

  /** The truth of an account, by its id. */
  exchange(id: string): ExchangeTruth {
    let truth = this.exchanges.get(id);
    if (!truth) {
      truth = {
        orders: new Map(),
        numbersOf: new Map(),
        trades: new Map(),
        balances: new Map(),
        others: new Map(),
      };
      this.exchanges.set(id, truth);
    }
    return truth;
  }

  /** Whether some stored order has not reached its exchange: a desk that dies now has lost it. */
  somethingIsOnItsWay(): boolean {
    const exchanges = [...this.exchanges.values()];
    for (const [id, { phase }] of this.orders)
      if (phase === 'sending' && !exchanges.some(({ numbersOf }) => numbersOf.has(id))) return true;
    return false;
  }

  /** Begins a new subscriber, as a desk has started. */
  deskStarted(): void {
    this.told.push(new Map());
  }

  /** Checks an effect at its release. */
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
    if (dec(order.executedQty) < dec(known.executedQty) && !isJoined(order)) {
      this.#violate(5, `executedQty of ${order.id} was told ${known.executedQty}, then ${order.executedQty}`);
    }
    known.executedQty = order.executedQty;
  }

  #order(order: OrderRecord): void {
    const known = this.orders.get(order.id);
    // At first nothing but executions may be known of an external order.
    const terms = order.untold ? UNTOLD : `${order.type} ${order.price} ${order.stopPrice}`;
    if (order.replaces !== undefined) {
      this.#replaced.set(order.id, order.replaces);
      if (this.changed.has(order.replaces)) this.changed.add(order.id);
    }
    if (order.change?.to.price !== undefined) {
      const wanted = this.#wanted.get(order.id) ?? new Set();
      this.#wanted.set(order.id, wanted.add(order.change.to.price));
    }
    const what = `${order.exchange} ${order.symbol} ${order.side} ${order.createdAt} ${order.splitFrom}`;
    if (known) {
      if (!reachable(known.status, order.status)) {
        this.#violate(5, `${order.id} went from ${known.status} to ${order.status}`);
      }
      if (dec(order.executedQty) < dec(known.executedQty) && !isJoined(order)) {
        this.#violate(5, `executedQty of ${order.id} fell from ${known.executedQty} to ${order.executedQty}`);
      }
      if (known.what !== what || (![UNTOLD, terms].includes(known.terms) && !this.changed.has(order.id)))
        this.#violate(1, `${order.id} was ${known.what} ${known.terms} and is ${what} ${terms}`);
    }
    const { status, executedQty, phase } = order;
    this.orders.set(order.id, { status, executedQty, phase, what, terms });
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
      // The exchange makes liquidations, and others trade on the rough exchange: their rows come with the
      // reports about them.
      if (!this.orders.has(intent) && !isOfOthers(intent))
        this.#violate(2, `the exchange has an order ${doc.clientId} that has no row`);
      const before = truth.numbersOf.get(this.#replaced.get(intent) ?? '') ?? [];
      const docs = before.map((one) => truth.orders.get(one)).filter((one) => one !== undefined);
      checkNotBeside(intent, docs, this.#violate);
      if (numbers.length > 1)
        this.#violate(2, `${intent} was executed ${numbers.length} times (numbers ${numbers.join()})`);
    }
    const before = truth.orders.get(number);
    const isOther = before !== undefined && before.price !== doc.price && doc.price !== null;
    if (isOther && !isOfOthers(doc.clientId) && !this.#wanted.get(doc.clientId)?.has(doc.price))
      this.#violate(1, `${doc.clientId} is at ${doc.price} at its exchange, and nothing stored wants that`);
    truth.orders.set(number, doc);
  }

  #other(truth: ExchangeTruth, row: Extract<Row, { kind: 'paper' }>): void {
    let table = truth.others.get(row.table);
    if (!table) {
      table = new Map();
      truth.others.set(row.table, table);
    }
    if (row.doc === null) table.delete(row.id);
    else table.set(row.id, row.doc);
  }

  /** Invariant 4: the futures wallet is the sum of its bookings, after every commit. */
  #checkWallet(doc: Readonly<Record<string, string>>): void {
    const of = (name: string) => dec(doc[name] as string);
    const sum =
      of('start') + of('realized') - of('fees') + of('funding') - of('liquidationFees') + of('covered');
    if (of('wallet') !== sum || of('wallet') < ZERO)
      this.#violate(4, `the futures wallet is ${doc.wallet}, what was booked makes ${str(sum)}`);
  }

  /**
   * Invariant 2: orders take at most their share of one tick's volume, restarts included; checked by trades
   * and stored prices.
   */
  #checkTaken(rows: readonly Row[], venue: string): void {
    if (this.#participation === null) return;
    for (const row of rows) {
      if (row.kind !== 'paper' || row.doc === null || !row.table.endsWith('.price')) continue;
      const now = row.doc as PriceDoc;
      const [kind = ''] = row.table.split('.');
      const before = this.exchange(`${venue}-${kind}`).others.get(row.table)?.get(row.id) as
        | PriceDoc
        | undefined;
      const nth = now.nth ?? 1;
      const same = before !== undefined && before.time === now.time && (before.nth ?? 1) === nth;
      if (before && (before.time > now.time || (before.time === now.time && (before.nth ?? 1) > nth)))
        this.#violate(2, `${row.id} went back from ${before.time} to ${now.time}`);
      let traded = ZERO;
      for (const other of rows) {
        if (other.kind !== 'paper' || other.table !== `${kind}.trade` || other.doc === null) continue;
        const trade = other.doc as TradeDoc;
        if (trade.symbol === row.id && !trade.clientId.startsWith('liq-')) traded += dec(trade.qty);
      }
      const earlier = same ? dec(before.taken) : ZERO;
      const taken = dec(now.taken);
      const name = `${row.id} at ${now.time}`;
      if (same ? taken !== earlier + traded : taken > traded)
        this.#violate(
          2,
          `of ${name} ${str(earlier)} and ${str(traded)} were taken, counted are ${now.taken}`,
        );
      // A price that was set without a tick has no volume, and the volume taken before still counts.
      if (dec(now.volume) > ZERO && taken > mul(dec(now.volume), this.#participation))
        this.#violate(2, `of ${name} ${now.taken} of ${now.volume} were taken`);
    }
  }
}

/**
 * Whether the order was taken for an external one and turned out to be made by the trigger of one of the
 * desk's.
 */
function isJoined(order: { readonly executedQty: string; readonly external?: boolean }): boolean {
  return order.executedQty === '0' && order.external === true;
}
