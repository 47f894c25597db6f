/**
 * Sends the orders of an account of Bybit: places, cancels, changes. Every answer is only an acknowledgement
 * (S63): the result comes from the stream or a question within a second, or is unknown. The code of a refusal
 * decides what it means.
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
import type { Caller, CallResult, Parameters } from '../kit/caller.ts';
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
  /**
   * Called when a question has found an order that was submitted at `since`, monotonic: its event must still
   * come.
   */
  readonly taken: (since: number) => void;
}

/** The groups of spot orders (`orderFilter`): a cancel has to name the right one (DOC order/cancel-order). */
const PLAIN = 'Order';
const WAITING = ['StopOrder', 'tpslOrder'] as const;
/**
 * Orders made on the website; they can only be cancelled together with all others of a symbol (DOC
 * order/cancel-all).
 */
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

  /** The outcome of a submit that was not acknowledged; null: it was acknowledged, for this very order. */
  #refused(order: ExchangeOrder, called: CallResult): SubmitOutcome | null {
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

  #meant(order: ExchangeOrder, called: CallResult): SubmitOutcome {
    const meaning = meaningOf('submit', called);
    if (meaning.kind !== 'rejected') return unknown(causeOf(meaning));
    const { symbol, side, positionSide = 'BOTH' } = order;
    // If there is a position to reduce, other resting orders already reduce all of it: once they are gone,
    // this one will be accepted.
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

  /** The groups to try, the most likely first; contracts have only one. */
  #booksOf({ clientId }: OrderRef): readonly (string | null)[] {
    if (this.#o.category !== 'spot') return [null];
    const sent = this.#o.names.sent(clientId);
    // A triggered order is in the group of plain orders.
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
    // The cancel was too late: the order was executed before.
    return state.status === 'FILLED' ? { kind: 'gone', state } : { kind: 'done', state };
  }

  #notCancelled(called: CallResult): CancelOutcome | Refused {
    const meaning = meaningOf('cancel', called);
    if (meaning.kind === 'rejected' && meaning.reason === 'RATE_LIMITED') return { kind: 'over' };
    if (meaning.kind === 'rejected') return meaning;
    return meaning.kind === 'gone' ? { kind: 'gone', state: null } : unknown(causeOf(meaning));
  }

  /** Cancels all orders of a symbol: one request for contracts, on spot one for each group. */
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
    // Part of it was carried out.
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
    // The caller asks the exchange about orders whose end is not known yet.
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

/** The state of an order that has ended; a list that lags may still show it as open, which proves nothing. */
function endOf(state: ExchangeOrderState): ExchangeOrderState | null {
  return ENDS.has(state.status) ? state : null;
}

function causeOf(meaning: Meaning): string {
  return meaning.kind === 'rejected' ? meaning.message : meaning.cause;
}

function unknown(cause: string): { readonly kind: 'unknown'; readonly cause: string } {
  return { kind: 'unknown', cause };
}
