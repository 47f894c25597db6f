/**
 * The main thread's control of a desk that runs in a worker thread: starts it, connects terminals to it,
 * stops it and reports its end. The desk may end by itself at any time; the worker's death is an end like any
 * other.
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Clock } from '../../domain/clock.ts';
import { errorText } from '../../domain/errors.ts';
import type { DeskClient, DeskInfo } from '../console/protocol.ts';
import type { DeskOptions } from '../running.ts';
import { DeskStartError } from '../start-error.ts';
import { LINE_LOST } from './transports/line.ts';
import { connectMessagePort } from './transports/message-port.ts';
import { systemClock } from './transports/system-clock.ts';
import type { FromWorker, ToWorker } from './transports/worker-thread.ts';

/** How long a desk may take to stop in order before its thread is ended, ms. */
export const STOP_LIMIT_MS = 10_000;

export interface DeskEnding {
  readonly reason: string;
  readonly exitCode: number;
}

export interface HostedDesk {
  readonly info: DeskInfo;
  /** Connects a new terminal to this desk; any number, one after the other or at once. */
  connect(): Promise<DeskClient>;
  /** Stops in order, or by force after STOP_LIMIT_MS; resolves when the desk is gone. Idempotent. */
  stop(reason: string): Promise<void>;
  /** Never rejects. */
  readonly ended: Promise<DeskEnding>;
}

/**
 * Returns the worker's file, which the bundle has in `dist`; this module is there, or in `chunks` below. In
 * the sources it is `worker.ts`.
 */
function workerUrl(): URL {
  if (import.meta.url.endsWith('.ts')) return new URL('./worker.ts', import.meta.url);
  const here = new URL('.', import.meta.url).pathname;
  return new URL(here.endsWith('/chunks/') ? '../desk-worker.js' : './desk-worker.js', import.meta.url);
}

/** Starts a desk; rejects with a `DeskStartError`. `worker` and `clock` are for tests. */
export async function hostDesk(
  options: DeskOptions,
  { worker: url = workerUrl(), clock = systemClock }: { worker?: URL; clock?: Clock } = {},
): Promise<HostedDesk> {
  const worker = new Worker(url, { workerData: options, name: 'outcry desk' });
  const { ready, ended, kill } = watch(worker);
  const { info } = await Promise.race([ready, ended.then(failStart)]);
  const post = (message: ToWorker, transfer: MessageChannel['port1'][] = []) =>
    worker.postMessage(message, transfer);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  return {
    info,
    ended,
    connect() {
      if (over) return Promise.reject(new Error(LINE_LOST));
      const { port1, port2 } = new MessageChannel();
      post({ t: 'connect', port: port2 }, [port2]);
      return connectMessagePort(port1, clock);
    },
    async stop(reason) {
      if (over) return;
      post({ t: 'stop', reason });
      const limit = clock.after(STOP_LIMIT_MS, () =>
        kill(`the desk did not stop within ${STOP_LIMIT_MS / 1000} s`),
      );
      await ended;
      limit.cancel();
    },
  };
}

function failStart(ending: DeskEnding): never {
  throw new DeskStartError(ending.reason, ending.exitCode);
}

/**
 * Watches the worker: `ended` resolves once the thread is gone, with its last message or the cause of its
 * death.
 */
function watch(worker: Worker): {
  ready: Promise<Extract<FromWorker, { t: 'ready' }>>;
  ended: Promise<DeskEnding>;
  kill: (reason: string) => void;
} {
  let ending: DeskEnding | null = null;
  const ready = new Promise<Extract<FromWorker, { t: 'ready' }>>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.t === 'ready') resolve(message);
      else if (message.t === 'failed') ending = { reason: message.message, exitCode: message.exitCode };
      else ending = { reason: message.reason, exitCode: message.exitCode };
      // Everything is reported and closed; a forgotten timer in the thread must not keep the process alive.
      if (message.t !== 'ready') void worker.terminate();
    });
  });
  const ended = new Promise<DeskEnding>((resolve) => {
    worker.on('error', (error: unknown) => {
      const message = errorText(error);
      ending ??= { reason: `the desk's thread failed: ${message}`, exitCode: 1 };
    });
    worker.once('exit', (code) => {
      resolve(ending ?? { reason: `the desk's thread ended unexpectedly (code ${code})`, exitCode: 1 });
    });
  });
  const kill = (reason: string) => {
    ending ??= { reason, exitCode: 1 };
    void worker.terminate();
  };
  return { ready, ended, kill };
}
