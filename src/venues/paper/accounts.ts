/** The two embedded paper accounts and the capabilities of each. */
import type { ExchangeAccount, ExchangeCaps } from '../../domain/exchange.ts';
import { PAPER_AMENDS } from './amend.ts';
import { VALIDITY_WINDOW_MS } from './connection.ts';
import { FUTURES_FORMS, SPOT_FORMS } from './forms.ts';

/** The one market that every paper account trades on. */
export const PAPER_MARKET = 'paper';
export const PAPER_SPOT: ExchangeAccount = { id: 'paper-spot', name: 'Paper spot', kind: 'spot' };
export const PAPER_FUTURES: ExchangeAccount = {
  id: 'paper-futures',
  name: 'Paper futures',
  kind: 'futures',
};

export const SPOT_CAPS: ExchangeCaps = {
  forms: SPOT_FORMS,
  validityWindowMs: VALIDITY_WINDOW_MS,
  idPrefix: 'ps',
  amends: PAPER_AMENDS,
  ownOrdersOnly: true,
  pricesFirst: true,
};
export const FUTURES_CAPS: ExchangeCaps = {
  forms: FUTURES_FORMS,
  validityWindowMs: VALIDITY_WINDOW_MS,
  idPrefix: 'pf',
  amends: PAPER_AMENDS,
  ownOrdersOnly: true,
  pricesFirst: true,
};
