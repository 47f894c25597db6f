/** The tables `[exchanges.NAME]` of the configuration file: connections and their addresses, no secrets. */
import {
  ADDRESS_RIGHT,
  type Connection,
  connectionNameProblem,
  ENVIRONMENTS,
  isAddress,
  MARKET_KINDS,
} from '../domain/connection.ts';
import { LIVE_FEEDS } from '../domain/live-feed.ts';
import type { Form } from './forms.ts';
import { FORMS } from './forms.ts';
import { isTable, pathOf, type Reading, readTable, readValue, type TableForm } from './toml-tables.ts';
import { UsageError } from './usage-error.ts';

/** Largest number of connections in a file. */
const CONNECTIONS_MAX = 20;

const venue: Form = {
  right: 'the name of an exchange in small letters, such as binance',
  accepts: (value) => typeof value === 'string' && /^[a-z0-9-]{1,20}$/.test(value),
};
const environment = oneOf(ENVIRONMENTS);
const address: Form = {
  right: ADDRESS_RIGHT,
  accepts: (value) => typeof value === 'string' && isAddress(value),
};

const FORM: TableForm = {
  keys: { venue, markets: FORMS.list(oneOf(MARKET_KINDS)), environment },
  others: ['endpoints'],
};
const NEEDED = ['venue', 'markets'] as const;
const ENDPOINT_NAME = /^[a-z][a-z-]{0,39}$/;

/** Reads each table by its form. The venue's kind (`venues/venue-kind.ts`) has its addresses and markets. */
export function readExchanges(tables: unknown, reading: Reading): Connection[] {
  const { file } = reading;
  if (!isTable(tables)) throw new UsageError(`${file}: exchanges are tables, written as [exchanges.NAME]`);
  const entries = Object.entries(tables);
  if (entries.length > CONNECTIONS_MAX)
    throw new UsageError(`${file}: ${entries.length} exchanges, ${CONNECTIONS_MAX} at most`);
  return entries.map(([name, table]) => readExchange(name, table, reading));
}

function readExchange(name: string, table: unknown, reading: Reading): Connection {
  const { file } = reading;
  const at = pathOf('exchanges', name);
  const problem = connectionNameProblem(name);
  if (problem !== null) throw new UsageError(`${file}: ${at} cannot be called so: ${problem}`);
  if (!isTable(table)) throw new UsageError(`${file}: ${at} is no table; it is written as [${at}]`);
  const read = readTable(table, FORM, at, reading);
  for (const key of NEEDED)
    if (read[key] === undefined)
      throw new UsageError(`${file}: ${at}.${key} is missing: it takes ${FORM.keys[key]?.right}`);
  const markets = read.markets as Connection['markets'];
  if (markets.length === 0 || new Set(markets).size < markets.length)
    throw new UsageError(`${file}: ${at}.markets takes each market once, such as ["spot", "futures"]`);
  return {
    name,
    venue: read.venue as string,
    markets,
    environment: (read.environment ?? 'live') as Connection['environment'],
    endpoints: readEndpoints(table.endpoints, `${at}.endpoints`, file),
  };
}

/** Reads `[feeds.VENUE.endpoints]`: addresses of the prices of `--feed VENUE`, in place of built-in ones. */
export function readFeeds(tables: unknown, reading: Reading): Record<string, Record<string, string>> {
  const { file } = reading;
  if (!isTable(tables))
    throw new UsageError(`${file}: feeds are tables, written as [feeds.binance.endpoints]`);
  const feeds: Record<string, Record<string, string>> = {};
  for (const [name, table] of Object.entries(tables)) {
    const at = pathOf('feeds', name);
    if (!LIVE_FEEDS.some((one) => one === name))
      throw new UsageError(`${file}: ${at} is no live feed; there are ${LIVE_FEEDS.join(', ')}`);
    if (!isTable(table)) throw new UsageError(`${file}: ${at} is no table; it is written as [${at}]`);
    readTable(table, { keys: {}, others: ['endpoints'] }, at, reading);
    feeds[name] = readEndpoints(table.endpoints, `${at}.endpoints`, file);
  }
  return feeds;
}

function readEndpoints(table: unknown, at: string, file: string): Record<string, string> {
  if (table === undefined) return {};
  if (!isTable(table)) throw new UsageError(`${file}: ${at} is no table; it is written as [${at}]`);
  for (const [name, value] of Object.entries(table)) {
    if (!ENDPOINT_NAME.test(name))
      throw new UsageError(
        `${file}: ${pathOf(at, name)} is no name of an address; they are such as spot-rest`,
      );
    readValue(value, address, pathOf(at, name), file);
  }
  return table as Record<string, string>;
}

function oneOf(words: readonly string[]): Form {
  return {
    right: `one of ${words.join(', ')}`,
    accepts: (value) => typeof value === 'string' && words.includes(value),
  };
}
