/** Bybit's markets: prices of one category, written with the decimals of the symbol's tick and step. */
import { type Dec, fixed } from '../../../src/domain/decimal.ts';
import { type MarketOf, type MarketOptions, PrintedMarket } from '../kit/market.ts';
import { bad } from './params.ts';
import { type SymbolSpec, writtenPlaces } from './symbols.ts';
import { type Category, Refusal } from './wire.ts';

export type SymbolMarket = MarketOf<SymbolSpec>;

export class Market extends PrintedMarket<SymbolSpec> {
  readonly category: Category;

  constructor(o: MarketOptions<SymbolSpec> & { readonly category: Category }) {
    super(o);
    this.category = o.category;
  }

  priceText(market: SymbolMarket, price: Dec): string {
    return fixed(price, writtenPlaces(market.spec.tick));
  }

  qtyText(market: SymbolMarket, qty: Dec): string {
    return fixed(qty, writtenPlaces(market.spec.step));
  }

  protected unknownSymbol(): Error {
    return this.category === 'spot' ? new Refusal(170121, 'Invalid symbol.') : bad('symbol invalid');
  }
}
