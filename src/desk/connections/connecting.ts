/**
 * Connects an exchange, up to where everything of it is stored: the request is checked, the connection is
 * tried, its keys are sealed, its block is appended to the configuration. The accounts follow afterwards
 * (`connections.ts`).
 */
import { randomBytes } from 'node:crypto';
import { makeKey } from '../../access/vault/made-key.ts';
import { type AccountIdentity, identityName } from '../../domain/account-identity.ts';
import { ADDRESS_RIGHT, type Connection, connectionNameProblem, isAddress } from '../../domain/connection.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import {
  changedGuards,
  type Guards,
  guardsName,
  NO_GUARDS,
  REAL_GUARDS,
  storedGuards,
} from '../../domain/guards.ts';
import { holdsStops } from '../../domain/order-form.ts';
import type { WideRight } from '../../domain/permissions.ts';
import type { Row } from '../../domain/rows.ts';
import type { Venue } from '../../venues/venue.ts';
import type { VenueKind } from '../../venues/venue-kind.ts';
import type { ConnectionRequest, ConnectionTested, TestLine } from '../console/connection-views.ts';
import type { Params } from '../console/protocol.ts';
import { shortWords } from '../core/adapter-call.ts';
import { testConnection } from './connection-test.ts';
import type { ConfigFile } from './connections.ts';
import {
  builtIn,
  type Entry,
  makeVenues,
  type Prepared,
  prepare,
  type Surroundings,
  sealedUse,
} from './entry.ts';
import { type OpenSecrets, readCredentials } from './open-secrets.ts';
import type { ConnectionVault } from './stage.ts';

export interface ConnectDesk {
  readonly kinds: readonly VenueKind[];
  readonly vault: ConnectionVault;
  readonly config: ConfigFile;
  readonly surroundings: Surroundings;
  readonly meta: () => ReadonlyMap<string, unknown>;
  readonly store: (rows: Row[]) => Promise<void>;
  readonly refused: () => string | null;
  /** Returns the connection of this name; null: there is none. */
  readonly known: (name: string) => Entry | null;
  /** Whether the account is there and was connected before: its owner may have switched its guards off. */
  readonly hasTraded: (exchange: string) => boolean;
  /** Returns all connections except this one. */
  readonly others: (name: string) => readonly Entry[];
}

const UNSTORED = 'it could not be stored; nothing was connected, try again';

/** Checks a request, tries the connection, and returns what would be set. Stores nothing. */
export async function tested(
  desk: ConnectDesk,
  asked: ConnectionRequest | Prepared,
  open?: OpenSecrets,
): Promise<Outcome<ConnectionTested>> {
  if (!('secrets' in asked)) return open ? tryIt(desk, asked, open) : refuse('INTERNAL_ERROR', 'no keys');
  const read = checked(desk, asked);
  if (!read.ok) return read;
  const { prepared, secrets } = read.data;
  try {
    return await tryIt(desk, prepared, secrets);
  } finally {
    secrets.wipe();
  }
}

export interface Connected {
  readonly prepared: Prepared;
  /** Rights of the key beyond trading that its owner accepts. */
  readonly rights: readonly WideRight[];
}

/**
 * Connects an exchange. If this succeeds, everything is stored; else nothing is, except what a next try
 * overwrites.
 */
export async function connect(
  desk: ConnectDesk,
  request: Params<'connections.add'>,
): Promise<Outcome<Connected>> {
  const guards = request.guards && changedGuards(REAL_GUARDS, request.guards, new Set());
  if (guards && !guards.ok) return guards;
  const read = checked(desk, request);
  if (!read.ok) return read;
  const { prepared, secrets, isConfigured } = read.data;
  try {
    const found = await tryIt(desk, prepared, secrets);
    if (!found.ok) return found;
    const { lines, rights, identities, passed } = found.data;
    const failed = lines.find(({ level }) => level === 'fail');
    if (!passed) return refuse('CONFLICT', failedWords(prepared, failed));
    const open = rights.filter((right) => !request.rights.includes(right));
    if (open.length > 0)
      return refuse(
        'CONFLICT',
        `the key of ${prepared.connection.name} may ${open.join(' and ')}: take that from it at the exchange, or accept it in words (--allow-withdrawals)`,
      );
    const kept = rights.filter((right) => request.rights.includes(right));
    const usesMade = request.madeKey === true;
    const stored = await keep(desk, prepared, secrets, { identities, isConfigured, usesMade });
    return stored.ok ? ok({ prepared, rights: kept }) : stored;
  } finally {
    secrets.wipe();
  }
}

function failedWords({ connection }: Prepared, line: TestLine | undefined): string {
  const what = line ? `${line.exchange}: ${line.name}: ${line.text}${line.todo ? `; ${line.todo}` : ''}` : '';
  return `${connection.name} was not connected: ${what}`;
}

/** Returns the guards to be set on an account that is connected; null: those that are set there stay. */
export function guardsFor(
  { meta, hasTraded }: Pick<ConnectDesk, 'meta' | 'hasTraded'>,
  exchange: string,
  change: Partial<Guards> = {},
): Guards | null {
  const hasOwn = meta().get(guardsName(exchange)) != null || hasTraded(exchange);
  if (hasOwn && Object.keys(change).length === 0) return null;
  const before = hasOwn ? (storedGuards(meta(), exchange) ?? NO_GUARDS) : REAL_GUARDS;
  const next = changedGuards(before, change, new Set());
  return next.ok ? next.data : before;
}

interface Checked {
  readonly prepared: Prepared;
  readonly secrets: OpenSecrets;
  /** The configuration has the connection already. */
  readonly isConfigured: boolean;
}

/**
 * Makes a key pair. Its private half is sealed for the connection only, and used once that is connected with
 * it.
 */
export async function makeKeyFor(
  desk: ConnectDesk,
  request: Params<'connections.makeKey'>,
): Promise<Outcome<{ publicKey: string }>> {
  const found = located(desk, request);
  if (!found.ok) return found;
  const { prepared } = found.data;
  const { kind, connection } = prepared;
  if (kind.makesKey !== true)
    return refuse('INVALID_REQUEST', `${kind.title} takes no key that is made here: make one there`);
  const { privatePem, publicPem } = makeKey(randomBytes);
  const sealed = desk.vault.seal(sealedUse(prepared, MADE), privatePem);
  if (!sealed.ok) return sealed;
  try {
    await desk.store(sealed.data);
  } catch {
    return refuse('SERVICE_UNAVAILABLE', `the key of ${connection.name} could not be stored; try again`);
  }
  return ok({ publicKey: publicPem });
}

/** Field of the vault for a key that was made and is not used yet. */
const MADE = 'secret-made';

/** Checks whether the request is possible at all, before an exchange is asked. */
function checked(desk: ConnectDesk, request: ConnectionRequest): Outcome<Checked> {
  const found = located(desk, request);
  if (!found.ok) return found;
  const { prepared, isConfigured } = found.data;
  const { name } = prepared.connection;
  let made: Buffer | null = null;
  if (request.madeKey === true) {
    const opened = desk.vault.open(name, MADE, sealedUse(prepared, MADE));
    if (!opened.ok)
      return refuse(
        'CONFLICT',
        `no key was made for ${name} as it is asked for now: make one first, with outcry connect ${name} --make-key or by leaving the API key empty in the form`,
      );
    made = opened.secret;
  }
  const read = readCredentials(prepared.kind.credentials, request.secrets, made);
  if ('problem' in read) {
    made?.fill(0);
    return refuse('INVALID_REQUEST', read.problem);
  }
  return ok({ prepared, secrets: read.secrets, isConfigured });
}

/** Returns the same without its keys. */
function located(
  desk: ConnectDesk,
  request: Params<'connections.makeKey'>,
): Outcome<Omit<Checked, 'secrets'>> {
  const { name, venue, markets, environment, endpoints = {}, replace = false } = request;
  const refused = desk.refused();
  if (refused !== null) return refuse('CONFLICT', refused);
  if (desk.kinds.length === 0) return refuse('INVALID_REQUEST', builtIn(desk.kinds));
  const problem = connectionNameProblem(name);
  if (problem !== null) return refuse('INVALID_REQUEST', `name: ${problem}`);
  const wrong = Object.entries(endpoints).find(([, address]) => !isAddress(address));
  if (wrong) return refuse('INVALID_REQUEST', `endpoints.${wrong[0]} takes ${ADDRESS_RIGHT}`);
  const known = desk.known(name);
  const connection: Connection =
    replace && known ? known.connection : { name, venue, markets, environment, endpoints };
  if (replace && !known)
    return refuse('INVALID_REQUEST', `${name} is not connected; leave out --replace to connect it`);
  if (known && !replace) {
    const lacksKeys = !desk.vault.fieldsOf(name).some((field) => field !== MADE);
    if (!lacksKeys || !isSame(known.connection, connection))
      return refuse(
        'CONFLICT',
        lacksKeys
          ? `config.toml has [exchanges.${name}] otherwise; give what stands there, or choose another name`
          : `${name} is connected already: --replace gives it new keys, or choose another name`,
      );
  }
  const found = prepare(desk.kinds, connection);
  if ('problem' in found) return refuse('INVALID_REQUEST', found.problem);
  const { vault } = desk;
  if (vault.state === 'none')
    return refuse('CONFLICT', 'there is no vault for its keys yet: outcry vault init makes one');
  if (vault.state === 'locked')
    return refuse('SERVICE_UNAVAILABLE', 'the vault is locked: outcry vault unlock opens it for its keys');
  return ok({ prepared: found.prepared, isConfigured: known !== null });
}

function isSame(a: Connection, b: Connection): boolean {
  const plain = ({ venue, markets, environment, endpoints }: Connection) =>
    JSON.stringify([venue, [...markets].sort(), environment, Object.entries(endpoints).sort()]);
  return plain(a) === plain(b);
}

async function tryIt(
  desk: ConnectDesk,
  prepared: Prepared,
  secrets: OpenSecrets,
): Promise<Outcome<ConnectionTested>> {
  const { connection, place, accounts } = prepared;
  const { clock } = desk.surroundings;
  let found: Awaited<ReturnType<typeof testConnection>>;
  let venues: readonly Venue[];
  try {
    venues = makeVenues(prepared, secrets, desk.surroundings);
    found = await testConnection({ venues, environment: connection.environment, clock });
  } catch (error) {
    return refuse('CONFLICT', `${connection.name} cannot be tried: ${secrets.hiddenIn(shortWords(error))}`);
  }
  const lines = [...found.lines, ...stopLines(desk, venues)].map((line) => ({
    ...line,
    text: secrets.hiddenIn(line.text),
  }));
  for (const { id } of accounts) {
    const problem = identityProblem(desk, prepared, id, found.identities[id]);
    if (problem !== null) return refuse('CONFLICT', problem);
  }
  const guards = Object.fromEntries(accounts.map(({ id }) => [id, guardsFor(desk, id)] as const));
  return ok({ ...found, lines, place, guards });
}

/** Returns warnings for accounts whose stops this desk would hold while only a person can open the vault. */
function stopLines({ config }: ConnectDesk, venues: readonly Venue[]): TestLine[] {
  if (config.opensVault === true) return [];
  return venues
    .filter(({ caps }) => holdsStops(caps.forms))
    .map(({ account }) => ({
      exchange: account.id,
      name: 'stops',
      level: 'warn',
      text: 'stops at the market are held by this desk: after a restart nobody fires them before somebody unlocks the vault',
      todo: 'set passphrase_file of [vault] in config.toml, and the desk unlocks itself',
    }));
}

/**
 * Returns why the account is wrong: it is another one than this name had before, or it is connected by
 * another name; null: neither.
 */
function identityProblem(
  desk: ConnectDesk,
  { connection, accounts }: Prepared,
  exchange: string,
  told: AccountIdentity | undefined,
): string | null {
  if (!told) return null;
  const { name, venue, environment } = connection;
  const stored = (id: string) =>
    (desk.meta().get(identityName(id)) as Partial<AccountIdentity> | undefined)?.id;
  const before = stored(exchange);
  if (before !== undefined && before !== told.id)
    return `${name} was account ${before}, and this key is of ${told.id}; choose another name`;
  for (const { connection: other, prepared } of desk.others(name)) {
    if (other.venue !== venue || other.environment !== environment) continue;
    const kind = accounts.find(({ id }) => id === exchange)?.market;
    const same = prepared?.accounts.find(({ id, market }) => market === kind && stored(id) === told.id);
    if (same) return `account ${told.id} is connected as ${other.name} already`;
  }
  return null;
}

/**
 * Stores the keys first: a block without keys would be a connection that cannot open, keys without a block
 * only cause a message.
 */
async function keep(
  desk: ConnectDesk,
  prepared: Prepared,
  secrets: OpenSecrets,
  given: {
    readonly identities: Readonly<Record<string, AccountIdentity>>;
    readonly isConfigured: boolean;
    readonly usesMade: boolean;
  },
): Promise<Outcome<null>> {
  const { vault, config, store, meta } = desk;
  const { connection } = prepared;
  // A made key is removed from the field where it waited to be used.
  const rows: Row[] = given.usesMade ? vault.forget(connection.name) : [];
  for (const [field, secret] of secrets.copies()) {
    const sealed = vault.seal(sealedUse(prepared, field), secret);
    if (!sealed.ok) return sealed;
    rows.push(...sealed.data);
  }
  const firsts = Object.entries(given.identities).filter(([id]) => !meta().has(identityName(id)));
  const named = (value: (identity: AccountIdentity) => unknown) =>
    firsts.map(([id, identity]): Row => ({ kind: 'meta', name: identityName(id), value: value(identity) }));
  rows.push(...named((identity) => identity));
  try {
    await store(rows);
  } catch {
    return refuse('SERVICE_UNAVAILABLE', UNSTORED);
  }
  if (given.isConfigured) return ok(null);
  try {
    await config.append(connection);
    return ok(null);
  } catch (error) {
    // Takes the names back: no account has got them.
    await store([...vault.forget(connection.name), ...named(() => null)]).catch(() => {});
    return refuse('CONFLICT', `${connection.name} was not connected: ${shortWords(error)}`);
  }
}
