/**
 * The terminal's mirror of the desk: messages of the connection are merged into a plain state and copied into
 * zustand at most ten times a second; a message is acknowledged once the frame that shows it has been sent,
 * so a slow terminal never queues more than one. Must not render, and must not invent anything the desk has
 * not sent.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { DeskClient, DeskState } from '../../desk/console/protocol.ts';
import { applyDelta } from './apply-delta.ts';

export interface DeskStore {
  /** Null until the first snapshot. */
  readonly state: DeskState | null;
  /** Why the connection to the desk has ended; null while it is open. */
  readonly lost: string | null;
}

export interface DeskMirror {
  readonly store: StoreApi<DeskStore>;
  /** The desk's wall clock now, Unix ms: its last report plus the time since. */
  wall(): number;
  /** Shows the newest state after a key press. */
  wake(): void;
  /** Stops copying; the connection stays open. */
  close(): void;
}

export interface DeskMirrorOptions {
  /** This terminal's clock, Unix ms. */
  readonly now: () => number;
  /** Resolves once the current frame has been drawn, as far as the terminal reports it. */
  readonly flush: () => Promise<void>;
  /** Shortest time between two copies, ms. */
  readonly tickMs: number;
  /**
   * Time after each copy during which a display that is read aloud does not change, ms; `wake` ends it, since
   * somebody is at the keyboard. @default 0
   */
  readonly stillMs?: number;
}

/**
 * Time after a key during which copies are shown at their usual pace, ms: the effect of the key is among
 * them.
 */
const AWAKE_MS = 2_000;

export function createDeskMirror(client: DeskClient, options: DeskMirrorOptions): DeskMirror {
  const { tickMs, stillMs = 0 } = options;
  const store = createStore<DeskStore>(() => ({ state: null, lost: null }));
  let latest: DeskState | null = null;
  let acks: (() => void)[] = [];
  let timer: NodeJS.Timeout | null = null;
  let publishedAt = Number.NEGATIVE_INFINITY;
  let shownAt = Number.NEGATIVE_INFINITY;
  let awakeUntil = Number.NEGATIVE_INFINITY;
  let still: NodeJS.Timeout | null = null;
  let wallSkew = 0;
  let closed = false;

  const show = (): void => {
    if (still) clearTimeout(still);
    still = null;
    shownAt = performance.now();
    if (latest !== store.getState().state) store.setState({ state: latest });
  };
  const publish = (): void => {
    timer = null;
    publishedAt = performance.now();
    const done = acks;
    acks = [];
    const wait = publishedAt < awakeUntil ? 0 : shownAt + stillMs - publishedAt;
    if (wait <= 0) show();
    else still ??= setTimeout(show, wait);
    const acknowledge = (): void => {
      for (const ack of done) ack();
    };
    options.flush().then(acknowledge, acknowledge);
  };

  client.onState((message, ack) => {
    if ('snapshot' in message) latest = message.snapshot;
    else if (latest) latest = applyDelta(latest, message.delta);
    const clock = 'snapshot' in message ? message.snapshot.clock : message.delta.clock;
    if (clock) wallSkew = clock.wall - options.now();
    acks.push(ack);
    if (timer || closed) return;
    const wait = publishedAt + tickMs - performance.now();
    timer = setTimeout(publish, Math.max(0, wait));
  });
  client.onClosed((reason) => {
    if (!closed) store.setState({ lost: reason || 'the line was closed' });
  });

  return {
    store,
    wall: () => options.now() + wallSkew,
    wake() {
      awakeUntil = performance.now() + AWAKE_MS;
      if (!closed && still) show();
    },
    close() {
      if (timer) clearTimeout(timer);
      if (still) clearTimeout(still);
      timer = null;
      still = null;
      closed = true;
    },
  };
}
