/**
 * An exchange whose requests are answered by replicas that lag: no answer overwrites what a later event
 * reported, and events missed in a gap are looked for until every replica must know them.
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../../src/domain/decimal.ts';
import type { ExchangeBalance } from '../../../src/domain/exchange.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { LinkRig, positionOf } from './link-rig.ts';

const LAG_MS = 3_000;
const MINUTE_MS = 60_000;

async function settled(lagMs = LAG_MS): Promise<LinkRig> {
  const rig = new LinkRig('futures', 1, undefined, { settleMs: lagMs });
  await rig.until(rig.core.start());
  await rig.clock.advance(MINUTE_MS);
  rig.venue.calls = [];
  return rig;
}
const usdt = (free: string, time?: number): ExchangeBalance[] => [
  { asset: 'USDT', free, locked: '0', ...(time === undefined ? {} : { time }) },
];
const memory = (rig: LinkRig) => rig.core.engine.memory.account(rig.venue.account.id);
const held = (rig: LinkRig) => ({
  usdt: str(memory(rig).wallet.balances.get('USDT')?.free ?? -1n),
  btc: memory(rig).futures?.positions.get('BTCUSDT BOTH')?.amount ?? '0',
});

describe('an answer of a replica that lags', () => {
  // proves: S58
  it('takes neither balance nor position back to before an event that was heard just before the question', async () => {
    const rig = await settled();
    rig.venue.sink?.balances(usdt('700', 20_000));
    rig.venue.sink?.positions?.([positionOf('BTCUSDT', '0.5', 20_000)]);
    rig.venue.balancesAre = async () => usdt('1000', 10_000);
    await rig.clock.advance(LAG_MS - 1);
    await rig.until(rig.link.reconcile());
    expect(held(rig)).toEqual({ usdt: '700', btc: '0.5' });
    // A second later the account is asked again, and by then all replicas know of the event.
    await rig.clock.advance(1_000);
    expect(held(rig)).toEqual({ usdt: '1000', btc: '0' });
  });

  it('counts at once where replicas do not lag', async () => {
    const rig = await settled(0);
    rig.venue.sink?.balances(usdt('700', 20_000));
    rig.venue.sink?.positions?.([positionOf('BTCUSDT', '0.5', 20_000)]);
    rig.venue.balancesAre = async () => usdt('1000', 10_000);
    await rig.until(rig.link.reconcile());
    expect(held(rig)).toEqual({ usdt: '1000', btc: '0' });
  });

  // proves: S58
  it('does not take back a leverage that was just set', async () => {
    const rig = await settled();
    const { account } = rig.venue;
    const info = { symbol: 'BTCUSDT', side: 'BOTH', marginType: 'CROSSED', realizedPnl: '0' } as const;
    if (rig.venue.futures) rig.venue.futures.leverage = async () => [{ ...info, leverage: 20 }];
    const setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 7 } as const;
    const command = { type: 'setting', exchange: account.id, setting } as const;
    await rig.until(rig.core.execute(OPERATOR, command, { requestId: 'r' }));
    await rig.clock.settle();
    const leverage = () => memory(rig).futures?.leverage.of('BTCUSDT')?.leverage;
    expect(leverage()).toBe(7);
    await rig.clock.advance(LAG_MS);
    expect(leverage()).toBe(20);
  });
});

describe('a gap', () => {
  it('is followed by comparisons until no replica can lag behind it; entries do not wait for these', async () => {
    const rig = await settled();
    rig.venue.sink?.stream('gap');
    await rig.clock.settle();
    expect(rig.venue.asked('balances')).toBe(1);
    expect(memory(rig).link.gap).toBe(false);
    const asked: number[] = [];
    for (let s = 1; s <= 20; s++) {
      await rig.clock.advance(1_000);
      if (rig.venue.asked('balances') > 0) asked.push(s);
    }
    expect(asked).toEqual([1, 3]);
  });

  it('is over with one comparison where replicas do not lag', async () => {
    const rig = await settled(0);
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(MINUTE_MS);
    expect(rig.venue.asked('balances')).toBe(1);
  });
});
