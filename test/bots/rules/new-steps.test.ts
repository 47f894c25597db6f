/**
 * A symbol gets a different tick and step size during a run: resting orders stay, new orders fit the new
 * sizes.
 */
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import { cell, cells, stop } from './bots.ts';
import { LiveTest } from './live.ts';

/** Sets the symbol's tick and step size from now on. */
function steps(t: LiveTest, tick: string, step: string): void {
  Object.assign(t.market.rules, { tick: dec(tick), step: dec(step) });
}

const resting = (t: LiveTest) =>
  [...t.run.slots.orders()].map(
    ({ key, side, price, stopPrice, qty }) =>
      `${key} ${side} ${str(qty)} at ${price === null ? '-' : str(price)}${stopPrice === null ? '' : ` stop ${str(stopPrice)}`}`,
  );

describe.each([
  ['coarser', '0.5', '0.1'],
  ['finer', '0.001', '0.0000001'],
])('steps that are %s', (_, tick, step) => {
  it('leave an entry that rests where it is, and hold for the next', () => {
    const t = new LiveTest(
      'CHANNEL',
      cells([
        ['99.127', '110.123'],
        ['90.127', '110.123'],
      ]),
    );
    t.tick(0, '100');
    const before = resting(t);
    expect(before).toHaveLength(2);
    expect(before[0]).toContain('at 99.12');
    steps(t, tick, step);
    for (let second = 1; second < 10; second++) t.tick(second, '100.5');
    t.pass(100);
    expect(resting(t)).toEqual(before);
    t.tick(101, '99');
    const sale = resting(t).find((line) => line.includes('SELL')) ?? '';
    const [price, qty] = [sale.split(' at ')[1] ?? '0', sale.split(' ')[2] ?? '0'];
    expect(dec(price) % dec(tick)).toBe(0n);
    expect(dec(qty) % dec(step)).toBe(0n);
    expect(dec(price)).toBeGreaterThanOrEqual(dec('110.123'));
    expect(resting(t)).toContain(before[1]);
    t.tick(102, '111');
    expect(t.run.state.stats.cycles).toBe(1);
    const again = resting(t).find((line) => line.includes('BUY') && line !== before[1]) ?? '';
    expect(dec(again.split(' at ')[1] ?? '0') % dec(tick)).toBe(0n);
    expect(t.run.state.phase).toBe('running');
  });

  it('leave an exit and a stop alone', () => {
    const rule = stop(
      'price_percent_buy',
      'exchange',
      { value: '5.127' },
      { order: { type: 'LIMIT', worsePercent: '1' } },
    );
    const t = new LiveTest('CHANNEL', cell({ levels: [{ buy: '100', sell: '110.123' }], stop: [rule] }), {
      kind: 'futures',
    });
    t.tick(0, '101');
    t.tick(1, '99');
    const before = resting(t);
    expect(before.map((line) => line.split(' ')[1])).toEqual(['SELL', 'SELL']);
    steps(t, tick, step);
    for (let second = 2; second < 10; second++) t.tick(second, '100');
    expect(resting(t)).toEqual(before);
  });

  it('are known to a run that is taken up again: it does not place its orders anew', () => {
    const t = new LiveTest('CHANNEL', cell({ levels: [{ buy: '99.127', sell: '110.123' }] }));
    t.tick(0, '100');
    steps(t, tick, step);
    t.run.sync();
    const state = decodeState(encodeState(t.run.state as never));
    const [slot] = state.slots.slots.values();
    expect(slot?.orders[0]?.grid).toEqual({ tick: dec('0.01'), step: dec('0.001') });
    expect(state.slots.grid).toEqual({ tick: dec(tick), step: dec(step) });
  });
});

it('what is left of an entry that was cancelled by others fits the step of now, and is not asked for again and again', () => {
  const t = new LiveTest(
    'CHANNEL',
    cell({ deposit: { value: '99.127', asset: 'USDT' }, levels: [{ buy: '99.127', sell: '110' }] }),
  );
  t.tick(0, '100');
  const [order] = [...t.run.slots.orders()];
  const fill = { price: dec('99.12'), qty: dec('0.333'), fee: 0n, feeAsset: 'USDT', maker: true };
  t.run.input({ type: 'order', change: { key: order?.key ?? '', kind: 'fill', fill } });
  steps(t, '0.01', '0.1');
  t.run.input({ type: 'order', change: { key: order?.key ?? '', kind: 'ended' } });
  const left = [...t.run.slots.orders()].filter(({ role }) => role === 'entry');
  expect(left.map(({ qty }) => str(qty))).toEqual(['0.6']);
  t.run.actions = [];
  for (let i = 0; i < 5; i++) t.run.input({ type: 'tick' });
  expect(t.run.actions.filter((action) => action.do !== 'notice')).toEqual([]);
});

it('orders of the steps of now carry nothing of them', () => {
  const t = new LiveTest('CHANNEL', cell());
  t.tick(0, '101');
  t.tick(1, '101.5');
  expect([...t.run.slots.orders()].map((order) => 'grid' in order)).toEqual([false]);
});
