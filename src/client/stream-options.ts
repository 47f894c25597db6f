/** Options of a stream and their defaults. */
import type { Cancelable } from '../domain/clock.ts';
import { type OpenSocket, type SocketOptions, wsSocket } from './stream-socket.ts';

/** Where a stream stands. */
export type StreamState =
  /** `attempt`: 1 at the first one since the connection was last good. */
  | { readonly status: 'connecting'; readonly attempt: number }
  /** Authenticated; what was subscribed is subscribed again. */
  | { readonly status: 'open'; readonly userId: string }
  /** Disconnected; the next attempt comes after `delayMs`. */
  | { readonly status: 'waiting'; readonly delayMs: number; readonly error: Error }
  /** For good. `error` is null after `close()`. */
  | { readonly status: 'closed'; readonly error: Error | null };

export interface StreamOptions {
  /** Called with every change of the state. */
  onState?(state: StreamState): void;
  /**
   * What nobody waits for: errors of the service that answer no request, lost connections, failing handlers. Without it
   * the failure of a handler is thrown as an uncaught one; the rest only shows in the state.
   */
  onError?(error: Error): void;
  /** Waits between attempts: twice as long each time, half of it random. Defaults 500 and 30,000. */
  readonly reconnect?: { readonly baseDelayMs?: number; readonly maxDelayMs?: number };
  /** Attempts until the first authentication; later ones have no end. Default: as of the client's calls. */
  readonly attempts?: number;
  /** From the attempt to the authentication. Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** A request without an answer for so long means a dead connection. Default 10,000. */
  readonly replyTimeoutMs?: number;
  /** So long without a sign of life, the service pings every 20 s, means a dead connection. Default 45,000. */
  readonly silenceMs?: number;
  /** Events held back for one subscription while its `onResync` runs; more, and it runs again. Default 10,000. */
  readonly heldEvents?: number;
  /** Options of the socket, e.g. `{ localAddress }`. */
  readonly socket?: SocketOptions;
  /** Instead of `ws`; for tests. */
  readonly open?: OpenSocket;
  /** Timers. */
  readonly after?: (delayMs: number, run: () => void) => Cancelable;
}

export interface CompiledStreamOptions {
  readonly onState: (state: StreamState) => void;
  /** Null: none was given. */
  readonly onError: ((error: Error) => void) | null;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly attempts: number;
  readonly connectTimeoutMs: number;
  readonly replyTimeoutMs: number;
  readonly silenceMs: number;
  readonly heldEvents: number;
  readonly open: OpenSocket;
  readonly after: (delayMs: number, run: () => void) => Cancelable;
}

export function compileStreamOptions(options: StreamOptions, attempts: number): CompiledStreamOptions {
  return {
    onState: (state) => options.onState?.(state),
    onError: options.onError ? (error) => options.onError?.(error) : null,
    baseDelayMs: options.reconnect?.baseDelayMs ?? 500,
    maxDelayMs: options.reconnect?.maxDelayMs ?? 30_000,
    attempts: options.attempts ?? attempts,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    replyTimeoutMs: options.replyTimeoutMs ?? 10_000,
    silenceMs: options.silenceMs ?? 45_000,
    heldEvents: options.heldEvents ?? 10_000,
    open: options.open ?? wsSocket(options.socket),
    after: options.after ?? timer,
  };
}

function timer(delayMs: number, run: () => void): Cancelable {
  const handle = setTimeout(run, delayMs);
  return { cancel: () => clearTimeout(handle) };
}
