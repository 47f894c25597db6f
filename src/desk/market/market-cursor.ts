/**
 * The cursor of the market: stored with every commit, resumed from at the next start. Market time never goes
 * back.
 */
import { type ExchangeAccount, marketOf } from '../../domain/exchange.ts';
import { TERMINAL } from '../../domain/order.ts';
import type { Row } from '../../domain/rows.ts';
import { openCsvFeed } from '../../market/csv.ts';
import type { MarketDriver } from '../../market/driver.ts';
import type { Feed, Tick } from '../../market/feed.ts';
import type { PriceSample } from '../../market/symbols.ts';
import { createSyntheticFeed } from '../../market/synthetic.ts';
import type { LoadedState, Store } from '../../store/store.ts';
import { PAPER_MARKET } from '../../venues/paper/accounts.ts';
import type { CompiledDeskOptions } from '../options.ts';
import { DeskStartError } from '../start-error.ts';
import type { KnownPrice, MarketView } from './market-view.ts';

/** How far a market without ticks may be ahead of the clock, ms: the clock may have been set. */
const AHEAD_MS = 60_000;

/** The cursor, stored as meta `market`. */
export interface MarketCursor {
  readonly feed: string;
  readonly time: number;
  readonly prices: readonly KnownPrice[];
  readonly state: unknown;
  /**
   * The tick whose matches were being reported when this was stored: the engine has not seen it, so a start
   * gives it again.
   */
  readonly unfinished: Tick | null;
  readonly ahead?: AheadTick | null;
}

/**
 * A tick that nobody has seen yet, while bots get the closes and timers before it: a start goes on with them.
 */
export interface AheadTick {
  readonly tick: Tick;
  /** Market time of the close or timer. */
  readonly at: number;
}

/** The progress of a tick in work; neither field is set between two ticks. */
export type TickInWork = Pick<Required<MarketCursor>, 'unfinished' | 'ahead'>;

export function openFeed(
  options: Pick<CompiledDeskOptions, 'feed' | 'seed' | 'speed'>,
  store: Store,
  now: number,
  keep: (row: Row) => void,
): { feed: Feed; samplePrices: PriceSample } {
  if (options.feed === 'synthetic') {
    const feed = createSyntheticFeed({
      seed: options.seed,
      startTime: now,
      live: options.speed === 1,
      recorded: (symbol, from, to) => store.candles(PAPER_MARKET, symbol, from, to),
      onCandle: (symbol, candle) => keep({ kind: 'candle', market: PAPER_MARKET, symbol, candle }),
    });
    return { feed, samplePrices: () => [] };
  }
  const feed = openCsvFeed({ spec: options.feed });
  return { feed, samplePrices: feed.samplePrices };
}

/**
 * Refuses a start that would lose symbols: open orders on a symbol without prices could neither fill nor be
 * watched. Orders on other markets have their prices.
 */
export function refuseLostSymbols(
  state: LoadedState,
  feed: Feed,
  accounts: readonly ExchangeAccount[],
): void {
  const elsewhere = new Set(accounts.filter((one) => marketOf(one) !== PAPER_MARKET).map(({ id }) => id));
  const lost = state.orders.find(
    ({ status, symbol, exchange }) =>
      !TERMINAL.has(status) && !feed.symbols.includes(symbol) && !elsewhere.has(exchange),
  );
  if (!lost) return;
  throw new DeskStartError(
    `this data folder has an open order on ${lost.symbol}, of which ${feed.label} has no prices; cancel it under the feed it was placed on, or choose another folder with --data-dir`,
    2,
  );
}

/** Returns where the driver resumes; a market other than the stored one resumes where its own time allows. */
export function resumeAt(
  feed: Feed,
  cursor: MarketCursor | undefined,
): { resume?: { marketTime: number; state: unknown } } {
  if (!cursor) return {};
  if (cursor.feed === feed.label) {
    // A replay that still waits for its first tick: resuming after its start time would skip that tick.
    const begun = cursor.prices.length > 0 || cursor.unfinished !== null || cursor.ahead;
    return begun ? { resume: { marketTime: cursor.time, state: cursor.state } } : {};
  }
  feed.resume(cursor.time, null);
  if (feed.peek() === null) {
    const stands = new Date(cursor.time).toISOString().slice(0, 16);
    throw new DeskStartError(
      `the market of this data folder stands at ${stands}, after the end of ${feed.label}, and market time never goes back; give the replay a folder of its own with --data-dir`,
      2,
    );
  }
  return { resume: { marketTime: cursor.time, state: null } };
}

/**
 * Returns where the time of a market without ticks begins. A start cannot wait if the folder's time is ahead
 * of the clock.
 */
export function reachedAt(feed: Feed, cursor: MarketCursor | undefined, now: number): number {
  const reached = cursor?.time ?? now;
  if (reached <= now + AHEAD_MS) return reached;
  const stands = new Date(reached).toISOString().slice(0, 16);
  throw new DeskStartError(
    `the market of this data folder stands at ${stands}, ahead of the clock, and market time never goes back; give ${feed.label} a folder of its own with --data-dir`,
    2,
  );
}

export function cursorOf(
  feed: Feed,
  driver: MarketDriver,
  view: MarketView,
  inWork: TickInWork,
): MarketCursor {
  return {
    feed: feed.label,
    time: driver.marketTime,
    prices: view.last(PAPER_MARKET),
    state: feed.snapshot(),
    ...inWork,
  };
}
