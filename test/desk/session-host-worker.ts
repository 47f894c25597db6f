/** A worker thread with a fake desk, for the tests of its host: `feed` says what it does. */
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { serveFromWorker } from '../../src/desk/hosting/transports/worker-thread.ts';
import type { DeskOptions } from '../../src/desk/running.ts';
import { FakeDesk } from './session-fake-desk.ts';

async function open(options: DeskOptions): Promise<FakeDesk> {
  if (options.feed === 'refuse') throw Object.assign(new Error('Option --feed is wrong'), { exitCode: 2 });
  const desk = new FakeDesk();
  desk.answer = (method, params) => {
    if (method === 'orders.detail')
      setImmediate(() => {
        throw new Error('a bug');
      });
    if (method === 'feed.control') desk.beginStop('the store is broken', 1);
    return params;
  };
  if (options.feed === 'stuck') desk.stop = () => new Promise(() => {});
  return desk;
}

await serveFromWorker(open, workerData as DeskOptions, systemClock);
