/**
 * The public streams of one root of an exchange, spread over as few sockets as its limits allow: subscribed in batches at the pace that
 * it takes, again after every break, with all of a symbol on one socket. A symbol is fresh while all its streams are granted on a socket
 * that is up. What comes is handed on as it is; of an overlap it comes twice. How an exchange writes and answers is its `StreamDialect`.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import { FRAME } from './bounds.ts';
import { Line, type LineGate, type LineSocket } from './line.ts';
import type { Message } from './messages.ts';
import type { Net } from './net.ts';

/** What a root of streams allows. */
export interface StreamLimits {
  /** Streams of one socket at most. */
  readonly perSocket: number;
  /** Streams of one subscription at most. */
  readonly batch: number;
  /** Between two messages to the exchange on one socket, ms. */
  readonly messageEveryMs: number;
  /** Nothing heard for so long, pings included: the socket has ended, ms. */
  readonly silenceMs: number;
  /** The age at which another socket takes its place, ms. */
  readonly rotateMs: number;
  /** Subscriptions of one socket at most, then another one takes its place; left out: as many as there are. */
  readonly requests?: number;
}

/** What a message tells: one thing, or several. */
export type Told<E> =
  | { readonly kind: 'event'; readonly event: E }
  /** The answer to a subscription. `problem` null: it is granted. */
  | { readonly kind: 'reply'; readonly id: number; readonly problem: string | null }
  /** The answer about one stream, where an exchange answers of each: it is granted, or let go. */
  | { readonly kind: 'granted' | 'left'; readonly stream: string }
  /** What of a subscription is not granted yet is refused; `id` null: it names none, and is of the oldest. */
  | { readonly kind: 'refused'; readonly id: number | null; readonly problem: string }
  /** The exchange is about to end the socket. */
  | { readonly kind: 'shutdown' }
  /** Nothing that is needed here. */
  | { readonly kind: 'other' };

export interface StreamDialect<E> {
  /** A subscription, or its end. */
  subscription(id: number, on: boolean, streams: readonly string[]): string;
  read(text: string): Message<Told<E> | readonly Told<E>[]>;
  /** What is said now and then so that the exchange does not end the socket; left out: it asks itself. */
  readonly ping?: { readonly everyMs: number; readonly text: string };
}

export interface MarketStreamsOptions<E> {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** `wss://...`, asked for anew for each socket. Rejects with why there is none. */
  readonly url: () => string | Promise<string>;
  /** Left out: nothing is known of the address, and every socket is tried. */
  readonly gate?: LineGate;
  readonly limits: StreamLimits;
  readonly dialect: StreamDialect<E>;
  readonly event: (event: E) => void;
  /** All of a symbol is granted (why null), or something of it is not. */
  readonly state: (symbol: string, why: string | null) => void;
  /** After a break something of these may be missing. */
  readonly gap: (symbols: readonly string[]) => void;
  /** The exchange is about to end a socket; left out: another one takes its place. */
  readonly shutdown?: () => void;
  /** What cannot be read, or was refused. */
  readonly complain: (kind: string, text: string) => void;
}

/** Streams that a symbol has at most: its trades, its mark, a candle of each frame. */
const OF_SYMBOL = 16;
/** Two sockets tell for so long while one takes the place of the other, ms. */
const OVERLAP_MS = 1_000;
/** An answer to a subscription comes by then, ms. */
const REPLY_WITHIN_MS = 5_000;

const ASKING = 'its prices are being asked for';

export class MarketStreams<E> {
  readonly #o: MarketStreamsOptions<E>;
  readonly #sockets = new Set<StreamSocket<E>>();
  readonly #of = new Map<string, StreamSocket<E>>();

  constructor(options: MarketStreamsOptions<E>) {
    this.#o = options;
  }

  /** The streams of each symbol, all that are wanted from now on; a symbol without one is not. */
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

  /** Sockets that are up, and that there are. */
  get sockets(): { readonly up: number; readonly all: number } {
    const all = [...this.#sockets];
    return { up: all.filter(({ isUp }) => isUp).length, all: all.length };
  }

  /** Other sockets take the places of these. */
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
  /** Not answered yet. */
  readonly missing: Set<string>;
  readonly timer: Cancelable;
}

/** What is known of one of the two sockets of a change. */
interface Side {
  readonly socket: LineSocket;
  readonly granted: Set<string>;
  /** Asked for, granted or not: what is on its way too. */
  readonly wanted: Set<string>;
  readonly refused: Map<string, string>;
  readonly asked: Map<number, Asked>;
  queue: Asking[];
  pace: Cancelable | null;
  ping: Cancelable | null;
  /** Until the one before is let go. */
  overlap: Cancelable | null;
  requests: number;
  isReady: boolean;
}

class StreamSocket<E> {
  readonly #o: MarketStreamsOptions<E>;
  readonly #line: Line;
  readonly #streams = new Map<string, ReadonlySet<string>>();
  readonly #sides = new Map<LineSocket, Side>();
  /** What was told last of each symbol. */
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

  /** None: the symbol is not wanted any more. */
  set(symbol: string, streams: ReadonlySet<string>): void {
    this.count += streams.size - (this.#streams.get(symbol)?.size ?? 0);
    if (streams.size > 0) this.#streams.set(symbol, streams);
    else {
      this.#streams.delete(symbol);
      this.#told.delete(symbol);
    }
  }

  /** Asks for what is new, and no more for what is not wanted. */
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

  /** Queues the difference between what is wanted and what this side was asked for. */
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
    // Whoever comes back is asked for after it was let go.
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

  #hear(told: Told<E>, socket: LineSocket): void {
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

  /** A subscription is answered. */
  #end(side: Side, id: number): void {
    side.asked.get(id)?.timer.cancel();
    side.asked.delete(id);
    this.#settle(side);
  }

  /** All that was asked for is answered: from now on nothing is missed. */
  #settle(side: Side): void {
    if (side.queue.length > 0 || side.asked.size > 0) return;
    if (side.isReady) this.#tell();
    else if (!this.#line.isUp) this.#ready(side);
    // What the one before was told of before this one was granted may still be on its way.
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

  /** Says of each symbol what has changed. */
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
      const missing = [...streams].filter((name) => !side.granted.has(name));
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
