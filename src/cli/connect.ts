/**
 * `outcry connect | disconnect`: the exchanges of the running desk. Keys come from files that no other user
 * can read, are typed unseen, or are one JSON object on standard input; never from arguments or the
 * environment. No output contains them.
 */
import { clean } from '../console/ui/clean.ts';
import type {
  ConnectionRequest,
  ConnectionsView,
  ConnectionTested,
  CredentialTexts,
  DeskClient,
  TestLine,
  VenueKindView,
} from '../desk/console/protocol.ts';
import type { Environment, MarketKind } from '../domain/connection.ts';
import { closest } from '../domain/did-you-mean.ts';
import { type GuardName, type Guards, guardText } from '../domain/guards.ts';
import { consented, granted, onDesk, processShell, type Shell } from './light-desk.ts';
import { secretFromFile, secretText } from './secret-text.ts';
import { EXIT_FAILURE, EXIT_OK, UsageError } from './usage-error.ts';

export interface ConnectSettings extends Partial<Record<GuardName, string>> {
  readonly dataDir?: string;
  /** The connection's name. */
  readonly which: string;
  readonly venue?: string;
  readonly markets?: string;
  readonly environment?: Environment;
  readonly endpoint?: readonly string[];
  readonly apiKeyFile?: string;
  readonly secretFile?: string;
  readonly passphraseFile?: string;
  readonly allowWithdrawals?: boolean;
  readonly replace?: boolean;
  /** The private half of the key is made in the vault. */
  readonly makeKey?: boolean;
  readonly yes?: boolean;
}

export interface DisconnectSettings {
  readonly dataDir?: string;
  readonly which: string;
  readonly yes?: boolean;
}

/** Where secrets are read from if neither a file nor a terminal gives them. */
export interface ConnectInput {
  /** Reads all of standard input; null: a person types there. */
  readonly json: (() => Promise<string>) | null;
}

const FILES = {
  apiKey: ['--api-key-file', 'apiKeyFile'],
  secret: ['--secret-file', 'secretFile'],
  passphrase: ['--passphrase-file', 'passphraseFile'],
} as const;
/** Longest input in bytes: three secrets as JSON. */
const INPUT_BYTES = 65_536;
const MARKS: Readonly<Record<TestLine['level'], string>> = { ok: 'ok  ', warn: 'NOTE', fail: 'FAIL' };

export async function connect(
  settings: ConnectSettings,
  shell: Shell = processShell(),
  input: ConnectInput = processInput(),
): Promise<number> {
  const { which: name, replace = false } = settings;
  if (settings.yes !== true && !shell.ask)
    throw new UsageError('outcry connect asks before it acts, and there is no terminal to ask at: add --yes');
  return onDesk(shell, settings.dataDir, async (desk) => {
    const now = await desk.call('connections.list', {});
    const { kind, ...place } = placeOf(settings, now);
    const guards = guardsOf(settings);
    const asked = { name, ...place, ...(replace ? { replace } : {}) };
    if (settings.makeKey === true && settings.apiKeyFile === undefined) {
      const { publicKey } = granted(await desk.call('connections.makeKey', asked));
      shell.out(publicKey);
      shell.err(`Register this public key at ${clean(kind.title)}; its private half stays in the vault.\n`);
      if (!shell.secret) {
        shell.err(
          `Then: outcry connect ${name} --make-key --api-key-file FILE, with what it gives for it.\n`,
        );
        return EXIT_OK;
      }
    }
    const own = settings.makeKey === true ? withoutSecret(kind) : kind;
    const secrets = await readSecrets(settings, own, shell, settings.makeKey ? { json: null } : input);
    if (secrets === null) return notDone(shell);
    const request: ConnectionRequest = { ...asked, secrets, ...(settings.makeKey ? { madeKey: true } : {}) };
    const found = granted(await desk.call('connections.test', request));
    for (const line of found.lines) shell.out(lineText(line));
    if (!found.passed) {
      shell.err('it was not connected: see what failed above\n');
      return EXIT_FAILURE;
    }
    tellGuards(shell, found, guards);
    if (!(await accepted(settings, found, shell))) return notDone(shell);
    const added = await desk.call('connections.add', {
      ...request,
      rights: found.rights,
      ...(Object.keys(guards).length > 0 ? { guards } : {}),
    });
    const { accounts, state, why } = granted(added);
    shell.out(`${name} is connected (${found.place}): ${accounts.join(', ')}\n`);
    if (state !== 'ready') shell.err(`it is ${state}: ${clean(why ?? '')}\n`);
    return EXIT_OK;
  });
}

function withoutSecret(kind: VenueKindView): VenueKindView {
  return { ...kind, credentials: kind.credentials.filter(({ name }) => name !== 'secret') };
}

export async function disconnect(
  settings: DisconnectSettings,
  shell: Shell = processShell(),
): Promise<number> {
  const { which: name, yes = false } = settings;
  return onDesk(shell, settings.dataDir, async (desk) => {
    await known(desk, name);
    const question = `${clean(name)} is about to be disconnected, and its keys forgotten.`;
    if (!(await consented(shell, { yes, command: 'disconnect', question, word: name })))
      return notDone(shell);
    granted(await desk.call('connections.remove', { name, word: name }));
    shell.out(`${clean(name)} is disconnected, and its keys are forgotten\n`);
    return EXIT_OK;
  });
}

async function known(desk: DeskClient, name: string): Promise<void> {
  const { connections } = await desk.call('connections.list', {});
  const names = connections.map((one) => one.name);
  if (names.includes(name)) return;
  const near = closest(name, names);
  throw new Error(
    `${clean(name, 60)} is not connected${near ? `: did you mean ${near}?` : `; connected: ${names.join(', ') || 'none'}`}`,
  );
}

function notDone(shell: Shell): number {
  shell.err('nothing was done\n');
  return EXIT_FAILURE;
}

type Place = Pick<ConnectionRequest, 'venue' | 'markets' | 'environment' | 'endpoints'> & {
  readonly kind: VenueKindView;
};

/** Reads what is to be connected, before any secret is read. */
function placeOf(settings: ConnectSettings, { kinds, connections, refused }: ConnectionsView): Place {
  if (refused !== null) throw new Error(refused);
  const known = settings.replace ? connections.find(({ name }) => name === settings.which) : undefined;
  const venue = settings.venue ?? known?.venue ?? settings.which;
  const kind = kinds.find(({ name }) => name === venue);
  if (!kind) {
    const names = kinds.map(({ name }) => name);
    const there =
      names.length === 0
        ? 'no exchange is built in yet but the paper exchange'
        : `built in: ${names.join(', ')}`;
    throw new UsageError(`${clean(venue, 60)} cannot be connected; ${there}`);
  }
  const environment = settings.environment ?? known?.environment ?? 'live';
  const markets =
    (settings.markets?.split(',') as MarketKind[] | undefined) ?? known?.markets ?? kind.markets;
  const endpoints = Object.fromEntries(
    (settings.endpoint ?? []).map((text) => {
      const at = text.indexOf('=');
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );
  return { kind, venue, environment, markets, endpoints };
}

function guardsOf(settings: ConnectSettings): Partial<Guards> {
  const guards: Record<string, Guards[GuardName]> = {};
  for (const name of ['maxOrderValue', 'maxPositionValue', 'priceBand', 'dailyLossLimit'] as const) {
    const text = settings[name];
    if (text !== undefined) guards[name] = text === 'off' ? null : text;
  }
  for (const name of ['maxOpenOrders', 'maxOrdersPerMinute'] as const) {
    const text = settings[name];
    if (text === undefined) continue;
    if (text !== 'off' && !/^\d{1,9}$/.test(text)) throw new UsageError(`${name}: a whole number, or off`);
    guards[name] = text === 'off' ? null : Number(text);
  }
  if (settings.symbols !== undefined)
    guards.symbols = settings.symbols === 'off' ? null : settings.symbols.split(',');
  return guards as Partial<Guards>;
}

/** Reads the secrets; null: the person gave up. */
async function readSecrets(
  settings: ConnectSettings,
  kind: VenueKindView,
  shell: Shell,
  input: ConnectInput,
): Promise<CredentialTexts | null> {
  const names = kind.credentials.map(({ name }) => name as keyof typeof FILES);
  const given = names.filter((name) => settings[FILES[name][1]] !== undefined);
  if (given.length === 0 && input.json) return jsonSecrets(await input.json(), names);
  const secrets: Record<string, string> = {};
  for (const { name, label, help } of kind.credentials) {
    const [flag, setting] = FILES[name as keyof typeof FILES];
    const file = settings[setting];
    if (file !== undefined) {
      secrets[name] = secretFromFile(flag, file);
      continue;
    }
    if (!shell.secret)
      throw new UsageError(`${label} is missing: add ${flag} FILE, or give all as JSON on standard input`);
    shell.err(`${label}: ${help}\n`);
    const typed = await shell.secret(`${label}: `);
    if (!typed) return null;
    secrets[name] = secretText(typed);
  }
  return secrets;
}

/** Reads `{"apiKey": "...", "secret": "..."}`; errors contain none of it. */
function jsonSecrets(text: string, names: readonly string[]): CredentialTexts {
  const right = `one JSON object with ${names.join(', ')}, each a text`;
  const wrong = () =>
    new UsageError(`standard input: it takes ${right}, or use --api-key-file FILE and the like`);
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw wrong();
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw wrong();
  const entries = Object.entries(read);
  if (entries.some(([name, value]) => !names.includes(name) || typeof value !== 'string')) throw wrong();
  if (names.some((name) => !Object.hasOwn(read as object, name))) throw wrong();
  return read as CredentialTexts;
}

function processInput(): ConnectInput {
  const { stdin } = process;
  if (stdin.isTTY) return { json: null };
  return {
    async json() {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of stdin as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        length += chunk.length;
        if (length > INPUT_BYTES) throw new UsageError(`standard input is longer than ${INPUT_BYTES} bytes`);
      }
      return secretText(Buffer.concat(chunks));
    },
  };
}

function lineText({ exchange, name, level, text, todo }: TestLine): string {
  const what = todo === undefined ? '' : `\n      ${clean(todo)}`;
  return `${MARKS[level]}  ${clean(exchange)}  ${clean(name)}: ${clean(text)}${what}\n`;
}

function tellGuards(shell: Shell, found: ConnectionTested, change: Partial<Guards>): void {
  for (const [exchange, set] of Object.entries(found.guards)) {
    const isKept = set === null && Object.keys(change).length === 0;
    const words = Object.entries({ ...set, ...change }).map(([name, value]) => `${name} ${guardText(value)}`);
    shell.out(`guards of ${clean(exchange)}: ${isKept ? 'those that are set stay' : words.join(', ')}\n`);
  }
}

/** Asks for a confirmation; a key that can take money away needs its rights typed as words, too. */
async function accepted(settings: ConnectSettings, found: ConnectionTested, shell: Shell): Promise<boolean> {
  const account = found.account === null ? '' : ` (account ${clean(found.account)})`;
  if (found.rights.length > 0 && settings.allowWithdrawals !== true) {
    const rights = found.rights.join(' and ');
    if (!shell.ask)
      throw new UsageError(
        `the key may ${rights}: take that from it at the exchange, or add --allow-withdrawals`,
      );
    const word = found.rights.join(' ');
    const typed = await shell.ask(
      `The key may ${rights}, which trading needs not. Type ${word} to accept that: `,
    );
    if (typed.trim() !== word) return false;
  }
  const question =
    found.place === 'LIVE'
      ? `${settings.which}${account} is about to be connected, with real money.`
      : `${settings.which}${account} is about to be connected (${found.place}).`;
  return consented(shell, { yes: settings.yes === true, command: 'connect', question, word: settings.which });
}
