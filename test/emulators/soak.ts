/**
 * A soak of the built program against the emulator of an exchange, run by hand:
 *
 *   npm run build && npm run soak -- [--venue binance] [--minutes 10] [--rate 200] [--cut 5] [--kill 30] [--markets spot,futures]
 *     [--real-limits] [--faults] [--seed 1] [--folder DIR]
 *
 * Orders at a steady rate while every stream is cut, and the program killed and started again with its vault's passphrase file. Then
 * everything is cancelled, and the emulator's raw log is laid beside what the program has stored: lost, doubled, unresolved.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Dice } from '../simulation/dice.ts';
import { compare, type Found, readRaw, sums, units } from './soak/compare.ts';
import { Load } from './soak/load.ts';
import { type Desk, type Emulator, Program, startEmulator } from './soak/programs.ts';
import { SOAK_VENUES, type SoakMarket, type SoakVenue } from './soak/venues.ts';

const { values } = parseArgs({
  options: {
    venue: { type: 'string', default: 'binance' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    cut: { type: 'string', default: '5' },
    kill: { type: 'string', default: '30' },
    markets: { type: 'string', default: 'spot,futures' },
    'real-limits': { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string' },
  },
});

/** Of one request or message: what a bad day looks like. */
const BAD_DAY = {
  delayMs: [1, 20],
  requestLost: 0.005,
  answerLost: 0.005,
  executedUnknown: 0.005,
  failed: 0.005,
  htmlPage: 0.002,
  duplicate: 0.02,
  swapped: 0.02,
  messageLost: 0.002,
};
const SETTLE_MS = 180_000;
type State = Record<
  SoakMarket,
  {
    open: { clientOrderId: string }[];
    balances?: Record<string, { free: string; locked: string }>;
    wallets?: Record<string, string>;
  }[]
>;

const markets = values.markets.split(',') as SoakMarket[];
const venue = SOAK_VENUES[values.venue];
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
    const settled = await settle(load);
    const found = await finish(venue, emulator, program, desk, load);
    return report(found, settled);
  } finally {
    await program.stop();
    await emulator.stop();
    requestFigures();
  }
}

/** At a steady pace: what could not be sent in time is sent at once. */
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

/** Cancels what is open until nothing is, and nothing is unresolved. Milliseconds; null: not in time. */
async function settle(load: Load): Promise<number | null> {
  const began = performance.now();
  while (performance.now() - began < SETTLE_MS) {
    const open = (await load.client?.orders.list({ status: 'open' }).catch(() => null)) ?? null;
    const mine = open?.filter(({ exchange }) => exchange.startsWith('soak-'));
    if (mine?.length === 0) return performance.now() - began;
    for (const { exchange, id } of mine ?? [])
      await load.client?.orders.cancel({ exchange, id }).catch(() => {});
    await wait(1000);
  }
  return null;
}

async function finish(
  venue: SoakVenue,
  emulator: Emulator,
  program: Program,
  desk: Desk,
  load: Load,
): Promise<Found> {
  // Streams and the questions after the last cancellation.
  await wait(10_000);
  const state = (await emulator.tell('state')) as State;
  const found = { figures: {}, faults: {} as Record<string, string[]> };
  await balances(venue, state, emulator, load, found.faults);
  await desk.kill('SIGTERM');
  const acknowledged = new Set(load.sent.map(({ id }) => id).filter((id): id is string => id !== null));
  const openThere = new Map(
    markets.map((market) => [
      market,
      new Set(state[market].flatMap(({ open }) => open.map(({ clientOrderId }) => clientOrderId))),
    ]),
  );
  const compared = compare({ rawLog: emulator.log, dataDir: program.dataDir, acknowledged, openThere });
  return { figures: compared.figures, faults: { ...compared.faults, ...found.faults } };
}

/** The log summed, the emulator's wallets, and what the program says: all three the same. */
async function balances(
  venue: SoakVenue,
  state: State,
  emulator: Emulator,
  load: Load,
  faults: Record<string, string[]>,
): Promise<void> {
  const pairs = [...venue.pairs.spot, ...venue.pairs.futures];
  const assetsOf = (symbol: string): readonly [string, string] => {
    const pair = pairs.find((one) => one.symbol === symbol);
    return [pair?.base ?? '', pair?.quote ?? ''];
  };
  // Where both markets share a wallet, every row of the log is of it.
  const walletOf = (market: string) => (venue.isShared ? 'unified' : market);
  const summed = sums(readRaw(emulator.log), assetsOf, walletOf);
  for (const market of markets) {
    const account = state[market][0];
    const there = new Map<string, bigint>();
    for (const [asset, { free, locked }] of Object.entries(account?.balances ?? {}))
      there.set(asset, units(free) + units(locked));
    for (const [asset, amount] of Object.entries(account?.wallets ?? {})) there.set(asset, units(amount));
    const { balances: rows = [] } = (await load.client?.portfolio.get({ exchange: `soak-${market}` })) ?? {};
    const here = new Map(rows.map(({ asset, wallet }) => [asset, units(wallet)]));
    for (const [asset, amount] of there) {
      const log = summed.get(`${walletOf(market)} ${asset}`) ?? 0n;
      if (log !== amount)
        note(faults, 'emulator against its own log', `${market} ${asset}: ${amount - log}e-30`);
      if ((here.get(asset) ?? 0n) !== amount)
        note(faults, 'different balances', `${market} ${asset}: ${(here.get(asset) ?? 0n) - amount}e-30`);
    }
  }
}

function note(faults: Record<string, string[]>, name: string, what: string): void {
  faults[name] ??= [];
  faults[name].push(what);
}

function refusals(load: Load): void {
  const counts = new Map<string, number>();
  for (const { refusal } of load.sent)
    if (refusal !== null) counts.set(refusal.slice(0, 90), (counts.get(refusal.slice(0, 90)) ?? 0) + 1);
  for (const [text, count] of [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12))
    say(`  ${count} x ${text}`);
}

function latencies(load: Load): void {
  const sorted = load.latencies.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  say(`placement over the API: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(0.9999)} ms`);
}

/** How the emulator has answered, by status. */
function requestFigures(): void {
  const counts = new Map<string, number>();
  for (const line of readFileSync(join(folder, 'requests.jsonl'), 'utf8').split('\n')) {
    const status = /"status":(\d+)/.exec(line)?.[1];
    if (status !== undefined) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  say(`answers of the exchange: ${[...counts].map(([status, count]) => `${status} ${count}`).join(', ')}`);
}

function report({ figures, faults }: Found, settledMs: number | null): number {
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

if (!venue) {
  say(`there is no soak of ${values.venue}; --venue is one of ${Object.keys(SOAK_VENUES).join(', ')}`);
  process.exitCode = 2;
} else process.exitCode = await main(venue);
