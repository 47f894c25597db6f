/**
 * The life of a console on one terminal: it is shown, restarted after a failure, and ended by its user, a
 * signal, a hang-up or the desk's end. A hosted desk outlives its terminal: after a detach or hang-up this
 * process goes on without one.
 */

import type { DeskClient } from '../desk/console/protocol.ts';
import type { DeskEnding } from '../desk/hosting/host.ts';
import { LINE_LOST } from '../desk/hosting/transports/line.ts';
import type { Clock } from '../domain/clock.ts';
import { errorText } from '../domain/errors.ts';
import type { DeskLink } from './desk-link.ts';
import { pendingClient } from './pending-client.ts';
import type { Terminal } from './terminal.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

/** Shortest time between two starts of a console that fails. */
export const RESTART_INTERVAL_MS = 5_000;
/** How long a console may take to leave the screen when it is told to. */
export const LEAVE_LIMIT_MS = 1_000;

export interface ConsoleLifeOptions {
  readonly link: DeskLink;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Shows the console until its user leaves or `signal` aborts it; rejects if the console has failed. */
  readonly show: (
    client: DeskClient,
    signal: AbortSignal,
  ) => Promise<{ action: 'detach' | 'stop' | 'hangup' }>;
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly terminated: Promise<string>;
  /** Resolves at SIGHUP, or when the terminal's input has ended. */
  readonly hungUp: Promise<void>;
  /** Listens for uncaught errors on this thread, which are all the console's; returns the way to stop. */
  readonly onUncaught: (listener: (error: unknown) => void) => () => void;
  /** Tells the launcher to free the user's shell; returns false if no launcher waits. */
  readonly leaveShell: () => boolean;
  /** The command that attaches again, e.g. `outcry --data-dir DIR`. */
  readonly attachCommand: string;
  readonly pid: number;
}

/** How long a hosted desk may take to end after its connection has ended. */
export const END_LIMIT_MS = 2_000;

type End =
  | { readonly kind: 'left'; readonly action: 'detach' | 'stop' | 'hangup' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'terminated'; readonly signal: string }
  | { readonly kind: 'lost'; readonly reason: string }
  /** The desk could not be opened. */
  | { readonly kind: 'unopened'; readonly error: unknown };

/**
 * Shows consoles until nothing is left to do (for a hosted desk, until its end) and resolves with the
 * process's exit code. Rejects with the reason if the desk could not be opened.
 */
export async function liveConsole(options: ConsoleLifeOptions): Promise<number> {
  const { link, terminal, clock } = options;
  for (;;) {
    const startedAt = clock.wall();
    const { end, client } = await showOnce(options);
    switch (end.kind) {
      case 'left':
        if (end.action !== 'stop') return await goOn(options, end.action);
        await link.stop(client, 'stopped at the terminal');
        return link.hosting ? await ended(options, false) : EXIT_OK;
      case 'terminated':
        if (!link.hosting) return EXIT_OK;
        await link.stop(client, end.signal);
        return await ended(options, false);
      case 'unopened':
        await terminal.flush();
        throw end.error;
      case 'lost':
        if (link.hosting) return await ended(options, true);
        terminal.say(`The desk has ended: ${end.reason}`);
        await terminal.flush();
        return end.reason === LINE_LOST ? EXIT_FAILURE : EXIT_OK;
      case 'failed': {
        terminal.restore();
        terminal.say(
          `The console has failed and starts again; the desk trades on. (${errorText(end.error)})`,
        );
        const wait = RESTART_INTERVAL_MS - (clock.wall() - startedAt);
        const stopped = wait > 0 ? await pause(options, Math.min(wait, RESTART_INTERVAL_MS)) : null;
        if (stopped === 'hangup') return await goOn(options, 'hangup');
        if (stopped === null) continue;
        if (link.hosting) await link.stop(null, stopped);
        return link.hosting ? await ended(options, false) : EXIT_OK;
      }
    }
  }
}

/** Shows one console from its first frame to its last; afterwards the shell has the screen again. */
async function showOnce(options: ConsoleLifeOptions): Promise<{ end: End; client: DeskClient | null }> {
  const { link, terminal, clock, show, terminated, hungUp, onUncaught } = options;
  // Shown while the desk opens, so that the person can leave without waiting for it.
  const line = link.connect();
  const client = pendingClient(line);
  const control = new AbortController();
  const shown = show(client, control.signal).then(
    ({ action }): End => ({ kind: 'left', action }),
    (error: unknown): End => ({ kind: 'failed', error }),
  );
  let unlisten = () => {};
  const end = await Promise.race([
    shown,
    terminated.then((signal): End => ({ kind: 'terminated', signal })),
    hungUp.then((): End => ({ kind: 'left', action: 'hangup' })),
    new Promise<string>((resolve) => client.onClosed(resolve)).then((reason) => lost(options, reason)),
    notConnected(options, line),
    new Promise<End>((resolve) => {
      unlisten = onUncaught((error) => resolve({ kind: 'failed', error }));
    }),
  ]);
  control.abort();
  const limit = new Promise<'late'>((resolve) => void clock.after(LEAVE_LIMIT_MS, () => resolve('late')));
  if ((await Promise.race([shown, limit])) === 'late') terminal.restore();
  unlisten();
  // A console that was asked to stop the desk needs the connection for that.
  if (!(end.kind === 'left' && end.action === 'stop')) client.close();
  return { end, client };
}

/** Resolves when there is no connection and there will be none. */
function notConnected(options: ConsoleLifeOptions, line: Promise<DeskClient>): Promise<End> {
  return new Promise((resolve) => {
    line.catch(async (error: unknown) => {
      const unopened = await options.link.opened.then(
        () => null,
        (why: unknown): End => ({ kind: 'unopened', error: why }),
      );
      resolve(unopened ?? (await lost(options, errorText(error))));
    });
  });
}

/** Decides what a lost connection means: the desk has ended, or a hosted desk lives on without a console. */
async function lost({ link, clock }: ConsoleLifeOptions, reason: string): Promise<End> {
  if (!link.hosting) return { kind: 'lost', reason };
  const limit = new Promise<'lives'>((resolve) => void clock.after(END_LIMIT_MS, () => resolve('lives')));
  const lives = (await Promise.race([link.ended, limit])) === 'lives';
  return lives ? { kind: 'failed', error: new Error(reason) } : { kind: 'lost', reason };
}

/** Leaves the terminal; a hosted desk goes on, and this process with it. */
async function goOn(options: ConsoleLifeOptions, why: 'detach' | 'hangup'): Promise<number> {
  const { link, terminal, terminated, attachCommand, pid } = options;
  if (!link.hosting) {
    await terminal.flush();
    return EXIT_OK;
  }
  if (why === 'detach')
    terminal.say(
      `The desk goes on without a terminal (process ${pid}): "${attachCommand}" attaches to it, "kill ${pid}" stops it.`,
    );
  await terminal.flush();
  if (!options.leaveShell() && why === 'detach')
    terminal.say(
      'This shell waits for it: press ctrl-z and enter "bg" to go on here, or close the terminal.',
    );
  await terminal.release();
  void terminated.then((signal) => link.stop(null, signal));
  return (await link.ended).exitCode;
}

/** Returns the hosted desk's exit code; says why it ended if that was not asked for here or went wrong. */
async function ended({ link, terminal }: ConsoleLifeOptions, tell: boolean): Promise<number> {
  const ending: DeskEnding = await link.ended;
  if (tell || ending.exitCode !== EXIT_OK) terminal.say(`The desk has ended: ${ending.reason}`);
  await terminal.flush();
  return ending.exitCode;
}

/** Waits; returns the signal or `hangup` that came meanwhile, or null. */
async function pause(options: ConsoleLifeOptions, ms: number): Promise<string | null> {
  return Promise.race([
    new Promise<null>((resolve) => void options.clock.after(ms, () => resolve(null))),
    options.terminated,
    options.hungUp.then(() => 'hangup'),
  ]);
}
