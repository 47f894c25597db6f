/**
 * What the private socket tells, in the words of the port. Events are absolute and carry the exchange's own time, by which the desk
 * orders them; what cannot be read leads to a comparison.
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

/** A wallet that has moved is explained by an execution that comes so long before or after it. */
const EXPLAINED_MS = { before: 1_000, after: 500 } as const;
/** Where executions explain all of it, the ledger is looked at so often all the same. */
const LOOK_AT_LEDGER_MS = 30_000;

export interface UserEventsOptions extends StatesGiven, FillsGiven {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly facts: AccountFacts;
  readonly complaints: Complaints;
  /** A state was told. */
  readonly heard: (state: ExchangeOrderState) => void;
  /** The account has, or had, something of an asset. */
  readonly held: (asset: string) => void;
}

export class UserEvents {
  readonly #o: UserEventsOptions;
  #sink: VenueSink | null = null;
  readonly #unreadable: UnreadableEvents;
  /** Of the last execution of the wallet, of either market, monotonic. */
  #executedAt = Number.NEGATIVE_INFINITY;
  #look: Cancelable | null = null;
  /** Asset -> all of it, as it was told last. */
  readonly #wallet = new Map<string, string>();

  constructor(options: UserEventsOptions) {
    this.#o = options;
    this.#unreadable = new UnreadableEvents({ ...options, gap: () => this.#sink?.stream('gap') });
  }

  /** Null: nobody listens any more. */
  listen(sink: VenueSink | null): void {
    this.#sink = sink;
    this.#look?.cancel();
    this.#look = null;
    this.#wallet.clear();
  }

  /** `topic`: `order.spot`, `wallet`. */
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
      // The watch over the line itself tells nothing.
      case 'dcp':
        return;
      default:
        this.#o.complaints.say('an event of an unknown topic', topic.slice(0, 60));
    }
  }

  /** A wallet names no cause of its change: what is no execution is in the transaction log. */
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
