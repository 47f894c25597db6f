/**
 * The terminal's mirror of the desk: messages of the line are folded into a plain state and copied into zustand at most
 * ten times a second; a message is acknowledged once the frame that shows it is out, so a slow terminal never queues
 * more than one. Must not render, and must not invent anything the desk has not said.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { applyDelta, type DeskClient, type DeskState } from '../../desk/protocol.ts';

export interface DeskStore {
  /** Null until the first snapshot. */
  readonly state: DeskState | null;
  /** Why the line to the desk ended; null while it stands. */
  readonly lost: string | null;
}

export interface DeskMirror {
  readonly store: StoreApi<DeskStore>;
  /** The desk's wall clock now: its last word plus the time since. Unix ms. */
  wall(): number;
  /** Stops copying; the line stays open. */
  close(): void;
}

export interface DeskMirrorOptions {
  /** This terminal's clock, Unix ms. */
  readonly now: () => number;
  /** Resolves once the current frame is written. */
  readonly flush: () => Promise<void>;
  /** Shortest time between two copies. @default 100 */
  readonly tickMs?: number;
}

export function createDeskMirror(client: DeskClient, options: DeskMirrorOptions): DeskMirror {
  const tickMs = options.tickMs ?? 100;
  const store = createStore<DeskStore>(() => ({ state: null, lost: null }));
  let latest: DeskState | null = null;
  let acks: (() => void)[] = [];
  let timer: NodeJS.Timeout | null = null;
  let publishedAt = Number.NEGATIVE_INFINITY;
  let wallSkew = 0;
  let closed = false;

  const publish = (): void => {
    timer = null;
    publishedAt = performance.now();
    const done = acks;
    acks = [];
    if (latest !== store.getState().state) store.setState({ state: latest });
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
    close() {
      if (timer) clearTimeout(timer);
      timer = null;
      closed = true;
    },
  };
}
