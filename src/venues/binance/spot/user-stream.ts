/**
 * The account's events over the WebSocket API: one socket, one subscription signed by the key (SPOTDOC web-socket-api.md; HMAC and
 * Ed25519 alike). What is subscribed is up; what ends a subscription ends its socket, and another one takes its place.
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

/** The server pings every 20 s. */
const SILENCE_MS = 75_000;
/** The exchange cuts a socket after 24 h. */
const ROTATE_MS = 23 * 3_600_000;

export interface UserStreamOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly caller: Caller;
  /** `wss://ws-api.binance.com:443/ws-api/v3`. */
  readonly address: string;
  /** One event of the account, as text with its frame. */
  event(text: string): void;
  /** A frame that is none: something may have been missed. */
  unread(problem: string): void;
  up(): void;
  /** Something may have been missed while the line stayed up: another socket has taken its place. */
  gap(): void;
  down(cause: string): void;
}

export class UserStream {
  readonly #o: UserStreamOptions;
  readonly #line: Line;
  /** Requests for a subscription that have no answer. */
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
          // Nothing of before is answered on another socket, but one that is on its way already has asked for itself.
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

  /** How long nothing was heard, ms; null: it is down. */
  get silentMs(): number | null {
    return this.#line.silentMs;
  }

  /** Resolves with null when it is subscribed, with why not after the first try that was refused, or after `ms`. */
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
      // Of no request of ours: the key was taken away.
    } else if (error) socket.fail(this.#refused(status, error));
  }

  /** In words; what it says of the address is heard first. */
  #refused(status = 0, error: FrameError | undefined): string {
    const { serverTime = 0, retryAfter } = error?.data ?? {};
    // Both are points in the exchange's time here.
    const afterMs = retryAfter === undefined || serverTime === 0 ? null : retryAfter - serverTime;
    hearBan(this.#o.caller.way, status, afterMs);
    return troubleOf({ kind: 'answer', status, text: JSON.stringify(error ?? {}) });
  }
}

function kindOf(event: unknown): string | null {
  const kind = typeof event === 'object' && event !== null && 'e' in event ? event.e : null;
  return typeof kind === 'string' ? kind : null;
}
