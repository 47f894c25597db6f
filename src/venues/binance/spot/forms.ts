/** What a spot account of Binance does itself, as rows of data that `docs/exchanges.md` prints. */
import type { ExchangeCaps } from '../../../domain/exchange.ts';
import type { FormRow } from '../../../domain/order-form.ts';
import { RECV_WINDOW_MS } from '../dialect.ts';

const PLACE = 'SPOTDOC rest-api.md: POST /api/v3/order';
/** MAX_NUM_ALGO_ORDERS, which is 5 for every symbol. */
const WAITING_MAX = 5;
const WAITING = 'filters.md: MAX_NUM_ALGO_ORDERS';

export const SPOT_FORMS: readonly FormRow[] = [
  { asked: 'type', types: ['MARKET', 'LIMIT', 'LIMIT_MAKER'], form: 'native', source: PLACE },
  {
    asked: 'type',
    types: ['STOP_LIMIT'],
    form: 'native',
    bounds: { waitingOnSymbol: WAITING_MAX, listed: 'STOP_LOSS_LIMIT' },
    source: `${PLACE}; ${WAITING}`,
  },
  {
    asked: 'type',
    types: ['TAKE_PROFIT_LIMIT'],
    form: 'native',
    bounds: { waitingOnSymbol: WAITING_MAX, listed: 'TAKE_PROFIT_LIMIT' },
    source: `${PLACE}; ${WAITING}`,
  },
  {
    asked: 'type',
    types: ['STOP_MARKET'],
    form: 'native',
    bounds: { waitingOnSymbol: WAITING_MAX, listed: 'STOP_LOSS' },
    source: `${PLACE}: STOP_LOSS, which most symbols do not list`,
  },
  {
    asked: 'type',
    types: ['TAKE_PROFIT_MARKET'],
    form: 'native',
    bounds: { waitingOnSymbol: WAITING_MAX, listed: 'TAKE_PROFIT' },
    source: `${PLACE}: TAKE_PROFIT, which most symbols do not list`,
  },
  {
    asked: 'trailing',
    types: ['STOP_MARKET'],
    form: 'native',
    bounds: {
      callback: { min: 10, max: 2_000, step: 1 },
      arms: 'at once',
      waitingOnSymbol: WAITING_MAX,
      listed: 'STOP_LOSS',
    },
    source: 'faqs/trailing-stop-faq.md: STOP_LOSS with trailingDelta; filters.md: TRAILING_DELTA',
  },
  { asked: 'end date', form: 'held', source: `${PLACE}: timeInForce is GTC, IOC or FOK` },
  { asked: 'iceberg', types: ['LIMIT', 'LIMIT_MAKER'], form: 'native', source: `${PLACE}: icebergQty` },
  {
    asked: 'iceberg',
    form: 'refused',
    cure: 'leave icebergQty out, or use LIMIT',
    source: `${PLACE}: icebergQty goes with a limit and GTC`,
  },
  { asked: 'quote amount', types: ['MARKET'], form: 'native', source: `${PLACE}: quoteOrderQty` },
];

export const BINANCE_SPOT_CAPS: ExchangeCaps = {
  forms: SPOT_FORMS,
  validityWindowMs: RECV_WINDOW_MS,
  // From an order's turn in the lanes to its timestamp: allows for a busy moment of this process.
  sendWithinMs: 500,
  idPrefix: 'bs',
  // Replicas answer queries: -2013 can come a moment after the order was placed (ccxt#1786, freqtrade#4462).
  settleMs: 5_000,
  highestFees: { maker: '0.001', taker: '0.001' },
  closeBelowMinimum: 'no',
  amends: {
    types: ['LIMIT', 'LIMIT_MAKER'],
    fields: ['quantity'],
    onlyLess: true,
    keepsPlace: 'less',
    source: 'SPOTDOC rest-api.md: PUT /api/v3/order/amend/keepPriority, which only takes less',
  },
};
