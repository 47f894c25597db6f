/** Binance's markets: prices of one kind, written with the decimals of spot or of futures. */
import { type Dec, fixed } from '../../../src/domain/decimal.ts';
import { type MarketOf, type MarketOptions, PrintedMarket } from '../kit/market.ts';
import { placesOf, type SymbolSpec } from './symbols.ts';
import { type Kind, Refusal } from './wire.ts';

export type SymbolMarket = MarketOf<SymbolSpec>;

export class Market extends PrintedMarket<SymbolSpec> {
  readonly kind: Kind;

  constructor(o: MarketOptions<SymbolSpec> & { readonly kind: Kind }) {
    super(o);
    this.kind = o.kind;
  }

  priceText(market: SymbolMarket, price: Dec): string {
    return this.kind === 'spot' ? fixed(price, 8) : fixed(price, placesOf(market.spec.tick) || 1);
  }

  qtyText(market: SymbolMarket, qty: Dec): string {
    return this.kind === 'spot' ? fixed(qty, 8) : fixed(qty, placesOf(market.spec.step));
  }

  protected unknownSymbol(): Error {
    return new Refusal(-1121, 'Invalid symbol.');
  }
}
