/**
 * Our order ids as OKX takes client ids: letters and digits alone, 32 at most, with capitals told apart ("Place order": clOrdId; "Place
 * algo order": algoClOrdId). Both ways exact and without a table, so that an order is known again after any restart. Pure.
 *
 * `os-<22>` is `os<22>`; `os-<22>_<run>` has one character too many, so its 22 digits of base 36 and its run are one number, written
 * as 30 digits of base 62 behind `os`. Everything else that OKX takes stands as it is.
 */

/** Base 62, in the order of the characters. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const OWN = /^([a-z]{2})-([0-9a-z]{22})(?:_([0-9a-zA-Z]{1,10}))?$/;
const PLAIN_WIRE = /^([a-z]{2})([0-9a-z]{22})$/;
const PACKED_WIRE = /^([a-z]{2})([0-9A-Za-z]{30})$/;
const TAKEN = /^[0-9A-Za-z]{1,32}$/;
const RUN_MAX = 10;
const PACKED_DIGITS = 30;

/** Runs that are shorter than so many characters. */
const SHORTER: readonly bigint[] = Array.from({ length: RUN_MAX + 2 }, (_, length) => {
  let runs = 0n;
  for (let n = 1; n < length; n++) runs += 62n ** BigInt(n);
  return runs;
});
const RUNS = SHORTER[RUN_MAX + 1] as bigint;

/** Null: OKX takes no such id. */
export function wireIdOf(id: string): string | null {
  const own = OWN.exec(id);
  if (own) {
    const [, prefix = '', digits = '', run] = own;
    return run === undefined ? prefix + digits : prefix + packed(digits, run);
  }
  // What would be read as another one of ours cannot be sent as it is.
  return TAKEN.test(id) && idOfWire(id) === id ? id : null;
}

/** Ours of a client id that the exchange tells; one of others stays as it is. */
export function idOfWire(wire: string): string {
  const plain = PLAIN_WIRE.exec(wire);
  if (plain) return `${plain[1]}-${plain[2]}`;
  const form = PACKED_WIRE.exec(wire);
  const id = form ? unpacked(form[1] ?? '', form[2] ?? '') : null;
  return id !== null && wireIdOf(id) === wire ? id : wire;
}

function packed(digits: string, run: string): string {
  let number = 0n;
  for (const digit of digits) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  let at = 0n;
  for (const digit of run) at = at * 62n + BigInt(DIGITS.indexOf(digit));
  number = number * RUNS + (SHORTER[run.length] as bigint) + at;
  let text = '';
  for (; number > 0n; number /= 62n) text = (DIGITS[Number(number % 62n)] as string) + text;
  return text.padStart(PACKED_DIGITS, '0');
}

/** Null: no id of ours is written so. */
function unpacked(prefix: string, text: string): string | null {
  let number = 0n;
  for (const digit of text) number = number * 62n + BigInt(DIGITS.indexOf(digit));
  let at = number % RUNS;
  const digits = (number / RUNS).toString(36).padStart(22, '0');
  if (digits.length > 22) return null;
  const length = SHORTER.findLastIndex((shorter, n) => n >= 1 && n <= RUN_MAX && shorter <= at);
  at -= SHORTER[length] as bigint;
  let run = '';
  for (let n = 0; n < length; n++) {
    run = (DIGITS[Number(at % 62n)] as string) + run;
    at /= 62n;
  }
  return `${prefix}-${digits}_${run}`;
}
