/**
 * Fills that cross a cancel, and orders that outlive their purpose: every lot has its exit, and nothing is
 * counted twice.
 */
import { describe, expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { dec, ONE, str } from '../../../src/domain/decimal.ts';
import { NOW } from '../settings/support.ts';
import { Lonely } from './lonely.ts';

const FIBO = {
  onetime: false,
  channels: [
    { name: '0', depositePercent: '0', fiboPrice: '40000' },
    { name: '0.500', depositePercent: '50', fiboPrice: '44000' },
    { name: '0.786', depositePercent: '50', fiboPrice: '44500' },
    { name: '1', depositePercent: '0', fiboPrice: '50000' },
  ],
};

/** `slot quantity` of the orders placed since the last call. */
const placed = (lonely: Lonely) => lonely.placed().map(({ slot, qty }) => `${slot} ${str(qty)}`);

/** A run with two resting entries, both accepted. */
function twoEntries(changes: Record<string, unknown> = {}): [Lonely, RunOrder, RunOrder] {
  const lonely = new Lonely('FIBO', { ...FIBO, ...changes }, '45000');
  const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
  for (const { key } of [upper, lower]) lonely.change({ key, kind: 'accepted' });
  return [lonely, upper, lower];
}

/** `slot: lots` of every exit that is wanted. */
function exits(lonely: Lonely): string[] {
  const slots = [...lonely.run.slots.state.slots.values()];
  return slots.flatMap(({ name, want }) => (want?.role === 'exit' ? [`${name}: ${want.lots.join()}`] : []));
}

// proves: bot FIBO exit
describe('a FIBO entry that fills although its cycle is over', () => {
  it('has its exit, and is its channel until it is sold', () => {
    const [lonely, upper, lower] = twoEntries();
    lonely.fill(upper, '44500');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.fill(exit, '50000');
    lonely.asked();
    lonely.fill(lower, '44000');
    const [late] = lonely.placed() as [RunOrder];
    expect(late).toMatchObject({ role: 'exit', price: dec('44500'), from: [lower.into[0]?.lot] });
    expect(lonely.run.slots.get(lower.slot)).toBeUndefined();
    lonely.fill(late, '44500');
    expect(lonely.run.lots.open).toEqual([]);
    expect(lonely.run.state.stats.cycles).toBe(2);
  });

  it('ends the turn that its channel was armed in: what is armed later has a low of its own', () => {
    const channels = [
      { name: '0', depositePercent: '0', fiboPrice: '40000' },
      { name: '0.500', depositePercent: '50', fiboPrice: '44500', sell: '60000' },
      { name: '0.786', depositePercent: '50', fiboPrice: '46000', sell: '46500' },
      { name: '1', depositePercent: '0', fiboPrice: '70000' },
    ];
    const late = { trailing: true, trailingFrom: NOW + 10_000 };
    const lonely = new Lonely('FIBO', { ...FIBO, channels, ...late }, '47000');
    const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
    for (const { key } of [upper, lower]) lonely.change({ key, kind: 'accepted' });
    lonely.fill(upper, '46000');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.wait(10_000);
    lonely.asked();
    lonely.tick('44400');
    // The fill was on its way when the turn began.
    lonely.fill(lower, '44500');
    lonely.placed();
    lonely.tick('46500');
    lonely.fill(exit, '46500');
    lonely.placed();
    for (const price of ['45900', '45800', '46200']) {
      lonely.tick(price);
      expect(placed(lonely)).toEqual([]);
    }
    // 1 % above 45,800.
    lonely.tick('46258');
    expect(lonely.placed()).toMatchObject([{ slot: 'trailed', type: 'MARKET' }]);
  });

  it('has its exit after a stop that sold everything', () => {
    const order = { type: 'MARKET' };
    const stop = { strategy: 'price_percent_buy', trigger: { type: 'kline', value: '0.5' }, order };
    const [lonely, upper, lower] = twoEntries({ stop: [{ ...stop, complete: true }] });
    lonely.fill(upper, '44500');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.tick('44200');
    lonely.change({ key: exit.key, kind: 'ended' });
    const [sale] = lonely.placed() as [RunOrder];
    lonely.fill(sale, '44200');
    lonely.asked();
    lonely.fill(lower, '44000');
    const [late] = lonely.placed() as [RunOrder];
    expect(late).toMatchObject({ role: 'exit', price: dec('44500'), from: [lower.into[0]?.lot] });
    // After the sale the channel is bought again.
    lonely.fill(late, '44500');
    expect(lonely.placed().map(({ slot }) => slot)).toContain(lower.slot);
  });

  it('in part leaves the next entry to come after it is sold', () => {
    const [lonely, upper, lower] = twoEntries();
    lonely.fill(upper, '44500');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.fill(exit, '50000');
    lonely.asked();
    lonely.part(lower, dec('0.005'), '44000');
    const [late] = lonely.placed() as [RunOrder];
    expect(late).toMatchObject({ role: 'exit', qty: dec('0.005') });
    lonely.change({ key: lower.key, kind: 'ended' });
    expect(placed(lonely)).not.toContain(`${lower.slot} ${str(lower.qty)}`);
    lonely.fill(late, '44500');
    expect(placed(lonely)).toContain(`${lower.slot} ${str(lower.qty)}`);
  });
});

// proves: bot cells trailUp
describe('a GRID entry that fills although the grid has moved up', () => {
  it('has its exit', () => {
    const grid = { low: '44000', high: '45000', count: 2 };
    const lonely = new Lonely('GRID', { grid, trailUp: true }, '44500');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.tick('45500');
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: entry.key });
    lonely.fill(entry, '44000');
    expect(exits(lonely)).toEqual([`exit ${entry.into[0]?.lot}: ${entry.into[0]?.lot}`]);
    const [exit] = lonely.placed() as [RunOrder];
    lonely.fill(exit, '46000');
    expect(lonely.run.lots.open).toEqual([]);
  });
});

/** Fills nine tenths of the entry, sells them at the target, and cancels the rest. */
function soldInPart(lonely: Lonely, entry: RunOrder, at: string, target: string): void {
  const step = dec('0.00001');
  lonely.change({ key: entry.key, kind: 'accepted' });
  lonely.part(entry, ((entry.qty * 9n) / 10n / step) * step, at);
  const [exit] = lonely.placed() as [RunOrder];
  lonely.change({ key: exit.key, kind: 'accepted' });
  lonely.part(exit, exit.qty, target);
  lonely.asked();
  lonely.change({ key: entry.key, kind: 'ended' });
}

/** A SQUEEZE with its entry at the exchange, after a first close at 45000. */
function squeezed(changes: Record<string, unknown> = {}): { lonely: Lonely; entry: RunOrder } {
  const lonely = new Lonely('SQUEEZE', changes, '45000');
  const price = dec('45000');
  const candle = { time: NOW - 60_000, open: price, high: price, low: price, close: price, volume: ONE };
  lonely.run.input({ type: 'candle', symbol: 'BTCUSDT', frameMs: 60_000, candle } as never);
  const [entry] = lonely.placed() as [RunOrder];
  return { lonely, entry };
}

describe('what an entry of the cycle before had filled', () => {
  // proves: bot partial SQUEEZE
  it('is not taken from the next entry of a SQUEEZE', () => {
    const { lonely, entry } = squeezed();
    soldInPart(lonely, entry, '44550', '45441');
    expect(placed(lonely)).toEqual([`entry ${str(entry.qty)}`]);
  });

  // proves: bot partial FIBO
  it('is not taken from the next entry of a FIBO channel', () => {
    const channels = FIBO.channels.filter(({ name }) => name !== '0.786');
    const whole = channels.map((one) => (one.name === '0.500' ? { ...one, depositePercent: '100' } : one));
    const lonely = new Lonely('FIBO', { ...FIBO, channels: whole }, '45000');
    const [entry] = lonely.placed() as [RunOrder];
    soldInPart(lonely, entry, '44000', '50000');
    expect(placed(lonely)).toEqual([`${entry.slot} ${str(entry.qty)}`]);
  });

  // proves: bot partial SCALE
  it('is not taken from the base order of the next cycle of a SCALE', () => {
    const scale = { orders: 0, step: '1', takeProfit: '1' };
    const lonely = new Lonely('SCALE', { scale, entryPrice: '44000' }, '45000');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    const half = entry.qty / 2n;
    lonely.part(entry, half, '44000');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.part(exit, exit.qty, '44440');
    // The next cycle begins before the cancel of the base order is confirmed.
    lonely.tick('45000');
    lonely.tick('45000');
    lonely.asked();
    lonely.change({ key: entry.key, kind: 'ended' });
    expect(placed(lonely)).toEqual([`base ${str(entry.qty)}`]);
  });

  it('and fills after it is the base order of the next cycle of a SCALE', () => {
    const scale = { orders: 0, step: '1', takeProfit: '1' };
    const lonely = new Lonely('SCALE', { scale, entryPrice: '44000' }, '45000');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    const half = entry.qty / 2n;
    lonely.part(entry, half, '44000');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.part(exit, exit.qty, '44440');
    lonely.tick('45000');
    lonely.tick('45000');
    lonely.asked();
    lonely.part(entry, half, '44000');
    expect(placed(lonely)).toEqual([`exit ${str(half)}`]);
    expect([lonely.run.lots.total(), [...lonely.run.slots.orders()].map(({ slot }) => slot)]).toEqual([
      half,
      ['exit'],
    ]);
  });

  it('and fills after it as a safety order keeps a SCALE from its next cycle until it is sold', () => {
    const scale = { orders: 1, step: '1', takeProfit: '1' };
    const lonely = new Lonely('SCALE', { scale }, '45000');
    const [base] = lonely.placed() as [RunOrder];
    lonely.fill(base, '45000');
    const [exit, safety] = lonely.placed().sort((a, b) => (a.slot < b.slot ? -1 : 1)) as [RunOrder, RunOrder];
    for (const { key } of [exit, safety]) lonely.change({ key, kind: 'accepted' });
    lonely.part(exit, exit.qty, '45450');
    lonely.asked();
    lonely.part(safety, safety.qty, '44550');
    const [late] = lonely.placed() as [RunOrder];
    expect(late).toMatchObject({ slot: 'exit', side: 'SELL' });
    for (let i = 0; i < 3; i++) lonely.tick('44600');
    expect(placed(lonely)).toEqual([]);
    lonely.change({ key: late.key, kind: 'accepted' });
    lonely.part(late, late.qty, '45000');
    for (let i = 0; i < 2; i++) lonely.tick('45000');
    expect(placed(lonely)).toEqual([`base ${str(base.qty)}`]);
  });

  // proves: bot SQUEEZE not-holding, bot partial SQUEEZE-remainder
  it('and fills after it keeps a SQUEEZE from entering until it is sold', () => {
    const { lonely, entry } = squeezed();
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.part(entry, dec('0.008'), '44550');
    const [exit] = lonely.placed() as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.part(exit, exit.qty, '45441');
    lonely.asked();
    lonely.part(entry, dec('0.004'), '44550');
    const [late] = lonely.placed() as [RunOrder];
    expect(late).toMatchObject({ role: 'exit', qty: dec('0.004') });
    lonely.change({ key: entry.key, kind: 'ended' });
    expect(placed(lonely)).toEqual([]);
    lonely.change({ key: late.key, kind: 'accepted' });
    lonely.part(late, late.qty, '45441');
    expect(placed(lonely)).toEqual([`entry ${str(entry.qty)}`]);
  });

  it('counts for an entry that has merely moved', () => {
    const { lonely, entry } = squeezed();
    lonely.change({ key: entry.key, kind: 'accepted' });
    const price = dec('44000');
    const candle = { time: NOW, open: price, high: price, low: price, close: price, volume: ONE };
    lonely.run.input({ type: 'candle', symbol: 'BTCUSDT', frameMs: 60_000, candle } as never);
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: entry.key });
    lonely.part(entry, dec('0.008'), '44550');
    lonely.asked();
    lonely.change({ key: entry.key, kind: 'ended' });
    // 1000 USDT at 43560 buy 0.02295.
    expect(placed(lonely)).toEqual(['entry 0.01495']);
  });
});

/** `slot quantity` of the exits at the exchange, unfilled part only. */
const selling = (lonely: Lonely) =>
  [...lonely.run.slots.orders()].flatMap((o) =>
    o.role === 'exit' ? [`${o.slot} ${str(o.qty - o.executed)}`] : [],
  );

describe('targets while the entry fills on', () => {
  // proves: bot partial INTRADAY, bot INTRADAY targets
  it('INTRADAY: are shares of the whole entry, whatever of them has filled', () => {
    const lonely = new Lonely(
      'INTRADAY',
      {
        mode: 'breakout',
        trend: { [NOW]: 45000, [NOW + 1000]: 45000 },
        orders: { buy: { type: 'LIMIT', price: '0.5' } },
        takeProfits: [
          { percent: '1', size: 60 },
          { percent: '2', size: 40 },
        ],
        breakevenAfter: 2,
      },
      '44000',
    );
    lonely.tick('45200');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.part(entry, dec('0.01'), '45200');
    const first = lonely.placed();
    expect(first.map(({ qty }) => str(qty))).toEqual(['0.006', '0.004']);
    const [t0] = first as [RunOrder];
    for (const { key } of first) lonely.change({ key, kind: 'accepted' });
    lonely.part(t0, dec('0.005'), '45652');
    lonely.part(entry, dec('0.01'), '45200');
    for (const { key } of first) lonely.change({ key, kind: 'ended' });
    // 60 % of 0.02 less the 0.005 sold, and the rest.
    expect(selling(lonely)).toEqual(['target 0 0.007', 'target 1 0.008']);
    const [t0b, t1b] = lonely.placed() as [RunOrder, RunOrder];
    for (const { key } of [t0b, t1b]) lonely.change({ key, kind: 'accepted' });
    lonely.part(t0b, t0b.qty, '45652');
    expect(lonely.run.own).toMatchObject({ taken: 1 });
    lonely.part(entry, entry.qty - dec('0.02'), '45200');
    lonely.change({ key: t1b.key, kind: 'ended' });
    // 0.02201 were bought: 60 % of it less the 0.012 sold, and the rest.
    expect(str(entry.qty)).toBe('0.02201');
    expect(selling(lonely)).toEqual(['target 1 0.00881', 'target 0 0.0012']);
  });

  it('INTRADAY: of a new cycle are shares of what that has bought', () => {
    const takeProfits = [
      { percent: '1', size: 60 },
      { percent: '2', size: 40 },
    ];
    const trend = { [NOW]: 45000, [NOW + 1000]: 45000 };
    const buy = { type: 'LIMIT', price: '0.5' };
    const settings = {
      mode: 'breakout',
      trend,
      orders: { buy },
      takeProfits,
      maxEntries: 2,
      breakevenAfter: 1,
    };
    const lonely = new Lonely('INTRADAY', settings, '44000');
    lonely.tick('45200');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.part(entry, dec('0.01'), '45200');
    for (const target of lonely.placed()) {
      lonely.change({ key: target.key, kind: 'accepted' });
      lonely.part(target, target.qty, '46200');
    }
    expect(lonely.run.state.stats.cycles).toBe(1);
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: entry.key });
    // Before its cancel arrives.
    lonely.part(entry, dec('0.005'), '45200');
    expect(selling(lonely)).toEqual(['target 0 0.003', 'target 1 0.002']);
    expect(lonely.run.own).toMatchObject({ taken: 0, sold: [], breakeven: 'off' });
  });

  // proves: bot SQUEEZE trailingPart
  it('SQUEEZE trailingPart: half of what is held goes at the target', () => {
    const { lonely, entry } = squeezed({ trailingPart: true });
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.part(entry, dec('0.01'), '44550');
    const [fixed] = lonely.placed() as [RunOrder];
    lonely.change({ key: fixed.key, kind: 'accepted' });
    lonely.part(fixed, dec('0.003'), '45441');
    lonely.part(entry, dec('0.008'), '44550');
    lonely.change({ key: fixed.key, kind: 'ended' });
    // Half of 0.015.
    expect(selling(lonely)).toEqual(['exit 0.0075']);
  });

  // proves: bot rounding dust-small-exit
  it('what the exchange gives back of one is not placed alone where it is too little, and is dust in the end', () => {
    const { lonely, entry } = squeezed({ trailingPart: true });
    lonely.fill(entry, '44550');
    const [fixed] = lonely.placed() as [RunOrder];
    lonely.change({ key: fixed.key, kind: 'accepted' });
    lonely.part(fixed, fixed.qty - dec('0.0001'), '45441');
    lonely.asked();
    lonely.change({ key: fixed.key, kind: 'ended' });
    expect(placed(lonely)).toEqual([]);
    for (const price of ['46000', '45600']) lonely.tick(price);
    const [trailed] = lonely.placed() as [RunOrder];
    expect(trailed).toMatchObject({ type: 'MARKET', slot: 'trailed' });
    lonely.fill(trailed, '45600');
    expect(lonely.run.lots.open).toEqual([]);
    expect(lonely.run.state.stats.cycles).toBe(1);
  });
});

// proves: bot FIBO trailing-low
it('a FIBO that trails takes back what it could not buy when its cycle is over', () => {
  const lonely = new Lonely('FIBO', { ...FIBO, trailing: true }, '45000');
  for (const price of ['44500', '44945']) lonely.tick(price);
  const [first] = lonely.placed() as [RunOrder];
  lonely.fill(first, '44945');
  const [exit] = lonely.placed() as [RunOrder];
  for (const price of ['44000', '44440']) lonely.tick(price);
  const [second] = lonely.placed() as [RunOrder];
  expect(second).toMatchObject({ type: 'MARKET', into: [{ label: 'channel 0.500' }] });
  lonely.change({ key: second.key, kind: 'rejected', reason: 'not now', why: 'other' });
  lonely.tick('50000');
  lonely.fill(exit, '50000');
  expect(lonely.run.state.stats.cycles).toBe(1);
  lonely.wait(60_000);
  lonely.tick('50000');
  expect(placed(lonely)).toEqual([]);
});

// proves: bot run stop_and_sell
describe('a stop that sells', () => {
  const stop = (lonely: Lonely, force: boolean) =>
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: true, force });
  const sold = (lonely: Lonely, order: RunOrder) => {
    lonely.fill(order, '44000');
    lonely.change({ key: order.key, kind: 'ended' });
  };

  it.each([
    ['nothing is held', [], false],
    ['nothing is held, forced', [], true],
    ['another lot is held', ['44500'], false],
    ['another lot is held, forced', ['44500'], true],
  ] as const)('sells what an entry has bought before its cancel: %s', (_what, held, force) => {
    const [lonely, upper, lower] = twoEntries();
    for (const price of held) lonely.fill(upper, price);
    const resting = lonely.placed();
    stop(lonely, force);
    for (const { key } of resting) lonely.change({ key, kind: 'ended' });
    const exits = lonely.placed().filter(({ slot }) => slot === 'end');
    expect(exits).toHaveLength(held.length);
    lonely.fill(lower, '44000');
    lonely.change({ key: lower.key, kind: 'ended' });
    if (held.length === 0) lonely.change({ key: upper.key, kind: 'ended' });
    // Each exit that is already at the exchange still finds the lots it sells.
    for (const exit of exits) sold(lonely, exit);
    const [sale, ...more] = lonely.placed() as [RunOrder];
    expect(sale).toMatchObject({ side: 'SELL', type: 'MARKET', slot: 'end' });
    sold(lonely, sale);
    expect([...more, ...lonely.placed()]).toEqual([]);
    expect(lonely.run.lots.open).toEqual([]);
    expect(lonely.run.state.phase).toBe('ended');
    expect([...lonely.run.slots.orders()]).toEqual([]);
  });
});
