/** Converts Bybit's figures to ours. Pure. */
import { dec, str, ZERO } from '../../domain/decimal.ts';

/** A decimal without trailing zeros; an empty or missing text is zero. */
export function figure(text: string | null | undefined): string {
  return text === undefined || text === null || text === '' ? '0' : str(dec(text));
}

/** A price; undefined where it is missing, empty or zero. */
export function priceOf(text: string | null | undefined): string | undefined {
  const value = dec(figure(text));
  return value <= ZERO ? undefined : str(value);
}
