/**
 * Shared parts of the API tests: an in-memory desk, a signing client with keep-alive switched off, and raw
 * sockets.
 */
import { createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { ReplayMarks } from '../../src/access/replay-marks.ts';
import type { ApiLimits } from '../../src/api/limits.ts';
import { type ApiOptions, type RunningApi, startApi } from '../../src/api/start-api.ts';
import type { ApiDesk } from '../../src/desk/api/api-port.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { type AccessKey, UNUSED_KEY } from '../../src/domain/access-key.ts';
import type { Actor, Tier } from '../../src/domain/actor.ts';
import type { PublicBot } from '../../src/domain/bot.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { errorBody, successBody } from '../../src/domain/envelope.ts';
import { HTTP_STATUS, type Outcome, ok, type ServiceError } from '../../src/domain/errors.ts';
import type { Answer, OrderCommand, RequestContext } from '../../src/engine/step.ts';
import type { Bracket, Dust, LeverageItem, Position } from '../../src/schemas/futures.ts';
import type { Order, Trade } from '../../src/schemas/order.ts';
import type { Portfolio } from '../../src/schemas/portfolio.ts';
import { checkResponse } from '../support/openapi-check.ts';
import { ROOMY_LIMITS } from '../support/roomy-limits.ts';
import { dataOf } from './command-answers.ts';

/** The public test key of data/security: seed 00..1f. Never used elsewhere. */
export const TEST_SEED = Buffer.from(Array.from({ length: 32 }, (_, i) => i));

export class Signer {
  readonly keyId: string;
  readonly #key;
  #last = 0;

  constructor(seed: Buffer = TEST_SEED) {
    const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
    this.#key = createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' });
    const der = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    this.keyId = der.subarray(-32).toString('base64url');
  }

  /** Timestamps never repeat, so that equal requests are not replays. */
  headers(
    method: string,
    target: string,
    body: Buffer | string = '',
    at = Date.now(),
  ): Record<string, string> {
    const time = at === this.#last || at < this.#last ? this.#last + 1 : at;
    this.#last = time;
    const path = target.slice('/api'.length);
    const message = Buffer.concat([Buffer.from(`${time}${method}${path}`), Buffer.from(body)]);
    return {
      'X-SVC-KEY': this.keyId,
      'X-SVC-SIGN': sign(null, message, this.#key).toString('base64url'),
      'X-SVC-TIMESTAMP': String(time),
    };
  }
}

export const POSITION: Position = {
  symbol: 'BTCUSDT',
  quote: 'USDT',
  marketType: 'futures',
  amount: '-0.5',
  entryPrice: '60000',
  unrealizedProfit: '125.5',
  type: 'CROSSED',
  leverage: '20',
  side: 'BOTH',
  isolatedWallet: '0',
  liquidationPrice: null,
  bepPrice: '59950',
  mmr: '0.004',
  updateTime: 1_760_000_000_000,
};
export const LEVERAGE: LeverageItem[] = [
  { symbol: 'BTCUSDT', side: 'BOTH', leverage: '20', type: 'CROSSED', cpnl: '3.5' },
];
export const BRACKETS: Bracket[] = [
  { initialLeverage: 125, notionalFloor: '0', notionalCap: '50000', maintenanceMarginRate: '0.004' },
];
export const DUST: Dust = {
  assets: [{ asset: 'ADA', free: '0.4', value: '0.2', toAsset: 'BNB', toAmount: '0.0003' }],
};

export interface RecordedCommand {
  readonly actor: Actor;
  readonly command: OrderCommand;
  readonly context: RequestContext;
}

/** A desk that answers every command with success, keeps idempotency records, and remembers all calls. */
export class FakeDesk implements ApiDesk {
  readonly clock: Clock;
  readonly startedAt: number;
  readonly version = '0.1.0';
  readonly replayMarks = new ReplayMarks();
  readonly keys = new Map<string, AccessKey>();
  readonly commands: RecordedCommand[] = [];
  readonly reads: { name: string; user: string; q: unknown }[] = [];
  readonly touched: { id: string; from: string }[] = [];
  readonly refusals: { id: string; code: string; from: string }[] = [];
  /** Every user's list of orders. */
  orderList: Order[] = [];
  /** The bots of every user. */
  botList: PublicBot[] = [];
  readonly lines: { level: string; text: string }[] = [];
  accountList: { id: string; name: string; kind: 'spot' | 'futures' }[] = [
    { id: 'binance-spot', name: 'Binance Spot', kind: 'spot' },
    { id: 'binance-futures', name: 'Binance Futures', kind: 'futures' },
  ];
  /** The maintenance message that the API answers instead of serving; null: it serves. */
  maintenanceText: string | null = null;
  /** Runs before the next command or read; tests set it to delay or fail one. */
  onCommand: ((command: OrderCommand) => Promise<void> | void) | null = null;
  onRead: (() => Promise<void> | void) | null = null;
  /** The exchange's answer to every setting, and to every read that can be refused. */
  refusal: ServiceError | null = null;
  readonly #stored = new Map<string, { fingerprint: string; answer: Answer }>();

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
    this.startedAt = clock.wall() - 60_000;
  }

  addKey(id: string, tier: Tier = 'trade', user = 'owner', fields: Partial<AccessKey> = {}): void {
    this.keys.set(id, {
      id,
      user,
      label: 'test',
      tier,
      ipList: null,
      allowedExchanges: null,
      createdAt: 0,
      ...UNUSED_KEY,
      ...fields,
    });
  }

  now(): number {
    return this.clock.wall();
  }

  accounts() {
    return this.accountList;
  }

  activeKey(id: string): AccessKey | null {
    const key = this.keys.get(id);
    return key && key.revokedAt === null ? key : null;
  }

  touchKey(id: string, from: string): void {
    this.touched.push({ id, from });
  }

  maintenance(): string | null {
    return this.maintenanceText;
  }

  keyRefused(id: string, code: string, from: string): void {
    this.refusals.push({ id, code, from });
  }

  async command(actor: Actor, command: OrderCommand, context: RequestContext): Promise<Answer> {
    this.commands.push({ actor, command, context });
    const { idempotency, requestId } = context;
    const stored = idempotency && this.#stored.get(idempotency.key);
    if (stored) {
      if (stored.fingerprint === idempotency.fingerprint) return { ...stored.answer, replayed: true };
      return failed({ code: 'IDEMPOTENCY_CONFLICT', message: 'used with other parameters' }, requestId);
    }
    await this.onCommand?.(command);
    const error = command.type === 'refuse' ? command.error : command.type === 'setting' && this.refusal;
    const answer: Answer = error
      ? failed(error, requestId)
      : {
          status: 200,
          body: successBody(dataOf(command), {
            requestId,
            timestamp: this.now(),
            idempotencyKey: idempotency?.key,
          }),
          replayed: false,
        };
    // Specification, "Idempotency" 5: the record of a 5xx is not kept.
    if (idempotency && answer.status < 500)
      this.#stored.set(idempotency.key, { fingerprint: idempotency.fingerprint, answer });
    return answer;
  }

  async orders(user: string, q: unknown) {
    return this.#read('orders', user, q, this.orderList);
  }

  async trades(user: string, q: unknown) {
    return this.#ask<Trade[]>('trades', user, q, []);
  }

  async portfolio(user: string, q: unknown) {
    return this.#ask<Portfolio>('portfolio', user, q, { total: { usd: '100.00' } });
  }

  async positions(user: string, exchange: string) {
    return this.#ask<Record<string, Position>>('positions', user, exchange, { a1b2: POSITION });
  }

  async leverage(user: string, q: unknown) {
    return this.#ask<LeverageItem[]>('leverage', user, q, LEVERAGE);
  }

  async marginMode(user: string, exchange: string) {
    return this.#ask('marginMode', user, exchange, { mode: 2 });
  }

  async hedgeMode(user: string, exchange: string) {
    return this.#ask('hedgeMode', user, exchange, { dualSidePosition: true });
  }

  async brackets(user: string, q: unknown) {
    return this.#ask<Bracket[]>('brackets', user, q, BRACKETS);
  }

  async dust(user: string, exchange: string) {
    return this.#ask<Dust>('dust', user, exchange, DUST);
  }

  async bots(user: string, type?: string) {
    return this.#read(
      'bots',
      user,
      type,
      this.botList.filter((bot) => type === undefined || bot.type === type),
    );
  }

  async bot(user: string, id: string) {
    return this.#read('bot', user, id, this.botList.find((bot) => bot.id === id) ?? null);
  }

  botExchange(_user: string, id: string): string | null {
    return this.botList.find((bot) => bot.id === id)?.exchange ?? null;
  }

  onEvent(): () => void {
    return () => {};
  }

  log(level: 'error' | 'warn' | 'info', text: string): void {
    this.lines.push({ level, text });
  }

  async #read<T>(name: string, user: string, q: unknown, result: T): Promise<T> {
    this.reads.push({ name, user, q });
    await this.onRead?.();
    return result;
  }

  async #ask<T>(name: string, user: string, q: unknown, result: T): Promise<Outcome<T>> {
    const data = await this.#read(name, user, q, result);
    return this.refusal ? { ok: false, error: this.refusal } : ok(data);
  }
}

function failed(error: ServiceError, requestId: string): Answer {
  const outcome = { ok: false, error } as const;
  return { status: HTTP_STATUS[error.code], body: errorBody(error, requestId), replayed: false, outcome };
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed body; null when it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any;
}

export interface SendOptions {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string | string[]>;
  /** False: no signature. */
  readonly signed?: boolean;
  readonly signer?: Signer;
  /** The local address of the request: an address of 127.0.0.0/8. */
  readonly localAddress?: string;
  /** The target host: `::1` where the API listens on `::`. Default 127.0.0.1. */
  readonly host?: string;
}

/** Options of the API under test; its limits are generous unless a test is about them. */
export type BenchOptions = Partial<Omit<ApiOptions, 'limits'>> & { readonly tier?: Tier };

/** One API on a free port, its desk and a registered key. */
export class Bench {
  readonly desk: FakeDesk;
  readonly api: RunningApi;
  readonly signer: Signer;

  private constructor(desk: FakeDesk, api: RunningApi, signer: Signer) {
    this.desk = desk;
    this.api = api;
    this.signer = signer;
  }

  static async start(limits: ApiLimits = {}, options: BenchOptions = {}): Promise<Bench> {
    const { tier = 'trade', clock = systemClock, ...given } = options;
    const desk = new FakeDesk(clock);
    const signer = new Signer();
    desk.addKey(signer.keyId, tier);
    const defaults = { host: '127.0.0.1', port: 0, serviceLimits: ROOMY_LIMITS };
    return new Bench(desk, await startApi(desk, { ...defaults, ...given, clock, limits }), signer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api.close();
  }

  /** Sends over a new connection. `target` starts with `/api`. */
  send(method: string, target: string, options: SendOptions = {}): Promise<Response> {
    const body = Buffer.from(options.body ?? '');
    const signed =
      options.signed === false
        ? {}
        : (options.signer ?? this.signer).headers(method, target, body, this.desk.now());
    const labels =
      body.length > 0 ? { 'Content-Type': 'application/json', 'Content-Length': String(body.length) } : {};
    return new Promise((resolve, reject) => {
      const req = httpRequest(
        {
          host: options.host ?? '127.0.0.1',
          port: this.api.port,
          method,
          path: target,
          agent: false,
          localAddress: options.localAddress,
          headers: { ...labels, ...signed, ...options.headers },
        },
        (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.on('error', reject);
          res.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const status = res.statusCode ?? 0;
            const json = text === '' ? null : JSON.parse(text);
            try {
              checkResponse(method, target, status, json);
              resolve({ status, headers: res.headers, text, json });
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      req.on('error', reject);
      req.end(body.length > 0 ? body : undefined);
    });
  }

  /** Sends POST /orders with a signed body. */
  place(body: string | Buffer, options: SendOptions = {}): Promise<Response> {
    return this.send('POST', '/api/v2/orders', { ...options, body });
  }

  async raw(): Promise<RawClient> {
    const socket = connect({ host: '127.0.0.1', port: this.api.port });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** The text of a whole signed request, for raw sockets. */
  rawRequest(method: string, target: string, body = '', extra: readonly string[] = []): string {
    const headers = { Host: 'test', ...this.signer.headers(method, target, body, this.desk.now()) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    if (body !== '')
      lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
    return `${method} ${target} HTTP/1.1\r\n${[...lines, ...extra].join('\r\n')}\r\n\r\n${body}`;
  }
}

/** A socket that writes anything and reads answers one by one. */
export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  #received = Buffer.alloc(0);
  #wake: () => void = () => {};
  #ended = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = once(socket, 'close').catch(() => {});
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  write(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }

  /** Returns the next answer on this connection; null once the server has closed it. */
  async answer(head = false): Promise<Response | null> {
    for (;;) {
      const parsed = this.#parse(head);
      if (parsed !== null) return parsed;
      if (this.#ended) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #parse(head: boolean): Response | null {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const [line = '', ...rest] = this.#received.subarray(0, end).toString('latin1').split('\r\n');
    const headers: Record<string, string> = {};
    for (const header of rest) {
      const colon = header.indexOf(':');
      headers[header.slice(0, colon).toLowerCase()] = header.slice(colon + 1).trim();
    }
    const length = head ? 0 : Number(headers['content-length'] ?? 0);
    if (this.#received.length < end + 4 + length) return null;
    const text = this.#received.subarray(end + 4, end + 4 + length).toString();
    this.#received = this.#received.subarray(end + 4 + length);
    return { status: Number(line.split(' ')[1]), headers, text, json: text === '' ? null : JSON.parse(text) };
  }
}

export function order(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    exchange: 'binance-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
    price: '50000',
    ...fields,
  });
}

export function newKey(): string {
  return randomUUID();
}

/** Checks an error answer: envelope, mirrored status, headers, nothing internal. */
export function expectError(response: Response | null, status: number, code: string): void {
  expect(response).not.toBeNull();
  if (response === null) return;
  expect({ status: response.status, code: response.json?.error?.code }, response.text).toEqual({
    status,
    code,
  });
  expect(Object.keys(response.json).sort()).toEqual(['error', 'meta']);
  expect(response.json.error).toEqual({ code, status, message: expect.any(String) });
  expect(response.json.meta).toEqual({ requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
  expectNoLeaks(response);
}

export function expectNoLeaks(response: Response): void {
  expect(response.text).not.toMatch(/node_modules|\.ts\b|\bat \w+ \(|fastify|FST_ERR|ajv|stack/i);
  for (const name of Object.keys(response.headers)) {
    expect(name).not.toMatch(/^(server|x-powered-by|access-control-.*|etag)$/);
  }
  expectRateHeaders(response);
}

/** Checks that an answer has its sender's rate figures (specification, "Per-route rate limits" 2). */
export function expectRateHeaders({ status, headers }: Response): void {
  const limit = Number(headers['x-ratelimit-limit']);
  const remaining = Number(headers['x-ratelimit-remaining']);
  expect(Number.isInteger(limit) && limit >= 1, `X-RateLimit-Limit: ${headers['x-ratelimit-limit']}`).toBe(
    true,
  );
  expect(remaining >= 0 && remaining < limit, `${remaining} of ${limit} remain`).toBe(true);
  expect(headers['x-ratelimit-reset']).toMatch(/^\d{10}$/);
  if (status === 429) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  else if (status !== 503) expect(headers['retry-after']).toBeUndefined();
}
