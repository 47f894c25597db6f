/**
 * The cost of a spot order: what it locks, how much a sum in quote buys, and the fee. Source:
 * binance-spot-api-docs faqs/commission_faq.md.
 */
import { type Dec, dec, div, floorTo, mul, ZERO } from '../../../../src/domain/decimal.ts';
import type { Market, SymbolMarket } from '../market.ts';
import type { SpotAccount } from './exchange.ts';
import { hasLimit, isConditional, type SpotOrder } from './order.ts';
import type { SpotWish } from './rules.ts';

const UNIT = dec('0.00000001');

/** The asset that an order locks, and the largest amount. */
export function needsOf(wish: SpotWish, book: SymbolMarket, market: Market): [string, Dec] {
  if (wish.side === 'SELL') {
    const qty = wish.quoteQty > ZERO ? div(wish.quoteQty, book.last) : wish.qty;
    return [book.spec.base, floorTo(qty, book.step)];
  }
  const { quote } = book.spec;
  if (wish.quoteQty > ZERO) return [quote, wish.quoteQty];
  if (hasLimit(wish.type)) return [quote, mul(wish.qty, wish.price)];
  if (isConditional(wish.type))
    return [quote, mul(wish.qty, wish.stopPrice > ZERO ? wish.stopPrice : book.last)];
  return [quote, mul(wish.qty, market.quotes(book, 'BUY')[0]?.price ?? book.last)];
}

/** The base quantity that an order in quote buys, in whole steps. */
export function quantityFor(book: SymbolMarket, order: SpotOrder, market: Market): Dec {
  let left = order.quoteQty;
  let qty = ZERO;
  const quotes = market.quotes(book, order.side);
  quotes.forEach((quote, i) => {
    const can = floorTo(div(left, quote.price), book.step);
    const taken = i < quotes.length - 1 && quote.qty < can ? quote.qty : can;
    qty += taken;
    left -= mul(taken, quote.price);
  });
  return qty;
}

/** The fee: a share of the received asset, or a quarter less in BNB while there is enough. */
export function commissionOf(
  market: Market,
  account: SpotAccount,
  asset: string,
  amount: Dec,
  value: Dec,
  book: SymbolMarket,
  isMaker: boolean,
): [string, Dec] {
  const rate = isMaker ? account.maker : account.taker;
  const bnb = market.symbols.get(`BNB${book.spec.quote}`)?.last;
  if (account.paysInBnb && bnb) {
    const fee = floorTo(div(mul(mul(value, rate), dec('0.75')), bnb), UNIT);
    if ((account.wallets.get('BNB')?.free ?? ZERO) >= fee) return ['BNB', fee];
  }
  return [asset, floorTo(mul(amount, rate), UNIT)];
}
