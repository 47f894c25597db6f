/**
 * What one input must leave as it is, and what it must take with it: orders of neighbours, the rest of an
 * entry, an entry that waits, across a restart.
 */
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { NOW } from '../settings/support.ts';
import { Lonely } from './lonely.ts';

const channel = (name: string, depositePercent: string, fiboPrice: string) => ({
  name,
  depositePercent,
  fiboPrice,
});
const CHANNELS = [
  channel('0', '0', '40000'),
  channel('0.382', '50', '43000'),
  channel('0.500', '50', '44000'),
  channel('1', '0', '46000'),
];
const THREE = [
  channel('0', '0', '40000'),
  channel('0.382', '40', '43000'),
  channel('0.500', '30', '44000'),
  channel('0.618', '30', '44500'),
  channel('1', '0', '46000'),
];
const LEVELS = [
  { buy: '43000', sell: '44000' },
  { buy: '44000', sell: '46000' },
];

describe('a level that has sold what it had so far', () => {
  it.each([
    ['FIBO', { onetime: false, channels: CHANNELS }],
    ['LEVELS', { onetime: false, levels: LEVELS }],
  ] as const)('leaves the rest of its entry where it is: %s', (kind, settings) => {
    const lonely = new Lonely(kind, settings, '45000');
    const placed = lonely.placed();
    for (const { key } of placed) lonely.change({ key, kind: 'accepted' });
    const find = (price: string) => placed.find((one) => one.price === dec(price)) as RunOrder;
    const [upper, lower] = [find('44000'), find('43000')];
    // A lower level is held, so that the cycle goes on.
    lonely.part(lower, dec('0.005'), '43000');
    const [first] = lonely.placed() as [RunOrder];
    lonely.change({ key: first.key, kind: 'accepted' });
    lonely.part(upper, upper.qty, '44000');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.asked();
    lonely.part(first, first.qty, '44000');
    lonely.tick('45000');
    const cancels = lonely.asked().filter((action) => action.do === 'cancel');
    expect(cancels).toEqual([]);
    expect([...lonely.run.slots.orders()].map(({ key }) => key)).toContain(lower.key);
  });
});

it.each([
  ['FIBO', { onetime: false, channels: THREE }],
  ['LEVELS', { onetime: false, levels: [...LEVELS, { buy: '44500', sell: '46500' }] }],
] as const)(
  '%s: a level that is sold leaves a refused entry of another one to its time',
  (kind, settings) => {
    const lonely = new Lonely(kind, settings, '45000');
    const entries = lonely.placed();
    const at = (price: string) => entries.find((one) => one.price === dec(price)) as RunOrder;
    const refused = at('43000');
    const refuse = ({ key }: RunOrder) =>
      lonely.change({ key, kind: 'rejected', reason: 'busy', why: 'other' });
    refuse(refused);
    lonely.wait(1_000);
    const again = lonely.placed();
    expect(again).toMatchObject([{ slot: refused.slot }]);
    refuse(again[0] as RunOrder);
    const exits = [at('44000'), at('44500')].map((entry) => {
      lonely.change({ key: entry.key, kind: 'accepted' });
      lonely.part(entry, entry.qty, '44000');
      return lonely.placed().find(({ role }) => role === 'exit') as RunOrder;
    });
    const [exit] = exits as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.part(exit, exit.qty, '46000');
    const slots = () => lonely.placed().map(({ slot }) => slot);
    expect(slots()).not.toContain(refused.slot);
    lonely.wait(4_999);
    expect(slots()).not.toContain(refused.slot);
    lonely.wait(1);
    expect(slots()).toContain(refused.slot);
  },
);

it('an entry of an INTRADAY that has filled in part buys no more once that has expired', () => {
  const settings = {
    mode: 'breakout',
    trend: { [NOW]: 45000, [NOW + 1000]: 45000 },
    orders: { buy: { type: 'LIMIT', price: '0.5' } },
    expiresAt: NOW + 60_000,
  };
  const lonely = new Lonely('INTRADAY', settings, '44000');
  lonely.tick('45200');
  const [entry] = lonely.placed() as [RunOrder];
  lonely.change({ key: entry.key, kind: 'accepted' });
  lonely.part(entry, dec('0.01'), '45200');
  for (const { key } of lonely.placed()) lonely.change({ key, kind: 'accepted' });
  lonely.wait(60_000);
  expect(lonely.asked()).toContainEqual({ do: 'cancel', key: entry.key });
  expect(lonely.run.state.phase).toBe('running');
});

it('an entry that a stop rule keeps waiting is placed when the rule lets it, also after a restart in between', () => {
  const orders = (restarts: boolean) => {
    const trigger = { type: 'kline', value: '45500', closed: false };
    const stop = [{ strategy: 'fixed', trigger, order: { type: 'MARKET' }, complete: true }];
    const lonely = new Lonely('SCALE', { stop, scale: { orders: 0, step: '1', takeProfit: '1' } }, '45000');
    expect(lonely.placed()).toEqual([]);
    if (restarts) lonely.again((state) => decodeState(encodeState(state)));
    lonely.tick('46000');
    return lonely.placed().map(({ slot, type }) => `${slot} ${type}`);
  };
  expect(orders(false)).toEqual(['base MARKET']);
  expect(orders(true)).toEqual(orders(false));
});

it('a sale after a forced end that makes room for a larger one is no sale that found nobody', () => {
  const settings = { scale: { orders: 1, step: '1', takeProfit: '1' } };
  const lonely = new Lonely('SCALE', settings, '45000');
  const [base] = lonely.placed() as [RunOrder];
  lonely.fill(base, '45000');
  const placed = lonely.placed();
  for (const { key } of placed) lonely.change({ key, kind: 'accepted' });
  const [exit, safety] = ['exit', 'entry'].map((role) => placed.find((one) => one.role === role)) as [
    RunOrder,
    RunOrder,
  ];
  lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: true, force: true });
  lonely.change({ key: exit.key, kind: 'ended' });
  const [sale] = lonely.placed() as [RunOrder];
  expect(sale).toMatchObject({ slot: 'end', type: 'MARKET' });
  // The safety order fills before its cancel: one sale of both takes the place of the first.
  lonely.part(safety, safety.qty, '44550');
  expect(lonely.asked()).toContainEqual({ do: 'cancel', key: sale.key });
  lonely.change({ key: sale.key, kind: 'ended' });
  const again = lonely.placed();
  expect(again).toMatchObject([{ slot: 'end', type: 'MARKET' }]);
  expect(again[0]?.qty).toBeGreaterThan(sale.qty);
});

it('a line that is broken over a restart is broken: the price before it is known', () => {
  const settings = { mode: 'breakout', trend: { [NOW]: 45000, [NOW + 1000]: 45000 } };
  for (const restarts of [false, true]) {
    const lonely = new Lonely('INTRADAY', settings, '44000');
    if (restarts) lonely.again((state) => decodeState(encodeState(state)));
    lonely.tick('45200');
    expect(lonely.placed(), String(restarts)).toMatchObject([{ slot: 'entry', type: 'MARKET' }]);
  }
});
