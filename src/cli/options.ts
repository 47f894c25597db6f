/** All options of the command line: flags, help, and how their text is read. Reads no file and no clock. */

import type { PanicPart } from '../desk/console/protocol.ts';
import type { Tier } from '../domain/actor.ts';
import { ENVIRONMENTS, type Environment, MARKET_KINDS } from '../domain/connection.ts';
import { liveFeedOf } from '../domain/live-feed.ts';
import { isRole, ROLES, type Role } from '../domain/operator.ts';
import { PNL_DAYS_MAX, PNL_GROUPS, type PnlGroup } from '../engine/pnl/pnl-book.ts';
import { readMoment } from '../market/moment.ts';
import { FORMS } from './forms.ts';
import {
  type FeeRates,
  fail,
  file,
  formed,
  moment,
  number,
  oneOf,
  percent,
  readFee,
  readSpeed,
  readUrl,
} from './read-option.ts';

export interface OptionValues {
  as: string;
  role: Role;
  network: readonly string[];
  since: number;
  until: number;
  days: number;
  by: PnlGroup;
  account: string;
  trades: boolean;
  expires: number;
  verify: boolean;
  certificates: boolean;
  reason: string;
  dataDir: string;
  port: number;
  host: string;
  feed: string;
  speed: number | 'max';
  hold: boolean;
  seed: number;
  takeover: boolean;
  theme: string;
  ascii: boolean;
  screenReader: boolean;
  tlsCert: string;
  tlsKey: string;
  trustedProxy: readonly string[];
  allowOrigin: readonly string[];
  ssh: readonly string[];
  now: boolean;
  key: string;
  url: string;
  ca: string;
  config: string;
  candles: readonly string[];
  from: number;
  to: number;
  fee: FeeRates;
  slippage: string;
  balance: string;
  json: boolean;
  csv: string;
  svg: string;
  yes: boolean;
  name: string;
  tier: Tier;
  ip: readonly string[];
  exchange: readonly string[];
  publicKey: string;
  passphraseFile: string;
  newPassphraseFile: string;
  only: readonly PanicPart[];
  venue: string;
  markets: string;
  environment: Environment;
  endpoint: readonly string[];
  apiKeyFile: string;
  secretFile: string;
  allowWithdrawals: boolean;
  makeKey: boolean;
  replace: boolean;
  maxOrderValue: string;
  maxPositionValue: string;
  maxOpenOrders: string;
  maxOrdersPerMinute: string;
  priceBand: string;
  dailyLossLimit: string;
  symbols: string;
  symbol: readonly string[];
  stops: boolean;
  bots: boolean;
  follow: boolean;
  lines: number;
}

export type OptionName = keyof OptionValues;

export interface OptionSpec<Value> {
  readonly flags: string;
  readonly help: string;
  /** The only values that it takes; left out: others, too. */
  readonly values?: readonly string[];
  /** Reads the text; throws a `UsageError`. Left out: the option is a switch. */
  readonly read?: (text: string) => Value extends readonly (infer Item)[] ? Item : Value;
  /** May be given more than once: the value is the list of all. */
  readonly repeats?: true;
}

/** Returns the long flag: `-f, --follow` -> `--follow`, `--port <port>` -> `--port`. */
export function flagOf(flags: string): string {
  return flags.split(/[ ,]+/).find((part) => part.startsWith('--')) ?? flags;
}

const TIERS = ['read', 'trade', 'full'] as const;
const PARTS = ['holdings', 'bots', 'orders', 'positions'] as const;
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
    read: (text) => formed('--port', number(text), text, FORMS.port),
  },
  host: {
    flags: '--host <address>',
    help: 'address the API listens on; beyond loopback with TLS or behind a trusted proxy only (default: 127.0.0.1)',
    read: (text) => formed('--host', text, text, FORMS.host),
  },
  feed: {
    flags: '--feed <feed>',
    help: 'prices: synthetic, csv:DIR@TIMEFRAME[,from=TIME][,loop] to replay candle files, or binance, bybit, okx, each with :spot or :futures, for live prices (default: synthetic)',
    read: (text) =>
      text === 'synthetic' || /^csv:[^@,]/.test(text) || liveFeedOf(text) !== null
        ? text
        : fail(
            '--feed',
            text,
            'synthetic, csv:DIR@TIMEFRAME[,from=TIME][,loop], such as csv:candles@1m, or binance, bybit or okx, alone or with :spot or :futures',
          ),
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
    read: (text) => formed('--seed', number(text), text, FORMS.whole(0, MAX_SEED)),
  },
  takeover: {
    flags: '--takeover',
    help: 'the desk that this data folder was copied or moved from is stopped: trade its accounts from here',
  },
  theme: {
    flags: '--theme <name>',
    help: 'colour theme of the console',
    read: (text) =>
      /^[\w-]{1,40}$/.test(text) ? text : fail('--theme', text, 'the name of a theme, such as dark or light'),
  },
  ascii: { flags: '--ascii', help: 'draw with plain ASCII characters' },
  screenReader: { flags: '--screen-reader', help: 'plain lines for a screen reader' },
  tlsCert: {
    flags: '--tls-cert <file>',
    help: "PEM file of the API's certificate, intermediate ones after it",
    read: (text) => formed('--tls-cert', text, text, FORMS.path),
  },
  tlsKey: {
    flags: '--tls-key <file>',
    help: 'PEM file of its private key',
    read: (text) => formed('--tls-key', text, text, FORMS.path),
  },
  trustedProxy: {
    flags: '--trusted-proxy <address>',
    help: 'address or range of a proxy whose forwarded addresses are believed; may be repeated',
    read: (text) => formed('--trusted-proxy', text, text, FORMS.proxy),
    repeats: true,
  },
  allowOrigin: {
    flags: '--allow-origin <origin>',
    help: 'origin of web pages that may open the WebSocket; may be repeated',
    read: (text) => formed('--allow-origin', text, text, FORMS.origin),
    repeats: true,
  },
  ssh: {
    flags: '--ssh <address:port>',
    help: 'let operators in by an sshd of the desk’s own that listens there, such as 127.0.0.1:2222; may be repeated (default: none)',
    read: (text) => formed('--ssh', text, text, FORMS.listen),
    repeats: true,
  },
  now: { flags: '--now', help: 'change over at once, not only prepare it' },
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
  ca: {
    flags: '--ca <file>',
    help: 'PEM file of the certificate to trust: that of a desk that signs for itself, or of its CA',
    read: (text) => formed('--ca', text, text, FORMS.path),
  },
  config: {
    flags: '--config <file>',
    help: 'JSON file of the bot, as given to POST /v2/bots: {"type", "settings", "options"}',
    read: (text) => file('--config', text, 'the path of a JSON file'),
  },
  candles: {
    flags: '--candles <file>',
    help: 'candle file (CSV), named like BTCUSDT-1m.csv; may be repeated for NOTIFY',
    read: (text) => file('--candles', text, 'the path of a candle file, such as BTCUSDT-1m.csv'),
    repeats: true,
  },
  from: {
    flags: '--from <time>',
    help: 'the first candle played opens at or after it; earlier ones are history (default: all are played)',
    read: (text) => moment('--from', text),
  },
  to: {
    flags: '--to <time>',
    help: 'candles that open before it are played (default: all)',
    read: (text) => moment('--to', text),
  },
  fee: {
    flags: '--fee <percent>',
    help: 'fee in percent, or maker,taker: 0.02,0.05 (default: those of the paper exchange)',
    read: readFee,
  },
  slippage: {
    flags: '--slippage <percent>',
    help: 'how much worse MARKET orders fill, percent (default: 0)',
    read: (text) => percent('--slippage', text, 50, 'a percentage from 0 to 50, such as 0.05'),
  },
  balance: {
    flags: '--balance <amount>',
    help: 'free amount of the quote or margin asset at the start (default: 100000, or the deposit where that is more)',
    read: (text) =>
      /^\d{1,15}(\.\d{1,20})?$/.test(text) && Number(text) > 0
        ? text
        : fail('--balance', text, 'an amount above 0, such as 5000'),
  },
  json: {
    flags: '--json',
    help: 'print JSON: the whole result of a backtest or of the PnL book in one line, of keys a line each',
  },
  csv: {
    flags: '--csv <file>',
    help: 'write the trades (of ALARM and NOTIFY the alerts; of the PnL book what would be printed) to a CSV file',
    read: (text) => file('--csv', text, 'the path of the file to write'),
  },
  svg: {
    flags: '--svg <file>',
    help: 'write the equity curve and the drawdown to an SVG picture',
    read: (text) => file('--svg', text, 'the path of the file to write'),
  },
  as: {
    flags: '--as <name>',
    help: 'the operator who attaches',
    read: (text) => (text.trim() ? text : fail('--as', text, 'the name of an operator')),
  },
  role: {
    flags: '--role <role>',
    help: `what it may do: ${ROLES.join(', ')}`,
    values: ROLES,
    read: (text) => (isRole(text) ? text : fail('--role', text, `one of ${ROLES.join(', ')}`)),
  },
  network: {
    flags: '--from <network>',
    help: 'logins from this address or network only (CIDR; several: once each)',
    repeats: true,
    read: (text) => text,
  },
  expires: {
    flags: '--expires <time>',
    help: 'no login and no call from then on, e.g. 2027-01-31 (UTC)',
    read: (text) => readMoment(text) ?? fail('--expires', text, 'a time such as 2027-01-31'),
  },
  since: {
    flags: '--from <time>',
    help: 'what happened from then on, such as 2026-11-01 (UTC; default: all there is)',
    read: (text) => moment('--from', text),
  },
  until: {
    flags: '--to <time>',
    help: 'what happened before then (default: until now)',
    read: (text) => moment('--to', text),
  },
  days: {
    flags: '--days <days>',
    help: 'in place of --from: the last so many days of the desk’s time zone, today the last of them',
    read: (text) => formed('--days', number(text), text, FORMS.whole(1, PNL_DAYS_MAX)),
  },
  by: {
    flags: '--by <group>',
    help: `a line for each ${PNL_GROUPS.slice(0, -1).join(', ')} or ${PNL_GROUPS.at(-1)} (default: day)`,
    read: (text) => oneOf('--by', text, PNL_GROUPS),
  },
  account: {
    flags: '--account <account>',
    help: 'only the wallet that this account trades with, such as paper-spot',
    read: (text) =>
      text.trim() ? text : fail('--account', text, 'the id of an account, such as paper-spot'),
  },
  trades: { flags: '--trades', help: 'the closed trades in place of the groups, newest first' },
  verify: { flags: '--verify', help: 'a security key asks for its PIN or finger, not for a touch alone' },
  certificates: { flags: '--ca', help: 'the key is that of a CA that signs certificates for this name' },
  reason: {
    flags: '--reason <text>',
    help: 'what is shown at the terminal that is ended',
    read: (text) => text,
  },
  yes: { flags: '--yes', help: 'do it without asking; needed where there is no terminal' },
  name: {
    flags: '--name <name>',
    help: 'name of the key, 1 to 50 characters',
    read: (text) => (text.trim() ? text : fail('--name', text, 'a name of 1 to 50 characters')),
  },
  tier: {
    flags: '--tier <tier>',
    help: 'what the key may do: read, trade or full (default: read)',
    values: TIERS,
    read: (text) => oneOf('--tier', text, TIERS),
  },
  ip: {
    flags: '--ip <address>',
    help: 'address or CIDR range that the key may come from; may be repeated (default: any)',
    read: (text) => formed('--ip', text, text, FORMS.proxy),
    repeats: true,
  },
  exchange: {
    flags: '--exchange <account>',
    help: 'exchange account that the key may touch; may be repeated (default: all)',
    read: (text) =>
      text.trim() ? text : fail('--exchange', text, 'the id of an account, such as paper-spot'),
    repeats: true,
  },
  publicKey: {
    flags: '--public-key <file>',
    help: 'file of a public key that was made elsewhere (default: a new key is made here)',
    read: (text) => file('--public-key', text, 'the path of a public key'),
  },
  passphraseFile: {
    flags: '--passphrase-file <file>',
    help: 'file with the passphrase, of the vault or of the API key, which no other user can read (default: it is asked for)',
    read: (text) => file('--passphrase-file', text, 'the path of a file'),
  },
  newPassphraseFile: {
    flags: '--new-passphrase-file <file>',
    help: 'file with the new passphrase, which no other user can read (default: it is asked for)',
    read: (text) => file('--new-passphrase-file', text, 'the path of a file'),
  },
  venue: {
    flags: '--venue <venue>',
    help: 'which exchange it is (default: the one of that name)',
    read: (text) => (text.trim() ? text : fail('--venue', text, 'the name of an exchange, such as binance')),
  },
  markets: {
    flags: '--markets <markets>',
    help: 'what is traded there, such as spot,futures (default: all that one key serves)',
    read: (text) =>
      text.split(',').every((one) => MARKET_KINDS.some((kind) => kind === one))
        ? text
        : fail('--markets', text, `a list of ${MARKET_KINDS.join(', ')}, such as spot,futures`),
  },
  environment: {
    flags: '--environment <environment>',
    help: 'live, or where it plays with no money: testnet or demo (default: live)',
    values: ENVIRONMENTS,
    read: (text) => oneOf('--environment', text, ENVIRONMENTS),
  },
  endpoint: {
    flags: '--endpoint <name=address>',
    help: 'another address than the built-in one, such as spot-rest=http://127.0.0.1:9000; may be repeated',
    read: (text) =>
      /^[a-z-]+=\S+$/.test(text) ? text : fail('--endpoint', text, 'NAME=ADDRESS, such as rest=https://...'),
    repeats: true,
  },
  apiKeyFile: {
    flags: '--api-key-file <file>',
    help: 'file with the API key of the exchange, which no other user can read (default: it is asked for)',
    read: (text) => file('--api-key-file', text, 'the path of a file'),
  },
  secretFile: {
    flags: '--secret-file <file>',
    help: 'file with its secret or private key, which no other user can read (default: it is asked for)',
    read: (text) => file('--secret-file', text, 'the path of a file'),
  },
  makeKey: {
    flags: '--make-key',
    help: 'make an Ed25519 key in the vault and show its public half to register; with --api-key-file: connect with the one made before',
  },
  allowWithdrawals: {
    flags: '--allow-withdrawals',
    help: 'accept a key that may withdraw or transfer, which trading needs not',
  },
  replace: {
    flags: '--replace',
    help: 'give new keys to a connection that is there; its account must be the same',
  },
  maxOrderValue: guard('--max-order-value <USDT>', 'what one entry may be worth (default: 1000)'),
  maxPositionValue: guard('--max-position-value <USDT>', 'what a symbol may be worth in all (default: 5000)'),
  maxOpenOrders: guard('--max-open-orders <count>', 'open orders of an account (default: 200)'),
  maxOrdersPerMinute: guard('--max-orders-per-minute <count>', 'entries within a minute (default: 120)'),
  priceBand: guard('--price-band <percent>', 'how far a limit may be on the losing side (default: 10)'),
  dailyLossLimit: guard(
    '--daily-loss-limit <percent>',
    'what may be lost in a day, of what there was at 00:00 (default: 5)',
  ),
  symbols: guard(
    '--symbols <symbols>',
    'the only ones that may be entered, such as BTCUSDT,ETHUSDT (default: all)',
  ),
  only: {
    flags: '--only <part>',
    help: 'do only this part: bots, orders, positions, or holdings (what bots hold on spot); may be repeated (default: all but holdings)',
    values: PARTS,
    read: (text) => oneOf('--only', text, PARTS),
    repeats: true,
  },
  symbol: {
    flags: '--symbol <symbol>',
    help: 'only this symbol, such as BTCUSDT; may be repeated (default: all)',
    read: (text) => (text.trim() ? text : fail('--symbol', text, 'a symbol, such as BTCUSDT')),
    repeats: true,
  },
  stops: { flags: '--stops', help: 'also the stops that protect a position or a holding' },
  bots: { flags: '--bots', help: 'also orders of running bots, which may place them again' },
  follow: { flags: '-f, --follow', help: 'go on with the lines that come' },
  lines: {
    flags: '--lines <count>',
    help: 'how many of the newest lines, 200 at most (default: 50)',
    read: (text) => formed('--lines', number(text), text, FORMS.whole(0, 200)),
  },
};

/** An option that sets a guard; the desk checks its value. */
function guard(flags: string, help: string): OptionSpec<string> {
  const flag = flags.split(' ')[0] ?? '';
  return {
    flags,
    help: `guard of its accounts: ${help}; off: no limit`,
    read: (text) => (text.trim() ? text : fail(flag, text, 'a value, or off')),
  };
}
