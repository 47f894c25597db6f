/**
 * A socket that reconnects: with jittered back-off, a watchdog for silence, and a planned, overlapping change
 * to a new socket before the exchange cuts the old one. Knows nothing of the messages on it. Clock and
 * randomness are ports.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import type { Net, SocketRefusal, WireSocket } from './net.ts';

/** The wait before the next attempt to connect, ms: the first wait, and the longest. */
export const BACK_OFF_MS = { least: 500, most: 30_000 } as const;
/** A socket that was ready for this long, ms, counts as a success: the next wait is the first one again. */
const SETTLED_MS = 2_000;
/** The timeout to connect, and again the timeout until the socket is ready, ms. */
const READY_WITHIN_MS = 10_000;

/** One socket of a line. */
export interface LineSocket {
  /** Sends a message. False: the socket has ended, or too much is waiting on it already. */
  send(text: string): boolean;
  /** To be called when all subscriptions have been confirmed: from now on no message is missed. */
  ready(): void;
  /** Ends a socket that is of no use; another one is tried after a while. */
  fail(cause: string): void;
}

export interface LineEvents {
  /** A socket is open: subscribe on it, then call `ready`. During an overlap it is the second one. */
  opened(socket: LineSocket): void;
  /**
   * A message has arrived. During an overlap both sockets send: a message may come twice, and the later one
   * first.
   */
  message(text: string, socket: LineSocket): void;
  /** The first socket is ready. Something may have been missed before. */
  up(): void;
  /** No socket is ready any more. */
  down(cause: string): void;
}

/**
 * Whether the exchange may be spoken to at all, which everything that uses one of its addresses has to know.
 */
export interface LineGate {
  /** How long nothing may be sent, ms; 0: requests may leave. */
  shutMs(): number;
  /** A connection attempt was answered with this instead of a socket. */
  refused(refusal: SocketRefusal): void;
}

export interface LineOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** Returns the address, `wss://...`; called for each socket. Rejects with the reason why there is none. */
  readonly url: () => string | Promise<string>;
  /** A socket on which nothing, not even a ping, was heard for this long counts as ended, ms. */
  readonly silenceMs: number;
  /** The age at which another socket replaces it, ms. */
  readonly rotateMs: number;
  /** The largest message, bytes. */
  readonly bytesMax: number;
  /** Left out: nothing is known about bans, and every socket is tried. */
  readonly gate?: LineGate;
  readonly events: LineEvents;
}

class LineConnection implements LineSocket {
  wire: WireSocket | null = null;
  isReady = false;
  isOver = false;
  readyAt = 0;
  heardAt = 0;
  /** The timer until the socket has to be ready. */
  readiness: Cancelable | null = null;
  /** The timer of its silence. */
  watch: Cancelable | null = null;
  /** The timer of its age. */
  age: Cancelable | null = null;
  readonly #line: { ready(held: LineConnection): void; ended(held: LineConnection, cause: string): void };

  constructor(line: { ready(held: LineConnection): void; ended(held: LineConnection, cause: string): void }) {
    this.#line = line;
  }

  send(text: string): boolean {
    return !this.isOver && this.wire?.send(text) === true;
  }

  ready(): void {
    if (!this.isOver && !this.isReady) this.#line.ready(this);
  }

  fail(cause: string): void {
    this.#line.ended(this, cause);
  }
}

export class Line {
  readonly #o: LineOptions;
  /** The sockets that are ready or about to be; during a change the old and the new one. */
  #sockets: LineConnection[] = [];
  #again: Cancelable | null = null;
  #tries = 0;
  #isOpen = false;

  constructor(options: LineOptions) {
    this.#o = options;
  }

  get isUp(): boolean {
    return this.#sockets.some(({ isReady }) => isReady);
  }

  /** The open sockets, ready or not: a later subscription is sent on each. */
  get sockets(): readonly LineSocket[] {
    return this.#sockets.filter(({ wire, isOver }) => wire !== null && !isOver);
  }

  /** How long nothing has been heard on the ready sockets, ms; null: none is ready. */
  get silentMs(): number | null {
    const heard = this.#sockets.filter(({ isReady }) => isReady).map(({ heardAt }) => heardAt);
    return heard.length === 0 ? null : this.#o.clock.monotonic() - Math.max(...heard);
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#connect();
  }

  /** Closes the line: no event follows. */
  close(): void {
    this.#isOpen = false;
    this.#again?.cancel();
    this.#again = null;
    for (const held of this.#sockets) this.#drop(held);
    this.#sockets = [];
  }

  /** Replaces this socket as soon as another one is ready; does nothing if one is already on its way. */
  rotate(): void {
    if (this.#isOpen && !this.#again && this.#sockets.every(({ isReady }) => isReady)) this.#connect();
  }

  #connect(): void {
    const { clock, url } = this.#o;
    // Connecting during a ban makes the ban longer.
    if (this.#shutMs > 0) {
      this.#later();
      return;
    }
    const held = new LineConnection({
      ready: (one) => this.#ready(one),
      ended: (one, cause) => this.#ended(one, cause),
    });
    this.#sockets.push(held);
    held.readiness = clock.after(READY_WITHIN_MS, () =>
      this.#ended(held, 'the socket was not ready in time'),
    );
    Promise.resolve()
      .then(url)
      .then(
        (address) => {
          if (held.isOver) return;
          if (this.#shutMs > 0) this.#ended(held, 'the exchange takes nothing from this address for now');
          else this.#dial(held, address);
        },
        (error: unknown) => this.#ended(held, error instanceof Error ? error.message : 'it has no address'),
      );
  }

  #dial(held: LineConnection, url: string): void {
    const { net, clock, bytesMax, events } = this.#o;
    const heard = () => {
      held.heardAt = clock.monotonic();
    };
    held.wire = net.socket(
      { url, timeoutMs: READY_WITHIN_MS, bytesMax },
      {
        opened: () => {
          if (held.isOver) return;
          heard();
          this.#watch(held);
          events.opened(held);
        },
        message: (text) => {
          if (held.isOver) return;
          heard();
          events.message(text, held);
        },
        pinged: heard,
        closed: (cause, refusal) => {
          if (refusal && !held.isOver) this.#o.gate?.refused(refusal);
          this.#ended(held, cause);
        },
      },
    );
  }

  /** Ends the socket when it was silent for too long; checks only when that could be so. */
  #watch(held: LineConnection): void {
    const { clock, silenceMs } = this.#o;
    const left = held.heardAt + silenceMs - clock.monotonic();
    if (left > 0) held.watch = clock.after(left, () => this.#watch(held));
    else this.#ended(held, `nothing was heard for ${Math.round(silenceMs / 1_000)} s`);
  }

  #ready(held: LineConnection): void {
    const { clock, rotateMs, events } = this.#o;
    const wasUp = this.isUp;
    held.isReady = true;
    held.readyAt = clock.monotonic();
    held.readiness?.cancel();
    held.age = clock.after(rotateMs, () => this.rotate());
    for (const other of this.#sockets) if (other !== held && other.isReady) this.#drop(other);
    this.#sockets = this.#sockets.filter(({ isOver }) => !isOver);
    if (!wasUp) events.up();
  }

  #ended(held: LineConnection, cause: string): void {
    if (held.isOver) return;
    const wasUp = this.isUp;
    this.#drop(held);
    this.#sockets = this.#sockets.filter((one) => one !== held);
    if (held.isReady && this.#o.clock.monotonic() - held.readyAt >= SETTLED_MS) this.#tries = 0;
    if (!this.#isOpen) return;
    // While the other socket of a change goes on nothing has to be repaired, unless the one that ended was
    // the new one.
    if (this.#sockets.length === 0 || !held.isReady) this.#later();
    if (wasUp && !this.isUp) this.#o.events.down(cause);
  }

  #later(): void {
    if (this.#again) return;
    const { least, most } = BACK_OFF_MS;
    const full = Math.min(most, least * 2 ** Math.min(this.#tries, 10));
    this.#tries += 1;
    const wait = Math.max(least, full * (0.5 + this.#o.random.next() / 2), this.#shutMs);
    this.#again = this.#o.clock.after(wait, () => {
      this.#again = null;
      this.#connect();
    });
  }

  get #shutMs(): number {
    return this.#o.gate?.shutMs() ?? 0;
  }

  #drop(held: LineConnection): void {
    held.isOver = true;
    for (const timer of [held.readiness, held.watch, held.age]) timer?.cancel();
    held.wire?.close();
  }
}
