/** What the accounts of OKX do themselves, as rows of data that `docs/exchanges.md` prints. */
import type { ExchangeCaps } from '../../domain/exchange.ts';
import type { FormRow } from '../../domain/order-form.ts';
import { ORDERS_ABSENCE } from './absence.ts';

const PLACE = 'OD Place order';
const ALGO = 'OD Place algo order: conditional; General Info: 100 TP/SL orders an instrument';
/** Most TP/SL orders of one instrument. */
const WAITING_MAX = 100;

const TYPES: FormRow = {
  asked: 'type',
  types: ['MARKET', 'LIMIT', 'LIMIT_MAKER'],
  form: 'native',
  source: `${PLACE}: market, limit, post_only, ioc, fok`,
};
const CONDITIONAL: FormRow = {
  asked: 'type',
  types: ['STOP_MARKET', 'STOP_LIMIT', 'TAKE_PROFIT_MARKET', 'TAKE_PROFIT_LIMIT'],
  form: 'native',
  bounds: { waitingOnSymbol: WAITING_MAX },
  source: ALGO,
};
const END_DATE: FormRow = {
  asked: 'end date',
  form: 'held',
  source: `${PLACE}: expTime bounds the arrival of a request, not the life of an order`,
};
const ICEBERG: FormRow = {
  asked: 'iceberg',
  form: 'refused',
  cure: 'use split, or leave icebergQty out',
  source: `${PLACE}: no such field; smart_iceberg of algo orders is a program of its own`,
};

export const SPOT_FORMS: readonly FormRow[] = [
  TYPES,
  CONDITIONAL,
  {
    asked: 'trailing',
    form: 'held',
    source:
      'OD Place algo order: move_order_stop has no tgtCcy, so the size of a BUY would be in either asset',
  },
  END_DATE,
  ICEBERG,
  { asked: 'quote amount', types: ['MARKET'], form: 'native', source: `${PLACE}: tgtCcy quote_ccy` },
];

export const SWAP_FORMS: readonly FormRow[] = [
  TYPES,
  CONDITIONAL,
  {
    asked: 'trailing',
    types: ['STOP_MARKET'],
    form: 'native',
    // The accepted callbacks are not documented (51257, 51311 name bounds when they refuse): these are
    // chosen.
    bounds: {
      callback: { min: 10, max: 1_000, step: 1 },
      workingTypes: ['CONTRACT_PRICE'],
      waitingOnAccount: 50,
    },
    source:
      'OD Place algo order: move_order_stop, which follows the last price; General Info: 50 trailing orders',
  },
  END_DATE,
  ICEBERG,
  {
    asked: 'quote amount',
    form: 'refused',
    cure: 'give quantity instead of quoteOrderQty',
    source: `${PLACE}: tgtCcy is for spot market orders`,
  },
];

const COMMON = {
  validityWindowMs: ORDERS_ABSENCE.validMs,
  // From an order's turn in the lanes to its timestamp: allows for a busy moment of this process.
  sendWithinMs: 500,
  settleMs: ORDERS_ABSENCE.settleMs,
  triggersMakeOrders: true,
  deadMan: {
    form: 'account',
    leastSeconds: 10,
    mostSeconds: 120,
    source:
      'OD Cancel All After: 10 to 120 s; by tag, so that only orders of this account and this program end',
  },
  amends: {
    types: ['LIMIT', 'LIMIT_MAKER'],
    fields: ['price', 'quantity'],
    keepsPlace: 'less',
    source: 'OD Amend order: newSz, newPx; that less keeps its place is reckoned and written nowhere',
  },
} as const;

export const OKX_SPOT_CAPS: ExchangeCaps = {
  ...COMMON,
  forms: SPOT_FORMS,
  idPrefix: 'os',
  highestFees: { maker: '0.0008', taker: '0.001' },
  closeBelowMinimum: 'no',
};

export const OKX_SWAP_CAPS: ExchangeCaps = {
  ...COMMON,
  forms: SWAP_FORMS,
  idPrefix: 'ow',
  highestFees: { maker: '0.0002', taker: '0.0005' },
  // One lot is the minimum for orders that close, too; there is no minimum value.
  closeBelowMinimum: 'no',
  leverageUntold: true,
};

/** The tag on each order; the countdown of this account cancels orders with it (OD Cancel All After: tag). */
export const TAGS = { spot: 'outcryspot', swap: 'outcryswap' } as const;
