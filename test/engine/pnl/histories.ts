/**
 * Random histories of a wallet for the PnL book, and their results by plain sums over fills, ledger and
 * prices: balances times prices at two times, and the payments in between. Uses no holdings, average costs or
 * samples.
 */
import fc from 'fast-check';
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { LedgerRecord } from '../../../src/domain/ledger.ts';
import type { BookAccount, BookFill, BookPrices } from '../../../src/engine/pnl/wallet-book.ts';

export const SPOT = 'one-spot';
export const FUTURES = 'one-futures';
export const WALLET = 'one';
const SYMBOLS = {
  BTCUSDT: { base: 'BTC', quote: 'USDT' },
  ETHBTC: { base: 'ETH', quote: 'BTC' },
  BNBUSDT: { base: 'BNB', quote: 'USDT' },
} as const;
const instruments = new Map(Object.entries(SYMBOLS));

export const ACCOUNTS: readonly BookAccount[] = [
  { id: SPOT, kind: 'spot', instruments },
  { id: FUTURES, kind: 'futures', instruments },
];

export type Event = { readonly fill: BookFill } | { readonly record: LedgerRecord };

export interface History {
  readonly events: readonly Event[];
  readonly prices: BookPrices;
  readonly from: number;
  readonly to: number;
}

const FIRST: Readonly<Record<string, number>> = { BTC: 60_000, ETH: 3_000, BNB: 500, FUN: 0.01 };

/** Prices that change at every millisecond, derived from one number. */
export function pricesOf(seed: number): BookPrices {
  const at = (name: string, time: number, places: number) => {
    let hash = seed ^ (time * 2_654_435_761);
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619);
    const factor = 0.5 + ((hash >>> 0) % 10_007) / 10_007;
    return dec(((FIRST[name] ?? 60_000) * factor).toFixed(places));
  };
  return {
    usd: (asset, time) => (asset === 'USDT' ? dec('1') : at(asset, time, 6)),
    mark: (_, symbol, time) => (symbol === 'ETHBTC' ? dec('0.05') : at(`mark ${symbol}`, time, 2)),
  };
}

interface Draw {
  readonly kind: 'spot' | 'futures' | 'ledger';
  readonly wait: number;
  readonly symbol: keyof typeof SYMBOLS;
  readonly side: 'BUY' | 'SELL';
  readonly hedge: boolean;
  readonly posSide: 'LONG' | 'SHORT';
  readonly qty: number;
  readonly price: number;
  readonly feeOf: 'base' | 'quote' | 'BNB';
  readonly fee: number;
  readonly order: number;
  readonly bot: string | null;
  readonly row: LedgerRecord['kind'];
  readonly asset: string;
  readonly amount: number;
  readonly off: number;
  readonly all: boolean;
}

const KINDS = [
  'transfer',
  'funding',
  'interest',
  'rebate',
  'conversion',
  'unexplained',
  'opening',
  'position',
] as const;

const draw: fc.Arbitrary<Draw> = fc.record({
  kind: fc.constantFrom('spot', 'spot', 'futures', 'futures', 'ledger'),
  wait: fc.nat(40),
  symbol: fc.constantFrom('BTCUSDT', 'BTCUSDT', 'ETHBTC', 'BNBUSDT'),
  side: fc.constantFrom('BUY', 'SELL'),
  hedge: fc.boolean(),
  posSide: fc.constantFrom('LONG', 'SHORT'),
  qty: fc.integer({ min: 1, max: 3_000 }),
  price: fc.integer({ min: 1, max: 9_999_999 }),
  feeOf: fc.constantFrom('base', 'quote', 'BNB'),
  fee: fc.integer({ min: -20, max: 300 }),
  order: fc.nat(5),
  bot: fc.constantFrom(null, 'b1', 'b2'),
  row: fc.constantFrom(...KINDS),
  asset: fc.constantFrom('USDT', 'BTC', 'FUN', 'BNB'),
  amount: fc.integer({ min: -90_000, max: 90_000 }),
  off: fc.integer({ min: -1, max: 1 }),
  all: fc.boolean(),
});

const scaled = (value: number, places: number) => dec((value / 10 ** places).toFixed(places));

/** Size and cost of positions as the exchange that reports the fills counts them. */
type Sizes = Map<string, { size: Dec; cost: Dec }>;

function eventOf(d: Draw, n: number, time: number, sizes: Sizes): Event {
  if (d.kind === 'ledger' && d.row === 'position') {
    const { base: asset } = SYMBOLS[d.symbol];
    const size = d.all ? ZERO : scaled(d.amount, 3);
    const cost = mul(size, scaled(d.price, 2));
    sizes.set(`${d.symbol} BOTH`, { size, cost });
    const of = {
      exchange: WALLET,
      user: 'owner',
      id: `${n}`,
      time,
      asset,
      symbol: d.symbol,
      posSide: 'BOTH',
    } as const;
    return { record: { ...of, kind: d.row, amount: str(size), cost: str(cost) } };
  }
  if (d.kind === 'ledger') {
    const symbol = d.row === 'funding' ? { symbol: d.symbol } : {};
    const asset = d.row === 'funding' ? 'USDT' : d.asset;
    const amount = str(scaled(d.amount, 3));
    const record = {
      exchange: WALLET,
      user: 'owner',
      id: `${n}`,
      time,
      asset,
      amount,
      kind: d.row,
      ...symbol,
    };
    return { record };
  }
  const { base, quote } = SYMBOLS[d.symbol];
  const posSide = d.kind === 'futures' && d.hedge ? d.posSide : 'BOTH';
  const key = `${d.symbol} ${posSide}`;
  const known = sizes.get(key) ?? { size: ZERO, cost: ZERO };
  // In hedge mode a close never exceeds the position.
  const opens =
    posSide === 'BOTH' || known.size === ZERO
      ? d.side
      : d.all
        ? posSide === 'LONG'
          ? 'SELL'
          : 'BUY'
        : d.side;
  const side =
    posSide === 'LONG' && known.size === ZERO
      ? 'BUY'
      : posSide === 'SHORT' && known.size === ZERO
        ? 'SELL'
        : opens;
  const closes = known.size !== ZERO && known.size > ZERO === (side === 'SELL');
  const held = known.size < ZERO ? -known.size : known.size;
  let qty = scaled(d.qty, 3);
  if (d.kind === 'futures' && closes && (d.all || (posSide !== 'BOTH' && qty > held))) qty = held;
  const price = scaled(d.price, 2);
  let rPnl: string | null = null;
  if (d.kind === 'futures') {
    const signed = side === 'BUY' ? qty : -qty;
    const closed = closes ? (qty < held ? qty : held) : ZERO;
    const leaving = held === ZERO ? ZERO : (known.cost * closed) / held;
    const exact = (side === 'SELL' ? 1n : -1n) * mul(closed, price) - leaving;
    // Reported with eight decimals, and sometimes slightly off.
    const unit = dec('0.00000001');
    const told = closed === ZERO ? ZERO : exact - (exact % unit) + BigInt(d.off) * unit;
    rPnl = closed === ZERO && d.all ? null : str(told);
    const size = known.size + signed;
    const cost =
      size === ZERO
        ? ZERO
        : closed > ZERO && closed === held
          ? mul(size, price)
          : known.cost + mul(signed, price) + told;
    sizes.set(key, { size, cost });
  }
  const commAsset = d.feeOf === 'BNB' ? 'BNB' : d.kind === 'futures' || d.feeOf === 'quote' ? quote : base;
  const fill: BookFill = {
    exchange: d.kind === 'spot' ? SPOT : FUTURES,
    user: 'owner',
    tradeId: `${n}`,
    orderId: `${d.order}`,
    symbol: d.symbol,
    side,
    price: str(price),
    qty: str(qty),
    comm: str(scaled(d.fee, 5)),
    commAsset,
    maker: false,
    rPnl,
    posSide,
    time,
    bot: d.bot,
  };
  return { fill };
}

/** @param most maximum number of rows */
export function histories(most = 40): fc.Arbitrary<History> {
  return fc
    .record({
      seed: fc.nat(),
      draws: fc.array(draw, { minLength: 1, maxLength: most }),
      ends: fc.tuple(fc.nat(1_000), fc.nat(1_000)),
    })
    .map(({ seed, draws, ends }) => {
      const sizes: Sizes = new Map();
      let time = 1_000;
      const events = draws.map((one, n) => {
        time += one.wait;
        return eventOf(one, n, time, sizes);
      });
      const span = time - 1_000;
      const [a, b] = ends.map((part) => 1_000 + Math.round((span * part) / 1_000)) as [number, number];
      return { events, prices: pricesOf(seed), from: Math.min(a, b), to: Math.max(a, b) + 1 };
    });
}

type Positions = Map<string, { symbol: keyof typeof SYMBOLS; size: Dec; cost: Dec }>;

/** The holdings of each asset and position before a time, or before one of the events. */
function heldAt(
  { events }: History,
  time: number,
  until = events.length,
): { sums: Map<string, Dec>; positions: Positions } {
  const sums = new Map<string, Dec>();
  const add = (asset: string, amount: Dec) => sums.set(asset, (sums.get(asset) ?? ZERO) + amount);
  const positions: Positions = new Map();
  for (const event of events.slice(0, until)) {
    if ('record' in event) {
      const { kind, asset, amount, symbol, cost = '0' } = event.record;
      if (event.record.time >= time) continue;
      if (kind === 'position')
        positions.set(`${symbol} BOTH`, {
          symbol: symbol as keyof typeof SYMBOLS,
          size: dec(amount),
          cost: dec(cost),
        });
      else add(asset, dec(amount));
      continue;
    }
    const { fill } = event;
    if (fill.time >= time) continue;
    const { base, quote } = SYMBOLS[fill.symbol as keyof typeof SYMBOLS];
    const signed = fill.side === 'BUY' ? dec(fill.qty) : -dec(fill.qty);
    const paid = mul(signed, dec(fill.price));
    add(fill.commAsset, -dec(fill.comm));
    if (fill.exchange === SPOT) {
      add(base, signed);
      add(quote, -paid);
      continue;
    }
    const told = dec(fill.rPnl ?? '0');
    add(quote, told);
    const key = `${fill.symbol} ${fill.posSide}`;
    const before = positions.get(key)?.size ?? ZERO;
    const size = before + signed;
    // Since it was flat, or on the other side: the amount paid for it and not returned as profit.
    const crossed = size === ZERO || (before !== ZERO && before > ZERO !== size > ZERO);
    const cost = crossed ? mul(size, dec(fill.price)) : (positions.get(key)?.cost ?? ZERO) + paid + told;
    positions.set(key, { symbol: fill.symbol as keyof typeof SYMBOLS, size, cost });
  }
  return { sums, positions };
}

function openAt({ prices }: History, positions: Positions, time: number): Dec {
  let open = ZERO;
  for (const { symbol, size, cost } of positions.values()) {
    const inQuote = mul(size, prices.mark(FUTURES, symbol, time) ?? ZERO) - cost;
    open += mul(inQuote, prices.usd(SYMBOLS[symbol].quote, time) ?? ZERO);
  }
  return open;
}

/** Value of wallets and positions after everything before a time, in dollars at the prices of that time. */
export function equityAt(history: History, time: number): Dec {
  const { sums, positions } = heldAt(history, time);
  let equity = openAt(history, positions, time);
  for (const [asset, amount] of sums) equity += mul(amount, history.prices.usd(asset, time) ?? ZERO);
  return equity;
}

/**
 * Deposits minus withdrawals, each at the price of its time; a position that is set counts with its value at
 * that time.
 */
export function depositsOf(history: History): Dec {
  const { events, prices, from, to } = history;
  let deposits = ZERO;
  for (const [n, event] of events.entries()) {
    if (!('record' in event)) continue;
    const { kind, asset, amount, time } = event.record;
    if (time < from || time >= to) continue;
    const isPaid =
      kind === 'transfer' || kind === 'opening' || (kind === 'unexplained' && dec(amount) > ZERO);
    if (isPaid) deposits += mul(dec(amount), prices.usd(asset, time) ?? ZERO);
    if (kind !== 'position') continue;
    const at = (until: number) => openAt(history, heldAt(history, time + 1, until).positions, time);
    deposits += at(n + 1) - at(n);
  }
  return deposits;
}
