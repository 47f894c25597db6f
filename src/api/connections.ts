/**
 * What happens on a connection beside ordinary answers: bytes that are no request (D34), bodies that are too large
 * (D33), slow senders. The answer is written raw, in the usual envelope, and the connection closes. Never writes an
 * answer that a client could take for that of an earlier request still being worked on.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../domain/errors.ts';

/** Time a client has to read the last answer, its own sending notwithstanding, before the connection is cut. */
const LINGER_MS = 1_000;

/** Headers of every answer, raw or not. */
export const COMMON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const;

interface ConnectionState {
  /** Requests whose bodies are in and whose answers are not out. */
  running: number;
  /** Last answer, waiting for those. */
  pending: string | null;
  closing: boolean;
}

/** A refusal below the routes. The HTTP status may be one that no error code has (408, 431); the envelope mirrors it. */
export interface RawRefusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

export class Connections {
  readonly #states = new WeakMap<Duplex, ConnectionState>();

  /** A request has arrived whole and is worked on. Returns what to call once its answer is out or lost. */
  begin(socket: Duplex): () => void {
    const state = this.#state(socket);
    state.running++;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      state.running--;
      if (state.running === 0 && state.pending !== null) this.#finish(socket, state, state.pending);
    };
  }

  /** True once nothing more that arrives on it may be worked on. */
  isClosing(socket: Duplex): boolean {
    const state = this.#states.get(socket);
    return state !== undefined && (state.closing || state.pending !== null);
  }

  /** Answers and closes, after the answers that are still due. `req` is the request whose body is being thrown away. */
  refuse(socket: Duplex, refusal: RawRefusal, req?: IncomingMessage): void {
    const state = this.#state(socket);
    if (this.isClosing(socket)) return;
    req?.resume();
    const text = rawAnswer(refusal);
    if (state.running > 0) state.pending = text;
    else this.#finish(socket, state, text);
  }

  /** Handler of node's `clientError`. */
  clientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.refuse(socket, refusalOf(error.code));
  }

  #state(socket: Duplex): ConnectionState {
    let state = this.#states.get(socket);
    if (state === undefined) {
      state = { running: 0, pending: null, closing: false };
      this.#states.set(socket, state);
    }
    return state;
  }

  #finish(socket: Duplex, state: ConnectionState, text: string): void {
    state.closing = true;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    // Half closed first: cutting a connection with unread bytes would make the peer's kernel throw the answer away.
    socket.end(text);
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }
}

function refusalOf(code: string | undefined): RawRefusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'INVALID_REQUEST', message: 'the request headers are too large' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'the chunk extensions are too large' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'INVALID_REQUEST', message: 'the request did not arrive in time' };
    default:
      return { status: 400, code: 'INVALID_REQUEST', message: 'the bytes sent are not an HTTP/1.1 request' };
  }
}

function rawAnswer({ status, code, message }: RawRefusal): string {
  const body = JSON.stringify({ error: { code, status, message }, meta: { requestId: randomUUID() } });
  const head = Object.entries({
    ...COMMON_HEADERS,
    date: new Date().toUTCString(),
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`;
}
