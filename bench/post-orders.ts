/**
 * Signed POST /orders (LIMIT, resting), durable, against bare node:http with as many group commits and rows
 * per order.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Row } from '../src/domain/rows.ts';
import { BenchDesk } from './support/bench-desk.ts';
import { Helper, temporaryFolder } from './support/children.ts';
import { type Counted, counted, cpuRatio, rates } from './support/counted.ts';
import { sendAll } from './support/http-load.ts';
import { type BenchResult, num } from './support/report.ts';
import { type OrderTemplate, restingOrders } from './support/resting-orders.ts';
import { type PlainRequest, signAll } from './support/signed-requests.ts';
import { inPairs, quantile, spread } from './support/stats.ts';
import { type WritePlan, writePlan } from './support/write-plan.ts';

const CONNECTIONS = 32;
const ORDERS = 1_600;
const PAIRS = 7;
const GOAL = 0.8;

export async function postOrders(): Promise<BenchResult> {
  const desk = await BenchDesk.open();
  const templates = restingOrders(await desk.state());
  const plan = await recordPlan(desk, templates);
  const bare = new Helper(new URL('./support/bare-helper.ts', import.meta.url));
  const barePort = await bare.ask<number>('servePost', {
    keyId: desk.key.id,
    file: join(temporaryFolder(), 'bare.db'),
    plan,
  });
  const round = async (port: number) =>
    sendAll(port, await signAll(desk.key, orders(templates, ORDERS)), CONNECTIONS);
  const product = async () => {
    const result = await counted(desk, () => round(desk.port));
    await desk.call('orders.cancelAll', {});
    return result;
  };
  const runs = await inPairs(PAIRS, product, () => counted(bare, () => round(barePort)));
  await desk.close();
  await bare.end();
  const ratio = spread(runs.map((run) => run.candidate.perSecond / run.reference.perSecond));
  const ours = runs.map((run) => run.candidate);
  const theirs = runs.map((run) => run.reference);
  return {
    name: 'post-orders',
    against: 'bare node:http',
    ratio,
    goal: { value: ratio.median, limit: GOAL, is: 'at least', unit: '' },
    absolute: {
      'orders/s': rates(ours),
      'bare/s': rates(theirs),
      'p50 ms': num(
        quantile(
          ours.flatMap((run) => run.latencies),
          0.5,
        ),
      ),
      'p99 ms': num(
        quantile(
          ours.flatMap((run) => run.latencies),
          0.99,
        ),
      ),
      'ratio by CPU time': cpuRatio(runs),
      'commits/order': `${perOrder(ours, 'commits')} (bare ${perOrder(theirs, 'commits')})`,
      'rows/order': `${perOrder(ours, 'rows')} (bare ${perOrder(theirs, 'rows')})`,
    },
  };
}

function orders(templates: readonly OrderTemplate[], count: number): PlainRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path: '/v2/orders',
    body: JSON.stringify(templates[index % templates.length]),
    idempotencyKey: randomUUID(),
  }));
}

/** Places some orders one after the other and records what each makes the desk store. */
async function recordPlan(desk: BenchDesk, templates: readonly OrderTemplate[]): Promise<WritePlan> {
  const recorded: Row[][][] = [];
  await desk.ask('record', { on: true });
  for (const request of orders(templates.slice(0, 1), 5)) {
    await sendAll(desk.port, await signAll(desk.key, [request]), 1);
    recorded.push(await desk.ask<Row[][]>('record', { on: true }));
  }
  const answered = recorded
    .at(-1)
    ?.flat()
    .findLast((row) => row.kind === 'idempotency' && row.record.answer);
  if (answered?.kind !== 'idempotency' || !answered.record.answer) throw new Error('no answer was stored');
  await desk.ask('record', { on: false });
  await desk.call('orders.cancelAll', {});
  return writePlan(recorded, answered.record.answer.body);
}

function perOrder(runs: readonly Counted[], what: 'commits' | 'rows'): string {
  return num(spread(runs.map((run) => run[what] / ORDERS)).median);
}
