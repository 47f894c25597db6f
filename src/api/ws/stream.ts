/**
 * The WebSocket side of the API (specification, "Events"): accepts upgrades, passes the desk's events to
 * subscribers, closes the sockets of revoked keys. An event is rendered once, however many get it.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import type { ApiDesk, ApiEvent } from '../../desk/api/api-port.ts';
import type { Clock } from '../../domain/clock.ts';
import type { CompiledServiceLimits } from '../../domain/limits.ts';
import { Audience } from './audience.ts';
import { Heartbeat } from './heartbeat.ts';
import { type SocketDeps, StreamSocket } from './stream-socket.ts';
import { textFrame } from './text-frame.ts';
import { exchangeOf, updateMessage } from './update-message.ts';
import { Capacity } from './upgrade.ts';
import { type AuthVerifier, authVerifier } from './verify-auth.ts';

const CHALLENGE_BYTES = 32;
/**
 * Most parts of one message, and most pieces in which the network may bring it: both far more than honest
 * clients need.
 */
const MAX_FRAGMENTS = 64;
const MAX_CHUNKS = 1_024;
/** How long a client may take to answer a close frame before the connection is cut. */
const CLOSE_TIMEOUT_MS = 2_000;

export interface StreamOptions {
  readonly desk: ApiDesk;
  readonly clock: Clock;
  readonly limits: CompiledServiceLimits['stream'];
  readonly failedLogins: SocketDeps['failedLogins'];
  /** Verifies auth messages. Default: signatures and IP lists of the desk's keys. */
  readonly verify?: AuthVerifier;
  /** Called when a key has authenticated from an address. */
  readonly onVerified?: (keyId: string, address: string) => void;
}

/** A request that passed all checks so far: now it becomes a WebSocket. */
export interface Upgrade {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** The client's address. */
  readonly address: string;
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;
}

export class Stream {
  readonly #deps: SocketDeps;
  readonly #clock: Clock;
  readonly #server: WebSocketServer;
  readonly #audience = new Audience<StreamSocket>();
  readonly #sockets = new Set<StreamSocket>();
  readonly #capacity: Capacity;
  readonly #unlisten: () => void;
  /** Extra headers of the answer to a handshake. */
  readonly #answerHeaders = new WeakMap<IncomingMessage, Upgrade['headers']>();
  #held: StreamSocket[] = [];
  #closing: (() => void) | null = null;

  constructor(given: StreamOptions) {
    const { desk, clock, limits, failedLogins, verify = authVerifier(desk), onVerified = () => {} } = given;
    this.#clock = clock;
    this.#capacity = new Capacity(limits);
    const options: ServerOptions & { closeTimeout: number; maxPendingAutoPongs: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: limits.frameBytes,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_CHUNKS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      // A flood of pings ends like one of messages: with an error message, closed with 1008.
      maxPendingAutoPongs: limits.messages + 1,
    };
    this.#server = new WebSocketServer(options);
    this.#server.on('headers', (lines, req) => {
      for (const [name, value] of Object.entries(this.#answerHeaders.get(req) ?? {})) {
        lines.push(`${name}: ${value}`);
      }
    });
    this.#deps = {
      desk,
      clock,
      limits,
      verify,
      onVerified,
      failedLogins,
      audience: this.#audience,
      heartbeat: new Heartbeat(clock, limits.heartbeatMs),
      flushLater: (socket) => this.#flushLater(socket),
    };
    this.#unlisten = desk.onEvent({
      wants: (user, channel) => this.#audience.hasAny(user, channel),
      event: (event) => this.#publish(event),
    });
  }

  /** Number of open sockets, including those that are closing. */
  get size(): number {
    return this.#sockets.size;
  }

  /** Takes a place for one more socket from this address; to be given back when the connection is over. */
  enter(address: string): ReturnType<Capacity['enter']> {
    if (this.#closing) return { code: 'SERVICE_UNAVAILABLE', message: 'the service stops' };
    return this.#capacity.enter(address);
  }

  /** Completes a handshake that was checked. */
  accept({ req, socket, head, address, headers }: Upgrade): void {
    // Offered subprotocols are ignored, none is echoed (D35).
    delete req.headers['sec-websocket-protocol'];
    this.#answerHeaders.set(req, headers);
    this.#server.handleUpgrade(req, socket, head, (ws: WebSocket) => {
      const challenge = randomBytes(CHALLENGE_BYTES).toString('hex');
      const connection = { ws, raw: socket, address, challenge };
      this.#sockets.add(new StreamSocket(this.#deps, connection, (gone) => this.#gone(gone)));
    });
  }

  /**
   * Closes the sockets of a revoked key, including those about to authenticate with it; returns their number.
   */
  closeSocketsOf(keyId: string): number {
    const sockets = [...this.#sockets].filter((socket) => socket.keyId === keyId);
    for (const socket of sockets) socket.revoke();
    return sockets.length;
  }

  /**
   * Accepts no more sockets and tells all clients to leave; resolves when they are gone, after two seconds at
   * most.
   */
  close(): Promise<void> {
    this.#unlisten();
    return new Promise((resolve) => {
      this.#closing = resolve;
      for (const socket of this.#sockets) socket.goAway();
      if (this.#sockets.size === 0) resolve();
    });
  }

  #gone(socket: StreamSocket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size === 0) this.#closing?.();
  }

  #publish(event: ApiEvent): void {
    const symbol = event.channel === 'orders' ? event.order.symbol : undefined;
    const reached = this.#audience.reached(event.user, event.channel, exchangeOf(event), symbol);
    if (reached.length === 0) return;
    const frame = textFrame(updateMessage(event, this.#deps.desk.now()));
    for (const sockets of reached) for (const socket of sockets) socket.deliver(frame);
  }

  #flushLater(socket: StreamSocket): void {
    if (this.#held.length === 0) this.#clock.endOfTurn(() => this.#flush());
    this.#held.push(socket);
  }

  #flush(): void {
    const held = this.#held;
    this.#held = [];
    for (const socket of held) socket.flush();
  }
}
