/** Events as the service sends them. */
import type { Order } from '../../src/schemas/order.ts';

export const ORDER: Order = {
  id: 'ps-1',
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  status: 'NEW',
  positionSide: 'BOTH',
  price: '50000',
  stopPrice: null,
  fillPrice: null,
  origQty: '0.01',
  executedQty: '0',
  reduceOnly: false,
  closePosition: false,
  trailing: null,
  isContract: false,
  isWorking: false,
  creator: 'API',
  creatorId: '0123abcd',
  metadata: '',
  specific: {},
  orderTime: 1_760_000_000_000,
};

export function orderUpdate(changes: Partial<Order> = {}, ts = 1) {
  const data = { event: 'ORDER_UPDATE', order: { ...ORDER, ...changes } } as const;
  return { op: 'update.orders', channel: 'orders', ts, data } as const;
}

export function balanceUpdate(exchange: string, ts = 1) {
  const changes = { USDT: { free: '1', wallet: '1', locked: '0' } };
  const data = { event: 'BALANCE_UPDATE', exchange, marketType: 'spot', changes } as const;
  return { op: 'update.balance', channel: 'balance', ts, data } as const;
}

export function positionsUpdate(exchange: string, ts = 1) {
  const changes = { BTCUSDT: { symbol: 'BTCUSDT', side: 'BOTH', amount: '1' } } as const;
  const data = { event: 'POSITION_UPDATE', exchange, changes } as const;
  return { op: 'update.positions', channel: 'positions', ts, data } as const;
}

export function botUpdate(exchange: string, ts = 1) {
  const bot = { id: 'b1', type: 'FIBO', status: 'STARTED', exchange };
  return { op: 'update.botStatus', channel: 'botStatus', ts, data: { event: 'BOT_STARTED', bot } } as const;
}
