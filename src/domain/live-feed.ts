/** The forms of `--feed` that name an exchange: its live public prices for the paper accounts. Pure. */

/** Exchanges whose prices can be named; which are built in, their kinds say. */
export const LIVE_FEEDS = ['binance', 'bybit', 'okx'] as const;

/** What is wanted: all of an exchange's markets, or one of them alone. */
export interface LiveFeed {
  readonly venue: (typeof LIVE_FEEDS)[number];
  /** Null: both. */
  readonly part: 'spot' | 'futures' | null;
}

/** Null: it names no exchange, as `synthetic` does. */
export function liveFeedOf(feed: string): LiveFeed | null {
  const [name = '', part, more] = feed.split(':');
  const venue = LIVE_FEEDS.find((one) => one === name);
  if (venue === undefined || more !== undefined) return null;
  if (part === undefined) return { venue, part: null };
  return part === 'spot' || part === 'futures' ? { venue, part } : null;
}
