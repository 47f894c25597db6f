/**
 * The market of all instruments, spot and swaps: names in OKX's words, the made-up book in units of `sz`, the
 * price bands.
 */
import { type Dec, dec, div, mul, ONE, roundTo, str, ZERO } from '../../../src/domain/decimal.ts';
import { type MarketOf, PrintedMarket, type Quote } from '../kit/market.ts';
import { type InstrumentSpec, unitOf } from './instruments.ts';
import { type InstType, Refusal } from './wire.ts';

export type Instrument = MarketOf<InstrumentSpec>;

const LEVELS = 10;

export class OkxMarket extends PrintedMarket<InstrumentSpec> {
  readonly #levelNotional: Dec;

  constructor(specs: readonly InstrumentSpec[], now: () => number, levelNotional: Dec) {
    super({ symbols: specs, now, levelNotional });
    this.#levelNotional = levelNotional;
  }

  protected override unknownSymbol(): Error {
    return new Refusal('51001', "Instrument ID, Instrument ID code or Spread ID doesn't exist.");
  }

  override priceText(_: Instrument, price: Dec): string {
    return str(price);
  }

  ofType(type: InstType): Instrument[] {
    return [...this.symbols.values()].filter(({ spec }) => spec.instType === type);
  }

  override quotes(m: Instrument, takerSide: 'BUY' | 'SELL'): Quote[] {
    const quotes: Quote[] = [];
    for (let level = 1; level <= LEVELS; level++) {
      const away = m.tick * BigInt(level);
      const price = takerSide === 'BUY' ? m.mid + away : m.mid - away;
      if (price <= ZERO) break;
      const qty = roundTo(div(this.#levelNotional, mul(price, unitOf(m.spec))), m.step);
      quotes.push({ price, qty: qty > ZERO ? qty : m.step });
    }
    return quotes;
  }

  /** The highest buy price and the lowest sell price (`price-limit`). */
  bands(m: Instrument): { buy: Dec; sell: Dec } {
    const band = dec(m.spec.band);
    return {
      buy: roundTo(mul(m.mid, ONE + band), m.tick),
      sell: roundTo(mul(m.mid, ONE - band), m.tick),
    };
  }

  /** A currency's price in USD; zero: unknown. */
  usd(ccy: string): Dec {
    if (ccy === 'USDT' || ccy === 'USDC' || ccy === 'USD') return ONE;
    return this.symbols.get(`${ccy}-USDT`)?.last ?? ZERO;
  }

  /** Value of that many units of `sz`, in quote. */
  value(m: Instrument, size: Dec, price: Dec): Dec {
    return mul(mul(size, unitOf(m.spec)), price);
  }
}
