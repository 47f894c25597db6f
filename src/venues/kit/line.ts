/**
 * A socket that is there again when it has ended: jittered back-off, a watchdog for silence, and a planned change to a new socket,
 * with overlap, before the exchange cuts the old one by itself. Knows nothing of what is said on it. Times and chance are ports.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import type { Net, SocketRefusal, WireSocket } from './net.ts';

/** Waits before a socket is tried again, ms: the first, and the longest. */
export const BACK_OFF_MS = { least: 500, most: 30_000 } as const;
/** A socket that was ready for so long was no failure: the next wait is the first again, ms. */
const SETTLED_MS = 2_000;
/** To connect, and again until it is ready, ms. */
const READY_WITHIN_MS = 10_000;

/** One socket of a line. */
export interface LineSocket {
  /** False: it has ended, or too much waits already. */
  send(text: string): boolean;
  /** All that is to be heard on it has been asked for and granted: from now on nothing is missed. */
  ready(): void;
  /** It is of no use: it is ended, and another one is tried after a while. */
  fail(cause: string): void;
}

export interface LineEvents {
  /** A socket is open: what is to be heard is asked for on it, then it is `ready`. Of an overlap it is the second one. */
  opened(socket: LineSocket): void;
  /** Of an overlap both tell: a message may come twice, and the later one first. */
  message(text: string, socket: LineSocket): void;
  /** A socket is ready; none was. Something may have been missed. */
  up(): void;
  /** None is ready any more. */
  down(cause: string): void;
}

/** Whether the exchange may be spoken to at all, as all that goes to one address of it has to know. */
export interface LineGate {
  /** Nothing may be sent for so long, ms; 0: it may. */
  shutMs(): number;
  /** A dial was answered with this instead of a socket. */
  refused(refusal: SocketRefusal): void;
}

export interface LineOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** `wss://...`, asked for anew for each socket. Rejects with why there is none. */
  readonly url: () => string | Promise<string>;
  /** Nothing heard for so long, pings included: it has ended, ms. */
  readonly silenceMs: number;
  /** The age at which another one takes its place, ms. */
  readonly rotateMs: number;
  /** Bytes of a message at most. */
  readonly bytesMax: number;
  /** Left out: nothing is known of it, and every socket is tried. */
  readonly gate?: LineGate;
  readonly events: LineEvents;
}

class Held implements LineSocket {
  wire: WireSocket | null = null;
  isReady = false;
  isOver = false;
  readyAt = 0;
  heardAt = 0;
  /** Until it is ready. */
  readiness: Cancelable | null = null;
  /** Of its silence. */
  watch: Cancelable | null = null;
  /** Of its age. */
  age: Cancelable | null = null;
  readonly #line: { ready(held: Held): void; ended(held: Held, cause: string): void };

  constructor(line: { ready(held: Held): void; ended(held: Held, cause: string): void }) {
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
  /** Ready, or to be; of a change the old one and the new one. */
  #sockets: Held[] = [];
  #again: Cancelable | null = null;
  #tries = 0;
  #isOpen = false;

  constructor(options: LineOptions) {
    this.#o = options;
  }

  get isUp(): boolean {
    return this.#sockets.some(({ isReady }) => isReady);
  }

  /** Those that are open, be they ready or not: what is asked for later is asked for on each. */
  get sockets(): readonly LineSocket[] {
    return this.#sockets.filter(({ wire, isOver }) => wire !== null && !isOver);
  }

  /** How long nothing has been heard on what is ready, ms; null: nothing is. */
  get silentMs(): number | null {
    const heard = this.#sockets.filter(({ isReady }) => isReady).map(({ heardAt }) => heardAt);
    return heard.length === 0 ? null : this.#o.clock.monotonic() - Math.max(...heard);
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#connect();
  }

  /** Nothing is told any more. */
  close(): void {
    this.#isOpen = false;
    this.#again?.cancel();
    this.#again = null;
    for (const held of this.#sockets) this.#drop(held);
    this.#sockets = [];
  }

  /** Another socket takes the place of this one as soon as it is ready; where one is on its way already, that one does. */
  rotate(): void {
    if (this.#isOpen && !this.#again && this.#sockets.every(({ isReady }) => isReady)) this.#connect();
  }

  #connect(): void {
    const { clock, url } = this.#o;
    // A dial during a ban makes the ban longer.
    if (this.#shutMs > 0) {
      this.#later();
      return;
    }
    const held = new Held({
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

  #dial(held: Held, url: string): void {
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

  /** Looks when it could have been silent for too long, and no oftener. */
  #watch(held: Held): void {
    const { clock, silenceMs } = this.#o;
    const left = held.heardAt + silenceMs - clock.monotonic();
    if (left > 0) held.watch = clock.after(left, () => this.#watch(held));
    else this.#ended(held, `nothing was heard for ${Math.round(silenceMs / 1_000)} s`);
  }

  #ready(held: Held): void {
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

  #ended(held: Held, cause: string): void {
    if (held.isOver) return;
    const wasUp = this.isUp;
    this.#drop(held);
    this.#sockets = this.#sockets.filter((one) => one !== held);
    if (held.isReady && this.#o.clock.monotonic() - held.readyAt >= SETTLED_MS) this.#tries = 0;
    if (!this.#isOpen) return;
    // Where the other one of a change goes on there is nothing to be mended, unless it was the new one that has ended.
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

  #drop(held: Held): void {
    held.isOver = true;
    for (const timer of [held.readiness, held.watch, held.age]) timer?.cancel();
    held.wire?.close();
  }
}
