/**
 * Connections to exchanges: their names, their accounts and their addresses. What a venue knows of all this
 * is a `VenueKind` (`venues/venue-kind.ts`). Contains no secrets. Pure.
 */

/** A kind of market, as a connection enables it; a swap is what one venue calls its linear futures. */
export type MarketKind = 'spot' | 'futures' | 'swap';

export const MARKET_KINDS: readonly MarketKind[] = ['spot', 'futures', 'swap'];

export type Environment = 'live' | 'testnet' | 'demo';

export const ENVIRONMENTS: readonly Environment[] = ['live', 'testnet', 'demo'];

/**
 * A named set of credentials at one venue, as `[exchanges.NAME]` has it; gives one account for each of its
 * markets.
 */
export interface Connection {
  readonly name: string;
  readonly venue: string;
  readonly markets: readonly MarketKind[];
  readonly environment: Environment;
  /** Addresses that replace the built-in ones, by the endpoint's name. */
  readonly endpoints: Readonly<Record<string, string>>;
}

/**
 * Where the orders of a connection go: to a real exchange (LIVE), to one that trades without money (TESTNET,
 * DEMO), to this machine (LOCAL).
 */
export type ConnectionPlace = 'LIVE' | 'TESTNET' | 'DEMO' | 'LOCAL';

/**
 * `locked`: until somebody unlocks the vault. `closed`: until a person acts. `held`: an owner has to confirm
 * first.
 */
export type ConnectionState = 'locked' | 'opening' | 'ready' | 'closed' | 'held';

export const NAME_FORM = /^[a-z0-9-]{1,20}$/;
const RESERVED = 'paper';
/** A name that is refused wherever a file is read, because every object has a property of that name. */
const UNSAFE = 'constructor';
const ENDINGS = MARKET_KINDS.map((kind) => `-${kind}`);

/** Which names a connection may have, for messages. */
export const NAME_RIGHT = 'a name of 1 to 20 characters a-z, 0-9 and -';

/**
 * Returns what is wrong with the name of a connection; null: nothing. The names of its accounts begin with
 * it.
 */
export function connectionNameProblem(name: string): string | null {
  if (!NAME_FORM.test(name)) return `it takes ${NAME_RIGHT}, such as binance`;
  if (name === UNSAFE) return `${UNSAFE} is no name that a configuration file can have; choose another name`;
  if (name === RESERVED) return 'paper is the exchange in this process; choose another name';
  const ending = ENDINGS.find((end) => name.endsWith(end));
  if (ending !== undefined)
    return `it cannot end in ${ending}, as the names of accounts do; choose another name`;
  return null;
}

/** Returns the id of an account: `binance`, `spot` -> `binance-spot`. */
export function accountIdOf(name: string, kind: MarketKind): string {
  return `${name}-${kind}`;
}

/** Longest address of an endpoint, in characters. */
const ADDRESS_MAX = 256;
const SECURE = new Set(['https:', 'wss:']);
const PLAIN = new Set(['http:', 'ws:']);

export const ADDRESS_RIGHT = 'an address with https:// or wss://, or http:// or ws:// on this machine';

/**
 * Returns whether a text is an acceptable address of an exchange: encrypted (except on this machine), without
 * user, query and fragment.
 */
export function isAddress(text: string): boolean {
  if (text.length > ADDRESS_MAX || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false;
  return SECURE.has(url.protocol) || (PLAIN.has(url.protocol) && isLoopback(text));
}

/** Returns whether an address belongs to this machine. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Returns the origin: `wss://stream.example:9443/ws` -> `wss://stream.example:9443`. */
export function originOf(address: string): string {
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}
