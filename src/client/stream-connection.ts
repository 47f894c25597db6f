/**
 * One connection of a stream from its start to its end: challenge, authentication, requests, signs of life,
 * and the meaning of its end. Never reconnects: the stream does.
 */
import type { Cancelable } from '../domain/clock.ts';
import { type ServerMessage, STREAM_CLOSE_CODES } from '../schemas/stream.ts';
import { NetworkError, StreamError } from './errors.ts';
import { type SigningKey, streamAuthArgs } from './signing.ts';
import type { CompiledStreamOptions } from './stream-options.ts';
import { errorOf, type ReplyHandlers, type StreamRequest, StreamRequests } from './stream-requests.ts';
import type { SocketEnd, StreamSocket } from './stream-socket.ts';

/** A message with the data of a channel. */
export type UpdateMessage = Extract<ServerMessage, { op: `update.${string}` }>;

export interface ConnectionOptions extends CompiledStreamOptions {
  readonly url: string;
  readonly key: SigningKey;
  /** Returns the service's time as far as is known, Unix ms. */
  readonly serverNow: () => number;
  /** Measures the offset to the service's clock. */
  readonly syncClock: () => Promise<unknown>;
}

export interface ConnectionEvents {
  authenticated(userId: string): void;
  update(message: UpdateMessage): void;
  /** Called with an error that answers no request. */
  error(error: StreamError): void;
  /** Called once, as the last event. The error says whether reconnecting makes sense (`retryable`). */
  ended(error: NetworkError | StreamError): void;
}

export class StreamConnection {
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #socket: StreamSocket;
  readonly #requests: StreamRequests;
  #challenge: string | null = null;
  #clockMeasured = false;
  #ready = false;
  /** Why the connection ends, once that is known. */
  #reason: NetworkError | StreamError | null = null;
  #ended = false;
  readonly #deadline: Cancelable;
  #silence: Cancelable;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
    this.#socket = options.open(options.url, {
      message: (text) => this.#received(text),
      ping: () => this.#alive(),
      ended: (end) => this.#end(this.#reason ?? endError(end)),
    });
    this.#requests = new StreamRequests({
      send: (text) => this.#socket.send(text),
      after: options.after,
      replyTimeoutMs: options.replyTimeoutMs,
      silent: (error) => this.drop(error),
    });
    this.#deadline = options.after(options.connectTimeoutMs, () =>
      this.drop(new NetworkError(`not authenticated within ${options.connectTimeoutMs} ms`)),
    );
    this.#silence = this.#watch();
  }

  request(message: StreamRequest, handlers: ReplyHandlers): void {
    if (this.#reason) handlers.failed(this.#reason);
    else this.#requests.send(message, handlers);
  }

  /** Ends the connection at once: `ended` is called with this error before this returns. */
  drop(error: NetworkError | StreamError): void {
    this.#reason ??= error;
    this.#end(this.#reason);
    this.#socket.terminate();
  }

  /** Starts the close handshake; `ended` follows with this error, after a second at the latest. */
  close(error: StreamError): void {
    this.#reason ??= error;
    this.#socket.close();
    this.#silence.cancel();
    this.#silence = this.#options.after(1_000, () => this.#socket.terminate());
  }

  #received(text: string | null): void {
    if (this.#reason) return;
    this.#alive();
    const message = text === null ? null : parse(text);
    if (!message) this.drop(new NetworkError('a message is not one of the service'));
    else if (!this.#requests.take(message)) this.#unasked(message);
  }

  /** Handles messages that are no reply. Late answers and messages of later versions are ignored. */
  #unasked(message: ServerMessage): void {
    if (message.op === 'challenge') {
      this.#challenge ??= message.data.challenge;
      this.#authenticate();
    } else if (message.op === 'error') this.#failed(errorOf(message));
    else if ('channel' in message && 'data' in message) this.#events.update(message);
  }

  #authenticate(): void {
    const { key, serverNow } = this.#options;
    const args = streamAuthArgs(key, Math.round(serverNow()), this.#challenge ?? '');
    this.request(
      { op: 'auth', args },
      {
        answered: (reply) => this.#authenticated(reply),
        failed: (error) => this.#authRefused(error),
      },
    );
  }

  #authenticated(reply: ServerMessage): void {
    if (reply.op === 'auth' && reply.data.authenticated) {
      this.#ready = true;
      this.#deadline.cancel();
      this.#events.authenticated(reply.data.userId);
    } else this.drop(new NetworkError(`the answer to auth is ${reply.op}`));
  }

  /**
   * Handles a refused authentication. A wrong clock is measured once; the challenge of a failed attempt stays
   * valid.
   */
  #authRefused(error: NetworkError | StreamError): void {
    if (this.#reason) return;
    if (error.code !== 'TIMESTAMP_EXPIRED' || this.#clockMeasured) {
      this.drop(error);
      return;
    }
    this.#clockMeasured = true;
    this.#options.syncClock().then(
      () => this.#reason ?? this.#authenticate(),
      () => this.drop(error),
    );
  }

  #failed(error: StreamError): void {
    // Before the stream is ready every error is about the authentication.
    if (!this.#ready) this.#authRefused(error);
    else if (error.code === 'KEY_REVOKED') this.drop(error);
    else this.#events.error(error);
  }

  #alive(): void {
    if (this.#reason) return;
    this.#silence.cancel();
    this.#silence = this.#watch();
  }

  #watch(): Cancelable {
    const { after, silenceMs } = this.#options;
    return after(silenceMs, () => this.drop(new NetworkError(`the service was silent for ${silenceMs} ms`)));
  }

  #end(error: NetworkError | StreamError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = error;
    this.#deadline.cancel();
    this.#silence.cancel();
    // Called before the requests fail: a missing connection tells these failures apart from refusals.
    this.#events.ended(error);
    this.#requests.end(error);
  }
}

function parse(text: string): ServerMessage | null {
  try {
    const message: unknown = JSON.parse(text);
    const isMessage = typeof message === 'object' && message !== null && 'op' in message;
    return isMessage && hasData(message) ? (message as ServerMessage) : null;
  } catch {
    return null;
  }
}

/** Whether a message has the fields that are read without a check of its form. */
function hasData(message: { op?: unknown; data?: unknown }): boolean {
  const { op, data } = message;
  const needed = typeof op === 'string' && (/^(challenge|auth|error)$/.test(op) || op.startsWith('update.'));
  return !needed || (typeof data === 'object' && data !== null);
}

/** What the end of a socket means when no reason was known before. */
function endError({ code, reason, httpStatus, retryAfterMs, cause }: SocketEnd): NetworkError | StreamError {
  if (code === STREAM_CLOSE_CODES.keyRevoked) return new StreamError('KEY_REVOKED', 'the key was revoked');
  if (httpStatus !== null) {
    const message = `the WebSocket was refused with HTTP ${httpStatus}`;
    if (httpStatus === 429) return new StreamError('RATE_LIMITED', message, { retryAfterMs });
    if (httpStatus >= 500) return new StreamError('INTERNAL_ERROR', message, { retryAfterMs });
    return new StreamError('UPGRADE_REFUSED', message);
  }
  if (code === STREAM_CLOSE_CODES.rateLimited) {
    return new StreamError('RATE_LIMITED', `the service closed the stream: ${reason || 'too many messages'}`);
  }
  const why = cause ? cause.message || String(cause) : `closed with code ${code}${reason && `, ${reason}`}`;
  return new NetworkError(`the stream broke: ${why}`, { cause });
}
