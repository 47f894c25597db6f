/** The exchange accounts of a world. One entry is all that a further kind of account (futures) needs beside its own checks. */
import type { ExchangeAccount } from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import { spotInstruments } from '../../src/market/symbols.ts';
import {
  createPaperVenue,
  PAPER_SPOT,
  type PaperVenue,
  type PaperVenueOptions,
} from '../../src/venues/paper/paper-venue.ts';
import { SYMBOLS } from './market.ts';

export interface SimAccount {
  readonly account: ExchangeAccount;
  readonly instruments: readonly Instrument[];
  /** Asset -> amount of a new account. */
  readonly startBalances: Readonly<Record<string, string>>;
  readonly create: (options: PaperVenueOptions) => PaperVenue;
}

export const SPOT_ACCOUNT: SimAccount = {
  account: PAPER_SPOT,
  instruments: spotInstruments(
    SYMBOLS.map(({ symbol }) => symbol),
    PAPER_SPOT.id,
  ),
  startBalances: { USDT: '100000', BTC: '1.5', ETH: '25' },
  create: createPaperVenue,
};

export const ACCOUNTS: readonly SimAccount[] = [SPOT_ACCOUNT];
