/** A connection to an exchange with some of its calls replaced: planted bugs are made with it. */
import type { Lane } from '../../src/domain/lane.ts';
import type { LedgerQuery, Venue, VenueSink } from '../../src/venues/venue.ts';

export function over(venue: Venue, change: Partial<Venue>): Venue {
  return {
    account: venue.account,
    caps: venue.caps,
    instruments: () => venue.instruments(),
    open: (sink) => venue.open(sink),
    close: () => venue.close(),
    submit: (order, dispatch) => venue.submit(order, dispatch),
    cancel: (ref, dispatch) => venue.cancel(ref, dispatch),
    ...(venue.canSend
      ? { canSend: (lane: Lane, symbol: string) => venue.canSend?.(lane, symbol) ?? null }
      : {}),
    ...(venue.cancelAll ? { cancelAll: venue.cancelAll.bind(venue) } : {}),
    ...(venue.amend ? { amend: venue.amend.bind(venue) } : {}),
    query: (ref) => venue.query(ref),
    openOrders: () => venue.openOrders(),
    fills: (q) => venue.fills(q),
    balances: () => venue.balances(),
    ...(venue.ledger ? { ledger: (q: LedgerQuery) => venue.ledger?.(q) ?? Promise.resolve(null) } : {}),
    ...(venue.futures ? { futures: venue.futures } : {}),
    ...(venue.deadMan ? { deadMan: venue.deadMan } : {}),
    ...change,
  };
}

export function withSink(sink: VenueSink, change: Partial<VenueSink>): VenueSink {
  return {
    order: (state) => sink.order(state),
    fill: (fill) => sink.fill(fill),
    balances: (changed) => sink.balances(changed),
    positions: (changed) => sink.positions?.(changed),
    instruments: (list) => sink.instruments?.(list),
    ledger: () => sink.ledger?.(),
    stream: (state) => sink.stream(state),
    ...change,
  };
}
