/** Where a walk goes: an exchange and its emulator, the accounts of one connection, and what is traded there by bots and by hand. */
import { SOAK_VENUES, type SoakMarket, type SoakPair, type SoakVenue } from '../soak/venues.ts';

export interface ByHand {
  readonly symbol: string;
  /** Places of a price. */
  readonly tick: number;
  readonly quantity: string;
}

export interface Place {
  /** Of the connection: its accounts are `NAME-spot` and the like. */
  readonly name: string;
  readonly venue: SoakVenue;
  readonly markets: readonly SoakMarket[];
  /** Of contracts one that no bot trades: its position would be theirs, too. */
  readonly byHand: Readonly<Partial<Record<SoakMarket, readonly ByHand[]>>>;
}

const SPOT_QUANTITIES: Readonly<Record<string, string>> = {
  BNBUSDT: '0.2',
  ETHUSDT: '0.03',
  SOLUSDT: '0.5',
};

export function placeOf(name: string): Place | null {
  const venue = SOAK_VENUES[name];
  if (!venue) return null;
  const markets = Object.keys(venue.pairs) as SoakMarket[];
  const pairsOf = (market: SoakMarket) => venue.pairs[market] ?? [];
  const byHand = markets.map((market): [SoakMarket, ByHand[]] => [
    market,
    pairsOf(market).flatMap(({ symbol, tick }) => {
      const quantity = market === 'spot' ? SPOT_QUANTITIES[symbol] : symbol === 'SOLUSDT' ? '1' : undefined;
      return quantity === undefined ? [] : [{ symbol, tick, quantity }];
    }),
  ]);
  return { name, venue, markets, byHand: Object.fromEntries(byHand) };
}

/** Places of a price of BTC there. */
export function ticksOfBtc(pairs: readonly SoakPair[]): number {
  return pairs.find(({ base }) => base === 'BTC')?.tick ?? 2;
}
