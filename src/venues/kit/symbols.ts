/**
 * Our names for the instruments of a market: base and quote without a separator where that belongs to one
 * instrument alone, otherwise the exchange's own name (exchanges.md 1). The same list gives the same names in
 * any order.
 */
import { isMarketName } from '../../domain/market-name.ts';

/** An instrument in an exchange's list. `name`: the exchange's own, unique in the market. */
export interface ListedInstrument {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
}

/**
 * Our symbols by the exchange's own names, unique and validly spelled. Left out: names that are listed twice
 * or cannot be spelled. A name without separators is our symbol unchanged: `1000SHIBUSDT`.
 */
export function symbolsOf(list: readonly ListedInstrument[]): ReadonlyMap<string, string> {
  const listed = new Map<string, ListedInstrument[]>();
  for (const one of list) listed.set(one.name, [...(listed.get(one.name) ?? []), one]);
  const symbols = new Map<string, string>();
  const wanted = new Map<string, number>();
  for (const [name, [one, ...others]] of listed) {
    if (!one || others.length > 0 || !isMarketName(name)) continue;
    const symbol = hasSeparator(name) ? one.base + one.quote : name;
    symbols.set(name, isMarketName(symbol) ? symbol : name);
  }
  for (const symbol of symbols.values()) wanted.set(symbol, (wanted.get(symbol) ?? 0) + 1);
  for (const [name, symbol] of symbols) {
    // An instrument whose own name is this symbol keeps it; the others use their own names.
    const isAnothers = symbol !== name && symbols.has(symbol);
    if (isAnothers || (wanted.get(symbol) ?? 0) > 1) symbols.set(name, name);
  }
  return symbols;
}

/**
 * Whether a name has a separator between base, quote and kind, which our symbols made of base and quote never
 * have.
 */
function hasSeparator(name: string): boolean {
  return /[-_:.]/.test(name);
}
