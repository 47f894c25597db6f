/** The contract of every adapter, for accounts of OKX against the emulator. */
import { describe } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import type { OkxMarketKind } from '../../../src/venues/okx/account-given.ts';
import { changesOrders } from '../contract/changes.ts';
import { switchesOff } from '../contract/dead-man.ts';
import { keepsLedger, type LedgerExchange } from '../contract/ledger.ts';
import { Rig } from './rig.ts';

const KINDS: readonly (readonly [OkxMarketKind, symbol: string, other: string])[] = [
  ['spot', 'BTC-USDT', 'BTCUSDC'],
  ['swap', 'BTC-USDT-SWAP', 'BTCUSDC'],
];
/** Paths of requests that change resting orders. */
const CHANGES = [
  '/api/v5/trade/amend-order',
  '/api/v5/trade/cancel-batch-orders',
  '/api/v5/trade/cancel-order',
];

describe.each(KINDS)('an account of %s', (kind, instId, other) => {
  const opened = () => new Rig({ kind, settings: { balances: { USDT: '100000', USDC: '100000' } } }).open();

  describe('and changes of what rests', () => {
    changesOrders(async () => {
      const rig = await opened();
      return {
        venue: rig.venue,
        symbol: 'BTCUSDT',
        other,
        orders: rig.orders,
        fills: rig.fills,
        // The emulator counts the traded volume of swaps in contracts of 0.01.
        trade: (price, volume) =>
          rig.trade(instId, price, kind === 'spot' ? volume : String(Number(volume) * 100)),
        settle: async (answer) => {
          const settled = await rig.result(answer);
          await rig.pass(300);
          return settled;
        },
        lose: (what) => {
          rig.net.loses = { what, paths: CHANGES };
        },
      };
    });
  });

  describe('and its dead-man switch', () => {
    switchesOff(async () => {
      const rig = await opened();
      return {
        venue: rig.venue,
        symbol: 'BTCUSDT',
        other,
        get told() {
          return new Map(rig.orders.map(({ clientId, status }) => [clientId, status]));
        },
        pass: (ms) => rig.pass(ms),
        settle: (answer) => rig.result(answer),
        lose: () => {
          rig.net.loses = { what: 'request', paths: ['/api/v5/trade/cancel-all-after'] };
        },
      };
    });
  });

  describe('and its ledger', () => {
    const asExchange = (rig: Rig): LedgerExchange => ({
      venue: rig.venue,
      asset: 'USDT',
      now: () => rig.emulator.now(),
      pay: async (amount) => {
        rig.emulator.exchange.transfer('main', 'USDT', dec(amount));
        await rig.pass(200);
      },
      told: () => rig.moved,
      settle: (answer) => rig.result(answer),
      again: async () => asExchange(await rig.again().open()),
      breakOff: () => {
        rig.net.down = true;
      },
    });
    keepsLedger(async () => asExchange(await opened()));
  });
});
