/**
 * Loaded before the program (`node --import`), and so into its worker, too: every minute a line of JSON with
 * the delays of each thread and the memory of the process. It changes nothing in the program.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { isMainThread, threadId } from 'node:worker_threads';

export interface Measured {
  /** Minutes since the thread began. */
  readonly minute: number;
  readonly thread: number;
  readonly isMain: boolean;
  /** Delay of its event loop within the minute, ms. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** Heap of the thread, bytes. */
  readonly heap: number;
  /** Memory of the whole process, bytes; `cpu`: its CPU time within the minute, seconds. */
  readonly rss: number;
  readonly cpu: number;
}

const MINUTE_MS = 60_000;
const RESOLUTION_MS = 1;
const file = process.env.OUTCRY_WALK_MEASURES;

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let used = process.cpuUsage();
  let minute = 0;
  setInterval(() => {
    minute++;
    // The monitor counts its own resolution, too.
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const cpu = process.cpuUsage(used);
    used = process.cpuUsage();
    const measured: Measured = {
      minute,
      thread: threadId,
      isMain: isMainThread,
      p50: ms(delay.percentile(50)),
      p99: ms(delay.percentile(99)),
      worst: ms(delay.max),
      heap: getHeapStatistics().used_heap_size,
      rss: process.memoryUsage.rss(),
      cpu: (cpu.user + cpu.system) / 1e6,
    };
    delay.reset();
    appendFileSync(file, `${JSON.stringify(measured)}\n`);
  }, MINUTE_MS).unref();
}
