/**
 * The typed client of the API: signs, retries as the specification advises, and gives back plain data. Used by users,
 * by `outcry ping`, by tests and benchmarks. Knows nothing of the desk.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:7420/api', key: { privateKeyPem } });
 * const order = await client.orders.place({ exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
 */
import type {
  Bracket,
  ConvertDust,
  Dust,
  DustConverted,
  LeverageItem,
  Position,
  SetLeverage,
} from '../schemas/futures.ts';
import type { CreateOrder, MarginType, Order, Trade } from '../schemas/order.ts';
import type {
  ExchangeEntry,
  Portfolio,
  ServerStatus,
  ServerTime,
  ServerVersion,
} from '../schemas/portfolio.ts';
import { type ClientOptions, compileClientOptions } from './options.ts';
import { type CallOptions, type RawRequest, type RawResponse, Requester } from './requester.ts';

/** Every call rejects with an ApiError or a NetworkError once its attempts are used up. */
export interface Client {
  /** The 43 characters of the client's key; null without one. */
  readonly keyId: string | null;
  /** Public, unsigned. */
  readonly server: {
    time(): Promise<ServerTime>;
    status(): Promise<ServerStatus>;
    version(): Promise<ServerVersion>;
  };
  /** `timestamp`: the service's, Unix ms. */
  ping(): Promise<{ message: string; timestamp: number }>;
  readonly exchange: {
    supported(): Promise<ExchangeEntry[]>;
    /** Futures exchanges only; true = hedge mode, false = one-way. */
    hedgeMode(query: { exchange: string }): Promise<{ dualSidePosition: boolean }>;
    setHedgeMode(
      change: { exchange: string; dualSidePosition: boolean },
      options?: CallOptions,
    ): Promise<{ dualSidePosition: boolean }>;
  };
  readonly orders: {
    list(query?: { exchange?: string; symbol?: string; status?: 'open' | 'recent' }): Promise<Order[]>;
    place(order: CreateOrder, options?: CallOptions): Promise<Order>;
    cancel(order: { exchange: string; id: string }, options?: CallOptions): Promise<Order>;
    split(
      order: { exchange: string; id: string; prices: readonly string[] },
      options?: CallOptions,
    ): Promise<Order[]>;
    /** Times in Unix ms; `limit` 1 to 500. */
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
    /** Open positions; do not parse the keys, read `symbol` and `side`. Default: the first futures account. */
    positions(query?: { exchange?: string }): Promise<Record<string, Position>>;
    /** 1 to 200 symbols. */
    leverage(query: {
      exchange: string;
      symbols: readonly string[];
      marginType?: MarginType;
    }): Promise<LeverageItem[]>;
    /** Whole number, 1 to 125; the exchange's brackets may allow less. */
    setLeverage(change: SetLeverage, options?: CallOptions): Promise<null>;
    /** 1 = single-asset, 2 = multi-asset, 3 = portfolio, 4 = other (never set 4). */
    marginMode(query: { exchange: string }): Promise<{ mode: number }>;
    setMarginMode(
      change: { exchange: string; mode: number },
      options?: CallOptions,
    ): Promise<{ mode: number }>;
    setMarginType(
      change: { exchange: string; symbol: string; marginType: MarginType },
      options?: CallOptions,
    ): Promise<{ symbol: string; marginType: MarginType }>;
    brackets(query: { exchange: string; symbol: string }): Promise<Bracket[]>;
    dust(query: { exchange: string }): Promise<Dust>;
    /** At most once every 6 hours. Without `toAsset`: the exchange's native token. */
    convertDust(request: ConvertDust, options?: CallOptions): Promise<DustConverted>;
  };
  /** Measures the offset to the service's clock; later requests are signed with it. */
  syncClock(): Promise<{ offsetMs: number; roundTripMs: number }>;
  /** One attempt without retries; any answer is returned as it came. `path` starts at /v2. */
  raw(method: string, path: string, request?: RawRequest): Promise<RawResponse>;
  /** Waits for running requests and closes the connections. */
  close(): Promise<void>;
}

export function createClient(options: ClientOptions): Client {
  const compiled = compileClientOptions(options);
  const requester = new Requester(compiled);
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
    syncClock: () => requester.syncClock(),
    raw: (method, path, request) => requester.raw(method, path, request),
    close: () => requester.close(),
  };
}
