/**
 * Signed GET /orders with 20 open orders and a varying, ignored parameter, against bare node:http answering
 * the same bytes. The bare server verifies on the thread that answers, the service on Node's other threads:
 * with a spare core the service can be the faster one. The ratio by CPU time beside it shows the result for a
 * machine with one core.
 */
import { BenchDesk } from './support/bench-desk.ts';
import { Helper } from './support/children.ts';
import { counted, cpuRatio, rates } from './support/counted.ts';
import { sendAll } from './support/http-load.ts';
import { type BenchResult, num } from './support/report.ts';
import { restingOrders } from './support/resting-orders.ts';
import { type PlainRequest, signAll } from './support/signed-requests.ts';
import { inPairs, quantile, spread } from './support/stats.ts';

const CONNECTIONS = 32;
const REQUESTS = 4_000;
const PAIRS = 7;
const GOAL = 0.85;

export async function getOrders(): Promise<BenchResult> {
  const desk = await BenchDesk.open();
  for (const order of restingOrders(await desk.state()).slice(0, 20)) {
    const placed = await desk.call('orders.place', order);
    if (!placed.ok) throw new Error(placed.error.message);
  }
  const body = await answerOf(desk);
  const bare = new Helper(new URL('./support/bare-helper.ts', import.meta.url));
  const barePort = await bare.ask<number>('serveGet', { keyId: desk.key.id, body });
  let varied = 0;
  const round = async (port: number) => {
    const requests = Array.from(
      { length: REQUESTS },
      (): PlainRequest => ({ method: 'GET', path: `/v2/orders?exchange=paper-spot&n=${varied++}` }),
    );
    return sendAll(port, await signAll(desk.key, requests), CONNECTIONS);
  };
  const runs = await inPairs(
    PAIRS,
    () => counted(desk, () => round(desk.port)),
    () => counted(bare, () => round(barePort)),
  );
  await desk.close();
  await bare.end();
  const ratio = spread(runs.map((run) => run.candidate.perSecond / run.reference.perSecond));
  const ours = runs.map((run) => run.candidate);
  return {
    name: 'get-orders',
    against: 'bare node:http',
    ratio,
    goal: { value: ratio.median, limit: GOAL, is: 'at least', unit: '' },
    absolute: {
      'requests/s': rates(ours),
      'bare/s': rates(runs.map((run) => run.reference)),
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
      'answer bytes': Buffer.byteLength(body),
    },
  };
}

async function answerOf(desk: BenchDesk): Promise<string> {
  const [request] = await signAll(desk.key, [{ method: 'GET', path: '/v2/orders?exchange=paper-spot' }]);
  const head = (request as Buffer).toString('utf8').split('\r\n');
  const headers = head.slice(2).filter((line) => line.startsWith('X-'));
  const answer = await fetch(`http://127.0.0.1:${desk.port}/api/v2/orders?exchange=paper-spot`, {
    headers: headers.map((line) => line.split(': ') as [string, string]),
  });
  const body = await answer.text();
  const listed = (JSON.parse(body) as { data?: unknown[] }).data?.length;
  if (listed !== 20) throw new Error(`20 orders expected: ${body.slice(0, 300)}`);
  return body;
}
