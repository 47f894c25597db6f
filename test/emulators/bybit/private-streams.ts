/**
 * The private connections of all accounts: who gets which message, and disconnection protection, which
 * cancels when every connection that had subscribed to a product's `dcp` topic has been gone for the
 * account's time. Sources: order/dcp.mdx, websocket/private/dcp.mdx.
 */
import type { Clock } from '../../../src/domain/clock.ts';
import type { SocketPeer, SocketSession } from '../kit/wire.ts';
import type { Account } from './account.ts';
import type { Acts } from './acts.ts';
import type { Keys } from './keys.ts';
import { PrivateSocket } from './private-socket.ts';
import { withLife } from './socket-life.ts';

export interface PrivateStreamsOptions {
  readonly keys: Keys;
  readonly clock: Clock;
  readonly now: () => number;
  readonly id: (length: number) => string;
  readonly acts: Acts;
  readonly account: (name: string) => Account;
}

const PRODUCTS = { 'dcp.spot': 'SPOT', 'dcp.future': 'DERIVATIVES' } as const;

export class PrivateStreams {
  readonly #o: PrivateStreamsOptions;
  readonly #sockets = new Map<PrivateSocket, () => void>();

  constructor(o: PrivateStreamsOptions) {
    this.#o = o;
  }

  get size(): number {
    return this.#sockets.size;
  }

  open(peer: SocketPeer, ip: string | undefined, silenceMs: number): SocketSession {
    const { keys, now, id, clock } = this.#o;
    const socket = new PrivateSocket(peer, {
      keys,
      now,
      id,
      ip,
      gone: (gone) => this.#gone(gone),
      subscribed: () => {},
    });
    const { session, heard } = withLife(socket, peer, clock, silenceMs);
    this.#sockets.set(socket, heard);
    return session;
  }

  tell(account: string, topic: string, rows: readonly Record<string, unknown>[]): void {
    const { now, id } = this.#o;
    for (const [socket, heard] of this.#sockets) {
      if (socket.account !== account) continue;
      heard();
      socket.offer(topic, rows, id(20), now());
    }
  }

  revoked(apiKey: string): void {
    for (const socket of [...this.#sockets.keys()]) if (socket.apiKey === apiKey) socket.end('key revoked');
  }

  end(reason: string): void {
    for (const socket of [...this.#sockets.keys()]) socket.end(reason);
  }

  #gone(socket: PrivateSocket): void {
    if (!this.#sockets.delete(socket) || socket.account === null) return;
    const account = this.#o.account(socket.account);
    for (const [topic, product] of Object.entries(PRODUCTS)) {
      const seconds = account.dcp.get(product);
      if (seconds === undefined || !socket.topics.has(topic) || this.#isGuarded(account.name, topic))
        continue;
      this.#o.clock.after(seconds * 1000, () => {
        if (!this.#isGuarded(account.name, topic))
          this.#o.acts.disconnected(account, product as 'SPOT' | 'DERIVATIVES');
      });
    }
  }

  #isGuarded(account: string, topic: string): boolean {
    return [...this.#sockets.keys()].some((socket) => socket.account === account && socket.topics.has(topic));
  }
}
