/**
 * Entries that the exchange gives back or refuses repeatedly: they are sent again at their time, and no run
 * stays idle.
 */
import { describe, expect, it } from 'vitest';
import type { OrderChange, RunOrder } from '../../../src/bots/run/contract.ts';
import type { Kind } from '../settings/support.ts';
import { Lonely } from './lonely.ts';

const PERCENTS = { takeProfit: { percent: '2' }, stopLoss: { percent: '2' } };
const BRACKET = { entry: { type: 'MARKET' }, ...PERCENTS };
const CASES: [what: string, kind: Kind, changes: Record<string, unknown>, prices: string[]][] = [
  ['the base order of a SCALE', 'SCALE', { scale: { orders: 0, step: '1', takeProfit: '1' } }, []],
  ['the entry of a bracket', 'BRACKET', BRACKET, []],
  ['what a GRID buys at its start', 'GRID', { startBuy: true }, []],
  ['what FIBO trailing buys', 'FIBO', { trailing: true }, ['45600', '44900', '44500', '45000']],
  ['an entry at its level', 'LEVELS', { orders: { buy: { type: 'MARKET' } } }, ['41900']],
];

describe('a MARKET entry that the exchange gives back', () => {
  /** A run at work, its first MARKET entry accepted. */
  function entering(kind: Kind, changes: Record<string, unknown>, prices: string[]): [Lonely, RunOrder] {
    const lonely = new Lonely(kind, changes, '45500');
    for (const price of prices) lonely.tick(price);
    const [entry] = lonely.placed().filter(({ type }) => type === 'MARKET') as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    return [lonely, entry];
  }

  // proves: bot run entry-retry
  it.each(CASES)('unfilled comes again with the next tick: %s', (_what, kind, changes, prices) => {
    const [lonely, entry] = entering(kind, changes, prices);
    lonely.change({ key: entry.key, kind: 'ended' });
    expect(lonely.placed().filter(({ type }) => type === 'MARKET')).toEqual([]);
    lonely.tick(prices.at(-1) ?? '45500');
    expect(lonely.placed()).toMatchObject([{ slot: entry.slot, type: 'MARKET', qty: entry.qty }]);
  });

  it.each(CASES)('filled in part is done with: %s', (_what, kind, changes, prices) => {
    const [lonely, entry] = entering(kind, changes, prices);
    lonely.part(entry, entry.into[0]?.qty ?? entry.qty, '45500');
    lonely.change({ key: entry.key, kind: 'ended' });
    lonely.asked();
    lonely.tick(prices.at(-1) ?? '45500');
    expect(lonely.placed().filter(({ role, slot }) => role === 'entry' && slot === entry.slot)).toEqual([]);
  });
});

describe('refusals of an entry', () => {
  const rejected = ({ key }: RunOrder): OrderChange => ({
    key,
    kind: 'rejected',
    reason: 'busy',
    why: 'other',
  });

  // proves: bot run entry-retry
  it('are counted anew after one that the exchange has taken', () => {
    const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '45000' };
    const lonely = new Lonely('SCALE', { ...scale, range: { type: 'price', max: '47000' } }, '46000');
    for (let i = 0; i < 6; i++) {
      lonely.change(rejected(lonely.placed()[0] as RunOrder));
      lonely.wait(1_000);
      const [again] = lonely.placed() as [RunOrder];
      lonely.change({ key: again.key, kind: 'accepted' });
      // The range withdraws the entry and allows it again.
      lonely.tick('48000');
      lonely.change({ key: again.key, kind: 'ended' });
      lonely.tick('46000');
      expect(lonely.run.state.phase).toBe('running');
    }
  });

  it('are counted on where the exchange takes each and rejects it later', () => {
    const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '45000' };
    const lonely = new Lonely('SCALE', scale, '46000');
    for (let i = 0; i < 4; i++) {
      const [entry] = lonely.placed() as [RunOrder];
      lonely.change({ key: entry.key, kind: 'accepted' });
      lonely.change(rejected(entry));
      lonely.wait(30_000);
    }
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'error' });
  });
});

// proves: bot deposit no_reserve
describe('an entry that the balance does not cover', () => {
  const changes = {
    scale: { orders: 0, step: '1', takeProfit: '1' },
    deposit: { value: '1000', asset: 'USDT', allocate: 'no_reserve' },
  };
  const uncovered = ({ key }: RunOrder, sent: boolean): OrderChange => ({
    key,
    kind: 'rejected',
    reason: 'insufficient balance',
    why: 'balance',
    ...(sent ? { sent } : {}),
  });

  it('is tried again with each tick when the engine has refused it', () => {
    const lonely = new Lonely('SCALE', changes, '45000');
    for (let i = 0; i < 8; i++) {
      const [entry] = lonely.placed() as [RunOrder];
      lonely.change(uncovered(entry, false));
      expect(lonely.placed()).toEqual([]);
      lonely.tick('45000');
    }
    expect(lonely.run.state.phase).toBe('running');
  });

  it('waits 1, 5, 30 and 30 s when the exchange has refused it, for ever', () => {
    const lonely = new Lonely('SCALE', changes, '45000');
    for (const seconds of [1, 5, 30, 30, 30]) {
      const asked = lonely.asked();
      const [entry] = asked.flatMap((action) => (action.do === 'place' ? [action.order] : []));
      lonely.change(uncovered(entry as RunOrder, true));
      lonely.wait(seconds * 1_000 - 1);
      expect(lonely.placed()).toEqual([]);
      lonely.wait(1);
    }
    expect(lonely.run.state.phase).toBe('running');
  });
});

describe('an entry in parts', () => {
  it('is laid anew when somebody else cancels one of them, as an entry of one part is', () => {
    const lonely = new Lonely('LEVELS', { orders: { buy: { size: 4 } } }, '45500');
    const all = lonely.placed();
    const parts = all.filter(({ slot }) => slot === all[0]?.slot);
    expect(parts).toHaveLength(4);
    for (const { key } of parts) lonely.change({ key, kind: 'accepted' });
    const [first, ...others] = parts;
    lonely.asked();
    lonely.change({ key: first?.key ?? '', kind: 'ended' });
    expect(lonely.asked().filter((action) => action.do === 'cancel')).toHaveLength(3);
    for (const { key } of others) lonely.change({ key, kind: 'ended' });
    expect(lonely.placed().map(({ qty }) => qty)).toEqual(parts.map(({ qty }) => qty));
  });
});
