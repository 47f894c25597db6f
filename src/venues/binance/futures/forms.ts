/**
 * What a USD-M futures account does itself, and what happens to orders that it does not take: rows of data
 * that `docs/exchanges.md` prints.
 */
import type { ExchangeCaps } from '../../../domain/exchange.ts';
import type { FormRow } from '../../../domain/order-form.ts';
import { RECV_WINDOW_MS } from '../dialect.ts';

/** Conditional orders that may wait for their trigger at once in one account, over all symbols. */
const WAITING_MAX = 200;
const ALGO = 'POST /fapi/v1/algoOrder; 200 open conditional orders an account (change log 2025-12-29)';

export const FUTURES_FORMS: readonly FormRow[] = [
  { asked: 'type', types: ['MARKET', 'LIMIT', 'LIMIT_MAKER'], form: 'native', source: 'POST /fapi/v1/order' },
  {
    asked: 'type',
    types: ['STOP_MARKET', 'STOP_LIMIT', 'TAKE_PROFIT_MARKET', 'TAKE_PROFIT_LIMIT'],
    form: 'native',
    bounds: { waitingOnAccount: WAITING_MAX },
    source: ALGO,
  },
  {
    asked: 'trailing',
    types: ['STOP_MARKET'],
    form: 'native',
    bounds: { callback: { min: 10, max: 2_000, step: 10 }, waitingOnAccount: WAITING_MAX },
    source: 'TRAILING_STOP_MARKET, callbackRate 0.1 to 20 in steps of 0.1 (change log 2026-10-23)',
  },
  {
    asked: 'end date',
    types: ['LIMIT'],
    form: 'native',
    // A little more than the required 600 s: the order still has to reach the exchange.
    bounds: { ahead: { min: 615_000, step: 1_000 } },
    source:
      'timeInForce GTD: goodTillDate more than 600 s ahead, in whole seconds; conditional orders have none',
  },
  {
    asked: 'iceberg',
    form: 'refused',
    cure: 'use split, or leave icebergQty out',
    source: 'New Order has no icebergQty',
  },
  {
    asked: 'quote amount',
    form: 'refused',
    cure: 'give quantity instead of quoteOrderQty',
    source: 'New Order has no quoteOrderQty',
  },
];

export const BINANCE_FUTURES_CAPS: ExchangeCaps = {
  forms: FUTURES_FORMS,
  validityWindowMs: RECV_WINDOW_MS,
  // From an order's turn in the lanes to its timestamp: allows for a busy moment of this process.
  sendWithinMs: 500,
  idPrefix: 'bf',
  // Replicas answer queries: on both markets -2013 can come a moment after the order was placed.
  settleMs: 5_000,
  highestFees: { maker: '0.0002', taker: '0.0005' },
  triggersMakeOrders: true,
  closeBelowMinimum: 'flag',
  deadMan: {
    form: 'symbol',
    // Each countdown is renewed four times within its time: 40 of 120 s use 800 of a minute's weight of
    // 2,400.
    mostSymbols: 40,
    leastSeconds: 120,
    mostSeconds: 3_600,
    source: 'POST /fapi/v1/countdownCancelAll, weight 10; it names no bounds, these are chosen',
  },
  amends: {
    types: ['LIMIT', 'LIMIT_MAKER'],
    fields: ['price', 'quantity'],
    keepsPlace: 'never',
    source: 'PUT /fapi/v1/order: modified orders are reordered in the match queue',
  },
};
