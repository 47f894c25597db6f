/**
 * Open connections by address: one address gets so many places and no more, whatever it does with them, so that a stranger
 * cannot take every one. A trusted proxy is not counted; instead each of its clients may have so many requests and
 * WebSockets under way through it (D43). A connection that says nothing loses its place.
 */
import type { Socket } from 'node:net';
import { addressAllowed, addressBucket, clientAddress } from '../access/address.ts';
import type { Clock } from '../domain/clock.ts';
import type { ServiceError } from '../domain/errors.ts';
import { FloodLine } from './flood-line.ts';

/** Whole seconds after which a client of a proxy may look for room again. */
const RETRY_SECONDS = 1;

export interface SocketPlacesDeps {
  /** Places of one address (IPv6: one /64). */
  readonly perAddress: number;
  /** A connection must have sent its first byte within this, ms. */
  readonly firstByteMs: number;
  /** CIDR ranges of proxies, as `clientAddress` takes them. */
  readonly trustedProxies: readonly string[];
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly report: (text: string) => void;
}

export class SocketPlaces {
  readonly #deps: SocketPlacesDeps;
  readonly #taken = new Map<string, number>();
  readonly #flood: FloodLine;

  constructor(deps: SocketPlacesDeps) {
    this.#deps = deps;
    this.#flood = new FloodLine('connections refused by the limit of their address', deps.report);
  }

  /** A connection as the kernel gave it, before TLS. */
  connected(socket: Socket): void {
    const { address } = clientAddress(socket.remoteAddress, [], []);
    if (!this.#isTrusted(address)) {
      const leave = this.#enter(address);
      if (leave === null) {
        socket.destroy();
        return;
      }
      socket.once('close', leave);
    }
    const timer = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, this.#deps.firstByteMs);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }

  /**
   * A request or WebSocket of this client; what to call when it is over. Where no proxy stands between, its connection has
   * its place already.
   */
  began({ remoteAddress }: Socket, client: string): (() => void) | ServiceError {
    const { trustedProxies, perAddress } = this.#deps;
    if (trustedProxies.length === 0 || this.#isTrusted(client)) return () => {};
    if (!this.#isTrusted(clientAddress(remoteAddress, [], []).address)) return () => {};
    return (
      this.#enter(client) ?? {
        code: 'RATE_LIMITED',
        message: `${perAddress} requests from ${addressBucket(client)} are under way, which is the most`,
        retryAfterS: RETRY_SECONDS,
      }
    );
  }

  #isTrusted(address: string): boolean {
    return addressAllowed(this.#deps.trustedProxies, address);
  }

  #enter(address: string): (() => void) | null {
    const bucket = addressBucket(address);
    const count = this.#taken.get(bucket) ?? 0;
    if (count >= this.#deps.perAddress) {
      this.#flood.note(bucket, this.#deps.clock.monotonic());
      return null;
    }
    this.#taken.set(bucket, count + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const left = (this.#taken.get(bucket) ?? 0) - 1;
      if (left > 0) this.#taken.set(bucket, left);
      else this.#taken.delete(bucket);
    };
  }
}
