/** Orders of the scripted desk. */
import type { OrderView } from '../../../src/domain/order.ts';
import { NOON } from './some-market.ts';

export function order(id: string, change: Partial<OrderView> = {}): OrderView {
  return {
    id,
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    status: 'OPENED',
    positionSide: 'BOTH',
    price: '60500.00',
    stopPrice: null,
    fillPrice: null,
    origQty: '0.5',
    executedQty: '0',
    reduceOnly: false,
    closePosition: false,
    trailing: null,
    isContract: false,
    isWorking: true,
    creator: 'UI',
    creatorId: 'operator',
    metadata: '',
    specific: {},
    orderTime: NOON - 60_000,
    timeInForce: 'GTC',
    createdAt: NOON - 60_000,
    updatedAt: NOON - 60_000,
    cancelPending: false,
    ...change,
  };
}

export function someOrders(): Record<string, OrderView> {
  const list = [
    order('oc-7f3k2m9q1a2b', {}),
    order('oc-7f3k2m9q1a2c', {
      symbol: 'ETHUSDT',
      side: 'SELL',
      price: '3205.00',
      origQty: '4.2',
      executedQty: '1.3',
      fillPrice: '3205.00',
      orderTime: NOON - 400_000,
      creator: 'API',
      creatorId: 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg',
    }),
    order('oc-7f3k2m9q1a2d', {
      symbol: 'SOLUSDT',
      side: 'SELL',
      type: 'STOP_MARKET',
      status: 'NEW',
      price: undefined,
      stopPrice: '139.50',
      origQty: '25',
      exchange: 'paper-futures',
      isContract: true,
      isWorking: false,
      reduceOnly: true,
      orderTime: NOON - 900_000,
      text: 'held by the engine until 139.50',
    }),
    order('oc-7f3k2m9q1a2e', {
      symbol: 'XRPUSDT',
      status: 'NEW',
      isWorking: false,
      price: '0.5990',
      origQty: '8000',
      orderTime: NOON - 4_000,
      unresolved: {
        since: NOON - 4_000,
        cause: 'timeout after 5 s',
        asked: 2,
        nextAskAt: NOON + 1_000,
        settlesAt: NOON + 9_000,
      },
    }),
    order('oc-7f3k2m9q1a2f', {
      symbol: 'BNBUSDT',
      type: 'MARKET',
      status: 'CLOSED',
      price: undefined,
      fillPrice: '611.02',
      origQty: '3',
      executedQty: '3',
      isWorking: false,
      orderTime: NOON - 1_200_000,
    }),
    order('oc-7f3k2m9q1a2g', {
      symbol: 'ADAUSDT',
      status: 'CANCELLED',
      price: '0.7000',
      origQty: '1500',
      isWorking: false,
      orderTime: NOON - 2_200_000,
      text: 'cancelled by operator',
    }),
  ];
  return Object.fromEntries(list.map((entry) => [entry.id, entry]));
}
