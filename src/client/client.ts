/**
 * The typed client of the API: signs, retries as the specification advises, and returns plain data. Used by
 * users, by `outcry ping`, by tests and benchmarks. Knows nothing of the desk.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:7420/api', key: { privateKeyPem } });
 * const order = await client.orders.place({ exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
 */
import type {
  BatchResult,
  BotMessage,
  CreateBot,
  DeletedBot,
  PatchBot,
  PatchedBot,
  PublicBot,
  RunPair,
  StartedRun,
  StopOptions,
  StoppedRun,
} from '../schemas/bot.ts';
import type { BotType } from '../schemas/bots/bot-type.ts';
import type {
  Bracket,
  ConvertDust,
  Dust,
  DustConverted,
  LeverageItem,
  MarginModeAnswer,
  Position,
  SetHedgeMode,
  SetLeverage,
  SetMarginType,
} from '../schemas/futures.ts';
import type { CreateOrder, MarginType, Order, Trade } from '../schemas/order.ts';
import type {
  ExchangeEntry,
  Pong,
  Portfolio,
  ServerStatus,
  ServerTime,
  ServerVersion,
} from '../schemas/portfolio.ts';
import { type ClientOptions, compileClientOptions } from './options.ts';
import { type CallOptions, type RawRequest, type RawResponse, Requester } from './requester.ts';
import { ReconnectingStream, type Stream } from './stream.ts';
import { compileStreamOptions, type StreamOptions } from './stream-options.ts';

/** Every call rejects with an ApiError or a NetworkError once its attempts are used up. */
export interface Client {
  /** The 43 characters of the client's key; null without one. */
  readonly keyId: string | null;
  /** Public calls, not signed. */
  readonly server: {
    time(): Promise<ServerTime>;
    status(): Promise<ServerStatus>;
    version(): Promise<ServerVersion>;
  };
  /** `timestamp`: the service's time, Unix ms. */
  ping(): Promise<Pong>;
  readonly exchange: {
    supported(): Promise<ExchangeEntry[]>;
    /** The position mode, futures exchanges only; true = hedge mode, false = one-way. */
    hedgeMode(query: { exchange: string }): Promise<SetHedgeMode>;
    setHedgeMode(change: { exchange: string } & SetHedgeMode, options?: CallOptions): Promise<SetHedgeMode>;
  };
  readonly orders: {
    list(query?: { exchange?: string; symbol?: string; status?: 'open' | 'recent' }): Promise<Order[]>;
    place(order: CreateOrder, options?: CallOptions): Promise<Order>;
    cancel(order: { exchange: string; id: string }, options?: CallOptions): Promise<Order>;
    split(
      order: { exchange: string; id: string; prices: readonly string[] },
      options?: CallOptions,
    ): Promise<Order[]>;
    /** Trades; times in Unix ms; `limit` 1 to 500. */
    trades(query: {
      exchange: string;
      symbol: string;
      startTime?: number;
      endTime?: number;
      limit?: number;
    }): Promise<Trade[]>;
  };
  readonly portfolio: {
    get(query?: { exchange?: string; full?: boolean; totalOnly?: boolean }): Promise<Portfolio>;
    /**
     * Returns open positions; do not parse the keys, read `symbol` and `side`. Default: the first futures
     * account.
     */
    positions(query?: { exchange?: string }): Promise<Record<string, Position>>;
    /** Returns the leverage of 1 to 200 symbols. */
    leverage(query: {
      exchange: string;
      symbols: readonly string[];
      marginType?: MarginType;
    }): Promise<LeverageItem[]>;
    /** Sets the leverage: a whole number, 1 to 125; the exchange's brackets may allow less. */
    setLeverage(change: SetLeverage, options?: CallOptions): Promise<null>;
    /** The margin mode: 1 = single-asset, 2 = multi-asset, 3 = portfolio, 4 = other (never set 4). */
    marginMode(query: { exchange: string }): Promise<MarginModeAnswer>;
    setMarginMode(
      change: { exchange: string } & MarginModeAnswer,
      options?: CallOptions,
    ): Promise<MarginModeAnswer>;
    setMarginType(
      change: { exchange: string } & SetMarginType,
      options?: CallOptions,
    ): Promise<SetMarginType>;
    brackets(query: { exchange: string; symbol: string }): Promise<Bracket[]>;
    dust(query: { exchange: string }): Promise<Dust>;
    /** Converts dust, at most once every 6 hours. Without `toAsset`: into the exchange's native token. */
    convertDust(request: ConvertDust, options?: CallOptions): Promise<DustConverted>;
  };
  readonly bots: {
    /** Lists the bots, oldest first; `type`: of one type only. */
    list(query?: { type?: BotType }): Promise<PublicBot[]>;
    /** Creates a bot. Only `type` and `settings.exchange` are checked now, the rest when a run starts. */
    create(bot: CreateBot, options?: CallOptions): Promise<PublicBot>;
    get(id: string): Promise<PublicBot>;
    /**
     * Changes a bot that is not running. The service takes no idempotency key here, so this call is retried
     * only after refusals that certainly had no effect; after a broken connection, read the bot.
     */
    patch(id: string, change: PatchBot): Promise<PatchedBot>;
    /** Deletes a bot; `force` stops a running one first. */
    delete(id: string, query?: { force?: boolean }, options?: CallOptions): Promise<DeletedBot>;
    start(id: string, options?: CallOptions): Promise<StartedRun>;
    /** Stops a run; resolves when it has ended. */
    stop(run: { id: string; runId: string } & StopOptions, options?: CallOptions): Promise<StoppedRun>;
    message(run: { id: string; runId: string } & BotMessage, options?: CallOptions): Promise<null>;
    /** Starts 1 to 20 bots, each named once; one result for each, in their order. */
    batchStart(bots: readonly string[], options?: CallOptions): Promise<BatchResult[]>;
    /** Stops runs, given as pairs of bot id and run id. */
    batchStop(
      batch: { bots: readonly RunPair[] } & StopOptions,
      options?: CallOptions,
    ): Promise<BatchResult[]>;
    batchDelete(bots: readonly string[], options?: CallOptions): Promise<BatchResult[]>;
  };
  /** Measures the offset to the service's clock; later requests are signed with it. */
  syncClock(): Promise<{ offsetMs: number; roundTripMs: number }>;
  /**
   * Opens a WebSocket for events; resolves once it is authenticated, and reconnects by itself after that.
   * Rejects with a StreamError or a NetworkError when it is refused for good or the attempts are used up.
   */
  stream(options?: StreamOptions): Promise<Stream>;
  /** Makes one attempt without retries; any answer is returned as it came. `path` starts at /v2. */
  raw(method: string, path: string, request?: RawRequest): Promise<RawResponse>;
  /** Closes the streams, waits for running requests and closes the connections. Idempotent. */
  close(): Promise<void>;
}

export function createClient(options: ClientOptions): Client {
  const compiled = compileClientOptions(options);
  const requester = new Requester(compiled);
  const streams = new Set<ReconnectingStream>();
  return {
    keyId: compiled.key?.id ?? null,
    server: {
      time: () => requester.get('/v2/server/time', {}, false),
      status: () => requester.get('/v2/server/status', {}, false),
      version: () => requester.get('/v2/server/version', {}, false),
    },
    ping: () => requester.get('/v2/ping'),
    exchange: {
      supported: () => requester.get('/v2/exchange/supported'),
      hedgeMode: ({ exchange }) => requester.get('/v2/exchange/hedge-mode', { exchange }),
      setHedgeMode: ({ exchange, ...body }, call) =>
        requester.write('POST', '/v2/exchange/hedge-mode', { query: { exchange }, body }, call),
    },
    orders: {
      list: (query = {}) => requester.get('/v2/orders', query),
      place: (order, call) => requester.write('POST', '/v2/orders', { body: order }, call),
      cancel: ({ exchange, id }, call) =>
        requester.write('DELETE', `/v2/orders/${encodeURIComponent(id)}`, { query: { exchange } }, call),
      split: ({ id, ...body }, call) =>
        requester.write('POST', `/v2/orders/${encodeURIComponent(id)}/split`, { body }, call),
      trades: (query) => requester.get('/v2/orders/trades', query),
    },
    portfolio: {
      get: (query = {}) => requester.get('/v2/portfolio', query),
      positions: (query = {}) => requester.get('/v2/portfolio/positions', query),
      leverage: ({ symbols, ...query }) =>
        requester.get('/v2/portfolio/position/leverage', { ...query, symbols: symbols.join(',') }),
      setLeverage: (body, call) => requester.write('POST', '/v2/portfolio/position/leverage', { body }, call),
      marginMode: ({ exchange }) => requester.get('/v2/portfolio/margin-mode', { exchange }),
      setMarginMode: ({ exchange, ...body }, call) =>
        requester.write('POST', '/v2/portfolio/margin-mode', { query: { exchange }, body }, call),
      setMarginType: ({ exchange, ...body }, call) =>
        requester.write('POST', '/v2/portfolio/position/margin-type', { query: { exchange }, body }, call),
      brackets: (query) => requester.get('/v2/portfolio/leverage-brackets', query),
      dust: ({ exchange }) => requester.get('/v2/portfolio/dust', { exchange }),
      convertDust: (body, call) => requester.write('POST', '/v2/portfolio/dust/convert', { body }, call),
    },
    bots: botCalls(requester),
    syncClock: () => requester.syncClock(),
    raw: (method, path, request) => requester.raw(method, path, request),
    async stream(given = {}) {
      const { key, ca, wsUrl, retry, now, random } = compiled;
      if (!key) throw new TypeError('a stream is authenticated; give the client a key');
      const stream = new ReconnectingStream({
        ...compileStreamOptions({ ...given, socket: { ca, ...given.socket } }, retry.attempts),
        url: wsUrl,
        key,
        now,
        random,
        serverNow: () => requester.serverNow(),
        syncClock: () => requester.syncClock(),
      });
      streams.add(stream);
      void stream.closed.then(() => streams.delete(stream));
      await stream.opened;
      return stream;
    },
    async close() {
      await Promise.all([...streams].map((stream) => stream.close()));
      await requester.close();
    },
  };
}

function botCalls(requester: Requester): Client['bots'] {
  const bot = (id: string) => `/v2/bots/${encodeURIComponent(id)}`;
  const run = (id: string, runId: string) => `${bot(id)}/runs/${encodeURIComponent(runId)}`;
  return {
    list: (query = {}) => requester.get('/v2/bots', query),
    create: (body, call) => requester.write('POST', '/v2/bots', { body }, call),
    get: (id) => requester.get(bot(id)),
    patch: (id, body) => requester.patch(bot(id), body),
    delete: (id, query = {}, call) => requester.write('DELETE', bot(id), { query }, call),
    start: (id, call) => requester.write('POST', `${bot(id)}/runs`, {}, call),
    stop: ({ id, runId, ...query }, call) => requester.write('DELETE', run(id, runId), { query }, call),
    message: ({ id, runId, ...body }, call) =>
      requester.write('POST', `${run(id, runId)}/message`, { body }, call),
    batchStart: (bots, call) => requester.write('POST', '/v2/bots/batch/runs', { body: { bots } }, call),
    batchStop: (body, call) => requester.write('DELETE', '/v2/bots/batch/runs', { body }, call),
    batchDelete: (bots, call) => requester.write('DELETE', '/v2/bots/batch', { body: { bots } }, call),
  };
}
