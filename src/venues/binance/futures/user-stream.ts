/**
 * The user stream of a USD-M futures account: its key, the socket of that key, and the watch over both. An open socket proves
 * nothing, as one of a dead key stays open and mute: the key is kept alive, looked after when events are owed, and made anew together
 * with its socket (exchanges.md 4, rule 5).
 */
import type { Cancelable, Clock, Random } from '../../../domain/clock.ts';
import { FRAME } from '../../kit/bounds.ts';
import { Line, type LineGate } from '../../kit/line.ts';
import type { Net } from '../../kit/net.ts';
import { readDone, readListenKey } from './messages.ts';
import type { Questions } from './questions.ts';
import { FUTURES } from './requests.ts';

/** A key lives 60 min after it was made or kept. */
export const KEEP_EVERY_MS = 30 * 60_000;
/** It is tried again so soon where keeping it has failed. */
const KEEP_AGAIN_MS = 60_000;
/** The server pings every 3 min. */
const SILENCE_MS = 200_000;
/** The exchange cuts a socket after 24 h. */
const ROTATE_MS = 23 * 3_600_000;
/** An order was taken, and nothing has been heard for so long: is anybody there? */
export const OWED_MS = 10_000;

/** PUT on a key that is dead. */
const NO_SUCH_KEY = '-1125';

export interface UserStreamOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly questions: Questions;
  readonly gate: LineGate;
  /** `wss://fstream.binance.com/private`. */
  readonly address: string;
  message(text: string): void;
  /** Something may have been missed. */
  up(): void;
  /** Likewise, while the line stayed up: another socket has taken its place. */
  gap(): void;
  down(cause: string): void;
}

export class UserStream {
  readonly #o: UserStreamOptions;
  readonly #line: Line;
  #keep: Cancelable | null = null;
  #owed: Cancelable | null = null;
  #isDead = false;
  /** That of the last socket; null: none yet. */
  #key: string | null = null;
  /** Of the last message, monotonic. */
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
        // The key in the address is all that there is to ask for.
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

  /** How long nothing was heard, ms; null: it is down. */
  get silentMs(): number | null {
    return this.#line.silentMs;
  }

  /** Resolves when it is there: null, or why it is not yet. It is tried again all the same. */
  open(): Promise<string | null> {
    this.#isOpen = true;
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#line.open();
    });
  }

  /** Ours alone is closed: its key may be that of another program on this account, which goes on. */
  close(): void {
    this.#isOpen = false;
    this.#keep?.cancel();
    this.#owed?.cancel();
    this.#line.close();
    this.#opened('it was closed');
  }

  /** An event is owed: of an order that was sent at `since` (monotonic) and taken. It may have come before the answer. */
  owes(since: number): void {
    if (!this.#isOpen || this.#owed || !this.isUp || this.#heardAt >= since) return;
    this.#owed = this.#o.clock.after(OWED_MS, () => {
      this.#owed = null;
      void this.#isMute();
    });
  }

  /** The key is dead: nothing is told any more on its sockets. */
  renew(cause: string): void {
    if (!this.#isOpen) return;
    this.#isDead = true;
    for (const socket of this.#line.sockets) socket.fail(cause);
  }

  /** POST gives the same key while it lives, and a new one when it does not. */
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

  /** False: it is not known whether the key lives. */
  async #keepAlive(): Promise<boolean> {
    const asked = await this.#o.questions.ask(FUTURES.keepListenKey, {}, readKept);
    if (!this.#isOpen) return false;
    const isGone = asked.kind === 'failed' && asked.code === NO_SUCH_KEY;
    // Another program has ended ours and made its own: the account has one key, and ours is mute.
    const isOther = asked.kind === 'found' && asked.value !== null && asked.value !== this.#key;
    if (isGone || isOther) this.renew('the key of the user stream has ended');
    else this.#keepAfter(asked.kind === 'found' ? KEEP_EVERY_MS : KEEP_AGAIN_MS);
    return asked.kind === 'found' && !isOther;
  }

  /** Where the key lives and nothing is heard all the same the socket is of no use. */
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

/** The answer to keeping a key: the key, or nothing. */
function readKept(text: string) {
  const key = readListenKey(text);
  if (key.ok) return { ok: true as const, value: key.value.listenKey };
  if (text.trim() === '{}') return { ok: true as const, value: null };
  const done = readDone(text);
  return done.ok ? { ok: true as const, value: null } : key;
}
