/**
 * An exchange that is not the paper one: it answers what a test sets, when the test says so; and a desk's
 * core over such exchanges.
 */

import { DeskCore, recentSince } from '../../src/desk/core/desk-core.ts';
import type {
  CancelOutcome,
  ExchangeAccount,
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  QueryOutcome,
  SubmitOutcome,
} from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import type { FillsPage, FillsQuery, FuturesVenue, Venue, VenueSink } from '../../src/venues/venue.ts';
import { BTC, CAPS, OPERATOR, SPOT } from '../engine/support/market.ts';
import { pageOf } from '../support/page-of.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export class OtherVenue implements Venue {
  readonly account: ExchangeAccount;
  readonly caps = CAPS;
  readonly futures?: FuturesVenue;
  sink: VenueSink | null = null;
  /** The requests, in order. */
  readonly calls: string[] = [];
  list: readonly Instrument[];
  relist?: () => void;
  onOpen = async (): Promise<void> => {};
  onSubmit = async (order: ExchangeOrder): Promise<SubmitOutcome> => ({
    kind: 'accepted',
    state: stateOf(order),
  });
  onCancel = async (): Promise<CancelOutcome> => ({ kind: 'unknown', cause: 'no answer' });
  onQuery = async (): Promise<QueryOutcome> => ({ kind: 'absent' });
  onOpenOrders = async (): Promise<readonly ExchangeOrderState[] | null> => [];
  onFills = async (): Promise<readonly ExchangeFill[] | null> => [];
  onBalances = async (): Promise<readonly ExchangeBalance[] | null> => [
    { asset: 'USDT', free: '100000', locked: '0' },
  ];

  constructor(id: string = SPOT, kind: ExchangeAccount['kind'] = 'spot') {
    this.account = { id, name: id, kind };
    this.list = [{ ...BTC, exchange: id, kind }];
    if (kind === 'futures') this.futures = flat();
  }

  async open(sink: VenueSink): Promise<void> {
    this.calls.push('open');
    this.sink = sink;
    await this.onOpen();
  }

  async close(): Promise<void> {}

  instruments(): readonly Instrument[] {
    return this.list;
  }

  submit(order: ExchangeOrder): Promise<SubmitOutcome> {
    this.calls.push('submit');
    return this.onSubmit(order);
  }

  cancel(): Promise<CancelOutcome> {
    this.calls.push('cancel');
    return this.onCancel();
  }

  query(): Promise<QueryOutcome> {
    this.calls.push('query');
    return this.onQuery();
  }

  openOrders(): Promise<readonly ExchangeOrderState[] | null> {
    this.calls.push('openOrders');
    return this.onOpenOrders();
  }

  async fills(asked: FillsQuery): Promise<FillsPage | null> {
    this.calls.push('fills');
    return pageOf(await this.onFills(), asked);
  }

  balances(): Promise<readonly ExchangeBalance[] | null> {
    this.calls.push('balances');
    return this.onBalances();
  }
}

function flat(): FuturesVenue {
  const done = async () => ({ kind: 'done' }) as const;
  return {
    positions: async () => [],
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

let seq = 0;

export function stateOf(order: {
  readonly clientId: string;
  readonly symbol: string;
  readonly quantity?: string;
}): ExchangeOrderState {
  const { clientId, symbol, quantity = '1' } = order;
  return { clientId, symbol, status: 'WORKING', origQty: quantity, cumQty: '0', seq: ++seq, time: 0 };
}

export interface OtherDesk {
  readonly core: DeskCore;
  readonly clock: VirtualClock;
  readonly store: Store;
  /** Errors that made the desk give up. */
  readonly fatal: string[];
}

/** Returns a desk that is not started. If the store is given, the caller closes it. */
export function deskOf(
  venues: readonly Venue[],
  {
    clock = new VirtualClock(),
    store = openSqliteStore(':memory:'),
  }: { clock?: VirtualClock; store?: Store } = {},
): OtherDesk {
  const fatal: string[] = [];
  let ids = 0;
  const core = new DeskCore({
    store,
    initial: store.load(recentSince(clock.wall())),
    clock,
    random: { id: (length) => (++ids).toString(32).padStart(length, '0'), next: () => 0.5 },
    venues: [...venues],
    market: () => clock.wall(),
    deferredRows: () => [],
    logFile: () => {},
    fatal: (reason) => fatal.push(reason),
  });
  core.turn.step({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  return { core, clock, store, fatal };
}

/** Lets virtual time run until the promise is settled; throws when that takes longer than `limit` ms. */
export async function within<T>(clock: VirtualClock, limit: number, promise: Promise<T>): Promise<T> {
  let settled = false;
  const end = () => {
    settled = true;
  };
  promise.then(end, end);
  const from = clock.monotonic();
  await clock.settle();
  while (!settled) {
    if (clock.monotonic() - from >= limit) throw new Error(`not settled within ${limit} ms`);
    await clock.advance(100);
  }
  return promise;
}

const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.01' } as const;

/** Places a resting order of the operator. */
export function place(core: DeskCore, exchange: string = SPOT) {
  const request = { exchange, ...LIMIT };
  return core.execute(OPERATOR, { type: 'place', request }, { requestId: 'r' });
}
