/**
 * A walk of the built program over the emulator of an exchange, or of all of them, in real time and from an
 * empty data folder:
 *
 *   npm run build && npm run walk -- [--venue binance|bybit|okx|all] [--minutes 15] [--calm] [--seed 1]
 *     [--pace 300] [--folder DIR]
 *
 * `outcry connect`, a FIBO and a SQUEEZE bot on each account, and orders of every type over the signed API,
 * while requests, answers and events are lost, late and doubled and streams are cut. Then the bots stop and
 * sell, `outcry panic` ends the rest, and the sums of each emulator's raw log are compared with the program's
 * stored rows and its answers, to the last digit. `all`: one desk with paper and every exchange connected at
 * once. Every minute prints the program's memory, its CPU and the delay of its event loops.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Client, createClient } from '../../src/client/client.ts';
import { ApiError } from '../../src/client/errors.ts';
import { Dice } from '../simulation/dice.ts';
import { BAD_DAY } from './soak/bad-day.ts';
import {
  type Ending,
  report,
  requestFigures,
  type Sayings,
  sayings,
  settle,
  stored,
} from './soak/outcome.ts';
import { type Emulator, Program, startEmulator } from './soak/programs.ts';
import { SOAK_VENUES } from './soak/venues.ts';
import { botLines, startBots, stopBot } from './walk/bots.ts';
import type { Measured } from './walk/measures.ts';
import { type Order, ordersOf } from './walk/orders.ts';
import { type Place, placeOf, ticksOfBtc } from './walk/places.ts';

const { values } = parseArgs({
  options: {
    venue: { type: 'string', default: 'binance' },
    minutes: { type: 'string', default: '15' },
    /** Runs without faults. */
    calm: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    /** Mean time between other people's trades of one symbol, ms. */
    pace: { type: 'string', default: '300' },
    folder: { type: 'string' },
  },
});

/** Time between two manual orders at one exchange, ms. */
const EVERY_MS = 1_500;
const MINUTE_MS = 60_000;
const STREAM_LIFE_MS = 45_000;
/** With more resting manual orders than this at one exchange, some are cancelled. */
const RESTING_MAX = 20;
/** Paper's prices cannot be queried from outside: its bots start around the prices of an emulator. */
const PAPER = ['paper-spot', 'paper-futures'] as const;

/** A place with its running emulator and its results. */
interface Stop extends Place {
  readonly emulator: Emulator;
  readonly folder: string;
  readonly dice: Dice;
  /** Ids that the API has acknowledged. */
  readonly acknowledged: string[];
}

const isAll = values.venue === 'all';
const places = (isAll ? Object.keys(SOAK_VENUES) : [values.venue]).flatMap((name) => placeOf(name) ?? []);
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'outcry-walk-'));
mkdirSync(folder, { recursive: true });
const measures = join(folder, 'measures.jsonl');
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  say(`everything is kept in ${folder}`);
  const stops: Stop[] = [];
  const program = new Program((places[0] as Place).venue, folder, {
    args: ['--import', new URL('./walk/measures.ts', import.meta.url).href],
    env: { OUTCRY_WALK_MEASURES: measures },
  });
  try {
    for (const place of places) stops.push(await emulated(place));
    const desk = await program.start();
    await program.makeVault();
    for (const { name, venue, emulator, markets } of stops)
      await program.connect(name, venue, emulator, markets);
    const key = { privateKeyPem: await program.apiKey('full') };
    const client = createClient({ baseUrl: desk.url, key, retry: { attempts: 3 } });
    const bots = await everyBot(stops, client);
    say(`${bots.length} bots run`);
    await setFaults(stops);
    const end = performance.now() + Number(values.minutes) * MINUTE_MS;
    const telling = tellMeasures(end);
    await Promise.all(stops.map((stop) => byHand(stop, client, end)));
    for (const { name, emulator } of stops)
      if (!values.calm) say(`faults of ${name}: ${JSON.stringify(await emulator.tell('faults', {}))}`);
    for (const id of bots) await stopBot(client, id).catch(tell(`stop of ${id}`));
    say(last(await program.run('panic', '--yes')));
    const settled = await settle(
      client,
      stops.map(({ name }) => name),
    );
    for (const line of await botLines(client)) say(line);
    await telling;
    const endings = stops.map((stop): Ending => ({ ...stop, program, desk, client }));
    const said: Sayings[] = [];
    for (const ending of endings) said.push(await sayings(ending));
    await client.close();
    await desk.kill('SIGTERM');
    const codes = endings.map((ending, at) => {
      say(`--- ${ending.name}`);
      return report(stored(ending, said[at] as Sayings), settled, say);
    });
    return Math.max(...codes);
  } finally {
    await program.stop();
    for (const { emulator } of stops) await emulator.stop();
    for (const stop of stops) say(requestFigures(stop.folder, stop.name));
  }
}

async function emulated(place: Place): Promise<Stop> {
  const own = join(folder, place.name);
  mkdirSync(own, { recursive: true });
  const emulator = await startEmulator(place.venue, own, false, Number(values.seed));
  await emulator.tell('pace', { ms: values.pace });
  const dice = new Dice(Number(values.seed), `walk by hand ${place.name}`);
  return { ...place, emulator, folder: own, dice, acknowledged: [] };
}

/** Limits the life of streams from now on as on a bad day, open streams included. */
async function setFaults(stops: readonly Stop[]): Promise<void> {
  if (values.calm) return;
  for (const { emulator } of stops) {
    await emulator.tell('faults', { ...BAD_DAY, cutEveryMs: STREAM_LIFE_MS });
    await emulator.tell('cut');
  }
}

async function prices(emulator: Emulator): Promise<Record<string, Record<string, string>>> {
  return (await emulator.tell('prices')) as Record<string, Record<string, string>>;
}

async function everyBot(stops: readonly Stop[], client: Client): Promise<string[]> {
  const ids: string[] = [];
  let lastPrice = 0;
  for (const { name, emulator, markets, venue } of stops) {
    const at = await prices(emulator);
    for (const market of markets) {
      const price = Number(at[market]?.BTCUSDT);
      lastPrice = price;
      const found = { exchange: `${name}-${market}`, price, places: ticksOfBtc(venue.pairs[market] ?? []) };
      ids.push(...(await startBots(client, found)));
    }
  }
  if (isAll)
    for (const exchange of PAPER)
      ids.push(...(await startBots(client, { exchange, price: lastPrice, places: 1 })));
  return ids;
}

/** Places orders of every type one after the other; some are cancelled later. */
async function byHand(stop: Stop, client: Client, end: number): Promise<void> {
  const { name, emulator, markets, byHand: pairs, dice, acknowledged } = stop;
  const open: { readonly exchange: string; readonly id: string }[] = [];
  const waiting = new Set<Promise<void>>();
  const counts = new Map<string, number>();
  const count = (what: string) => {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  for (let n = 0; performance.now() < end; n++) {
    const market = markets[n % markets.length] as (typeof markets)[number];
    const pair = dice.pick(pairs[market] ?? []);
    const price = Number((await prices(emulator))[market]?.[pair.symbol]);
    const all = ordersOf(market, pair, price);
    const [what, order] = all[Math.floor(n / markets.length) % all.length] as [string, Order];
    const exchange = `${name}-${market}`;
    // A lost answer is only noticed after up to half a minute; the next order does not wait for it.
    const placing = client.orders.place({ exchange, ...order }, { idempotencyKey: randomUUID() }).then(
      ({ id }) => {
        acknowledged.push(id);
        open.push({ exchange, id });
        count(`${exchange} ${what}: taken`);
      },
      (error: unknown) =>
        count(
          `${exchange} ${what}: ${error instanceof ApiError ? `${error.code} ${error.message}` : 'lost'}`,
        ),
    );
    waiting.add(placing);
    void placing.finally(() => waiting.delete(placing));
    if (open.length > RESTING_MAX) {
      const old = open.splice(dice.int(0, 9), 1)[0];
      if (old) await client.orders.cancel(old).catch(() => {});
    }
    await wait(EVERY_MS);
  }
  await Promise.all(waiting);
  for (const [what, times] of [...counts].sort()) say(`  ${times} x ${what.slice(0, 160)}`);
}

/** Prints the measurements of the program's threads, a line per minute and thread. */
async function tellMeasures(end: number): Promise<void> {
  let told = 0;
  while (performance.now() < end) {
    await wait(Math.min(5_000, Math.max(1, end - performance.now())));
    const lines = existsSync(measures) ? readFileSync(measures, 'utf8').trim().split('\n') : [];
    for (const line of lines.slice(told)) say(measureLine(JSON.parse(line) as Measured));
    told = lines.length;
  }
}

function measureLine({ minute, thread, isMain, p50, p99, worst, heap, rss, cpu }: Measured): string {
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  const loop = `loop p50 ${p50.toFixed(2)} p99 ${p99.toFixed(2)} worst ${worst.toFixed(0)} ms`;
  const whole = isMain ? `, process ${mib(rss)} MiB, ${((cpu / 60) * 100).toFixed(0)} % of a core` : '';
  return `minute ${minute} thread ${thread}: ${loop}, heap ${mib(heap)} MiB${whole}`;
}

function last(text: string): string {
  return text.trim().split('\n').slice(-3).join(' / ');
}

function tell(what: string) {
  return (error: unknown) => say(`${what}: ${error instanceof Error ? error.message : String(error)}`);
}

if (places.length === 0) {
  say(
    `there is no walk of ${values.venue}; --venue is one of ${[...Object.keys(SOAK_VENUES), 'all'].join(', ')}`,
  );
  process.exitCode = 2;
} else process.exitCode = await main();
