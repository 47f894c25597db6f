/** Arbitrary rows of every kind for the store's tests, and small builders for rows written by hand. */
import fc from 'fast-check';
import type { AccessKey } from '../../src/domain/access-key.ts';
import type { AlertRecord, BotNotice, BotRecord, RunRecord } from '../../src/domain/bot.ts';
import {
  type FillRecord,
  type OrderEvent,
  type OrderRecord,
  type SplitPlan,
  TERMINAL,
} from '../../src/domain/order.ts';
import type { Candle, IdempotencyRecord, LogLine, Row } from '../../src/domain/rows.ts';

/** Any text without lone surrogates, NUL included. */
const text = fc.string({ unit: 'binary', maxLength: 12 });
const name = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 });
const decimal = fc.stringMatching(/^(0|[1-9]\d{0,19})(\.\d{1,20})?$/);
const time = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
const count = fc.nat();
const status = fc.constantFrom('NEW', 'OPENED', 'CLOSED', 'CANCELLED', 'ERROR');
const side = fc.constantFrom('BUY', 'SELL');
const positionSide = fc.constantFrom('LONG', 'SHORT', 'BOTH');
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

/** A few names, so that rows refer to each other. */
const fewIds = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const fewUsers = fc.constantFrom('owner', 'other');
const fewExchanges = fc.constantFrom('paper-spot', 'paper-futures');
const fewSymbols = fc.constantFrom('BTCUSDT', 'ETHUSDT');
const fewMarkets = fc.constantFrom('paper', 'other');

export const anyOrder: fc.Arbitrary<OrderRecord> = fc
  .record(
    {
      id: fc.oneof(fewIds, text),
      user: fewUsers,
      exchange: fewExchanges,
      symbol: fewSymbols,
      side,
      type: fc.constantFrom('MARKET', 'LIMIT', 'STOP_LIMIT'),
      status,
      phase: fc.constantFrom('held', 'waiting', 'sending', 'unresolved', 'live'),
      positionSide,
      price: decimal,
      stopPrice: decimal,
      origQty: decimal,
      executedQty: decimal,
      quoteQty: decimal,
      timeInForce: fc.constantFrom('GTC', 'IOC', 'FOK', 'GTD'),
      goodTillDate: time,
      reduceOnly: fc.boolean(),
      closePosition: fc.boolean(),
      workingType: fc.constantFrom('MARK_PRICE', 'CONTRACT_PRICE'),
      isContract: fc.boolean(),
      isWorking: fc.boolean(),
      emulated: fc.boolean(),
      firedHere: fc.constant(true as const),
      trailing: fc.record({ delta: count, armedAt: time, best: decimal }, { requiredKeys: ['delta'] }),
      creator: fc.constantFrom('API', 'UI', 'BOT'),
      creatorId: text,
      metadata: text,
      orderTime: time,
      createdAt: time,
      updatedAt: time,
      endedAt: time,
      submission: fc.record({ sentAt: time }),
      cancel: fc.record({ state: fc.constantFrom('wanted', 'sent', 'unknown'), by: text, asked: count }),
      contradiction: fc.record(
        {
          since: time,
          proof: text,
          at: fc.constantFrom('PENDING', 'WORKING', 'ENDED'),
          cumQty: decimal,
          asked: count,
          goneAt: time,
        },
        { requiredKeys: ['since', 'proof', 'at', 'cumQty', 'asked'] },
      ),
      splitFrom: text,
      seq: count,
      text,
      lock: fc.record({ asset: name, amount: decimal }),
    },
    {
      requiredKeys: [
        ...(['id', 'user', 'exchange', 'symbol', 'side', 'type', 'status', 'phase', 'positionSide'] as const),
        ...(['origQty', 'executedQty', 'quoteQty', 'timeInForce', 'reduceOnly', 'closePosition'] as const),
        ...([
          'workingType',
          'isContract',
          'isWorking',
          'emulated',
          'creator',
          'creatorId',
          'metadata',
        ] as const),
        ...(['orderTime', 'createdAt', 'updatedAt', 'seq'] as const),
      ],
    },
  )
  .map((order) => order as OrderRecord);

export const anyFill: fc.Arbitrary<FillRecord> = fc.record({
  exchange: fewExchanges,
  tradeId: fc.oneof(fewIds, text),
  orderId: fewIds,
  user: fewUsers,
  symbol: fewSymbols,
  side,
  price: decimal,
  qty: decimal,
  comm: decimal,
  commAsset: name,
  maker: fc.boolean(),
  rPnl: orNull(decimal),
  posSide: positionSide,
  time: fc.integer({ min: 0, max: 30 }),
});

export const anyEvent: fc.Arbitrary<OrderEvent> = fc.record({
  orderId: fewIds,
  user: fewUsers,
  at: time,
  market: time,
  kind: fc.constantFrom('created', 'sent', 'fill', 'cancelled'),
  text,
  status,
});

export const anySplit: fc.Arbitrary<SplitPlan> = fc.record({
  id: fewIds,
  user: fewUsers,
  exchange: fewExchanges,
  prices: fc.array(decimal, { maxLength: 3 }),
  stage: fc.constantFrom('cancelling', 'placing', 'done'),
  children: fc.array(text, { maxLength: 3 }),
  startedAt: time,
  creator: fc.constantFrom('API', 'UI', 'BOT'),
  creatorId: text,
});

export const anyIdempotency: fc.Arbitrary<IdempotencyRecord> = fc.record({
  user: fewUsers,
  key: fc.oneof(fewIds, text),
  fingerprint: text,
  arrivedAt: fc.integer({ min: 0, max: 100 }),
  requestId: text,
  effect: orNull(fc.record({ kind: fc.constantFrom('place', 'cancel', 'split'), orderId: text })),
  answer: orNull(fc.record({ status: fc.integer({ min: 100, max: 599 }), body: text })),
});

export const anyKey: fc.Arbitrary<AccessKey> = fc.record({
  id: fewIds,
  user: fewUsers,
  label: text,
  tier: fc.constantFrom('read', 'trade', 'full'),
  ipList: orNull(fc.array(text, { maxLength: 2 })),
  allowedExchanges: orNull(fc.array(fewExchanges, { maxLength: 2 })),
  createdAt: time,
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  lastUsedFrom: orNull(text),
  file: orNull(text),
  counts: fc.record({ day: fc.nat(), today: fc.nat(), total: fc.nat() }),
  lastRefusal: orNull(fc.record({ code: fc.constant('RATE_LIMITED' as const), at: time, from: text })),
});

const settings = fc.record({ exchange: fewExchanges, depth: fc.record({ value: decimal }) });
const botType = fc.constantFrom('FIBO', 'SQUEEZE', 'NOTIFY');

export const anyBot: fc.Arbitrary<BotRecord> = fc.record({
  id: fewIds,
  user: fewUsers,
  type: botType,
  exchange: fewExchanges,
  settings,
  options: orNull(settings),
  metadata: orNull(text),
  tag: orNull(text),
  status: fc.constantFrom('NEW', 'STARTED', 'STOPPED', 'ERROR'),
  runId: orNull(text),
  createdAt: time,
  updatedAt: time,
  restarts: fc.array(time, { maxLength: 3 }),
  restartAt: orNull(time),
});

export const anyRun: fc.Arbitrary<RunRecord> = fc.record({
  runId: fc.oneof(fewIds, text),
  botId: fewIds,
  user: fewUsers,
  type: botType,
  exchange: fewExchanges,
  symbol: fewSymbols,
  startedAt: time,
  endedAt: orNull(time),
  reason: orNull(text),
  error: orNull(text),
  settings,
  options: orNull(settings),
  label: text,
  figures: fc.record({
    realised: decimal,
    unrealised: decimal,
    fees: decimal,
    volume: decimal,
    cycles: count,
    winningCycles: count,
    fills: count,
    maxDrawdown: decimal,
    budget: decimal,
    roi: orNull(decimal),
    annualised: orNull(decimal),
    unfilled: decimal,
    skipped: count,
  }),
  state: fc.constantFrom('', '{"phase":"running"}'),
});

export const anyNotice: fc.Arbitrary<BotNotice> = fc.record({
  botId: fewIds,
  runId: text,
  user: fewUsers,
  market: time,
  at: time,
  level: fc.constantFrom(1, 2, 3),
  text,
});

export const anyAlert: fc.Arbitrary<AlertRecord> = fc.record({
  id: fewIds,
  botId: fewIds,
  runId: text,
  user: fewUsers,
  market: time,
  at: time,
  symbol: fewSymbols,
  condition: text,
  message: text,
  price: orNull(decimal),
  seen: fc.boolean(),
  deliveries: fc.array(
    fc.record({
      target: name,
      state: fc.constantFrom('waiting', 'done', 'failed'),
      tries: count,
      nextAt: orNull(time),
      error: orNull(text),
    }),
    { maxLength: 2 },
  ),
});

export const anyLogLine: fc.Arbitrary<LogLine> = fc
  .record(
    { at: time, level: fc.constantFrom('error', 'warn', 'info'), source: name, text, orderId: text },
    { requiredKeys: ['at', 'level', 'source', 'text'] },
  )
  .map((line) => line as LogLine);

export const anyCandle: fc.Arbitrary<Candle> = fc.record({
  time: fc.integer({ min: 0, max: 20 }),
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
  volume: decimal,
});

/** Values that JSON represents exactly; the top value is never null, which deletes. */
const anyDocument = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify({ value })));

export const anyRow: fc.Arbitrary<Row> = fc.oneof(
  fc.record({ kind: fc.constant('order' as const), order: anyOrder }),
  fc.record({ kind: fc.constant('fill' as const), fill: anyFill }),
  fc.record({ kind: fc.constant('event' as const), event: anyEvent }),
  fc.record({ kind: fc.constant('split' as const), plan: anySplit }),
  fc.record({ kind: fc.constant('idempotency' as const), record: anyIdempotency }),
  fc.record({ kind: fc.constant('idempotency-drop' as const), user: fewUsers, key: fewIds }),
  fc.record({ kind: fc.constant('key' as const), key: anyKey }),
  fc.record({ kind: fc.constant('bot' as const), bot: anyBot }),
  fc.record(
    { kind: fc.constant('bot-drop' as const), id: fewIds, keepsAlerts: fc.constant(true as const) },
    { requiredKeys: ['kind', 'id'] },
  ),
  fc.record({ kind: fc.constant('run' as const), run: anyRun }),
  fc.record({ kind: fc.constant('notice' as const), notice: anyNotice }),
  fc.record({ kind: fc.constant('alert' as const), alert: anyAlert }),
  fc.record({ kind: fc.constant('log' as const), line: anyLogLine }),
  fc.record({ kind: fc.constant('meta' as const), name: fewIds, value: anyDocument }),
  fc.record({
    kind: fc.constant('paper' as const),
    table: fc.constantFrom(
      'spot.order',
      'spot.trade',
      'spot.balance',
      'spot.price',
      'spot.zone',
      'futures.order',
      'spotty.order',
    ),
    id: fewIds,
    doc: orNull(fc.oneof(anyDocument, fc.record({ end: fc.nat(2), time: fc.nat(9) }))),
  }),
  fc.record({
    kind: fc.constant('candle' as const),
    market: fewMarkets,
    symbol: fewSymbols,
    candle: anyCandle,
  }),
);

/** A resting order; `change` replaces fields. */
export function order(id: string, change: Partial<OrderRecord> = {}): OrderRecord {
  return {
    id,
    user: 'owner',
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    status: 'OPENED',
    phase: 'live',
    positionSide: 'BOTH',
    price: '61234.5',
    origQty: '0.01',
    executedQty: '0',
    quoteQty: '0',
    timeInForce: 'GTC',
    reduceOnly: false,
    closePosition: false,
    workingType: 'CONTRACT_PRICE',
    isContract: false,
    isWorking: true,
    emulated: false,
    creator: 'API',
    creatorId: '12345678',
    metadata: '',
    orderTime: 1,
    createdAt: 1,
    updatedAt: 1,
    seq: 0,
    ...change,
  };
}

export function fill(tradeId: string, orderId: string, change: Partial<FillRecord> = {}): FillRecord {
  return {
    exchange: 'paper-spot',
    tradeId,
    orderId,
    user: 'owner',
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '61234.5',
    qty: '0.01',
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time: 1,
    ...change,
  };
}

export function event(orderId: string, at = 1, words = 'created by a test'): OrderEvent {
  return { orderId, user: 'owner', at, market: at, kind: 'created', text: words, status: 'NEW' };
}

/**
 * Whether an order has ended here and at its exchange: one that has ended only here is loaded while it is
 * open there.
 */
export function isTerminal(o: OrderRecord): boolean {
  return TERMINAL.has(o.status) && (o.contradiction === undefined || o.contradiction.goneAt !== undefined);
}
