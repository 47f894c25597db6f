/**
 * How the stream's frames get to the service: a port for tests, and the real one over `ws`. The platform's own WebSocket
 * does not do: it neither shows control pings, by which a dead connection is noticed, nor binds a local address, nor says
 * with which HTTP status an upgrade was refused. No protocol here.
 */
import { WebSocket, type ClientOptions as WsOptions } from 'ws';
import { retryAfterMs } from './retry.ts';

/** Passed on to `ws`, e.g. `localAddress` or `ca`. */
export type SocketOptions = Pick<
  WsOptions,
  'agent' | 'ca' | 'cert' | 'family' | 'headers' | 'key' | 'localAddress'
>;

/** How a socket ended. */
export interface SocketEnd {
  /** Close code; 1006 when the connection broke or never stood. */
  readonly code: number;
  readonly reason: string;
  /** Of an upgrade that was answered with something else than 101. */
  readonly httpStatus: number | null;
  readonly retryAfterMs: number | null;
  readonly cause: Error | null;
}

export interface SocketEvents {
  /** Null: not text. */
  message(text: string | null): void;
  /** A control ping; it is answered before this is called. */
  ping(): void;
  /** Once and last, also for a connection that never stood. */
  ended(end: SocketEnd): void;
}

export interface StreamSocket {
  send(text: string): void;
  /** Close handshake with code 1000. */
  close(): void;
  /** Ends the connection at once. */
  terminate(): void;
}

/** Starts to connect. No event comes before it has returned. */
export type OpenSocket = (url: string, events: SocketEvents) => StreamSocket;

/** Longest message taken from the service. */
const MAX_MESSAGE_BYTES = 4 * 1_024 * 1_024;

export function wsSocket(options: SocketOptions = {}): OpenSocket {
  return (url, events) => {
    const socket = new WebSocket(url, {
      ...options,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    let refusal: { httpStatus: number; retryAfterMs: number | null } | null = null;
    let cause: Error | null = null;
    socket.on('message', (data, isBinary) => events.message(isBinary ? null : data.toString()));
    socket.on('ping', () => events.ping());
    socket.on('error', (error) => {
      cause = error;
    });
    socket.on('unexpected-response', (_request, response) => {
      refusal = {
        httpStatus: response.statusCode ?? 0,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
      };
      socket.terminate();
    });
    socket.on('close', (code, reason) => {
      events.ended({
        code,
        reason: reason.toString(),
        httpStatus: null,
        retryAfterMs: null,
        cause,
        ...refusal,
      });
    });
    return {
      // A socket that is closing refuses; its end is told anyway.
      send: (text) => socket.send(text, () => {}),
      close: () => socket.close(1000),
      terminate: () => socket.terminate(),
    };
  };
}
