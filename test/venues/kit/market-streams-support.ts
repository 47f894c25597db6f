/** Streams of an exchange whose messages are their items as JSON, on sockets controlled by a test. */
import {
  MarketStreams,
  type MarketStreamsOptions,
  type StreamDialect,
  type StreamItem,
  type StreamLimits,
} from '../../../src/venues/kit/market-streams.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { HandNet, type HandSocket } from './hand-net.ts';

export const LIMITS: StreamLimits = {
  perSocket: 30,
  batch: 2,
  messageEveryMs: 200,
  silenceMs: 600_000,
  rotateMs: 3_600_000,
};

/** The content of an event is a text. */
export type Item = StreamItem<string>;

export interface Asked {
  readonly id: number;
  readonly on: boolean;
  readonly streams: readonly string[];
}

export const DIALECT: StreamDialect<string> = {
  subscription: (id, on, streams) => JSON.stringify({ id, on, streams }),
  read: (text) =>
    text === 'odd' ? { ok: false, problem: 'it is odd' } : { ok: true, value: JSON.parse(text) as Item },
};

export class StreamCase {
  readonly net = new HandNet();
  readonly clock = new VirtualClock();
  readonly told: string[] = [];
  readonly streams: MarketStreams<string>;
  #heard = new Map<HandSocket, number>();

  constructor(more: Partial<MarketStreamsOptions<string>> = {}) {
    this.streams = new MarketStreams({
      net: this.net,
      clock: this.clock,
      random: { next: () => 0 },
      url: () => 'wss://stream',
      limits: LIMITS,
      dialect: DIALECT,
      event: (event) => this.told.push(`event ${event}`),
      state: (symbol, why) => this.told.push(why === null ? `${symbol} fresh` : `${symbol}: ${why}`),
      gap: (symbols) => this.told.push(`gap ${symbols.join(' ')}`),
      complain: (kind, text) => this.told.push(`complaint of ${kind}: ${text}`),
      ...more,
    });
  }

  /** Watches symbols with their streams: `{ A: 'a1 a2' }`. */
  watch(wanted: Readonly<Record<string, string>>): void {
    this.streams.watch(
      new Map(
        Object.entries(wanted).map(([symbol, names]) => [symbol, new Set(names.split(' ').filter(Boolean))]),
      ),
    );
  }

  socket(at: number): HandSocket {
    return this.net.sockets[at] as HandSocket;
  }

  /** Opens the latest socket. */
  async open(): Promise<HandSocket> {
    await this.clock.advance(0);
    const socket = this.net.sockets.at(-1) as HandSocket;
    socket.events.opened();
    return socket;
  }

  /** What was asked on a socket since the last call: `+a1 a2` or `-a1`, with the numbers. */
  asked(socket: HandSocket): Asked[] {
    const from = this.#heard.get(socket) ?? 0;
    this.#heard.set(socket, socket.sent.length);
    return socket.sent.slice(from).map((text) => JSON.parse(text) as Asked);
  }

  /** Lets the exchange say items in one message. */
  hear(socket: HandSocket, ...items: readonly Item[]): void {
    socket.events.message(JSON.stringify(items.length === 1 ? items[0] : items));
  }

  /** Confirms all that is asked on a socket, until nothing more comes; returns it. */
  async confirm(socket: HandSocket): Promise<string[]> {
    const all: string[] = [];
    for (let asked = this.asked(socket); asked.length > 0; asked = this.asked(socket)) {
      for (const { id, on, streams } of asked) {
        all.push(`${on ? '+' : '-'}${streams.join(' ')}`);
        this.hear(socket, { kind: 'reply', id, problem: null });
      }
      await this.clock.advance(LIMITS.messageEveryMs);
    }
    return all;
  }

  /** What was reported since the last call. */
  news(): string[] {
    return this.told.splice(0);
  }
}
