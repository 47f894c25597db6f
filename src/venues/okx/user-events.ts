/**
 * What the sockets of an account tell, in the words of the port. Events are absolute and carry the exchange's own time, by which the
 * desk orders them; what cannot be read leads to a comparison. A trigger and the order that it has made are told on two sockets, either
 * first: the order itself says whose it is, and is what counts.
 */

import type { Cancelable, Clock } from '../../domain/clock.ts';
import { ENDS, type ExchangeBalance } from '../../domain/exchange.ts';
import type { Complaints } from '../kit/complaints.ts';
import type { Message } from '../kit/messages.ts';
import { UnreadableEvents } from '../kit/unreadable-events.ts';
import type { VenueSink } from '../venue.ts';
import { isOfMarket, type OkxMarketKind } from './account-given.ts';
import type { Listed } from './instruments.ts';
import {
  type AlgoRow,
  type AssetRow,
  type OrderPush,
  type OrderRow,
  readAccountPush,
  readAlgoPush,
  readOrderPush,
  readPositionPush,
} from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import {
  childOf,
  fillOfPush,
  isLiquidation,
  namesOfOrder,
  stageOf,
  stateOfAlgo,
  stateOfOrder,
} from './order-states.ts';
import type { SwapFacts } from './swap-facts.ts';

/** A trigger that is met makes its order within this; after it the exchange is asked. */
export const FIRES_WITHIN_MS = 4_000;
/** A balance that has moved within this time of an execution has moved by it, ms. */
const BY_FILL_MS = 1_500;

export interface UserEventsOptions {
  readonly kind: OkxMarketKind;
  readonly clock: Clock;
  readonly names: OrderNamesKept;
  readonly listed: Listed;
  /** Null: a spot account. */
  readonly facts: SwapFacts | null;
  readonly complaints: Complaints;
  /** `readAt`: the time of the account as a whole. */
  readonly balanceOf: (row: AssetRow, readAt: string | undefined) => ExchangeBalance;
  /** An order executes of which only a question tells the executions. */
  readonly askFills: (row: OrderRow) => void;
  /** A trigger is met and its order has not been told of in time. */
  readonly firesLate: (row: AlgoRow) => void;
  /** Something is told of an instrument that was not listed when that was read last. */
  readonly unlisted: () => void;
}

export class UserEvents {
  readonly #o: UserEventsOptions;
  #sink: VenueSink | null = null;
  readonly #unreadable: UnreadableEvents;
  /** What each asset had last. */
  readonly #wallets = new Map<string, string>();
  #filledAt = Number.NEGATIVE_INFINITY;
  #moved: Cancelable | null = null;

  constructor(options: UserEventsOptions) {
    this.#o = options;
    this.#unreadable = new UnreadableEvents({ ...options, gap: () => this.#sink?.stream('gap') });
  }

  /** Null: nobody listens any more. */
  listen(sink: VenueSink | null): void {
    this.#sink = sink;
    if (sink) return;
    this.#moved?.cancel();
    this.#moved = null;
  }

  /** Balances as a question has told them: an event that says the same has moved nothing. */
  known(rows: readonly AssetRow[]): void {
    for (const { ccy, cashBal } of rows) this.#wallets.set(ccy, cashBal);
  }

  event(channel: string, text: string): void {
    switch (channel) {
      case 'orders':
        for (const row of this.#read(channel, readOrderPush(text))) if (this.#isOurs(row)) this.#order(row);
        return;
      case 'orders-algo':
      case 'algo-advance':
        for (const row of this.#read(channel, readAlgoPush(text))) if (this.#isOurs(row)) this.#algo(row);
        return;
      case 'account':
        for (const { details, uTime } of this.#read(channel, readAccountPush(text)))
          this.#account(details, uTime);
        return;
      case 'positions': {
        const { facts } = this.#o;
        const rows = facts ? this.#read(channel, readPositionPush(text)) : [];
        const positions = rows.flatMap((row) => facts?.event(row) ?? []);
        if (positions.length > 0) this.#sink?.positions?.(positions);
        return;
      }
      default:
        this.#o.complaints.say('data of a channel that was not asked for', channel);
    }
  }

  /** What is of this market and not listed yet may be new: then the list is read again. */
  #isOurs({ instType, instId }: Pick<OrderPush, 'instType' | 'instId'>): boolean {
    const { kind, listed, unlisted } = this.#o;
    if (!isOfMarket(kind, instType)) return false;
    if (listed.named(instId)) return true;
    // Others are margined with coins, and not traded here.
    if (kind === 'spot' || /-(?:USDT|USDC)-SWAP$/.test(instId)) unlisted();
    return false;
  }

  #order(row: OrderPush): void {
    const { listed, names } = this.#o;
    const listing = listed.named(row.instId);
    if (!listing) return;
    names.heard(row.ordId, namesOfOrder(row).clientId);
    const state = stateOfOrder(row, listing);
    if (!state) {
      this.#unreadable.say('orders', `type ${row.ordType}, state ${row.state}`);
      return;
    }
    // A message may come a second time with a later time of its own; what has ended never works again under its number.
    const isEnd = ENDS.has(state.status);
    if (isEnd) names.ends(row.ordId);
    const isStale = !isEnd && names.hasEnded(row.ordId);
    const fill = fillOfPush(row, listing);
    if (fill || row.state === 'filled') this.#filledAt = this.#o.clock.monotonic();
    // Of what the exchange has made itself, rows of orders have no number of the execution, which a question has.
    if (!fill && row.category !== undefined && row.category !== 'normal' && state.cumQty !== '0') {
      this.#o.askFills(row);
      return;
    }
    // It is known as a liquidation by its execution.
    if (fill && isLiquidation(row)) this.#sink?.fill(fill);
    if (!isStale) this.#sink?.order(state);
    if (fill && !isLiquidation(row)) this.#sink?.fill(fill);
  }

  #algo(row: AlgoRow): void {
    const { listed, names, clock } = this.#o;
    const listing = listed.named(row.instId);
    if (!listing) return;
    const stage = stageOf(row);
    const state = stateOfAlgo(row, listing);
    if (!state || !stage) {
      this.#unreadable.say('orders-algo', `type ${row.ordType}, state ${row.state}`);
      return;
    }
    if (stage !== 'made') {
      this.#sink?.order(state);
      return;
    }
    const isHeard = () => {
      const child = childOf(row);
      return child !== null && names.clientId(child) !== undefined;
    };
    if (isHeard()) return;
    clock.after(FIRES_WITHIN_MS, () => {
      if (this.#sink && !isHeard()) this.#o.firesLate(row);
    });
  }

  #account(rows: readonly AssetRow[], readAt: string | undefined): void {
    const { clock, balanceOf } = this.#o;
    const hasMoved = rows.some(({ ccy, cashBal }) => {
      const before = this.#wallets.get(ccy);
      return before !== undefined && before !== cashBal;
    });
    const isNew = rows.some(({ ccy }) => !this.#wallets.has(ccy));
    this.known(rows);
    if (rows.length > 0) this.#sink?.balances(rows.map((row) => balanceOf(row, readAt)));
    if (!hasMoved && !isNew) return;
    // An execution may be told a moment before or after what it has moved.
    const since = clock.monotonic();
    this.#moved ??= clock.after(BY_FILL_MS, () => {
      this.#moved = null;
      if (this.#filledAt < since - BY_FILL_MS) this.#sink?.ledger?.();
    });
    if (this.#filledAt < since - BY_FILL_MS) this.#sink?.ledger?.();
  }

  #read<T>(kind: string, message: Message<{ readonly data: readonly T[] }>): readonly T[] {
    return this.#unreadable.read(kind, message)?.data ?? [];
  }
}
