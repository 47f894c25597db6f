/**
 * The account's events over the WebSocket API: one socket, one subscription signed by the key (SPOTDOC
 * web-socket-api.md; HMAC and Ed25519 alike). A subscribed socket is up; the end of a subscription ends its
 * socket, and another one replaces it.
 */
import type { Clock, Random } from '../../../domain/clock.ts';
import { FRAME } from '../../kit/bounds.ts';
import type { Caller } from '../../kit/caller.ts';
import { Line, type LineSocket } from '../../kit/line.ts';
import type { Net } from '../../kit/net.ts';
import { gateOf, hearBan } from '../dialect.ts';
import { troubleOf } from '../trouble.ts';
import { type FrameError, readFrame } from './messages.ts';
import { SPOT } from './requests.ts';

/** Silence after which a socket counts as dead: the server pings every 20 s. */
const SILENCE_MS = 75_000;
/** Age at which a socket is replaced: the exchange cuts it after 24 h. */
const ROTATE_MS = 23 * 3_600_000;

export interface UserStreamOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly caller: Caller;
  /** The address, `wss://ws-api.binance.com:443/ws-api/v3`. */
  readonly address: string;
  /** Called with one event of the account, as text with its frame. */
  event(text: string): void;
  /** An unreadable frame: something may have been missed. */
  unread(problem: string): void;
  up(): void;
  /** Another socket has taken the place of an open one; events may have been missed. */
  gap(): void;
  down(cause: string): void;
}

export class UserStream {
  readonly #o: UserStreamOptions;
  readonly #line: Line;
  /** Subscription requests without an answer yet. */
  readonly #asked = new Map<string, LineSocket>();
  #requests = 0;
  /** Why the last try failed. */
  #trouble: string | null = null;
  #waiting: ((problem: string | null) => void) | null = null;

  constructor(options: UserStreamOptions) {
    this.#o = options;
    const { net, clock, random, address } = options;
    this.#line = new Line({
      net,
      clock,
      random,
      silenceMs: SILENCE_MS,
      rotateMs: ROTATE_MS,
      bytesMax: FRAME.length,
      url: () => `${address}?returnRateLimits=false`,
      gate: gateOf(options.caller.way),
      events: {
        opened: (socket) => void this.#subscribe(socket),
        message: (text, socket) => this.#message(text, socket),
        up: () => {
          this.#answer(null);
          options.up();
        },
        down: (cause) => {
          // Requests of closed sockets get no answer on another one; a socket that is being opened has made
          // its own.
          for (const [id, socket] of this.#asked)
            if (!this.#line.sockets.includes(socket)) this.#asked.delete(id);
          options.down(cause);
        },
      },
    });
  }

  get isUp(): boolean {
    return this.#line.isUp;
  }

  /** Time since the last message, ms; null: the stream is down. */
  get silentMs(): number | null {
    return this.#line.silentMs;
  }

  /**
   * Opens the stream. Resolves with null when subscribed; else with the reason after the first refused try,
   * or after `ms`.
   */
  open(ms: number): Promise<string | null> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#o.clock.after(ms, () =>
        this.#answer(this.#trouble ?? 'the socket of its events was not there in time'),
      );
      this.#line.open();
    });
  }

  close(): void {
    this.#line.close();
    this.#asked.clear();
    this.#answer('it was closed');
  }

  #answer(problem: string | null): void {
    this.#waiting?.(problem);
    this.#waiting = null;
  }

  async #subscribe(socket: LineSocket): Promise<void> {
    this.#requests += 1;
    const id = `subscribe-${this.#requests}`;
    this.#asked.set(id, socket);
    try {
      const sent = await this.#o.caller.say(SPOT.subscribe, {}, id, (text) => socket.send(text));
      if (!sent) this.#failed(id, 'the subscription could not be sent');
    } catch (error) {
      this.#failed(id, error instanceof Error ? error.message : 'it could not be signed');
    }
  }

  #failed(id: string, why: string): void {
    const socket = this.#asked.get(id);
    this.#asked.delete(id);
    this.#trouble = why;
    socket?.fail(why);
    this.#answer(why);
  }

  #message(text: string, socket: LineSocket): void {
    const read = readFrame(text);
    if (!read.ok) {
      this.#o.unread(read.problem);
      return;
    }
    const { id, status, error, event } = read.value;
    if (event !== undefined) {
      if (kindOf(event) === 'serverShutdown') this.#line.rotate();
      else if (kindOf(event) === 'eventStreamTerminated')
        socket.fail('the exchange has ended the subscription');
      else this.#o.event(text);
      return;
    }
    if (typeof id === 'string' && this.#asked.get(id) === socket) {
      if (status === 200 && !error) {
        this.#asked.delete(id);
        const isChange = this.#line.isUp;
        socket.ready();
        if (isChange) this.#o.gap();
      } else this.#failed(id, this.#refused(status, error));
      // Not an answer to our requests: the key was taken away.
    } else if (error) socket.fail(this.#refused(status, error));
  }

  /** The refusal in words; first notes what it says about the address's limits. */
  #refused(status = 0, error: FrameError | undefined): string {
    const { serverTime = 0, retryAfter } = error?.data ?? {};
    // Both are times of the exchange's clock here.
    const afterMs = retryAfter === undefined || serverTime === 0 ? null : retryAfter - serverTime;
    hearBan(this.#o.caller.way, status, afterMs);
    return troubleOf({ kind: 'answer', status, text: JSON.stringify(error ?? {}) });
  }
}

function kindOf(event: unknown): string | null {
  const kind = typeof event === 'object' && event !== null && 'e' in event ? event.e : null;
  return typeof kind === 'string' ? kind : null;
}
