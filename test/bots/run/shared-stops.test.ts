/**
 * The stop and the target of one lot on futures: both rest where the run is alone, one at a time where others
 * share the position, from the moment that this is so (strategies.md, R13).
 */
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { Lonely } from './lonely.ts';

const STOP = {
  strategy: 'price_percent_buy',
  trigger: { type: 'exchange', value: '2' },
  order: { type: 'MARKET' },
  complete: true,
};

/** A run that holds a lot bought at 45,000; `shared` from its start on. */
function held(shared: boolean, short = false, exchange = 'paper-futures') {
  const settings = {
    exchange,
    short,
    stop: [STOP],
    scale: { orders: 0, step: '1', takeProfit: '1' },
  };
  const lonely = new Lonely('SCALE', settings, '45000');
  lonely.shared = shared;
  const [entry] = lonely.placed() as [RunOrder];
  lonely.change({ key: entry.key, kind: 'accepted' });
  lonely.part(entry, entry.qty, '45000');
  const orders = new Map<string, RunOrder>();
  const words = () =>
    lonely.asked().flatMap((one) => {
      if (one.do === 'cancel') return [`cancel ${orders.get(one.key)?.slot}`];
      if (one.do !== 'place') return [];
      orders.set(one.order.key, one.order);
      lonely.change({ key: one.order.key, kind: 'accepted' });
      return [`${one.order.slot} ${one.order.type} ${one.order.reduceOnly}`];
    });
  const one = (slot: string) =>
    [...lonely.run.slots.orders()].find((order) => order.slot === slot) as RunOrder;
  return {
    lonely,
    words,
    one,
    share: (isShared: boolean) => {
      lonely.shared = isShared;
      lonely.run.input({ type: 'position', lost: null });
      return words();
    },
  };
}

describe.each([false, true])('short %s: the stop of a lot', (short) => {
  const [stops, beyond] = short ? ['45900', '45901'] : ['44100', '44099'];

  it('rests beside its target while the run is alone', () => {
    const h = held(false, short);
    expect(h.words()).toEqual(['exit LIMIT true', 'stop:0 STOP_MARKET true']);
    expect(h.share(false)).toEqual([]);
  });

  it('is taken from the exchange when others come, sells at its price, and rests again when they have gone', () => {
    const h = held(false, short);
    h.words();
    expect(h.share(true)).toEqual(['cancel stop:0']);
    h.lonely.change({ key: h.one('stop:0').key, kind: 'ended' });
    expect(h.words()).toEqual([]);
    expect(h.share(true)).toEqual([]);
    h.lonely.tick('45100');
    expect(h.words()).toEqual([]);
    expect(h.share(false)).toEqual(['stop:0 STOP_MARKET true']);
    // A second time.
    expect(h.share(true)).toEqual(['cancel stop:0']);
    h.lonely.change({ key: h.one('stop:0').key, kind: 'ended' });
    expect(h.words()).toEqual([]);
    h.lonely.tick(stops as string);
    expect(h.words()).toEqual(['cancel exit']);
    h.lonely.change({ key: h.one('exit').key, kind: 'ended' });
    expect(h.words()).toEqual(['stop:0 MARKET true']);
  });

  it.each([false, true])(
    'that is held sells once at its price, after its target is taken back; restart %s',
    (again) => {
      const h = held(true, short);
      expect(h.words()).toEqual(['exit LIMIT true']);
      if (again) h.lonely.again((state) => decodeState(encodeState(state)));
      h.lonely.tick(short ? '45899' : '44101');
      expect(h.words()).toEqual([]);
      h.lonely.tick(beyond as string);
      expect(h.words()).toEqual(['cancel exit']);
      h.lonely.tick(beyond as string);
      expect(h.words()).toEqual([]);
      const exit = h.one('exit');
      h.lonely.part(exit, exit.qty / 2n, '45450');
      h.lonely.change({ key: exit.key, kind: 'ended' });
      expect(h.words()).toEqual(['stop:0 MARKET true']);
      expect(h.one('stop:0').qty).toBe(exit.qty - exit.qty / 2n);
    },
  );

  it('whose target has sold all before its cancel sells nothing', () => {
    const h = held(true, short);
    h.words();
    h.lonely.tick(beyond as string);
    h.words();
    const exit = h.one('exit');
    h.lonely.part(exit, exit.qty, '45450');
    h.lonely.change({ key: exit.key, kind: 'ended' });
    expect([h.words(), h.lonely.run.lots.open]).toEqual([[], []]);
  });

  it('that has been triggered at the exchange takes its target back when that is told', () => {
    const h = held(false, short);
    h.words();
    const stop = h.one('stop:0');
    h.lonely.change({ key: stop.key, kind: 'triggered' });
    expect(h.words()).toEqual(['cancel exit']);
    h.lonely.change({ key: stop.key, kind: 'triggered' });
    expect(h.words()).toEqual([]);
    h.lonely.part(stop, stop.qty, beyond as string);
    h.lonely.change({ key: h.one('exit').key, kind: 'ended' });
    expect([h.words(), h.lonely.run.lots.open]).toEqual([[], []]);
  });

  it('that the exchange refuses because its price is passed sells at once', () => {
    const h = held(false, short);
    h.words();
    const stop = h.one('stop:0');
    h.lonely.change({ key: stop.key, kind: 'rejected', reason: 'passed', why: 'passed', sent: true });
    expect(h.words()).toEqual(['cancel exit']);
    h.lonely.change({ key: h.one('exit').key, kind: 'ended' });
    expect(h.words()).toEqual(['stop:0 MARKET true']);
  });
});

it('on spot the stop is held beside its target, whoever else trades there', () => {
  for (const shared of [false, true]) {
    const h = held(shared, false, 'paper-spot');
    expect(h.words()).toEqual(['exit LIMIT false']);
    h.lonely.tick('44100');
    expect(h.words()).toEqual(['cancel exit']);
    h.lonely.change({ key: h.one('exit').key, kind: 'ended' });
    expect(h.words()).toEqual(['stop:0 MARKET false']);
  }
});
