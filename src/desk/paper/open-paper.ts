/**
 * The exchange accounts in this process: at the prices of the paper market, or of the live markets that they
 * mirror.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import type { ExchangeAccount } from '../../domain/exchange.ts';
import type { LoadedState, Store } from '../../store/store.ts';
import type { PaperVenue } from '../../venues/paper/paper-venue.ts';
import type { Venue } from '../../venues/venue.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { LiveMarkets } from '../market/live/live-markets.ts';
import type { Market } from '../market/open-market.ts';
import { type Mirrors, mirrorOf } from './mirrors.ts';
import { createPaperAccounts, type PaperAccountsOptions } from './paper-accounts.ts';
import type { AllPaperSettings } from './paper-settings.ts';

/** The exchange accounts of a desk. */
export interface DeskVenues {
  /** All accounts, which the engine sends requests to. */
  readonly all: readonly Venue[];
  /** Accounts of the exchange in this process, which its market gives ticks to. */
  readonly paper: readonly PaperVenue[];
}

export interface PaperGiven {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly initial: LoadedState;
  /** The accounts that are opened; left out: both. */
  readonly accounts?: readonly ExchangeAccount[];
  /** Makes the exchange accounts; default: `createPaperAccounts`. */
  readonly venues?: (given: PaperAccountsOptions) => DeskVenues;
  readonly market: Market;
  readonly settings: AllPaperSettings;
  /** Null: the paper market has prices of its own. */
  readonly mirrors: Mirrors | null;
  readonly core: () => DeskCore;
  readonly live: () => LiveMarkets;
}

export function openPaper(o: PaperGiven): DeskVenues {
  const { clock, random, store, initial, market, settings, mirrors, core, live } = o;
  const options: PaperAccountsOptions = {
    accounts: o.accounts,
    feed: market.feed,
    samplePrices: market.samplePrices,
    store,
    clock,
    random,
    marketTime: () => market.time(),
    commit: (rows) => core().turn.commitBeside(rows),
    ...(market.feed.live ? {} : { settle: () => core().turn.quiet() }),
    onError: (account, error) => core().report('error', 'exchange', `${account}: ${error.message}`),
    settings: (account) => settings.of(account),
    mirror: (account) => {
      const data = mirrors?.marketOf(account);
      return data && mirrorOf(data, account, initial.meta, live);
    },
  };
  const venues = o.venues?.(options) ?? embedded(options);
  for (const { faults } of venues.paper) faults.onChanged = () => core().mark({ kind: 'accounts' });
  return venues;
}

/** Makes the accounts of the exchange in this process, and no others. */
export function embedded(options: PaperAccountsOptions): DeskVenues {
  const paper = createPaperAccounts(options);
  return { all: paper, paper };
}
