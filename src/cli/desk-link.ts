/** The desk a console works on: the one that runs on the data folder, or a new one hosted by this process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeskClient } from '../desk/console/protocol.ts';
import { type DeskEnding, type HostedDesk, hostDesk, STOP_LIMIT_MS } from '../desk/hosting/host.ts';
import { connectUnixSocket } from '../desk/hosting/transports/unix-socket.ts';
import type { DeskOptions } from '../desk/running.ts';
import { DeskStartError } from '../desk/start-error.ts';
import type { Clock } from '../domain/clock.ts';
import { errorText } from '../domain/errors.ts';

/** How long a start that lost the folder to another waits for that one to listen. */
const OTHER_START_LIMIT_MS = 5_000;
const RETRY_MS = 100;

export interface DeskLink {
  /** This process is the desk's host. Settled once it is open: another start may be a moment earlier. */
  readonly hosting: boolean;
  /** The desk has opened; rejects with a sentence (`exitCode` 1 or 2) when it could not. */
  readonly opened: Promise<void>;
  /** A new terminal on the desk, once it is open: for the first console, and for one started again after a crash. */
  connect(): Promise<DeskClient>;
  /** Stops the desk, wherever it runs, once it is open. */
  stop(client: DeskClient | null, reason: string): Promise<void>;
  /** A hosted desk's end; never resolves for one of another process, where the client's line says it. */
  readonly ended: Promise<DeskEnding>;
}

/**
 * Attaches when a desk runs on the folder, else begins to host one. Rejects with a sentence (`exitCode` 1 or 2).
 * @param options asked for a new desk only: a configuration that is broken meanwhile keeps nobody from one that runs
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
      // Another start may have been a moment earlier.
      const winner = await waitForOther(dataDir, clock);
      if (winner) return attached(winner, dataDir, clock);
      throw error;
    }),
  );
}

/** The link to a desk that is opening here, as far as this process knows yet. */
export function openingLink(coming: Promise<DeskLink>): DeskLink {
  let link: DeskLink | null = null;
  const opened = coming.then((open) => {
    link = open;
  });
  // The console hears of it (console-life.ts); a start that was given up has nobody to.
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
      // Who gave up a desk of this process meant no other.
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
      // A line that ends before the answer has stopped, too.
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

/** Whether another process says that its desk holds the folder. */
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
