/** Which runs accept commands about stop rules, and how many rules a run may have. */
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { applyStopCommand } from '../../../src/bots/run/stop-commands.ts';
import { str } from '../../../src/domain/decimal.ts';
import { NOW } from '../settings/support.ts';
import { holding, Lonely } from './lonely.ts';

const rule = (value: string) => ({
  strategy: 'fixed',
  trigger: { type: 'kline', value },
  order: { type: 'MARKET' },
});

it('a run that is ending takes none, though its orders are not cancelled yet, and neither does one that has ended', () => {
  const { lonely, exit } = holding();
  const { run } = lonely;
  lonely.change({ key: exit.key, kind: 'accepted' });
  expect(applyStopCommand(run, 'add_stoploss', rule('40000'))).toBeNull();
  run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: false });
  for (const phase of ['ending', 'ended']) {
    expect(run.state.phase).toBe(phase);
    const before = structuredClone(run.stops.rules.map(({ raw }) => raw));
    for (const command of ['add_stoploss', 'update_stoploss', 'delete_stoploss'])
      expect(applyStopCommand(run, command, rule('40000'))).toBe('the run is ending');
    expect(run.stops.rules.map(({ raw }) => raw)).toEqual(before);
    lonely.change({ key: exit.key, kind: 'ended' });
  }
});

it('a run has 200 rules at most, those that were deleted among them', () => {
  const { run } = holding().lonely;
  const add = (n: number) => applyStopCommand(run, 'add_stoploss', rule(String(30_000 + n)));
  for (let n = 0; n < 200; n++) expect(add(n)).toBeNull();
  expect(add(200)).toBe('a run takes at most 200 stop rules');
  expect(applyStopCommand(run, 'delete_stoploss', rule('30000'))).toBeNull();
  expect(add(200)).toBe('a run takes at most 200 stop rules');
  // Existing rules can still be changed.
  expect(applyStopCommand(run, 'update_stoploss', { ...rule('30001'), disabled: true })).toBeNull();
});

/** A run that has entered at 45000, long or short. */
function entered(short: boolean): Lonely {
  const futures = { exchange: 'paper-futures', short, scale: { orders: 0, step: '1', takeProfit: '10' } };
  const lonely = new Lonely('SCALE', futures, '45000');
  const [entry] = lonely.placed() as [RunOrder];
  lonely.change({ key: entry.key, kind: 'accepted' });
  lonely.part(entry, entry.qty, '45000');
  lonely.change({ key: entry.key, kind: 'ended' });
  lonely.asked();
  return lonely;
}

it.each([
  ['long', false, '45000', '44999.99', 'below', 'SELL'],
  ['short', true, '45000', '45000.01', 'above', 'BUY'],
] as const)(
  'a rule that a %s would fire at once is refused, at the very price too, the next price is taken',
  (_, short, at, next, side, sells) => {
    const lonely = entered(short);
    const add = (value: string) => applyStopCommand(lonely.run, 'add_stoploss', rule(value));
    expect(add(at)).toBe(`the stop has already fired: price 45000.00 is ${side} 45000.00`);
    expect(add(short ? '44000' : '46000')).toContain('already fired');
    expect(lonely.run.stops.rules).toEqual([]);
    expect(add(next)).toBeNull();
    const trailing = { ...rule('5'), strategy: 'trailing' };
    expect(applyStopCommand(lonely.run, 'add_stoploss', trailing)).toBeNull();
    expect(lonely.placed()).toEqual([]);
    lonely.tick(next);
    const asked = lonely.asked();
    // The exit that rests is withdrawn first.
    for (const one of asked) if (one.do === 'cancel') lonely.change({ key: one.key, kind: 'ended' });
    const sales = [...asked, ...lonely.asked()].flatMap((one) => (one.do === 'place' ? [one.order] : []));
    expect(sales.map((one) => [one.side, one.type, one.slot])).toEqual([[sells, 'MARKET', 'stop:0']]);
  },
);

it.each([false, true])(
  'a run that holds nothing takes a rule that would sell at this price, short %s',
  (short) => {
    const futures = { exchange: 'paper-futures', short, entryPrice: short ? '46000' : '44000' };
    const lonely = new Lonely('SCALE', futures, '45000');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    const beyond = { ...rule(short ? '44500' : '45500'), complete: true };
    expect(applyStopCommand(lonely.run, 'add_stoploss', beyond)).toBeNull();
    expect(lonely.run.stops.rules).toHaveLength(1);
  },
);

it('rules of lines are the same only when both points are, and the one that is named is deleted', () => {
  const { run } = holding().lonely;
  const HOUR = 3_600_000;
  const line = (from: number, to: number, hours = 1) => ({
    strategy: 'price',
    trigger: { type: 'kline', value: { [NOW]: from, [NOW + hours * HOUR]: to } },
    order: { type: 'MARKET' },
  });
  const all = [line(40_000, 41_000), line(40_000, 42_000), line(39_000, 41_000), line(40_000, 41_000, 2)];
  for (const one of all) expect(applyStopCommand(run, 'add_stoploss', one)).toBeNull();
  for (const one of all) expect(applyStopCommand(run, 'add_stoploss', one)).toContain('is there already');
  expect(applyStopCommand(run, 'delete_stoploss', all[1])).toBeNull();
  expect(run.stops.levels().map(({ rule: { trigger } }) => str(trigger.line?.p2 ?? 0n))).toEqual([
    '41000',
    '41000',
    '41000',
  ]);
  expect(applyStopCommand(run, 'delete_stoploss', all[1])).toContain('there is no price stop');
});
