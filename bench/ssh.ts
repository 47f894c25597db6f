/**
 * Sixteen operators over the desk's own sshd, on a desk with 1,000 open orders and four ticks a second: the
 * cost of a session, its effect on the desk's thread, the time of a login, and the age of a screen over a
 * connection of 10 kB/s. Needs OpenSSH; Linux only.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { applyDelta } from '../src/console/state/apply-delta.ts';
import type { DeskClient, DeskInfo, DeskState } from '../src/desk/console/protocol.ts';
import { systemClock } from '../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../src/desk/hosting/transports/unix-socket.ts';
import { findSshd } from '../src/desk/ssh/machine.ts';
import { freePort } from '../test/support/free-port.ts';
import { ROOMY_LIMITS } from '../test/support/roomy-limits.ts';
import { openSlowLink } from '../test/support/slow-link.ts';
import { Helper, temporaryFolder } from './support/children.ts';
import type { LoopDelay } from './support/delay-helper.ts';
import { type BenchResult, num } from './support/report.ts';
import { restingOrders } from './support/resting-orders.ts';
import { cpuMsOf, LOGIN_PARENT, type Login, Logins, memoryOf, processCpuMs } from './support/ssh-logins.ts';
import { quantile, spread } from './support/stats.ts';

const OPERATORS = ['ann', 'bea', 'cyd', 'dan'] as const;
const EACH = 4;
const ORDERS = 1_000;
/** Number of symbols on the synthetic market. */
const SYMBOLS = 20;
const ROUND_MS = 3_000;
const ROUNDS = 6;
const ALONE_LOGINS = 8;
const SLOW_BYTES_PER_S = 10_000;
const WATCH_MS = 15_000;
const SAMPLE_MS = 100;
const GOALS = { delayMs: 2, loginMs: 700, ageMs: 1_000 };

export async function ssh(): Promise<readonly BenchResult[]> {
  if (process.platform !== 'linux' || findSshd() === null) {
    const none = { name: 'ssh', against: 'OpenSSH on Linux', ratio: null, goal: null };
    return [{ ...none, absolute: { 'not measured': 'there is no OpenSSH server here' } }];
  }
  const folder = temporaryFolder(LOGIN_PARENT);
  const dataDir = join(folder, 'data');
  const port = await freePort();
  const helper = new Helper(new URL('./support/delay-helper.ts', import.meta.url));
  await helper.ask<DeskInfo>('open', {
    dataDir,
    port: 0,
    limits: ROOMY_LIMITS,
    sshListen: [{ host: '127.0.0.1', port }],
  });
  const line = await connectUnixSocket(dataDir, systemClock);
  if (!line) throw new Error('the desk does not listen');
  const open = await fill(line);
  const logins = await Logins.on(line, folder, port);
  for (const name of OPERATORS) await logins.add(line, name);

  const alone: number[] = [];
  const cpu: number[] = [];
  for (let n = 0; n < ALONE_LOGINS; n++) {
    const login = await logins.login('ann');
    alone.push(login.frameMs);
    cpu.push(cpuMsOf(dataDir));
    await login.leave();
  }
  const age = await ageOnSlowLine(line, logins, port);
  const without = await rounds(helper);
  const many: Login[] = [];
  for (let n = 0; n < EACH; n++)
    many.push(...(await Promise.all(OPERATORS.map((name) => logins.login(name)))));
  await setTimeout(ROUND_MS);
  const withAll = await rounds(helper);
  const memory = memoryOf(dataDir);
  const ages = await sampled(line, ROUND_MS, ({ ageMs }) => ageMs);
  await Promise.all(many.map((login) => login.leave()));
  await setTimeout(ROUND_MS);
  const after = await rounds(helper);
  line.close();
  await helper.ask('close');
  await helper.end();

  const p99 = (of: readonly LoopDelay[]) => spread(of.map((round) => round.p99));
  const [loaded, idle] = [p99(withAll), p99([...without, ...after])];
  const figure = ({ median, min, max }: ReturnType<typeof spread>) =>
    `${num(median)} (${num(min)}-${num(max)})`;
  const load = `${memory.count} sessions, ${open} open orders, 4 ticks/s`;
  return [
    {
      name: 'ssh-delay',
      against: `the desk's p99 with ${load} less without`,
      ratio: null,
      goal: { value: loaded.median - idle.median, limit: GOALS.delayMs, is: 'at most', unit: 'ms' },
      absolute: {
        'p99 with ms': figure(loaded),
        'p99 without ms': figure(idle),
        'CPU share with': figure(spread(withAll.map(({ cpu }) => cpu))),
        'CPU share without': figure(spread([...without, ...after].map(({ cpu }) => cpu))),
        'loop busy with': figure(spread(withAll.map(({ busy }) => busy))),
        'loop busy without': figure(spread([...without, ...after].map(({ busy }) => busy))),
      },
    },
    {
      name: 'ssh-memory',
      against: `a session of ${load}: console and sshd`,
      ratio: null,
      goal: null,
      absolute: {
        'MB, shared pages by their share': num(memory.pssMb),
        'MB resident': num(memory.rssMb),
        'age of 16 screens, median ms': num(quantile(ages, 0.5)),
        'p99 ms': num(quantile(ages, 0.99)),
      },
    },
    {
      name: 'ssh-login',
      against: 'ssh from its start to the whole first frame, median',
      ratio: null,
      goal: { value: spread(alone).median, limit: GOALS.loginMs, is: 'at most', unit: 'ms' },
      absolute: {
        ms: figure(spread(alone)),
        'CPU ms of the console until then': figure(spread(cpu)),
        'four at a time ms': figure(spread(many.map(({ frameMs }) => frameMs))),
      },
    },
    {
      name: 'ssh-age',
      against: `screen over ${SLOW_BYTES_PER_S / 1_000} kB/s, age p99`,
      ratio: null,
      goal: { value: quantile(age, 0.99), limit: GOALS.ageMs, is: 'at most', unit: 'ms' },
      absolute: {
        'median ms': num(quantile(age, 0.5)),
        'most ms': num(quantile(age, 1)),
        samples: age.length,
      },
    },
  ];
}

interface Round extends LoopDelay {
  /**
   * CPU time of the desk's process, both threads, as a share of a core: a busy machine does not distort it.
   */
  readonly cpu: number;
}

async function rounds(helper: Helper): Promise<Round[]> {
  const measured: Round[] = [];
  const cpuMs = () => processCpuMs(helper.child.pid ?? 0);
  for (let n = 0; n < ROUNDS; n++) {
    await helper.ask('start');
    const [from, before] = [performance.now(), cpuMs()];
    await setTimeout(ROUND_MS);
    const cpu = (cpuMs() - before) / (performance.now() - from);
    measured.push({ ...(await helper.ask<LoopDelay>('stop')), cpu });
  }
  return measured;
}

async function ageOnSlowLine(line: DeskClient, logins: Logins, port: number): Promise<number[]> {
  const link = await openSlowLink(port, SLOW_BYTES_PER_S);
  try {
    const login = await logins.login('ann', { port: link.port });
    const ages = await sampled(line, WATCH_MS, ({ ageMs }) => ageMs);
    await login.leave();
    return ages;
  } finally {
    link.close();
  }
}

interface Shown {
  readonly from: string | null;
  readonly ageMs: number | null;
}

/** Samples a figure of the sessions over SSH until the time is over; null values are skipped. */
async function sampled(
  line: DeskClient,
  forMs: number,
  of: (session: Shown) => number | null,
): Promise<number[]> {
  const values: number[] = [];
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    for (const session of await line.call('sessions.list', {})) {
      const value = session.from === null ? null : of(session);
      if (value !== null) values.push(value);
    }
    await setTimeout(SAMPLE_MS);
  }
  return values;
}

/** Places orders; returns how many rest. */
async function fill(line: DeskClient): Promise<number> {
  let mirror: DeskState | null = null;
  const { promise, resolve } = Promise.withResolvers<DeskState>();
  line.onState((message, ack) => {
    if ('snapshot' in message) mirror = message.snapshot;
    else if (mirror) mirror = applyDelta(mirror, message.delta);
    if (mirror && Object.keys(mirror.prices).length >= SYMBOLS) resolve(mirror);
    ack();
  });
  const templates = restingOrders(await promise);
  let open = 0;
  for (let n = 0; n < ORDERS; n++) {
    const template = templates[n % templates.length];
    if (!template) throw new Error('there are no prices');
    const { ok } = await line.call('orders.place', template);
    if (ok) open += 1;
  }
  return open;
}
