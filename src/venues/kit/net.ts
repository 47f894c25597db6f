/**
 * The network as an adapter sees it: requests with one answer each, and sockets of messages. The product's is `net-of-node.ts`
 * (undici and ws); the simulation's has no sockets at all. Nothing here throws for what the other side does or fails to do.
 */

export interface WireRequest {
  /** Scheme, host and port: `https://api.binance.com`. Redirects are never followed. */
  readonly origin: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query, exactly as it goes over the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From connecting to the last byte of the answer, ms. */
  readonly timeoutMs: number;
  /** Bytes of the answer at most, after inflation; a longer one is `lost`. */
  readonly bytesMax: number;
}

export type WireAnswer =
  /** Names of headers are in small letters. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** Not a byte of it has left: no connection was made. `cause`: one line, fit to be shown. */
  | { readonly kind: 'unsent'; readonly cause: string }
  /** It may have arrived. */
  | { readonly kind: 'lost'; readonly cause: string };

/** How the other side has answered instead of opening a socket. */
export interface SocketRefusal {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SocketEvents {
  opened(): void;
  /** A text frame; a binary or too long one closes the socket instead. */
  message(text: string): void;
  /** The other side's ping: it lives. The answer is given already. */
  pinged(): void;
  /**
   * Once, and nothing after it; also of one that never opened. `cause`: one line, fit to be shown. `refusal`: the handshake had
   * another answer than a socket.
   */
  closed(cause: string, refusal?: SocketRefusal): void;
}

export interface WireSocket {
  /** False: it is not open, or too much waits already; nothing is sent. */
  send(text: string): boolean;
  /** Ends it; `closed` is not called any more. */
  close(): void;
}

export interface SocketRequest {
  /** `wss://...`, with path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Until it is open, ms. */
  readonly timeoutMs: number;
  /** Bytes of a message at most. */
  readonly bytesMax: number;
}

export interface Net {
  request(request: WireRequest): Promise<WireAnswer>;
  socket(request: SocketRequest, events: SocketEvents): WireSocket;
}
