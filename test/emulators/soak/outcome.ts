/**
 * The end of a soak or a walk: all orders are cancelled, and when none is open any more the emulator's raw
 * log and wallets are compared with the program's stored rows and its answers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../../../src/client/client.ts';
import { compare, type Found, readRaw, sums, units } from './compare.ts';
import type { Desk, Emulator, Program } from './programs.ts';
import type { SoakMarket, SoakVenue } from './venues.ts';

const SETTLE_MS = 180_000;
const REST_MS = 90_000;
export type Market = SoakMarket;
type State = Record<
  Market,
  {
    open: { clientOrderId: string }[];
    conditional?: { clientAlgoId: string }[];
    positions?: { symbol: string; amount: string }[];
    balances?: Record<string, { free: string; locked: string }>;
    wallets?: Record<string, string>;
  }[]
>;

/** Cancels open orders until none is open or unresolved. Returns the time, ms; null: not in time. */
export async function settle(client: Client, names: readonly string[] = ['soak']): Promise<number | null> {
  const began = performance.now();
  while (performance.now() - began < SETTLE_MS) {
    const open = await client.orders.list({ status: 'open' }).catch(() => null);
    const mine = open?.filter(({ exchange }) => names.some((name) => exchange.startsWith(`${name}-`)));
    if (mine?.length === 0) return performance.now() - began;
    for (const { exchange, id } of mine ?? []) await client.orders.cancel({ exchange, id }).catch(() => {});
    await wait(1000);
  }
  return null;
}

export interface Ending {
  readonly venue: SoakVenue;
  readonly emulator: Emulator;
  readonly program: Program;
  readonly desk: Desk;
  readonly client: Client;
  readonly markets: readonly Market[];
  /** Ids that the API has acknowledged. */
  readonly acknowledged: readonly string[];
  /** Name of the connection. */
  readonly name?: string;
}

/** Ends the program. */
export async function finish(ending: Ending): Promise<Found> {
  const said = await sayings(ending);
  await ending.desk.kill('SIGTERM');
  return stored(ending, said);
}

/** Answers of the emulator and the program at the end. */
export interface Sayings {
  readonly state: State;
  readonly faults: Readonly<Record<string, readonly string[]>>;
}

/** Compares balances and positions of the emulator with those that the running program reports. */
export async function sayings({ venue, emulator, client, markets, name = 'soak' }: Ending): Promise<Sayings> {
  // Streams and requests after the last cancellation need this time.
  await wait(10_000);
  const state = (await emulator.tell('state')) as State;
  let faults: Record<string, string[]> = {};
  // When it is unknown whether a report includes a change, the next answer decides; the rate limits may delay
  // that.
  for (const end = performance.now() + REST_MS; ; await wait(3_000)) {
    faults = {};
    for (const market of markets) await balances(venue, name, market, state, emulator, client, faults);
    const contracts = markets.find((market) => market !== 'spot');
    if (contracts) await positions(name, contracts, state, client, faults);
    if (Object.keys(faults).length === 0 || performance.now() > end) return { state, faults };
  }
}

/** Compares the rows of the program, which has ended, with the raw log. */
export function stored(
  { venue, emulator, program, markets, acknowledged, name = 'soak' }: Ending,
  { state, faults }: Sayings,
): Found {
  const openThere = new Map(
    markets.map((market) => [
      market,
      new Set(
        state[market].flatMap(({ open, conditional = [] }) => [
          ...open.map(({ clientOrderId }) => clientOrderId),
          ...conditional.map(({ clientAlgoId }) => clientAlgoId),
        ]),
      ),
    ]),
  );
  const compared = compare({
    rawLog: emulator.log,
    dataDir: program.dataDir,
    openThere,
    name,
    ...(venue.spelt ? { spelt: venue.spelt } : {}),
    acknowledged: new Set(acknowledged),
  });
  return { figures: compared.figures, faults: { ...compared.faults, ...faults } };
}

/**
 * Compares the sums of the log, the emulator's wallets, and the program's balances: all three must be the
 * same.
 */
async function balances(
  venue: SoakVenue,
  name: string,
  market: Market,
  state: State,
  emulator: Emulator,
  client: Client,
  faults: Record<string, string[]>,
): Promise<void> {
  const pairs = Object.values(venue.pairs).flat();
  const assetsOf = (symbol: string): readonly [string, string] => {
    const pair = pairs.find((one) => one.symbol === symbol);
    return [pair?.base ?? '', pair?.quote ?? ''];
  };
  // If both markets share a wallet, every row of the log belongs to it.
  const walletOf = (name: string) => (venue.isShared ? 'unified' : name);
  const summed = sums(readRaw(emulator.log), assetsOf, walletOf);
  const account = state[market][0];
  const there = new Map<string, bigint>();
  for (const [asset, { free, locked }] of Object.entries(account?.balances ?? {}))
    there.set(asset, units(free) + units(locked));
  for (const [asset, amount] of Object.entries(account?.wallets ?? {})) there.set(asset, units(amount));
  const { balances: rows = [] } = await client.portfolio.get({ exchange: `${name}-${market}` });
  const here = new Map(rows.map(({ asset, wallet }) => [asset, units(wallet)]));
  for (const [asset, amount] of there) {
    const log = summed.get(`${walletOf(market)} ${asset}`) ?? 0n;
    if (log !== amount)
      note(faults, 'emulator against its own log', `${market} ${asset}: ${amount - log}e-30`);
    if ((here.get(asset) ?? 0n) !== amount)
      note(faults, 'different balances', `${market} ${asset}: ${(here.get(asset) ?? 0n) - amount}e-30`);
  }
}

async function positions(
  name: string,
  market: Market,
  state: State,
  client: Client,
  faults: Record<string, string[]>,
): Promise<void> {
  const there = new Map(
    state[market].flatMap(({ positions: all = [] }) => all.map(({ symbol, amount }) => [symbol, amount])),
  );
  const told = Object.values(await client.portfolio.positions({ exchange: `${name}-${market}` }));
  const here = new Map(told.map(({ symbol, amount }) => [symbol, amount]));
  for (const symbol of new Set([...there.keys(), ...here.keys()]))
    if (units(there.get(symbol) ?? '0') !== units(here.get(symbol) ?? '0'))
      note(faults, 'different positions', `${symbol}: ${here.get(symbol)}, there ${there.get(symbol)}`);
}

function note(faults: Record<string, string[]>, name: string, what: string): void {
  faults[name] ??= [];
  faults[name].push(what);
}

/** Counts the emulator's answers by status. */
export function requestFigures(folder: string, whose = 'the exchange'): string {
  const counts = new Map<string, number>();
  for (const line of readFileSync(join(folder, 'requests.jsonl'), 'utf8').split('\n')) {
    const status = /"status":(\d+)/.exec(line)?.[1];
    if (status !== undefined) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return `answers of ${whose}: ${[...counts].map(([status, count]) => `${status} ${count}`).join(', ')}`;
}

/** Prints the report; returns the exit code: 0 if nothing differs. */
export function report(
  { figures, faults }: Found,
  settledMs: number | null,
  say: (line: string) => void,
): number {
  for (const [name, count] of Object.entries(figures)) say(`${name}: ${count}`);
  say(
    settledMs === null
      ? `not settled within ${SETTLE_MS / 1000} s`
      : `settled after ${Math.round(settledMs / 1000)} s`,
  );
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (faults[name]?.length ?? 0), 0);
  say(
    `lost ${count('lost fills', 'lost orders', 'orders nobody knows')}, doubled ${count('doubled fills', 'doubled orders', 'invented fills')}, unresolved ${count('unresolved')}`,
  );
  for (const [name, list] of Object.entries(faults))
    say(`${name}: ${list.length}; ${list.slice(0, 3).join(' | ')}`);
  const isClean = settledMs !== null && Object.keys(faults).length === 0;
  say(isClean ? 'clean' : 'NOT CLEAN');
  return isClean ? 0 : 1;
}
