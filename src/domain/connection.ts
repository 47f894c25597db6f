/**
 * Connections to exchanges: how one is called, what it gives, where it leads. What a venue has of all this is a `VenueKind`
 * (`venues/venue-kind.ts`). Secrets never stand here. Pure.
 */

/** One place where prices form, as a connection enables it; a swap is what one venue calls its linear futures. */
export type MarketKind = 'spot' | 'futures' | 'swap';

export const MARKET_KINDS: readonly MarketKind[] = ['spot', 'futures', 'swap'];

export type Environment = 'live' | 'testnet' | 'demo';

export const ENVIRONMENTS: readonly Environment[] = ['live', 'testnet', 'demo'];

/** A named set of credentials at one venue, as `[exchanges.NAME]` has it; gives one account for each of its markets. */
export interface Connection {
  readonly name: string;
  readonly venue: string;
  readonly markets: readonly MarketKind[];
  readonly environment: Environment;
  /** Addresses in place of the built-in ones, by the endpoint's name. */
  readonly endpoints: Readonly<Record<string, string>>;
}

/** Where the orders of a connection go: to a real exchange, to one that plays with no money, to this machine. */
export type ConnectionPlace = 'LIVE' | 'TESTNET' | 'DEMO' | 'LOCAL';

/** `locked`: until somebody unlocks the vault. `closed`: until a person does something. `held`: an owner has to confirm first. */
export type ConnectionState = 'locked' | 'opening' | 'ready' | 'closed' | 'held';

export const NAME_FORM = /^[a-z0-9-]{1,20}$/;
const RESERVED = 'paper';
/** Refused wherever a file is read, since every object has one. */
const UNSAFE = 'constructor';
const ENDINGS = MARKET_KINDS.map((kind) => `-${kind}`);

/** What a connection may be called, for messages. */
export const NAME_RIGHT = 'a name of 1 to 20 characters a-z, 0-9 and -';

/** What is wrong with the name of a connection; null: nothing. Its accounts are called after it. */
export function connectionNameProblem(name: string): string | null {
  if (!NAME_FORM.test(name)) return `it takes ${NAME_RIGHT}, such as binance`;
  if (name === UNSAFE) return `${UNSAFE} is no name that a configuration file can have; choose another name`;
  if (name === RESERVED) return 'paper is the exchange in this process; choose another name';
  const ending = ENDINGS.find((end) => name.endsWith(end));
  if (ending !== undefined)
    return `it cannot end in ${ending}, as the names of accounts do; choose another name`;
  return null;
}

/** `binance`, `spot` -> `binance-spot`. */
export function accountIdOf(name: string, kind: MarketKind): string {
  return `${name}-${kind}`;
}

/** Longest address of an endpoint, in characters. */
const ADDRESS_MAX = 256;
const SECURE = new Set(['https:', 'wss:']);
const PLAIN = new Set(['http:', 'ws:']);

export const ADDRESS_RIGHT = 'an address with https:// or wss://, or http:// or ws:// on this machine';

/** An address that may be one of an exchange: encrypted, but for this machine; without user, query and fragment. */
export function isAddress(text: string): boolean {
  if (text.length > ADDRESS_MAX || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false;
  return SECURE.has(url.protocol) || (PLAIN.has(url.protocol) && isLoopback(text));
}

/** Of this machine. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** `wss://stream.example:9443/ws` -> `wss://stream.example:9443`. */
export function originOf(address: string): string {
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}
