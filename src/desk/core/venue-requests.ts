/**
 * The engine's requests to one exchange account: submits, cancels, amendments, questions and settings become
 * calls to its adapter, and their answers inputs of the engine. While the account is away nothing is asked of
 * it. Sends nothing without the engine.
 */
import type { Clock } from '../../domain/clock.ts';
import {
  type CancelAllOutcome,
  type ExchangeOrder,
  namesOf,
  type OrderNames,
  type QueryOutcome,
} from '../../domain/exchange.ts';
import type { SendTerms } from '../../domain/lane.ts';
import type { OrderAtExchange } from '../../domain/order.ts';
import type { Setting, SettingOutcome } from '../../domain/position.ts';
import { wantsFills } from '../../engine/absence.ts';
import type { Effect, EngineEvent } from '../../engine/step.ts';
import { awayRejection, cancelOutcomeOf } from './adapter-call.ts';
import { amendCall } from './amend-call.ts';
import { type Call, Calls, type CallsOptions } from './calls.ts';
import { makeSetting } from './make-setting.ts';
import type { ReadableVenue } from './readable-venue.ts';
import type { Reconciliation } from './reconciliation.ts';

const UNREAD = { kind: 'unknown', cause: 'the order could not be read from the store' } as const;

export interface VenueRequestsOptions extends CallsOptions {
  readonly venue: ReadableVenue;
  readonly clock: Clock;
  readonly reconciliation: Reconciliation;
  /** As `VenueLinkOptions.recall`. */
  readonly recall: (names: OrderNames, makes: boolean) => boolean;
  /** Why the account is not open; null: it is. */
  readonly away: () => string | null;
  readonly step: (event: EngineEvent) => void;
  /**
   * An order was accepted while the key was believed to be refused: the key's permissions are to be asked for
   * again.
   */
  readonly keyIsTaken: () => void;
}

export class VenueRequests {
  readonly #o: VenueRequestsOptions;
  readonly #calls: Calls;

  constructor(options: VenueRequestsOptions) {
    this.#o = options;
    this.#calls = new Calls(options.venue, options);
  }

  /** How long the last answer took, ms; null: there was none. */
  get latencyMs(): number | null {
    return this.#calls.latencyMs;
  }

  close(): void {
    this.#calls.close();
  }

  submit(order: ExchangeOrder, terms: SendTerms): void {
    const exchange = this.#o.venue.account.id;
    const away = this.#o.away();
    if (away !== null) {
      const outcome = awayRejection(exchange, away);
      this.#o.turn.step({ type: 'submitted', exchange, orderId: order.clientId, outcome });
      return;
    }
    this.#call({
      orderId: order.clientId,
      terms,
      run: (dispatch) => this.#o.venue.submit(order, dispatch),
      step: (outcome, sentAt) => {
        this.#o.step({ type: 'submitted', exchange, orderId: order.clientId, outcome, sentAt });
        // An answered order shows that the exchange accepts the key again.
        if (this.#o.venue.tellsPermissions && this.#o.reconciliation.memory.key.refused) this.#o.keyIsTaken();
      },
    });
  }

  /** Takes back an order that is still waiting for its turn: it is never sent. */
  withdraw(orderId: string): void {
    this.#calls.withdraw(orderId);
  }

  /** Takes back all waiting orders: memory was loaded again and treats them as lost. */
  withdrawAll(): void {
    this.#calls.withdrawAll();
  }

  /** Takes back everything that waits, because another link replaces this one. */
  abandon(): void {
    this.#calls.abandon();
  }

  /**
   * Returns when an entry that came now may be tried again, if it could not be sent within `SEND_WITHIN_MS`.
   */
  sending(symbol: string | undefined): { readonly retryAfterMs?: number } {
    return (this.#o.away() === null && symbol !== undefined && this.#o.venue.canSend('entry', symbol)) || {};
  }

  cancel({ exchange, orderId, ...names }: OrderAtExchange): void {
    this.#call({
      orderId,
      run: (dispatch) => this.#o.venue.cancel(names, dispatch),
      step: (outcome) => this.#o.step({ type: 'cancelled', exchange, orderId, outcome }),
    });
  }

  /**
   * Cancels all open orders of a symbol, which are these orders. One by one where the exchange has no such
   * request.
   */
  cancelAll(symbol: string, orders: readonly OrderAtExchange[]): void {
    const { venue } = this.#o;
    if (venue.cancelAll)
      this.#call<CancelAllOutcome>({
        run: (dispatch) =>
          venue.cancelAll?.(symbol, dispatch) ?? Promise.reject(new Error('no such request')),
        step: (outcome) => {
          for (const order of orders) {
            const { exchange, orderId } = order;
            this.#o.step({ type: 'cancelled', exchange, orderId, outcome: cancelOutcomeOf(outcome, order) });
          }
        },
      });
    else for (const order of orders) this.cancel(order);
  }

  amend(change: Extract<Effect, { kind: 'amend' }>): void {
    const call = amendCall(this.#o.venue, this.#o.away(), change, (event) => this.#o.step(event));
    if (call) this.#call(call);
  }

  query({ exchange, orderId, ...names }: OrderAtExchange): void {
    const { clock, turn } = this.#o;
    const askedAt = clock.monotonic();
    this.#call<QueryOutcome>({
      run: async () => {
        const outcome = await this.#o.venue.query(names);
        // The exchange may use the id of an order that is not in memory.
        if (outcome.kind === 'found' && !this.#o.recall(namesOf(outcome.state), true)) return UNREAD;
        // An exchange may forget an order while it still knows the order's executions.
        const wants = outcome.kind === 'absent' && wantsFills(turn.engine.memory, orderId);
        if (!wants || (await this.#o.reconciliation.fills.read([names.symbol]))) return outcome;
        return { kind: 'unknown', cause: 'its executions could not be read', absent: true };
      },
      step: (outcome) => this.#o.step({ type: 'queried', exchange, orderId, outcome, askedAt }),
    });
  }

  /**
   * Changes a setting of the account: it counts from its answer on, and is confirmed by reading the settings.
   */
  setting(id: string, setting: Setting): void {
    const { turn } = this.#o;
    this.#call<SettingOutcome>({
      run: () => makeSetting(this.#o.venue, setting),
      step: (outcome) => {
        turn.step({ type: 'setting-done', id, outcome });
        this.#o.reconciliation.heard();
        if (!this.#o.venue.futures) return;
        const exchange = this.#o.venue.account.id;
        turn.begin(exchange);
        const { undecided } = this.#o.reconciliation.memory.wallet.versions;
        void this.#o.reconciliation
          .readFutures()
          .then(() => {
            // By now the engine may have been loaded again, with a new memory.
            const { versions } = this.#o.reconciliation.memory.wallet;
            if (versions.undecided !== undecided) this.#o.reconciliation.again();
          })
          .finally(() => turn.end(exchange));
      },
    });
  }

  /** Makes a call. If nothing can be asked now, the call is lost at once. */
  #call<T>(call: Call<T>): void {
    const away = this.#o.away();
    if (away === null) this.#calls.make(call);
    else call.step({ kind: 'unknown', cause: `not connected: ${away}` }, this.#o.clock.monotonic());
  }
}
