/**
 * The instruments of Bybit (DOC market/instrument): spot pairs and perpetual contracts in USDT and USDC;
 * dated and inverse contracts are left out. An instrument with an unknown word or figure is left out with an
 * explanation. Pure.
 */
import { Type } from 'typebox';
import { type Dec, dec, minDec, str, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { nameProblem } from '../../domain/market-name.ts';
import {
  checked,
  known,
  plain,
  positive,
  type ReadInstruments,
  readEach,
  UnreadableInstrument,
} from '../kit/instrument-reading.ts';
import type { Category } from './category.ts';

const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const MAYBE = Type.Optional(Type.Union([FIGURE, Type.Literal(''), Type.Null()]));
const COMMON = {
  symbol: Type.String(),
  baseCoin: Type.String(),
  quoteCoin: Type.String(),
  status: Type.String(),
};
const SPOT = Type.Object({
  ...COMMON,
  lotSizeFilter: Type.Object({
    basePrecision: FIGURE,
    minOrderAmt: MAYBE,
    maxOrderQty: MAYBE,
    maxLimitOrderQty: MAYBE,
    maxMarketOrderQty: MAYBE,
  }),
  priceFilter: Type.Object({ tickSize: FIGURE }),
});
const LINEAR = Type.Object({
  ...COMMON,
  contractType: Type.String(),
  settleCoin: Type.String(),
  deliveryTime: Type.Optional(Type.String({ pattern: '^\\d{1,16}$' })),
  lotSizeFilter: Type.Object({
    qtyStep: FIGURE,
    minOrderQty: FIGURE,
    maxOrderQty: FIGURE,
    maxMktOrderQty: MAYBE,
    minNotionalValue: MAYBE,
  }),
  priceFilter: Type.Object({ tickSize: FIGURE, minPrice: FIGURE, maxPrice: FIGURE }),
});

type Halt = Instrument['halt'] | 'left out';

/** `status` (DOC enum); without a filter the list contains only instruments that trade. */
const STATUSES = new Map<string, Halt | null>([
  ['Trading', null],
  ['Delivering', 'halted'],
  ['PreLaunch', 'left out'],
  ['Closed', 'left out'],
]);
const CONTRACTS = new Map<string, 'perpetual' | 'left out'>([
  ['LinearPerpetual', 'perpetual'],
  ['LinearFutures', 'left out'],
  ['InversePerpetual', 'left out'],
  ['InverseFutures', 'left out'],
]);
const SETTLED: ReadonlySet<string> = new Set(['USDT', 'USDC']);
/** Names for several units of a coin: `1000PEPE`, `SHIB1000`, `1000000MOG`. */
const SEVERAL = /^(?:(10{3,8})(?=.*\p{L}).{2,}|.*\p{L}(10{3,8}))$/u;

/**
 * The exchange checks price bands of its own, based on the mark and last price (riskParameters); an
 * instrument cannot express these.
 */
const NO_BAND = { percentDown: '0', percentUp: '1000000' } as const;
/** The list names no highest price for spot. */
const HIGHEST_PRICE = '1000000000';
/** Trailing stops are held by the engine, which allows any callback rate. */
const TRAILING = { trailingMinBps: 10, trailingMaxBps: 2_000 } as const;
const MAX_ORDERS = 500;

/** Reads the instruments. `rows`: those of all pages. */
export function instrumentsOf(
  rows: readonly unknown[],
  category: Category,
  exchange: string,
): ReadInstruments {
  return readEach(rows, (raw) => (category === 'spot' ? spotOf(raw, exchange) : linearOf(raw, exchange)));
}

/** Reads a row; null: not tradable here. Throws Odd for one that should be readable and is not. */
function spotOf(raw: unknown, exchange: string): Instrument | null {
  const row = checked(SPOT, raw);
  const halt = known(STATUSES, row.status, 'status');
  if (halt === 'left out') return null;
  const { basePrecision, minOrderAmt, maxOrderQty, maxLimitOrderQty, maxMarketOrderQty } = row.lotSizeFilter;
  const step = str(positive(basePrecision, 'step size'));
  const maxQty = positive(maxLimitOrderQty || maxOrderQty || '0', 'largest quantity');
  return {
    ...named(row, exchange, 'spot'),
    tickSize: str(positive(row.priceFilter.tickSize, 'tick size')),
    minPrice: str(dec(row.priceFilter.tickSize)),
    maxPrice: HIGHEST_PRICE,
    stepSize: step,
    // `minOrderQty` is no longer checked by the exchange: the order value decides.
    minQty: step,
    maxQty: str(maxQty),
    marketMaxQty: marketMax(maxMarketOrderQty || maxOrderQty, maxQty),
    minNotional: plain(minOrderAmt),
    ...(halt === null ? {} : { halt }),
  };
}

function linearOf(raw: unknown, exchange: string): Instrument | null {
  const row = checked(LINEAR, raw);
  // The first check that excludes a contract ends the reading silently: unsupported contracts may contain
  // unknown words.
  if (row.settleCoin !== row.quoteCoin || !SETTLED.has(row.quoteCoin)) return null;
  if (known(CONTRACTS, row.contractType, 'contract type') === 'left out') return null;
  const halt = known(STATUSES, row.status, 'status');
  if (halt === 'left out') return null;
  const { qtyStep, minOrderQty, maxOrderQty, maxMktOrderQty, minNotionalValue } = row.lotSizeFilter;
  const maxQty = positive(maxOrderQty, 'largest quantity');
  const several = SEVERAL.exec(row.baseCoin);
  const endsAt = Number(row.deliveryTime ?? '0');
  return {
    ...named(row, exchange, 'futures'),
    tickSize: str(positive(row.priceFilter.tickSize, 'tick size')),
    minPrice: plain(row.priceFilter.minPrice),
    maxPrice: str(positive(row.priceFilter.maxPrice, 'highest price')),
    stepSize: str(positive(qtyStep, 'step size')),
    minQty: plain(minOrderQty),
    maxQty: str(maxQty),
    marketMaxQty: marketMax(maxMktOrderQty, maxQty),
    minNotional: plain(minNotionalValue),
    ...(several === null ? {} : { multiplier: several[1] ?? several[2] ?? '1' }),
    ...(halt === null ? {} : { halt }),
    ...(endsAt > 0 ? { endsAt } : {}),
  };
}

/** The fields that both kinds share. A name without separators is our symbol unchanged: `BTCPERP`. */
function named(
  { symbol, baseCoin, quoteCoin }: { symbol: string; baseCoin: string; quoteCoin: string },
  exchange: string,
  kind: Instrument['kind'],
) {
  for (const name of [symbol, baseCoin, quoteCoin]) {
    const problem = nameProblem(name);
    if (problem !== null) throw new UnreadableInstrument(`has a name that cannot be taken (${problem})`);
  }
  return {
    exchange,
    symbol,
    base: baseCoin,
    quote: quoteCoin,
    kind,
    maxNotional: '0',
    ...NO_BAND,
    ...TRAILING,
    maxOrders: MAX_ORDERS,
    maxIcebergParts: 0,
  };
}

function marketMax(text: string | null | undefined, maxQty: Dec): string {
  const value = dec(text || '0');
  return str(value > ZERO ? minDec(value, maxQty) : maxQty);
}
