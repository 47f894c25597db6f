/** The contract of every adapter, for both accounts of Bybit against the emulator. */
import { describe, expect, it } from 'vitest';
import { changesOrders } from '../contract/changes.ts';
import { keepsLedger, type LedgerExchange } from '../contract/ledger.ts';
import { bybitRig, type Rig } from './bybit-rig.ts';

/** Balances without coins: each coin counts as margin. */
const MONEY = { USDT: '100000', USDC: '100000' };

describe.each([
  ['spot', 'BTCUSDC'],
  ['futures', 'BTCPERP'],
] as const)('changes of what rests on %s', (kind, other) => {
  changesOrders(async () => {
    const rig = bybitRig({ kind, settings: { balances: MONEY } });
    await rig.open();
    await rig.print('60000');
    await rig.print('60000', '1', other);
    const { venue, told, clock, net } = rig;
    return {
      venue,
      symbol: 'BTCUSDT',
      other,
      orders: told.orders,
      fills: told.fills,
      trade: async (price, volume) => {
        await rig.print(price, volume);
        await clock.advance(1_500);
      },
      settle: async (answer) => {
        await clock.advance(20_000);
        return answer;
      },
      lose: (what) => {
        net.loses = { what, paths: /\/(amend|cancel|cancel-all)$/ };
      },
    };
  });
});

describe.each(['spot', 'futures'] as const)('the ledger as %s has it', (kind) => {
  const asExchange = (rig: Rig): LedgerExchange => ({
    venue: rig.venue,
    asset: 'USDT',
    now: () => rig.emulator.now(),
    pay: async (amount) => {
      rig.emulator.transfer('USDT', amount);
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
    const rig = bybitRig({ kind });
    await rig.open();
    return asExchange(rig);
  });
});

describe('its dead-man switch', () => {
  it('is the exchange’s own, which says whether it is on and after how long it acts', async () => {
    for (const [dcp, offer] of [
      [false, { on: false, seconds: null }],
      [true, { on: true, seconds: 40 }],
    ] as const) {
      const rig = bybitRig({ settings: { dcp } });
      await rig.open();
      rig.post('/v5/order/disconnected-cancel-all', { product: 'SPOT', timeWindow: 40 });
      const offered = rig.venue.deadMan?.offered?.();
      expect(offered && (await rig.during(offered))).toEqual(offer);
      expect(rig.venue.deadMan?.arm).toBeUndefined();
      expect(rig.venue.caps.deadMan).toMatchObject({ form: 'exchange' });
    }
  });
});
