/**
 * The orders of a Bybit account alone: requests are answered in a given order, states told and listed by the
 * test.
 */
import type { ExchangeOrder, ExchangeOrderState, QueryOutcome } from '../../../src/domain/exchange.ts';
import { AccountFacts } from '../../../src/venues/bybit/account-facts.ts';
import type { Category } from '../../../src/venues/bybit/category.ts';
import { OrderCalls } from '../../../src/venues/bybit/order-calls.ts';
import { OrderNamesKept } from '../../../src/venues/bybit/order-names.ts';
import type { OrderQuestions } from '../../../src/venues/bybit/order-questions.ts';
import { OrderWatch } from '../../../src/venues/bybit/order-watch.ts';
import { BYBIT } from '../../../src/venues/bybit/requests.ts';
import type { Caller, CallResult } from '../../../src/venues/kit/caller.ts';
import type { Complaints } from '../../../src/venues/kit/complaints.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import type { Dispatch, OrderRef } from '../../../src/venues/venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const symbol = 'BTCUSDT';
export const REF = { clientId: 'a', symbol };
export const LOST: CallResult = { kind: 'lost', cause: 'lost' };
export const DISPATCH: Dispatch = {
  ...{ lane: 'entry', notAfter: Number.POSITIVE_INFINITY, waitUntil: Number.POSITIVE_INFINITY },
  onWaits: () => {},
  leaves: () => ({ notAfter: Number.POSITIVE_INFINITY }),
};

export function answer(result: object, retCode = 0): CallResult {
  return { kind: 'answer', status: 200, text: JSON.stringify({ retCode, retMsg: 'told', result, time: 1 }) };
}
export const GONE = answer({}, 110001);
export const REFUSED = answer({}, 10005);
export const ALL = (...ids: string[]) =>
  answer({ success: '1', list: ids.map((orderId) => ({ orderId, orderLinkId: `of ${orderId}` })) });

export function state(more: Partial<ExchangeOrderState> = {}): ExchangeOrderState {
  return {
    ...{ clientId: 'a', symbol, venueIds: ['7'], status: 'WORKING', origQty: '1', cumQty: '0' },
    ...{ seq: 1, time: 1 },
    ...more,
  };
}

/** Answers in a given order; without one a request is acknowledged. */
export class Script {
  readonly clock = new VirtualClock();
  readonly watch = new OrderWatch(this.clock);
  readonly names = new OrderNamesKept();
  readonly sent: { readonly path: string; readonly parameters: Readonly<Record<string, string>> }[] = [];
  answers: CallResult[] = [];
  /** Runs while a request is under way. */
  meanwhile: () => void = () => {};
  /** How an order is listed at present. */
  listed: ExchangeOrderState | null = null;
  looks = 0;
  found: QueryOutcome = { kind: 'absent' };
  owed = 0;
  /** Since when an event was owed last. */
  owedSince = Number.NaN;
  /** What became of a request that never left, in place of an answer. */
  unsent: CallResult | { readonly kind: 'withdrawn' } | null = null;
  readonly facts = new AccountFacts();
  readonly complaints: string[] = [];
  /** Which orders were asked about, by either question. */
  readonly refs: OrderRef[] = [];
  readonly calls: OrderCalls;

  constructor(category: Category = 'spot') {
    const send = async (
      form: RequestForm,
      parameters: Readonly<Record<string, string>>,
      _dispatch: Dispatch,
      told: (called: CallResult) => unknown,
    ) => {
      if (this.unsent?.kind === 'withdrawn') return this.unsent;
      if (this.unsent) return told(this.unsent);
      this.sent.push({ path: form.path, parameters });
      this.meanwhile();
      return told(this.answers.shift() ?? answer({ orderId: '7' }));
    };
    const caller = { way: { now: 77 }, submit: send, cancel: send, amend: send };
    this.calls = new OrderCalls({
      category,
      requests: BYBIT[category],
      caller: caller as unknown as Caller,
      names: this.names,
      facts: this.facts,
      watch: this.watch,
      complaints: { say: (_: string, text: string) => this.complaints.push(text) } as unknown as Complaints,
      orders: {
        now: async (ref: OrderRef) => {
          this.looks += 1;
          this.refs.push(ref);
          return this.listed;
        },
        query: async (ref: OrderRef) => {
          this.refs.push(ref);
          return this.found;
        },
      } as unknown as OrderQuestions,
      taken: (since) => {
        this.owedSince = since;
        this.owed += 1;
      },
    });
  }

  /** The groups that requests have named. */
  get groups(): readonly (string | undefined)[] {
    return this.sent.map(({ parameters }) => parameters.orderFilter);
  }

  async result<T>(asked: Promise<T>, ms = 3_000): Promise<T> {
    await this.clock.advance(ms);
    return asked;
  }

  order(more: Partial<ExchangeOrder> = {}): ExchangeOrder {
    const limit = { type: 'LIMIT', price: '5', quantity: '1', timeInForce: 'GTC' } as const;
    return { clientId: 'a', symbol, side: 'BUY', ...limit, ...more };
  }

  submit(more: Partial<ExchangeOrder> = {}) {
    return this.result(this.calls.submit(this.order(more), DISPATCH));
  }

  cancel() {
    return this.result(this.calls.cancel(REF, DISPATCH));
  }

  cancelAll() {
    return this.result(this.calls.cancelAll(symbol, DISPATCH));
  }
}
