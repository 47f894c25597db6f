/**
 * Places, cancels and changes orders at OKX. An answer says that a request was accepted, not its outcome:
 * after a cancel or a change the order itself is asked for. Only the code of a refusal decides what it means.
 */
import type { Clock } from '../../domain/clock.ts';
import { dec } from '../../domain/decimal.ts';
import {
  type AmendOutcome,
  type CancelAllOutcome,
  type CancelOutcome,
  ENDS,
  type ExchangeOrder,
  type ExchangeOrderState,
  type OrderChange,
  type SubmitOutcome,
} from '../../domain/exchange.ts';
import { algoName, numbersOf } from '../kit/algo-names.ts';
import type { Caller, CallResult, Parameters } from '../kit/caller.ts';
import type { ClockOffset } from '../kit/clock-offset.ts';
import type { Refused } from '../kit/paced.ts';
import type { Dispatch, OrderRef } from '../venue.ts';
import { type OkxMarketKind, ordersOf } from './account-given.ts';
import type { AccountMode } from './account-mode.ts';
import { wireIdOf } from './client-ids.ts';
import { LINES } from './dialect.ts';
import { type Listed, type Listing, sizeOf } from './instruments.ts';
import type { OrderNamesKept } from './order-names.ts';
import type { OrderQuestions } from './order-questions.ts';
import { childOf, stageOf, stateOfAlgo } from './order-states.ts';
import { type Acked, ackOf, causeOf, unknown } from './questions.ts';
import { OKX, type OkxForm } from './requests.ts';
import { isAlgo, wireOrder } from './wire-order.ts';

export interface OrderCallsOptions {
  readonly kind: OkxMarketKind;
  readonly caller: Caller;
  readonly clock: Pick<Clock, 'after'>;
  readonly offset: Pick<ClockOffset, 'stamp'>;
  readonly names: OrderNamesKept;
  readonly listed: Listed;
  readonly mode: AccountMode;
  readonly orders: OrderQuestions;
  /** Whether there is a position that an order of this kind would reduce, as far as is known. */
  readonly hasToReduce: (order: ExchangeOrder) => boolean;
}

/** Waits before each look at the order after an answer, ms: the change is usually made within them. */
const LOOKS_MS = [0, 100, 300] as const;
/** Most orders in one request. */
const BATCH = 20;
const ALGO_BATCH = 10;

export class OrderCalls {
  readonly #o: OrderCallsOptions;

  constructor(options: OrderCallsOptions) {
    this.#o = options;
  }

  async submit(order: ExchangeOrder, dispatch: Dispatch): Promise<SubmitOutcome> {
    const { kind, listed, mode, names, caller, offset } = this.#o;
    const listing = listed.of(order.symbol);
    if (!listing) return notSent('SYMBOL_UNKNOWN', `OKX lists no ${order.symbol} here`);
    const tdMode = mode.tdMode(kind);
    if (tdMode === null)
      return notSent('ACCOUNT_RESTRICTED', mode.problem(kind) ?? 'its account mode is not known');
    const wire = wireOrder(order, { kind, listing, tdMode });
    if (wire.kind === 'rejected') return wire;
    names.sends(order.clientId, isAlgo(order), caller.way.now);
    // The earliest time at which the exchange can have the order: what it reports later is newer.
    const since = offset.stamp();
    return caller.submit(wire.form, wire.parameters, dispatch, (called) => {
      names.left(order.clientId, caller.way.now);
      return this.#submitted(order, ackOf('submit', called), since);
    });
  }

  #submitted(order: ExchangeOrder, acked: Acked, since: number): SubmitOutcome {
    if (acked.kind === 'unsent') return unreached(acked.cause);
    if (acked.kind === 'not') {
      const { meaning } = acked;
      if (meaning.kind !== 'rejected') return unknown(causeOf(meaning));
      // If there is a position to reduce, other resting orders already reduce it: without them it would be
      // accepted.
      const isBlocked = meaning.reason === 'REDUCE_ONLY' && this.#o.hasToReduce(order);
      return isBlocked ? { ...meaning, reason: 'EXITS_REST' } : meaning;
    }
    const { ordId = '', algoId = '', clOrdId = '', algoClOrdId = '' } = acked.row;
    const waits = isAlgo(order);
    const told = waits ? algoClOrdId || clOrdId : clOrdId;
    const id = waits ? algoId : ordId;
    if (id === '') return unknown('it may have been taken: the answer names no order');
    if (told !== '' && told !== wireIdOf(order.clientId))
      return unknown(`the answer is of another order, ${told}`);
    if (!waits) this.#o.names.heard(id, order.clientId);
    const state: ExchangeOrderState = {
      clientId: order.clientId,
      symbol: order.symbol,
      venueIds: [waits ? algoName(id) : id],
      status: waits ? 'PENDING' : 'WORKING',
      // The quantity bought for an amount is known only at the end.
      origQty: order.quantity ?? '0',
      cumQty: '0',
      seq: since,
      time: since,
    };
    return { kind: 'accepted', state };
  }

  async cancel({ clientId, symbol, venueIds }: OrderRef, dispatch: Dispatch): Promise<CancelOutcome> {
    const listing = this.#o.listed.of(symbol);
    if (!listing) return unknown(`${symbol} was never listed since this start`);
    const { algoId, orderId: ordId } = numbersOf(venueIds);
    if (ordId !== undefined) return this.#cancelOrder(listing, { ordId }, dispatch);
    if (algoId !== undefined) return this.#cancelAlgo(listing, { algoId }, dispatch);
    const wireId = wireIdOf(clientId);
    if (wireId === null) return { kind: 'gone', state: null };
    const waiting = () => this.#cancelAlgo(listing, { algoClOrdId: wireId }, dispatch);
    const sent = this.#o.names.sent(clientId);
    if (sent?.isAlgo) return waiting();
    const outcome = await this.#cancelOrder(listing, { clOrdId: wireId }, dispatch);
    const isNowhere = outcome.kind === 'gone' && outcome.state === null;
    return isNowhere && sent === undefined ? waiting() : outcome;
  }

  async #cancelOrder(listing: Listing, which: Parameters, dispatch: Dispatch): Promise<CancelOutcome> {
    const { outcome, isTaken } = await this.#send(OKX.cancel, { instId: listing.instId, ...which }, dispatch);
    if (!isTaken && outcome.kind !== 'gone') return outcome;
    for (const wait of isTaken ? LOOKS_MS : [0]) {
      await this.#pause(wait);
      const asked = await this.#o.orders.order(listing, which);
      if (asked.kind === 'absent') return { kind: 'gone', state: null };
      const state = asked.kind === 'found' ? this.#o.orders.stateOf(asked.value) : null;
      if (state && ENDS.has(state.status)) return isTaken ? { kind: 'done', state } : { kind: 'gone', state };
    }
    return unknown(
      isTaken ? 'it is being cancelled, and is not yet' : 'it is gone, and is still told as open',
    );
  }

  async #cancelAlgo(listing: Listing, which: Parameters, dispatch: Dispatch): Promise<CancelOutcome> {
    const { outcome, isTaken } = await this.#send(
      OKX.cancelAlgos,
      { instId: listing.instId, ...which },
      dispatch,
    );
    if (!isTaken && outcome.kind !== 'gone') return outcome;
    for (const wait of isTaken ? LOOKS_MS : [0]) {
      await this.#pause(wait);
      const asked = await this.#o.orders.algo(which);
      if (asked.kind === 'absent') return { kind: 'gone', state: null };
      if (asked.kind !== 'found') continue;
      const child = childOf(asked.value);
      // It was triggered meanwhile: now the order that its trigger has made must be cancelled.
      if (child !== null) return this.#cancelOrder(listing, { ordId: child }, dispatch);
      const state = stateOfAlgo(asked.value, listing);
      if (state && stageOf(asked.value) === 'over')
        return isTaken ? { kind: 'done', state } : { kind: 'gone', state };
    }
    return unknown(
      isTaken ? 'it is being cancelled, and is not yet' : 'it is gone, and is still told as open',
    );
  }

  /** Sends a cancel; `isTaken`: it was accepted, and its outcome must be asked for. */
  async #send(form: OkxForm, parameters: Parameters, dispatch: Dispatch) {
    let isTaken = false;
    const outcome = await this.#o.caller.cancel(form, parameters, dispatch, (called) => {
      const acked = ackOf('cancel', called);
      isTaken = acked.kind === 'taken';
      return notCancelled(acked);
    });
    return { outcome, isTaken };
  }

  /**
   * Cancels all orders of a symbol. OKX has no single request for it: the open orders of anyone are listed,
   * then cancelled in as few requests as possible.
   */
  async cancelAll(symbol: string, dispatch: Dispatch): Promise<CancelAllOutcome> {
    const { listed, orders, kind } = this.#o;
    const listing = listed.of(symbol);
    if (!listing) return unknown(`${symbol} was never listed since this start`);
    const of = { ...ordersOf(kind), instId: listing.instId };
    const algos = await orders.openAlgos(of);
    const rows = algos && (await orders.openRows(of));
    if (!rows) return unknown('what is open could not be read');
    const all = [
      ...batchesOf(
        rows.map(({ ordId }) => ordId),
        BATCH,
      ).map((ids) => [OKX.cancelBatch, 'ordId', ids] as const),
      ...batchesOf(
        algos.map(({ algoId }) => algoId),
        ALGO_BATCH,
      ).map((ids) => [OKX.cancelAlgos, 'algoId', ids] as const),
    ];
    for (const [form, name, ids] of all) {
      const parameters = { instId: ids.map(() => listing.instId).join(LINES), [name]: ids.join(LINES) };
      const outcome = await this.#o.caller.cancel(form, parameters, dispatch, cancelledAll);
      if (outcome.kind === 'rejected') return outcome;
      if (outcome.kind === 'unknown') return outcome;
    }
    // Events, and whoever asks, learn the outcome of each.
    return { kind: 'done', states: [] };
  }

  async amend(ref: OrderRef, { price, quantity }: OrderChange, dispatch: Dispatch): Promise<AmendOutcome> {
    const { listed, caller } = this.#o;
    const listing = listed.of(ref.symbol);
    if (!listing) return unknown(`${ref.symbol} was never listed since this start`);
    const { orderId: ordId } = numbersOf(ref.venueIds);
    const wireId = wireIdOf(ref.clientId);
    if (ordId === undefined && wireId === null) return { kind: 'gone', state: null };
    const which: Parameters = ordId === undefined ? { clOrdId: wireId ?? '' } : { ordId };
    const size = quantity === undefined ? undefined : sizeOf(listing, quantity);
    if (size === null) return notSent('LOT_SIZE', `${quantity} is no size that OKX can write`);
    let isTaken = false;
    const parameters = {
      instId: listing.instId,
      ...which,
      ...(size === undefined ? {} : { newSz: size }),
      ...(price === undefined ? {} : { newPx: price }),
      // A failed change leaves the order as it was.
      cxlOnFail: 'false',
    };
    const outcome = await caller.amend(OKX.amend, parameters, dispatch, (called): AmendOutcome => {
      const acked = ackOf('amend', called);
      isTaken = acked.kind === 'taken';
      if (acked.kind === 'unsent') return unreached(acked.cause);
      if (acked.kind === 'taken') return unknown('it was taken in, and is not made yet');
      const { meaning } = acked;
      if (meaning.kind === 'rejected') return meaning;
      return meaning.kind === 'gone' ? { kind: 'gone', state: null } : unknown(causeOf(meaning));
    });
    if (isTaken) return this.#changed(listing, which, { price, quantity });
    return outcome.kind === 'gone' ? this.#gone(listing, which) : outcome;
  }

  async #changed(listing: Listing, which: Parameters, to: OrderChange): Promise<AmendOutcome> {
    for (const wait of LOOKS_MS) {
      await this.#pause(wait);
      const asked = await this.#o.orders.order(listing, which);
      const state = asked.kind === 'found' ? this.#o.orders.stateOf(asked.value) : null;
      if (state && (ENDS.has(state.status) || isSo(state, to))) return { kind: 'done', state };
    }
    return unknown('its change was taken in, and the order is not told as changed');
  }

  async #gone(listing: Listing, which: Parameters): Promise<AmendOutcome> {
    const asked = await this.#o.orders.order(listing, which);
    const state = asked.kind === 'found' ? this.#o.orders.stateOf(asked.value) : null;
    return { kind: 'gone', state: state && ENDS.has(state.status) ? state : null };
  }

  #pause(ms: number): Promise<void> {
    return ms === 0 ? Promise.resolve() : new Promise((resolve) => this.#o.clock.after(ms, resolve));
  }
}

function isSo({ origQty, terms }: ExchangeOrderState, { price, quantity }: OrderChange): boolean {
  const hasPrice = price === undefined || (terms?.price !== undefined && dec(terms.price) === dec(price));
  return hasPrice && (quantity === undefined || dec(origQty) === dec(quantity));
}

function notCancelled(acked: Acked): CancelOutcome | Refused {
  if (acked.kind === 'taken') return unknown('it was taken in');
  if (acked.kind === 'unsent') return unknown(`it was not sent: ${acked.cause}`);
  const { meaning } = acked;
  if (meaning.kind === 'rejected') return meaning.reason === 'RATE_LIMITED' ? { kind: 'over' } : meaning;
  return meaning.kind === 'gone' ? { kind: 'gone', state: null } : unknown(causeOf(meaning));
}

/**
 * The outcome of a batch, whose rows have a word each: an order that is gone counts as cancelled; the others
 * are asked for anyway.
 */
function cancelledAll(called: CallResult): CancelOutcome | Refused {
  const acked = ackOf('cancel', called);
  if (acked.kind === 'taken') return { kind: 'gone', state: null };
  return notCancelled(acked);
}

function batchesOf(ids: readonly string[], most: number): string[][] {
  const batches: string[][] = [];
  for (let at = 0; at < ids.length; at += most) batches.push(ids.slice(at, at + most));
  return batches;
}

function notSent(reason: 'SYMBOL_UNKNOWN' | 'ACCOUNT_RESTRICTED' | 'LOT_SIZE', why: string) {
  return { kind: 'rejected', reason, code: 'FORM', message: `not sent: ${why}` } as const;
}

/** A certain rejection: not a byte of the order has left. */
function unreached(cause: string) {
  return { kind: 'rejected', reason: 'UNREACHED', code: 'UNREACHED', message: `not sent: ${cause}` } as const;
}
