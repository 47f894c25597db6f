/**
 * Prices of one kind of market: prints of other people's trades, candles, marks and a book of made-up depth
 * around the last price. It moves only by given prints; code that depends on them (fills, triggers, stream
 * messages) is called from here.
 */
import { type Dec, dec, div, mul, roundTo, ZERO } from '../../../src/domain/decimal.ts';
import { CandleStore } from './candles.ts';

export interface Print {
  readonly symbol: string;
  readonly id: number;
  readonly price: Dec;
  readonly qty: Dec;
  readonly time: number;
  /** Whether the buyer's order was the resting one. */
  readonly buyerIsMaker: boolean;
  /** Whether the trade is of an account of the emulator, which leaves the made-up book unchanged. */
  readonly own: boolean;
}

export interface Quote {
  readonly price: Dec;
  readonly qty: Dec;
}

/** The part of a symbol that the market itself needs. */
export interface TradedSymbol {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  /** Price at the start. */
  readonly price: string;
  readonly tick: string;
  readonly step: string;
}

export interface MarketOf<S extends TradedSymbol> {
  spec: S;
  tick: Dec;
  step: Dec;
  last: Dec;
  /** Middle of the made-up book: only other people's prints move it. */
  mid: Dec;
  mark: Dec;
  index: Dec;
  fundingRate: Dec;
  nextFunding: number;
  updateId: number;
  tradeId: number;
  time: number;
  readonly prints: Print[];
  readonly candles: CandleStore;
}

export interface MarketOptions<S extends TradedSymbol> {
  readonly symbols: readonly S[];
  readonly now: () => number;
  /** Value of one level of the book, in quote; a taker goes level by level, and the tenth is unlimited. */
  readonly levelNotional: Dec;
}

const PRINTS_KEPT = 2000;
const LEVELS = 10;
const EIGHT_HOURS = 28_800_000;

/** The market; each exchange has its own refusal of an unknown symbol. */
export abstract class PrintedMarket<S extends TradedSymbol> {
  readonly #o: MarketOptions<S>;
  readonly symbols = new Map<string, MarketOf<S>>();
  /** Called for every print, in order. */
  onPrint: (market: MarketOf<S>, print: Print) => void = () => {};
  /** Called for every new mark price. */
  onMark: (market: MarketOf<S>) => void = () => {};

  constructor(o: MarketOptions<S>) {
    this.#o = o;
    for (const spec of o.symbols) this.add(spec);
  }

  protected abstract unknownSymbol(symbol: string): Error;

  /** Writes a price as the exchange does. */
  abstract priceText(market: MarketOf<S>, price: Dec): string;

  add(spec: S): MarketOf<S> {
    const now = this.#o.now();
    const tick = dec(spec.tick);
    const price = dec(spec.price);
    const market: MarketOf<S> = {
      spec,
      tick,
      step: dec(spec.step),
      last: price,
      mid: price,
      mark: price,
      index: price,
      fundingRate: dec('0.0001'),
      nextFunding: (Math.floor(now / EIGHT_HOURS) + 1) * EIGHT_HOURS,
      updateId: 1_000_000,
      tradeId: 1_000,
      time: now,
      prints: [],
      candles: new CandleStore(price, tick, dec(spec.step), now),
    };
    this.symbols.set(spec.symbol, market);
    return market;
  }

  /** Returns a symbol; throws the exchange's refusal of an unknown one. */
  of(symbol: string): MarketOf<S> {
    const market = this.symbols.get(symbol);
    if (!market) throw this.unknownSymbol(symbol);
    return market;
  }

  /** Changes filters or status, while everything goes on. */
  change(symbol: string, change: Partial<S>): void {
    const market = this.of(symbol);
    market.spec = { ...market.spec, ...change };
    market.tick = dec(market.spec.tick);
    market.step = dec(market.spec.step);
  }

  /** Prints a trade. `own`: of an account, which leaves the book unchanged. */
  print(symbol: string, price: Dec, qty: Dec, buyerIsMaker: boolean, own = false): Print {
    const market = this.of(symbol);
    const time = this.#o.now();
    const print = { symbol, id: ++market.tradeId, price, qty, time, buyerIsMaker, own };
    market.last = price;
    market.updateId++;
    market.time = time;
    if (!own) market.mid = price;
    market.prints.push(print);
    if (market.prints.length > PRINTS_KEPT * 2) market.prints.splice(0, PRINTS_KEPT);
    market.candles.add(price, qty, !buyerIsMaker, print.id, time);
    this.onPrint(market, print);
    return print;
  }

  setMark(symbol: string, mark: Dec, index = mark): void {
    const market = this.of(symbol);
    market.mark = mark;
    market.index = index;
    this.onMark(market);
  }

  /** The levels that a taker of this side meets, best first; the last one is unlimited. */
  quotes(market: MarketOf<S>, takerSide: 'BUY' | 'SELL'): Quote[] {
    const quotes: Quote[] = [];
    for (let level = 1; level <= LEVELS; level++) {
      const away = market.tick * BigInt(level);
      const price = takerSide === 'BUY' ? market.mid + away : market.mid - away;
      if (price <= ZERO) break;
      const qty = roundTo(div(this.#o.levelNotional, price), market.step);
      quotes.push({ price, qty: qty > ZERO ? qty : market.step });
    }
    return quotes;
  }

  /** Weighted mean price of the last minutes: price and notional filters use it. */
  average(market: MarketOf<S>, minutes: number): Dec {
    const since = this.#o.now() - minutes * 60_000;
    let sum = ZERO;
    let qty = ZERO;
    for (let i = market.prints.length - 1; i >= 0; i--) {
      const print = market.prints[i] as Print;
      if (print.time < since) break;
      sum += mul(print.price, print.qty);
      qty += print.qty;
    }
    return qty > ZERO ? div(sum, qty) : market.last;
  }
}
