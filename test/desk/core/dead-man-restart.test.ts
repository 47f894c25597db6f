/** What a desk does about the countdowns of its dead-man switch that run at the exchange since an earlier life. */
import { describe, expect, it } from 'vitest';
import { OPERATOR } from '../../engine/support/market.ts';
import { EACH, switched } from './dead-man-support.ts';

describe('after the death of the process', () => {
  it('nothing is asked of an account that cannot be opened, and what runs is renewed as soon as it is', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    await first.rig.clock.settle();
    let isReached = false;
    const second = await switched(EACH, first.rig, (rig) => {
      const open = rig.venue.open.bind(rig.venue);
      rig.venue.open = async (sink) => {
        if (!isReached) throw new Error('no route, says the test');
        await open(sink);
      };
    });
    await second.set(30);
    await second.rig.clock.advance(1_000);
    expect([second.rig.link.away, second.asked()]).toEqual(['no route, says the test', []]);
    isReached = true;
    await second.rig.clock.advance(2_000);
    expect([second.rig.link.away, second.asked()]).toEqual([null, ['3 BTCUSDT 30']]);
  });

  it('what runs is renewed at once, and taken back where nothing is open any more', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    const end = await first.enter('S1USDT');
    await first.rig.clock.advance(6_000);
    end();
    await first.rig.clock.settle();
    const second = await switched(EACH, first.rig);
    expect(second.asked()).toEqual(['0 BTCUSDT 20', '0 S1USDT 0']);
    expect(second.view().symbols).toEqual(['BTCUSDT']);
    await second.rig.clock.advance(5_000);
    expect(second.asked()).toEqual(['5 BTCUSDT 20']);
  });

  it('what is known of a lapse is no countdown: nothing is asked about it, and what ended in it is known', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    const end = first.rig.clock.wall() + 20_000;
    first.line.arm = async () => ({ kind: 'unknown', cause: 'no answer' });
    await first.rig.clock.advance(22_000);
    first.line.arm = async () => ({ kind: 'done' });
    await first.rig.clock.advance(4_000);
    await first.set(null);
    await first.rig.clock.advance(10_000);
    first.rig.core.turn.flush(true);
    const second = await switched(EACH, first.rig);
    expect([second.asked(), second.view().running]).toEqual([[], false]);
    const [order] = second.rig.orders;
    const { id: clientId = '', symbol = '' } = order ?? {};
    const state = { clientId, symbol, origQty: '0.01', cumQty: '0', seq: 9 } as const;
    second.rig.venue.sink?.order({ ...state, status: 'CANCELLED', time: end + 500 });
    await second.rig.clock.settle();
    expect(second.rig.orders[0]?.text).toContain('ended by the dead-man switch');
  });

  it('what was switched off meanwhile is taken back, and what was taken back is not asked about', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    await first.set(null);
    await first.rig.clock.advance(5_000);
    first.rig.core.turn.flush(true);
    expect(first.asked()).toEqual(['0 BTCUSDT 20', '0 BTCUSDT 0']);
    const off = { type: 'guards', exchange: 'said-spot', change: { deadManSeconds: null } } as const;
    const second = await switched(EACH, first.rig);
    expect(second.asked()).toEqual([]);
    await second.set(30);
    await second.rig.until(second.rig.core.execute(OPERATOR, off, { requestId: 'r' }));
    expect(second.asked()).toEqual(['0 BTCUSDT 30']);
    const third = await switched(EACH, second.rig);
    expect(third.asked()).toEqual(['0 BTCUSDT 0']);
    expect(third.view().running).toBe(false);
  });

  it('an order that ended after its countdown was ended by the switch, and one before it was not', async () => {
    const first = await switched();
    await first.set(20);
    await first.enter();
    await first.enter('S1USDT');
    first.rig.core.turn.flush(true);
    await first.rig.clock.advance(5_000);
    // The renewals of the next lives are not heard.
    const second = await switched(EACH, first.rig);
    second.line.arm = async () => ({ kind: 'unknown', cause: 'no answer' });
    const state = ({ id, symbol }: { id: string; symbol: string }) =>
      ({ clientId: id, symbol, origQty: '0.01', cumQty: '0', seq: 9, status: 'CANCELLED' }) as const;
    const [btc, s1] = second.rig.orders;
    await second.rig.clock.advance(10_000);
    if (btc) second.rig.venue.sink?.order({ ...state(btc), time: second.rig.clock.wall() });
    await second.rig.clock.advance(13_000);
    if (s1) second.rig.venue.sink?.order({ ...state(s1), time: second.rig.clock.wall() });
    await second.rig.clock.settle();
    const texts = [btc, s1].map((order) => second.rig.core.engine.memory.orders.get(order?.id ?? '')?.text);
    expect(texts).toEqual(['cancelled', expect.stringContaining('ended by the dead-man switch')]);
  });
});
