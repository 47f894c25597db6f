/**
 * Asks both books what has become of orders. Until its trigger a conditional order is asked for by its own
 * number, then by that of the order that the trigger has made. Both are one order. What proves that there is
 * none is data (`absence.ts`).
 */
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeFill, ExchangeOrderState, QueryOutcome } from '../../domain/exchange.ts';
import { numbersOf } from '../kit/algo-names.ts';
import type { Parameters } from '../kit/caller.ts';
import type { Complaints } from '../kit/complaints.ts';
import { SharedReads } from '../kit/shared-reads.ts';
import type { OrderRef } from '../venue.ts';
import { ALGO_PROVEN_AFTER_MS } from './absence.ts';
import { type OkxMarketKind, ordersOf } from './account-given.ts';
import { wireIdOf } from './client-ids.ts';
import type { Listed, Listing } from './instruments.ts';
import { type AlgoRow, type FillRow, type OrderRow, readAlgos, readFills, readOrders } from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import { childOf, fillOfRow, namesOfOrder, stateOfAlgo, stateOfOrder } from './order-states.ts';
import { type Asked, PAGE, type Questions, unknown } from './questions.ts';
import { OKX } from './requests.ts';

export interface OrderQuestionsOptions {
  readonly kind: OkxMarketKind;
  readonly questions: Questions;
  readonly names: OrderNamesKept;
  readonly listed: Listed;
  readonly complaints: Complaints;
  readonly now: () => number;
}

/** Kinds of conditional orders; only the first two may be asked for together (OD Algo order list). */
const ALGO_KINDS = ['conditional,oco', 'trigger', 'move_order_stop'] as const;
/** Time after which an order that was cancelled without an execution is forgotten, ms (`absence.ts`). */
const FORGOTTEN_AFTER_MS = 2 * 3_600_000;
/** Age from which only the history lists a row, ms: 3 days, with a margin. */
const RECENT_MS = 70 * 3_600_000;

export class OrderQuestions {
  readonly #o: OrderQuestionsOptions;
  /** When this process began, monotonic. What an earlier one has sent, and when, is not known here. */
  readonly #bornAt: number;
  /** Shared reads: many orders may be searched for at once, and one list answers for all of them. */
  readonly #orders = new SharedReads<readonly OrderRow[] | null>();
  readonly #algos = new SharedReads<readonly AlgoRow[] | null>();
  readonly #fills = new SharedReads<readonly FillRow[] | null>();

  constructor(options: OrderQuestionsOptions) {
    this.#o = options;
    this.#bornAt = options.questions.caller.way.now;
  }

  async query({ clientId, symbol, venueIds }: OrderRef): Promise<QueryOutcome> {
    const { names, listed } = this.#o;
    const listing = listed.of(symbol);
    if (!listing) return unknown(`${symbol} was never listed since this start`);
    const { algoId, orderId: ordId } = numbersOf(venueIds);
    if (algoId !== undefined) return this.#algo({ algoId });
    if (ordId !== undefined) return this.#order(listing, { ordId });
    const wireId = wireIdOf(clientId);
    // An order without a client id cannot have been sent.
    if (wireId === null) return { kind: 'absent' };
    const orders = () => this.#order(listing, { clOrdId: wireId });
    const algos = () => this.#algo({ algoClOrdId: wireId });
    const [first, second] = names.sent(clientId)?.isAlgo ? [algos, orders] : [orders, algos];
    const one = await first();
    if (one.kind !== 'absent') return one;
    const other = await second();
    return other.kind === 'absent' ? this.#denied(listing, clientId, wireId) : other;
  }

  /** Returns the open orders of both books; null: a request failed. */
  async open(): Promise<ExchangeOrderState[] | null> {
    const of = ordersOf(this.#o.kind);
    // Conditional orders first: an order triggered between the two requests is then in both lists; the other
    // way round it could be in neither.
    const algos = await this.openAlgos(of);
    const orders = algos && (await this.openRows(of));
    if (!algos || !orders) return null;
    const fired = new Set(orders.map(({ algoId }) => algoId));
    const states: (ExchangeOrderState | null)[] = [
      ...algos.filter(({ algoId }) => !fired.has(algoId)).map((row) => this.#stateOfAlgo(row)),
      ...orders.map((row) => this.stateOf(row)),
    ];
    if (states.includes(null)) {
      this.#o.complaints.say('open orders', 'one of them is of a kind that is not known');
      return null;
    }
    return states as ExchangeOrderState[];
  }

  /** Returns the open rows of instruments that are traded here. */
  async openRows(of: Parameters): Promise<readonly OrderRow[] | null> {
    const rows = await this.#orders.ask(`open ${JSON.stringify(of)}`, () =>
      this.#o.questions.all(OKX.openOrders, of, readOrders, ({ ordId }) => ordId),
    );
    return rows?.filter(({ instId }) => this.#o.listed.named(instId)) ?? null;
  }

  openAlgos(of: Parameters): Promise<readonly AlgoRow[] | null> {
    return this.#algos.ask(JSON.stringify(of), () => this.#readAlgos(of));
  }

  async #readAlgos(of: Parameters): Promise<readonly AlgoRow[] | null> {
    const all: AlgoRow[] = [];
    for (const ordType of ALGO_KINDS) {
      const asked = { ordType, ...of };
      const rows = await this.#o.questions.all(OKX.openAlgos, asked, readAlgos, ({ algoId }) => algoId);
      if (!rows) return null;
      all.push(...rows.filter(({ instId }) => this.#o.listed.named(instId)));
    }
    return all;
  }

  /** Converts a row into an order's state. Null: it has words that are not known here. */
  stateOf(row: OrderRow): ExchangeOrderState | null {
    const listing = this.#o.listed.named(row.instId);
    if (!listing) return null;
    this.#o.names.heard(row.ordId, namesOfOrder(row).clientId);
    return stateOfOrder(row, listing);
  }

  #stateOfAlgo(row: AlgoRow): ExchangeOrderState | null {
    const listing = this.#o.listed.named(row.instId);
    return listing ? stateOfAlgo(row, listing) : null;
  }

  order(listing: Listing, which: Parameters): Promise<Asked<OrderRow>> {
    return this.#o.questions.one(OKX.order, { instId: listing.instId, ...which }, readOrders);
  }

  algo(which: Parameters): Promise<Asked<AlgoRow>> {
    return this.#o.questions.one(OKX.algoOrder, which, readAlgos);
  }

  /** Returns the fills of one order, oldest first; null: the request failed. */
  async fillsOf(row: Pick<OrderRow, 'ordId' | 'instId' | 'uTime'>): Promise<ExchangeFill[] | null> {
    const { questions, listed, names, now } = this.#o;
    const listing = listed.named(row.instId);
    if (!listing) return null;
    const form = Number(row.uTime) > now() - RECENT_MS ? OKX.fills : OKX.fillsHistory;
    const of = { instId: row.instId, ordId: row.ordId };
    const rows = await questions.all(form, of, readFills, ({ billId }) => billId);
    const clientId = names.clientId(row.ordId) ?? '';
    return (
      rows
        ?.filter(({ ordId }) => ordId === row.ordId)
        .map((fill) => fillOfRow(fill, listing, clientId))
        .reverse() ?? null
    );
  }

  async #order(listing: Listing, which: Parameters): Promise<QueryOutcome> {
    const asked = await this.order(listing, which);
    if (asked.kind === 'absent') return { kind: 'absent' };
    if (asked.kind === 'failed') return unknown(asked.cause);
    return this.#found(this.stateOf(asked.value), asked.value);
  }

  async #algo(which: Parameters): Promise<QueryOutcome> {
    const asked = await this.algo(which);
    if (asked.kind === 'absent') return { kind: 'absent' };
    if (asked.kind === 'failed') return unknown(asked.cause);
    const own = this.#stateOfAlgo(asked.value);
    const child = childOf(asked.value);
    const listing = this.#o.listed.named(asked.value.instId);
    if (!own || !listing || child === null) return this.#found(own, null);
    const made = await this.order(listing, { ordId: child });
    if (made.kind === 'failed') return unknown(made.cause);
    if (made.kind === 'absent') {
      // It cannot be forgotten yet: this answer is from before the trigger, given by a replica that lags.
      if (own.status === 'WORKING' && this.#o.now() < own.time + FORGOTTEN_AFTER_MS)
        return unknown('the order that its trigger has made is not listed yet');
      const uTime = asked.value.uTime || asked.value.cTime;
      return this.#forgotten(own, { ordId: child, instId: listing.instId, uTime });
    }
    const state = this.stateOf(made.value);
    return this.#found(state && own.terms ? { ...state, terms: own.terms } : state, made.value);
  }

  /**
   * What a conditional order has made and the exchange has forgotten, as it does two hours after a cancel
   * without an execution: its executions alone tell what it was.
   */
  async #forgotten(
    own: ExchangeOrderState,
    row: Pick<OrderRow, 'ordId' | 'instId' | 'uTime'>,
  ): Promise<QueryOutcome> {
    if (own.status !== 'WORKING') return { kind: 'found', state: own, fills: [] };
    const fills = await this.fillsOf(row);
    if (!fills) return unknown('its executions could not be read');
    let executed = ZERO;
    for (const { qty } of fills) executed += dec(qty);
    const isWhole = executed > ZERO && executed >= dec(own.origQty);
    const state = { ...own, status: isWhole ? 'FILLED' : 'CANCELLED', cumQty: str(executed) } as const;
    return { kind: 'found', state, fills };
  }

  /** Returns an order's state with its fills, if it has any. */
  async #found(
    state: ExchangeOrderState | null,
    row: Pick<OrderRow, 'ordId' | 'instId' | 'uTime' | 'accFillSz'> | null,
  ): Promise<QueryOutcome> {
    if (!state) return unknown('the exchange says of it what is not known here');
    if (!row || dec(row.accFillSz || '0') === ZERO) return { kind: 'found', state, fills: [] };
    const fills = await this.fillsOf(row);
    return fills ? { kind: 'found', state, fills } : unknown('its executions could not be read');
  }

  /** Handles an order that neither book knows by this id: searches the lists; the order may still arrive. */
  async #denied(listing: Listing, clientId: string, wireId: string): Promise<QueryOutcome> {
    const { questions, names, kind } = this.#o;
    const { instId } = listing;
    const sent = names.sent(clientId);
    const { now } = questions.caller.way;
    // Only its signature limits how late a conditional order may arrive.
    const mayBeAlgo = sent === undefined || sent.isAlgo;
    if (mayBeAlgo && now < (sent?.at ?? this.#bornAt) + ALGO_PROVEN_AFTER_MS)
      return unknown('a conditional order with this id may still arrive');
    const of = { ...ordersOf(kind), instId };
    const algos = sent && !sent.isAlgo ? [] : await this.openAlgos(of);
    const waiting = algos?.find(({ algoClOrdId }) => algoClOrdId === wireId);
    if (waiting) return this.#found(this.#stateOfAlgo(waiting), null);
    const open = algos && (await this.openRows(of));
    if (!open) return unknown('the lists that would deny it could not be read');
    const all: OrderRow[] = [...open];
    const limit = String(PAGE);
    for (const instType of kind === 'swap' ? ['SWAP'] : ['SPOT', 'MARGIN']) {
      const ended = await this.#orders.ask(`ended ${instType} ${instId}`, () =>
        questions.rows(OKX.orderHistory, { instType, instId, limit }, readOrders),
      );
      if (!ended) return unknown('the lists that would deny it could not be read');
      all.push(...ended);
    }
    const row = all.find(({ clOrdId }) => clOrdId === wireId);
    if (row) return this.#found(this.stateOf(row), row);
    const fills = await this.#fills.ask(instId, () =>
      questions.rows(OKX.fills, { instId, limit }, readFills),
    );
    if (!fills) return unknown('the executions that would deny it could not be read');
    const isExecuted = fills.some(({ clOrdId }) => clOrdId === wireId);
    return isExecuted ? unknown('an execution of it is told, and the order is not yet') : { kind: 'absent' };
  }
}
