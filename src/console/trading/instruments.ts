/** The instrument that something is of. Pure. */
import type { Instrument } from '../../domain/instrument.ts';

/** Undefined for one that the exchange does not name any more. */
export function instrumentOf(
  instruments: readonly Instrument[],
  { exchange, symbol }: Pick<Instrument, 'exchange' | 'symbol'>,
): Instrument | undefined {
  return instruments.find((entry) => entry.exchange === exchange && entry.symbol === symbol);
}

/** Symbols that are traded on an account. */
export function symbolsOf(instruments: readonly Instrument[], account: string): readonly string[] {
  return instruments
    .filter(({ exchange, delisted }) => exchange === account && !delisted)
    .map(({ symbol }) => symbol);
}

/** Price step by `exchange symbol`. */
export function ticksOf(instruments: readonly Instrument[]): ReadonlyMap<string, string> {
  return new Map(instruments.map(({ exchange, symbol, tickSize }) => [`${exchange} ${symbol}`, tickSize]));
}
