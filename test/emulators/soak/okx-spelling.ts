/**
 * The form of the program's order ids in OKX's log, computed independently of the program: `os-DIGITS` loses
 * its hyphen; `os-DIGITS_RUN` is written in base 62 as the number of the pair among all pairs of 22 digits of
 * base 36 and a run of at most ten characters of base 62, shorter runs first.
 */
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LONGEST_RUN = 10;
const PLACES = 30;

export function spelt(id: string): string {
  const [, prefix, digits = '', run] = /^(..)-([0-9a-z]{22})(?:_([0-9A-Za-z]{1,10}))?$/.exec(id) ?? [];
  if (prefix === undefined) return id.replaceAll('-', '');
  if (run === undefined) return prefix + digits;
  const runsUpTo = (length: number): bigint =>
    length === 0 ? 0n : runsUpTo(length - 1) + 62n ** BigInt(length);
  const value = (text: string, base: bigint) =>
    [...text].reduce(
      (sum, one) => sum * base + BigInt(base === 36n ? Number.parseInt(one, 36) : CHARACTERS.indexOf(one)),
      0n,
    );
  let number = value(digits, 36n) * runsUpTo(LONGEST_RUN) + runsUpTo(run.length - 1) + value(run, 62n);
  const text: string[] = [];
  for (let place = 0; place < PLACES; place++) {
    text.unshift(CHARACTERS[Number(number % 62n)] as string);
    number /= 62n;
  }
  return prefix + text.join('');
}
