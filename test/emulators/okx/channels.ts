/**
 * The channels: the address of each, whether it needs a login, and its required arguments. Sources: the
 * channel pages of OKX v5.
 */
import { BARS } from './bars.ts';

export type Address = 'public' | 'private' | 'business';

export interface Channel {
  readonly address: Address;
  readonly isPrivate: boolean;
  readonly needs: 'instId' | 'instType' | 'nothing';
  /** Whether its connections are counted (30 per channel and account). */
  readonly isCounted?: boolean;
}

const open = (needs: Channel['needs'], address: Address = 'public'): Channel => ({
  address,
  isPrivate: false,
  needs,
});
const own = (needs: Channel['needs'], address: Address = 'private', isCounted = true): Channel => ({
  address,
  isPrivate: true,
  needs,
  isCounted,
});

export const CHANNELS: ReadonlyMap<string, Channel> = new Map([
  ['tickers', open('instId')],
  ['trades', open('instId')],
  ['bbo-tbt', open('instId')],
  ['books5', open('instId')],
  ['books', open('instId')],
  ['mark-price', open('instId')],
  ['index-tickers', open('instId')],
  ['funding-rate', open('instId')],
  ['price-limit', open('instId')],
  ['instruments', open('instType')],
  ['status', open('nothing')],
  ['trades-all', open('instId', 'business')],
  ...[...BARS.keys()].map((bar) => [`candle${bar}`, open('instId', 'business')] as const),
  ['orders', own('instType')],
  ['account', own('nothing')],
  ['positions', own('instType')],
  ['balance_and_position', own('nothing')],
  ['liquidation-warning', own('instType')],
  ['orders-algo', own('instType', 'business', false)],
  ['algo-advance', own('instType', 'business', false)],
]);

/** Channels for accounts of a fee tier above this emulator's only: 64003. */
export const ABOVE_TIER: ReadonlySet<string> = new Set(['fills', 'books-l2-tbt', 'books50-l2-tbt']);

export type Arg = Readonly<Record<string, string>>;

/** One subscription of one socket. */
export interface Subscription {
  /** The argument as echoed: without `extraParams`. */
  readonly arg: Arg;
  /** Time between regular pushes, ms; 0: only events. */
  readonly everyMs: number;
}
