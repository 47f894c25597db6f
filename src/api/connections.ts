/**
 * What happens on a connection beside ordinary answers: bytes that are no request (D34), bodies that are too large
 * (D33), slow senders. The answer is written raw, in the usual envelope, and the connection closes. Each counts as a
 * request of its address, unless it belongs to one that was counted already. Never writes an answer that a client could
 * take for that of an earlier request still being worked on.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, HTTP_STATUS } from '../domain/errors.ts';
import type { Allowance } from './rate-limits.ts';

/** Time a client has to read the last answer, its own sending notwithstanding, before the connection is cut. */
const LINGER_MS = 1_000;

/** Headers of every answer, raw or not. */
export const COMMON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const;

/** Headers that a budget adds to an answer. */
type RateHeaders = Allowance['headers'];

/** A request on a connection, from its head until its answer is out. */
interface Arrival {
  readonly req: IncomingMessage;
  /** It was counted when it began. */
  readonly headers: RateHeaders;
}

interface ConnectionState {
  readonly open: Set<Arrival>;
  /** Requests that have begun on it, ever. */
  begun: number;
  /** Last answer, waiting for those of requests that are in whole. */
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
  readonly #count: (socket: Duplex) => Allowance;
  readonly #mostRequests: number;

  /** `count` takes a request from the budget of the peer's address; `mostRequests` is what one connection may make. */
  constructor(count: (socket: Duplex) => Allowance, mostRequests = Number.POSITIVE_INFINITY) {
    this.#count = count;
    this.#mostRequests = mostRequests;
  }

  /**
   * A request has begun to arrive and was counted; `headers` are what the count adds to its answer. Returns what to call
   * once its answer is out or lost.
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

  /** True while a request on it waits for its answer. */
  isBusy(socket: Duplex): boolean {
    return (this.#states.get(socket)?.open.size ?? 0) > 0;
  }

  /** True once it has made all the requests it may: the last one's answer closes it, what stands behind is not looked at. */
  isFull(socket: Duplex): boolean {
    return (this.#states.get(socket)?.begun ?? 0) >= this.#mostRequests;
  }

  /** True once nothing more that arrives on it may be worked on. */
  isClosing(socket: Duplex): boolean {
    const state = this.#states.get(socket);
    return state !== undefined && (state.closing || state.pending !== null);
  }

  /** Answers a request that `begin` was told of, throws the rest of it away and closes. */
  refuseRequest(req: IncomingMessage, refusal: RawRefusal): void {
    const state = this.#state(req.socket);
    const arrival = [...state.open].find((one) => one.req === req);
    if (arrival === undefined || this.isClosing(req.socket)) return;
    state.open.delete(arrival);
    req.resume();
    this.#last(req.socket, state, rawAnswer(refusal, arrival.headers));
  }

  /** Answers bytes that are no request, or the part of one that did come, and closes. */
  refuse(socket: Duplex, refusal: RawRefusal): void {
    const state = this.#state(socket);
    if (this.isClosing(socket)) return;
    const partly = [...state.open].find(({ req }) => !req.complete);
    this.#last(socket, state, partly ? rawAnswer(refusal, partly.headers) : this.#counted(socket, refusal));
  }

  /** Handler of node's `clientError`. */
  clientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    // What fails in TLS itself cannot be told over it.
    const broken = error.code === 'ECONNRESET' || /^ERR_(TLS|SSL)_/.test(error.code ?? '');
    if (broken || !socket.writable) socket.destroy();
    else this.refuse(socket, refusalOf(error.code));
  }

  #counted(socket: Duplex, refusal: RawRefusal): string {
    const { headers, refusal: over } = this.#count(socket);
    return rawAnswer(over ? { ...over, status: HTTP_STATUS[over.code] } : refusal, headers);
  }

  /** After the answers that are still due. */
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
    // Half closed first: cutting a connection with unread bytes would make the peer's kernel throw the answer away.
    socket.end(text);
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }
}

/** Some request is in whole and its answer is not out. */
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
