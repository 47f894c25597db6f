/**
 * A thousand bots of every type, running on 100 symbols that tick five times a second: their share of a core,
 * and the memory of one.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Helper, temporaryFolder } from './support/children.ts';
import { type BenchResult, num } from './support/report.ts';

const BOTS = 1_000;
const SYMBOLS = 100;
const TICKS_PER_SECOND = 5;
const SETTLE_MS = 5_000;
/** Long enough to include the ends of minutes, at which candles close. */
const WATCH_MS = 70_000;
const CPU_GOAL = 0.25;
const MEMORY_GOAL_KB = 20;

export async function liveBots(): Promise<BenchResult> {
  const without = await cpuShare(0);
  const { share, open } = await cpuShare(BOTS);
  return {
    name: 'live-bots',
    against: `one core, ${BOTS} bots on ${SYMBOLS} symbols at ${TICKS_PER_SECOND} ticks/s`,
    ratio: null,
    goal: { value: share, limit: CPU_GOAL, is: 'at most', unit: '' },
    absolute: { 'without bots': num(without.share), 'open orders': open },
  };
}

async function cpuShare(bots: number): Promise<{ share: number; open: number }> {
  const desk = await openDesk();
  if (bots > 0) {
    await desk.ask('create', { count: bots });
    await desk.ask('start');
  }
  await desk.ask('play');
  await setTimeout(SETTLE_MS);
  const startedAt = performance.now();
  const before = await desk.ask<Counters>('counters');
  await setTimeout(WATCH_MS);
  const after = await desk.ask<Counters>('counters');
  const share = (after.cpuMs - before.cpuMs) / (performance.now() - startedAt);
  await close(desk);
  return { share, open: after.open };
}

/** Measures the heap of one running and waiting bot, including its orders, records and console view. */
export async function botMemory(): Promise<BenchResult> {
  const desk = await openDesk();
  const bytes = () => desk.ask<number>('memory');
  // Memory that the first bots allocate for all is not counted.
  await desk.ask('create', { count: 100 });
  await desk.ask('start');
  const before = await bytes();
  await desk.ask('create', { count: BOTS });
  const created = await bytes();
  await desk.ask('start');
  const running = await bytes();
  const { open } = await desk.ask<Counters>('counters');
  await close(desk);
  const kb = (to: number) => (to - before) / BOTS / 1_024;
  return {
    name: 'bot-memory',
    against: 'heap of one idle bot',
    ratio: null,
    goal: { value: kb(running), limit: MEMORY_GOAL_KB, is: 'at most', unit: 'KB' },
    absolute: { 'KB before its start': num(kb(created)), 'open orders': open },
  };
}

interface Counters {
  readonly cpuMs: number;
  readonly open: number;
}

async function openDesk(): Promise<Helper> {
  const desk = new Helper(new URL('./support/bots-helper.ts', import.meta.url), ['--expose-gc']);
  const dataDir = join(temporaryFolder(), 'data');
  await desk.ask('open', { dataDir, symbols: SYMBOLS, ticksPerSecond: TICKS_PER_SECOND });
  return desk;
}

async function close(desk: Helper): Promise<void> {
  await desk.ask('close');
  await desk.end();
}
