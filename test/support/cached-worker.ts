/**
 * Starts a thread of `worker-pool.ts`: its modules are read from Node's compile cache if another thread or
 * run has loaded them before, as stripping types and parsing take longer than many a job. Without a cache
 * folder they are compiled as usual.
 */
import module from 'node:module';
import { workerData } from 'node:worker_threads';

module.enableCompileCache();
await import(workerData as string);
// A thread is terminated from outside, which does not write the cache.
module.flushCompileCache();
