/**
 * Reads the orders block: how each side is sent when not in the strategy's own way (strategies.md 2). Pure.
 */
import type { TProperties, TSchema } from 'typebox';
import { ZERO } from '../../domain/decimal.ts';
import { BuyWay as BuySchema, Orders, SellWay as SellSchema } from '../../schemas/bots/blocks.ts';
import type { OrderWay, SellWay } from './compiled.ts';
import type { Fields } from './fields.ts';

/** Reads both sides; null for a side that is not given. */
export function readOrders<P extends TProperties & { readonly orders: TSchema }>(
  f: Fields<P>,
): { buy: OrderWay | null; sell: SellWay | null } {
  const orders = f.group('orders', Orders);
  const buy = orders?.group('buy', BuySchema);
  const sell = orders?.group('sell', SellSchema);
  return {
    buy: buy ? readWay(buy) : null,
    sell: sell ? { ...readWay(sell), priceStrategy: sell.choiceOr('priceStrategy') } : null,
  };
}

function readWay(f: Fields<(typeof BuySchema)['properties']>): OrderWay {
  const type = f.choiceOr('type');
  const worsePercent = f.decimal('price');
  if (type !== 'LIMIT' && worsePercent !== ZERO && f.reads('price', 'type')) {
    f.warn('price', 'has an effect with type LIMIT only');
  }
  return { type, worsePercent, size: f.integer('size') };
}
