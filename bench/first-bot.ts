/**
 * The longest stall of the desk's thread while the first bot starts that scans years of every symbol, against
 * the start of a second such bot.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { DeskClient, DeskInfo } from '../src/desk/console/protocol.ts';
import { systemClock } from '../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../src/desk/hosting/transports/unix-socket.ts';
import { ROOMY_LIMITS } from '../test/support/roomy-limits.ts';
import { Helper, temporaryFolder } from './support/children.ts';
import type { LoopDelay } from './support/delay-helper.ts';
import { type BenchResult, num } from './support/report.ts';
import { spread } from './support/stats.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
const ROUNDS = 5;
const GOAL_MS = 250;

export async function firstBot(): Promise<BenchResult> {
  const rounds: { first: number; second: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await freshDesk());
  const first = spread(rounds.map((round) => round.first));
  const second = spread(rounds.map((round) => round.second));
  return {
    name: 'first-bot',
    against: `the longest stall of the second start; ${ROUNDS} new desks`,
    ratio: spread(rounds.map((round) => round.first / round.second)),
    goal: { value: first.median, limit: GOAL_MS, is: 'at most', unit: 'ms' },
    absolute: {
      'first ms': `${num(first.median)} (${num(first.min)}-${num(first.max)})`,
      'second ms': `${num(second.median)} (${num(second.min)}-${num(second.max)})`,
    },
  };
}

async function freshDesk(): Promise<{ first: number; second: number }> {
  const dataDir = join(temporaryFolder(), 'data');
  const helper = new Helper(new URL('./support/delay-helper.ts', import.meta.url));
  await helper.ask<DeskInfo>('open', { dataDir, port: 0, limits: ROOMY_LIMITS });
  const line = await connectUnixSocket(dataDir, systemClock, { state: false });
  if (!line) throw new Error('the desk does not listen');
  // Work that belongs to the start has ended by then.
  await setTimeout(500);
  const stall = async () => {
    await helper.ask('start');
    await startScanner(line);
    await setTimeout(200);
    return (await helper.ask<LoopDelay>('stop')).max;
  };
  const first = await stall();
  const second = await stall();
  line.close();
  await helper.ask('close');
  await helper.end();
  return { first, second };
}

async function startScanner(line: DeskClient): Promise<void> {
  const conditions = [{ type: 'breakout', lookback: 500 }];
  const settings = { exchange: 'paper-spot', timeFrame: WEEK_MS, conditions };
  const made = await line.call('bots.create', { bot: { type: 'NOTIFY', settings } });
  if (!made.ok) throw new Error(made.error.message);
  const started = await line.call('bots.start', { id: made.data.id });
  if (!started.ok) throw new Error(started.error.message);
}
