/**
 * The form of the parameters of every call, so that nothing of another form reaches the desk. Whether an
 * amount or a name is right is checked by the code that knows it, which answers with a refusal.
 */
import { type TProperties, type TSchema, Type } from 'typebox';
import { ENVIRONMENTS, MARKET_KINDS } from '../../domain/connection.ts';
import { WIDE_RIGHTS } from '../../domain/permissions.ts';
import { PNL_GROUPS } from '../../engine/pnl/pnl-book.ts';
import { MAX_TAG, PatchBot } from '../../schemas/bot.ts';
import { BOT_TYPES } from '../../schemas/bots/bot-type.ts';
import { CreateOrder, MarginType, PositionSide } from '../../schemas/order.ts';
import { PNL_POINTS_MAX } from '../pnl/pnl-methods.ts';
import type { Method } from './protocol.ts';

/** Most characters of an id, a name, an amount or a short text. */
const SHORT_TEXT = 256;
/** Most ids in one call: more orders than an account can have open. */
const MOST_IDS = 20_000;
/** Most addresses, accounts, prices or parts: lists that a person writes. */
const MOST_ENTRIES = 1_000;

const text = Type.String({ maxLength: SHORT_TEXT });
/** Text of a request, a body or a PEM file: bounded by the frame that it came in. */
const longText = Type.String();
/** The vault refuses what is too long for it; this only bounds what it has to check. */
const passphrase = Type.String({ maxLength: 4_096 });
const flag = Type.Boolean();
const number = Type.Number();
const whole = Type.Integer();
const fields = Type.Object({}, { additionalProperties: true });
const list = (of: TSchema, maxItems = MOST_ENTRIES) => Type.Array(of, { maxItems });
const ids = list(text, MOST_IDS);
const oneOf = (...words: readonly string[]) => Type.Enum(words as string[]);
const may = <T extends TSchema>(schema: T) => Type.Optional(schema);
const orOff = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const only = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

const nothing = only({});
const part = oneOf('holdings', 'bots', 'orders', 'positions');
const byId = only({ id: text });
const ofExchange = only({ exchange: text });
const action = oneOf('stop_and_sell');
const cleanup = oneOf('leaveAllOrders', 'cancelBuyOrders', 'cancelAllOrders');
const way = only({ cleanup: may(cleanup), action: may(action), force: may(flag) });
const sketch = { type: oneOf(...BOT_TYPES), settings: fields, options: may(fields) };
const newBot = only({
  ...sketch,
  metadata: may(longText),
  tag: may(Type.String({ maxLength: MAX_TAG })),
});
const amendParams = only({
  exchange: text,
  id: text,
  price: may(text),
  quantity: may(text),
  stopPrice: may(text),
  goodTillDate: may(number),
});
const splitParams = only({ exchange: text, id: text, prices: list(text) });

/** The fields of an order as a person writes them: amounts are checked field by field elsewhere. */
const order = Object.fromEntries(
  Object.entries(CreateOrder.properties as TProperties).map(([name, schema]) => [name, loose(schema)]),
);
const MUST_BE_THERE = ['exchange', 'symbol', 'side', 'type'];
const wholeOrder = Object.fromEntries(
  Object.entries(order).map(([name, schema]) => [name, MUST_BE_THERE.includes(name) ? schema : may(schema)]),
);
const partOfOrder = Object.fromEntries(Object.entries(order).map(([name, schema]) => [name, may(schema)]));

const ipList = may(Type.Union([list(text), Type.Null()]));
const keySettings = { label: longText, tier: text, ipList, allowedExchanges: ipList };

const setting = Type.Union([
  only({
    kind: Type.Literal('leverage'),
    symbol: text,
    leverage: whole,
    marginType: may(MarginType),
    side: may(PositionSide),
  }),
  only({ kind: Type.Literal('marginType'), symbol: text, marginType: MarginType }),
  only({ kind: Type.Literal('marginMode'), mode: whole }),
  only({ kind: Type.Literal('hedgeMode'), on: flag }),
  only({ kind: Type.Literal('dust'), assets: list(text), toAsset: may(text) }),
]);

/** Faults of an embedded exchange that strike by chance; besides them every nth order may be refused. */
export const CHANCE_FAULTS = [
  'loseRequest',
  'lateArrival',
  'loseAnswer',
  'serverErrorAfterAccept',
  'delay',
  'dropEvent',
  'duplicateEvent',
  'reorderEvent',
  'queryFails',
] as const;
const milliseconds = Type.Number({ minimum: 0, maximum: 86_400_000 });
const shot = Type.Union([
  only({
    fault: oneOf('reject', ...CHANCE_FAULTS),
    exchange: may(text),
    on: may(oneOf('submit', 'cancel', 'order', 'fill', 'balances')),
    times: may(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    ms: may(milliseconds),
  }),
  only({ fault: Type.Literal('down'), exchange: may(text), ms: milliseconds }),
]);
const standing = only(Object.fromEntries(['rejectNth', ...CHANCE_FAULTS].map((name) => [name, may(number)])));

const page = {
  exchange: may(text),
  symbol: may(text),
  before: may(text),
  limit: Type.Integer({ minimum: 1, maximum: 10_000 }),
};

const pnl = {
  from: may(number),
  to: may(number),
  days: may(whole),
  firstDay: may(text),
  lastDay: may(text),
  by: oneOf(...PNL_GROUPS),
  exchange: may(text),
  points: may(Type.Integer({ minimum: 1, maximum: PNL_POINTS_MAX })),
};

const guards = only({
  maxOrderValue: may(orOff(text)),
  maxPositionValue: may(orOff(text)),
  maxOpenOrders: may(orOff(whole)),
  maxOrdersPerMinute: may(orOff(whole)),
  priceBand: may(orOff(text)),
  dailyLossLimit: may(orOff(text)),
  symbols: may(orOff(list(text))),
  deadManSeconds: may(orOff(whole)),
});

/** A credential; it may be a PEM file. */
const credential = may(Type.String({ maxLength: 16_384 }));
const connection = {
  name: text,
  venue: text,
  markets: list(oneOf(...MARKET_KINDS), MARKET_KINDS.length),
  environment: oneOf(...ENVIRONMENTS),
  endpoints: may(Type.Record(text, text, { maxProperties: 40 })),
  secrets: only({ apiKey: credential, secret: credential, passphrase: credential }),
  replace: may(flag),
};
const { secrets: _, ...unkeyed } = connection;

export const CALL_PARAMS: Readonly<Record<Method, TSchema>> = {
  'orders.place': only(wholeOrder),
  'orders.check': only(partOfOrder),
  'orders.cancel': only({ exchange: text, id: text }),
  'orders.cancelAll': only({ exchange: may(text), symbol: may(text), ids: may(ids) }),
  'orders.amend': amendParams,
  'orders.amendCheck': amendParams,
  'orders.split': splitParams,
  'orders.splitPreview': splitParams,
  'orders.detail': byId,
  'orders.closed': only(page),
  'trades.list': only({
    exchange: text,
    symbol: text,
    startTime: may(number),
    endTime: may(number),
    limit: page.limit,
  }),
  'portfolio.ledger': only({ exchange: text, before: page.before, limit: page.limit }),
  'trades.page': only(page),
  'orders.export': only({ exchange: may(text) }),
  'trades.export': only({ exchange: may(text) }),
  'market.candles': only({
    market: text,
    symbol: text,
    frameMs: Type.Integer({ minimum: 1 }),
    from: number,
    to: number,
  }),
  'market.look': only({ market: text, symbol: text, frameMs: Type.Integer({ minimum: 1 }) }),
  'market.lookAway': nothing,
  'futures.set': only({ exchange: text, setting }),
  'futures.brackets': only({ exchange: text, symbol: text }),
  'futures.marginMode': ofExchange,
  'portfolio.dust': ofExchange,
  'portfolio.export': only({ exchange: may(text) }),
  'pnl.read': only(pnl),
  'pnl.export': only({ ...pnl, what: oneOf('groups', 'trades') }),
  'bots.create': only({ bot: newBot }),
  'bots.manage': only({ bot: newBot }),
  'bots.check': only(sketch),
  'bots.ladder': only(sketch),
  'bots.replay': only({
    ...sketch,
    token: text,
    candles: may(Type.Integer({ minimum: 1, maximum: 100_000 })),
  }),
  'bots.replayProgress': only({ token: text }),
  'bots.replayEnd': only({ token: text }),
  'bots.patch': only({ id: text, change: PatchBot }),
  'bots.tag': only({ id: text, tag: longText }),
  'bots.delete': only({ id: text, force: flag }),
  'bots.start': byId,
  'bots.stop': only({ id: text, runId: text, way }),
  'bots.message': only({ id: text, runId: text, message: text, params: fields }),
  'bots.batch': Type.Union([
    only({ op: oneOf('start', 'delete'), ids }),
    only({
      op: Type.Literal('stop'),
      runs: list(Type.Array(text, { minItems: 2, maxItems: 2 }), MOST_IDS),
      way,
    }),
  ]),
  'bots.detail': byId,
  'alerts.seen': only({ ids }),
  'alerts.mute': only({ kind: oneOf('bot', 'target'), id: text, on: flag }),
  'keys.list': nothing,
  'keys.check': only({ ...keySettings, publicKey: may(longText) }),
  'keys.generate': only(keySettings),
  'keys.register': only({ ...keySettings, publicKey: longText }),
  'keys.revoke': byId,
  'keys.example': byId,
  'keys.reveal': byId,
  'keys.explain': only({
    id: text,
    method: text,
    target: longText,
    body: longText,
    timestamp: text,
    signature: longText,
  }),
  'feed.control': only({ action: oneOf('play', 'pause', 'step') }),
  'feed.speed': only({ speed: Type.Union([number, Type.Literal('max')]) }),
  'exchange.confirmRights': only({
    exchange: text,
    rights: list(oneOf(...WIDE_RIGHTS), WIDE_RIGHTS.length),
  }),
  'exchange.takeOver': only({ exchange: text, of: oneOf('held', 'others', 'paused') }),
  'exchange.reconcile': ofExchange,
  'connections.list': nothing,
  'connections.test': Type.Union([only({ name: text }), only({ ...connection, madeKey: may(flag) })]),
  'connections.makeKey': only(unkeyed),
  'connections.add': only({
    ...connection,
    madeKey: may(flag),
    rights: list(oneOf(...WIDE_RIGHTS), WIDE_RIGHTS.length),
    guards: may(guards),
  }),
  'connections.remove': only({ name: text, word: text }),
  'connections.confirm': only({ name: text, to: list(text), word: text }),
  'guards.read': ofExchange,
  'guards.set': only({ exchange: text, change: guards }),
  'guards.lift': ofExchange,
  'vault.init': only({ passphrase }),
  'vault.unlock': only({ passphrase }),
  'vault.lock': nothing,
  'vault.change': only({ old: passphrase, passphrase }),
  'vault.forget': only({ connection: text }),
  'paper.configure': only({
    exchange: text,
    change: only({
      makerRate: may(text),
      takerRate: may(text),
      latencyMs: may(number),
      jitterMs: may(number),
      slippageBps: may(number),
    }),
  }),
  'paper.balance': only({ exchange: text, asset: text, amount: text }),
  'paper.reset': ofExchange,
  'paper.faults': only({ exchange: text, change: may(standing), heal: may(flag) }),
  'paper.fault': shot,
  'operators.list': nothing,
  'operators.set': only({
    name: text,
    role: text,
    key: longText,
    ca: may(flag),
    from: may(list(text, 64)),
    expiresAt: may(orOff(number)),
    verify: may(flag),
    replace: may(flag),
  }),
  'operators.remove': only({ name: text }),
  'memory.read': nothing,
  'memory.write': only({ memory: fields }),
  'ssh.view': nothing,
  'ssh.rotate': only({ now: flag }),
  'sessions.list': nothing,
  'sessions.end': only({ id: text, reason: may(text) }),
  'session.lock': nothing,
  'session.unlock': only({ pin: may(text) }),
  'session.pin': only({ pin: orOff(text) }),
  'panic.targets': only({ part, after: may(text) }),
  'desk.panic': Type.Union([
    only({
      phase: Type.Literal('start'),
      parts: list(part, 3),
      again: flag,
    }),
    only({ phase: Type.Literal('end'), all: whole, done: whole, failed: whole }),
  ]),
  'desk.maintenance': only({ on: flag, message: may(longText) }),
  'desk.stop': nothing,
};

function loose(schema: TSchema): TSchema {
  const { type } = schema as { readonly type?: string };
  if (type === 'string') return text;
  return type === 'number' || type === 'integer' ? number : schema;
}
