/**
 * A WebSocket service that sends what a test tells it: real sockets on a free port of loopback, without rules
 * of its own.
 */
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Client, createClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { StreamOptions } from '../../src/client/stream-options.ts';
import { SIGNING } from '../access/vectors.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';

export const CHALLENGE = '00112233445566778899aabbccddeeff';

/** A client's message, whatever its form. */
export interface Sent {
  readonly op: string;
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Waits in a test for something that comes over real sockets. Fails after ten seconds. */
export async function until<T>(what: string, look: () => T | undefined | null | false): Promise<T> {
  const limit = performance.now() + 10_000;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > limit) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** One connection as the service sees it. */
export class Peer {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly sent: Sent[] = [];
  closedWith: { code: number; reason: string } | null = null;

  constructor(socket: WebSocket, request: IncomingMessage) {
    this.socket = socket;
    this.request = request;
    socket.on('message', (data) => this.sent.push(JSON.parse(data.toString()) as Sent));
    socket.on('close', (code, reason) => {
      this.closedWith = { code, reason: reason.toString() };
    });
  }

  say(message: Readonly<Record<string, unknown>>): void {
    this.socket.send(JSON.stringify({ ts: 1, ...message }));
  }

  /** Resolves with the n-th message of this op. */
  message(op: string, n = 1): Promise<Sent> {
    return until(`message ${n} with op ${op}`, () => this.sent.filter((message) => message.op === op)[n - 1]);
  }

  /** Accepts the next authentication. */
  async admit(): Promise<Sent> {
    this.say({ op: 'challenge', data: { challenge: CHALLENGE } });
    const auth = await this.message('auth');
    this.say({ op: 'auth', id: auth.id, data: { authenticated: true, userId: 'owner' } });
    return auth;
  }

  /** Acknowledges the n-th subscribe. */
  async acknowledge(n = 1, op: 'subscribe' | 'unsubscribe' = 'subscribe'): Promise<Sent> {
    const message = await this.message(op, n);
    this.say({ op: `${op}d`, id: message.id, channel: message.args.channel });
    return message;
  }

  refuse(message: Sent | null, code: string): void {
    this.say({ op: 'error', ...(message && { id: message.id }), data: { code, message: `it says ${code}` } });
  }
}

export class StreamServer {
  readonly peers: Peer[] = [];
  /** The status with which the next upgrades are refused; null: they are accepted. */
  refuseWith: { status: number; headers?: Record<string, string> } | null = null;
  refused = 0;
  /** The answer of GET /api/v2/server/time. */
  serverTime = () => Date.now();
  timeAsked = 0;
  readonly #http: Server;
  readonly #clients: Client[] = [];

  private constructor() {
    const sockets = new WebSocketServer({ noServer: true });
    this.#http = createServer((_request, response) => {
      this.timeAsked += 1;
      response.end(JSON.stringify({ data: { serverTime: this.serverTime(), timezone: 'UTC' }, meta: {} }));
    });
    this.#http.on('upgrade', (request, socket, head) => {
      if (this.refuseWith) {
        this.refused += 1;
        // The client ends the connection as soon as it has read the status.
        socket.on('error', () => {});
        const headers = Object.entries(this.refuseWith.headers ?? {}).map(([k, v]) => `${k}: ${v}\r\n`);
        socket.end(`HTTP/1.1 ${this.refuseWith.status} No\r\n${headers.join('')}Content-Length: 0\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (peer) => this.peers.push(new Peer(peer, request)));
    });
  }

  static async start(): Promise<StreamServer> {
    const server = new StreamServer();
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /** Resolves with the n-th connection. */
  peer(n = 1): Promise<Peer> {
    return until(`connection ${n}`, () => this.peers[n - 1]);
  }

  /** A client of this service whose stream runs on a virtual clock. */
  client(options: Partial<ClientOptions> = {}): Client {
    const client = createClient({
      baseUrl: `http://127.0.0.1:${this.port}/api`,
      key: { privateKeyPem: SIGNING.pkcs8_pem },
      random: () => 0.5,
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    // Connections are ended from here first, so that closing handshakes are not waited for.
    for (const peer of this.peers) peer.socket.terminate();
    for (const client of this.#clients) await client.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

/** Stream options that use this clock and record what happens. */
export function observed(clock: VirtualClock, options: StreamOptions = {}) {
  const states: string[] = [];
  const errors: Error[] = [];
  const waits: number[] = [];
  return {
    states,
    errors,
    waits,
    options: {
      after: (delayMs: number, run: () => void) => clock.after(delayMs, run),
      onState: (state) => {
        states.push(state.status);
        if (state.status === 'waiting') waits.push(state.delayMs);
      },
      onError: (error) => errors.push(error),
      ...options,
    } satisfies StreamOptions,
  };
}
