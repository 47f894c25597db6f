/**
 * Figures of the PnL book in readable form: money with its sign, averages with as many places as are
 * meaningful. Pure.
 */
import type { PnlView } from '../../desk/console/protocol.ts';
import { dec, decOfInt, fixed, mul, ONE, ZERO } from '../../domain/decimal.ts';
import { withoutZeros } from '../../domain/text-ends.ts';
import { group, MISSING, read, signed } from '../ui/format.ts';

const THOUSAND = decOfInt(1_000);

/** Dollars with their sign and two places. */
export function usd(text: string | null | undefined): string {
  const value = read(text);
  return value === null ? MISSING : signed(value, 2);
}

/** An amount paid, as a negative figure: `1.5` paid is `-1.50`. */
export function cost(text: string): string {
  return signed(-dec(text), 2);
}

/** A computed average of prices, not rounded to a tick. */
export function average(text: string | null | undefined): string {
  const value = read(text);
  if (value === null) return MISSING;
  const size = value < ZERO ? -value : value;
  if (size >= THOUSAND) return group(fixed(value, 2));
  return group(withoutZeros(fixed(value, size >= ONE ? 4 : 8)));
}

/** A summed quantity, with eight places at most. */
export function quantity(text: string): string {
  return group(withoutZeros(fixed(dec(text), 8)));
}

/** A fraction of one as a percentage without a sign: `62.5 %`. */
export function share(text: string | null): string {
  const value = read(text);
  return value === null ? MISSING : `${fixed(mul(value, decOfInt(100)), 1)} %`;
}

/** A factor with two places: `1.84`, `+1.20R`. */
export function factor(text: string | null): string {
  const value = read(text);
  return value === null ? MISSING : group(fixed(value, 2));
}

export function multiple(text: string | null): string {
  const value = read(text);
  return value === null ? MISSING : `${signed(value, 2)}R`;
}

/** Remarks that a reader needs to interpret the figures. */
export function remarksOf({ notes, unpriced, differences }: PnlView): readonly string[] {
  return [
    ...notes,
    ...unpriced.map((asset) => `${asset} has no price: it is in no figure`),
    ...differences.map(
      ({ wallet, what, amount }) =>
        `${wallet} has ${amount} ${what} that its fills and its ledger do not say`,
    ),
  ];
}
