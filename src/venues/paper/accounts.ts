/** The two embedded accounts and what each of them does by itself. */
import type { ExchangeAccount, ExchangeCaps } from '../../domain/exchange.ts';
import { VALIDITY_WINDOW_MS } from './connection.ts';
import { FUTURES_NATIVE_TYPES } from './futures/futures-filters.ts';
import { NATIVE_TYPES } from './paper-order.ts';

/** The one market that every paper account trades on. */
export const PAPER_MARKET = 'paper';
export const PAPER_SPOT: ExchangeAccount = { id: 'paper-spot', name: 'Paper spot', kind: 'spot' };
export const PAPER_FUTURES: ExchangeAccount = {
  id: 'paper-futures',
  name: 'Paper futures',
  kind: 'futures',
};

export const SPOT_CAPS: ExchangeCaps = {
  nativeTypes: NATIVE_TYPES,
  gtd: false,
  trailing: false,
  iceberg: true,
  validityWindowMs: VALIDITY_WINDOW_MS,
  idPrefix: 'ps',
  ownOrdersOnly: true,
  pricesFirst: true,
};
export const FUTURES_CAPS: ExchangeCaps = {
  nativeTypes: FUTURES_NATIVE_TYPES,
  gtd: false,
  trailing: true,
  iceberg: false,
  validityWindowMs: VALIDITY_WINDOW_MS,
  idPrefix: 'pf',
  ownOrdersOnly: true,
  pricesFirst: true,
};
