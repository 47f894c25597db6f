/**
 * Public channels of one address of OKX, spread over as few sockets as they need: subscribed in batches at the pace that it takes, again
 * after every break, with all of an instrument on one socket. An instrument is fresh while all its channels are granted on a socket that
 * is up. What comes is handed on as it is; of an overlap it comes twice (OD Connect, Subscribe, Notification).
 */
import type { Cancelable, Clock, Random } from '../../../domain/clock.ts';
import type { Way } from '../../kit/addresses.ts';
import { FRAME } from '../../kit/bounds.ts';
import { Line, type LineSocket } from '../../kit/line.ts';
import type { Message } from '../../kit/messages.ts';
import type { Net } from '../../kit/net.ts';
import { turnToConnect } from '../budgets.ts';
import type { PriceEvent } from './messages.ts';

/** What an address allows. */
export interface ChannelLimits {
  /** Channels of one socket at most: its subscriptions together stay far below 64 KB. */
  readonly perSocket: number;
  /** Between two messages to the exchange on one socket, ms. */
  readonly messageEveryMs: number;
  /** Requests of one socket at most: OKX takes 480 in an hour, then another one takes its place. */
  readonly requests: number;
  readonly rotateMs: number;
}

export const CHANNEL_LIMITS: ChannelLimits = {
  ...{ perSocket: 200, messageEveryMs: 250, requests: 400, rotateMs: 23 * 3_600_000 },
};

export interface ChannelsOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly address: string;
  /** Through the lanes that count sockets. */
  readonly way: Way;
  readonly limits: ChannelLimits;
  readonly read: (text: string) => Message<readonly PriceEvent[]>;
  /** Data of a channel. */
  readonly event: (event: PriceEvent) => void;
  /** All of an instrument is granted (why null), or something of it is not. */
  readonly state: (instId: string, why: string | null) => void;
  /** After a break something of these may be missing. */
  readonly gap: (instIds: readonly string[]) => void;
  /** The service is about to be upgraded, at the other address too, which is not told. */
  readonly upgrade: () => void;
  /** What cannot be read, or was refused. */
  readonly complain: (kind: string, text: string) => void;
}

/** Channels of one request. */
const BATCH = 50;
/** Channels that an instrument has at most: trades, mark, funding, a candle of each frame. */
const OF_INSTRUMENT = 14;
/** Two sockets tell for so long while one takes the place of the other, ms. */
const OVERLAP_MS = 1_000;
/** The answers to a subscription come by then, ms. */
const REPLY_WITHIN_MS = 5_000;
/** OKX cuts what is silent for 30 s, and answers a ping. */
const PING_EVERY_MS = 15_000;
const SILENCE_MS = 35_000;

const ASKING = 'its prices are being asked for';

export class PriceChannels {
  readonly #o: ChannelsOptions;
  readonly #sockets = new Set<ChannelSocket>();
  readonly #of = new Map<string, ChannelSocket>();

  constructor(options: ChannelsOptions) {
    this.#o = options;
  }

  /** The channels of each instrument, all that are wanted from now on; none of it is no instrument. */
  watch(wanted: ReadonlyMap<string, ReadonlySet<string>>): void {
    for (const [instId, socket] of [...this.#of])
      if (!wanted.get(instId)?.size) {
        socket.set(instId, new Set());
        this.#of.delete(instId);
        if (socket.isEmpty) this.#drop(socket);
      }
    for (const [instId, channels] of wanted)
      if (channels.size > 0) this.#socketOf(instId).set(instId, channels);
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

  #socketOf(instId: string): ChannelSocket {
    const known = this.#of.get(instId);
    if (known) return known;
    const room = this.#o.limits.perSocket - OF_INSTRUMENT;
    let socket = [...this.#sockets].find(({ count }) => count <= room);
    if (!socket) {
      socket = new ChannelSocket(this.#o);
      this.#sockets.add(socket);
    }
    this.#of.set(instId, socket);
    return socket;
  }

  #drop(socket: ChannelSocket): void {
    this.#sockets.delete(socket);
    socket.close();
  }
}

interface Asked {
  readonly on: boolean;
  readonly missing: Set<string>;
  readonly timer: Cancelable;
}

/** What is known of one of the two sockets of a change. */
interface Side {
  readonly socket: LineSocket;
  readonly granted: Set<string>;
  /** Asked for, granted or not. */
  readonly wanted: Set<string>;
  readonly refused: Map<string, string>;
  readonly asked: Map<number, Asked>;
  queue: { readonly on: boolean; readonly channels: readonly string[] }[];
  pace: Cancelable | null;
  ping: Cancelable | null;
  /** Until the one before is let go. */
  overlap: Cancelable | null;
  requests: number;
  isReady: boolean;
}

class ChannelSocket {
  readonly #o: ChannelsOptions;
  readonly #line: Line;
  readonly #channels = new Map<string, ReadonlySet<string>>();
  readonly #sides = new Map<LineSocket, Side>();
  /** What was told last of each instrument. */
  readonly #told = new Map<string, string | null>();
  count = 0;
  #nextId = 1;
  #wasUp = false;
  #isOpen = false;
  #cause: string | null = null;

  constructor(options: ChannelsOptions) {
    this.#o = options;
    const { net, clock, random, address, limits } = options;
    this.#line = new Line({
      ...{ net, clock, random, silenceMs: SILENCE_MS, rotateMs: limits.rotateMs, bytesMax: FRAME.length },
      url: () => turnToConnect(options.way, address),
      events: {
        opened: (socket) => this.#opened(socket),
        message: (text, socket) => this.#message(text, socket),
        up: () => this.#up(),
        down: (cause) => {
          this.#cause = cause;
          this.#tell();
        },
      },
    });
  }

  get isEmpty(): boolean {
    return this.#channels.size === 0;
  }

  get isUp(): boolean {
    return this.#line.isUp;
  }

  /** None: it is not wanted any more. */
  set(instId: string, channels: ReadonlySet<string>): void {
    this.count += channels.size - (this.#channels.get(instId)?.size ?? 0);
    if (channels.size > 0) this.#channels.set(instId, channels);
    else {
      this.#channels.delete(instId);
      this.#told.delete(instId);
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
      ...{ socket, granted: new Set(), wanted: new Set(), refused: new Map(), asked: new Map() },
      ...{ queue: [], pace: null, ping: null, overlap: null, requests: 0, isReady: false },
    };
    this.#sides.set(socket, side);
    this.#ping(side);
    this.#ask(side);
  }

  #ping(side: Side): void {
    side.ping = this.#o.clock.after(PING_EVERY_MS, () => {
      side.socket.send('ping');
      this.#ping(side);
    });
  }

  /** Queues the difference between what is wanted and what this side was asked for. */
  #ask(side: Side): void {
    const all = new Set([...this.#channels.values()].flatMap((channels) => [...channels]));
    const more = [...all].filter((name) => !side.wanted.has(name));
    const less = [...side.wanted].filter((name) => !all.has(name));
    for (const name of more) side.wanted.add(name);
    for (const name of less) {
      side.wanted.delete(name);
      side.refused.delete(name);
    }
    // Whoever comes back is asked for after it was let go.
    for (let at = 0; at < less.length; at += BATCH)
      side.queue.push({ on: false, channels: less.slice(at, at + BATCH) });
    for (let at = 0; at < more.length; at += BATCH)
      side.queue.push({ on: true, channels: more.slice(at, at + BATCH) });
    this.#pump(side);
  }

  #pump(side: Side): void {
    if (side.pace) return;
    const next = side.queue.shift();
    if (!next) {
      this.#settle(side);
      return;
    }
    const { clock, limits } = this.#o;
    const id = this.#nextId++;
    const timer = clock.after(REPLY_WITHIN_MS, () =>
      side.socket.fail(`a subscription was not answered within ${REPLY_WITHIN_MS / 1_000} s`),
    );
    side.asked.set(id, { on: next.on, missing: new Set(next.channels), timer });
    side.requests += 1;
    const args = next.channels.map((key) => {
      const [channel = '', instId = ''] = key.split(' ');
      return { channel, instId };
    });
    const op = next.on ? 'subscribe' : 'unsubscribe';
    if (!side.socket.send(JSON.stringify({ id: String(id), op, args }))) {
      side.socket.fail('it takes no messages');
      return;
    }
    if (side.requests >= limits.requests) this.#line.rotate();
    side.pace = clock.after(limits.messageEveryMs, () => {
      side.pace = null;
      this.#pump(side);
    });
  }

  #message(text: string, socket: LineSocket): void {
    const read = this.#o.read(text);
    if (!read.ok) {
      this.#o.complain('market stream', read.problem);
      return;
    }
    const side = this.#sides.get(socket);
    for (const event of read.value) {
      if (event.kind === 'granted' || event.kind === 'left') this.#answered(side, event);
      else if (event.kind === 'refused') this.#refused(side, event.id, event.problem);
      else if (event.kind === 'shutdown') this.#o.upgrade();
      else if (event.kind !== 'other') this.#o.event(event);
    }
  }

  /** Each channel of a request has an answer of its own. */
  #answered(
    side: Side | undefined,
    { kind, channel }: { readonly kind: 'granted' | 'left'; readonly channel: string },
  ): void {
    if (!side) return;
    if (kind === 'granted') side.granted.add(channel);
    else side.granted.delete(channel);
    for (const [id, asked] of side.asked) {
      if (asked.on !== (kind === 'granted') || !asked.missing.delete(channel)) continue;
      if (asked.missing.size === 0) this.#end(side, id);
      break;
    }
    this.#settle(side);
  }

  /** What of the request is not granted yet is refused with it. */
  #refused(side: Side | undefined, id: number | null, problem: string): void {
    if (!side) return;
    const oldest = side.asked.keys().next().value;
    const of = id ?? oldest;
    const asked = of === undefined ? undefined : side.asked.get(of);
    if (of === undefined || !asked) {
      side.socket.fail(problem);
      return;
    }
    const names = [...asked.missing];
    for (const name of names) if (asked.on) side.refused.set(name, problem);
    this.#end(side, of);
    this.#o.complain('subscription', `${names.slice(0, 3).join(', ')} was refused: ${problem}`);
    this.#settle(side);
  }

  #end(side: Side, id: number): void {
    side.asked.get(id)?.timer.cancel();
    side.asked.delete(id);
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
    if (this.#wasUp) this.#o.gap([...this.#channels.keys()]);
    this.#wasUp = true;
  }

  /** Says of each instrument what has changed. */
  #tell(): void {
    const alive = new Set(this.#line.sockets);
    for (const [socket, side] of this.#sides)
      if (!alive.has(socket)) {
        this.#leave(side);
        this.#sides.delete(socket);
      }
    const ready = [...this.#sides.values()].filter(({ isReady }) => isReady);
    for (const [instId, channels] of this.#channels) {
      const why = this.#whyNot(ready, channels);
      if (this.#told.get(instId) === why) continue;
      this.#told.set(instId, why);
      this.#o.state(instId, why);
    }
  }

  #whyNot(ready: readonly Side[], channels: ReadonlySet<string>): string | null {
    let refused: string | null = null;
    for (const side of ready) {
      const missing = [...channels].filter((name) => !side.granted.has(name));
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
