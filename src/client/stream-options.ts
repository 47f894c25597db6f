/** Options of a stream and their defaults. */
import type { Cancelable } from '../domain/clock.ts';
import { type OpenSocket, type SocketOptions, wsSocket } from './stream-socket.ts';

/** The state of a stream. */
export type StreamState =
  /** `attempt`: 1 for the first one since the connection was last good. */
  | { readonly status: 'connecting'; readonly attempt: number }
  /** Authenticated; earlier subscriptions are made again. */
  | { readonly status: 'open'; readonly userId: string }
  /** Disconnected; the next attempt comes after `delayMs`. */
  | { readonly status: 'waiting'; readonly delayMs: number; readonly error: Error }
  /** Ended for good. `error` is null after `close()`. */
  | { readonly status: 'closed'; readonly error: Error | null };

export interface StreamOptions {
  /** Called with every change of the state. */
  onState?(state: StreamState): void;
  /**
   * Called with errors that no call waits for: errors of the service that answer no request, lost
   * connections, failing handlers. Without it a handler's failure is thrown as uncaught; the rest only shows
   * in the state.
   */
  onError?(error: Error): void;
  /**
   * Waits between attempts, ms: each twice as long as the one before, half of it random. Defaults 500 and
   * 30,000.
   */
  readonly reconnect?: { readonly baseDelayMs?: number; readonly maxDelayMs?: number };
  /**
   * Attempts until the first authentication; later ones are unlimited. Default: as for the client's calls.
   */
  readonly attempts?: number;
  /** Longest time from the attempt to the authentication, ms. Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** After this long without an answer to a request the connection counts as dead. Default 10,000. */
  readonly replyTimeoutMs?: number;
  /**
   * After this long without a sign of life the connection counts as dead; the service pings every 20 s.
   * Default 45,000.
   */
  readonly silenceMs?: number;
  /**
   * Most events held back for one subscription while its `onResync` runs; after more it runs again. Default
   * 10,000.
   */
  readonly heldEvents?: number;
  /** Options of the socket, e.g. `{ localAddress }`. */
  readonly socket?: SocketOptions;
  /** Replaces `ws`; for tests. */
  readonly open?: OpenSocket;
  /** Starts a timer. */
  readonly after?: (delayMs: number, run: () => void) => Cancelable;
}

export interface CompiledStreamOptions {
  readonly onState: (state: StreamState) => void;
  /** The caller's `onError`; null: none was given. */
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
