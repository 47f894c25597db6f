/** What values may be, for command line and configuration file: a check, and words for what is right. */
import { isIP } from 'node:net';
import { cidrProblem } from '../access/address.ts';
import { isTimeZone } from '../desk/market/market-day.ts';

export interface Form {
  /** What is accepted, in words that follow "it takes". */
  readonly right: string;
  accepts(value: unknown): boolean;
  /** The form of each entry, if the value is a list. */
  readonly each?: Form;
  /** The value may be a secret: it is never shown, not even if it is wrong. */
  readonly hidden?: true;
}

export const MAX_PORT = 65_535;

export const FORMS = {
  host: text(
    'an IP address or host name, such as 127.0.0.1 or ::1',
    (value) => isIP(value) > 0 || isHostName(value),
  ),
  port: whole(0, MAX_PORT, `a whole number from 0 (any free port) to ${MAX_PORT}`),
  path: text('the path of a PEM file', (value) => value.trim() !== ''),
  secretFile: text('the path of a file with one line', (value) => value.trim() !== ''),
  zone: text('the name of a time zone, such as UTC or Europe/Berlin', isTimeZone),
  shownZone: text(
    'the name of a time zone, such as UTC or Europe/Berlin, or local for that of the machine',
    (value) => value === 'local' || isTimeZone(value),
  ),
  proxy: text(
    'the address or range of a proxy, such as 10.0.0.1 or 10.0.0.0/8',
    (value) => cidrProblem([value]) === null,
  ),
  listen: text(
    'an IP address of this machine and a port, such as 127.0.0.1:2222 or [::1]:2222',
    (value) => readListen(value) !== null,
  ),
  origin: text('the origin of a web page, such as https://app.example.org', isOrigin),
  whole,
  /** Accepts numbers above zero. */
  factor: (max: number): Form => ({
    right: `a number above 0 and at most ${max}`,
    accepts: (value) => typeof value === 'number' && value > 0 && value <= max,
  }),
  flag: { right: 'true or false', accepts: (value) => typeof value === 'boolean' } satisfies Form,
  list: (each: Form): Form => ({
    right: `a list, each entry ${each.right}`,
    accepts: Array.isArray,
    each,
  }),
};

function text(right: string, check: (value: string) => boolean): Form {
  return { right, accepts: (value) => typeof value === 'string' && check(value) };
}

function whole(min: number, max: number, right = `a whole number from ${min} to ${max}`): Form {
  return {
    right,
    accepts: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  };
}

function readListen(value: string): { host: string; port: number } | null {
  const [, v6, v4, digits = ''] =
    /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([0-9.]{7,15})):([1-9]\d{0,4})$/.exec(value) ?? [];
  const host = v6 ?? v4 ?? '';
  const port = Number(digits);
  return isIP(host) === (v6 === undefined ? 4 : 6) && port <= MAX_PORT ? { host, port } : null;
}

/** Splits a text that has the form `FORMS.listen`. */
export function listenAddress(value: string): { host: string; port: number } {
  const read = readListen(value);
  if (!read) throw new Error(`${value} is no address with a port`);
  return read;
}

function isHostName(value: string): boolean {
  // The last label must not be a number: 127.0.0.256 is a mistyped address, not a name.
  return (
    value.length <= 253 &&
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(value)
  );
}

/** Tells whether a text is an origin as browsers send it: scheme, host, port if unusual; nothing after. */
function isOrigin(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === value;
}
