/** Figures of the PnL book as they are read: money with its sign, averages in as many places as say something. Pure. */
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

/** What was paid, as it counts: `1.5` paid is `-1.50`. */
export function cost(text: string): string {
  return signed(-dec(text), 2);
}

/** A computed average of prices: it is on no tick. */
export function average(text: string | null | undefined): string {
  const value = read(text);
  if (value === null) return MISSING;
  const size = value < ZERO ? -value : value;
  if (size >= THOUSAND) return group(fixed(value, 2));
  return group(withoutZeros(fixed(value, size >= ONE ? 4 : 8)));
}

/** A quantity that was added up, with eight places at most. */
export function quantity(text: string): string {
  return group(withoutZeros(fixed(dec(text), 8)));
}

/** A part of one in percent, without a sign: `62.5 %`. */
export function share(text: string | null): string {
  const value = read(text);
  return value === null ? MISSING : `${fixed(mul(value, decOfInt(100)), 1)} %`;
}

/** `1.84`, `+1.20R`. */
export function factor(text: string | null): string {
  const value = read(text);
  return value === null ? MISSING : group(fixed(value, 2));
}

export function multiple(text: string | null): string {
  const value = read(text);
  return value === null ? MISSING : `${signed(value, 2)}R`;
}

/** What a reader of the figures must know. */
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
