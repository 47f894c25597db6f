/**
 * The embedded exchange accounts of a desk: both get the ticks of one market, each has its own state and
 * commits.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import { type ExchangeAccount, marketOf } from '../../domain/exchange.ts';
import type { Row } from '../../domain/rows.ts';
import type { Feed, Tick } from '../../market/feed.ts';
import { futuresInstruments } from '../../market/futures-symbols.ts';
import { type PriceSample, spotInstruments } from '../../market/symbols.ts';
import type { Store } from '../../store/store.ts';
import type { Mirror } from '../../venues/paper/mirror.ts';
import {
  createPaperVenue,
  PAPER_FUTURES,
  PAPER_SPOT,
  type PaperVenue,
} from '../../venues/paper/paper-venue.ts';
import type { Venue } from '../../venues/venue.ts';
import type { PaperSettings } from '../console/protocol.ts';
import type { Turn } from '../core/turn.ts';

export interface PaperAccountsOptions {
  /**
   * Default: both, of the local user. At most one of each kind, since each kind has one place in the store.
   */
  readonly accounts?: readonly ExchangeAccount[];
  readonly feed: Feed;
  readonly samplePrices: PriceSample;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly marketTime: () => number;
  readonly commit: (rows: readonly Row[]) => void;
  /**
   * In lock-step, resolves once the desk has no work left, asked after each match; left out on a live market.
   */
  readonly settle?: () => Promise<void> | void;
  readonly onError: (account: string, error: Error) => void;
  readonly settings: (account: string) => PaperSettings;
  /** Returns the live market that an account mirrors; undefined, or left out: none. */
  readonly mirror?: (account: string) => Mirror | undefined;
}

/** Fee rates of a new account, decimal strings (engine.md, "Paper exchange"). */
const FEES = {
  [PAPER_SPOT.id]: { maker: '0.001', taker: '0.001' },
  [PAPER_FUTURES.id]: { maker: '0.0002', taker: '0.0005' },
} as const;

export function feeRatesOf(exchange: string | undefined): { maker: string; taker: string } {
  const id = exchange ?? PAPER_SPOT.id;
  return (Object.hasOwn(FEES, id) ? FEES[id] : undefined) ?? { maker: '0', taker: '0' };
}

export function createPaperAccounts(o: PaperAccountsOptions): readonly PaperVenue[] {
  return (o.accounts ?? [PAPER_SPOT, PAPER_FUTURES]).map((account) => {
    const instruments = account.kind === 'spot' ? spotInstruments : futuresInstruments;
    const mirror = o.mirror?.(account.id);
    return createPaperVenue({
      account,
      instruments: instruments(o.feed.symbols, account.id, o.samplePrices),
      load: () => o.store.loadPaperAccount(account.kind),
      lane: { commit: o.commit },
      clock: o.clock,
      random: o.random,
      marketTime: o.marketTime,
      ...(o.settle ? { settle: o.settle } : {}),
      options: o.settings(account.id),
      onError: (error) => o.onError(account.id, error),
      ...(mirror ? { mirror } : {}),
    });
  });
}

/** Gives a tick to each account in turn; returns undefined when none had anything to match. */
export function tickAll(venues: readonly PaperVenue[], tick: Tick): Promise<void> | undefined {
  let busy: Promise<void> | undefined;
  for (const venue of venues) {
    if (busy) busy = busy.then(() => venue.tick(tick));
    else busy = venue.tick(tick) ?? undefined;
  }
  return busy;
}

/** Gives the engine the mark prices that a tick has moved. */
export function stepMarks(turn: Turn, venues: readonly Venue[], symbol: string): void {
  for (const { account, futures } of venues) {
    const price = futures?.markPrice(symbol);
    if (price) turn.step({ type: 'mark', market: marketOf(account), symbol, price });
  }
}
