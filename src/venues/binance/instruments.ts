/**
 * Reads the instruments of `GET /api/v3/exchangeInfo` and `GET /fapi/v1/exchangeInfo`: those of the spot
 * market and the perpetual contracts margined in USDT or USDC. Everything else is left out. A symbol of the
 * wrong form, with an unknown word for its status or kind, or with a wrong filter is left out with a sentence
 * that says why. Pure.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { dec, maxDec, minDec, str, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { nameProblem } from '../../domain/market-name.ts';
import { INSTRUMENT_LIST } from '../kit/bounds.ts';
import {
  checked,
  checkOf,
  known,
  plain,
  positive,
  type ReadInstruments,
  readEach,
  UnreadableInstrument,
} from '../kit/instrument-reading.ts';
import { type Message, messageReader } from '../kit/messages.ts';

/** What is read from an answer. */
export interface BinanceInstruments extends ReadInstruments {
  /** Request limits in the answer; empty if it states none. */
  readonly rateLimits: readonly RateLimit[];
  /** The exchange's time of the answer, Unix ms; null: not given. */
  readonly serverTime: number | null;
}

/**
 * A rate limit in the exchange's words: `REQUEST_WEIGHT`, `ORDERS`, `RAW_REQUESTS`; `SECOND`, `MINUTE`,
 * `HOUR`, `DAY`.
 */
export type RateLimit = Static<typeof RATE_LIMIT>;

/**
 * Bounds of a trailing stop's callback on futures, basis points. No filter states them (change log of the
 * derivatives API, 2026-10-23: 0.1 to 20 %).
 */
const FUTURES_TRAILING = { trailingMinBps: 10, trailingMaxBps: 2_000 } as const;
/**
 * Later than any real delivery: a perpetual contract without an end has such a date (2100-12-25, sometimes
 * some seconds more).
 */
const NO_END = Date.UTC(2100, 0);
/** A price band without effect: wide enough for any price. */
const NO_BAND = { percentDown: '0', percentUp: '1000000' } as const;
/** Used when the filter is missing: the number in the documents' examples. */
const MAX_ORDERS = 200;

const RATE_LIMIT = Type.Object({
  rateLimitType: Type.String(),
  interval: Type.String(),
  intervalNum: Type.Integer({ minimum: 1 }),
  limit: Type.Integer({ minimum: 0 }),
});
const ENVELOPE = Type.Object({
  serverTime: Type.Optional(Type.Integer({ minimum: 0 })),
  rateLimits: Type.Optional(Type.Array(RATE_LIMIT)),
  symbols: Type.Array(Type.Unknown()),
});
const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const COUNT = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const FILTERS = Type.Array(Type.Object({ filterType: Type.String() }), { maxItems: 100 });
const COMMON = {
  symbol: Type.String(),
  status: Type.String(),
  baseAsset: Type.String(),
  quoteAsset: Type.String(),
  orderTypes: Type.Array(Type.String(), { maxItems: 100 }),
  filters: FILTERS,
};
const SPOT = Type.Object({
  ...COMMON,
  icebergAllowed: Type.Optional(Type.Boolean()),
  isSpotTradingAllowed: Type.Optional(Type.Boolean()),
  permissionSets: Type.Optional(Type.Array(Type.Array(Type.String()))),
});
const FUTURES = Type.Object({
  ...COMMON,
  contractType: Type.String(),
  marginAsset: Type.String(),
  deliveryDate: Type.Optional(Type.Integer({ minimum: 0 })),
});

const PRICE = Type.Object({ minPrice: FIGURE, maxPrice: FIGURE, tickSize: FIGURE });
const LOT = Type.Object({ minQty: FIGURE, maxQty: FIGURE, stepSize: FIGURE });
const NOTIONAL = Type.Object({ minNotional: FIGURE, maxNotional: FIGURE });
const MIN_NOTIONAL = Type.Object({ minNotional: FIGURE });
const FUTURES_NOTIONAL = Type.Object({ notional: FIGURE });
const BAND = Type.Object({ multiplierUp: FIGURE, multiplierDown: FIGURE });
const BAND_BY_SIDE = Type.Object({
  bidMultiplierUp: FIGURE,
  bidMultiplierDown: FIGURE,
  askMultiplierUp: FIGURE,
  askMultiplierDown: FIGURE,
});
const TRAILING = Type.Object({
  minTrailingAboveDelta: COUNT,
  maxTrailingAboveDelta: COUNT,
  minTrailingBelowDelta: COUNT,
  maxTrailingBelowDelta: COUNT,
});
const LIMIT = Type.Object({ limit: COUNT });
const SPOT_ORDERS = Type.Object({ maxNumOrders: COUNT });

type Halt = Instrument['halt'] | 'left out';

/**
 * Spot symbol statuses (SPOTDOC enums.md; `CANCEL_ONLY` since 2026-07-01; the others are from older editions
 * and still occur).
 */
const SPOT_STATUS = new Map<string, Halt | null>([
  ['TRADING', null],
  ['HALT', 'halted'],
  ['END_OF_DAY', 'halted'],
  ['AUCTION_MATCH', 'halted'],
  ['BREAK', 'in a break'],
  ['CANCEL_ONLY', 'cancel-only'],
  ['PRE_TRADING', 'left out'],
  ['POST_TRADING', 'left out'],
]);
/** Contract statuses (USD-M common definitions). A delisted perpetual stays in `SETTLING`. */
const FUTURES_STATUS = new Map<string, Halt | null>([
  ['TRADING', null],
  ['TRADING_HALT', 'halted'],
  ['TRADING_CANCEL_ONLY', 'cancel-only'],
  ['PRE_SETTLE', 'halted'],
  ['PRE_DELIVERING', 'halted'],
  ['DELIVERING', 'halted'],
  ['PENDING_TRADING', 'left out'],
  ['DELIVERED', 'left out'],
  ['SETTLING', 'left out'],
  ['CLOSE', 'left out'],
]);
/** Contract types (USD-M common definitions); perpetuals on shares and metals have a type of their own. */
const CONTRACTS = new Map<string, 'perpetual' | 'left out'>([
  ['PERPETUAL', 'perpetual'],
  ['TRADIFI_PERPETUAL', 'perpetual'],
  ['PERPETUAL_DELIVERING', 'perpetual'],
  ['CURRENT_MONTH', 'left out'],
  ['NEXT_MONTH', 'left out'],
  ['CURRENT_QUARTER', 'left out'],
  ['NEXT_QUARTER', 'left out'],
  ['CURRENT_QUARTER_DELIVERING', 'left out'],
  ['NEXT_QUARTER_DELIVERING', 'left out'],
  // A contract that is not listed yet has no type.
  ['', 'left out'],
]);
const MARGINS: ReadonlySet<string> = new Set(['USDT', 'USDC']);
/**
 * The base of a contract on several units of a coin: `1000SHIB`, `1000000MOG`, `1MBABYDOGE`; `1INCH` is a
 * coin.
 */
const SEVERAL = /^(?:(10{3,8})|1M)(?=.*\p{L})(.{2,})$/u;

const readEnvelope = messageReader(ENVELOPE, INSTRUMENT_LIST);

/** Reads the instruments of the spot market, for an account or a mirror named `exchange`. */
export function readSpotInstruments(text: string, exchange: string): Message<BinanceInstruments> {
  return read(text, (raw) => spotInstrument(raw, exchange));
}

/** Reads the perpetual contracts in USDT and USDC, for an account or a mirror named `exchange`. */
export function readFuturesInstruments(text: string, exchange: string): Message<BinanceInstruments> {
  return read(text, (raw) => futuresInstrument(raw, exchange));
}

/** Reads one symbol. Null: it is not traded here. Throws Odd when a required part cannot be read. */
type ReadOne = (raw: unknown) => Instrument | null;

function read(text: string, one: ReadOne): Message<BinanceInstruments> {
  const envelope = readEnvelope(text);
  if (!envelope.ok) return envelope;
  const { symbols, rateLimits = [], serverTime = null } = envelope.value;
  return { ok: true, value: { ...readEach(symbols, one), rateLimits, serverTime } };
}

function spotInstrument(raw: unknown, exchange: string): Instrument | null {
  const symbol = checked(SPOT, raw);
  const halt = known(SPOT_STATUS, symbol.status, 'status');
  // Without a set of permissions no account may trade it: a delisted symbol has none, whatever its status.
  const isClosed = symbol.isSpotTradingAllowed === false || symbol.permissionSets?.length === 0;
  if (halt === 'left out' || isClosed) return null;
  const filters = filtersOf(symbol.filters);
  const band = filters.find('PERCENT_PRICE', BAND);
  const sides = filters.find('PERCENT_PRICE_BY_SIDE', BAND_BY_SIDE);
  const notional = filters.find('NOTIONAL', NOTIONAL);
  const trailing = filters.find('TRAILING_DELTA', TRAILING);
  const parts = filters.find('ICEBERG_PARTS', LIMIT)?.limit ?? 0;
  return {
    ...common(symbol, filters, exchange, 'spot'),
    minNotional: plain(
      notional?.minNotional ?? filters.find('MIN_NOTIONAL', MIN_NOTIONAL)?.minNotional ?? '0',
    ),
    maxNotional: plain(notional?.maxNotional ?? '0'),
    ...spotBand(band, sides),
    trailingMinBps: trailing
      ? Math.max(trailing.minTrailingAboveDelta, trailing.minTrailingBelowDelta)
      : FUTURES_TRAILING.trailingMinBps,
    trailingMaxBps: trailing
      ? Math.min(trailing.maxTrailingAboveDelta, trailing.maxTrailingBelowDelta)
      : FUTURES_TRAILING.trailingMaxBps,
    maxOrders: filters.find('MAX_NUM_ORDERS', SPOT_ORDERS)?.maxNumOrders ?? MAX_ORDERS,
    maxIcebergParts: symbol.icebergAllowed === false ? 0 : parts,
    ...(halt === null ? {} : { halt }),
  };
}

/** The wider band of both sides: the exchange applies the one of the order's side. */
function spotBand(
  band: Static<typeof BAND> | null,
  sides: Static<typeof BAND_BY_SIDE> | null,
): Pick<Instrument, 'percentDown' | 'percentUp'> {
  if (sides)
    return {
      percentDown: str(minDec(dec(sides.bidMultiplierDown), dec(sides.askMultiplierDown))),
      percentUp: str(maxDec(dec(sides.bidMultiplierUp), dec(sides.askMultiplierUp))),
    };
  return band ? { percentDown: plain(band.multiplierDown), percentUp: plain(band.multiplierUp) } : NO_BAND;
}

function futuresInstrument(raw: unknown, exchange: string): Instrument | null {
  const symbol = checked(FUTURES, raw);
  // Symbols of other kinds are skipped before their words are read: those need not be known.
  if (symbol.marginAsset !== symbol.quoteAsset || !MARGINS.has(symbol.quoteAsset)) return null;
  if (known(CONTRACTS, symbol.contractType, 'contract type') === 'left out') return null;
  const halt = known(FUTURES_STATUS, symbol.status, 'status');
  if (halt === 'left out') return null;
  const filters = filtersOf(symbol.filters);
  const several = SEVERAL.exec(symbol.baseAsset);
  const { deliveryDate = NO_END } = symbol;
  return {
    ...common(symbol, filters, exchange, 'futures'),
    minNotional: plain(filters.find('MIN_NOTIONAL', FUTURES_NOTIONAL)?.notional ?? '0'),
    maxNotional: '0',
    // PERCENT_PRICE of futures binds each side separately, by the mark price: an instrument's band cannot say
    // that.
    ...NO_BAND,
    ...FUTURES_TRAILING,
    maxOrders: filters.find('MAX_NUM_ORDERS', LIMIT)?.limit ?? MAX_ORDERS,
    maxIcebergParts: 0,
    ...(several === null ? {} : { multiplier: several[1] ?? '1000000' }),
    ...(halt === null ? {} : { halt }),
    ...(deliveryDate > 0 && deliveryDate < NO_END ? { endsAt: deliveryDate } : {}),
  };
}

/** The fields that both kinds have in common. */
function common(
  { symbol, baseAsset, quoteAsset, orderTypes }: Static<typeof SPOT>,
  filters: Filters,
  exchange: string,
  kind: Instrument['kind'],
) {
  for (const name of [symbol, baseAsset, quoteAsset]) {
    const problem = nameProblem(name);
    if (problem !== null) throw new UnreadableInstrument(`has a name that cannot be taken (${problem})`);
  }
  const price = filters.need('PRICE_FILTER', PRICE);
  const lot = filters.need('LOT_SIZE', LOT);
  const market = filters.find('MARKET_LOT_SIZE', LOT);
  // Zero: the exchange does not check this bound.
  const maxQty = positive(lot.maxQty, 'largest quantity');
  const ofMarket = market ? dec(market.maxQty) : ZERO;
  return {
    exchange,
    symbol,
    base: baseAsset,
    quote: quoteAsset,
    kind,
    tickSize: str(positive(price.tickSize, 'tick size')),
    minPrice: plain(price.minPrice),
    maxPrice: str(positive(price.maxPrice, 'highest price')),
    stepSize: str(positive(lot.stepSize, 'step size')),
    minQty: plain(lot.minQty),
    maxQty: str(maxQty),
    marketMaxQty: str(ofMarket > ZERO ? minDec(ofMarket, maxQty) : maxQty),
    orderTypes,
  };
}

interface Filters {
  find<S extends TSchema>(type: string, schema: S): Static<S> | null;
  /** Throws Odd if the filter is missing. */
  need<S extends TSchema>(type: string, schema: S): Static<S>;
}

/** The filters of a symbol by their type; filters that nobody asks for may have any form. */
function filtersOf(list: Static<typeof FILTERS>): Filters {
  const find = <S extends TSchema>(type: string, schema: S): Static<S> | null => {
    const raw = list.find(({ filterType }) => filterType === type);
    if (raw === undefined) return null;
    if (!checkOf(schema)(raw)) throw new UnreadableInstrument(`has a filter ${type} that cannot be read`);
    return raw as Static<S>;
  };
  return {
    find,
    need(type, schema) {
      const filter = find(type, schema);
      if (filter === null) throw new UnreadableInstrument(`has no filter ${type}`);
      return filter;
    },
  };
}
