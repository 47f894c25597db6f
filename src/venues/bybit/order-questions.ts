/**
 * Asks what has become of orders, using the lists that together prove that an order never existed
 * (`BYBIT_ABSENCE`).
 */

import { dec, ZERO } from '../../domain/decimal.ts';
import type { ExchangeFill, ExchangeOrderState, QueryOutcome } from '../../domain/exchange.ts';
import type { Parameters } from '../kit/caller.ts';
import type { Complaints } from '../kit/complaints.ts';
import type { RequestForm } from '../kit/requests.ts';
import type { OrderRef } from '../venue.ts';
import type { BybitFills } from './fills.ts';
import { BYBIT_ABSENCE } from './forms.ts';
import { type OrderRow, readOrders } from './messages.ts';
import { type StatesGiven, stateOf } from './order-states.ts';
import type { Questions } from './questions.ts';
import type { BybitRequests } from './requests.ts';
import { SETTLED_IN } from './settings.ts';

export interface OrderQuestionsOptions extends StatesGiven {
  readonly questions: Questions;
  readonly requests: BybitRequests;
  readonly fills: BybitFills;
  readonly complaints: Complaints;
}

type Found =
  | { readonly kind: 'found'; readonly row: OrderRow }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly cause: string };

export class OrderQuestions {
  readonly #o: OrderQuestionsOptions;
  readonly #lists: readonly RequestForm[];

  constructor(options: OrderQuestionsOptions) {
    this.#o = options;
    const { realtime, history, executions } = options.requests;
    const known = [realtime, history, executions];
    this.#lists = BYBIT_ABSENCE.lists.map((path) => {
      const form = known.find((one) => one.path === path);
      if (!form) throw new RangeError(`no request asks ${path}`);
      return form;
    });
  }

  async query(ref: OrderRef): Promise<QueryOutcome> {
    const which = whichOf(ref);
    for (const form of this.#lists) {
      if (form === this.#o.requests.executions) {
        const fills = await this.#o.fills.of(which);
        if (!fills) return unknown('its executions could not be read');
        // The order exists; its state comes from a list that does not have it yet.
        if (fills.length > 0)
          return unknown('it has executed, and no list of orders tells how it stands yet');
        continue;
      }
      const found = await this.#find(form, which);
      if (found.kind === 'failed') return unknown(found.cause);
      if (found.kind === 'found') return this.#found(found.row);
    }
    return { kind: 'absent' };
  }

  /**
   * Returns an order's state from the list of open and recently ended orders; null: the order is not in it,
   * or the question failed.
   */
  async now(ref: OrderRef): Promise<ExchangeOrderState | null> {
    const found = await this.#find(this.#o.requests.realtime, whichOf(ref));
    return found.kind === 'found' ? stateOf(found.row, this.#o) : null;
  }

  /** Returns all open and conditional orders; null: a question failed, or one order cannot be read. */
  async open(): Promise<ExchangeOrderState[] | null> {
    const { category, complaints } = this.#o;
    const parts: Parameters[] =
      category === 'spot' ? [{}] : SETTLED_IN.map((settleCoin): Parameters => ({ settleCoin }));
    const states = new Map<string, ExchangeOrderState>();
    for (const part of parts) {
      const rows = await this.#o.questions.rows(
        this.#o.requests.realtime,
        { category, ...part, limit: '50' },
        readOrders,
      );
      if (!rows) return null;
      for (const row of rows) {
        const state = stateOf(row, this.#o);
        if (!state) {
          complaints.say(
            'open orders',
            `status ${row.orderStatus}, type ${row.orderType} of one is not known`,
          );
          return null;
        }
        states.set(row.orderId, state);
      }
    }
    return [...states.values()];
  }

  async #find(form: RequestForm, which: Parameters): Promise<Found> {
    const { questions, category } = this.#o;
    const asked = await questions.ask(form, { category, ...which }, readOrders);
    if (asked.kind === 'failed') return asked;
    const { list } = asked.value.result;
    // The answer to a question by an id contains only that order; any other row is not an answer to it.
    const row = list.find(({ orderId, orderLinkId }) =>
      which.orderId === undefined ? orderLinkId === which.orderLinkId : orderId === which.orderId,
    );
    return row ? { kind: 'found', row } : { kind: 'absent' };
  }

  /** The state of an order, with its executions if it has some. */
  async #found(row: OrderRow): Promise<QueryOutcome> {
    const state = stateOf(row, this.#o);
    if (!state) return unknown('the exchange says of it what is not known here');
    if (dec(state.cumQty) === ZERO) return { kind: 'found', state, fills: [] };
    const { symbol, orderId } = row;
    const fills: readonly ExchangeFill[] | null = await this.#o.fills.of({ symbol, orderId });
    return fills ? { kind: 'found', state, fills } : unknown('its executions could not be read');
  }
}

/**
 * The parameters that name an order. Only one id is sent, since with both the exchange silently uses its own.
 */
export function whichOf({ clientId, symbol, venueIds }: OrderRef): Parameters {
  const [orderId] = venueIds ?? [];
  return orderId === undefined ? { symbol, orderLinkId: clientId } : { symbol, orderId };
}

function unknown(cause: string): QueryOutcome {
  return { kind: 'unknown', cause };
}
