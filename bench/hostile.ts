/**
 * What a hostile client at one address costs a client at another: the slowest signed order from ::1 while
 * 127.0.0.1 sends headers full of blanks, opens 11,000 connections, drips bodies, floods with bad signatures;
 * against the slowest order without any attack.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { BenchDesk } from './support/bench-desk.ts';
import { Helper } from './support/children.ts';
import { type BenchResult, num } from './support/report.ts';
import { type OrderTemplate, restingOrders } from './support/resting-orders.ts';
import { signAll } from './support/signed-requests.ts';

const ATTACKS = ['blanks', 'connections', 'slowBodies', 'badSignatures'] as const;
const ATTACK_MS = 8_000;
const QUIET_MS = 5_000;
/** Interval that stays under the budget of the route: 10 in 5 s. */
const BETWEEN_ORDERS_MS = 600;
const GOAL_MS = 200;

export async function hostile(): Promise<BenchResult> {
  const desk = await BenchDesk.open({ host: 'localhost', limits: undefined });
  const attacker = new Helper(new URL('./support/hostile-helper.ts', import.meta.url));
  const probe = new Probe(desk, restingOrders(await desk.state()));
  await probe.slowest(setTimeout(QUIET_MS));
  const alone = await probe.slowest(setTimeout(ATTACK_MS));
  const figures: Record<string, string | number> = { 'alone ms': num(alone) };
  let worst = 0;
  for (const attack of ATTACKS) {
    const under = attacker.ask(attack, { port: desk.port, ms: ATTACK_MS });
    const slowest = await probe.slowest(under);
    worst = Math.max(worst, slowest);
    figures[`${attack} ms`] = num(slowest);
    figures[`${attack} lived`] = Number(await under);
    await setTimeout(QUIET_MS);
  }
  probe.close();
  await attacker.end();
  await desk.close();
  return {
    name: 'hostile',
    against: 'slowest order of another address under attack less alone',
    ratio: null,
    goal: { value: worst - alone, limit: GOAL_MS, is: 'at most', unit: 'ms' },
    absolute: figures,
  };
}

/** A well-behaved client at ::1 that goes on placing orders. */
class Probe {
  readonly #desk: BenchDesk;
  readonly #templates: readonly OrderTemplate[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #count = 0;

  constructor(desk: BenchDesk, templates: readonly OrderTemplate[]) {
    this.#desk = desk;
    this.#templates = templates;
  }

  /** Returns the time of the slowest order until `end`, ms. */
  async slowest(end: Promise<unknown>): Promise<number> {
    let going = true;
    void end.then(() => {
      going = false;
    });
    let slowest = 0;
    while (going) {
      slowest = Math.max(slowest, await this.#order());
      await setTimeout(BETWEEN_ORDERS_MS);
    }
    return slowest;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #order(): Promise<number> {
    const { key, port } = this.#desk;
    const body = JSON.stringify(this.#templates[this.#count++ % this.#templates.length]);
    const path = '/v2/orders';
    const [signed] = await signAll(key, [{ method: 'POST', path, body, idempotencyKey: randomUUID() }]);
    const headers = headersOf(signed as Buffer);
    const startedAt = performance.now();
    const status = await new Promise<number | undefined>((done, fail) => {
      const sent = request({
        host: '::1',
        port,
        method: 'POST',
        path: `/api${path}`,
        headers,
        agent: this.#agent,
      });
      sent.once('response', (answer) => answer.resume().once('end', () => done(answer.statusCode)));
      sent.once('error', fail);
      sent.end(body);
    });
    if (status !== 200) throw new Error(`an order was answered with ${status}`);
    return performance.now() - startedAt;
  }
}

function headersOf(request: Buffer): Record<string, string> {
  const [head = ''] = request.toString('latin1').split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  return Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
}
