/**
 * Orders of an account of Bybit on their way: placed, cancelled, changed. Every answer is an acknowledgement alone (S63): what came of it
 * is told by the stream or a question within a second, or is not known. What a refusal means is decided by its code.
 */

import { dec } from '../../domain/decimal.ts';
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeOrder,
  ExchangeOrderState,
  OrderChange,
  SubmitOutcome,
} from '../../domain/exchange.ts';
import { ENDS } from '../../domain/exchange.ts';
import type { Called, Caller, Parameters } from '../kit/caller.ts';
import type { Meaning } from '../kit/code-table.ts';
import type { Complaints } from '../kit/complaints.ts';
import type { Refused } from '../kit/paced.ts';
import type { Dispatch, OrderRef } from '../venue.ts';
import type { AccountFacts } from './account-facts.ts';
import type { Category } from './category.ts';
import { readAck, readAckAll } from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import { type OrderQuestions, whichOf } from './order-questions.ts';
import type { OrderWatch } from './order-watch.ts';
import { meaningOf, successOf } from './questions.ts';
import type { BybitRequests } from './requests.ts';
import { waits, wireOrder } from './wire-order.ts';

export interface OrderCallsOptions {
  readonly caller: Caller;
  readonly category: Category;
  readonly requests: BybitRequests;
  readonly names: OrderNamesKept;
  readonly facts: AccountFacts;
  readonly orders: OrderQuestions;
  readonly watch: OrderWatch;
  readonly complaints: Complaints;
  /** An order was taken that was handed over at `since`, monotonic, and a question told of it: an event is owed. */
  readonly taken: (since: number) => void;
}

/** Books in which orders of spot lie: a cancel has to name the right one (DOC order/cancel-order). */
const PLAIN = 'Order';
const WAITING = ['StopOrder', 'tpslOrder'] as const;
/** Of the website; they are cancelled with all others of a symbol only (DOC order/cancel-all). */
const OF_OTHERS = ['OcoOrder', 'BidirectionalTpslOrder'] as const;

const UNDECIDED = 'it was acknowledged, and what came of it was not told within a second';

export class OrderCalls {
  readonly #o: OrderCallsOptions;

  constructor(options: OrderCallsOptions) {
    this.#o = options;
  }

  async submit(order: ExchangeOrder, dispatch: Dispatch): Promise<SubmitOutcome> {
    const { caller, category, requests, names, orders, watch, taken } = this.#o;
    const wire = wireOrder(order, category);
    if (wire.kind === 'rejected') return wire;
    names.sends(order);
    const { clientId, symbol } = order;
    const watched = watch.begin(
      (state) => state.clientId === clientId && state.symbol === symbol,
      () => true,
    );
    let isTaken = false;
    const since = caller.way.now;
    const outcome = await caller.submit(requests.place, wire.parameters, dispatch, (called) => {
      const refused = this.#refused(order, called);
      isTaken = refused === null;
      return refused ?? unknown(UNDECIDED);
    });
    if (!isTaken) {
      watched.end();
      return outcome;
    }
    const state = await watched.decided(async () => {
      const now = await orders.now({ clientId, symbol });
      if (now) taken(since);
      return now;
    });
    if (!state) return outcome;
    if (state.status !== 'REJECTED') return { kind: 'accepted', state };
    const { reason = 'OTHER', text = 'refused by the exchange' } = state;
    return { kind: 'rejected', reason, code: 'Rejected', message: text };
  }

  /** Null: it was acknowledged, for this very order. */
  #refused(order: ExchangeOrder, called: Called): SubmitOutcome | null {
    if (called.kind === 'unsent')
      return { kind: 'rejected', reason: 'UNREACHED', code: 'UNSENT', message: called.cause };
    const text = successOf(called);
    if (text === null) return this.#meant(order, called);
    const read = readAck(text);
    if (!read.ok) {
      this.#o.complaints.say('the answer to an order', read.problem);
      return unknown(`it may have been taken: ${read.problem}`);
    }
    const { orderLinkId = order.clientId } = read.value.result;
    return orderLinkId === order.clientId ? null : unknown('the answer is of another order');
  }

  #meant(order: ExchangeOrder, called: Called): SubmitOutcome {
    const meaning = meaningOf('submit', called);
    if (meaning.kind !== 'rejected') return unknown(causeOf(meaning));
    const { symbol, side, positionSide = 'BOTH' } = order;
    // Where there is something to reduce, others that rest do so already: once they are gone it is taken.
    const isBlocked =
      meaning.reason === 'REDUCE_ONLY' && this.#o.facts.hasToReduce(symbol, side, positionSide);
    return isBlocked ? { ...meaning, reason: 'EXITS_REST' } : meaning;
  }

  async cancel(ref: OrderRef, dispatch: Dispatch): Promise<CancelOutcome> {
    let outcome: CancelOutcome = { kind: 'gone', state: null };
    for (const orderFilter of this.#booksOf(ref)) {
      outcome = await this.#cancelIn(orderFilter, ref, dispatch);
      if (outcome.kind !== 'gone' || outcome.state) return outcome;
    }
    const found = await this.#o.orders.query(ref);
    return { kind: 'gone', state: found.kind === 'found' ? endOf(found.state) : null };
  }

  /** The likely one first; of contracts there is one. */
  #booksOf({ clientId }: OrderRef): readonly (string | null)[] {
    if (this.#o.category !== 'spot') return [null];
    const sent = this.#o.names.sent(clientId);
    // What has fired lies with the plain ones.
    if (sent) return waits(sent) ? [...WAITING, PLAIN] : [PLAIN];
    return [PLAIN, ...WAITING];
  }

  async #cancelIn(orderFilter: string | null, ref: OrderRef, dispatch: Dispatch): Promise<CancelOutcome> {
    const { caller, category, requests, orders, watch } = this.#o;
    const parameters: Parameters = {
      category,
      ...whichOf(ref),
      ...(orderFilter === null ? {} : { orderFilter }),
    };
    const watched = watch.begin(isOf(ref), (state) => ENDS.has(state.status));
    let isTaken = false;
    const outcome = await caller.cancel(requests.cancel, parameters, dispatch, (called) => {
      isTaken = successOf(called) !== null;
      return isTaken ? unknown(UNDECIDED) : this.#notCancelled(called);
    });
    if (!isTaken) {
      watched.end();
      return outcome;
    }
    const state = await watched.decided(() => orders.now(ref));
    if (!state) return outcome;
    // It lost the race: executed before it could be cancelled.
    return state.status === 'FILLED' ? { kind: 'gone', state } : { kind: 'done', state };
  }

  #notCancelled(called: Called): CancelOutcome | Refused {
    const meaning = meaningOf('cancel', called);
    if (meaning.kind === 'rejected' && meaning.reason === 'RATE_LIMITED') return { kind: 'over' };
    if (meaning.kind === 'rejected') return meaning;
    return meaning.kind === 'gone' ? { kind: 'gone', state: null } : unknown(causeOf(meaning));
  }

  /** Contracts have one request for all; on spot each book has one. */
  async cancelAll(symbol: string, dispatch: Dispatch): Promise<CancelAllOutcome> {
    const books = this.#o.category === 'spot' ? [PLAIN, ...WAITING, ...OF_OTHERS] : [null];
    const states: ExchangeOrderState[] = [];
    let refused: CancelAllOutcome | null = null;
    let isAnyDone = false;
    for (const orderFilter of books) {
      const outcome = await this.#cancelAllIn(orderFilter, symbol, dispatch);
      if (outcome.kind === 'unknown') return outcome;
      if (outcome.kind === 'rejected') refused ??= outcome;
      else {
        isAnyDone = true;
        states.push(...outcome.states);
      }
    }
    if (refused?.kind !== 'rejected') return { kind: 'done', states };
    // A part was carried out.
    return isAnyDone ? unknown(refused.message) : refused;
  }

  async #cancelAllIn(
    orderFilter: string | null,
    symbol: string,
    dispatch: Dispatch,
  ): Promise<CancelAllOutcome> {
    const { caller, category, requests, orders, watch } = this.#o;
    const ended = new Map<string, ExchangeOrderState>();
    const watched = watch.begin(
      (state) => state.symbol === symbol,
      (state) => {
        const [id = ''] = state.venueIds ?? [];
        if (ENDS.has(state.status)) ended.set(id, state);
        return false;
      },
    );
    let taken: readonly { readonly orderId: string; readonly orderLinkId?: string }[] | null = null;
    const parameters = { category, symbol, ...(orderFilter === null ? {} : { orderFilter }) };
    const outcome = await caller.cancel(requests.cancelAll, parameters, dispatch, (called) => {
      const text = successOf(called);
      if (text === null) return this.#notCancelled(called);
      const read = readAckAll(text);
      if (!read.ok) return unknown(read.problem);
      if ((read.value.result.success ?? '1') !== '1')
        return unknown('the exchange says that it did not cancel all');
      taken = read.value.result.list;
      return { kind: 'gone', state: null };
    });
    watched.end();
    if (outcome.kind === 'rejected' || outcome.kind === 'unknown') return outcome;
    const named: readonly { readonly orderId: string; readonly orderLinkId?: string }[] = taken ?? [];
    const states = await Promise.all(
      named.map(({ orderId, orderLinkId: clientId = '' }) => {
        const known = ended.get(orderId);
        const ref = { clientId, symbol, venueIds: [orderId] };
        if (known) return known;
        return watch.begin(isOf(ref), (state) => ENDS.has(state.status)).decided(() => orders.now(ref));
      }),
    );
    // Of what is not told yet the exchange is asked by whoever has asked for this.
    return { kind: 'done', states: states.filter((state) => state !== null) };
  }

  async amend(ref: OrderRef, change: OrderChange, dispatch: Dispatch): Promise<AmendOutcome> {
    const { caller, category, requests, orders, watch } = this.#o;
    const { price, quantity } = change;
    const parameters: Parameters = {
      category,
      ...whichOf(ref),
      ...(quantity === undefined ? {} : { qty: quantity }),
      ...(price === undefined ? {} : { price }),
    };
    const isSo = ({ status, terms, origQty }: ExchangeOrderState) =>
      ENDS.has(status) ||
      ((price === undefined || (terms?.price !== undefined && isSame(terms.price, price))) &&
        (quantity === undefined || isSame(origQty, quantity)));
    const watched = watch.begin(isOf(ref), isSo);
    let isTaken = false;
    const outcome = await caller.amend(requests.amend, parameters, dispatch, (called): AmendOutcome => {
      if (called.kind === 'unsent')
        return { kind: 'rejected', reason: 'UNREACHED', code: 'UNSENT', message: called.cause };
      isTaken = successOf(called) !== null;
      if (isTaken) return unknown(UNDECIDED);
      const meaning = meaningOf('amend', called);
      if (meaning.kind === 'rejected') return meaning;
      return meaning.kind === 'gone' ? { kind: 'gone', state: null } : unknown(causeOf(meaning));
    });
    if (!isTaken) {
      watched.end();
      if (outcome.kind !== 'gone') return outcome;
      const found = await orders.query(ref);
      return { kind: 'gone', state: found.kind === 'found' ? endOf(found.state) : null };
    }
    const state = await watched.decided(() => orders.now(ref));
    return state ? { kind: 'done', state } : outcome;
  }
}

function isSame(one: string, other: string): boolean {
  return /^\d{1,30}(\.\d{1,30})?$/.test(other) && dec(one) === dec(other);
}

function isOf({ clientId, symbol, venueIds }: OrderRef): (state: ExchangeOrderState) => boolean {
  const [id] = venueIds ?? [];
  return (state) =>
    state.symbol === symbol &&
    (id === undefined ? state.clientId === clientId : (state.venueIds ?? []).includes(id));
}

/** How it has ended; a list that lags may still show it open, which says nothing. */
function endOf(state: ExchangeOrderState): ExchangeOrderState | null {
  return ENDS.has(state.status) ? state : null;
}

function causeOf(meaning: Meaning): string {
  return meaning.kind === 'rejected' ? meaning.message : meaning.cause;
}

function unknown(cause: string): { readonly kind: 'unknown'; readonly cause: string } {
  return { kind: 'unknown', cause };
}
