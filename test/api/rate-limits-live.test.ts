/**
 * The address's budget on the real clock, under twenty connections at once: the limiter's decision for each
 * request, in its own order, is compared with a plain list. Asserts decisions and counts, never durations.
 */
import { Agent, request } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../src/access/rate-limiter.ts';
import { Bench } from './support.ts';

const CONNECTIONS = 20;
const WINDOW_MS = 250;
const LIMIT = 30;
/** The load ends after this many windows were filled, or when the requests are used up. */
const ACCEPTED_AT_LEAST = LIMIT * 5;
const REQUESTS_AT_MOST = 200_000;

let bench: Bench;
afterEach(async () => {
  vi.restoreAllMocks();
  await bench.api.close();
});

// proves: rule address-limit, rule sliding-window
it('never lets more through than the window holds, and refuses nobody while it has room', async () => {
  bench = await Bench.start({}, { serviceLimits: { windowMs: WINDOW_MS, addressRequests: LIMIT } });
  const decisions: { at: number; accepted: boolean }[] = [];
  const take = RateLimiter.prototype.take;
  vi.spyOn(RateLimiter.prototype, 'take').mockImplementation(function (this: RateLimiter, key, limit, at) {
    const verdict = take.call(this, key, limit, at);
    decisions.push({ at, accepted: verdict.accepted });
    return verdict;
  });

  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let sent = 0;
  const count = (status: number) => statuses.get(status) ?? 0;
  const connection = async () => {
    while (count(200) < ACCEPTED_AT_LEAST && sent < REQUESTS_AT_MOST) {
      sent += 1;
      const status = await ask(agent);
      statuses.set(status, count(status) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();

  const accepted: number[] = [];
  for (const { at, accepted: passed } of decisions) {
    const counted = accepted.filter((earlier) => earlier + WINDOW_MS - at > 0).length;
    expect(passed, `${counted} of ${LIMIT} in the window at ${at}`).toBe(counted < LIMIT);
    if (passed) accepted.push(at);
  }
  const crowded = accepted.filter((at, i) => at - (accepted[i - LIMIT] ?? -Infinity) < WINDOW_MS - 1e-6);
  expect(crowded).toEqual([]);
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
  expect([count(200), count(429)]).toEqual([accepted.length, decisions.length - accepted.length]);
  expect(accepted.length).toBeGreaterThanOrEqual(ACCEPTED_AT_LEAST);
});

function ask(agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: bench.api.port, path: '/api/v2/server/time', agent }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode ?? 0));
      res.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
