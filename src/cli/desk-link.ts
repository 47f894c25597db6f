/** The desk of a console: the one that runs on the data folder, or a new one hosted by this process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeskClient } from '../desk/console/protocol.ts';
import { type DeskEnding, type HostedDesk, hostDesk, STOP_LIMIT_MS } from '../desk/hosting/host.ts';
import { connectUnixSocket } from '../desk/hosting/transports/unix-socket.ts';
import type { DeskOptions } from '../desk/running.ts';
import { DeskStartError } from '../desk/start-error.ts';
import type { Clock } from '../domain/clock.ts';
import { errorText } from '../domain/errors.ts';

/** How long a start waits for another process that has taken the folder first and is about to listen. */
const OTHER_START_LIMIT_MS = 5_000;
const RETRY_MS = 100;

export interface DeskLink {
  /** This process is the desk's host. Final once the desk is open: another process may have started first. */
  readonly hosting: boolean;
  /** Resolves when the desk has opened; rejects with a sentence (`exitCode` 1 or 2) if it could not. */
  readonly opened: Promise<void>;
  /** Connects a new terminal once the desk is open: for the first console, and after a console's crash. */
  connect(): Promise<DeskClient>;
  /** Stops the desk, in whichever process it runs, once it is open. */
  stop(client: DeskClient | null, reason: string): Promise<void>;
  /** A hosted desk's end; never resolves for another process's desk, whose client calls `onClosed`. */
  readonly ended: Promise<DeskEnding>;
}

/**
 * Attaches if a desk runs on the folder, otherwise begins to host one. Rejects with a sentence (`exitCode` 1
 * or 2).
 * @param options called only for a new desk: a broken configuration does not keep a console from a running
 * desk
 */
export async function reachDesk(
  dataDir: string,
  options: () => DeskOptions,
  clock: Clock,
): Promise<DeskLink> {
  const running = await connectUnixSocket(dataDir, clock);
  if (running) return attached(running, dataDir, clock);
  return openingLink(
    hostDesk(options()).then(hosted, async (error: unknown) => {
      // Another process may have started first.
      const winner = await waitForOther(dataDir, clock);
      if (winner) return attached(winner, dataDir, clock);
      throw error;
    }),
  );
}

/** Returns the link to a desk that is still opening here. */
export function openingLink(coming: Promise<DeskLink>): DeskLink {
  let link: DeskLink | null = null;
  const opened = coming.then((open) => {
    link = open;
  });
  // The console reports this error (console-life.ts); a start that was given up has nobody to report it to.
  opened.catch(() => {});
  return {
    get hosting() {
      return link?.hosting ?? true;
    },
    opened,
    connect: async () => (await coming).connect(),
    async stop(client, reason) {
      const wasOpen = link !== null;
      const open = await coming;
      // The person gave up this process's desk and did not mean another one.
      if (!wasOpen && !open.hosting) client?.close();
      else await open.stop(client, reason);
    },
    ended: coming.then(
      ({ ended }) => ended,
      (error: unknown) => endingOf(error),
    ),
  };
}

function endingOf(error: unknown): DeskEnding {
  const exitCode = error instanceof DeskStartError ? error.exitCode : 1;
  return { reason: errorText(error), exitCode };
}

function hosted(desk: HostedDesk): DeskLink {
  return {
    hosting: true,
    opened: Promise.resolve(),
    connect: () => desk.connect(),
    stop: (_client, reason) => desk.stop(reason),
    ended: desk.ended,
  };
}

function attached(first: DeskClient, dataDir: string, clock: Clock): DeskLink {
  let next: DeskClient | null = first;
  return {
    hosting: false,
    opened: Promise.resolve(),
    async connect() {
      const client = next ?? (await connectUnixSocket(dataDir, clock));
      next = null;
      if (!client) throw new Error('The desk has ended');
      return client;
    },
    async stop(client) {
      if (!client) return;
      const closed = new Promise<void>((resolve) => client.onClosed(() => resolve()));
      // If the connection ends before the response, the desk has stopped, too.
      await Promise.race([client.call('desk.stop', {}), closed]).catch(() => {});
      const limit = new Promise<void>((resolve) => void clock.after(STOP_LIMIT_MS, resolve));
      await Promise.race([closed, limit]);
    },
    ended: new Promise(() => {}),
  };
}

async function waitForOther(dataDir: string, clock: Clock): Promise<DeskClient | null> {
  for (let waitedMs = 0; waitedMs <= OTHER_START_LIMIT_MS && otherDeskLives(dataDir); waitedMs += RETRY_MS) {
    const client = await connectUnixSocket(dataDir, clock).catch(() => null);
    if (client) return client;
    await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
  }
  return null;
}

/** Tells whether another process claims that its desk has the folder. */
function otherDeskLives(dataDir: string): boolean {
  try {
    const pid = Number(readFileSync(join(dataDir, 'outcry.pid'), 'utf8'));
    if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
