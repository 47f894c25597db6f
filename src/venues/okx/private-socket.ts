/**
 * One socket with an account's events: logged in, subscribed and watched (OD Connect, Login, Notification).
 * It is up when all its subscriptions are confirmed. OKX cuts a socket that is silent for 30 s, so a `ping`
 * goes out before that.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import { FRAME } from '../kit/bounds.ts';
import type { Caller } from '../kit/caller.ts';
import { Line, type LineSocket } from '../kit/line.ts';
import type { Net } from '../kit/net.ts';
import { turnToConnect } from './budgets.ts';
import { type FrameHead, readHead } from './messages.ts';
import { OKX, type OkxForm } from './requests.ts';
import { codedTrouble } from './trouble.ts';

/** How often a ping is sent: the exchange answers at once, and cuts after 30 s of silence. */
export const PING_EVERY_MS = 15_000;
const SILENCE_MS = 35_000;
/** The exchange documents no age limit: sockets are replaced now and then all the same. */
const ROTATE_MS = 23 * 3_600_000;
/** Notice that the service is about to be upgraded: the socket is replaced first ("Notification"). */
const UPGRADE = '64008';

export interface PrivateSocketOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly caller: Caller;
  readonly address: string;
  /** The form of the socket's subscription. */
  readonly form: OkxForm;
  readonly channels: readonly Readonly<Record<string, string>>[];
  /** Called with data of a channel, as text. */
  event(channel: string, text: string): void;
  /** An unreadable frame: something may have been missed. */
  unread(problem: string): void;
  up(): void;
  /** Another socket has taken the place of an open one; events may have been missed. */
  gap(): void;
  down(cause: string): void;
  /** The service is about to be upgraded: this also concerns the other sockets, which get no notice. */
  upgrade(): void;
}

interface SocketConnection {
  readonly loginId: string;
  readonly missing: Set<string>;
  ping: Cancelable | null;
}

export class PrivateSocket {
  readonly #o: PrivateSocketOptions;
  readonly #line: Line;
  readonly #held = new Map<LineSocket, SocketConnection>();
  #count = 0;
  #trouble: string | null = null;
  #waiting: ((problem: string | null) => void) | null = null;
  #isOpen = false;

  constructor(options: PrivateSocketOptions) {
    this.#o = options;
    const { net, clock, random, address } = options;
    this.#line = new Line({
      net,
      clock,
      random,
      silenceMs: SILENCE_MS,
      rotateMs: ROTATE_MS,
      bytesMax: FRAME.length,
      url: () => turnToConnect(options.caller.way, address),
      events: {
        opened: (socket) => this.#opened(socket),
        message: (text, socket) => this.#message(text, socket),
        up: () => {
          this.#answer(null);
          options.up();
        },
        down: (cause) => {
          this.#forget();
          options.down(cause);
        },
      },
    });
  }

  get isUp(): boolean {
    return this.#line.isUp;
  }

  /**
   * Opens the socket. Resolves with null when subscribed; else with the reason after the first refused try,
   * or after `ms`.
   */
  open(ms: number): Promise<string | null> {
    this.#isOpen = true;
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#o.clock.after(ms, () =>
        this.#answer(this.#trouble ?? 'the socket of its events was not there in time'),
      );
      this.#line.open();
    });
  }

  /** Replaces this socket by another one. */
  rotate(): void {
    this.#line.rotate();
  }

  close(): void {
    this.#isOpen = false;
    this.#line.close();
    this.#forget();
    this.#answer('it was closed');
  }

  #answer(problem: string | null): void {
    this.#waiting?.(problem);
    this.#waiting = null;
  }

  #opened(socket: LineSocket): void {
    this.#count += 1;
    const missing = new Set(this.#o.channels.map(({ channel = '' }) => channel));
    const held: SocketConnection = { loginId: `login${this.#count}`, missing, ping: null };
    this.#held.set(socket, held);
    const again = () => {
      held.ping = this.#o.clock.after(PING_EVERY_MS, () => {
        // A socket that was replaced needs no more pings.
        if (!this.#held.has(socket)) return;
        if (socket.send('ping')) again();
        else this.#drop(socket);
      });
    };
    again();
    void this.#say(socket, OKX.login, {}, held.loginId);
  }

  async #say(
    socket: LineSocket,
    form: OkxForm,
    parameters: Readonly<Record<string, string>>,
    id: string,
  ): Promise<void> {
    try {
      const sent = await this.#o.caller.say(form, parameters, id, (text) => socket.send(text));
      if (!sent) this.#fail(socket, `${form.path} could not be sent`);
    } catch (error) {
      this.#fail(socket, error instanceof Error ? error.message : 'it could not be signed');
    }
  }

  #fail(socket: LineSocket, why: string): void {
    this.#trouble = why;
    this.#drop(socket);
    socket.fail(why);
    this.#answer(why);
  }

  #message(text: string, socket: LineSocket): void {
    if (text === 'pong') return;
    const read = readHead(text);
    if (!read.ok) {
      this.#o.unread(read.problem);
      return;
    }
    const head = read.value;
    if (head.event !== undefined) this.#told(head, socket);
    else if (head.arg) this.#o.event(head.arg.channel, text);
    else this.#o.unread('it is neither an event nor data of a channel');
  }

  #told({ event, code = '', msg = '', arg, channel }: FrameHead, socket: LineSocket): void {
    const held = this.#held.get(socket);
    switch (event) {
      case 'login': {
        if (code !== '0') this.#fail(socket, codedTrouble(code, msg));
        else {
          const args = JSON.stringify(this.#o.channels);
          void this.#say(socket, this.#o.form, { args }, `sub${this.#count}`);
        }
        return;
      }
      case 'subscribe': {
        if (!held || !arg || !held.missing.delete(arg.channel) || held.missing.size > 0) return;
        const isChange = this.#line.isUp;
        socket.ready();
        if (isChange) this.#o.gap();
        return;
      }
      case 'notice':
        if (code === UPGRADE) this.#o.upgrade();
        return;
      case 'channel-conn-count':
        return;
      case 'channel-conn-count-error':
        this.#fail(
          socket,
          `the account has too many sockets for ${channel ?? 'a channel'}: close other programs`,
        );
        return;
      case 'error':
        this.#fail(socket, codedTrouble(code, msg));
        return;
      default:
        this.#o.unread(`an event that is not known: ${event ?? ''}`);
    }
  }

  #drop(socket: LineSocket): void {
    this.#held.get(socket)?.ping?.cancel();
    this.#held.delete(socket);
  }

  /** Forgets sockets that have ended: they need no ping. */
  #forget(): void {
    for (const socket of this.#held.keys())
      if (!this.#isOpen || !this.#line.sockets.includes(socket)) this.#drop(socket);
  }
}
