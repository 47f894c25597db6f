/**
 * The connections of a desk: each an object with a state, from the configuration or made while the desk runs.
 * Their credentials are taken from the vault for as long as they are open. Changes are made one at a time,
 * and each is stored before an account follows it.
 */
import type { Connection, ConnectionState } from '../../domain/connection.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { marketOf } from '../../domain/exchange.ts';
import { type FormRow, holdsStops } from '../../domain/order-form.ts';
import type { Row } from '../../domain/rows.ts';
import type { MarketData } from '../../market/market-data.ts';
import type { Venue } from '../../venues/venue.ts';
import type { VenueKind } from '../../venues/venue-kind.ts';
import type {
  AccountConnection,
  ConnectionsView,
  ConnectionTested,
  ConnectionView,
} from '../console/connection-views.ts';
import type { Params } from '../console/protocol.ts';
import type { AccountLinks } from '../core/account-links.ts';
import { shortWords } from '../core/adapter-call.ts';
import { connectedSince } from '../core/fills-reader.ts';
import { type ConnectDesk, connect, guardsFor, makeKeyFor, tested } from './connecting.ts';
import { type Entry, makeMarkets, makeVenues, type Prepared, prepare, type Surroundings } from './entry.ts';
import { NO_SECRETS } from './open-secrets.ts';
import { type ConnectionVault, stageOf } from './stage.ts';
import type { StoredBans } from './stored-bans.ts';

export const LOCKED = 'the vault is locked';
/** Used for an account that has no link yet. */
const NATIVE: FormRow = { asked: 'type', form: 'native', source: '' };

/**
 * The configuration file, as far as connections change it. On failure both methods throw a sentence and
 * change nothing.
 */
export interface ConfigFile {
  append(connection: Connection): Promise<void>;
  /** Removes a block; having none is no error. */
  remove(name: string): Promise<void>;
  /** The file names a passphrase file: the vault is opened at every start. Left out: it names none. */
  readonly opensVault?: boolean;
}

export interface ConnectionsOptions extends Surroundings {
  readonly kinds: readonly VenueKind[];
  readonly configured: readonly Connection[];
  readonly vault: ConnectionVault;
  readonly config: ConfigFile;
  readonly bans: StoredBans;
}

/** The parts of the desk that connections need once these exist. */
export interface ConnectionsDesk {
  readonly accounts: () => AccountLinks;
  /** Adds a market of a connection; resolves when it was tried. */
  readonly market: (data: MarketData) => Promise<void>;
  /** Removes a market, unless another account still trades on it. */
  readonly leaveMarket: (market: string) => Promise<void>;
  /** Meta rows as they are stored now. */
  readonly meta: () => ReadonlyMap<string, unknown>;
  /** Resolves when the rows are stored; rejects when they could not be. */
  readonly store: (rows: Row[]) => Promise<void>;
  /** Returns why no real account is possible here; null: it is possible. */
  readonly refused: () => string | null;
  /** Returns the open orders and running bots of the accounts, as text; null: there are none. */
  readonly standing: (accounts: readonly string[]) => string | null;
  readonly changed: () => void;
  readonly report: (level: 'error' | 'warn' | 'info', text: string) => void;
}

export class Connections {
  readonly #o: ConnectionsOptions;
  readonly #entries = new Map<string, Entry>();
  #desk: ConnectionsDesk | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #unlisten: (() => void) | null = null;
  #closed = false;

  constructor(options: ConnectionsOptions) {
    this.#o = options;
    for (const connection of options.configured) {
      const found = prepare(options.kinds, connection);
      const prepared = 'prepared' in found ? found.prepared : null;
      const why = 'problem' in found ? found.problem : '';
      this.#entries.set(connection.name, { connection, prepared, stage: { at: 'closed', why } });
    }
  }

  get bans(): StoredBans {
    return this.#o.bans;
  }

  /** Names of all configured connections, whatever their state. */
  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /**
   * Returns, for the start and in the order of the configuration, the accounts of the connections and their
   * markets.
   */
  begin(): { readonly venues: Venue[]; readonly markets: MarketData[] } {
    const venues: Venue[] = [];
    const markets = new Map<string, MarketData>();
    for (const entry of this.#entries.values()) {
      this.#look(entry);
      if (!entry.prepared) continue;
      try {
        venues.push(...this.#venues(entry, entry.prepared));
        const tell = (text: string) => this.#desk?.report('warn', text);
        for (const data of makeMarkets(entry.prepared, { ...this.#o, tell }))
          if (!markets.has(data.market)) markets.set(data.market, data);
      } catch (error) {
        this.#fail(entry, error);
      }
    }
    return { venues, markets: [...markets.values()] };
  }

  /** Returns the accounts that somebody has added to connections since these were first connected. */
  added(meta: ReadonlyMap<string, unknown>): string[] {
    return [...this.#entries.values()].flatMap(({ prepared }) => {
      const ids = prepared?.accounts.map(({ id }) => id) ?? [];
      const fresh = ids.filter((id) => connectedSince(meta, id) === null);
      return fresh.length < ids.length ? fresh : [];
    });
  }

  /** Ties the connections to the desk once it exists: reports what they lack, and listens to the vault. */
  tie(desk: ConnectionsDesk): void {
    this.#desk = desk;
    for (const { connection, stage } of this.#entries.values())
      if (stage.at === 'closed') desk.report('error', `${connection.name} is closed: ${stage.why}`);
    for (const name of this.#o.vault.connections())
      if (!this.#entries.has(name))
        desk.report(
          'warn',
          `the vault has keys of ${name}, which is not connected: connect it again, or outcry vault forget ${name}`,
        );
    this.#unlisten = this.#o.vault.onChanged(() => void this.#inTurn(() => this.#follow()));
  }

  /** Returns why the links to an account are not opened; null: they are. */
  waits(exchange: string): string | null {
    const entry = this.#entryOf(exchange);
    if (!entry || entry.stage.at === 'open') return null;
    return entry.stage.at === 'locked' ? LOCKED : entry.stage.why;
  }

  hide(exchange: string, text: string): string {
    const stage = this.#entryOf(exchange)?.stage;
    return stage?.at === 'open' ? stage.secrets.hiddenIn(text) : text;
  }

  /** Returns the connection of an account; null: it is an account of this process. */
  of(exchange: string): AccountConnection | null {
    const entry = this.#entryOf(exchange);
    if (!entry?.prepared) return null;
    const { name, venue } = entry.connection;
    return { name, venue, place: entry.prepared.place, state: this.#stateOf(entry).state };
  }

  /**
   * Returns the names of connections whose stops this desk holds, after a restart only once somebody has
   * unlocked the vault.
   */
  unattended(): string[] {
    if (this.#o.config.opensVault === true) return [];
    const links = this.#desk?.accounts().all;
    const holds = ({ prepared }: Entry) =>
      prepared?.accounts.some(({ id }) => holdsStops(links?.get(id)?.venue.caps.forms ?? [NATIVE])) === true;
    return [...this.#entries.values()].filter(holds).map(({ connection }) => connection.name);
  }

  /** Closes a connection whose keys were removed from the vault, and wipes its copies of them. */
  forgotten(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const entry = this.#entries.get(name);
      if (!entry?.prepared) return;
      const { accounts } = entry.prepared;
      const takenBack = this.#tied.accounts().takeBack(
        'its keys are forgotten',
        accounts.map(({ id }) => id),
      );
      if (takenBack) await takenBack;
      if (entry.stage.at === 'open') entry.stage.secrets.wipe();
      this.#look(entry);
      await this.#reline(entry, entry.prepared);
    });
  }

  list(): ConnectionsView {
    const { kinds, vault } = this.#o;
    return {
      kinds: kinds.map(({ name, title, markets, environments, credentials, makesKey }) => ({
        name,
        title,
        markets,
        credentials,
        ...(makesKey ? { makesKey } : {}),
        environments: Object.keys(environments) as (keyof typeof environments)[],
      })),
      connections: [...this.#entries.values()].map((entry) => this.#view(entry)),
      vault: vault.state,
      refused: this.#desk?.refused() ?? null,
    };
  }

  test(request: Params<'connections.test'>): Promise<Outcome<ConnectionTested>> {
    if ('secrets' in request) return tested(this.#connectDesk(), request);
    const entry = this.#entries.get(request.name);
    if (!entry?.prepared)
      return Promise.resolve(refuse('INVALID_REQUEST', `${request.name} is not connected`));
    if (entry.stage.at !== 'open')
      return Promise.resolve(
        refuse('SERVICE_UNAVAILABLE', `${request.name} is ${this.#stateOf(entry).why ?? 'not open'}`),
      );
    return tested(this.#connectDesk(), entry.prepared, entry.stage.secrets);
  }

  makeKey(request: Params<'connections.makeKey'>): Promise<Outcome<{ publicKey: string }>> {
    return this.#inTurn(() => makeKeyFor(this.#connectDesk(), request));
  }

  add(request: Params<'connections.add'>): Promise<Outcome<ConnectionView>> {
    return this.#inTurn(() => this.#add(request));
  }

  remove({ name, word }: Params<'connections.remove'>): Promise<Outcome<null>> {
    return this.#inTurn(() => this.#remove(name, word));
  }

  confirm(request: Params<'connections.confirm'>): Promise<Outcome<ConnectionView>> {
    return this.#inTurn(() => this.#confirm(request));
  }

  /** Begins nothing more and wipes the credentials: the desk ends. */
  close(): void {
    this.#closed = true;
    this.#unlisten?.();
    for (const { stage } of this.#entries.values()) if (stage.at === 'open') stage.secrets.wipe();
  }

  async #add(request: Params<'connections.add'>): Promise<Outcome<ConnectionView>> {
    const desk = this.#connectDesk();
    const done = await connect(desk, request);
    if (!done.ok) return done;
    const { prepared, rights } = done.data;
    const { connection, accounts } = prepared;
    const before = this.#entries.get(connection.name);
    if (before?.stage.at === 'open') before.stage.secrets.wipe();
    const entry: Entry = { connection, prepared, stage: { at: 'locked' } };
    this.#entries.set(connection.name, entry);
    this.#look(entry);
    try {
      const tell = (text: string) => this.#desk?.report('warn', text);
      for (const data of makeMarkets(prepared, { ...this.#o, tell })) await this.#tied.market(data);
      const links = this.#tied.accounts();
      for (const venue of this.#venues(entry, prepared)) {
        const { id } = venue.account;
        const guards = guardsFor(desk, id, request.guards);
        const settings = { rights, ...(guards ? { guards } : {}) };
        if (links.all.has(id)) {
          await links.set(venue, settings);
          await links.replace(venue);
        } else await links.join(venue, settings);
      }
    } catch (error) {
      this.#fail(entry, error);
    }
    const { name, environment } = connection;
    const what = request.replace === true ? 'has new keys of' : 'is connected to';
    const where = `${prepared.kind.title} ${environment}`;
    const ids = accounts.map(({ id }) => id).join(', ');
    this.#tied.report('warn', `${name} ${what} ${where} (${prepared.place}): ${ids}, asked by operator`);
    this.#tied.changed();
    return ok(this.#view(entry));
  }

  async #remove(name: string, word: string): Promise<Outcome<null>> {
    const entry = this.#entries.get(name);
    if (!entry)
      return refuse(
        'INVALID_REQUEST',
        `${name} is not connected; connected: ${this.names.join(', ') || 'none'}`,
      );
    if (word !== name) return refuse('INVALID_REQUEST', `type ${name} to disconnect it`);
    const accounts = entry.connection.markets.map((kind) => `${name}-${kind}`);
    const standing = this.#tied.standing(accounts);
    if (standing !== null) return refuse('CONFLICT', `${name} cannot be disconnected: ${standing}`);
    try {
      // A crash after this leaves keys that nothing uses, which the next start reports.
      await this.#o.config.remove(name);
      await this.#tied.store(this.#o.vault.forget(name));
    } catch (error) {
      return refuse('SERVICE_UNAVAILABLE', shortWords(error));
    }
    if (entry.stage.at === 'open') entry.stage.secrets.wipe();
    this.#entries.delete(name);
    const links = this.#tied.accounts();
    for (const id of accounts) if (links.all.has(id)) await links.leave(id);
    for (const market of this.#marketsOf(entry)) {
      const isUsed = [...this.#entries.values()].some((other) => this.#marketsOf(other).includes(market));
      if (!isUsed) await this.#tied.leaveMarket(market);
    }
    this.#tied.report('warn', `${name} is disconnected and its keys are forgotten, asked by operator`);
    this.#tied.changed();
    return ok(null);
  }

  async #confirm({ name, to, word }: Params<'connections.confirm'>): Promise<Outcome<ConnectionView>> {
    const entry = this.#entries.get(name);
    const { stage, prepared } = entry ?? {};
    if (!entry || !prepared || stage?.at !== 'closed' || !stage.from)
      return refuse('CONFLICT', `the addresses of ${name} are those that its keys are for`);
    if (word !== name) return refuse('INVALID_REQUEST', `type ${name} to let its keys be used there`);
    if (to.join() !== prepared.origins.join())
      return refuse('CONFLICT', `the addresses of ${name} are other ones than those shown; look again`);
    const rows = this.#o.vault.reseal(name, stage.from, prepared.origins);
    if (!rows.ok) return rows;
    try {
      await this.#tied.store(rows.data);
    } catch {
      return refuse('SERVICE_UNAVAILABLE', 'the change could not be stored and was not made; try again');
    }
    this.#tied.report(
      'warn',
      `the keys of ${name} may be used at ${prepared.origins.join(', ')}, asked by operator`,
    );
    this.#look(entry);
    await this.#reline(entry, prepared);
    return ok(this.#view(entry));
  }

  /** Follows the vault, which was locked or unlocked. */
  async #follow(): Promise<void> {
    const isOpen = this.#o.vault.state === 'open';
    for (const entry of [...this.#entries.values()]) {
      if (!entry.prepared || entry.stage.at === 'closed' || (entry.stage.at === 'open') === isOpen) continue;
      if (entry.stage.at === 'open') {
        // Takes the dead-man switches back before the credentials go.
        const takenBack = this.#tied.accounts().takeBack(
          LOCKED,
          entry.prepared.accounts.map(({ id }) => id),
        );
        if (takenBack) await takenBack;
        entry.stage.secrets.wipe();
      }
      this.#look(entry);
      await this.#reline(entry, entry.prepared);
    }
  }

  /** Gives the accounts new links, as the connection's stage is now. */
  async #reline(entry: Entry, prepared: Prepared): Promise<void> {
    if (this.#closed) return;
    try {
      const links = this.#tied.accounts();
      await Promise.all(this.#venues(entry, prepared).map((venue) => links.replace(venue)));
    } catch (error) {
      this.#fail(entry, error);
    }
    this.#tied.changed();
  }

  /** Updates the stage to what the credentials allow now. */
  #look(entry: Entry): void {
    if (entry.prepared) entry.stage = stageOf(this.#o.vault, entry.prepared);
  }

  #venues({ stage }: Entry, prepared: Prepared): Venue[] {
    const secrets = stage.at === 'open' ? stage.secrets : NO_SECRETS;
    const tell = (text: string) =>
      this.#desk?.report('warn', stage.at === 'open' ? stage.secrets.hiddenIn(text) : text);
    return makeVenues(prepared, secrets, { ...this.#o, tell });
  }

  #fail(entry: Entry, error: unknown): void {
    const { stage } = entry;
    const text = stage.at === 'open' ? stage.secrets.hiddenIn(shortWords(error)) : shortWords(error);
    if (stage.at === 'open') stage.secrets.wipe();
    entry.stage = { at: 'closed', why: `its adapter failed: ${text}` };
    this.#desk?.report('error', `${entry.connection.name} is closed: its adapter failed: ${text}`);
  }

  #view(entry: Entry): ConnectionView {
    const { connection, prepared, stage } = entry;
    const { name, venue, markets, environment, endpoints } = connection;
    const changed =
      stage.at === 'closed' && stage.from ? { from: stage.from, to: prepared?.origins ?? [] } : null;
    return {
      name,
      venue,
      markets,
      environment,
      endpoints,
      ...this.#stateOf(entry),
      ...(changed ? { changed } : {}),
      place: prepared?.place ?? 'LIVE',
      accounts: prepared?.accounts.map(({ id }) => id) ?? [],
    };
  }

  #stateOf({ stage, prepared }: Entry): { readonly state: ConnectionState; readonly why?: string } {
    if (stage.at === 'locked') return { state: 'locked', why: LOCKED };
    if (stage.at === 'closed') return { state: 'closed', why: stage.why };
    const links = this.#desk?.accounts().all;
    for (const { id } of prepared?.accounts ?? []) {
      const link = links?.get(id);
      const shut = link?.gate?.shut;
      if (shut) return { state: shut.kind === 'another' ? 'closed' : 'held', why: shut.why };
      const away = link?.away;
      if (away !== null) return { state: 'opening', why: away ?? 'it is being connected' };
    }
    return { state: 'ready' };
  }

  #marketsOf({ prepared }: Entry): string[] {
    return prepared?.accounts.map((account) => marketOf(account)) ?? [];
  }

  #entryOf(exchange: string): Entry | undefined {
    for (const entry of this.#entries.values())
      if (entry.prepared?.accounts.some(({ id }) => id === exchange)) return entry;
    return undefined;
  }

  #connectDesk(): ConnectDesk {
    const { kinds, vault, config } = this.#o;
    const { meta, store, refused } = this.#tied;
    return {
      kinds,
      vault,
      config,
      meta,
      store,
      refused,
      surroundings: this.#o,
      known: (name: string) => this.#entries.get(name) ?? null,
      hasTraded: (exchange: string) =>
        this.#tied.accounts().all.has(exchange) && connectedSince(meta(), exchange) !== null,
      others: (name: string) =>
        [...this.#entries.values()].filter(({ connection }) => connection.name !== name),
    };
  }

  get #tied(): ConnectionsDesk {
    if (!this.#desk) throw new Error('connections: used before the desk is there');
    return this.#desk;
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(run);
    this.#queue = next.catch((error: unknown) => {
      this.#desk?.report('error', `connections: ${shortWords(error)}`);
    });
    return next;
  }
}
