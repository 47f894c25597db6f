/**
 * A stop entry that cannot rest because the price has passed its stop: the run's actions, notices and memory
 * (strategies.md R2).
 */
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { Lonely } from './lonely.ts';

function bracket(price: string, changes: Record<string, unknown> = {}): Lonely {
  const entry = { type: 'STOP_MARKET', stopPrice: '46000' };
  const ways = { takeProfit: { percent: '2' }, stopLoss: { percent: '2' } };
  return new Lonely('BRACKET', { entry, ...ways, ...changes }, price);
}

const PASSED = {
  do: 'notice',
  level: 1,
  text: 'entry: the price has passed its stop of 46000; it is placed once the price is below it',
};

// proves: bot ruling R2
describe('a stop entry that has been passed', () => {
  it('waits with one notice, and asks for nothing until the price is back', () => {
    const lonely = bracket('46500');
    expect(lonely.asked()).toEqual([PASSED]);
    lonely.tick('46000');
    lonely.tick('47000');
    lonely.wait(3_600_000);
    expect(lonely.touched()).toEqual([]);
    lonely.tick('45999.99');
    expect(lonely.placed()).toMatchObject([{ type: 'STOP_MARKET', side: 'BUY' }]);
    expect(lonely.touched()).toEqual([]);
  });

  it('needs no tick above the price that it waits for, and each one below', () => {
    const lonely = bracket('46500');
    // The candle of the start is over, and all its ticks were played.
    lonely.wait(60_000);
    lonely.tick('46500');
    const { run } = lonely;
    expect(run.wakeBounds()?.ticks).toEqual({ below: dec('46000'), above: null });
    expect(run.wantsTick(dec('46001'))).toBe(false);
    expect(run.wantsTick(dec('45999'))).toBe(true);
  });

  it('still waits when the run is read again from what is stored', () => {
    const lonely = bracket('46500').again((state) => decodeState(encodeState(state)));
    expect(lonely.touched()).toEqual([]);
    lonely.tick('46200');
    expect(lonely.asked()).toEqual([]);
    lonely.tick('45900');
    expect(lonely.placed()).toMatchObject([{ type: 'STOP_MARKET' }]);
  });

  it('waits as well when it is the exchange that says so: it is no refusal that counts', () => {
    const lonely = bracket('45000');
    let [order] = lonely.placed() as [RunOrder];
    // The price here lags behind the exchange's: the entry is tried again after 1, 5, 30 and 30 s, and this
    // is reported once.
    for (const seconds of [1, 5, 30, 30, 30]) {
      lonely.change({ key: order.key, kind: 'rejected', reason: 'too late', why: 'passed', sent: true });
      lonely.wait(seconds * 1_000 - 1);
      expect(lonely.asked().filter((action) => action.do === 'place')).toEqual([]);
      lonely.wait(1);
      [order] = lonely.placed() as [RunOrder];
      expect(order).toMatchObject({ type: 'STOP_MARKET' });
    }
    lonely.tick('46500');
    lonely.change({ key: order.key, kind: 'rejected', reason: 'too late', why: 'passed', sent: true });
    expect(lonely.asked()).toEqual([PASSED]);
    lonely.tick('45000');
    expect(lonely.placed()).toMatchObject([{ type: 'STOP_MARKET' }]);
    expect(lonely.run.state.phase).toBe('running');
  });

  it('is said once while the exchange says so again and again', () => {
    const lonely = bracket('45000');
    let [order] = lonely.placed() as [RunOrder];
    const said: string[] = [];
    for (const seconds of [1, 5, 30, 30]) {
      lonely.change({ key: order.key, kind: 'rejected', reason: 'too late', why: 'passed', sent: true });
      lonely.wait(seconds * 1_000);
      for (const one of lonely.asked()) {
        if (one.do === 'notice') said.push(one.text);
        if (one.do === 'place') order = one.order;
      }
    }
    expect(said).toEqual(['entry: the exchange says that its stop has been passed']);
  });
});

// proves: bot ruling R2
describe('what is left of a stop entry that has triggered', () => {
  it.each(['46500', '45000'])('is a MARKET order when its cancel comes in between, at %s', (price) => {
    const range = { type: 'price', max: '47000' };
    const lonely = bracket('45500', { range });
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.tick('46100');
    lonely.part(entry, entry.qty / 2n, '46100');
    lonely.tick('47500');
    lonely.change({ key: entry.key, kind: 'ended' });
    lonely.asked();
    lonely.tick(price);
    const again = lonely.placed().filter(({ role }) => role === 'entry');
    expect(again).toMatchObject([{ type: 'MARKET', stopPrice: null, qty: entry.qty - entry.qty / 2n }]);
  });

  it('is tried again at MARKET after 1, 5 and 30 s when it was refused at its trigger', () => {
    const lonely = bracket('45500');
    let [order] = lonely.placed() as [RunOrder];
    lonely.change({ key: order.key, kind: 'accepted' });
    lonely.tick('46100');
    for (const seconds of [1, 5, 30]) {
      lonely.change({ key: order.key, kind: 'rejected', reason: 'no money', why: 'balance', sent: true });
      lonely.wait(seconds * 1_000);
      [order] = lonely.placed() as [RunOrder];
      expect(order).toMatchObject({ type: 'MARKET', stopPrice: null });
    }
    lonely.change({ key: order.key, kind: 'rejected', reason: 'no money', why: 'balance', sent: true });
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'error', error: 'no money' });
  });
});
