/**
 * Converts the events of the private socket to those of the port. Events are absolute and carry the
 * exchange's own time, by which the desk orders them; an unreadable event leads to a reconciliation.
 */

import type { Cancelable, Clock } from '../../domain/clock.ts';
import { dec, str } from '../../domain/decimal.ts';
import type { ExchangeBalance, ExchangeOrderState } from '../../domain/exchange.ts';
import type { Complaints } from '../kit/complaints.ts';
import { UnreadableEvents } from '../kit/unreadable-events.ts';
import type { VenueSink } from '../venue.ts';
import type { AccountFacts } from './account-facts.ts';
import { balancesOf } from './balances.ts';
import { type FillsGiven, fillOf, isStrangeKind } from './fills.ts';
import { readExecutionEvent, readOrderEvent, readPositionEvent, readWalletEvent } from './messages.ts';
import { type StatesGiven, stateOf } from './order-states.ts';

/** A change of the wallet is explained by an execution within these times before or after it, ms. */
const EXPLAINED_MS = { before: 1_000, after: 500 } as const;
/** How often the ledger is still read where executions explain every change, ms. */
const LOOK_AT_LEDGER_MS = 30_000;

export interface UserEventsOptions extends StatesGiven, FillsGiven {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly facts: AccountFacts;
  readonly complaints: Complaints;
  /** Called for each order state. */
  readonly heard: (state: ExchangeOrderState) => void;
  /** Called for each asset that the account has or had. */
  readonly held: (asset: string) => void;
}

export class UserEvents {
  readonly #o: UserEventsOptions;
  #sink: VenueSink | null = null;
  readonly #unreadable: UnreadableEvents;
  /** The time of the wallet's last execution on either market, monotonic. */
  #executedAt = Number.NEGATIVE_INFINITY;
  #look: Cancelable | null = null;
  /** Asset -> its whole amount, as last reported. */
  readonly #wallet = new Map<string, string>();

  constructor(options: UserEventsOptions) {
    this.#o = options;
    this.#unreadable = new UnreadableEvents({ ...options, gap: () => this.#sink?.stream('gap') });
  }

  /** Sets the receiver of the events; null: none. */
  listen(sink: VenueSink | null): void {
    this.#sink = sink;
    this.#look?.cancel();
    this.#look = null;
    this.#wallet.clear();
  }

  /** Takes one event. `topic`: `order.spot`, `wallet`. */
  message(topic: string, text: string): void {
    switch (topic.split('.')[0]) {
      case 'order':
        this.#orders(text);
        return;
      case 'execution':
        this.#executions(text);
        return;
      case 'position': {
        const event = this.#unreadable.read(`an event of ${topic}`, readPositionEvent(text));
        const rows = event?.data.filter(({ category = 'linear' }) => category === 'linear') ?? [];
        const positions = rows.map((row) => this.#o.facts.position(row));
        if (positions.length > 0) this.#sink?.positions?.(positions);
        return;
      }
      case 'wallet': {
        const event = this.#unreadable.read(`an event of ${topic}`, readWalletEvent(text));
        if (!event) return;
        const balances = event.data.flatMap(({ coin }) => balancesOf(coin, event.creationTime));
        for (const { asset } of balances) this.#o.held(asset);
        if (balances.length > 0) this.#sink?.balances(balances);
        this.#moved(balances);
        return;
      }
      // The topic of the dead-man switch (DCP) itself has nothing to pass on.
      case 'dcp':
        return;
      default:
        this.#o.complaints.say('an event of an unknown topic', topic.slice(0, 60));
    }
  }

  /**
   * Reports changes that executions do not explain: wallet events name no cause, and other changes are in the
   * transaction log.
   */
  #moved(balances: readonly ExchangeBalance[]): void {
    const { clock } = this.#o;
    let isMoved = false;
    for (const { asset, free, locked } of balances) {
      const all = str(dec(free) + dec(locked));
      isMoved ||= this.#wallet.get(asset) !== all;
      this.#wallet.set(asset, all);
    }
    if (!isMoved) return;
    const at = clock.monotonic();
    clock.after(EXPLAINED_MS.after, () => {
      if (this.#executedAt < at - EXPLAINED_MS.before) this.#sink?.ledger?.();
      else
        this.#look ??= clock.after(LOOK_AT_LEDGER_MS, () => {
          this.#look = null;
          this.#sink?.ledger?.();
        });
    });
  }

  #orders(text: string): void {
    const event = this.#unreadable.read('an event of order', readOrderEvent(text));
    for (const row of event?.data ?? []) {
      if (row.category !== undefined && row.category !== this.#o.category) continue;
      const state = stateOf(row, this.#o);
      if (!state) {
        this.#unreadable.say('an event of order', `status ${row.orderStatus}, type ${row.orderType}`);
        continue;
      }
      this.#sink?.order(state);
      this.#o.heard(state);
    }
  }

  #executions(text: string): void {
    const event = this.#unreadable.read('an event of execution', readExecutionEvent(text));
    for (const row of event?.data ?? []) {
      if (row.execType !== 'Funding') this.#executedAt = this.#o.clock.monotonic();
      if (row.category !== undefined && row.category !== this.#o.category) continue;
      if (isStrangeKind(row))
        this.#o.complaints.say('execution', `its kind ${row.execType.slice(0, 40)} is not known`);
      const fill = fillOf(row, this.#o);
      if (row.execType === 'Funding') this.#sink?.ledger?.();
      if (!fill) continue;
      this.#sink?.fill(fill);
      if (fill.rPnl !== null) this.#o.facts.realized(fill.symbol, fill.posSide, fill.rPnl);
    }
  }
}
