/**
 * What each clean-up of a stop takes back and leaves, when the run is over for good, and what still comes of
 * the orders that it has left (strategies.md 2, run rule 4).
 */
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import { Lonely } from './lonely.ts';

const LEVELS = {
  levels: [
    { buy: '44000', sell: '46000' },
    { buy: '43000', sell: '45500' },
  ],
};
const ALL = 'cancelAllOrders';

/** Holds the upper level, whose exit rests; of the lower one a part has filled, so that it has both orders. */
function held() {
  const lonely = new Lonely('LEVELS', LEVELS, '45000');
  const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
  for (const { key } of [upper, lower]) lonely.change({ key, kind: 'accepted' });
  lonely.part(upper, upper.qty, '44000');
  const [target] = lonely.placed() as [RunOrder];
  lonely.part(lower, dec('0.004'), '43000');
  const [second] = lonely.placed() as [RunOrder];
  for (const { key } of [target, second]) lonely.change({ key, kind: 'accepted' });
  const names = new Map([
    [lower.key, 'entry'],
    [target.key, 'target'],
    [second.key, 'second target'],
  ]);
  return {
    lonely,
    upper,
    lower,
    target,
    second,
    cancels: () =>
      lonely
        .asked()
        .flatMap((one) => (one.do === 'cancel' ? [names.get(one.key) ?? one.key] : []))
        .toSorted(),
    total: () => str(lonely.run.lots.total()),
  };
}

describe('a stop', () => {
  it.each([
    [ALL, false, ['entry', 'second target', 'target'], 'ending'],
    ['cancelBuyOrders', false, ['entry'], 'ending'],
    ['leaveAllOrders', false, [], 'ended'],
    [ALL, true, ['entry', 'second target', 'target'], 'ending'],
    ['cancelBuyOrders', true, ['entry', 'second target', 'target'], 'ending'],
    ['leaveAllOrders', true, ['entry', 'second target', 'target'], 'ending'],
  ] as const)('with %s, selling %s, takes back %j', (cleanup, sell, cancels, phase) => {
    const h = held();
    h.lonely.run.input({ type: 'stop', cleanup, sell, force: false });
    expect([h.cancels(), h.lonely.run.state.phase]).toEqual([cancels, phase]);
    const orders = { entry: h.lower, target: h.target, 'second target': h.second };
    const { qty } = h.upper;
    for (const [i, name] of cancels.entries()) {
      expect(h.lonely.run.state.phase).toBe('ending');
      h.lonely.change({ key: orders[name].key, kind: 'ended' });
      const placed = h.lonely.placed();
      if (!sell || i < cancels.length - 1) expect(placed).toEqual([]);
      else {
        expect(placed.map((one) => [one.type, one.side, one.qty])).toEqual([
          ['MARKET', 'SELL', qty + dec('0.004')],
        ]);
        const [sale] = placed as [RunOrder];
        h.lonely.change({ key: sale.key, kind: 'accepted' });
        h.lonely.part(sale, sale.qty, '45000');
        expect(h.total()).toBe('0');
      }
    }
    expect(h.lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator', error: null });
    expect(h.lonely.run.label()).toBe('stopped');
    // A second stop changes nothing.
    h.lonely.run.input({ type: 'stop', cleanup: ALL, sell: true, force: true });
    expect(h.lonely.asked().filter((one) => one.do !== 'notice')).toEqual([]);
  });

  it('that is asked for while another one goes on changes nothing, but ends it at once by force', () => {
    const h = held();
    h.lonely.run.input({ type: 'stop', cleanup: 'cancelBuyOrders', sell: false, force: false });
    h.lonely.asked();
    h.lonely.run.input({ type: 'stop', cleanup: ALL, sell: true, force: false });
    expect([h.lonely.asked(), h.lonely.run.state.phase]).toEqual([[], 'ending']);
    h.lonely.run.input({ type: 'stop', cleanup: ALL, sell: true, force: true });
    expect([h.cancels(), h.lonely.run.state.phase]).toEqual([[], 'ended']);
    // Its targets were left, and nothing is sold.
    h.lonely.change({ key: h.lower.key, kind: 'ended' });
    expect([h.lonely.placed(), h.total()]).toEqual([[], str(h.upper.qty + dec('0.004'))]);
  });
});

describe('the orders that a run has left', () => {
  it.each([false, true])(
    'are booked as they fill, and nothing is sent for them; after a restart %s',
    (again) => {
      const h = held();
      h.lonely.run.input({ type: 'stop', cleanup: 'leaveAllOrders', sell: false, force: false });
      if (again) h.lonely.again((state) => decodeState(encodeState(state)));
      h.lonely.asked();
      const { lonely } = h;
      const before = lonely.run.stats();
      lonely.part(h.lower, h.lower.qty - dec('0.004'), '43000');
      expect([lonely.asked(), h.total()]).toEqual([[], str(h.upper.qty + h.lower.qty)]);
      lonely.part(h.target, dec('0.001'), '46000');
      lonely.part(h.target, h.target.qty - dec('0.001'), '46000');
      expect([lonely.asked(), h.total()]).toEqual([[], str(h.lower.qty)]);
      lonely.part(h.second, dec('0.004'), '45500');
      for (const one of [h.lower, h.target, h.second]) {
        lonely.change({ key: one.key, kind: 'ended' });
        // Its end is told a second time.
        lonely.change({ key: one.key, kind: 'ended' });
      }
      expect([lonely.asked(), [...lonely.run.slots.orders()]]).toEqual([[], []]);
      const { fills, realised, cycles } = lonely.run.stats();
      expect([fills - before.fills, cycles]).toEqual([4, before.cycles]);
      // 2,000 a unit of the upper level, 2,500 of what was sold of the lower one.
      const earned = h.upper.qty * 2_000n + dec('0.004') * 2_500n;
      expect(str(realised - before.realised)).toBe(str(earned));
      expect(lonely.run.state.phase).toBe('ended');
    },
  );

  it('that are cancelled by somebody else, or refused late, are gone, and are not placed again', () => {
    const h = held();
    h.lonely.run.input({ type: 'stop', cleanup: 'leaveAllOrders', sell: false, force: false });
    h.lonely.asked();
    h.lonely.change({ key: h.target.key, kind: 'ended' });
    expect(h.lonely.asked()).toEqual([]);
    h.lonely.change({ key: h.lower.key, kind: 'rejected', reason: 'late', why: 'other', sent: true });
    expect(h.lonely.asked()).toEqual([
      { do: 'notice', level: 1, text: 'BUY cell 43000-45500 was rejected after the end of the run: late' },
    ]);
    h.lonely.tick('42000');
    h.lonely.wait(60_000);
    expect(h.lonely.asked()).toEqual([]);
    expect([...h.lonely.run.slots.orders()].map(({ key }) => key)).toEqual([h.second.key]);
  });
});

describe('what others close of a position', () => {
  const lost = (qty: string, reason: 'liquidated' | 'closed elsewhere') =>
    ({ type: 'position', lost: { qty: dec(qty), price: dec('42000'), fee: dec('0.5'), reason } }) as const;

  it.each([
    ['liquidated', 'liquidated by the exchange'],
    ['closed elsewhere', 'closed elsewhere'],
  ] as const)(
    'in part, then in full (%s), is said each time, and ends the run with its orders taken back',
    (reason, how) => {
      const settings = { ...LEVELS, exchange: 'paper-futures', deposit: { value: '1000', asset: 'USDT' } };
      const lonely = new Lonely('LEVELS', settings, '45000');
      const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
      for (const { key } of [upper, lower]) lonely.change({ key, kind: 'accepted' });
      lonely.part(upper, dec('0.01'), '44000');
      const [exit] = lonely.placed() as [RunOrder];
      lonely.change({ key: exit.key, kind: 'accepted' });
      lonely.run.changed = false;
      lonely.run.input(lost('0.004', reason));
      const said = () => lonely.asked().flatMap((one) => (one.do === 'notice' ? [one.text] : []));
      expect(lonely.run.actions).toContainEqual({ do: 'cancel', key: exit.key });
      expect(said()).toEqual([`0.004 BTC ${how} at 42000: 0.006 are left`]);
      expect([lonely.run.changed, lonely.run.state.phase, str(lonely.run.stats().realised)]).toEqual([
        true,
        'running',
        '-8.5',
      ]);
      lonely.change({ key: exit.key, kind: 'ended' });
      const [smaller] = lonely.placed() as [RunOrder];
      expect(smaller).toMatchObject({ qty: dec('0.006'), reduceOnly: true });
      lonely.change({ key: smaller.key, kind: 'accepted' });
      lonely.run.input(lost('0.006', reason));
      expect(
        lonely.run.actions
          .filter((one) => one.do === 'cancel')
          .map(({ key }) => key)
          .toSorted(),
      ).toEqual([upper.key, lower.key, smaller.key].toSorted());
      expect(said()[0]).toBe(`0.006 BTC ${how} at 42000: nothing is left`);
      expect(lonely.run.state).toMatchObject({ phase: 'ending', reason });
      expect(lonely.run.label()).toBe('completed');
      // Nothing is there any more that could be lost.
      lonely.run.input(lost('0.006', reason));
      expect([said(), str(lonely.run.stats().realised)]).toEqual([[], '-21']);
      for (const { key } of [upper, lower, smaller]) lonely.change({ key, kind: 'ended' });
      expect(lonely.run.state.phase).toBe('ended');
    },
  );

  it('of a run that is ending already completes no cycle, and leaves its reason as it is', () => {
    const settings = { ...LEVELS, exchange: 'paper-futures', deposit: { value: '1000', asset: 'USDT' } };
    const lonely = new Lonely('LEVELS', settings, '45000');
    const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
    for (const { key } of [upper, lower]) lonely.change({ key, kind: 'accepted' });
    lonely.part(upper, upper.qty, '44000');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ type: 'stop', cleanup: ALL, sell: true, force: false });
    lonely.asked();
    lonely.run.input(lost(str(upper.qty), 'liquidated'));
    for (const { key } of [lower, exit]) lonely.change({ key, kind: 'ended' });
    expect(lonely.asked().flatMap((one) => (one.do === 'notice' ? [one.text] : []))).toEqual([
      `${str(upper.qty)} BTC liquidated by the exchange at 42000: nothing is left`,
      'run ended, operator',
    ]);
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator', stats: { cycles: 0 } });
  });
});
