/** The contract of every adapter, for a spot account of Binance against the emulator. */
import { describe } from 'vitest';
import { cancelsAll, changesToLess } from '../contract/changes.ts';
import { cancelsOrders, carriesOrders, type OrderedExchange, tellsOrders } from '../contract/orders.ts';
import { SpotCase } from './spot-support.ts';

const SETTLED_MS = 20_000;

function asExchange(x: SpotCase): OrderedExchange & { readonly other: string } {
  const { emulator, clock, net } = x;
  const trade = async (price: string, volume: string) => {
    emulator.printSpot('BTCUSDT', price, volume);
    await clock.advance(1_500);
  };
  return {
    venue: x.venue,
    symbol: 'BTCUSDT',
    other: 'BTCUSDC',
    orders: x.states,
    fills: x.fills,
    stream: x.stream,
    trade,
    settle: async (answer) => {
      await clock.advance(SETTLED_MS);
      return answer;
    },
    lose: (what, of) => x.lose(what, of === 'order' ? ['POST'] : ['DELETE', 'PUT']),
    events: (how) => {
      net.faults =
        how === 'twice' ? { duplicate: 1 } : how === 'swapped' ? { swapped: 0.5, delayMs: [1, 20] } : {};
    },
    broken: async (meanwhile) => {
      net.faults = { socketRefused: 1 };
      net.cut('read ECONNRESET');
      await meanwhile();
      net.faults = {};
      await clock.advance(60_000);
    },
    again: async () => asExchange(await x.again().open()),
    stranger: async () => {
      const order = {
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'GTC',
        price: '49000',
        quantity: '0.02',
      };
      const { body } = x.ask('POST', '/api/v3/order', { ...order, newClientOrderId: 'web_1' });
      await clock.advance(1_500);
      return String(body.orderId);
    },
    endedElsewhere: async (clientId) => {
      x.ask('DELETE', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: clientId });
      await clock.advance(1_500);
    },
  };
}

const open = async () =>
  asExchange(await new SpotCase({ settings: { spotBalances: { USDT: '100000', USDC: '100000' } } }).open());

describe('orders', () => carriesOrders(open));
describe('cancels', () => cancelsOrders(open));
describe('what is told', () => tellsOrders(open));

const changing = async () => {
  const x = await open();
  return { ...x, lose: (what: 'request' | 'answer') => x.lose(what, 'cancel') };
};

describe('a cancel of all of a symbol', () => cancelsAll(changing));
describe('changes of what rests', () => changesToLess(changing));
