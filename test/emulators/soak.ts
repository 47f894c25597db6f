/**
 * A soak of the built program against the emulator of an exchange, run by hand:
 *
 *   npm run build && npm run soak -- [--venue binance] [--minutes 10] [--rate 200] [--cut 5] [--kill 30]
 *     [--markets spot,futures] [--real-limits] [--faults] [--seed 1] [--folder DIR]
 *
 * Orders at a steady rate while every stream is cut, and the program is killed and started again with its
 * vault's passphrase file. Then everything is cancelled, and the emulator's raw log is compared with the
 * program's stored rows: lost, doubled, unresolved orders.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Dice } from '../simulation/dice.ts';
import { BAD_DAY } from './soak/bad-day.ts';
import { Load } from './soak/load.ts';
import { finish, report, requestFigures, settle } from './soak/outcome.ts';
import { type Desk, type Emulator, Program, startEmulator } from './soak/programs.ts';
import { SOAK_VENUES, type SoakMarket, type SoakVenue } from './soak/venues.ts';

const { values } = parseArgs({
  options: {
    venue: { type: 'string', default: 'binance' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    cut: { type: 'string', default: '5' },
    kill: { type: 'string', default: '30' },
    /** Default: all markets of the venue. */
    markets: { type: 'string' },
    'real-limits': { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string' },
  },
});

const venue = SOAK_VENUES[values.venue];
const markets = (values.markets?.split(',') ?? Object.keys(venue?.pairs ?? {})) as SoakMarket[];
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'outcry-soak-'));
mkdirSync(folder, { recursive: true });
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(venue: SoakVenue): Promise<number> {
  say(`everything is kept in ${folder}`);
  const emulator = await startEmulator(venue, folder, !values['real-limits'], Number(values.seed));
  const program = new Program(venue, folder);
  let desk: Desk | null = null;
  try {
    desk = await program.start();
    const pem = await program.prepare(emulator, markets);
    const dice = new Dice(Number(values.seed), 'soak');
    const load = new Load(markets, venue.pairs, pem, Number(values.rate), () => dice.next());
    await priced(emulator, load);
    await load.turnTo(desk.url);
    if (values.faults) await emulator.tell('faults', BAD_DAY);
    const counts = { cuts: 0, kills: 0, down: 0 };
    const end = performance.now() + Number(values.minutes) * 60_000;
    const firing = fire(load, end);
    const cutting = every(Number(values.cut), end, async () => {
      await emulator.tell('cut');
      counts.cuts++;
      await priced(emulator, load);
    });
    const killing = every(Number(values.kill), end, async () => {
      const began = performance.now();
      await load.turnTo(null);
      await desk?.kill('SIGKILL');
      desk = null;
      desk = await program.start();
      await load.turnTo(desk.url);
      counts.kills++;
      counts.down += performance.now() - began;
    });
    await Promise.all([firing, cutting, killing]);
    await load.settled();
    if (values.faults) say(`faults: ${JSON.stringify(await emulator.tell('faults', {}))}`);
    say(
      `sent ${load.sent.length}, held back ${load.heldBack}, cuts ${counts.cuts}, kills ${counts.kills}, down ${Math.round(counts.down / 1000)} s`,
    );
    const lines = load.sent.map((row) => JSON.stringify(row));
    writeFileSync(join(folder, 'sent.jsonl'), `${lines.join('\n')}\n`);
    refusals(load);
    latencies(load);
    const { client } = load;
    if (!client) throw new Error('the program is down');
    const settled = await settle(client);
    const acknowledged = load.sent.flatMap(({ id }) => (id === null ? [] : [id]));
    const found = await finish({ venue, emulator, program, desk, client, markets, acknowledged });
    return report(found, settled, say);
  } finally {
    await program.stop();
    await emulator.stop();
    say(requestFigures(folder));
  }
}

/** Sends requests at a steady pace: late ones are sent at once. */
async function fire(load: Load, end: number): Promise<void> {
  const began = performance.now();
  const rate = Number(values.rate);
  for (let n = 0; performance.now() < end; ) {
    const due = Math.floor(((performance.now() - began) / 1000) * rate);
    if (due - n > rate) n = due - rate;
    for (; n < due; n++) load.fire();
    await wait(5);
  }
}

async function every(seconds: number, end: number, run: () => Promise<void>): Promise<void> {
  if (seconds <= 0) return;
  while (performance.now() + seconds * 1000 < end) {
    await wait(seconds * 1000);
    await run();
  }
}

async function priced(emulator: Emulator, load: Load): Promise<void> {
  const prices = (await emulator.tell('prices')) as Record<SoakMarket, Record<string, string>>;
  for (const market of markets)
    for (const [symbol, price] of Object.entries(prices[market])) load.prices(market, symbol, Number(price));
}

function refusals(load: Load): void {
  const counts = new Map<string, number>();
  for (const { refusal } of load.sent)
    if (refusal !== null) counts.set(refusal.slice(0, 90), (counts.get(refusal.slice(0, 90)) ?? 0) + 1);
  for (const [text, count] of [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12))
    say(`  ${count} x ${text}`);
}

function latencies(load: Load): void {
  for (const [what, all] of [
    ['placement over the API', load.latencies],
    ['in the protective lane', load.protective],
  ] as const) {
    const sorted = all.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
    say(`${what}: ${all.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(0.9999)} ms`);
  }
}

if (!venue) {
  say(`there is no soak of ${values.venue}; --venue is one of ${Object.keys(SOAK_VENUES).join(', ')}`);
  process.exitCode = 2;
} else process.exitCode = await main(venue);
