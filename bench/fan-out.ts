/**
 * Order updates to a thousand WebSockets, against bare `ws` sending the same bytes at the same rate: the
 * server's CPU time per update, including the desk's whole work on the orders. Every reader must get every
 * update once and in order; one that stops reading is cut off without harm to others.
 */
import { BenchDesk } from './support/bench-desk.ts';
import { Helper } from './support/children.ts';
import type { Counters } from './support/counted.ts';
import { type BenchResult, num } from './support/report.ts';
import { inPairs, quantile, spread } from './support/stats.ts';
import type { Round } from './support/stream-clients-helper.ts';

const SOCKETS = 1_000;
/** Number of loopback addresses, so that each uses few ports; the desk treats them as one. */
const ADDRESSES = 25;
const UPDATES_PER_SECOND = 200;
/** A rate so low that two updates are hardly ever sent in one write. */
const SINGLE_PER_SECOND = 20;
const ROUND_SECONDS = 2;
const PAIRS = 5;
/** Pairs of runs for the additional figures. */
const MORE_PAIRS = 2;
const LONG_SECONDS = 30;
/** Most updates until the reader that has stopped is cut off; 1,000 are about half a megabyte. */
const STALL_UPDATES = 1_000;
const STALL_ROUNDS = 30;
const GOAL = 0.9;

interface Server {
  ask<T>(command: string, params?: unknown): Promise<T>;
}

/** One round as seen by the readers and the server. */
interface Measured extends Round {
  readonly cpuPerUpdateMs: number;
  /** Messages per second over all sockets. */
  readonly perSecond: number;
}

export async function fanOut(): Promise<BenchResult> {
  const desk = await BenchDesk.open();
  const ours = new Helper(new URL('./support/stream-clients-helper.ts', import.meta.url));
  const theirs = new Helper(new URL('./support/stream-clients-helper.ts', import.meta.url));
  const bare = new Helper(new URL('./support/bare-ws-helper.ts', import.meta.url));
  const barePort = await bare.ask<number>('serve');
  const sockets = { sockets: SOCKETS, addresses: ADDRESSES };
  const before = await desk.ask<number>('memory');
  await ours.ask('open', { ...sockets, port: desk.port, key: desk.key });
  await theirs.ask('open', { ...sockets, port: barePort, key: null });
  const connected = await desk.ask<number>('memory');
  await ours.ask('stall', { port: desk.port, address: '127.0.0.1', key: desk.key });

  let script: readonly string[] = [];
  const product = async (updates: number, perSecond: number | null) => {
    const measured = await round(desk, ours, () => desk.ask<string[]>('churn', { updates, perSecond }));
    script = measured.payloads;
    return measured;
  };
  const peer = (perSecond: number | null) =>
    round(bare, theirs, async () => {
      await bare.ask('play', { texts: script, perSecond });
      return script.map((text) => (JSON.parse(text) as Update).data.order.id);
    });
  const pairs = (count: number, updates: number, perSecond: number | null) =>
    inPairs(
      count,
      () => product(updates, perSecond),
      () => peer(perSecond),
    );
  const paced = await pairs(PAIRS, UPDATES_PER_SECOND * ROUND_SECONDS, UPDATES_PER_SECOND);
  const single = await pairs(MORE_PAIRS, SINGLE_PER_SECOND * ROUND_SECONDS, SINGLE_PER_SECOND);
  const fast = await pairs(MORE_PAIRS, UPDATES_PER_SECOND * ROUND_SECONDS, null);
  const long = await longRun(desk, ours);
  for (const clients of [ours, theirs]) await clients.ask('close');
  await desk.close();
  for (const helper of [bare, ours, theirs]) await helper.end();

  const ratios = (runs: typeof paced) =>
    runs.map((run) => run.reference.cpuPerUpdateMs / run.candidate.cpuPerUpdateMs);
  const ratio = spread(ratios(paced));
  const lags = paced.flatMap((run) => run.candidate.lagsMs);
  const cpu = (runs: readonly Measured[]) => range(runs.map((run) => run.cpuPerUpdateMs));
  const rate = (runs: readonly Measured[]) => range(runs.map((run) => run.perSecond));
  return {
    name: 'fan-out',
    against: 'bare ws',
    ratio,
    goal: { value: ratio.median, limit: GOAL, is: 'at least', unit: '' },
    absolute: {
      'CPU ms/update': cpu(paced.map((run) => run.candidate)),
      'bare CPU ms/update': cpu(paced.map((run) => run.reference)),
      'lag p50 ms': num(quantile(lags, 0.5)),
      'lag p99 ms': num(quantile(lags, 0.99)),
      [`ratio at ${SINGLE_PER_SECOND} updates/s`]: range(ratios(single)),
      'messages/s at full speed': rate(fast.map((run) => run.candidate)),
      'bare messages/s': rate(fast.map((run) => run.reference)),
      'bytes/message': Buffer.byteLength(script[0] ?? ''),
      ...long,
      'MB before': megabytes(before),
      'MB with sockets': megabytes(connected),
    },
  };
}

interface Stalled {
  readonly ended: { readonly closeFrame: boolean } | null;
  readonly bytes: number;
}

interface Update {
  readonly data: { readonly order: { readonly id: string } };
}

/** Runs one round; `run` returns the order ids that every reader must have received. */
async function round(server: Server, clients: Helper, run: () => Promise<string[]>): Promise<Measured> {
  await clients.ask('begin');
  const before = await server.ask<Counters>('counters');
  const ids = await run();
  const got = await clients.ask<Round>('round', { messages: ids.length, whole: true });
  const after = await server.ask<Counters>('counters');
  if (got.different > 0) throw new Error(`${got.different} readers have got something else than the others`);
  const wrong = ids.findIndex((id, i) => got.ids[i] !== id);
  if (wrong >= 0 || got.ids.length !== ids.length) {
    throw new Error(
      `update ${wrong} of ${ids.length} is not what the desk gave out (${got.ids.length} came)`,
    );
  }
  return {
    ...got,
    cpuPerUpdateMs: (after.cpuMs - before.cpuMs) / ids.length,
    perSecond: (ids.length * SOCKETS) / (got.elapsedMs / 1_000),
  };
}

/** Runs for half a minute, then measures the reader that has stopped. */
async function longRun(desk: BenchDesk, clients: Helper): Promise<Record<string, string | number>> {
  const churn = (updates: number, perSecond: number | null) => () =>
    desk.ask<string[]>('churn', { updates, perSecond });
  const startedAt = performance.now();
  const got = await round(desk, clients, churn(UPDATES_PER_SECOND * LONG_SECONDS, UPDATES_PER_SECOND));
  const seconds = (performance.now() - startedAt) / 1_000;
  const memory = await desk.ask<number>('memory');
  // The kernel's buffers come on top of the server's limit.
  for (let i = 0; !(await isCutOff(desk)) && i < STALL_ROUNDS; i++) {
    await round(desk, clients, churn(STALL_UPDATES, null));
  }
  const { ended, bytes } = await clients.ask<Stalled>('stalled');
  if (ended === null || ended.closeFrame) throw new Error('the reader that stopped was not cut off');
  return {
    [`updates in ${num(seconds)} s`]: got.ids.length,
    'missed or doubled': 0,
    'stopped reader': `cut off, the kernel had ${megabytes(bytes)} MB for it`,
    'MB after': megabytes(memory),
  };
}

async function isCutOff(desk: BenchDesk): Promise<boolean> {
  return (await desk.state()).log.some(({ text }) => text.includes('cut off, it did not read'));
}

function range(values: readonly number[]): string {
  const { median, min, max } = spread(values);
  return `${num(median)} (${num(min)}-${num(max)})`;
}

function megabytes(bytes: number): string {
  return num(bytes / 1_048_576);
}
