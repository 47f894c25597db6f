/** Gives jobs to a few threads, one at a time each. Results come in the order in which they are done. */
import { Worker } from 'node:worker_threads';

const BEGINS = new URL('./cached-worker.ts', import.meta.url);

export interface WorkerPoolOptions<J, R> {
  /** A module that answers each job with any number of results, and with `null` when the job is done. */
  readonly script: URL;
  readonly workers: number;
  /** Returns the next job; null: there is none. */
  readonly take: () => J | null;
  readonly onResult: (result: R) => void;
  /** A thread that sends nothing for this long is terminated, and its job given up; left out: never. */
  readonly limitMs?: number;
  readonly onStuck?: (job: J) => void;
}

/**
 * Resolves when no job is left and every thread has ended; rejects with an error that a thread has thrown.
 */
export async function runWorkers<J, R>(options: WorkerPoolOptions<J, R>): Promise<void> {
  await Promise.all(Array.from({ length: Math.max(1, options.workers) }, () => work(options)));
}

async function work<J, R>(options: WorkerPoolOptions<J, R>): Promise<void> {
  while ((await oneWorker(options)) === 'stuck');
}

/** Runs one thread until no job is left, or until it is stuck. */
function oneWorker<J, R>(o: WorkerPoolOptions<J, R>): Promise<'done' | 'stuck'> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(BEGINS, { execArgv: [], workerData: o.script.href });
    let timer: NodeJS.Timeout | null = null;
    const end = (settle: () => void) => {
      if (timer) clearTimeout(timer);
      void worker.terminate().then(settle, reject);
    };
    let job: J | null = null;
    const watch = () => {
      if (timer) clearTimeout(timer);
      if (o.limitMs !== undefined) timer = setTimeout(stuck, o.limitMs);
    };
    const stuck = () => {
      if (job !== null) o.onStuck?.(job);
      end(() => resolve('stuck'));
    };
    const give = () => {
      job = o.take();
      if (job === null) {
        end(() => resolve('done'));
        return;
      }
      worker.postMessage(job);
      watch();
    };
    worker.on('error', (error) => end(() => reject(error)));
    worker.on('message', (result: R | null) => {
      if (result === null) give();
      else {
        watch();
        o.onResult(result);
      }
    });
    give();
  });
}
