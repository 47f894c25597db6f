/**
 * Resting LIMIT orders: at half the last price, a little above the smallest notional, one symbol after the
 * other.
 */
import type { DeskState } from '../../src/desk/console/protocol.ts';
import { marketKey } from '../../src/domain/exchange.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';

const NOTIONAL = 6;

export type OrderTemplate = Omit<CreateOrder, 'exchange'> & { readonly exchange: string };

/** Returns one template per symbol. */
export function restingOrders(state: DeskState, exchange = 'paper-spot'): OrderTemplate[] {
  return state.instruments
    .filter(
      (instrument) => instrument.exchange === exchange && state.prices[marketKey('paper', instrument.symbol)],
    )
    .map(({ symbol, tickSize, stepSize }) => {
      const price = floorTo(Number(state.prices[marketKey('paper', symbol)]?.last) / 2, tickSize);
      const quantity = floorTo(NOTIONAL / Number(price) + Number(stepSize), stepSize);
      return { exchange, symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity, price };
    });
}

/** Rounds down to a multiple of a power of ten. */
function floorTo(value: number, unit: string): string {
  const decimals = unit.includes('.') ? unit.length - unit.indexOf('.') - 1 : 0;
  const scale = 10 ** decimals;
  const text = (Math.floor(value * scale) / scale).toFixed(decimals);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
