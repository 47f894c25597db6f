/**
 * A desk's core with one exchange that is not the paper one: it answers what a test sets, when the test says
 * so.
 */

import { DeskCore, recentSince } from '../../../src/desk/core/desk-core.ts';
import type { VenueLink } from '../../../src/desk/core/venue-link.ts';
import {
  type CancelOutcome,
  type ExchangeBalance,
  type ExchangeCaps,
  type ExchangeFill,
  type ExchangeOrder,
  type ExchangeOrderState,
  type FeeRates,
  marketOf,
  type QueryOutcome,
  type SubmitOutcome,
} from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import type { Answer } from '../../../src/engine/step.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import type {
  Deadline,
  FillsPage,
  FillsQuery,
  FuturesVenue,
  OrderRef,
  Venue,
  VenueSink,
} from '../../../src/venues/venue.ts';
import { BTC, CAPS, OPERATOR } from '../../engine/support/market.ts';
import { afterEachTest } from '../../support/after-each.ts';
import { pageOf } from '../../support/page-of.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const stores: Store[] = [];
afterEachTest(() => {
  for (const store of stores.splice(0)) store.close();
});

const unanswered = (): Promise<never> => new Promise(() => {});

/** A venue of which every answer can be replaced. */
export class SaidVenue implements Venue {
  readonly account;
  readonly caps: ExchangeCaps;
  readonly futures?: FuturesVenue;
  sink: VenueSink | null = null;
  /** The requests, in order. */
  calls: string[] = [];
  openOrdersAre: () => Promise<readonly ExchangeOrderState[] | null> = async () => [];
  balancesAre: () => Promise<readonly ExchangeBalance[]> = async () => [
    { asset: 'USDT', free: '100000', locked: '0' },
  ];
  positionsAre: () => Promise<readonly ExchangePosition[]> = async () => [];
  fillsAre: () => Promise<readonly ExchangeFill[] | null> = async () => [];
  submitted: (order: ExchangeOrder) => Promise<SubmitOutcome> = async (order) => ({
    kind: 'accepted',
    state: {
      clientId: order.clientId,
      symbol: order.symbol,
      status: 'WORKING',
      origQty: order.quantity ?? '0',
      cumQty: '0',
      seq: 1,
      time: 0,
    },
  });
  /** The exchange's clock minus ours, ms. */
  clockOffsetMs = 0;
  /** Left out: it has no ledger. */
  readonly ledger?: Required<Venue>['ledger'];
  /** Left out: it does not tell the fee rates of the account. */
  feeRates?: () => Promise<FeeRates | null>;
  permissions?: Required<Venue>['permissions'];
  list: readonly Instrument[];

  constructor(
    kind: 'spot' | 'futures',
    symbols: number,
    caps: Partial<ExchangeCaps> = {},
    ledger?: Required<Venue>['ledger'],
  ) {
    if (ledger) this.ledger = ledger;
    this.caps = { ...CAPS, ...caps };
    const id = `said-${kind}`;
    this.account = { id, name: id, kind } as const;
    this.list = Array.from({ length: symbols }, (_, i) => ({
      ...BTC,
      symbol: i === 0 ? 'BTCUSDT' : `S${i}USDT`,
      exchange: id,
      kind,
    }));
    if (kind === 'spot') return;
    const done = async () => ({ kind: 'done' }) as const;
    this.futures = {
      positions: () => this.positionsAre(),
      markPrice: () => null,
      leverage: async () => [],
      setLeverage: done,
      setMarginType: done,
      marginMode: async () => 1,
      setMarginMode: done,
      hedgeMode: async () => false,
      setHedgeMode: done,
      brackets: () => [],
    };
  }

  async open(sink: VenueSink): Promise<void> {
    this.sink = sink;
  }

  async close(): Promise<void> {}

  instruments(): readonly Instrument[] {
    return this.list;
  }

  submit(order: ExchangeOrder, _deadline?: Deadline): Promise<SubmitOutcome> {
    this.calls.push('submit');
    return this.submitted(order);
  }

  async cancel(_ref: OrderRef, _deadline?: Deadline): Promise<CancelOutcome> {
    this.calls.push('cancel');
    return { kind: 'unknown', cause: 'timeout' };
  }

  async query(): Promise<QueryOutcome> {
    this.calls.push('query');
    return { kind: 'absent' };
  }

  health() {
    return { clockOffsetMs: this.clockOffsetMs, budgets: [] };
  }

  openOrders() {
    this.calls.push('openOrders');
    return this.openOrdersAre();
  }

  async fills(asked: FillsQuery): Promise<FillsPage | null> {
    this.calls.push('fills');
    return pageOf(await this.fillsAre(), asked);
  }

  balances(): Promise<readonly ExchangeBalance[]> {
    this.calls.push('balances');
    return this.balancesAre();
  }

  /** Returns how often a request was made since the last call. */
  asked(name: string): number {
    const times = this.calls.filter((call) => call === name).length;
    this.calls = [];
    return times;
  }
}

export function positionOf(symbol: string, amount: string, updateTime: number): ExchangePosition {
  return {
    symbol,
    side: 'BOTH',
    amount,
    entryPrice: '60000',
    breakEvenPrice: '60000',
    markPrice: '60000',
    unrealizedProfit: '0',
    marginType: 'CROSSED',
    leverage: 20,
    isolatedWallet: '0',
    liquidationPrice: null,
    maintenanceMarginRate: '0',
    maintenanceMargin: '0',
    realizedPnl: '0',
    updateTime,
  };
}

export interface RigOptions {
  /** The clock of a process that begins later than the one before. */
  readonly clock?: VirtualClock;
  /** Left out: the exchange does not tell what the account's key may do. */
  readonly permissions?: Required<Venue>['permissions'];
}

export class LinkRig {
  readonly clock: VirtualClock;
  /** By how much market time is ahead of the wall clock, ms: it stands still when that is set back. */
  marketAheadMs = 0;
  readonly venue: SaidVenue;
  readonly core: DeskCore;
  readonly store: Store;
  readonly unanswered = unanswered;

  /** `store`: that of an earlier rig, whose process has died. */
  constructor(
    kind: 'spot' | 'futures' = 'spot',
    symbols = 1,
    store = openSqliteStore(':memory:'),
    caps: Partial<ExchangeCaps> = {},
    ledger?: Required<Venue>['ledger'],
    { clock = new VirtualClock(), permissions }: RigOptions = {},
  ) {
    if (!stores.includes(store)) stores.push(store);
    this.store = store;
    this.clock = clock;
    this.venue = new SaidVenue(kind, symbols, caps, ledger);
    if (permissions) this.venue.permissions = permissions;
    let ids = 0;
    this.core = new DeskCore({
      store,
      initial: store.load(recentSince(this.clock.wall())),
      clock: this.clock,
      random: { id: (length) => (++ids).toString(32).padStart(length, '0'), next: () => 0.5 },
      venues: [this.venue],
      market: () => this.clock.wall() + this.marketAheadMs,
      deferredRows: () => [],
      logFile: () => {},
      fatal: (reason) => {
        throw new Error(reason);
      },
    });
    this.core.turn.step({
      type: 'price',
      market: marketOf(this.venue.account),
      symbol: 'BTCUSDT',
      price: '60000',
    });
  }

  static async started(kind: 'spot' | 'futures' = 'spot', symbols = 1): Promise<LinkRig> {
    const rig = new LinkRig(kind, symbols);
    await rig.until(rig.core.start());
    rig.venue.calls = [];
    return rig;
  }

  get link(): VenueLink {
    const link = this.core.links.get(this.venue.account.id);
    if (!link) throw new Error('not started');
    return link;
  }

  get orders(): OrderRecord[] {
    return [...this.core.engine.memory.orders.values()];
  }

  /** Sends an event with the size of a symbol's position. */
  position(symbol: string, amount: string): void {
    this.venue.sink?.positions?.([positionOf(symbol, amount, this.clock.wall())]);
  }

  place(more: Partial<CreateOrder> = {}): Promise<Answer> {
    const request = {
      exchange: this.venue.account.id,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '50000',
      quantity: '0.01',
      ...more,
    } as CreateOrder;
    return this.core.execute(OPERATOR, { type: 'place', request }, { requestId: 'r' });
  }

  /** Lets time pass until the promise is settled; fails after `limitMs`. */
  async until<T>(promise: Promise<T>, { stepMs = 100, limitMs = 3_600_000 } = {}): Promise<T> {
    let done = false;
    void promise.then(
      () => {
        done = true;
      },
      () => {
        done = true;
      },
    );
    const from = this.clock.monotonic();
    for (await this.clock.settle(); !done; await this.clock.advance(stepMs)) {
      if (this.clock.monotonic() - from > limitMs) throw new Error(`not done within ${limitMs} ms`);
    }
    return promise;
  }
}
