/**
 * Which orders the paper exchange takes, and which of them it triggers by itself: on each market kind the
 * same as at Binance.
 */
import type { FormRow } from '../../domain/order-form.ts';
import { FUTURES_NATIVE_TYPES } from './futures/futures-filters.ts';
import { NATIVE_TYPES } from './paper-order.ts';

const SPOT = 'Binance spot: order types of POST /api/v3/order';
const FUTURES = 'Binance USDM futures: order types of POST /fapi/v1/order';

export const SPOT_FORMS: readonly FormRow[] = [
  { asked: 'type', types: NATIVE_TYPES, form: 'native', source: SPOT },
  {
    asked: 'type',
    types: ['STOP_MARKET', 'TAKE_PROFIT_MARKET'],
    form: 'held',
    source: 'STOP_LOSS and TAKE_PROFIT are not listed for the symbols',
  },
  { asked: 'trailing', form: 'held', source: 'STOP_LOSS, which would trail, is not listed for the symbols' },
  { asked: 'end date', form: 'held', source: 'Binance spot: timeInForce is GTC, IOC or FOK' },
  { asked: 'iceberg', form: 'native', source: 'Binance spot: icebergQty' },
  { asked: 'quote amount', form: 'native', source: 'Binance spot: quoteOrderQty' },
];

export const FUTURES_FORMS: readonly FormRow[] = [
  { asked: 'type', types: FUTURES_NATIVE_TYPES, form: 'native', source: FUTURES },
  { asked: 'trailing', form: 'native', source: 'Binance USDM futures: TRAILING_STOP_MARKET' },
  { asked: 'end date', form: 'held', source: 'the paper exchange has none' },
  {
    asked: 'iceberg',
    form: 'refused',
    cure: 'use split, or leave icebergQty out',
    source: 'Binance USDM futures: no icebergQty',
  },
  { asked: 'quote amount', form: 'native', source: 'added by the paper exchange' },
];
