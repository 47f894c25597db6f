/** The exchange accounts of a world, by its plan: spot, futures or both. */
import type { ExchangeAccount } from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import { futuresInstruments } from '../../src/market/futures-symbols.ts';
import { spotInstruments } from '../../src/market/symbols.ts';
import {
  createPaperVenue,
  PAPER_FUTURES,
  PAPER_SPOT,
  type PaperVenue,
  type PaperVenueOptions,
} from '../../src/venues/paper/paper-venue.ts';
import { SYMBOLS } from './market.ts';
import type { SeedPlan } from './plan.ts';
import { ROUGH_SPOT, roughFutures } from './rough/rough-account.ts';

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

export const FUTURES_ACCOUNT: SimAccount = {
  account: PAPER_FUTURES,
  instruments: futuresInstruments(
    SYMBOLS.map(({ symbol }) => symbol),
    PAPER_FUTURES.id,
  ),
  startBalances: { USDT: '50000' },
  create: createPaperVenue,
};

export function accountsOf(plan: Pick<SeedPlan, 'futures' | 'rough'>): readonly SimAccount[] {
  const { futures } = plan.rough ?? {};
  return [
    ...paperAccountsOf(plan),
    ...(plan.rough ? [ROUGH_SPOT] : []),
    ...(futures ? [roughFutures(futures)] : []),
  ];
}

function paperAccountsOf({ futures }: Pick<SeedPlan, 'futures'>): readonly SimAccount[] {
  if (!futures) return [SPOT_ACCOUNT];
  const account = { ...FUTURES_ACCOUNT, startBalances: { USDT: futures.wallet } };
  return futures.alone ? [account] : [SPOT_ACCOUNT, account];
}
