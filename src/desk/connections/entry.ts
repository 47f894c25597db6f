/** One connection as a desk has it: what it is by its kind, its accounts, and how far it has come. Asks nobody. */
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

/** What a connection is by its kind. */
export interface Prepared {
  readonly connection: Connection;
  readonly kind: VenueKind;
  readonly addresses: Readonly<Record<string, string>>;
  readonly origins: readonly string[];
  readonly accounts: readonly ExchangeAccount[];
  readonly place: ConnectionPlace;
}

/** `locked`: the vault is. `closed`: until a person does something. `open`: its lines have the credentials. */
export type Stage =
  | { readonly at: 'locked' }
  | { readonly at: 'closed'; readonly why: string; readonly from?: readonly string[] }
  | { readonly at: 'open'; readonly secrets: OpenSecrets };

export interface Entry {
  readonly connection: Connection;
  /** Null: its kind is not built in, or does not have what is asked of it. */
  readonly prepared: Prepared | null;
  stage: Stage;
}

/** By its kind, or what is wrong with it. */
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
  /** One of the desk. */
  readonly ways: Addresses;
  /** What an owner should know of a line; left out: nobody hears it. */
  readonly tell?: (text: string) => void;
}

/** New lines to the accounts of a connection. Throws a sentence where its kind gives other ones than it says. */
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

/** For what the credentials of a field are sealed. */
export function sealedUse({ connection, origins }: Prepared, field: string): SecretUse {
  const { name, venue, environment } = connection;
  return { connection: name, venue, environment, field, origins };
}
