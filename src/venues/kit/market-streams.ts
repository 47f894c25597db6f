/**
 * The public streams of one address (root) of an exchange, on as few sockets as its limits allow: subscribed
 * in batches at the permitted pace, again after every break, with all streams of a symbol on one socket. A
 * symbol is fresh while all its streams are confirmed on a socket that is up. Messages are passed on as they
 * come; during an overlap of two sockets each comes twice. How an exchange writes and answers is its
 * `StreamDialect`.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import { FRAME } from './bounds.ts';
import { Line, type LineGate, type LineSocket } from './line.ts';
import type { Message } from './messages.ts';
import type { Net } from './net.ts';

/** The limits of a root of streams. */
export interface StreamLimits {
  /** The largest number of streams on one socket. */
  readonly perSocket: number;
  /** The largest number of streams in one subscription. */
  readonly batch: number;
  /** The time between two messages to the exchange on one socket, ms. */
  readonly messageEveryMs: number;
  /** A socket on which nothing, not even a ping, was heard for this long counts as ended, ms. */
  readonly silenceMs: number;
  /** The age at which another socket replaces it, ms. */
  readonly rotateMs: number;
  /**
   * The largest number of subscriptions on one socket, after which another one replaces it; left out: no
   * limit.
   */
  readonly requests?: number;
}

/** The content of a message: one item, or several. */
export type StreamItem<E> =
  | { readonly kind: 'event'; readonly event: E }
  /** The answer to a subscription. `problem` null: it is confirmed. */
  | { readonly kind: 'reply'; readonly id: number; readonly problem: string | null }
  /** The answer about one stream, where an exchange answers for each: subscribed, or unsubscribed. */
  | { readonly kind: 'granted' | 'left'; readonly stream: string }
  /**
   * The part of a subscription that is not confirmed yet is refused; `id` null: the message names none, and
   * means the oldest subscription.
   */
  | { readonly kind: 'refused'; readonly id: number | null; readonly problem: string }
  /** The exchange is about to end the socket. */
  | { readonly kind: 'shutdown' }
  /** Nothing that matters here. */
  | { readonly kind: 'other' };

export interface StreamDialect<E> {
  /** Writes a subscription (`on`) or an unsubscription. */
  subscription(id: number, on: boolean, streams: readonly string[]): string;
  read(text: string): Message<StreamItem<E> | readonly StreamItem<E>[]>;
  /** A message sent regularly so that the exchange does not end the socket; left out: the exchange pings. */
  readonly ping?: { readonly everyMs: number; readonly text: string };
}

export interface MarketStreamsOptions<E> {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** Returns the address, `wss://...`; called for each socket. Rejects with the reason why there is none. */
  readonly url: () => string | Promise<string>;
  /** Left out: nothing is known about bans of the address, and every socket is tried. */
  readonly gate?: LineGate;
  readonly limits: StreamLimits;
  readonly dialect: StreamDialect<E>;
  readonly event: (event: E) => void;
  /** All streams of a symbol are confirmed (`why` null), or some are not. */
  readonly state: (symbol: string, why: string | null) => void;
  /** After a break, events of these symbols may be missing. */
  readonly gap: (symbols: readonly string[]) => void;
  /** Called when the exchange is about to end a socket; left out: another socket replaces it. */
  readonly shutdown?: () => void;
  /** Reports messages that cannot be read and refusals. */
  readonly complain: (kind: string, text: string) => void;
}

/** The largest number of streams of a symbol: its trades, its mark price, a candle stream for each frame. */
const OF_SYMBOL = 16;
/** How long both sockets stay open while one replaces the other, ms. */
const OVERLAP_MS = 1_000;
/** The timeout of an answer to a subscription, ms. */
const REPLY_WITHIN_MS = 5_000;

const ASKING = 'its prices are being asked for';

export class MarketStreams<E> {
  readonly #o: MarketStreamsOptions<E>;
  readonly #sockets = new Set<StreamSocket<E>>();
  readonly #of = new Map<string, StreamSocket<E>>();

  constructor(options: MarketStreamsOptions<E>) {
    this.#o = options;
  }

  /**
   * Sets the streams of each symbol, all that are wanted from now on; a symbol without streams is not wanted.
   */
  watch(wanted: ReadonlyMap<string, ReadonlySet<string>>): void {
    for (const [symbol, socket] of [...this.#of])
      if (!wanted.get(symbol)?.size) {
        socket.set(symbol, new Set());
        this.#of.delete(symbol);
        if (socket.isEmpty) this.#drop(socket);
      }
    for (const [symbol, streams] of wanted) if (streams.size > 0) this.#socketOf(symbol).set(symbol, streams);
    for (const socket of this.#sockets) socket.changed();
  }

  /** The number of sockets that are up, and of all sockets. */
  get sockets(): { readonly up: number; readonly all: number } {
    const all = [...this.#sockets];
    return { up: all.filter(({ isUp }) => isUp).length, all: all.length };
  }

  /** Replaces all sockets by new ones. */
  rotate(): void {
    for (const socket of this.#sockets) socket.rotate();
  }

  close(): void {
    for (const socket of [...this.#sockets]) this.#drop(socket);
    this.#of.clear();
  }

  #socketOf(symbol: string): StreamSocket<E> {
    const known = this.#of.get(symbol);
    if (known) return known;
    const room = this.#o.limits.perSocket - OF_SYMBOL;
    let socket = [...this.#sockets].find(({ count }) => count <= room);
    if (!socket) {
      socket = new StreamSocket(this.#o);
      this.#sockets.add(socket);
    }
    this.#of.set(symbol, socket);
    return socket;
  }

  #drop(socket: StreamSocket<E>): void {
    this.#sockets.delete(socket);
    socket.close();
  }
}

interface Asking {
  readonly on: boolean;
  readonly streams: readonly string[];
}

interface Asked {
  readonly on: boolean;
  /** Streams without an answer. */
  readonly missing: Set<string>;
  readonly timer: Cancelable;
}

/** The state of one socket; during a change there are two. */
interface Side {
  readonly socket: LineSocket;
  readonly granted: Set<string>;
  /** The streams subscribed to, whether confirmed or still on their way. */
  readonly wanted: Set<string>;
  readonly refused: Map<string, string>;
  readonly asked: Map<number, Asked>;
  queue: Asking[];
  pace: Cancelable | null;
  ping: Cancelable | null;
  /** The timer until the socket before is closed. */
  overlap: Cancelable | null;
  requests: number;
  isReady: boolean;
}

class StreamSocket<E> {
  readonly #o: MarketStreamsOptions<E>;
  readonly #line: Line;
  readonly #streams = new Map<string, ReadonlySet<string>>();
  readonly #sides = new Map<LineSocket, Side>();
  /** The state reported last for each symbol. */
  readonly #told = new Map<string, string | null>();
  count = 0;
  #nextId = 1;
  #wasUp = false;
  #isOpen = false;
  #cause: string | null = null;

  constructor(options: MarketStreamsOptions<E>) {
    this.#o = options;
    this.#line = new Line({
      net: options.net,
      clock: options.clock,
      random: options.random,
      url: options.url,
      silenceMs: options.limits.silenceMs,
      rotateMs: options.limits.rotateMs,
      bytesMax: FRAME.length,
      ...(options.gate ? { gate: options.gate } : {}),
      events: {
        opened: (socket) => this.#opened(socket),
        message: (text, socket) => this.#message(text, socket),
        up: () => this.#up(),
        down: (cause) => this.#down(cause),
      },
    });
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  get isUp(): boolean {
    return this.#line.isUp;
  }

  /** Sets the streams of a symbol. None: the symbol is not wanted any more. */
  set(symbol: string, streams: ReadonlySet<string>): void {
    this.count += streams.size - (this.#streams.get(symbol)?.size ?? 0);
    if (streams.size > 0) this.#streams.set(symbol, streams);
    else {
      this.#streams.delete(symbol);
      this.#told.delete(symbol);
    }
  }

  /** Subscribes to new streams, and unsubscribes from those that are not wanted any more. */
  changed(): void {
    if (!this.#isOpen && !this.isEmpty) {
      this.#isOpen = true;
      this.#line.open();
    }
    for (const side of this.#sides.values()) this.#ask(side);
    this.#tell();
  }

  rotate(): void {
    this.#line.rotate();
  }

  close(): void {
    this.#line.close();
    for (const side of this.#sides.values()) this.#leave(side);
    this.#sides.clear();
  }

  #opened(socket: LineSocket): void {
    const side: Side = {
      socket,
      granted: new Set(),
      wanted: new Set(),
      refused: new Map(),
      asked: new Map(),
      queue: [],
      pace: null,
      ping: null,
      overlap: null,
      requests: 0,
      isReady: false,
    };
    this.#sides.set(socket, side);
    this.#pingLater(side);
    this.#ask(side);
  }

  #pingLater(side: Side): void {
    const { dialect, clock } = this.#o;
    const { ping } = dialect;
    if (!ping) return;
    side.ping = clock.after(ping.everyMs, () => {
      side.socket.send(ping.text);
      this.#pingLater(side);
    });
  }

  /** Queues the difference between the wanted streams and those that this side has subscribed to. */
  #ask(side: Side): void {
    const { batch } = this.#o.limits;
    const all = new Set([...this.#streams.values()].flatMap((streams) => [...streams]));
    const more = [...all].filter((name) => !side.wanted.has(name));
    const less = [...side.wanted].filter((name) => !all.has(name));
    for (const name of more) side.wanted.add(name);
    for (const name of less) {
      side.wanted.delete(name);
      side.refused.delete(name);
    }
    // Unsubscriptions go first, so that a stream that comes back is subscribed to afterwards.
    for (let at = 0; at < less.length; at += batch)
      side.queue.push({ on: false, streams: less.slice(at, at + batch) });
    for (let at = 0; at < more.length; at += batch)
      side.queue.push({ on: true, streams: more.slice(at, at + batch) });
    this.#pump(side);
  }

  #pump(side: Side): void {
    if (side.pace) return;
    const next = side.queue.shift();
    if (!next) {
      this.#settle(side);
      return;
    }
    const { clock, limits, dialect } = this.#o;
    const id = this.#nextId++;
    const timer = clock.after(REPLY_WITHIN_MS, () =>
      side.socket.fail(`a subscription was not answered within ${REPLY_WITHIN_MS / 1_000} s`),
    );
    side.asked.set(id, { on: next.on, missing: new Set(next.streams), timer });
    side.requests += 1;
    if (!side.socket.send(dialect.subscription(id, next.on, next.streams))) {
      side.socket.fail('it takes no messages');
      return;
    }
    if (side.requests >= (limits.requests ?? Number.POSITIVE_INFINITY)) this.#line.rotate();
    side.pace = clock.after(limits.messageEveryMs, () => {
      side.pace = null;
      this.#pump(side);
    });
  }

  #message(text: string, socket: LineSocket): void {
    const read = this.#o.dialect.read(text);
    if (!read.ok) {
      this.#o.complain('market stream', read.problem);
      return;
    }
    const { value } = read;
    if ('kind' in value) this.#hear(value, socket);
    else for (const told of value) this.#hear(told, socket);
  }

  #hear(told: StreamItem<E>, socket: LineSocket): void {
    if (told.kind === 'event') {
      this.#o.event(told.event);
      return;
    }
    if (told.kind === 'shutdown') {
      if (this.#o.shutdown) this.#o.shutdown();
      else this.#line.rotate();
      return;
    }
    const side = this.#sides.get(socket);
    if (!side || told.kind === 'other') return;
    if (told.kind === 'reply') this.#reply(side, told.id, told.problem);
    else if (told.kind === 'refused') this.#refused(side, told.id, told.problem);
    else this.#answered(side, told);
  }

  #reply(side: Side, id: number, problem: string | null): void {
    const asked = side.asked.get(id);
    if (!asked) return;
    if (problem !== null) {
      this.#refused(side, id, problem);
      return;
    }
    for (const name of asked.missing) {
      if (asked.on) side.granted.add(name);
      else side.granted.delete(name);
    }
    this.#end(side, id);
  }

  #answered(
    side: Side,
    { kind, stream }: { readonly kind: 'granted' | 'left'; readonly stream: string },
  ): void {
    if (kind === 'granted') side.granted.add(stream);
    else side.granted.delete(stream);
    for (const [id, asked] of side.asked) {
      if (asked.on !== (kind === 'granted') || !asked.missing.delete(stream)) continue;
      if (asked.missing.size === 0) this.#end(side, id);
      break;
    }
  }

  #refused(side: Side, id: number | null, problem: string): void {
    const of = id ?? side.asked.keys().next().value;
    const asked = of === undefined ? undefined : side.asked.get(of);
    if (of === undefined || !asked) {
      side.socket.fail(problem);
      return;
    }
    const names = [...asked.missing];
    for (const name of names) {
      if (asked.on) side.refused.set(name, problem);
      else side.granted.delete(name);
    }
    this.#o.complain('subscription', `${names.slice(0, 3).join(', ')} was refused: ${problem}`);
    this.#end(side, of);
  }

  /** Ends a subscription that is answered. */
  #end(side: Side, id: number): void {
    side.asked.get(id)?.timer.cancel();
    side.asked.delete(id);
    this.#settle(side);
  }

  /** Declares the socket ready once every subscription is answered: from now on no message is missed. */
  #settle(side: Side): void {
    if (side.queue.length > 0 || side.asked.size > 0) return;
    if (side.isReady) this.#tell();
    else if (!this.#line.isUp) this.#ready(side);
    // Messages that the old socket got before this one was confirmed may still be on their way.
    else side.overlap ??= this.#o.clock.after(OVERLAP_MS, () => this.#ready(side));
  }

  #ready(side: Side): void {
    side.isReady = true;
    side.socket.ready();
    this.#tell();
  }

  #up(): void {
    this.#cause = null;
    this.#tell();
    if (this.#wasUp) this.#o.gap([...this.#streams.keys()]);
    this.#wasUp = true;
  }

  #down(cause: string): void {
    this.#cause = cause;
    this.#tell();
  }

  /** Reports each symbol whose state has changed. */
  #tell(): void {
    const alive = new Set(this.#line.sockets);
    for (const [socket, side] of this.#sides)
      if (!alive.has(socket)) {
        this.#leave(side);
        this.#sides.delete(socket);
      }
    const ready = [...this.#sides.values()].filter(({ isReady }) => isReady);
    for (const [symbol, streams] of this.#streams) {
      const why = this.#whyNot(ready, streams);
      if (this.#told.get(symbol) === why) continue;
      this.#told.set(symbol, why);
      this.#o.state(symbol, why);
    }
  }

  #whyNot(ready: readonly Side[], streams: ReadonlySet<string>): string | null {
    let refused: string | null = null;
    for (const side of ready) {
      // A stream that is being left, or subscribed to anew, sends nothing for a while.
      const missing = [...streams].filter((name) => !side.granted.has(name) || isBeingAsked(side, name));
      if (missing.length === 0) return null;
      refused ??= missing.map((name) => side.refused.get(name)).find((why) => why !== undefined) ?? null;
    }
    if (refused !== null) return `the exchange refused its prices: ${refused}`;
    return ready.length === 0 && this.#cause !== null ? `its stream has broken: ${this.#cause}` : ASKING;
  }

  #leave(side: Side): void {
    side.pace?.cancel();
    side.ping?.cancel();
    side.overlap?.cancel();
    side.queue = [];
    for (const { timer } of side.asked.values()) timer.cancel();
    side.asked.clear();
  }
}

/** Whether a message about the stream waits, or its answer has not come. */
function isBeingAsked({ queue, asked }: Side, name: string): boolean {
  if (queue.some(({ streams }) => streams.includes(name))) return true;
  for (const { missing } of asked.values()) if (missing.has(name)) return true;
  return false;
}
