/**
 * The events of an account on the private socket (DOC websocket/wss-authentication): a login, then one
 * subscription; the stream is up once that is confirmed. A ping every 20 s keeps the socket alive, and it is
 * replaced if an order was accepted and its event does not come.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import { FRAME } from '../kit/bounds.ts';
import type { Caller } from '../kit/caller.ts';
import { Line, type LineSocket } from '../kit/line.ts';
import type { Net } from '../kit/net.ts';
import type { RequestForm } from '../kit/requests.ts';
import { LISTED } from './dialect.ts';
import { readFrame } from './messages.ts';
import type { BybitRequests } from './requests.ts';
import { troubleOfRet } from './trouble.ts';

const PING_EVERY_MS = 20_000;
/** Pongs come every 20 s. */
const SILENCE_MS = 45_000;
/** No maximum age is documented; the socket is still replaced once a day. */
const ROTATE_MS = 23 * 3_600_000;
/** How long after an accepted order its event may be missing before the socket is replaced, ms. */
const OWED_MS = 10_000;

export interface UserStreamOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly caller: Caller;
  readonly requests: BybitRequests;
  /** `wss://stream.bybit.com/v5/private`. */
  readonly address: string;
  /** Returns the topics to subscribe to; called for each socket. */
  readonly topics: () => readonly string[];
  /** Called for one message of a topic. */
  event(topic: string, text: string): void;
  /** Called for an unreadable frame: something may have been missed. */
  unread(problem: string): void;
  up(): void;
  /**
   * Called when another socket has taken over: something may have been missed although the stream stayed up.
   */
  gap(): void;
  down(cause: string): void;
}

export class UserStream {
  readonly #o: UserStreamOptions;
  readonly #line: Line;
  /** Sockets with an unanswered subscription, by its id. */
  readonly #asked = new Map<string, LineSocket>();
  #requests = 0;
  #ping: Cancelable | null = null;
  #owed: Cancelable | null = null;
  /** The time of the last message of a topic, monotonic. */
  #heardAt = Number.NEGATIVE_INFINITY;
  /** The reason why the last try failed. */
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
      url: () => address,
      events: {
        opened: (socket) => this.#say(this.#o.requests.login, {}, socket, 'login'),
        message: (text, socket) => this.#message(text, socket),
        up: () => {
          this.#answer(null);
          options.up();
        },
        down: (cause) => options.down(cause),
      },
    });
  }

  get isUp(): boolean {
    return this.#line.isUp;
  }

  /**
   * Opens the stream. Resolves with null when it is subscribed, or with the reason after the first refused
   * try or after `ms`.
   */
  open(ms: number): Promise<string | null> {
    this.#pingLater();
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#o.clock.after(ms, () =>
        this.#answer(this.#trouble ?? 'the socket of its events was not there in time'),
      );
      this.#line.open();
    });
  }

  close(): void {
    this.#ping?.cancel();
    this.#owed?.cancel();
    this.#owed = null;
    this.#line.close();
    this.#asked.clear();
    this.#answer('it was closed');
  }

  /** Expects an event of an order that was submitted at `since` (monotonic) and exists. */
  owes(since: number): void {
    if (this.#owed || !this.isUp || this.#heardAt >= since) return;
    this.#owed = this.#o.clock.after(OWED_MS, () => {
      this.#owed = null;
      for (const socket of this.#line.sockets) socket.fail('an order was taken and no event has told of it');
    });
  }

  #answer(problem: string | null): void {
    this.#waiting?.(problem);
    this.#waiting = null;
  }

  #pingLater(): void {
    this.#ping?.cancel();
    this.#ping = this.#o.clock.after(PING_EVERY_MS, () => {
      for (const socket of this.#line.sockets) this.#say(this.#o.requests.ping, {}, socket, 'ping');
      this.#pingLater();
    });
  }

  #say(
    form: RequestForm,
    parameters: Readonly<Record<string, string>>,
    socket: LineSocket,
    what: string,
  ): void {
    this.#requests += 1;
    const id = `${what}-${this.#requests}`;
    if (what === 'subscribe') this.#asked.set(id, socket);
    this.#o.caller
      .say(form, parameters, id, (text) => socket.send(text))
      .then(
        (sent) => {
          if (!sent && what !== 'ping') this.#failed(socket, `the ${what} could not be sent`);
        },
        (error: unknown) =>
          this.#failed(socket, error instanceof Error ? error.message : 'it could not be signed'),
      );
  }

  #failed(socket: LineSocket, why: string): void {
    for (const [id, one] of this.#asked) if (one === socket) this.#asked.delete(id);
    this.#trouble = why;
    socket.fail(why);
    this.#answer(why);
  }

  #message(text: string, socket: LineSocket): void {
    const read = readFrame(text);
    if (!read.ok) {
      this.#o.unread(read.problem);
      return;
    }
    const { topic, op, req_id: id, success, ret_msg, retCode = 0, retMsg } = read.value;
    if (topic !== undefined) {
      this.#owed?.cancel();
      this.#owed = null;
      this.#heardAt = this.#o.clock.monotonic();
      this.#o.event(topic, text);
      return;
    }
    const isRefused = success === false || retCode !== 0;
    const words = retMsg || ret_msg || 'refused';
    // Older answers have no code: it is derived from their text.
    const why = () => troubleOfRet({ code: retCode || codeOf(words), message: words });
    if (op === 'auth') {
      if (isRefused) this.#failed(socket, why());
      else
        this.#say(this.#o.requests.subscribe, { args: this.#o.topics().join(LISTED) }, socket, 'subscribe');
    } else if (op === 'subscribe') {
      if (isRefused) this.#failed(socket, `its events were refused: ${why()}`);
      else if (!id || this.#asked.get(id) === socket) this.#granted(socket, id ?? null);
    }
  }

  #granted(socket: LineSocket, id: string | null): void {
    if (id !== null) this.#asked.delete(id);
    const isChange = this.#line.isUp;
    socket.ready();
    if (isChange) this.#o.gap();
  }
}

/**
 * The code for the text of a refused login: `Invalid apikey`, `error sign`, `Params Error` (DOC error 10003,
 * 10004; pybit#152).
 */
function codeOf(words: string): number {
  if (/api.?key/i.test(words)) return 10003;
  if (/sign/i.test(words)) return 10004;
  return /param|expire/i.test(words) ? 10002 : 0;
}
