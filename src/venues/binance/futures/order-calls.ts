/**
 * Places, cancels and changes orders of a USD-M futures account. Only the code of an answer decides what it
 * means; an unreadable answer proves nothing.
 */
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeOrder,
  ExchangeOrderState,
  OrderChange,
  Rejected,
  SubmitOutcome,
} from '../../../domain/exchange.ts';
import { ENDS } from '../../../domain/exchange.ts';
import { numbersOf } from '../../kit/algo-names.ts';
import type { Caller, CallResult, Parameters } from '../../kit/caller.ts';
import type { Meaning } from '../../kit/code-table.ts';
import type { Refused } from '../../kit/paced.ts';
import type { RequestForm } from '../../kit/requests.ts';
import type { Dispatch, OrderRef } from '../../venue.ts';
import type { AccountFacts } from './account-facts.ts';
import { readAlgo, readDone, readOrder } from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import { childOf, type OrderQuestions } from './order-questions.ts';
import { stageOf } from './order-states.ts';
import { meaningOf, successOf } from './questions.ts';
import { FUTURES } from './requests.ts';
import { isAlgo, wireOrder } from './wire-order.ts';

export interface OrderCallsOptions {
  readonly caller: Caller;
  readonly names: OrderNamesKept;
  readonly facts: AccountFacts;
  readonly orders: OrderQuestions;
  /** Called when an order handed over at `since`, monotonic, was accepted: an event must follow. */
  readonly taken: (since: number) => void;
}

/** Modify Order: the order already has these values. */
const IS_SO = '-5027';
const ENDS_POST_ONLY = '-5022';
/** The exchange does not accept this parameter here: reduceOnly. */
const NOT_REQUIRED = '-1106';
const FLAG_CURE =
  'the account takes no reduceOnly with orders that wait for a trigger, and one without it could open a position: use one that closes the position';
const IN_MULTI_ASSETS: Rejected = {
  kind: 'rejected',
  reason: 'ACCOUNT_RESTRICTED',
  code: 'MULTI_ASSETS',
  message:
    'not sent: the account is in multi-assets mode, whose collateral is not computed here, so nothing new is opened: set margin mode 1',
};
const FIRING =
  'its trigger has been met and it is on its way to the matching engine: it cannot be cancelled at this moment';

export class OrderCalls {
  readonly #o: OrderCallsOptions;

  constructor(options: OrderCallsOptions) {
    this.#o = options;
  }

  async submit(order: ExchangeOrder, dispatch: Dispatch): Promise<SubmitOutcome> {
    if (this.#o.facts.multiAssets && dispatch.lane === 'entry') return IN_MULTI_ASSETS;
    const outcome = await this.#place(order, dispatch);
    const isRefusedFlag = outcome.kind === 'rejected' && outcome.code === NOT_REQUIRED;
    if (!isRefusedFlag || !isAlgo(order) || !order.reduceOnly) return outcome;
    // The flag is documented for this family, and refused on some accounts (NT#4192): an order that closes
    // all needs none.
    const { symbol, side, quantity = '0', price, trailingDelta } = order;
    const takesAll = price === undefined && trailingDelta === undefined;
    if (!takesAll || !this.#o.facts.closesAll(symbol, side, quantity))
      return { ...outcome, message: `${outcome.message}; ${FLAG_CURE}` };
    // The order before was refused, so this is the only one.
    return this.#place({ ...order, closePosition: true }, dispatch);
  }

  #place(order: ExchangeOrder, dispatch: Dispatch): Promise<SubmitOutcome> {
    const wire = wireOrder(order);
    if (wire.kind === 'rejected') return Promise.resolve(wire);
    if (isAlgo(order)) this.#o.names.sendsAlgo(order.clientId);
    const since = this.#o.caller.way.now;
    return this.#o.caller.submit(wire.form, wire.parameters, dispatch, (called) =>
      this.#submitted(order, called, since),
    );
  }

  #submitted(order: ExchangeOrder, called: CallResult, since: number): SubmitOutcome {
    if (called.kind === 'unsent')
      return { kind: 'rejected', reason: 'UNREACHED', code: 'UNSENT', message: called.cause };
    const text = successOf(called);
    if (text === null) return this.#refused(order, called);
    const state = isAlgo(order) ? this.#algoOf(text) : this.#orderOf(text);
    if (typeof state === 'string') return unknown(`it may have been taken: ${state}`);
    if (state.clientId !== order.clientId || state.symbol !== order.symbol)
      return unknown(`the answer is of another order, ${state.clientId}`);
    this.#o.taken(since);
    return { kind: 'accepted', state };
  }

  #refused(order: ExchangeOrder, called: CallResult): SubmitOutcome {
    const meaning = meaningOf('submit', called);
    if (meaning.kind !== 'rejected') return unknown(causeOf(meaning));
    const { symbol, side, positionSide = 'BOTH' } = order;
    // If there is a position to reduce, other resting orders already reduce it: without them it would be
    // accepted.
    const isBlocked =
      meaning.reason === 'REDUCE_ONLY' && this.#o.facts.hasToReduce(symbol, side, positionSide);
    return isBlocked ? { ...meaning, reason: 'EXITS_REST' } : meaning;
  }

  async cancel(ref: OrderRef, dispatch: Dispatch): Promise<CancelOutcome> {
    const { clientId, symbol, venueIds } = ref;
    const { algoId, orderId } = numbersOf(venueIds);
    if (orderId !== undefined) return this.#cancelOrder({ symbol, orderId }, dispatch);
    if (algoId !== undefined) return this.#cancelAlgo({ algoId }, dispatch);
    if (this.#o.names.wasAlgo(clientId)) return this.#cancelAlgo({ clientAlgoId: clientId }, dispatch);
    const outcome = await this.#cancelOrder({ symbol, origClientOrderId: clientId }, dispatch);
    if (outcome.kind !== 'gone') return outcome;
    return this.#cancelAlgo({ clientAlgoId: clientId }, dispatch);
  }

  #cancelOrder(which: Parameters, dispatch: Dispatch): Promise<CancelOutcome> {
    return this.#o.caller.cancel(FUTURES.cancel, which, dispatch, (called) => {
      const text = successOf(called);
      if (text === null) return this.#notCancelled(called);
      const state = this.#orderOf(text);
      return typeof state === 'string' ? unknown(state) : { kind: 'done', state };
    });
  }

  /** Cancels a conditional order. The answer names no state, so the state is asked for. */
  async #cancelAlgo(which: Parameters, dispatch: Dispatch): Promise<CancelOutcome> {
    let isDone = false;
    const outcome = await this.#o.caller.cancel(FUTURES.cancelAlgo, which, dispatch, (called) => {
      const text = successOf(called);
      if (text === null) return this.#notCancelled(called);
      isDone = readDone(text).ok;
      return unknown('whether it was cancelled could not be read');
    });
    if (!isDone && outcome.kind !== 'gone') return outcome;
    const asked = await this.#o.orders.algo(which, { lane: 'cancel' });
    if (asked.kind === 'absent') return { kind: 'gone', state: null };
    if (asked.kind === 'failed') return unknown(asked.cause);
    const { symbol, algoStatus, actualOrderId } = asked.value;
    const state = this.#o.orders.stateOfAlgo(asked.value);
    const child = childOf(actualOrderId);
    // It was triggered meanwhile: now the order that its trigger has made must be cancelled.
    if (child !== null) return this.#cancelOrder({ symbol, orderId: child }, dispatch);
    if (stageOf(algoStatus) === 'firing')
      return { kind: 'rejected', reason: 'OVERLOADED', code: '-2011', message: FIRING };
    if (!state || !ENDS.has(state.status)) return unknown('it was cancelled and is still told as open');
    return isDone ? { kind: 'done', state } : { kind: 'gone', state };
  }

  #notCancelled(called: CallResult): CancelOutcome | Refused {
    const meaning = meaningOf('cancel', called);
    if (meaning.kind === 'rejected' && meaning.reason === 'RATE_LIMITED') return { kind: 'over' };
    if (meaning.kind === 'rejected') return meaning;
    return meaning.kind === 'gone' ? { kind: 'gone', state: null } : unknown(causeOf(meaning));
  }

  /** Cancels the orders of both families; events report which ones. */
  async cancelAll(symbol: string, dispatch: Dispatch): Promise<CancelAllOutcome> {
    const all: CancelOutcome[] = [];
    for (const form of [FUTURES.cancelAll, FUTURES.cancelAllAlgo])
      all.push(await this.#cancelAllOf(form, symbol, dispatch));
    const lost = all.find(({ kind }) => kind === 'unknown');
    if (lost?.kind === 'unknown') return lost;
    const refused = all.find(({ kind }) => kind === 'rejected');
    if (refused?.kind !== 'rejected') return { kind: 'done', states: [] };
    // One of the two requests was carried out.
    return all.every(({ kind }) => kind === 'rejected') ? refused : unknown(refused.message);
  }

  #cancelAllOf(form: RequestForm, symbol: string, dispatch: Dispatch): Promise<CancelOutcome> {
    return this.#o.caller.cancel(form, { symbol }, dispatch, (called) => {
      // Without open orders the answer is a success, too.
      const text = successOf(called);
      if (text === null) return this.#notCancelled(called);
      const read = readDone(text);
      return read.ok ? { kind: 'gone', state: null } : unknown(read.problem);
    });
  }

  /**
   * Changes an order. The exchange requires price, quantity and side: taken from the desk, else asked for
   * now.
   */
  async amend(ref: OrderRef, change: OrderChange, dispatch: Dispatch): Promise<AmendOutcome> {
    const { clientId, symbol, venueIds } = ref;
    const { orderId } = numbersOf(venueIds);
    const which: Parameters = orderId === undefined ? { origClientOrderId: clientId } : { orderId };
    const whole = await this.#wholeOf(symbol, which, change);
    if ('kind' in whole) return whole;
    const parameters = { symbol, ...which, ...whole };
    const within = change.known?.price === undefined ? bound(dispatch) : dispatch;
    const outcome = await this.#o.caller.amend(FUTURES.amend, parameters, within, (called) =>
      this.#amended(called),
    );
    if (outcome.kind !== 'rejected') return outcome;
    if (outcome.code === ENDS_POST_ONLY) return this.#afterTaking(symbol, which);
    return outcome.code === IS_SO ? this.#asItIs(symbol, which) : outcome;
  }

  async #wholeOf(
    symbol: string,
    which: Parameters,
    { price, quantity, known }: OrderChange,
  ): Promise<AmendOutcome | { readonly side: string; readonly price: string; readonly quantity: string }> {
    // A replica's answer may be older than what the desk has heard.
    if (known?.price !== undefined)
      return { side: known.side, price: price ?? known.price, quantity: quantity ?? known.quantity };
    const asked = await this.#o.orders.order(symbol, which);
    if (asked.kind === 'absent') return { kind: 'gone', state: null };
    if (asked.kind === 'failed') return unknown(asked.cause);
    const now = this.#o.orders.stateOf(asked.value);
    if (!now) return unknown('the exchange says of it what is not known here');
    if (ENDS.has(now.status)) return { kind: 'gone', state: now };
    const { side, origQty } = asked.value;
    return { side, price: price ?? asked.value.price, quantity: quantity ?? origQty };
  }

  /** Answers for an order that had nothing to change. */
  async #asItIs(symbol: string, which: Parameters): Promise<AmendOutcome> {
    const asked = await this.#o.orders.order(symbol, which);
    const state = asked.kind === 'found' ? this.#o.orders.stateOf(asked.value) : null;
    return state ? { kind: 'done', state } : unknown('it is so already, and how it is could not be read');
  }

  /**
   * Answers for a post-only order whose new price would have taken: the exchange cancels it (Modify Order).
   */
  async #afterTaking(symbol: string, which: Parameters): Promise<AmendOutcome> {
    const asked = await this.#o.orders.order(symbol, which);
    const state = asked.kind === 'found' ? this.#o.orders.stateOf(asked.value) : null;
    if (!state) return unknown('its new price would have taken, and what became of it could not be read');
    if (ENDS.has(state.status)) return { kind: 'done', state };
    const message = 'post-only: its new price would have taken';
    return { kind: 'rejected', reason: 'POST_ONLY', code: ENDS_POST_ONLY, message };
  }

  #amended(called: CallResult): AmendOutcome {
    if (called.kind === 'unsent')
      return { kind: 'rejected', reason: 'UNREACHED', code: 'UNSENT', message: called.cause };
    const text = successOf(called);
    if (text !== null) {
      const state = this.#orderOf(text);
      return typeof state === 'string' ? unknown(state) : { kind: 'done', state };
    }
    const meaning = meaningOf('amend', called);
    if (meaning.kind === 'rejected') return meaning;
    return meaning.kind === 'gone' ? { kind: 'gone', state: null } : unknown(causeOf(meaning));
  }

  /** Returns the state, or a text: why the answer could not be read. */
  #orderOf(text: string): ExchangeOrderState | string {
    const read = readOrder(text);
    if (!read.ok) return read.problem;
    return this.#o.orders.stateOf(read.value) ?? `its status ${read.value.status} is not known here`;
  }

  #algoOf(text: string): ExchangeOrderState | string {
    const read = readAlgo(text);
    if (!read.ok) return read.problem;
    return this.#o.orders.stateOfAlgo(read.value) ?? `its status ${read.value.algoStatus} is not known here`;
  }
}

/**
 * Bounds a request built from what was just asked for: sent after its first deadline, it would restore
 * outdated values.
 */
function bound(dispatch: Dispatch): Dispatch {
  const { notAfter } = dispatch;
  const leaves = () => {
    dispatch.leaves();
    return { notAfter };
  };
  return { ...dispatch, waitUntil: Math.min(dispatch.waitUntil, notAfter), leaves };
}

function causeOf(meaning: Meaning): string {
  return meaning.kind === 'rejected' ? meaning.message : meaning.cause;
}

function unknown(cause: string): { readonly kind: 'unknown'; readonly cause: string } {
  return { kind: 'unknown', cause };
}
