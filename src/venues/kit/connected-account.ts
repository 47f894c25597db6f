/**
 * What the accounts of all real exchanges have in common: passing calls on to the parts that make them,
 * measuring the exchange's clock, running periodic tasks, and closing. The adapter says how the account opens
 * and which questions it asks.
 */
import type { Cancelable } from '../../domain/clock.ts';
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeOrder,
  ExchangeOrderState,
  OrderChange,
  QueryOutcome,
  SubmitOutcome,
} from '../../domain/exchange.ts';
import { visible } from '../../domain/visible.ts';
import type { Dispatch, FillsPage, FillsQuery, OrderRef, VenueHealth, VenueSink } from '../venue.ts';
import type { AccountGiven } from './account-given.ts';
import type { Caller, CallResult } from './caller.ts';
import type { ClockOffset } from './clock-offset.ts';
import type { RequestForm } from './requests.ts';

/** The deadline for the socket of an account's events, ms: opening the account as a whole has 10 s. */
export const STREAM_WITHIN_MS = 6_000;
/** The list of instruments is read again after this, ms: for delistings and other tick sizes. */
export const LISTS_EVERY_MS = 3_600_000;
/** How often to check whether a measurement of the exchange's clock is due, ms. */
const CLOCK_LOOK_MS = 10_000;
export const NO_TURN = 'it had no turn within what the exchange lets be sent: wait a little, then try again';
const NO_TIME = 'what it says its time is cannot be true';
/** The number of characters shown of the reason of a failure. */
const CAUSE_MAX = 300;

/** The dispatch of a caller that gives none: no deadline, the lane of entries. */
const AT_ONCE: Dispatch = {
  lane: 'entry',
  notAfter: Number.POSITIVE_INFINITY,
  waitUntil: Number.POSITIVE_INFINITY,
  onWaits: () => {},
  leaves: () => ({ notAfter: Number.POSITIVE_INFINITY }),
};

/** The part of an adapter that changes orders. */
export interface OrderChanges {
  submit(order: ExchangeOrder, dispatch: Dispatch): Promise<SubmitOutcome>;
  cancel(ref: OrderRef, dispatch: Dispatch): Promise<CancelOutcome>;
  cancelAll(symbol: string, dispatch: Dispatch): Promise<CancelAllOutcome>;
  amend(ref: OrderRef, change: OrderChange, dispatch: Dispatch): Promise<AmendOutcome>;
}

/** The part of an adapter that asks about orders. */
export interface OrderReads {
  query(ref: OrderRef): Promise<QueryOutcome>;
  open(): Promise<readonly ExchangeOrderState[] | null>;
}

export abstract class ConnectedAccount {
  protected abstract readonly given: AccountGiven;
  protected abstract readonly caller: Caller;
  protected abstract readonly offset: ClockOffset;
  protected abstract readonly calls: OrderChanges;
  protected abstract readonly orders: OrderReads;
  protected abstract readonly executions: { page(q: FillsQuery): Promise<FillsPage | null> };
  /** Null: the account is closed. */
  protected sink: VenueSink | null = null;
  #timers: Cancelable[] = [];
  #isMeasuring = false;
  /** It was reported that the clock cannot be measured. */
  #isClockLost = false;

  submit(order: ExchangeOrder, dispatch: Dispatch = AT_ONCE): Promise<SubmitOutcome> {
    return this.calls.submit(order, dispatch);
  }

  cancel(ref: OrderRef, dispatch: Dispatch = AT_ONCE): Promise<CancelOutcome> {
    return this.calls.cancel(ref, dispatch);
  }

  cancelAll(symbol: string, dispatch: Dispatch = AT_ONCE): Promise<CancelAllOutcome> {
    return this.calls.cancelAll(symbol, dispatch);
  }

  amend(ref: OrderRef, change: OrderChange, dispatch: Dispatch = AT_ONCE): Promise<AmendOutcome> {
    return this.calls.amend(ref, change, dispatch);
  }

  query(ref: OrderRef): Promise<QueryOutcome> {
    return this.orders.query(ref);
  }

  openOrders(): Promise<readonly ExchangeOrderState[] | null> {
    return this.orders.open();
  }

  fills(q: FillsQuery): Promise<FillsPage | null> {
    return this.executions.page(q);
  }

  health(): VenueHealth {
    const { way } = this.given;
    return { clockOffsetMs: this.offset.offsetMs, budgets: way.budget.view(way.now) };
  }

  async close(): Promise<void> {
    this.shut();
    this.given.way.close();
  }

  /** Measures the exchange's clock; throws the reason if it cannot. */
  protected abstract measure(): Promise<void>;

  /** Ends everything that was opened, so that the account can be opened again. */
  protected shut(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
    this.sink = null;
  }

  /** The account is open and its timers run. */
  protected get isRunning(): boolean {
    return this.#timers.length > 0;
  }

  /** Calls `act` every `ms` until the account is shut. */
  protected every(ms: number, act: () => unknown): void {
    const at = this.#timers.length;
    const again = () => {
      this.#timers[at] = this.given.clock.after(ms, () => {
        again();
        act();
      });
    };
    again();
  }

  /** Checks the clock from now on, until the account is shut. */
  protected watchClock(): void {
    this.every(CLOCK_LOOK_MS, () => this.lookAtClock());
  }

  protected lookAtClock(): void {
    if (!this.offset.isDue || this.#isMeasuring || !this.isRunning) return;
    this.#isMeasuring = true;
    const ended = (problem: string | null) => {
      this.#isMeasuring = false;
      if (this.isRunning) this.#sayClock(problem);
    };
    this.measure().then(
      () => ended(null),
      (error: unknown) => ended(error instanceof Error ? error.message : 'the question failed'),
    );
  }

  /**
   * Reports a failure once, and once when the clock can be measured again; until then it is asked every 10 s.
   */
  #sayClock(problem: string | null): void {
    const isLost = problem !== null;
    if (isLost === this.#isClockLost) return;
    this.#isClockLost = isLost;
    const { account, report } = this.given;
    const cause = visible(problem ?? '').slice(0, CAUSE_MAX);
    report(
      isLost
        ? `${account.id}: the clock of the exchange cannot be measured, the last measurement goes on: ${cause}`
        : `${account.id}: the clock of the exchange is measured again`,
    );
  }

  /**
   * Measures the clock by a request. `timeOf`: the time in an answer, Unix ms; null: the answer has none.
   * Throws with the text of `troubleOf` then.
   */
  protected async measureBy(
    form: RequestForm,
    timeOf: (called: CallResult) => number | null,
    troubleOf: (called: CallResult) => string,
  ): Promise<void> {
    const { way } = this.given;
    const trouble = await this.caller.ask(form, {}, (called, { leftAt, now }) => {
      const time = timeOf(called);
      if (time === null) return troubleOf(called);
      if (!this.offset.measured({ sentAt: leftAt, heardAt: now, time })) return NO_TIME;
      way.clockIs(this.offset.now(), now - leftAt);
      return '';
    });
    if (trouble !== '') throw new Error(trouble ?? NO_TURN);
  }
}
