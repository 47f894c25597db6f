/**
 * Places, cancels and reduces orders of a spot account. Each outcome is the exchange's own word, or unknown.
 */
import {
  type AmendOutcome,
  type CancelAllOutcome,
  type CancelOutcome,
  ENDS,
  type ExchangeOrder,
  type ExchangeOrderState,
  type OrderChange,
  type QueryOutcome,
  type Rejected,
  type SubmitOutcome,
} from '../../../domain/exchange.ts';
import type { Caller, CallResult, CallTerms } from '../../kit/caller.ts';
import type { ClockOffset } from '../../kit/clock-offset.ts';
import type { CodedRequest, Meaning } from '../../kit/code-table.ts';
import type { Complaints } from '../../kit/complaints.ts';
import type { Message } from '../../kit/messages.ts';
import type { Refused } from '../../kit/paced.ts';
import type { Dispatch, OrderRef } from '../../venue.ts';
import { errorOf } from '../dialect.ts';
import { troubleOf } from '../trouble.ts';
import { whichOf } from './account-questions.ts';
import { SPOT_CODES } from './codes.ts';
import { readAmended, readCancelled, readCancelledAll, readPlaced } from './messages.ts';
import { stateOfAmended, stateOfCancelled, stateOfPlaced } from './order-states.ts';
import { SPOT } from './requests.ts';
import { spotOrder } from './wire-order.ts';

export interface SpotOrdersOptions {
  readonly caller: Caller;
  readonly complaints: Complaints;
  readonly offset: Pick<ClockOffset, 'now'>;
  readonly orderOf: (ref: OrderRef, terms?: CallTerms) => Promise<QueryOutcome>;
}

export class SpotOrders {
  readonly #o: SpotOrdersOptions;

  constructor(options: SpotOrdersOptions) {
    this.#o = options;
  }

  async submit(order: ExchangeOrder, dispatch: Dispatch): Promise<SubmitOutcome> {
    const wire = spotOrder(order);
    if (wire.kind === 'rejected') return wire;
    return this.#o.caller.submit(SPOT.place, wire.parameters, dispatch, (called): SubmitOutcome => {
      if (called.kind === 'unsent') return unreached(called.cause);
      const state = this.#stateOf(called, readPlaced, stateOfPlaced);
      if (state) return { kind: 'accepted', state };
      const meaning = meaningOf('submit', called);
      return meaning.kind === 'rejected' ? meaning : { kind: 'unknown', cause: causeOf(meaning) };
    });
  }

  async cancel(ref: OrderRef, dispatch: Dispatch): Promise<CancelOutcome> {
    const { caller, orderOf } = this.#o;
    const outcome = await caller.cancel(
      SPOT.cancel,
      whichOf(ref),
      dispatch,
      (called): CancelOutcome | Refused => {
        // Nothing was sent, so it can simply be asked again.
        if (called.kind === 'unsent') return { kind: 'unknown', cause: called.cause };
        const state = this.#stateOf(called, readCancelled, (row) => stateOfCancelled(row, this.#now));
        if (state) return { kind: 'done', state };
        const meaning = meaningOf('cancel', called);
        if (meaning.kind === 'gone') return { kind: 'gone', state: null };
        if (meaning.kind !== 'rejected') return { kind: 'unknown', cause: causeOf(meaning) };
        return meaning.reason === 'RATE_LIMITED' ? { kind: 'over' } : meaning;
      },
    );
    if (outcome.kind !== 'gone') return outcome;
    // How the order ended, if that is known by now.
    const found = await orderOf(ref, { lane: 'cancel' });
    return { kind: 'gone', state: endOf(found) };
  }

  async cancelAll(symbol: string, dispatch: Dispatch): Promise<CancelAllOutcome> {
    const states: ExchangeOrderState[] = [];
    const outcome = await this.#o.caller.cancel(
      SPOT.cancelAll,
      { symbol },
      dispatch,
      (called): CancelOutcome | Refused => {
        const read = okBody(called);
        const rows = read === null ? null : readCancelledAll(read);
        if (rows?.ok) {
          for (const row of rows.value)
            for (const one of 'orderReports' in row ? row.orderReports : [row]) {
              const state = stateOfCancelled(one, this.#now);
              if (state) states.push(state);
            }
          return { kind: 'gone', state: null };
        }
        if (rows) this.#o.complaints.say(SPOT.cancelAll.name, rows.problem);
        const meaning = meaningOf('cancel', called);
        if (meaning.kind === 'gone') return { kind: 'gone', state: null };
        if (meaning.kind !== 'rejected') return { kind: 'unknown', cause: causeOf(meaning) };
        return meaning.reason === 'RATE_LIMITED' ? { kind: 'over' } : meaning;
      },
    );
    if (outcome.kind === 'gone' || outcome.kind === 'done') return { kind: 'done', states };
    return outcome;
  }

  /**
   * Reduces an order; nothing else can be changed. The request names its id, or the exchange would give it a
   * new one.
   */
  async amend(ref: OrderRef, { price, quantity }: OrderChange, dispatch: Dispatch): Promise<AmendOutcome> {
    if (price !== undefined || quantity === undefined)
      return {
        kind: 'rejected',
        reason: 'UNSUPPORTED',
        code: 'FORM',
        message: 'not sent: Binance spot changes nothing of an order but its quantity, and that to less',
      };
    const parameters = { ...whichOf(ref), newQty: quantity, newClientOrderId: ref.clientId };
    const outcome = await this.#o.caller.amend(SPOT.amend, parameters, dispatch, (called): AmendOutcome => {
      if (called.kind === 'unsent') return unreached(called.cause);
      const state = this.#stateOf(called, readAmended, stateOfAmended);
      if (state) return { kind: 'done', state };
      const meaning = meaningOf('amend', called);
      if (meaning.kind === 'gone') return { kind: 'gone', state: null };
      return meaning.kind === 'rejected' ? meaning : { kind: 'unknown', cause: causeOf(meaning) };
    });
    if (outcome.kind !== 'gone') return outcome;
    const found = await this.#o.orderOf(ref);
    return { kind: 'gone', state: endOf(found) };
  }

  get #now(): number {
    return this.#o.offset.now();
  }

  /** The state in a successful answer. Null: refused, or unreadable, which is reported. */
  #stateOf<T>(
    called: CallResult,
    read: (text: string) => Message<T>,
    stateOf: (body: T) => ExchangeOrderState | null,
  ): ExchangeOrderState | null {
    const text = okBody(called);
    if (text === null) return null;
    const message = read(text);
    const state = message.ok ? stateOf(message.value) : null;
    if (!state)
      this.#o.complaints.say(
        'the answer to an order',
        message.ok ? 'a status that is not known' : message.problem,
      );
    return state;
  }
}

/** How the order ended. A lagging replica may still show it open, which proves nothing. */
function endOf(found: QueryOutcome): ExchangeOrderState | null {
  return found.kind === 'found' && ENDS.has(found.state.status) ? found.state : null;
}

/** A certain rejection: not a byte of the order has left. */
function unreached(cause: string): Rejected {
  return { kind: 'rejected', reason: 'UNREACHED', code: 'UNREACHED', message: `not sent: ${cause}` };
}

function okBody(called: CallResult): string | null {
  return called.kind === 'answer' && called.status === 200 ? called.text : null;
}

/** What an unsuccessful answer means. Its code decides; without a code the outcome is unknown. */
function meaningOf(request: CodedRequest, called: CallResult): Meaning {
  if (called.kind !== 'answer') return { kind: 'unknown', cause: called.cause };
  const error = errorOf(called.text);
  if (error) return SPOT_CODES.meaning(request, error);
  // SPOTDOC rest-api.md "HTTP return codes": refused for too many requests, before anything is done.
  if (called.status === 429 || called.status === 418)
    return {
      kind: 'rejected',
      reason: 'RATE_LIMITED',
      code: String(called.status),
      message: troubleOf(called),
    };
  return { kind: 'unknown', cause: troubleOf(called) };
}

function causeOf(meaning: Exclude<Meaning, { kind: 'rejected' }>): string {
  return meaning.cause;
}
