/**
 * How the stream's frames reach the service: a port for tests, and the real one over `ws`. The platform's own
 * WebSocket is not enough: it does not show control pings, which reveal a dead connection, cannot bind a
 * local address, and does not give the HTTP status of a refused upgrade. No protocol here.
 */
import { WebSocket, type ClientOptions as WsOptions } from 'ws';
import { retryAfterMs } from './retry.ts';

/** Options passed on to `ws`, e.g. `localAddress` or `ca`. */
export type SocketOptions = Pick<
  WsOptions,
  'agent' | 'ca' | 'cert' | 'family' | 'headers' | 'key' | 'localAddress'
>;

/** How a socket ended. */
export interface SocketEnd {
  /** Close code; 1006 when the connection broke or was never established. */
  readonly code: number;
  readonly reason: string;
  /** HTTP status of an upgrade answered with something other than 101. */
  readonly httpStatus: number | null;
  readonly retryAfterMs: number | null;
  readonly cause: Error | null;
}

export interface SocketEvents {
  /** A message came; null: it was not text. */
  message(text: string | null): void;
  /** A control ping came; it is answered before this call. */
  ping(): void;
  /** Called once, as the last event, also for a connection that was never established. */
  ended(end: SocketEnd): void;
}

export interface StreamSocket {
  send(text: string): void;
  /** Starts the close handshake with code 1000. */
  close(): void;
  /** Ends the connection at once. */
  terminate(): void;
}

/** Starts to connect. No event comes before it returns. */
export type OpenSocket = (url: string, events: SocketEvents) => StreamSocket;

/** Longest message accepted from the service. */
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
      // A closing socket refuses; its end is reported anyway.
      send: (text) => socket.send(text, () => {}),
      close: () => socket.close(1000),
      terminate: () => socket.terminate(),
    };
  };
}
