/**
 * Begins a thread of `worker-pool.ts`: what it loads is read out of Node's compile cache where another thread or run has loaded it before,
 * as types and parsing take longer than many a job. Without a place for the cache it is compiled as ever.
 */
import module from 'node:module';
import { workerData } from 'node:worker_threads';

module.enableCompileCache();
await import(workerData as string);
// A thread is ended from outside, which writes nothing.
module.flushCompileCache();
