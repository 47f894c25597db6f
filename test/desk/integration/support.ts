/**
 * A whole desk in the test's process: real store and API, a virtual clock, candles written by the test.
 * Nothing sleeps.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../../../src/client/client.ts';
import type { GeneratedKey } from '../../../src/desk/console/protocol.ts';
import { type DeskPorts, openDesk } from '../../../src/desk/open-desk.ts';
import type { DeskOptions, RunningDesk } from '../../../src/desk/running.ts';
import { embedded } from '../../../src/desk/trading.ts';
import { dec, div, mul } from '../../../src/domain/decimal.ts';
import type { Outcome } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import type { PaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import { afterEachTest } from '../../support/after-each.ts';
import { delivered } from '../../support/in-flight.ts';
import { checkedHttp } from '../../support/openapi-check.ts';
import { ROOMY_LIMITS } from '../../support/roomy-limits.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const EXCHANGE = 'paper-spot';
export const MARKET_START = Date.UTC(2025, 1, 3, 2, 0);
export const MINUTE_MS = 60_000;

const MEMORY_DISK = '/dev/shm';
const folders: string[] = [];
const desks: RunningDesk[] = [];
const clients: Client[] = [];

afterEachTest(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const desk of desks.splice(0)) await desk.stop('the test is over');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/**
 * A folder that is removed after the test; in memory where possible, since the disk is not what is tested.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir(), 'outcry-desk-'));
  folders.push(folder);
  return folder;
}

/** Open, high, low, close of one minute. */
export type CandleText = readonly [string, string, string, string];

/** Writes minute candles from MARKET_START on; returns the feed's spec. */
export function writeCandles(series: Readonly<Record<string, readonly CandleText[]>>): string {
  const folder = join(temporaryFolder(), 'candles');
  mkdirSync(folder);
  for (const [symbol, candles] of Object.entries(series)) {
    const lines = candles.map((c, i) => `${MARKET_START + i * MINUTE_MS},${c.join(',')},1000`);
    writeFileSync(join(folder, `${symbol}-1m.csv`), `time,open,high,low,close,volume\n${lines.join('\n')}\n`);
  }
  return `csv:${folder}@1m`;
}

/** Candles that stay at one price. */
export function flat(price: string, minutes = 1): CandleText[] {
  return Array.from({ length: minutes }, () => [price, price, price, price] as const);
}

export interface TickOf {
  readonly time: number;
  readonly price: string;
}

/**
 * The four ticks of every candle by strategies.md section 1, rule 6; a second implementation to check the
 * first.
 */
export function ticksOf(candles: readonly CandleText[], start = MARKET_START): TickOf[] {
  return candles.flatMap(([open, high, low, close], i) => {
    const at = start + i * MINUTE_MS;
    const rising = Number(close) >= Number(open);
    const way = rising ? [open, low, high, close] : [open, high, low, close];
    const offsets = [0, MINUTE_MS / 4, MINUTE_MS / 2, MINUTE_MS - 1];
    return way.map((price, quarter) => ({ time: at + (offsets[quarter] ?? 0), price }));
  });
}

/** For `DeskPorts.venues`: the desk's own accounts, each passed to `hold` before it is used. */
export function holding(hold: (venue: PaperVenue) => void): NonNullable<DeskPorts['venues']> {
  return (given) => {
    const venues = embedded(given);
    for (const venue of venues.paper) hold(venue);
    return venues;
  };
}

export interface TestDesk {
  readonly desk: RunningDesk;
  readonly clock: VirtualClock;
  readonly call: RunningDesk['call'];
  readonly dataDir: string;
  /** Returns the order as the consoles see it now. */
  view(id: string): OrderView;
  stop(): Promise<void>;
}

export interface TestDeskOptions extends Omit<DeskOptions, 'dataDir'> {
  readonly dataDir?: string;
  readonly clock?: VirtualClock;
  readonly ports?: DeskPorts;
}

export async function openTestDesk(options: TestDeskOptions): Promise<TestDesk> {
  const { clock = new VirtualClock(undefined, { autoTurns: true }), ports, ...given } = options;
  const dataDir = options.dataDir ?? join(temporaryFolder(), 'data');
  const desk = await openDesk({ port: 0, limits: ROOMY_LIMITS, ...given, dataDir }, clock, ports);
  desks.push(desk);
  return {
    desk,
    clock,
    dataDir,
    call: desk.call,
    view(id) {
      const order = desk.state().orders[id];
      if (!order) throw new Error(`the consoles do not see order ${id}`);
      return order;
    },
    stop: () => desk.stop('stopped by the test'),
  };
}

/** A signing client of a desk with a virtual clock. */
export async function clientOf({ desk, clock }: TestDesk, key?: GeneratedKey): Promise<Client> {
  const made = key ?? ok(await desk.call('keys.generate', { label: 'test', tier: 'trade' }));
  const client = createClient({
    baseUrl: desk.info.apiUrl,
    transport: checkedHttp(desk.info.apiUrl),
    key: { privateKeyPem: readFileSync(made.path, 'utf8') },
    now: () => clock.wall(),
    retry: { attempts: 1 },
  });
  clients.push(client);
  return client;
}

export function ok<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`refused: ${outcome.error.code} ${outcome.error.message}`);
  return outcome.data;
}

export async function place(
  { desk }: TestDesk,
  order: Omit<CreateOrder, 'exchange' | 'symbol'> & { exchange?: string; symbol?: string },
): Promise<OrderView> {
  return ok(await desk.call('orders.place', { exchange: EXCHANGE, symbol: 'BTCUSDT', ...order }));
}

/**
 * The hops of a connection, a request, its answer and their effects: no virtual time passes before these are
 * done.
 */
const HOPS = 30;

/**
 * Runs turns until `done`, and advances the time where nothing else is left to do; fails after `limitMs` of
 * virtual time.
 */
export async function until(
  { clock }: { clock: VirtualClock },
  done: () => boolean | Promise<boolean>,
  { stepMs = 100, limitMs = 3_600_000 } = {},
): Promise<void> {
  const limit = clock.wall() + limitMs;
  for (;;) {
    await clock.settle();
    for (let hops = 0; hops < HOPS && (await delivered()); hops++) await clock.settle();
    if (await done()) return;
    if (clock.wall() >= limit) throw new Error(`nothing came within ${limitMs} ms of virtual time`);
    await clock.advance(stepMs);
  }
}

/** Plays the replay to its end and lets all its effects settle. */
export async function playToEnd(t: TestDesk): Promise<void> {
  if (t.desk.state().clock.held) await t.call('feed.control', { action: 'play' });
  await until(t, () => t.desk.state().clock.ended, { stepMs: 1_000, limitMs: 86_400_000 });
  await until(t, () => openQuestions(t).length === 0, { limitMs: 60_000 });
}

/** Orders whose outcome, or whose cancel's outcome, is not known. */
export function openQuestions({ desk }: TestDesk): OrderView[] {
  return Object.values(desk.state().orders).filter((o) => o.unresolved !== undefined || o.cancelPending);
}

/** Data folders as a kill right after each commit would leave them: committed, nothing released yet. */
export interface Deaths {
  recording: boolean;
  readonly folders: string[];
  /** For `DeskPorts`. */
  readonly openStore: (file: string) => Store;
}

export function deathsOf(): Deaths {
  const graves = temporaryFolder();
  const deaths: Deaths = {
    recording: false,
    folders: [],
    openStore(file) {
      const store = openSqliteStore(file);
      return new Proxy(store, {
        get(target, name) {
          if (name !== 'commit') {
            const value = Reflect.get(target, name, target);
            return typeof value === 'function' ? value.bind(target) : value;
          }
          return (rows: Parameters<Store['commit']>[0]) => {
            target.commit(rows);
            if (!deaths.recording) return;
            const grave = join(graves, String(deaths.folders.length));
            mkdirSync(grave, { mode: 0o700 });
            for (const suffix of ['', '-wal']) cpSync(file + suffix, join(grave, `outcry.db${suffix}`));
            deaths.folders.push(grave);
          };
        },
      });
    },
  };
  return deaths;
}

export interface FillText {
  readonly side: string;
  readonly price: string;
  readonly qty: string;
  readonly comm: string;
  readonly commAsset: string;
  readonly maker: boolean;
  readonly time: number;
}

/** The fills of a symbol, without what differs between runs (ids). */
export async function fillsOf({ desk }: TestDesk, symbol = 'BTCUSDT'): Promise<FillText[]> {
  const fills = await desk.call('trades.list', { exchange: EXCHANGE, symbol, limit: 500 });
  return fills.map(({ side, price, qty, comm, commAsset, maker, time }) => ({
    side,
    price,
    qty,
    comm,
    commAsset,
    maker,
    time,
  }));
}

/** Price x (1 +- basis points), as in the trailing rule. */
export function offBy(price: string, bps: number): bigint {
  return dec(price) + mul(dec(price), div(dec(String(Math.abs(bps))), dec('10000'))) * (bps < 0 ? -1n : 1n);
}
