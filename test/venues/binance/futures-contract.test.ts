/** What every adapter must do, done by a USD-M futures account of Binance against the emulator. */
import { describe } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { changesOrders } from '../contract/changes.ts';
import { switchesOff } from '../contract/dead-man.ts';
import { keepsLedger, type LedgerExchange } from '../contract/ledger.ts';
import { futuresRig, type Rig } from './futures-rig.ts';

describe('changes of what rests', () => {
  changesOrders(async () => {
    const rig = futuresRig({ futuresBalances: { USDT: '100000', USDC: '100000' } });
    await rig.open();
    const { venue, told, emulator, clock, net } = rig;
    return {
      ...{ venue, symbol: 'BTCUSDT', other: 'BTCUSDC', orders: told.orders, fills: told.fills },
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
      ...{ venue, symbol: 'BTCUSDT', other: 'BTCUSDC' },
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
