/** What holds of orders at the rough exchange beyond what holds of all: no price of another market moves them. */
import type { OrderRecord } from '../../../src/domain/order.ts';
import { triggersAbove } from '../../../src/engine/validate.ts';
import type { Violate } from '../checks.ts';
import type { RoughExchange } from './rough-exchange.ts';

/** A stop that was held here is sent now: the price that was told last of its own market meets it. */
export function checkFired(rough: RoughExchange, order: OrderRecord, violate: Violate): void {
  const { id, symbol, side, type, emulated, trailing, stopPrice } = order;
  if (!emulated || trailing || stopPrice === undefined) return;
  const stop = Number(stopPrice);
  const prices = rough.told.get(symbol) ?? [];
  const met = prices.some((price) => (triggersAbove(type, side) ? price >= stop : price <= stop));
  if (!met) violate(13, `${id} fired at ${stopPrice} where ${symbol} on its market was ${prices.join(', ')}`);
}
