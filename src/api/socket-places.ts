/**
 * Open connections by address: each address has a fixed number of places, however it uses them, so that a
 * stranger cannot take all. A trusted proxy is not counted; instead each of its clients may have that many
 * requests and WebSockets open through it (D43). A connection that sends nothing loses its place.
 */
import type { Socket } from 'node:net';
import { addressAllowed, addressBucket, clientAddress } from '../access/address.ts';
import type { Clock } from '../domain/clock.ts';
import type { ServiceError } from '../domain/errors.ts';
import { FloodLine } from './flood-line.ts';

/** Whole seconds after which a proxy's client may try again. */
const RETRY_SECONDS = 1;

export interface SocketPlacesDeps {
  /** Most places of one address (IPv6: one /64). */
  readonly perAddress: number;
  /** A connection must have sent its first byte within this, ms. */
  readonly firstByteMs: number;
  /** CIDR ranges of proxies, in the form for `clientAddress`. */
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

  /** Counts a new connection, before TLS. */
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
   * Counts a request or WebSocket of this client; returns a function to call when it is over. Without a proxy
   * its connection has a place already.
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
