/**
 * The real network: requests by undici, sockets by ws, connections by `dial.ts`. A request that has certainly
 * not left is `unsent`; any other without an answer is `lost`, since it may have arrived.
 */
import { createGunzip } from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';
import { WebSocket } from 'ws';
import { BoundedBody } from './bounds.ts';
import { type Dial, type DialOptions, dialer } from './dial.ts';
import type {
  Net,
  SocketEvents,
  SocketRefusal,
  SocketRequest,
  WireAnswer,
  WireRequest,
  WireSocket,
} from './net.ts';
import { NetProblem, wordsOf } from './net-words.ts';

/** Requests to one origin at the same time; more wait for a connection. */
const CONNECTIONS = 64;
/** How long an unused connection is kept, ms: most exchanges close theirs after a minute. */
const KEEP_ALIVE_MS = 30_000;
/** The largest number of bytes that may wait to be sent on a socket. */
const UNSENT_MAX = 1_048_576;

export class NetOfNode implements Net {
  readonly #dial: Dial;
  readonly #pools = new Map<string, Pool>();

  constructor(options: DialOptions = {}) {
    this.#dial = dialer(options);
  }

  request(request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve) => {
      const exchange = new Exchange(request, resolve);
      const { method, path, headers, body } = request;
      try {
        this.#pool(request.origin).dispatch(
          {
            method,
            path,
            headers: { 'accept-encoding': 'gzip', 'user-agent': 'outcry', ...headers },
            ...(body === undefined ? {} : { body }),
          },
          exchange,
        );
      } catch (error) {
        exchange.failed(error);
      }
    });
  }

  socket({ url, headers, timeoutMs, bytesMax }: SocketRequest, events: SocketEvents): WireSocket {
    let isOver = false;
    const end = (cause: string, refusal?: SocketRefusal) => {
      if (isOver) return;
      isOver = true;
      socket.terminate();
      events.closed(cause, refusal);
    };
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: bytesMax,
      handshakeTimeout: timeoutMs,
      followRedirects: false,
      headers: { 'user-agent': 'outcry', ...headers },
      createConnection: ((_options: unknown, dialed: (error: Error | null, socket?: unknown) => void) => {
        this.#dial(url, (error, made) => (made ? dialed(null, made) : dialed(error)));
      }) as never,
    });
    socket.on('open', () => isOver || events.opened());
    socket.on('message', (data: Buffer, isBinary) => {
      if (isOver) return;
      if (isBinary) end('a message is no text');
      else events.message(data.toString('utf8'));
    });
    socket.on('ping', () => isOver || events.pinged());
    socket.on('unexpected-response', (_request, answer) => {
      answer.destroy();
      const { statusCode: status = 0 } = answer;
      end(`the socket was refused (HTTP ${status})`, { status, headers: flat(answer.headers) });
    });
    socket.on('error', (error) => end(wordsOf(error, 'the socket')));
    socket.on('close', (code) => end(`the other side closed it (${code})`));
    return {
      send: (text) => {
        if (isOver || socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > UNSENT_MAX)
          return false;
        socket.send(text, (error) => error && end(wordsOf(error, 'the socket')));
        return true;
      },
      close: () => {
        if (isOver) return;
        isOver = true;
        if (socket.readyState === WebSocket.OPEN) socket.close(1000);
        // A side that does not answer the close frame is not waited for; before the socket is open there is
        // no close frame.
        setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
        if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
      },
    };
  }

  /** Closes all connections; requests in flight are lost. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #pool(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // Each request has its own timeout for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, connected) =>
        this.#dial(origin, (error, socket) =>
          socket
            ? connected(null, socket)
            : connected(error ?? new NetProblem('there is no connection'), null),
        ),
    });
    this.#pools.set(origin, pool);
    return pool;
  }
}

const GOODBYE_MS = 1_000;

/** The headers with each name once, in lower case. */
function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) all[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  return all;
}

/** One request and its answer. Settles exactly once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: WireRequest;
  readonly #settle: (answer: WireAnswer) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #body: BoundedBody;
  #controller: Dispatcher.DispatchController | null = null;
  #gunzip: ReturnType<typeof createGunzip> | null = null;
  #status = 0;
  #headers: Record<string, string> = {};
  #isOver = false;

  constructor(request: WireRequest, settle: (answer: WireAnswer) => void) {
    this.#request = request;
    this.#settle = settle;
    this.#body = new BoundedBody({ length: request.bytesMax });
    this.#timer = setTimeout(
      () => this.#end({ cause: `no answer within ${request.timeoutMs / 1_000} s` }),
      request.timeoutMs,
    );
  }

  /**
   * The request is sent after this call. One that is already over, or that would be sent a second time, is
   * aborted.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver || this.#controller) controller.abort(new NetProblem('it is not sent a second time'));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Informational responses such as 103 come before the answer.
    if (status < 200 || this.#isOver) return;
    this.#status = status;
    this.#headers = flat(headers);
    const encoding = this.#headers['content-encoding'] ?? 'identity';
    if (encoding === 'gzip') this.#inflate();
    else if (encoding !== 'identity')
      this.#end({ cause: 'the answer is packed in a way that was not asked for' });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#gunzip) this.#gunzip.write(chunk);
    else this.#add(chunk);
  }

  onResponseEnd(): void {
    if (this.#gunzip) this.#gunzip.end();
    else this.#whole();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.failed(error);
  }

  failed(error: unknown): void {
    this.#end({ cause: wordsOf(error) });
  }

  #inflate(): void {
    const gunzip = createGunzip();
    gunzip.on('data', (chunk: Buffer) => this.#add(chunk));
    gunzip.on('end', () => this.#whole());
    gunzip.on('error', () => this.#end({ cause: 'the answer cannot be unpacked' }));
    this.#gunzip = gunzip;
  }

  #add(chunk: Buffer): void {
    if (!this.#isOver && !this.#body.add(chunk))
      this.#end({ cause: `the answer is longer than ${this.#request.bytesMax} bytes` });
  }

  #whole(): void {
    const body = this.#body.text();
    if (body === null) this.#end({ cause: 'the answer is not UTF-8' });
    else this.#end({ kind: 'answer', status: this.#status, headers: this.#headers, body });
  }

  /**
   * Ends the request. With a cause there is no answer, and the outcome depends on whether the request has
   * left.
   */
  #end(
    how: Extract<WireAnswer, { kind: 'answer' }> | { readonly kind?: never; readonly cause: string },
  ): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const controller = this.#controller;
    if (how.kind === 'answer') {
      this.#settle(how);
      return;
    }
    this.#gunzip?.destroy();
    this.#settle({ kind: controller ? 'lost' : 'unsent', cause: how.cause });
    controller?.abort(new NetProblem(how.cause));
  }
}
