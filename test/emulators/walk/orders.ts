/** Manual orders of a walk: every type, near the price. */
import type { CreateOrder } from '../../../src/schemas/order.ts';
import type { SoakMarket } from '../soak/venues.ts';
import type { ByHand } from './places.ts';

export type Order = Omit<CreateOrder, 'exchange'>;

/** One order of each type, by a name. */
export function ordersOf(
  market: SoakMarket,
  { symbol, tick, quantity }: ByHand,
  price: number,
): [string, Order][] {
  const at = (factor: number) => (price * factor).toFixed(tick);
  const order = (side: 'BUY' | 'SELL', type: Order['type'], more: Partial<Order> = {}): Order => ({
    symbol,
    side,
    type,
    quantity,
    ...more,
  });
  const goodTillDate = Date.now() + 90_000;
  const both: [string, Order][] = [
    ['MARKET', order('BUY', 'MARKET')],
    ['LIMIT', order('SELL', 'LIMIT', { price: at(1.0005) })],
    ['LIMIT IOC', order('BUY', 'LIMIT', { price: at(1.001), timeInForce: 'IOC' })],
    ['LIMIT FOK', order('SELL', 'LIMIT', { price: at(0.999), timeInForce: 'FOK' })],
    ['LIMIT GTD', order('BUY', 'LIMIT', { price: at(0.9985), timeInForce: 'GTD', goodTillDate })],
    ['LIMIT_MAKER', order('BUY', 'LIMIT_MAKER', { price: at(0.9993) })],
    ['STOP_MARKET', order('SELL', 'STOP_MARKET', { stopPrice: at(0.9992) })],
    ['STOP_LIMIT', order('SELL', 'STOP_LIMIT', { stopPrice: at(0.9993), price: at(0.9985) })],
    ['TAKE_PROFIT_MARKET', order('SELL', 'TAKE_PROFIT_MARKET', { stopPrice: at(1.0007) })],
    ['TAKE_PROFIT_LIMIT', order('SELL', 'TAKE_PROFIT_LIMIT', { stopPrice: at(1.0006), price: at(1.0004) })],
    ['trailing stop', order('SELL', 'STOP_MARKET', { trailingDelta: 10 })],
  ];
  if (market === 'spot')
    return [
      ...both,
      ['MARKET over an amount', { symbol, side: 'BUY', type: 'MARKET', quoteOrderQty: '50' }],
      ['iceberg', order('SELL', 'LIMIT', { price: at(1.0008), icebergQty: String(Number(quantity) / 2) })],
      [
        'trailing stop from a price',
        order('SELL', 'STOP_MARKET', { trailingDelta: 10, activationPrice: at(1.0008) }),
      ],
    ];
  const last = (type: Order['type'], more: Partial<Order>) =>
    order('SELL', type, { workingType: 'CONTRACT_PRICE', reduceOnly: true, ...more });
  // Buys back a short position, and leaves a position that can be reduced.
  const much = String(Number(quantity) * 12);
  return [
    ...both,
    ['MARKET of much', order('BUY', 'MARKET', { quantity: much })],
    ['STOP_MARKET that reduces', last('STOP_MARKET', { stopPrice: at(0.9994) })],
    ['TAKE_PROFIT_MARKET that reduces', last('TAKE_PROFIT_MARKET', { stopPrice: at(1.0006) })],
    ['LIMIT that reduces', order('SELL', 'LIMIT', { price: at(1.0005), reduceOnly: true })],
    ['trailing stop that reduces', last('STOP_MARKET', { trailingDelta: 10 })],
    ['MARKET', order('BUY', 'MARKET')],
    [
      'STOP_MARKET that closes',
      order('SELL', 'STOP_MARKET', { stopPrice: at(0.9993), closePosition: true, quantity: '0' }),
    ],
    ['MARKET of much', order('BUY', 'MARKET', { quantity: much })],
    ['MARKET that closes', order('SELL', 'MARKET', { closePosition: true, quantity: '0' })],
  ];
}
