/**
 * What a USD-M futures account does by itself, and what becomes of orders that it does not take: rows of data that
 * `docs/exchanges.md` prints.
 */
import type { ExchangeCaps } from '../../../domain/exchange.ts';
import type { FormRow } from '../../../domain/order-form.ts';
import { RECV_WINDOW_MS } from '../dialect.ts';

/** Untriggered conditional orders that one account may have, over all symbols. */
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
    // A little more than the 600 s that it asks for: the order is still on its way.
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
  // From its turn in the lanes to its stamp: a busy moment of this process.
  sendWithinMs: 500,
  idPrefix: 'bf',
  // Queries are answered by replicas: -2013 a moment after the placement is known of both markets.
  settleMs: 5_000,
  highestFees: { maker: '0.0002', taker: '0.0005' },
  triggersMakeOrders: true,
  closeBelowMinimum: 'flag',
  deadMan: {
    form: 'symbol',
    // Each is renewed four times within its time: 40 of 120 s use 800 of a minute's weight of 2,400.
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
