/** Every option of the command line: its flags, its line of help and how its text is read. Reads no file and no clock. */
import { isIP } from 'node:net';
import { UsageError } from './usage-error.ts';

export interface OptionValues {
  dataDir: string;
  port: number;
  host: string;
  feed: string;
  speed: number | 'max';
  hold: boolean;
  seed: number;
  theme: string;
  ascii: boolean;
  screenReader: boolean;
  key: string;
  url: string;
}

export type OptionName = keyof OptionValues;

interface OptionSpec<Value> {
  readonly flags: string;
  readonly help: string;
  /** Throws a `UsageError`. Absent: a switch. */
  readonly read?: (text: string) => Value;
}

const MAX_PORT = 65_535;
const MAX_SEED = 4_294_967_295;

export const OPTIONS: { readonly [N in OptionName]: OptionSpec<OptionValues[N]> } = {
  dataDir: {
    flags: '--data-dir <dir>',
    help: 'data folder (default: $OUTCRY_HOME, $XDG_DATA_HOME/outcry or ~/.local/share/outcry)',
    read: (text) => (text.trim() ? text : fail('--data-dir', text, 'the path of a folder')),
  },
  port: {
    flags: '--port <port>',
    help: 'port of the API; 0 = any free one (default: 7420)',
    read: (text) => whole('--port', text, MAX_PORT, `a whole number from 0 (any free port) to ${MAX_PORT}`),
  },
  host: {
    flags: '--host <address>',
    help: 'address the API listens on (default: 127.0.0.1)',
    read: (text) =>
      isIP(text) || isHostName(text)
        ? text
        : fail('--host', text, 'an IP address or host name, such as 127.0.0.1 or ::1'),
  },
  feed: {
    flags: '--feed <feed>',
    help: 'prices: synthetic, or csv:DIR@TIMEFRAME[,from=TIME][,loop] to replay candle files (default: synthetic)',
    read: (text) =>
      text === 'synthetic' || /^csv:[^@,]/.test(text)
        ? text
        : fail('--feed', text, 'synthetic or csv:DIR@TIMEFRAME[,from=TIME][,loop], such as csv:candles@1m'),
  },
  speed: {
    flags: '--speed <factor>',
    help: 'how much faster than the clock the feed runs, or max (default: 1)',
    read: readSpeed,
  },
  hold: { flags: '--hold', help: 'start with the feed frozen' },
  seed: {
    flags: '--seed <number>',
    help: 'seed of the synthetic prices (default: 1)',
    read: (text) => whole('--seed', text, MAX_SEED, `a whole number from 0 to ${MAX_SEED}`),
  },
  theme: {
    flags: '--theme <name>',
    help: 'colour theme of the console',
    read: (text) =>
      /^[\w-]{1,40}$/.test(text) ? text : fail('--theme', text, 'the name of a theme, such as dark or light'),
  },
  ascii: { flags: '--ascii', help: 'draw with plain ASCII characters' },
  screenReader: { flags: '--screen-reader', help: 'plain lines for a screen reader' },
  key: {
    flags: '--key <file>',
    help: 'PEM file of the private key to sign with',
    read: (text) => (text.trim() ? text : fail('--key', text, 'the path of a private key (PEM)')),
  },
  url: {
    flags: '--url <url>',
    help: 'root of the API (default: that of the desk running on the data folder, or http://127.0.0.1:7420/api)',
    read: readUrl,
  },
};

function fail(flag: string, text: string, right: string): never {
  throw new UsageError(`option ${flag} cannot be ${JSON.stringify(text)}: it takes ${right}`);
}

function whole(flag: string, text: string, max: number, right: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= max ? value : fail(flag, text, right);
}

function readSpeed(text: string): number | 'max' {
  if (text === 'max') return 'max';
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return value > 0 ? value : fail('--speed', text, 'a number above 0, such as 1, 0.5 or 60, or max');
}

function isHostName(text: string): boolean {
  // The last label is no number: 127.0.0.256 is a mistyped address, not a name.
  return (
    text.length <= 253 &&
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(text)
  );
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    fail('--url', text, 'an http or https address, such as http://127.0.0.1:7420/api');
  return text.replace(/\/+$/, '');
}
