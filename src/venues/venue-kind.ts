/**
 * A kind of exchange that can be connected: its markets, environments and addresses as data, the credentials
 * it asks for, and a function that makes its accounts. Nothing here opens a connection; the venues that
 * `open` makes connect only when they are opened.
 */

import type { Clock, Random } from '../domain/clock.ts';
import {
  accountIdOf,
  type Connection,
  type ConnectionPlace,
  type Environment,
  isLoopback,
  type MarketKind,
  originOf,
} from '../domain/connection.ts';
import type { ExchangeAccount } from '../domain/exchange.ts';
import type { MarketData } from '../market/market-data.ts';
import type { Addresses } from './kit/addresses.ts';
import type { Venue } from './venue.ts';

/** An address that a connection needs. */
export interface EndpointForm {
  /** The name used in `[exchanges.NAME.endpoints]`: `spot-rest`. */
  readonly name: string;
  readonly protocol: 'http' | 'ws';
  /** Only connections with one of these markets need the address; left out: all connections do. */
  readonly markets?: readonly MarketKind[];
  readonly addresses: Readonly<Partial<Record<Environment, string>>>;
}

export interface CredentialForm {
  /** The name used in the vault and in the JSON on standard input. */
  readonly name: 'apiKey' | 'secret' | 'passphrase';
  readonly label: string;
  /** What the credential is and where it is found, in one sentence. */
  readonly help: string;
}

/** The credentials of a connection while it is open. */
export interface Secrets {
  /**
   * Returns the bytes of a credential. They are overwritten with zeros when the vault is locked: never copy
   * or keep them. Throws after that.
   */
  get(field: CredentialForm['name']): Buffer;
}

export interface OpenGiven {
  readonly connection: Connection;
  /** All addresses that the connection needs, built in or replaced, by the endpoint's name. */
  readonly addresses: Readonly<Record<string, string>>;
  /** In the order of the connection's markets; one venue is made for each. */
  readonly accounts: readonly ExchangeAccount[];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * The request budgets of each address, shared by all connections and market data of the desk; its bans
   * outlast a restart.
   */
  readonly ways: Addresses;
  /**
   * Reports what an owner should know about the connection: one sentence, rarely; left out: nothing is
   * reported.
   */
  readonly report?: (text: string) => void;
}

export interface VenueKind {
  /** `binance`. */
  readonly name: string;
  readonly title: string;
  readonly markets: readonly MarketKind[];
  /** The sets of markets that one connection may have in an environment; the largest first. */
  readonly environments: Readonly<Partial<Record<Environment, readonly (readonly MarketKind[])[]>>>;
  readonly endpoints: readonly EndpointForm[];
  readonly credentials: readonly CredentialForm[];
  /**
   * `secret` may be an Ed25519 private key (PKCS#8 PEM) whose public half is registered at the exchange: the
   * desk can make one.
   */
  readonly makesKey?: true;
  /** All accounts of a connection share one wallet. */
  readonly sharedWallet: boolean;
  /**
   * Makes one venue for each account; `Venue.open` connects it. Nothing is asked, sent or signed before that.
   */
  open(given: OpenGiven): readonly Venue[];
  /**
   * Makes the public market data of the markets, for which nothing is signed; a market that is already there
   * is not opened twice.
   */
  marketData(
    given: Pick<OpenGiven, 'connection' | 'addresses' | 'accounts' | 'clock' | 'random' | 'ways' | 'report'>,
  ): readonly MarketData[];
}

/**
 * Says why a connection cannot have these markets in this environment, and what is possible; null: it can.
 */
export function marketsProblem(
  { title, markets: known, environments }: Pick<VenueKind, 'title' | 'markets' | 'environments'>,
  markets: readonly MarketKind[],
  environment: Environment,
): string | null {
  const names = Object.keys(environments);
  const sets = environments[environment];
  if (!sets) return `${title} has no ${environment}; it has ${names.join(', ')}`;
  if (markets.length === 0) return `no market is named; ${title} has ${known.join(', ')}`;
  if (new Set(markets).size < markets.length) return 'a market is named twice';
  const alien = markets.find((one) => !known.includes(one));
  if (alien !== undefined) return `${title} has no ${alien}; it has ${known.join(', ')}`;
  if (sets.some((set) => markets.every((one) => set.includes(one)))) return null;
  const missing = markets.find((one) => !sets.some((set) => set.includes(one)));
  if (missing !== undefined) {
    const where = names.filter((name) =>
      environments[name as Environment]?.some((set) => set.includes(missing)),
    );
    return `${title} ${environment} has no ${missing}: connect ${missing} by a connection of its own with --environment ${where.join(' or ')}`;
  }
  return `one key of ${title} ${environment} serves one market: make ${markets.length} connections, ${markets.map((one) => `one with --markets ${one}`).join(' and ')}`;
}

/** The addresses that a connection needs, or what is wrong with the configured ones. */
export function addressesOf(
  kind: Pick<VenueKind, 'title' | 'endpoints'>,
  { markets, environment, endpoints }: Pick<Connection, 'markets' | 'environment' | 'endpoints'>,
): { readonly addresses: Record<string, string> } | { readonly problem: string } {
  const unknown = Object.keys(endpoints).find((name) => !kind.endpoints.some((one) => one.name === name));
  if (unknown !== undefined) {
    const known = kind.endpoints.map(({ name }) => name).join(', ');
    return { problem: `endpoints: ${kind.title} has no ${unknown}; it has ${known}` };
  }
  const addresses: Record<string, string> = {};
  for (const { name, protocol, markets: of, addresses: builtIn } of kind.endpoints) {
    if (of && !of.some((one) => markets.includes(one))) continue;
    const address = endpoints[name] ?? builtIn[environment];
    if (address === undefined)
      return {
        problem: `endpoints.${name}: ${kind.title} ${environment} has no address of its own; name one`,
      };
    const isWs = /^wss?:/.test(address);
    if (isWs !== (protocol === 'ws'))
      return { problem: `endpoints.${name} takes an address with ${protocol === 'ws' ? 'wss' : 'https'}://` };
    const elsewhere = otherEnvironment(kind, address, environment);
    if (elsewhere !== null)
      return {
        problem: `endpoints.${name}: ${new URL(address).host} is ${kind.title} ${elsewhere}, not ${environment}`,
      };
    addresses[name] = address;
  }
  return { addresses };
}

/**
 * The other environment or environments that a host is known to belong to; null: the host is unknown or
 * belongs to this environment.
 */
function otherEnvironment(
  { endpoints }: Pick<VenueKind, 'endpoints'>,
  address: string,
  environment: Environment,
): string | null {
  const { hostname } = new URL(address);
  const of = new Set<string>();
  for (const { addresses } of endpoints)
    for (const [name, builtIn] of Object.entries(addresses))
      if (new URL(builtIn).hostname === hostname) of.add(name);
  return of.size === 0 || of.has(environment) ? null : [...of].join(' and ');
}

/** The origins of all addresses, sorted and without duplicates: the secrets are sealed for exactly these. */
export function originsOf(addresses: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.values(addresses).map(originOf))].sort();
}

/**
 * Says where orders would go. A host that is neither built in nor on this machine could lead anywhere, so it
 * counts as live.
 */
export function placeOf(
  kind: Pick<VenueKind, 'endpoints'>,
  environment: Environment,
  addresses: Readonly<Record<string, string>>,
): ConnectionPlace {
  const all = Object.entries(addresses);
  const isBuiltIn = ([name, address]: [string, string]) =>
    kind.endpoints.find((one) => one.name === name)?.addresses[environment] === address;
  if (all.some((one) => !isBuiltIn(one) && !isLoopback(one[1]))) return 'LIVE';
  if (all.length > 0 && all.every(([, address]) => isLoopback(address))) return 'LOCAL';
  if (environment === 'live') return 'LIVE';
  return environment === 'demo' ? 'DEMO' : 'TESTNET';
}

/** The accounts of a connection, one for each market. */
export function accountsOf(
  { sharedWallet }: Pick<VenueKind, 'sharedWallet'>,
  { name, venue, environment, markets }: Connection,
): ExchangeAccount[] {
  const at = environment === 'live' ? venue : `${venue}-${environment}`;
  return markets.map((kind) => {
    const id = accountIdOf(name, kind);
    return {
      id,
      name: id,
      kind: kind === 'spot' ? ('spot' as const) : ('futures' as const),
      market: `${at}-${kind}`,
      ...(sharedWallet && markets.length > 1 ? { wallet: name } : {}),
    };
  });
}
