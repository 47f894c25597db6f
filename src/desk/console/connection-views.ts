/**
 * What a terminal shows of connections to exchanges, and its calls about them; part of the contract in
 * `protocol.ts`. Types only.
 */
import type { AccountIdentity } from '../../domain/account-identity.ts';
import type {
  Connection,
  ConnectionPlace,
  ConnectionState,
  Environment,
  MarketKind,
} from '../../domain/connection.ts';
import type { Outcome } from '../../domain/errors.ts';
import type { Guards } from '../../domain/guards.ts';
import type { WideRight } from '../../domain/permissions.ts';

/** A built-in exchange, for forms. */
export interface VenueKindView {
  readonly name: string;
  readonly title: string;
  readonly markets: readonly MarketKind[];
  readonly environments: readonly Environment[];
  readonly credentials: readonly { readonly name: string; readonly label: string; readonly help: string }[];
  /** Its `secret` can be a key that is made in the vault (`connections.makeKey`). */
  readonly makesKey?: true;
}

export interface ConnectionView
  extends Pick<Connection, 'name' | 'venue' | 'markets' | 'environment' | 'endpoints'> {
  readonly state: ConnectionState;
  /** Why the connection is not ready; left out: it is ready. */
  readonly why?: string;
  /** The connection's addresses differ from those its keys were sealed for: an owner may confirm them. */
  readonly changed?: { readonly from: readonly string[]; readonly to: readonly string[] };
  readonly place: ConnectionPlace;
  /** Ids of the accounts. */
  readonly accounts: readonly string[];
}

export interface ConnectionsView {
  readonly kinds: readonly VenueKindView[];
  readonly connections: readonly ConnectionView[];
  readonly vault: 'none' | 'locked' | 'open';
  /** Why nothing can be connected now; null: it is possible. */
  readonly refused: string | null;
}

/** The connection of an account, for the list of accounts and the header. */
export interface AccountConnection {
  readonly name: string;
  readonly venue: string;
  readonly place: ConnectionPlace;
  readonly state: ConnectionState;
}

/** By the field's name: `apiKey`, `secret`, `passphrase`. */
export type CredentialTexts = Readonly<Record<string, string>>;

export interface ConnectionRequest
  extends Pick<Connection, 'name' | 'venue' | 'markets' | 'environment'>,
    Partial<Pick<Connection, 'endpoints'>> {
  readonly secrets: CredentialTexts;
  /** True: new keys for an account that is connected. */
  readonly replace?: boolean;
  /**
   * The secret is the key that was made for this connection (`connections.makeKey`), and is not among
   * `secrets`.
   */
  readonly madeKey?: boolean;
}

export interface TestLine {
  /** Id of the account. */
  readonly exchange: string;
  /** `reachable`, `clock`, `permissions`... */
  readonly name: string;
  /** `fail`: it cannot be connected like this. */
  readonly level: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** What helps against it. */
  readonly todo?: string;
}

export interface ConnectionTest {
  readonly lines: readonly TestLine[];
  /** What a key may do that trading does not need: an owner has to accept it. */
  readonly rights: readonly WideRight[];
  /** By account; accounts whose exchange has not said are left out. */
  readonly identities: Readonly<Record<string, AccountIdentity>>;
  /** The exchange's own id of the account; null: not known. */
  readonly account: string | null;
  readonly passed: boolean;
}

export interface ConnectionTested extends ConnectionTest {
  readonly place: ConnectionPlace;
  /** Guards that would be set on each account; null: those that are set there stay. */
  readonly guards: Readonly<Record<string, Guards | null>>;
}

/** Calls about connections: only for owners (S51). */
export interface ConnectionMethods {
  /** Returns what is connected, what could be, and whether anything can be connected now. */
  'connections.list': [Record<string, never>, ConnectionsView];
  /** Tries a connection: asks questions, stores nothing. A name alone tries an existing connection. */
  'connections.test': [ConnectionRequest | { readonly name: string }, Outcome<ConnectionTested>];
  /**
   * Makes a key pair for a connection in the vault; returns the public half (SPKI PEM). A key made before and
   * not used is replaced.
   */
  'connections.makeKey': [Omit<ConnectionRequest, 'secrets' | 'madeKey'>, Outcome<{ publicKey: string }>];
  /**
   * Connects an exchange, or gives a connection new keys. `rights`: what the owner accepts of what the key
   * may do beyond trading.
   */
  'connections.add': [
    ConnectionRequest & { readonly rights: readonly WideRight[]; readonly guards?: Partial<Guards> },
    Outcome<ConnectionView>,
  ];
  /** `word`: the connection's name, typed. Refused while an order is open or a bot runs on it. */
  'connections.remove': [{ name: string; word: string }, Outcome<null>];
  /** An owner accepts the connection's new addresses: `to` as they were shown, `word` its name, typed. */
  'connections.confirm': [{ name: string; to: readonly string[]; word: string }, Outcome<ConnectionView>];
}
