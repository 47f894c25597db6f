/** Figures as Bybit writes them, in ours. Pure. */
import { dec, str, ZERO } from '../../domain/decimal.ts';

/** Without zeros at its end; a word for none is zero. */
export function figure(text: string | null | undefined): string {
  return text === undefined || text === null || text === '' ? '0' : str(dec(text));
}

/** A price; zero and words for none are none. */
export function priceOf(text: string | null | undefined): string | undefined {
  const value = dec(figure(text));
  return value <= ZERO ? undefined : str(value);
}
