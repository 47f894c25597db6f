/** One connection of a desk: what its kind says, its accounts, and its stage. Asks no exchange. */
import type { SecretUse } from '../../access/vault/vault.ts';
import type { Clock, Random } from '../../domain/clock.ts';
import type { Connection, ConnectionPlace } from '../../domain/connection.ts';
import type { ExchangeAccount } from '../../domain/exchange.ts';
import type { MarketData } from '../../market/market-data.ts';
import type { Addresses } from '../../venues/kit/addresses.ts';
import type { Venue } from '../../venues/venue.ts';
import {
  accountsOf,
  addressesOf,
  marketsProblem,
  originsOf,
  placeOf,
  type Secrets,
  type VenueKind,
} from '../../venues/venue-kind.ts';
import type { OpenSecrets } from './open-secrets.ts';

/** A connection as its kind describes it. */
export interface Prepared {
  readonly connection: Connection;
  readonly kind: VenueKind;
  readonly addresses: Readonly<Record<string, string>>;
  readonly origins: readonly string[];
  readonly accounts: readonly ExchangeAccount[];
  readonly place: ConnectionPlace;
}

/**
 * `locked`: the vault is locked. `closed`: until a person does something. `open`: its links have the
 * credentials.
 */
export type Stage =
  | { readonly at: 'locked' }
  | { readonly at: 'closed'; readonly why: string; readonly from?: readonly string[] }
  | { readonly at: 'open'; readonly secrets: OpenSecrets };

export interface Entry {
  readonly connection: Connection;
  /** Null: its kind is not built in, or does not have what the connection asks for. */
  readonly prepared: Prepared | null;
  stage: Stage;
}

/** Returns the connection as its kind describes it, or what is wrong with it. */
export function prepare(
  kinds: readonly VenueKind[],
  connection: Connection,
): { readonly prepared: Prepared } | { readonly problem: string } {
  const kind = kinds.find(({ name }) => name === connection.venue);
  if (!kind) return { problem: `${connection.venue} is not built in; ${builtIn(kinds)}` };
  const { markets, environment } = connection;
  const problem = marketsProblem(kind, markets, environment);
  if (problem !== null) return { problem };
  const found = addressesOf(kind, connection);
  if ('problem' in found) return found;
  const { addresses } = found;
  return {
    prepared: {
      connection,
      kind,
      addresses,
      origins: originsOf(addresses),
      accounts: accountsOf(kind, connection),
      place: placeOf(kind, environment, addresses),
    },
  };
}

export function builtIn(kinds: readonly VenueKind[]): string {
  return kinds.length === 0
    ? 'no exchange is built in yet but the paper exchange'
    : `built in: ${kinds.map(({ name }) => name).join(', ')}`;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** One instance for the desk. */
  readonly ways: Addresses;
  /** Reports what an owner should know about a link; left out: nobody is told. */
  readonly tell?: (text: string) => void;
}

/**
 * Makes new links to the accounts of a connection. Throws a sentence where its kind gives others than it
 * says.
 */
export function makeVenues(
  { kind, connection, addresses, accounts }: Prepared,
  secrets: Secrets,
  { clock, random, ways, tell }: Surroundings,
): Venue[] {
  const report = tell ? { report: tell } : {};
  const venues = kind.open({ connection, addresses, accounts, secrets, clock, random, ways, ...report });
  const ids = venues.map(({ account }) => account.id).join();
  if (ids !== accounts.map(({ id }) => id).join())
    throw new Error(`${kind.name} has made the accounts ${ids || '(none)'}`);
  return [...venues];
}

export function makeMarkets(
  { kind, connection, addresses, accounts }: Prepared,
  { clock, random, ways, tell }: Surroundings,
): readonly MarketData[] {
  const report = tell ? { report: tell } : {};
  return kind.marketData({ connection, addresses, accounts, clock, random, ways, ...report });
}

/** Returns the use that the credentials of a field are sealed for. */
export function sealedUse({ connection, origins }: Prepared, field: string): SecretUse {
  const { name, venue, environment } = connection;
  return { connection: name, venue, environment, field, origins };
}
