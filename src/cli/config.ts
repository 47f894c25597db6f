/**
 * The configuration file: `config.toml` in the data folder (S17, S49). A wrong value refuses the start, since
 * its author relies on it. An unknown key is a warning, since a later version may know it; so is a wrong
 * entry of `[keys]`, which costs only that key. Reads, never writes.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { CREDENTIALS } from '../access/secret-file.ts';
import { ROUTE_TIERS } from '../access/tiers.ts';
import { KEYS } from '../console/app/bindings.ts';
import { applyKeys, type KeyEntry } from '../console/input/overrides.ts';
import { isThemeName } from '../console/ui/theme.ts';
import { CONFIG_FILE } from '../desk/connections/config-block.ts';
import type { DeskOptions } from '../desk/running.ts';
import { readExchanges, readFeeds } from './exchange-tables.ts';
import { FORMS, type Form, listenAddress } from './forms.ts';
import { readNotices } from './notice-tables.ts';
import { readTargets } from './target-tables.ts';
import { camelCased, defined, isTable, readTable, type TableForm, type Values } from './toml-tables.ts';
import { UsageError } from './usage-error.ts';

const MAX_BYTES = 262_144;
const OTHERS = 0o077;

type ConfiguredOptions = Pick<
  DeskOptions,
  | 'host'
  | 'port'
  | 'tlsCert'
  | 'tlsKey'
  | 'trustedProxies'
  | 'allowedOrigins'
  | 'limits'
  | 'targets'
  | 'timeZone'
  | 'idleLockMs'
  | 'vaultPassphraseFile'
  | 'logStderr'
  | 'connections'
  | 'sshListen'
  | 'feeds'
  | 'paper'
  | 'notices'
>;

/** The file's settings for every console on this data folder. */
export interface ConsoleConfig {
  readonly theme?: string;
  readonly ascii?: boolean;
  readonly screenReader?: boolean;
  /** Percent of the equity that `1r` of a ticket risks. */
  readonly riskPercent?: number;
  readonly mouse?: boolean;
  /** Time zone of the times that consoles show: a name, or `local`. */
  readonly timeZone?: string;
  /** The entries of `[keys]` as written, by command id. */
  readonly keys: readonly KeyEntry[];
}

export interface Config {
  readonly options: ConfiguredOptions;
  readonly console: ConsoleConfig;
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** Only the console checks whether the theme exists; without it, it uses another one. */
const themeForm: Form = {
  right: 'the name of a theme, such as dark or light',
  accepts: (value) => typeof value === 'string' && isThemeName(value),
};
const count = FORMS.whole(1, 1_000_000);
const factor = FORMS.factor(1_000);

/** Routes with a budget of their own: the signed ones. */
const BUDGETED = Object.entries(ROUTE_TIERS).flatMap(([name, tier]) => (tier === null ? [] : [name]));

const FORM: TableForm = {
  keys: {},
  others: ['targets', 'keys', 'exchanges', 'feeds', 'notices'],
  tables: {
    api: {
      keys: {
        host: FORMS.host,
        port: FORMS.port,
        tls_cert: FORMS.path,
        tls_key: FORMS.path,
        trusted_proxies: FORMS.list(FORMS.proxy),
        allowed_origins: FORMS.list(FORMS.origin),
      },
    },
    desk: { keys: { time_zone: FORMS.zone, idle_lock_minutes: FORMS.whole(0, 1_440) } },
    vault: { keys: { passphrase_file: FORMS.secretFile } },
    log: { keys: { stderr: FORMS.flag } },
    paper: { keys: { enabled: FORMS.flag } },
    ssh: { keys: { listen: FORMS.list(FORMS.listen) } },
    console: {
      keys: {
        theme: themeForm,
        ascii: FORMS.flag,
        screen_reader: FORMS.flag,
        mouse: FORMS.flag,
        risk_percent: FORMS.factor(100),
        time_zone: FORMS.shownZone,
      },
    },
    limits: {
      keys: {
        window_ms: FORMS.whole(100, 3_600_000),
        address_requests: count,
        address_sockets: count,
        other_route_requests: count,
        bots: count,
      },
      tables: {
        routes: { keys: Object.fromEntries(BUDGETED.map((name) => [name, count])) },
        tiers: { keys: { read: factor, trade: factor, full: factor } },
        stream: {
          keys: {
            per_address: count,
            total: count,
            frame_bytes: FORMS.whole(1_024, 16_777_216),
            messages: count,
            message_window_ms: FORMS.whole(100, 3_600_000),
            auth_attempts: FORMS.whole(1, 1_000),
            auth_ms: FORMS.whole(100, 600_000),
            backlog_bytes: FORMS.whole(65_536, 1_073_741_824),
            subscriptions: count,
            heartbeat_ms: FORMS.whole(100, 600_000),
          },
        },
      },
    },
  },
};

/** Reads the file of a data folder; no file: empty settings. Throws a UsageError of one sentence. */
export function readConfig(dataDir: string): Config {
  const file = join(dataDir, CONFIG_FILE);
  const text = readText(file);
  return text === null
    ? { options: {}, console: { keys: [] }, warnings: [] }
    : parseConfig(file, text, openTo(file));
}

/**
 * Reads the text of the file.
 * @param file for messages, and the base of relative paths in it
 */
export function parseConfig(file: string, text: string, warnings: readonly string[] = []): Config {
  const reading = { file, unknown: [] };
  const tables = parseToml(file, text);
  const {
    api = {},
    desk = {},
    log = {},
    vault = {},
    paper = {},
    ssh = {},
    limits = {},
    console: screen = {},
  } = readTable(tables, FORM, '', reading) as Tables;
  const targets = tables.targets === undefined ? undefined : readTargets(tables.targets, reading);
  const connections = tables.exchanges === undefined ? undefined : readExchanges(tables.exchanges, reading);
  const feeds = tables.feeds === undefined ? undefined : readFeeds(tables.feeds, reading);
  const notices =
    tables.notices === undefined ? undefined : readNotices(tables.notices, targets ?? [], reading);
  const inFolder = (path: unknown) => (path === undefined ? undefined : resolve(dirname(file), String(path)));
  const secretFile = (path: unknown) => (String(path).startsWith(`${CREDENTIALS}/`) ? path : inFolder(path));
  const { idle_lock_minutes, ...zoned } = desk;
  const { tls_cert, tls_key, ...rest } = api;
  const { routes, tiers, stream, ...figures } = limits;
  const options = {
    ...camelCased(rest),
    ...camelCased(zoned),
    ...defined({ idleLockMs: minutesOf(idle_lock_minutes) }),
    ...defined({ tlsCert: inFolder(tls_cert), tlsKey: inFolder(tls_key), targets, logStderr: log.stderr }),
    ...defined({ vaultPassphraseFile: vault.passphrase_file && secretFile(vault.passphrase_file) }),
    ...defined({ connections, feeds, notices, paper: paper.enabled }),
    ...defined({ sshListen: (ssh.listen as string[] | undefined)?.map(listenAddress) }),
    limits: defined({
      ...camelCased(figures),
      routeRequests: routes,
      tierFactors: tiers,
      stream: stream && camelCased(stream),
    }),
  };
  const keys = keyEntries(tables.keys, []);
  const unused = applyKeys(KEYS, keys).problems.map((problem) => `${file}: ${problem}`);
  return {
    options: options as ConfiguredOptions,
    console: { ...camelCased(screen), keys },
    warnings: [...warnings, ...reading.unknown, ...unused],
  };
}

/** Converts minutes to ms. */
function minutesOf(count: unknown): number | undefined {
  return count === undefined ? undefined : Number(count) * 60_000;
}

/** Returns the entries of `[keys]`, unchecked. To TOML, `order.cancel = "c"` without quotes is a table. */
function keyEntries(value: unknown, path: readonly string[]): KeyEntry[] {
  if (value === undefined) return [];
  if (!isTable(value)) return [[path.join('.'), value]];
  return Object.entries(value).flatMap(([key, inner]) => keyEntries(inner, [...path, key]));
}

interface Tables {
  readonly api?: Values;
  readonly desk?: Values;
  readonly log?: Values;
  readonly vault?: Values;
  readonly paper?: Values;
  readonly ssh?: Values;
  readonly console?: Values;
  readonly limits?: Values & { routes?: Values; tiers?: Values; stream?: Values };
}

function readText(file: string): string | null {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) throw new UsageError(`${file} is larger than ${MAX_BYTES} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // A path that cannot be a folder is refused later, when the folder is made.
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    const why = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : (code ?? String(error));
    throw new UsageError(`${file} cannot be read (${why})`);
  }
}

/** Warns if other users can read the file: it holds secrets of targets. Windows has no such modes. */
function openTo(file: string): string[] {
  const mode = process.platform === 'win32' ? 0 : statSync(file).mode & 0o777;
  if ((mode & OTHERS) === 0) return [];
  const octal = mode.toString(8).padStart(4, '0');
  return [`${file} is open to other users of this machine (mode ${octal}); make it 0600`];
}

function parseToml(file: string, text: string): Values {
  try {
    return parse(text, { unsafeKeyBehaviour: 'throw', maxDepth: 32 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw new UsageError(`${file} is not TOML at line ${error.line}, column ${error.column}: ${reason}`);
  }
}
