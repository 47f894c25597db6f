/**
 * What the instruments of a market are called here: base and quote without a separator where that is one instrument's alone, else
 * the exchange's own name of it (exchanges.md 1). The same list gives the same names in whatever order it comes.
 */
import { isMarketName } from '../../domain/market-name.ts';

/** Of an exchange's list. `name`: its own, unique in the market. */
export interface ListedInstrument {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
}

/**
 * Our symbol by the exchange's own name, unique and spelled as symbols are. Left out: what is listed twice or cannot be spelled.
 * A name without separators is our symbol as it stands: `1000SHIBUSDT`.
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
    // One whose own name it is keeps it; the others have names of their own.
    const isAnothers = symbol !== name && symbols.has(symbol);
    if (isAnothers || (wanted.get(symbol) ?? 0) > 1) symbols.set(name, name);
  }
  return symbols;
}

/** Separates base, quote and kind: what a symbol of ours never has where it is made of base and quote. */
function hasSeparator(name: string): boolean {
  return /[-_:.]/.test(name);
}
