/** Entry of the desk's worker thread, bundled to `dist/desk-worker.js`. Started by `host.ts` with `DeskOptions` as data. */
import { workerData } from 'node:worker_threads';
import { openDesk } from './open-desk.ts';
import type { DeskOptions } from './running.ts';
import { systemClock } from './transports/system-clock.ts';
import { serveFromWorker } from './transports/worker-thread.ts';

await serveFromWorker(openDesk, workerData as DeskOptions, systemClock);
