/**
 * Ports that fail at their N-th call, N counted over all restarts of one run. `reached`: whether that call
 * was made.
 */
import { type Store, StoreError } from '../../src/store/store.ts';
import type { Venue } from '../../src/venues/venue.ts';

/** Selects the call that fails; the count continues when the desk starts again. */
export class Countdown {
  calls = 0;
  reached: string | null = null;
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  /** True at the N-th call. */
  hit(name: string): boolean {
    this.calls += 1;
    if (this.calls !== this.#at) return false;
    this.reached = name;
    return true;
  }
}

/**
 * Faults of a commit. `full`: nothing written, all well afterwards. `twice`: the next commit fails too.
 * `load`: the load that follows fails. `device`: nothing is written until the store is opened anew. `landed`:
 * the same, but this commit was written.
 */
export const COMMIT_FAULTS = ['full', 'twice', 'load', 'device', 'landed'] as const;
export type CommitFault = (typeof COMMIT_FAULTS)[number];
/**
 * Faults of a read. `busy`: once. `device`: from now on nothing is written until the store is opened anew.
 */
export const READ_FAULTS = ['busy', 'device'] as const;
export type ReadFault = (typeof READ_FAULTS)[number];

const full = () => new StoreError('FULL', 'the disk is full, says the test');
const device = () => new StoreError('IO', 'the disk failed, says the test');

/** Wraps each opened store anew; the countdown is that of the whole run. */
export function commitFaults(countdown: Countdown, fault: CommitFault): (store: Store) => Store {
  return (store) => {
    let failNext: 'commit' | 'load' | null = null;
    let broken = false;
    return overlay(store, {
      commit(rows) {
        if (broken) throw device();
        if (failNext === 'commit' || countdown.hit(rows.map(({ kind }) => kind).join())) {
          if (failNext === null && fault === 'twice') failNext = 'commit';
          else failNext = fault === 'load' ? 'load' : null;
          if (fault === 'landed') store.commit(rows);
          if (fault !== 'landed' && fault !== 'device') throw full();
          broken = true;
          throw device();
        }
        store.commit(rows);
      },
      load(since) {
        if (failNext === 'load') {
          failNext = null;
          throw full();
        }
        return store.load(since);
      },
    });
  };
}

export function readFaults(countdown: Countdown, fault: ReadFault): (store: Store) => Store {
  return (store) => {
    let broken = false;
    const reading =
      <A extends unknown[], T>(name: string, read: (...args: A) => T) =>
      (...args: A): T => {
        if (countdown.hit(name)) {
          broken = fault === 'device';
          throw broken ? device() : new StoreError('BUSY', 'locked, says the test');
        }
        return read(...args);
      };
    return overlay(store, {
      commit(rows) {
        if (broken) throw device();
        store.commit(rows);
      },
      load: reading('load', (since) => store.load(since)),
      loadPaper: reading('loadPaper', () => store.loadPaper()),
      loadPaperAccount: reading('loadPaperAccount', (kind) => store.loadPaperAccount(kind)),
      order: reading('order', (id) => store.order(id)),
      orderAt: reading('orderAt', (exchange, wireId) => store.orderAt(exchange, wireId)),
      orderEvents: reading('orderEvents', (id) => store.orderEvents(id)),
      orderFills: reading('orderFills', (id) => store.orderFills(id)),
      closedOrders: reading('closedOrders', (q) => store.closedOrders(q)),
      trades: reading('trades', (q) => store.trades(q)),
      tradePage: reading('tradePage', (q) => store.tradePage(q)),
      isInLedger: reading('isInLedger', (exchange, id) => store.isInLedger(exchange, id)),
      ledger: reading('ledger', (q) => store.ledger(q)),
      fillsFrom: reading('fillsFrom', (q) => store.fillsFrom(q)),
      ledgerFrom: reading('ledgerFrom', (q) => store.ledgerFrom(q)),
      openings: reading('openings', (q) => store.openings(q)),
      stopsPlaced: reading('stopsPlaced', (q) => store.stopsPlaced(q)),
      runs: reading('runs', (botId, limit) => store.runs(botId, limit)),
      notices: reading('notices', (botId, limit) => store.notices(botId, limit)),
      operators: reading('operators', () => store.operators()),
      memory: reading('memory', (name) => store.memory(name)),
      vault: reading('vault', () => store.vault()),
    });
  };
}

/** The store, with the methods of `changed` replaced. */
export function overlay(store: Store, changed: Partial<Store>): Store {
  return {
    load: (since) => store.load(since),
    loadPaper: () => store.loadPaper(),
    loadPaperAccount: (kind) => store.loadPaperAccount(kind),
    commit: (rows) => store.commit(rows),
    order: (id) => store.order(id),
    orderAt: (exchange, wireId) => store.orderAt(exchange, wireId),
    orderEvents: (id) => store.orderEvents(id),
    orderFills: (id) => store.orderFills(id),
    closedOrders: (q) => store.closedOrders(q),
    trades: (q) => store.trades(q),
    tradePage: (q) => store.tradePage(q),
    isInLedger: (exchange, id) => store.isInLedger(exchange, id),
    ledger: (q) => store.ledger(q),
    fillsFrom: (q) => store.fillsFrom(q),
    ledgerFrom: (q) => store.ledgerFrom(q),
    openings: (q) => store.openings(q),
    stopsPlaced: (q) => store.stopsPlaced(q),
    runs: (botId, limit) => store.runs(botId, limit),
    notices: (botId, limit) => store.notices(botId, limit),
    candles: (market, symbol, from, to) => store.candles(market, symbol, from, to),
    memory: (name) => store.memory(name),
    operators: () => store.operators(),
    vault: () => store.vault(),
    maintain: (now) => store.maintain(now),
    close: () => store.close(),
    ...changed,
  };
}

/** The outcome of a call: whether it reached the exchange, and what came back. */
export const VENUE_FAULTS = [
  'lost, unknown',
  'done, unknown',
  'lost, never answered',
  'done, never answered',
  'lost, rejected promise',
  'done, rejected promise',
  'lost, throws at once',
  'done, throws at once',
] as const;
export type VenueFault = (typeof VENUE_FAULTS)[number];

/**
 * Makes the exchange's calls fail. Reads change nothing: with `done`, only calls that change something count
 * and fail.
 */
export function venueFaults(countdown: Countdown, fault: VenueFault): (venue: Venue) => Venue {
  const [fate, how] = fault.split(', ');
  const call = <T>(name: string, run: () => Promise<T>, unknown: T): Promise<T> => {
    if (!countdown.hit(name)) return run();
    if (fate === 'done') void run();
    if (how === 'throws at once') throw new Error('the adapter throws, says the test');
    if (how === 'rejected promise') return Promise.reject(new Error('the adapter rejects, says the test'));
    return how === 'unknown' ? Promise.resolve(unknown) : new Promise<never>(() => {});
  };
  const ask = <T>(name: string, run: () => Promise<T>, unknown: T): Promise<T> =>
    fate === 'done' ? run() : call(name, run, unknown);
  const lost = { kind: 'unknown', cause: 'says the test' } as const;
  return (venue) =>
    overlayVenue(venue, {
      submit: (order) => call('submit', () => venue.submit(order), lost),
      cancel: (ref) => call('cancel', () => venue.cancel(ref), lost),
      query: (ref) => ask('query', () => venue.query(ref), lost),
      openOrders: () => ask('openOrders', () => venue.openOrders(), null),
      balances: () => ask('balances', () => venue.balances(), null),
    });
}

/** The exchange, with the methods of `changed` replaced. */
export function overlayVenue(venue: Venue, changed: Partial<Venue>): Venue {
  return {
    account: venue.account,
    caps: venue.caps,
    instruments: () => venue.instruments(),
    open: (sink) => venue.open(sink),
    close: () => venue.close(),
    submit: (order) => venue.submit(order),
    cancel: (ref) => venue.cancel(ref),
    query: (ref) => venue.query(ref),
    openOrders: () => venue.openOrders(),
    fills: (q) => venue.fills(q),
    balances: () => venue.balances(),
    ...changed,
  };
}
