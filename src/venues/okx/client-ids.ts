/**
 * Converts our order ids to OKX's client ids: only letters and digits, 32 at most, case-sensitive ("Place
 * order": clOrdId; "Place algo order": algoClOrdId). Exact in both directions and without a table, so an
 * order is recognised after any restart. Pure.
 *
 * `os-<22>` becomes `os<22>`. `os-<22>_<run>` is one character too long: its 22 digits of base 36 and its run
 * become one number, written as 30 digits of base 62 after `os`. Every other id that OKX accepts stays as it
 * is.
 */

/** Digits of base 62, in the order of the characters. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const OWN = /^([a-z]{2})-([0-9a-z]{22})(?:_([0-9a-zA-Z]{1,10}))?$/;
const PLAIN_WIRE = /^([a-z]{2})([0-9a-z]{22})$/;
const PACKED_WIRE = /^([a-z]{2})([0-9A-Za-z]{30})$/;
const TAKEN = /^[0-9A-Za-z]{1,32}$/;
const RUN_MAX = 10;
const PACKED_DIGITS = 30;

/** The number of possible runs shorter than this many characters. */
const SHORTER: readonly bigint[] = Array.from({ length: RUN_MAX + 2 }, (_, length) => {
  let runs = 0n;
  for (let n = 1; n < length; n++) runs += 62n ** BigInt(n);
  return runs;
});
const RUNS = SHORTER[RUN_MAX + 1] as bigint;

/** The client id for an id of ours. Null: OKX does not accept such an id. */
export function wireIdOf(id: string): string | null {
  const own = OWN.exec(id);
  if (own) {
    const [, prefix = '', digits = '', run] = own;
    return run === undefined ? prefix + digits : prefix + packed(digits, run);
  }
  // An id that would be read back as another id of ours cannot be sent as it is.
  return TAKEN.test(id) && idOfWire(id) === id ? id : null;
}

/** Our id for a client id from the exchange; an id of others stays as it is. */
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

/** Reads a packed id. Null: no id of ours has this form. */
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
