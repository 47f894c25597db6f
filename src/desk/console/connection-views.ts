/** What a terminal sees and asks of connections to exchanges; part of the contract in `protocol.ts`. Types only. */
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

/** An exchange that is built in, for forms. */
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
  /** Why it is not ready; left out: it is. */
  readonly why?: string;
  /** Its addresses are other ones than those that its keys were sealed for: an owner may confirm them. */
  readonly changed?: { readonly from: readonly string[]; readonly to: readonly string[] };
  readonly place: ConnectionPlace;
  /** Ids. */
  readonly accounts: readonly string[];
}

export interface ConnectionsView {
  readonly kinds: readonly VenueKindView[];
  readonly connections: readonly ConnectionView[];
  readonly vault: 'none' | 'locked' | 'open';
  /** Why nothing can be connected now; null: it can. */
  readonly refused: string | null;
}

/** Of an account, for its list and the header. */
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
  /** New keys of an account that is connected. */
  readonly replace?: boolean;
  /** Its secret is the key that was made for it (`connections.makeKey`), and is not among `secrets`. */
  readonly madeKey?: boolean;
}

export interface TestLine {
  /** The account. */
  readonly exchange: string;
  /** `reachable`, `clock`, `permissions`... */
  readonly name: string;
  /** `fail`: it cannot be connected so. */
  readonly level: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** What to do about it. */
  readonly todo?: string;
}

export interface ConnectionTest {
  readonly lines: readonly TestLine[];
  /** What a key may do that trading does not need: an owner has to accept it. */
  readonly rights: readonly WideRight[];
  /** By account; who has not said is left out. */
  readonly identities: Readonly<Record<string, AccountIdentity>>;
  /** The exchange's own ids of them; null: not known. */
  readonly account: string | null;
  readonly passed: boolean;
}

export interface ConnectionTested extends ConnectionTest {
  readonly place: ConnectionPlace;
  /** What would be set on each account; null: what is set there stays. */
  readonly guards: Readonly<Record<string, Guards | null>>;
}

/** Calls about connections: an owner's alone (S51). */
export interface ConnectionMethods {
  /** What is connected, what could be, and whether anything can be now. */
  'connections.list': [Record<string, never>, ConnectionsView];
  /** Tries a connection: asks, stores nothing. A name alone tries one that is connected. */
  'connections.test': [ConnectionRequest | { readonly name: string }, Outcome<ConnectionTested>];
  /** Makes a key pair for it in the vault; gives the public half (SPKI PEM). One that was made before and not used is replaced. */
  'connections.makeKey': [Omit<ConnectionRequest, 'secrets' | 'madeKey'>, Outcome<{ publicKey: string }>];
  /** Connects it, or gives it new keys. `rights`: what its owner accepts of what the key may do beyond trading. */
  'connections.add': [
    ConnectionRequest & { readonly rights: readonly WideRight[]; readonly guards?: Partial<Guards> },
    Outcome<ConnectionView>,
  ];
  /** `word`: its name, typed. Refused while an order is open or a bot runs on it. */
  'connections.remove': [{ name: string; word: string }, Outcome<null>];
  /** An owner accepts its new addresses: `to` as they were shown, `word` its name, typed. */
  'connections.confirm': [{ name: string; to: readonly string[]; word: string }, Outcome<ConnectionView>];
}
