/** The account on the rough exchange, whose market has the symbols of the other one at other prices. */
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import { spotInstruments } from '../../../src/market/symbols.ts';
import { createPaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import type { SimAccount } from '../accounts.ts';
import { SYMBOLS } from '../market.ts';

export const ROUGH_MARKET = 'rough';
/** Of its prices against those of the other market: who takes one for the other is found out. */
export const ROUGH_SCALE = 1.7;
/** Orders of others begin so. */
export const STRANGER = 'web-';

const ACCOUNT: ExchangeAccount = { id: 'rough-spot', name: 'Rough spot', kind: 'spot', market: ROUGH_MARKET };

export const ROUGH_ACCOUNT: SimAccount = {
  account: ACCOUNT,
  instruments: spotInstruments(
    SYMBOLS.map(({ symbol }) => symbol),
    ACCOUNT.id,
  ),
  startBalances: { USDT: '100000', BTC: '1.5', ETH: '25' },
  create: createPaperVenue,
};
