/** The contract of every adapter, for a USD-M futures account of Binance against the emulator. */
import { describe } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { changesOrders } from '../contract/changes.ts';
import { type ContractsExchange, tradesContracts } from '../contract/contracts.ts';
import { switchesOff } from '../contract/dead-man.ts';
import { keepsLedger, type LedgerExchange } from '../contract/ledger.ts';
import { cancelsOrders, carriesOrders, tellsOrders } from '../contract/orders.ts';
import { futuresRig, type Rig } from './futures-rig.ts';

function asContracts(rig: Rig): ContractsExchange {
  const { venue, told, emulator, clock, net, signed } = rig;
  const advance = () => clock.advance(1_500);
  return {
    venue,
    symbol: 'BTCUSDT',
    orders: told.orders,
    fills: told.fills,
    stream: told.stream,
    positions: told.positions,
    moved: () => told.ledger,
    trade: async (price, volume) => {
      emulator.printFutures('BTCUSDT', price, volume);
      await advance();
    },
    settle: async (answer) => {
      await clock.advance(20_000);
      return answer;
    },
    lose: (what, of) => {
      net.loses = { what, methods: of === 'order' ? ['POST'] : ['DELETE', 'PUT'] };
    },
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
    again: async () => {
      const next = rig.again();
      await next.open();
      return asContracts(next);
    },
    stranger: async () => {
      const order = {
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'GTC',
        price: '49000',
        quantity: '0.02',
      };
      // The mark price must be near it.
      emulator.printFutures('BTCUSDT', '50500');
      const { body } = signed('POST', '/fapi/v1/order', { ...order, newClientOrderId: 'web_1' });
      await advance();
      return String(body.orderId);
    },
    endedElsewhere: async (clientId) => {
      signed('DELETE', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: clientId });
      await advance();
    },
    liquidate: async (side) => {
      emulator.printFutures('BTCUSDT', side === 'LONG' ? '30000' : '90000');
      await advance();
    },
    reduce: async (quantity) => {
      emulator.acts.adl(emulator.futures.account('main'), 'BTCUSDT', 'BOTH', dec(quantity));
      await advance();
    },
  };
}

const contracts = async () => {
  const rig = futuresRig({ futuresBalances: { USDT: '20000', USDC: '100000' } });
  await rig.open();
  return asContracts(rig);
};

describe('orders', () => carriesOrders(contracts));
describe('cancels', () => cancelsOrders(contracts));
describe('what is told', () => tellsOrders(contracts));
describe('contracts', () => tradesContracts(contracts));

describe('changes of what rests', () => {
  changesOrders(async () => {
    const rig = futuresRig({ futuresBalances: { USDT: '100000', USDC: '100000' } });
    await rig.open();
    const { venue, told, emulator, clock, net } = rig;
    return {
      venue,
      symbol: 'BTCUSDT',
      other: 'BTCUSDC',
      orders: told.orders,
      fills: told.fills,
      trade: async (price, volume) => {
        emulator.printFutures('BTCUSDT', price, volume);
        await clock.advance(1_500);
      },
      settle: async (answer) => {
        await clock.advance(20_000);
        return answer;
      },
      lose: (what) => {
        net.loses = { what, methods: ['PUT', 'DELETE'] };
      },
    };
  });
});

describe('its dead-man switch', () => {
  switchesOff(async () => {
    const rig = futuresRig({ futuresBalances: { USDT: '100000', USDC: '100000' } });
    await rig.open();
    const { venue, told, clock, net } = rig;
    return {
      venue,
      symbol: 'BTCUSDT',
      other: 'BTCUSDC',
      get told() {
        return new Map(told.orders.map(({ clientId, status }) => [clientId, status]));
      },
      pass: (ms) => clock.advance(ms),
      settle: (answer) => rig.during(answer),
      lose: () => {
        net.loses = { what: 'request', methods: ['POST'] };
      },
    };
  });
});

describe('its ledger', () => {
  const asExchange = (rig: Rig): LedgerExchange => ({
    venue: rig.venue,
    asset: 'USDT',
    now: () => rig.emulator.now(),
    pay: async (amount) => {
      rig.emulator.futures.transfer('main', 'USDT', dec(amount));
      await rig.clock.advance(10);
    },
    told: () => rig.told.ledger,
    settle: async (answer) => {
      await rig.clock.advance(11_000);
      return answer;
    },
    again: async () => {
      const next = rig.again();
      await next.open();
      return asExchange(next);
    },
    breakOff: () => {
      rig.net.down = true;
    },
  });
  keepsLedger(async () => {
    const rig = futuresRig();
    await rig.open();
    return asExchange(rig);
  });
});
