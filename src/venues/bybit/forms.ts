/**
 * What accounts of Bybit do natively, and what proves that an order never existed: rows of data that
 * `docs/exchanges.md` prints.
 */
import type { AmendCaps, ExchangeCaps } from '../../domain/exchange.ts';
import type { FormRow } from '../../domain/order-form.ts';
import type { AbsenceProof } from '../kit/absence.ts';
import { RECV_WINDOW_MS } from './dialect.ts';

const PLACE = 'DOC order/create-order';
/** The largest number of conditional orders of one symbol. */
const SPOT_WAITING = 30;
const LINEAR_WAITING = 10;

const TRIGGERED = ['STOP_MARKET', 'STOP_LIMIT', 'TAKE_PROFIT_MARKET', 'TAKE_PROFIT_LIMIT'] as const;

export const SPOT_FORMS: readonly FormRow[] = [
  { asked: 'type', types: ['MARKET', 'LIMIT', 'LIMIT_MAKER'], form: 'native', source: PLACE },
  {
    asked: 'type',
    types: TRIGGERED,
    form: 'native',
    bounds: { waitingOnSymbol: SPOT_WAITING },
    source: `${PLACE}: orderFilter StopOrder, 30 of a symbol`,
  },
  { asked: 'trailing', form: 'held', source: `${PLACE}: spot has none` },
  { asked: 'end date', form: 'held', source: `${PLACE}: timeInForce is GTC, IOC, FOK or PostOnly` },
  {
    asked: 'iceberg',
    form: 'refused',
    cure: 'use split, or leave icebergQty out',
    source: `${PLACE} has none`,
  },
  { asked: 'quote amount', types: ['MARKET'], form: 'native', source: `${PLACE}: marketUnit quoteCoin` },
];

export const LINEAR_FORMS: readonly FormRow[] = [
  { asked: 'type', types: ['MARKET', 'LIMIT', 'LIMIT_MAKER'], form: 'native', source: PLACE },
  {
    asked: 'type',
    types: TRIGGERED,
    form: 'native',
    bounds: { waitingOnSymbol: LINEAR_WAITING },
    source: `${PLACE}: triggerPrice and triggerDirection, 10 of a symbol`,
  },
  {
    asked: 'trailing',
    form: 'held',
    source: 'DOC position/trading-stop: of a position, by a distance, without a client id',
  },
  { asked: 'end date', form: 'held', source: `${PLACE}: timeInForce is GTC, IOC, FOK or PostOnly` },
  {
    asked: 'iceberg',
    form: 'refused',
    cure: 'use split, or leave icebergQty out',
    source: `${PLACE} has none`,
  },
  {
    asked: 'quote amount',
    form: 'refused',
    cure: 'give quantity instead of quoteOrderQty',
    source: `${PLACE}: perps are always ordered by qty`,
  },
];

/** DOC order/order-list, order/open-order, order/execution. */
export const BYBIT_ABSENCE: AbsenceProof = {
  lists: ['/v5/order/realtime', '/v5/order/history', '/v5/execution/list'],
  // Orders are created asynchronously, and lists have lagged by seconds.
  settleMs: 5_000,
  keptMs: 24 * 3_600_000,
  source:
    'DOC order/order-list: creation and cancellation are asynchronous, what ended without an execution stays 24 hours; docs-legacy#184: seconds of delay',
};

const AMENDS: AmendCaps = {
  types: ['LIMIT', 'LIMIT_MAKER'],
  fields: ['price', 'quantity'],
  keepsPlace: 'never',
  source: 'DOC order/amend-order, which does not say that a place is kept',
};

const COMMON = {
  validityWindowMs: RECV_WINDOW_MS,
  // The time from an order's turn in the lanes to its timestamp, if this process is busy.
  sendWithinMs: 500,
  settleMs: BYBIT_ABSENCE.settleMs,
  amends: AMENDS,
  deadMan: {
    form: 'exchange',
    source: 'DOC order/dcp, account/dcp-info: watched on the private socket, switched on by Bybit alone',
  },
} as const satisfies Partial<ExchangeCaps>;

export const BYBIT_SPOT_CAPS: ExchangeCaps = {
  ...COMMON,
  forms: SPOT_FORMS,
  idPrefix: 'ys',
  highestFees: { maker: '0.001', taker: '0.001' },
  closeBelowMinimum: 'no',
};

export const BYBIT_LINEAR_CAPS: ExchangeCaps = {
  ...COMMON,
  forms: LINEAR_FORMS,
  idPrefix: 'yf',
  highestFees: { maker: '0.0002', taker: '0.00055' },
  closeBelowMinimum: 'flag',
  leverageUntold: true,
};
