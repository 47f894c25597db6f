/**
 * Converts the events of an account's sockets into the words of the port. Events are absolute and carry the
 * exchange's own time, by which the desk orders them; an unreadable event leads to a comparison. A trigger
 * and the order that it has made come on two sockets, in any order: the order itself says whose it is, and it
 * decides.
 */

import type { Cancelable, Clock } from '../../domain/clock.ts';
import { dec, ZERO } from '../../domain/decimal.ts';
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
  type ChangedRow,
  type OrderPush,
  type OrderRow,
  readAccountPush,
  readAlgoPush,
  readChangedPush,
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

/** A met trigger makes its order within this time; after that the exchange is asked. */
export const FIRES_WITHIN_MS = 4_000;
/** A balance that changes within this time of an execution was changed by it, ms. */
const BY_FILL_MS = 1_500;

export interface UserEventsOptions {
  readonly kind: OkxMarketKind;
  readonly clock: Clock;
  readonly names: OrderNamesKept;
  readonly listed: Listed;
  /** Positions and tiers; null: a spot account. */
  readonly facts: SwapFacts | null;
  readonly complaints: Complaints;
  /** Converts a balance. `readAt`: the time of the account as a whole. */
  readonly balanceOf: (row: AssetRow, readAt: string | undefined) => ExchangeBalance;
  /** Called with an order whose executions only a request gives. */
  readonly askFills: (row: OrderRow) => void;
  /** Called with a conditional order whose trigger is met, but whose order was not reported in time. */
  readonly firesLate: (row: AlgoRow) => void;
  /** Called when an event names an instrument missing from the last list. */
  readonly unlisted: () => void;
}

export class UserEvents {
  readonly #o: UserEventsOptions;
  #sink: VenueSink | null = null;
  readonly #unreadable: UnreadableEvents;
  /** Last cash balance of each asset. */
  readonly #wallets = new Map<string, string>();
  #filledAt = Number.NEGATIVE_INFINITY;
  #moved: Cancelable | null = null;

  constructor(options: UserEventsOptions) {
    this.#o = options;
    this.#unreadable = new UnreadableEvents({ ...options, gap: () => this.#sink?.stream('gap') });
  }

  /** Sets the listener. Null: nobody listens any more. */
  listen(sink: VenueSink | null): void {
    this.#sink = sink;
    if (sink) return;
    this.#moved?.cancel();
    this.#moved = null;
  }

  /** Takes balances from a request: an event with the same ones has moved nothing. */
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
      case 'balance_and_position':
        for (const row of this.#read(channel, readChangedPush(text))) this.#emptied(row);
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

  /**
   * Whether an event is of a listed instrument. An unlisted one of this market may be new: then the list is
   * read again.
   */
  #isOurs({ instType, instId }: Pick<OrderPush, 'instType' | 'instId'>): boolean {
    const { kind, listed, unlisted } = this.#o;
    if (!isOfMarket(kind, instType)) return false;
    if (listed.named(instId)) return true;
    // Other swaps are margined with coins, and not traded here.
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
    // A message may come twice, then with a later time; an order that has ended never works again under its
    // number.
    const isEnd = ENDS.has(state.status);
    if (isEnd) names.ends(row.ordId);
    const isStale = !isEnd && names.hasEnded(row.ordId);
    const fill = fillOfPush(row, listing);
    if (fill || row.state === 'filled') this.#filledAt = this.#o.clock.monotonic();
    // Rows of orders that the exchange itself has made do not number their executions; a request gives the
    // numbers.
    if (!fill && row.category !== undefined && row.category !== 'normal' && state.cumQty !== '0') {
      this.#o.askFills(row);
      return;
    }
    // The execution marks an order as a liquidation, so it goes first.
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

  /** Tells currencies of which nothing is left: the channel of the account leaves them out (OD Account channel). */
  #emptied({ pTime, balData = [] }: ChangedRow): void {
    const gone = balData.filter(({ ccy, cashBal }) => isNone(cashBal) && !isNone(this.#wallets.get(ccy)));
    if (gone.length === 0) return;
    for (const { ccy, cashBal } of gone) this.#wallets.set(ccy, cashBal);
    this.#sink?.balances(
      gone.map(({ ccy }) => ({ asset: ccy, free: '0', locked: '0', time: Number(pTime) })),
    );
    this.#walletMoved();
  }

  #account(rows: readonly AssetRow[], readAt: string | undefined): void {
    const { balanceOf } = this.#o;
    const hasMoved = rows.some(({ ccy, cashBal }) => {
      const before = this.#wallets.get(ccy);
      return before !== undefined && before !== cashBal;
    });
    const isNew = rows.some(({ ccy }) => !this.#wallets.has(ccy));
    this.known(rows);
    if (rows.length > 0) this.#sink?.balances(rows.map((row) => balanceOf(row, readAt)));
    if (hasMoved || isNew) this.#walletMoved();
  }

  /** Has the ledger read, unless an execution explains what has moved. */
  #walletMoved(): void {
    const { clock } = this.#o;
    // An execution may be reported a moment before or after the balance that it has changed.
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

function isNone(balance: string | undefined): boolean {
  return dec(balance || '0') === ZERO;
}
