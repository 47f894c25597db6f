/**
 * The desk's worker with its event-loop delay measured from inside; queried over a channel of the process
 * (`delay-helper.ts`).
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { BroadcastChannel, workerData } from 'node:worker_threads';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { serveFromWorker } from '../../src/desk/hosting/transports/worker-thread.ts';
import { openDesk } from '../../src/desk/open-desk.ts';
import type { DeskOptions } from '../../src/desk/running.ts';
import type { DelayMessage } from './delay-helper.ts';

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const channel = new BroadcastChannel('outcry bench');
let busyFrom = performance.eventLoopUtilization();
channel.onmessage = (event) => {
  const { data } = event as { data: DelayMessage };
  if (data === 'start') {
    delay.reset();
    delay.enable();
    busyFrom = performance.eventLoopUtilization();
  } else if (data === 'stop') {
    delay.disable();
    const ms = (nanoseconds: number) => nanoseconds / 1e6;
    channel.postMessage({
      p50: ms(delay.percentile(50)),
      p99: ms(delay.percentile(99)),
      max: ms(delay.max),
      busy: performance.eventLoopUtilization(busyFrom).utilization,
    });
  }
};
(channel as unknown as { unref(): void }).unref();

await serveFromWorker(openDesk, workerData as DeskOptions, systemClock);
