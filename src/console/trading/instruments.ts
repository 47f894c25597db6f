/** Finding instruments by account and symbol. Pure. */
import type { Instrument } from '../../domain/instrument.ts';

/** The instrument; undefined where the exchange does not list it any more. */
export function instrumentOf(
  instruments: readonly Instrument[],
  { exchange, symbol }: Pick<Instrument, 'exchange' | 'symbol'>,
): Instrument | undefined {
  return instruments.find((entry) => entry.exchange === exchange && entry.symbol === symbol);
}

/** Symbols traded on an account. */
export function symbolsOf(instruments: readonly Instrument[], account: string): readonly string[] {
  return instruments
    .filter(({ exchange, delisted }) => exchange === account && !delisted)
    .map(({ symbol }) => symbol);
}

/** Tick sizes by `exchange symbol`. */
export function ticksOf(instruments: readonly Instrument[]): ReadonlyMap<string, string> {
  return new Map(instruments.map(({ exchange, symbol, tickSize }) => [`${exchange} ${symbol}`, tickSize]));
}
