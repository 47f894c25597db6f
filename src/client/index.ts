/** The client's public entry: what `import ... from 'outcry/client'` gives. Nothing is defined here. */
export type {
  BatchResult,
  BotMessage,
  BotStats,
  CreateBot,
  DeletedBot,
  PatchBot,
  PatchedBot,
  PublicBot,
  StartedRun,
  StopOptions,
  StoppedRun,
} from '../schemas/bot.ts';
export type { BotType } from '../schemas/bots/bot-type.ts';
export type {
  Bracket,
  ConvertDust,
  Dust,
  DustConverted,
  LeverageItem,
  Position,
  SetLeverage,
} from '../schemas/futures.ts';
export type { CreateOrder, Order, Trade } from '../schemas/order.ts';
export type {
  Balance,
  ExchangeEntry,
  Portfolio,
  ServerStatus,
  ServerTime,
  ServerVersion,
} from '../schemas/portfolio.ts';
export type {
  BalanceUpdate,
  BotStatusUpdate,
  OrdersUpdate,
  PositionsUpdate,
  StreamChannel,
  StreamErrorCode,
  StreamUpdates,
} from '../schemas/stream.ts';
export { type Client, createClient } from './client.ts';
export { ApiError, NetworkError, StreamError } from './errors.ts';
export type { ClientOptions } from './options.ts';
export type { CallOptions, RawRequest, RawResponse } from './requester.ts';
export type { RetryOptions } from './retry.ts';
export type { Stream, StreamSubscription } from './stream.ts';
export type { StreamOptions, StreamState } from './stream-options.ts';
export type { ResyncReason, StreamFilters, StreamHandlers } from './stream-subscription.ts';
