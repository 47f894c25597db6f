/**
 * The work of the desk's worker thread (`worker.ts`): one desk, opened with the thread's `DeskOptions`, until
 * it is stopped.
 */
import { workerData } from 'node:worker_threads';
import { openDesk } from '../open-desk.ts';
import type { DeskOptions } from '../running.ts';
import { systemClock } from './transports/system-clock.ts';
import { serveFromWorker } from './transports/worker-thread.ts';

await serveFromWorker(openDesk, workerData as DeskOptions, systemClock);
