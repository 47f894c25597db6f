/**
 * Handles what happens on a connection besides ordinary answers: bytes that are no request (D34), bodies that
 * are too large (D33), slow senders. The answer is written raw, in the usual envelope, and the connection
 * closes. Each counts as a request of its address, unless it belongs to one that was counted already. Never
 * writes an answer that a client could take for that of an earlier request still in work.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, HTTP_STATUS } from '../domain/errors.ts';
import type { Allowance } from './rate-limits.ts';

/** Time that a client has to read the last answer, even if it still sends, before the connection is cut. */
const LINGER_MS = 1_000;

/** Headers of every answer, raw or not. */
export const COMMON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const;

/** Headers that a budget adds to an answer. */
type RateHeaders = Allowance['headers'];

/** A request on a connection, from its head until its answer is sent. */
interface Arrival {
  readonly req: IncomingMessage;
  /** What the count at its beginning adds to its answer. */
  readonly headers: RateHeaders;
}

interface ConnectionState {
  readonly open: Set<Arrival>;
  /** Number of requests that have begun on the connection, ever. */
  begun: number;
  /** The last answer, which waits for the answers of fully received requests; null: none. */
  pending: string | null;
  closing: boolean;
}

/**
 * A refusal before the routes. The HTTP status may be one without an error code (408, 431); the envelope
 * repeats it.
 */
export interface RawRefusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

export class Connections {
  readonly #states = new WeakMap<Duplex, ConnectionState>();
  readonly #count: (socket: Duplex) => Allowance;
  readonly #mostRequests: number;

  /**
   * `count` takes a request from the budget of the peer's address; `mostRequests`: most requests of one
   * connection.
   */
  constructor(count: (socket: Duplex) => Allowance, mostRequests = Number.POSITIVE_INFINITY) {
    this.#count = count;
    this.#mostRequests = mostRequests;
  }

  /**
   * Notes a request that has begun to arrive and was counted; `headers` are what the count adds to its
   * answer. Returns a function to call once its answer is sent or lost.
   */
  begin(req: IncomingMessage, headers: RateHeaders): () => void {
    const { socket } = req;
    const state = this.#state(socket);
    const arrival = { req, headers };
    state.open.add(arrival);
    state.begun += 1;
    return () => {
      state.open.delete(arrival);
      if (state.pending !== null && !isWorkedOn(state)) this.#finish(socket, state, state.pending);
    };
  }

  /** Whether a request on the connection waits for its answer. */
  isBusy(socket: Duplex): boolean {
    return (this.#states.get(socket)?.open.size ?? 0) > 0;
  }

  /**
   * Whether the connection has made all the requests it may: the last one's answer closes it, and what
   * follows is ignored.
   */
  isFull(socket: Duplex): boolean {
    return (this.#states.get(socket)?.begun ?? 0) >= this.#mostRequests;
  }

  /** Whether nothing more that arrives on the connection may be handled. */
  isClosing(socket: Duplex): boolean {
    const state = this.#states.get(socket);
    return state !== undefined && (state.closing || state.pending !== null);
  }

  /** Answers a request that `begin` has noted, discards the rest of it and closes. */
  refuseRequest(req: IncomingMessage, refusal: RawRefusal): void {
    const state = this.#state(req.socket);
    const arrival = [...state.open].find((one) => one.req === req);
    if (arrival === undefined || this.isClosing(req.socket)) return;
    state.open.delete(arrival);
    req.resume();
    this.#last(req.socket, state, rawAnswer(refusal, arrival.headers));
  }

  /** Answers bytes that are no request, or an incomplete request, and closes. */
  refuse(socket: Duplex, refusal: RawRefusal): void {
    const state = this.#state(socket);
    if (this.isClosing(socket)) return;
    const partly = [...state.open].find(({ req }) => !req.complete);
    this.#last(socket, state, partly ? rawAnswer(refusal, partly.headers) : this.#counted(socket, refusal));
  }

  /** Handles node's `clientError`. */
  clientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    // A failure of TLS itself cannot be reported over it.
    const broken = error.code === 'ECONNRESET' || /^ERR_(TLS|SSL)_/.test(error.code ?? '');
    if (broken || !socket.writable) socket.destroy();
    else this.refuse(socket, refusalOf(error.code));
  }

  #counted(socket: Duplex, refusal: RawRefusal): string {
    const { headers, refusal: over } = this.#count(socket);
    return rawAnswer(over ? { ...over, status: HTTP_STATUS[over.code] } : refusal, headers);
  }

  /** Sends the last answer after those that are still due. */
  #last(socket: Duplex, state: ConnectionState, text: string): void {
    if (isWorkedOn(state)) state.pending = text;
    else this.#finish(socket, state, text);
  }

  #state(socket: Duplex): ConnectionState {
    let state = this.#states.get(socket);
    if (state === undefined) {
      state = { open: new Set(), begun: 0, pending: null, closing: false };
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
    // Half closed first: if a connection with unread bytes were cut, the peer's kernel would discard the
    // answer.
    socket.end(text);
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }
}

/** Whether a request has fully arrived and its answer is not sent. */
function isWorkedOn({ open }: ConnectionState): boolean {
  return [...open].some(({ req }) => req.complete);
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

function rawAnswer({ status, code, message }: RawRefusal, rate: Readonly<Record<string, string>>): string {
  const body = JSON.stringify({ error: { code, status, message }, meta: { requestId: randomUUID() } });
  const head = Object.entries({
    ...COMMON_HEADERS,
    ...rate,
    date: new Date().toUTCString(),
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`;
}
