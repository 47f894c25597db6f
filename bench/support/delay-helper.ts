/** Hosts a desk in a worker as `outcry serve` does, with `delay-worker.ts` in place of the worker. */
import { BroadcastChannel } from 'node:worker_threads';
import { type HostedDesk, hostDesk } from '../../src/desk/hosting/host.ts';
import type { DeskOptions } from '../../src/desk/running.ts';
import { answerCommands } from './answering.ts';

export interface LoopDelay {
  /** Milliseconds, the monitor's own step of 1 ms included. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Share of the time in which the loop was busy. */
  readonly busy: number;
}
export type DelayMessage = 'start' | 'stop' | LoopDelay;

const channel = new BroadcastChannel('outcry bench');
let desk: HostedDesk | null = null;

answerCommands({
  open: async (options: DeskOptions) => {
    desk = await hostDesk(options, { worker: new URL('./delay-worker.ts', import.meta.url) });
    return desk.info;
  },
  start: () => channel.postMessage('start'),
  stop: () =>
    new Promise((done) => {
      channel.onmessage = (event) => done((event as { data: LoopDelay }).data);
      channel.postMessage('stop');
    }),
  close: () => desk?.stop('the bench is over'),
});
