/**
 * The places of a walk: an exchange and its emulator, the accounts of one connection, and the symbols that
 * bots and manual orders trade there.
 */
import { SOAK_VENUES, type SoakMarket, type SoakPair, type SoakVenue } from '../soak/venues.ts';

export interface ByHand {
  readonly symbol: string;
  /** Decimals of a price. */
  readonly tick: number;
  readonly quantity: string;
}

export interface Place {
  /** Name of the connection: its accounts are `NAME-spot` and similar. */
  readonly name: string;
  readonly venue: SoakVenue;
  readonly markets: readonly SoakMarket[];
  /** Symbols of manual orders. On futures no bot trades them: they would share its position. */
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

/** Decimals of a BTC price there. */
export function ticksOfBtc(pairs: readonly SoakPair[]): number {
  return pairs.find(({ base }) => base === 'BTC')?.tick ?? 2;
}
