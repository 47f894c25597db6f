/**
 * The desk's side of the worker thread: opens the desk, serves the terminals that the main thread hands over
 * as ports and those of other processes on the Unix socket, and ends when the desk does. It never uses a
 * terminal itself: if the main thread hangs in a terminal, all of this goes on.
 */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Clock } from '../../../domain/clock.ts';
import { errorText } from '../../../domain/errors.ts';
import { IDLE_LOCK_MS } from '../../console/idle-lock.ts';
import type { DeskInfo } from '../../console/protocol.ts';
import { createSessionHub, type SessionHub } from '../../console/session-hub.ts';
import type { DeskOptions, RunningDesk } from '../../running.ts';
import { deskPortLine } from './message-port.ts';
import { listenUnixSocket, type SocketListener } from './unix-socket.ts';

export type ToWorker =
  /** Connects a terminal of the main thread; `port` is the desk's end. */
  { readonly t: 'connect'; readonly port: MessagePort } | { readonly t: 'stop'; readonly reason: string };

export type FromWorker =
  | { readonly t: 'ready'; readonly info: DeskInfo; readonly socketPath: string }
  | { readonly t: 'failed'; readonly message: string; readonly exitCode: number }
  | { readonly t: 'ended'; readonly reason: string; readonly exitCode: number };

/** How long the desk may take to stop in order before this thread ends without it, ms. */
export const DESK_STOP_LIMIT_MS = 8_000;

type OpenDesk = (options: DeskOptions) => Promise<RunningDesk>;
type Ending = { readonly reason: string; readonly exitCode: number };

/** Runs a desk in this worker thread until it is stopped. Resolves when everything is reported and closed. */
export async function serveFromWorker(open: OpenDesk, options: DeskOptions, clock: Clock): Promise<void> {
  const parent = parentPort;
  if (!parent) throw new Error('the desk runs in a worker thread');
  const tell = (message: FromWorker) => parent.postMessage(message);
  // A stop that comes while the desk still opens: the desk is opened and then stopped in order.
  let askToStop: (ending: Ending) => void = () => {};
  const asked = new Promise<Ending>((resolve) => {
    askToStop = resolve;
  });
  let hub: SessionHub | null = null;
  parent.on('message', (message: ToWorker) => {
    if (message.t === 'stop') askToStop({ reason: message.reason, exitCode: 0 });
    else if (hub) hub.accept(deskPortLine(message.port));
    else message.port.close();
  });
  try {
    const desk = await open(options);
    hub = createSessionHub({
      desk,
      clock,
      report: reporter(desk),
      audit: (level, text) => desk.audit?.(level, text),
      idleLockMs: options.idleLockMs ?? IDLE_LOCK_MS,
    });
    const socket = await listenOrStop(desk, options.dataDir, hub, clock);
    tell({ t: 'ready', info: desk.info, socketPath: socket.path });
    const ending = await Promise.race([asked, desk.stopping]);
    // Terminals are told last: their earlier calls are answered first.
    const exitCode = (await stopDesk(desk, ending.reason, clock)) ? ending.exitCode : 1;
    hub.closeAll(ending.reason);
    await socket.close();
    tell({ t: 'ended', reason: ending.reason, exitCode });
  } catch (error) {
    tell({ t: 'failed', message: errorText(error), exitCode: exitCodeOf(error) });
  } finally {
    parent.close();
  }
}

async function listenOrStop(
  desk: RunningDesk,
  dataDir: string,
  hub: SessionHub,
  clock: Clock,
): Promise<SocketListener> {
  try {
    return await listenUnixSocket({ dataDir, clock, accept: hub.accept });
  } catch (error) {
    await stopDesk(desk, 'the socket for terminals could not be opened', clock);
    throw error;
  }
}

/** Stops the desk; false when it did not stop cleanly or in time. */
async function stopDesk(desk: RunningDesk, reason: string, clock: Clock): Promise<boolean> {
  const report = reporter(desk);
  return new Promise((resolve) => {
    const limit = clock.after(DESK_STOP_LIMIT_MS, () => resolve(false));
    const done = (clean: boolean) => {
      limit.cancel();
      resolve(clean);
    };
    desk.stop(reason).then(
      () => done(true),
      (error: unknown) => {
        report('stopping the desk', error);
        done(false);
      },
    );
  });
}

function reporter(desk: RunningDesk): (doing: string, error: unknown) => void {
  return (doing, error) => desk.report?.(doing, error);
}

function exitCodeOf(error: unknown): number {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number'
    ? error.exitCode
    : 1;
}
