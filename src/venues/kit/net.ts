/**
 * The network as an adapter sees it: requests with one answer each, and message sockets. The product uses
 * `net-of-node.ts` (undici and ws); the simulation has no sockets at all. Nothing here throws for what the
 * other side does or fails to do.
 */

export interface WireRequest {
  /** Scheme, host and port: `https://api.binance.com`. Redirects are never followed. */
  readonly origin: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path with its query, exactly as it goes over the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The timeout, from connecting to the last byte of the answer, ms. */
  readonly timeoutMs: number;
  /** The largest answer, bytes after decompression; a longer one is `lost`. */
  readonly bytesMax: number;
}

export type WireAnswer =
  /** Names of headers are in lower case. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** Not a byte of the request has left: no connection was made. `cause`: one line, safe to show. */
  | { readonly kind: 'unsent'; readonly cause: string }
  /** The request may have arrived. */
  | { readonly kind: 'lost'; readonly cause: string };

/** The HTTP answer of the other side where it did not open a socket. */
export interface SocketRefusal {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SocketEvents {
  opened(): void;
  /** A text frame; a binary or too long one closes the socket instead. */
  message(text: string): void;
  /** The other side's ping shows that it is alive. The pong has already been sent. */
  pinged(): void;
  /**
   * Called once, with no event after it; also for a socket that never opened. `cause`: one line, safe to
   * show. `refusal`: the HTTP answer to the handshake, where it was not a socket.
   */
  closed(cause: string, refusal?: SocketRefusal): void;
}

export interface WireSocket {
  /** Sends a text. False: the socket is not open or too much is waiting already, and nothing is sent. */
  send(text: string): boolean;
  /** Closes the socket; `closed` is not called any more. */
  close(): void;
}

export interface SocketRequest {
  /** `wss://...`, with path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The timeout until the socket is open, ms. */
  readonly timeoutMs: number;
  /** The largest message, bytes. */
  readonly bytesMax: number;
}

export interface Net {
  request(request: WireRequest): Promise<WireAnswer>;
  socket(request: SocketRequest, events: SocketEvents): WireSocket;
}
