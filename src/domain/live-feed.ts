/** The values of `--feed` that name an exchange: its live public prices for the paper accounts. Pure. */

/** Exchanges that can be named; their venue kinds say which of them are built in. */
export const LIVE_FEEDS = ['binance', 'bybit', 'okx'] as const;

/** What the name asks for: all of an exchange's markets, or only one of them. */
export interface LiveFeed {
  readonly venue: (typeof LIVE_FEEDS)[number];
  /** Null: both. */
  readonly part: 'spot' | 'futures' | null;
}

/** Reads the name of a feed; null: it names no exchange, as `synthetic` does. */
export function liveFeedOf(feed: string): LiveFeed | null {
  const [name = '', part, more] = feed.split(':');
  const venue = LIVE_FEEDS.find((one) => one === name);
  if (venue === undefined || more !== undefined) return null;
  if (part === undefined) return { venue, part: null };
  return part === 'spot' || part === 'futures' ? { venue, part } : null;
}
