/**
 * Shared parts of the stream's tests over real sockets: an API whose desk the test controls, and clients that
 * wait.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { type ApiOptions, type RunningApi, startApi } from '../../../src/api/start-api.ts';
import type { ApiEvent, ApiEventListener } from '../../../src/desk/api/api-port.ts';
import { systemClock } from '../../../src/desk/hosting/transports/system-clock.ts';
import type { AccessKey } from '../../../src/domain/access-key.ts';
import type { StreamLimits } from '../../../src/domain/limits.ts';
import type { Order } from '../../../src/schemas/order.ts';
import type { ServerMessage } from '../../../src/schemas/stream.ts';
import { afterEachTest } from '../../support/after-each.ts';
import { ROOMY_LIMITS } from '../../support/roomy-limits.ts';
import { FakeDesk, RawClient } from '../support.ts';
import { WsSigner } from './session-rig.ts';

/** Longest wait in real time: whatever a test waits for comes within milliseconds or not at all. */
const PATIENCE_MS = 10_000;

const benches: StreamBench[] = [];
const clients: StreamClient[] = [];
const raws: RawClient[] = [];

afterEachTest(async () => {
  for (const client of clients.splice(0)) client.ws.terminate();
  for (const raw of raws.splice(0)) raw.socket.destroy();
  for (const bench of benches.splice(0)) await bench.api.close();
});

/** A desk that sends its listeners the test's events. */
export class TellingDesk extends FakeDesk {
  readonly listeners = new Set<ApiEventListener>();

  override onEvent(): () => void;
  override onEvent(listener: ApiEventListener): () => void;
  override onEvent(listener?: ApiEventListener): () => void {
    if (listener) this.listeners.add(listener);
    return () => listener && this.listeners.delete(listener);
  }

  /** Sends the event to its listeners, as the desk does. Returns whether any of them wanted it. */
  tell(event: ApiEvent): boolean {
    const wanting = [...this.listeners].filter(({ wants }) => wants(event.user, event.channel));
    for (const listener of wanting) listener.event(event);
    return wanting.length > 0;
  }
}

export interface StreamBenchOptions extends Partial<Omit<ApiOptions, 'limits' | 'serviceLimits'>> {
  readonly stream?: StreamLimits;
  /** Requests per window from one address. Default: plenty. */
  readonly addressRequests?: number;
  /** Fields of the registered read key. */
  readonly key?: Partial<AccessKey>;
}

export class StreamBench {
  readonly desk: TellingDesk;
  readonly api: RunningApi;
  readonly signer = new WsSigner();

  constructor(desk: TellingDesk, api: RunningApi) {
    this.desk = desk;
    this.api = api;
  }

  static async start(options: StreamBenchOptions = {}): Promise<StreamBench> {
    const { stream, addressRequests, key, clock = systemClock, ...given } = options;
    const desk = new TellingDesk(clock);
    const serviceLimits = {
      ...ROOMY_LIMITS,
      ...(addressRequests === undefined ? {} : { addressRequests }),
      ...(stream && { stream }),
    };
    const api = await startApi(desk, {
      host: '127.0.0.1',
      port: 0,
      ...given,
      limits: {},
      clock,
      serviceLimits,
    });
    const bench = new StreamBench(desk, api);
    benches.push(bench);
    bench.addKey(bench.signer, key);
    return bench;
  }

  addKey(signer: WsSigner, fields: Partial<AccessKey> = {}): void {
    this.desk.addKey(signer.keyId, 'read', fields.user ?? 'owner', fields);
  }

  /** Connects a client and waits for its challenge. `localAddress`: one of 127.0.0.0/8. */
  async connect(options: WebSocket.ClientOptions & { localAddress?: string } = {}): Promise<StreamClient> {
    return StreamClient.open(this.api.wsUrl, this.signer, () => this.desk.now(), options);
  }

  /** Returns an authenticated client with these subscriptions. */
  async subscribed(...channels: readonly string[]): Promise<StreamClient> {
    const client = await this.connect();
    await client.authenticate();
    for (const channel of channels) await client.subscribe({ channel });
    return client;
  }

  /**
   * Opens a bare connection, for handshakes that no client library makes. `host`: `::1` where the API listens
   * on `::`.
   */
  async raw(host = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ host, port: this.api.port });
    await once(socket, 'connect');
    const raw = new RawClient(socket);
    raws.push(raw);
    return raw;
  }
}

/** The text of a handshake; given headers replace the usual ones or, as null, leave them out. */
export function handshake(
  headers: Readonly<Record<string, string | null>> = {},
  line = 'GET /api/v2/ws HTTP/1.1',
): string {
  const all = {
    host: 'test',
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return `${line}\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** A real client that remembers its messages. */
export class StreamClient {
  readonly ws: WebSocket;
  readonly messages: ServerMessage[] = [];
  closed: { readonly code: number; readonly reason: string } | null = null;
  readonly #signer: WsSigner;
  readonly #now: () => number;
  /** Messages up to this index were already returned by `next`. */
  #read = 0;
  #wake: () => void = () => {};

  private constructor(ws: WebSocket, signer: WsSigner, now: () => number) {
    this.ws = ws;
    this.#signer = signer;
    this.#now = now;
    ws.on('error', () => {});
    ws.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)) as ServerMessage);
      this.#wake();
    });
    ws.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.#wake();
    });
  }

  /**
   * Connects a client and waits for its challenge; it is closed after the test. `now`: the service's wall
   * time.
   */
  static async open(
    url: string,
    signer: WsSigner,
    now: () => number,
    options: WebSocket.ClientOptions & { localAddress?: string } = {},
  ): Promise<StreamClient> {
    const client = new StreamClient(new WebSocket(url, options), signer, now);
    clients.push(client);
    await client.next('challenge');
    return client;
  }

  /** Returns the next message that was not returned yet; it must have this op. */
  async next<Op extends ServerMessage['op']>(op: Op): Promise<Extract<ServerMessage, { op: Op }>> {
    const message = await this.#until(() => this.messages[this.#read], `a message ${op}`);
    this.#read++;
    if (message.op !== op) throw new Error(`expected ${op}, got ${JSON.stringify(message)}`);
    return message as Extract<ServerMessage, { op: Op }>;
  }

  end(): Promise<{ readonly code: number; readonly reason: string }> {
    return this.#until(() => this.closed ?? undefined, 'the end of the connection');
  }

  send(message: unknown): this {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
    return this;
  }

  get challenge(): string {
    const [first] = this.messages;
    if (first?.op !== 'challenge') throw new Error('there is no challenge');
    return first.data.challenge;
  }

  async authenticate(signer = this.#signer): Promise<this> {
    this.send({ op: 'auth', args: signer.args(this.challenge, this.#now()) });
    await this.next('auth');
    return this;
  }

  async subscribe(args: Readonly<Record<string, unknown>>): Promise<this> {
    this.send({ op: 'subscribe', args });
    await this.next('subscribed');
    return this;
  }

  /** Waits until the service has handled everything sent so far. */
  async settle(): Promise<this> {
    const before = this.messages.length;
    const id = `settle-${before}`;
    this.send({ op: 'ping', id });
    await this.#until(() => this.messages.find((m) => m.op === 'pong' && m.id === id), 'a pong');
    return this;
  }

  /** All messages of one op. */
  all<Op extends ServerMessage['op']>(op: Op): Extract<ServerMessage, { op: Op }>[] {
    return this.messages.filter((message) => message.op === op) as Extract<ServerMessage, { op: Op }>[];
  }

  async #until<T>(look: () => T | undefined, what: string): Promise<T> {
    const limit = setTimeout(() => this.#wake(), PATIENCE_MS);
    const start = performance.now();
    try {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        const end = this.closed ? ` (closed with ${this.closed.code} ${this.closed.reason})` : '';
        if (this.closed !== null || performance.now() - start > PATIENCE_MS) {
          throw new Error(`${what} did not come${end}; got ${JSON.stringify(this.messages.slice(-3))}`);
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(limit);
    }
  }
}

export function orderEvent(n: number, fields: Partial<Order> = {}, user = 'owner'): ApiEvent {
  const order: Order = {
    id: `ps-${n}`,
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    status: 'NEW',
    positionSide: 'BOTH',
    price: '50000',
    stopPrice: null,
    fillPrice: null,
    origQty: '0.01',
    executedQty: '0',
    reduceOnly: false,
    closePosition: false,
    trailing: null,
    isContract: false,
    isWorking: false,
    creator: 'API',
    creatorId: 'owner',
    metadata: '',
    specific: {},
    orderTime: 1_760_000_000_000,
    ...fields,
  };
  return { channel: 'orders', user, event: 'ORDER_UPDATE', order };
}

/** Ids of the orders in a client's events, in order. */
export function orderIds(client: StreamClient): string[] {
  return client.all('update.orders').map((message) => message.data.order.id);
}
