/**
 * Delay of the desk's thread with four consoles that acknowledge at 4 Hz, against a desk without consoles,
 * under the same steady order load.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { applyDelta } from '../src/console/state/apply-delta.ts';
import type { DeskClient, DeskInfo, DeskState } from '../src/desk/console/protocol.ts';
import { systemClock } from '../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../src/desk/hosting/transports/unix-socket.ts';
import { ROOMY_LIMITS } from '../test/support/roomy-limits.ts';
import { Helper, temporaryFolder } from './support/children.ts';
import type { LoopDelay } from './support/delay-helper.ts';
import { type BenchResult, num } from './support/report.ts';
import { restingOrders } from './support/resting-orders.ts';
import { inPairs, spread } from './support/stats.ts';

const CONSOLES = 4;
const ACK_MS = 250;
/** Rate of orders: a placement and a cancel each. */
const ORDERS_PER_SECOND = 25;
const OPEN_ORDERS = 200;
const ROUND_MS = 3_000;
const PAIRS = 6;
const GOAL_MS = 2;

export async function loopDelay(): Promise<BenchResult> {
  const dataDir = join(temporaryFolder(), 'data');
  const helper = new Helper(new URL('./support/delay-helper.ts', import.meta.url));
  const info = await helper.ask<DeskInfo>('open', { dataDir, port: 0, limits: ROOMY_LIMITS });
  const { line, state } = await watch(dataDir);
  const load = await steadyLoad(line, await state, info.apiUrl);
  line.close();
  const measure = async () => {
    await setTimeout(300);
    await helper.ask('start');
    await setTimeout(ROUND_MS);
    return helper.ask<LoopDelay>('stop');
  };
  const withConsoles = async () => {
    const consoles = await Promise.all(Array.from({ length: CONSOLES }, () => attach(dataDir)));
    const delay = await measure();
    for (const each of consoles) each.close();
    return delay;
  };
  const runs = await inPairs(PAIRS, withConsoles, measure);
  const orders = await load.stop();
  await helper.ask('close');
  await helper.end();
  const p99 = spread(runs.map((run) => run.candidate.p99 - run.reference.p99));
  const figure = (which: 'candidate' | 'reference', what: keyof LoopDelay) => {
    const { median, min, max } = spread(runs.map((run) => run[which][what]));
    return `${num(median)} (${num(min)}-${num(max)})`;
  };
  return {
    name: 'loop-delay',
    against: `p99 with ${CONSOLES} consoles less p99 without, ${num(p99.min)} to ${num(p99.max)}`,
    ratio: null,
    goal: { value: p99.median, limit: GOAL_MS, is: 'at most', unit: 'ms' },
    absolute: {
      'p99 with ms': figure('candidate', 'p99'),
      'p99 without ms': figure('reference', 'p99'),
      'loop busy with': figure('candidate', 'busy'),
      'loop busy without': figure('reference', 'busy'),
      'orders/s': num(orders),
    },
  };
}

/** Opens a separate connection to the desk; `state` resolves once there are prices. */
async function watch(dataDir: string): Promise<{ line: DeskClient; state: Promise<DeskState> }> {
  const line = await connectUnixSocket(dataDir, systemClock);
  if (!line) throw new Error('the desk does not listen');
  let mirror: DeskState | null = null;
  const state = new Promise<DeskState>((done) => {
    line.onState((message, ack) => {
      if ('snapshot' in message) mirror = message.snapshot;
      else if (mirror) mirror = applyDelta(mirror, message.delta);
      if (mirror && Object.keys(mirror.prices).length > 0) done(mirror);
      ack();
    });
  });
  return { line, state };
}

async function attach(dataDir: string): Promise<DeskClient> {
  const line = await connectUnixSocket(dataDir, systemClock);
  if (!line) throw new Error('the desk does not listen');
  line.onState((_message, ack) => void setTimeout(ACK_MS).then(ack));
  return line;
}

/** Places open orders, then places and cancels at an even rate until stopped. */
async function steadyLoad(line: DeskClient, state: DeskState, baseUrl: string) {
  const made = await line.call('keys.generate', { label: 'bench', tier: 'trade' });
  if (!made.ok) throw new Error(made.error.message);
  const client = createClient({ baseUrl, key: { privateKeyPem: readFileSync(made.data.path, 'utf8') } });
  const templates = restingOrders(state);
  const template = (n: number) => templates[n % templates.length] as (typeof templates)[number];
  for (let n = 0; n < OPEN_ORDERS; n++) await line.call('orders.place', template(n));
  let count = 0;
  let stopped = false;
  const startedAt = performance.now();
  const one = async (n: number) => {
    const order = await client.orders.place(template(n));
    await client.orders.cancel({ exchange: order.exchange, id: order.id });
    count += 1;
  };
  const running = (async () => {
    const pending = new Set<Promise<void>>();
    for (let n = 0; !stopped; n++) {
      const order = one(n).finally(() => pending.delete(order));
      pending.add(order);
      await setTimeout(Math.max(0, startedAt + (n * 1_000) / ORDERS_PER_SECOND - performance.now()));
    }
    await Promise.all(pending);
  })();
  return {
    async stop() {
      stopped = true;
      const perSecond = (count / (performance.now() - startedAt)) * 1_000;
      await running;
      await client.close();
      return perSecond;
    },
  };
}
