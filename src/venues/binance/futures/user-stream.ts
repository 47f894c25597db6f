/**
 * The user stream of a USD-M futures account: its key, the socket of that key, and the watch over both. An
 * open socket proves nothing: the socket of a dead key stays open and silent. So the key is kept alive,
 * checked when events are overdue, and made anew together with its socket (exchanges.md 4, rule 5).
 */
import type { Cancelable, Clock, Random } from '../../../domain/clock.ts';
import { FRAME } from '../../kit/bounds.ts';
import { Line, type LineGate } from '../../kit/line.ts';
import type { Net } from '../../kit/net.ts';
import { readDone, readListenKey } from './messages.ts';
import type { Questions } from './questions.ts';
import { FUTURES } from './requests.ts';

/** How often the key is kept alive: it lives 60 min after it was made or kept. */
export const KEEP_EVERY_MS = 30 * 60_000;
/** Time to the next try when keeping the key alive has failed. */
const KEEP_AGAIN_MS = 60_000;
/** Silence after which a socket counts as dead: the server pings every 3 min. */
const SILENCE_MS = 200_000;
/** Age at which a socket is replaced: the exchange cuts it after 24 h. */
const ROTATE_MS = 23 * 3_600_000;
/** After an accepted order the stream may be silent this long before its key is checked. */
export const OWED_MS = 10_000;

/** The code of PUT for a dead key. */
const NO_SUCH_KEY = '-1125';

export interface UserStreamOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly questions: Questions;
  readonly gate: LineGate;
  /** The stream's base address, `wss://fstream.binance.com/private`. */
  readonly address: string;
  message(text: string): void;
  /** The stream is open; events may have been missed before. */
  up(): void;
  /** Another socket has taken the place of an open one; events may have been missed. */
  gap(): void;
  down(cause: string): void;
}

export class UserStream {
  readonly #o: UserStreamOptions;
  readonly #line: Line;
  #keep: Cancelable | null = null;
  #owed: Cancelable | null = null;
  #isDead = false;
  /** The key of the last socket; null: none yet. */
  #key: string | null = null;
  /** When the last message came, monotonic. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #waiting: ((problem: string | null) => void) | null = null;

  constructor(options: UserStreamOptions) {
    this.#o = options;
    const { net, clock, random } = options;
    this.#line = new Line({
      net,
      clock,
      random,
      silenceMs: SILENCE_MS,
      rotateMs: ROTATE_MS,
      bytesMax: FRAME.length,
      url: () => this.#url(),
      gate: options.gate,
      events: {
        // The key in the address is the whole subscription.
        opened: (socket) => {
          const isChange = this.#line.isUp;
          socket.ready();
          if (isChange) options.gap();
        },
        message: (text) => {
          this.#owed?.cancel();
          this.#owed = null;
          this.#heardAt = clock.monotonic();
          options.message(text);
        },
        up: () => {
          this.#opened(null);
          options.up();
        },
        down: (cause) => options.down(cause),
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
   * Opens the stream. Resolves to null when it is open, or to the reason why it is not yet; it keeps trying.
   */
  open(): Promise<string | null> {
    this.#isOpen = true;
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#line.open();
    });
  }

  /** Closes only our socket: another program on this account may use the same key. */
  close(): void {
    this.#isOpen = false;
    this.#keep?.cancel();
    this.#owed?.cancel();
    this.#owed = null;
    this.#line.close();
    this.#opened('it was closed');
  }

  /**
   * Expects an event for an order that was sent at `since` (monotonic) and accepted. It may have come before
   * the answer.
   */
  owes(since: number): void {
    if (!this.#isOpen || this.#owed || !this.isUp || this.#heardAt >= since) return;
    this.#owed = this.#o.clock.after(OWED_MS, () => {
      this.#owed = null;
      void this.#isMute();
    });
  }

  /** Replaces a dead key: its sockets get no more events. */
  renew(cause: string): void {
    if (!this.#isOpen) return;
    this.#isDead = true;
    for (const socket of this.#line.sockets) socket.fail(cause);
  }

  /** Asks for the key: POST gives the same key while it lives, else a new one. */
  async #url(): Promise<string> {
    const asked = await this.#o.questions.ask(FUTURES.makeListenKey, {}, readListenKey);
    if (asked.kind !== 'found') {
      this.#opened(asked.cause);
      throw new Error(`no key for the user stream: ${asked.cause}`);
    }
    const { listenKey } = asked.value;
    this.#isDead = false;
    this.#key = listenKey;
    this.#keepAfter(KEEP_EVERY_MS);
    return `${this.#o.address}/ws?listenKey=${encodeURIComponent(listenKey)}`;
  }

  #keepAfter(ms: number): void {
    this.#keep?.cancel();
    if (!this.#isOpen) return;
    this.#keep = this.#o.clock.after(ms, () => void this.#keepAlive());
  }

  /** Keeps the key alive. False: it is not known whether the key lives. */
  async #keepAlive(): Promise<boolean> {
    const asked = await this.#o.questions.ask(FUTURES.keepListenKey, {}, readKept);
    if (!this.#isOpen) return false;
    const isGone = asked.kind === 'failed' && asked.code === NO_SUCH_KEY;
    // Another program has ended our key and made its own: an account has one key, and ours gets no events.
    const isOther = asked.kind === 'found' && asked.value !== null && asked.value !== this.#key;
    if (isGone || isOther) this.renew('the key of the user stream has ended');
    else this.#keepAfter(asked.kind === 'found' ? KEEP_EVERY_MS : KEEP_AGAIN_MS);
    return asked.kind === 'found' && !isOther;
  }

  /** Checks a silent stream: if the key lives and nothing is heard, the socket is replaced. */
  async #isMute(): Promise<void> {
    const lives = await this.#keepAlive();
    if (!lives || this.#isDead) return;
    for (const socket of this.#line.sockets) socket.fail('an order was taken and no event has told of it');
  }

  #opened(problem: string | null): void {
    this.#waiting?.(problem);
    this.#waiting = null;
  }
}

/** Reads the answer to keeping a key alive: the key, or nothing. */
function readKept(text: string) {
  const key = readListenKey(text);
  if (key.ok) return { ok: true as const, value: key.value.listenKey };
  if (text.trim() === '{}') return { ok: true as const, value: null };
  const done = readDone(text);
  return done.ok ? { ok: true as const, value: null } : key;
}
