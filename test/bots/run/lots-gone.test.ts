/** A quantity that a run wanted to sell and that was sold otherwise is not sold again from the next buy. */
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { dec, ONE, str, ZERO } from '../../../src/domain/decimal.ts';
import { holding, Lonely } from './lonely.ts';

const STOP = { strategy: 'fixed', trigger: { type: 'kline', value: '44000' }, order: { type: 'LIMIT' } };

it('a stop whose lots the target has sold before its cancel arrived is over: the next cycle is not its own', () => {
  const { lonely, exit } = holding({ stop: [STOP] });
  lonely.change({ key: exit.key, kind: 'accepted' });
  lonely.asked();
  // The stop waits until the target is withdrawn.
  lonely.tick('43900');
  expect(lonely.asked()).toContainEqual({ do: 'cancel', key: exit.key });
  lonely.part(exit, exit.qty, '45450');
  lonely.tick('45000');
  const [base] = lonely.placed() as [RunOrder];
  expect(base).toMatchObject({ role: 'entry', type: 'MARKET' });
  lonely.fill(base, '45000');
  expect(lonely.placed().map(({ slot }) => slot)).toEqual(['exit']);
});

it('an exit across channels leaves a lot that a stop is selling to that sale', () => {
  const trigger = { type: 'timeout', value: '60000' };
  const stop = { strategy: 'timeout_buy', trigger, order: { type: 'MARKET' }, complete: false };
  const lonely = new Lonely('FIBO', { crossChannelSell: true, stop: [stop] }, '46000');
  const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
  lonely.fill(upper, '45000');
  const [resting] = lonely.placed() as [RunOrder];
  lonely.wait(61_000);
  lonely.change({ key: resting.key, kind: 'ended' });
  const [sale] = lonely.placed() as [RunOrder];
  expect(sale).toMatchObject({ type: 'MARKET', qty: resting.qty });
  // The other channel buys before the sale is reported, and its exit fills first.
  lonely.fill(lower, '40000');
  const [exit] = lonely.placed() as [RunOrder];
  lonely.part(exit, exit.qty, '45000');
  expect(lonely.run.lots.keys).toContain(upper.into[0]?.lot);
  lonely.part(sale, sale.qty, '45000');
  expect(lonely.run.lots.keys).not.toContain(upper.into[0]?.lot);
  expect(lonely.run.lots.state.oversold).toBe(ZERO);
});

it.each([
  ['long', 'SELL', '4', '-3'],
  ['short', 'BUY', '-4', '3'],
])(
  'a tpsl on a whole position that was %s is over when that has turned to the other side',
  (_way, side, is, turned) => {
    const of = (amount: string) => ({ amount: dec(amount), entryPrice: dec('45000') });
    const tpsl = { exchange: 'paper-futures', side, quantity: undefined };
    const lonely = new Lonely('TPSL', tpsl, '45000', of(is));
    expect(lonely.placed().map(({ qty }) => str(qty))).toEqual(['4', '4']);
    lonely.position = of(turned);
    lonely.tick('45000');
    expect(lonely.placed()).toEqual([]);
    expect([str(lonely.run.lots.total()), lonely.run.state.reason]).toEqual(['0', 'completed']);
  },
);

it('a tpsl on a whole position has both its orders for what others have left of it, each time', () => {
  const of = (amount: string) => ({ amount: dec(amount), entryPrice: dec('45000') });
  const tpsl = { exchange: 'paper-futures', quantity: undefined };
  const lonely = new Lonely('TPSL', tpsl, '45000', of('4'));
  let open = lonely.placed();
  expect(open.map(({ qty }) => str(qty))).toEqual(['4', '4']);
  for (const left of ['2.5', '3', '1']) {
    for (const { key } of open) lonely.change({ key, kind: 'accepted' });
    lonely.position = of(left);
    lonely.tick('45000');
    expect(lonely.asked()).toEqual(open.map(({ key }) => ({ do: 'cancel', key })));
    for (const { key } of open) lonely.change({ key, kind: 'ended' });
    open = lonely.placed();
    expect(open.map(({ slot, qty }) => `${slot} ${str(qty)}`).toSorted()).toEqual([
      `stop loss ${left}`,
      `take profit ${left}`,
    ]);
  }
});

it('what others close of a lot costs what they have paid for it, which is among the fees', () => {
  const { lots } = new Lonely('SCALE', { scale: { orders: 0, step: '1', takeProfit: '1' } }, '45000').run;
  const qty = dec('0.01');
  lots.buy('a', 'a', { price: dec('40000'), qty, fee: dec('0.4'), feeAsset: 'USDT', maker: false }, qty, 0);
  expect(lots.lose(dec('0.004'), dec('30000'), dec('0.5'))).toEqual([]);
  const { fees, realised, lost } = lots.state;
  expect([lots.total(), fees, realised, lost].map(str)).toEqual(['0.006', '0.9', '-40.9', '0.004']);
});

it('a cell whose lot others have closed is bought anew while another one holds on; each is a cycle, the last one the end', () => {
  const settings = {
    exchange: 'paper-futures',
    deposit: { value: '22', asset: 'USDT' },
    levels: [
      { buy: '44000', sell: '46000' },
      { buy: '43000', sell: '45500' },
    ],
  };
  const lonely = new Lonely('LEVELS', settings, '45000');
  const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
  expect([upper.qty, lower.qty].map(str)).toEqual(['0.00025', '0.00025']);
  lonely.fill(upper, '44000');
  lonely.fill(lower, '43000');
  const close = (qty: string) => {
    const lost = { qty: dec(qty), price: dec('42900'), fee: ZERO, reason: 'closed elsewhere' } as const;
    lonely.run.input({ type: 'position', lost });
  };
  lonely.asked();
  close('0.00049');
  expect(lonely.run.lots.keys).toEqual([lower.into[0]?.lot]);
  expect(lonely.placed().filter(({ role }) => role === 'entry')).toMatchObject([
    { slot: upper.slot, price: dec('44000') },
  ]);
  expect([lonely.run.state.phase, lonely.run.state.stats.cycles]).toEqual(['running', 1]);
  close('0.00001');
  expect(lonely.run.lots.open).toEqual([]);
  const { reason, stats } = lonely.run.state;
  expect([reason, stats.cycles, stats.winningCycles]).toEqual(['closed elsewhere', 2, 0]);
});

it.each([false, true])(
  'a run that is ending buys nothing anew of what others have closed meanwhile, selling %s',
  (sell) => {
    const settings = {
      exchange: 'paper-futures',
      deposit: { value: '22', asset: 'USDT' },
      levels: [
        { buy: '44000', sell: '46000' },
        { buy: '43000', sell: '45500' },
      ],
    };
    const lonely = new Lonely('LEVELS', settings, '45000');
    const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
    lonely.fill(upper, '44000');
    lonely.fill(lower, '43000');
    for (const { key } of lonely.placed()) lonely.change({ key, kind: 'accepted' });
    const { cycles } = lonely.run.state.stats;
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell, force: false });
    expect(lonely.run.state.phase).toBe('ending');
    lonely.asked();
    const lost = { qty: dec('0.00049'), price: dec('42900'), fee: ZERO, reason: 'closed elsewhere' } as const;
    lonely.run.input({ type: 'position', lost });
    expect(str(lonely.run.lots.total())).toBe('0.00001');
    expect(lonely.placed().filter(({ role }) => role === 'entry')).toEqual([]);
    expect([...lonely.run.slots.state.slots.values()].filter(({ want }) => want?.role === 'entry')).toEqual(
      [],
    );
    expect([lonely.run.state.phase, lonely.run.state.stats.cycles]).toEqual(['ending', cycles]);
  },
);

it('an exit that sells more than its lots sells of the dust first, for what that has cost', () => {
  const { lots } = new Lonely('SCALE', { scale: { orders: 0, step: '1', takeProfit: '1' } }, '45000').run;
  const fill = (qty: string, price: string) =>
    ({ price: dec(price), qty: dec(qty), fee: ZERO, feeAsset: 'USDT', maker: true }) as const;
  const bought = fill('0.010006', '40000');
  lots.buy('a', 'a', bought, bought.qty, 0);
  // A stop has reduced its lot to whole steps, while an exit of more than that was on its way.
  expect(str(lots.sellable(['a'], dec('45000')))).toBe('0.01');
  expect(str(lots.state.dust)).toBe('0.000006');
  lots.sell(['a'], fill('0.010004', '50000'));
  const { dust, dustCost, oversold, realised } = lots.state;
  expect([dust, dustCost, oversold, realised].map(str)).toEqual(['0.000002', '0.08', '0', '100.04']);
  // No lot is left to which more could belong.
  lots.sell(['a'], fill('0.000005', '50000'));
  expect([lots.state.dust, lots.state.dustCost, lots.state.oversold].map(str)).toEqual([
    '0',
    '0',
    '0.000003',
  ]);
});

it.each([
  ['a dollar more', '45001', 1],
  ['just what it has paid', '45000', 0],
  ['a dollar less', '44999', 0],
])('a cycle whose sale brings %s is counted, as won only with a profit', (_what, price, won) => {
  const settings = { scale: { orders: 0, step: '1', takeProfit: '1' } };
  const lonely = new Lonely('SCALE', settings, '45000');
  const [entry] = lonely.placed() as [RunOrder];
  lonely.part(entry, entry.qty, '45000');
  const [exit] = lonely.placed() as [RunOrder];
  lonely.part(exit, exit.qty, price);
  const { cycles, winningCycles } = lonely.run.state.stats;
  expect([cycles, winningCycles]).toEqual([1, won]);
});

it.each([
  ['long', false, 1],
  ['short', true, 2],
])('the drawdown of a %s is that of the worst price of a candle for it', (_way, short, share) => {
  const settings = { exchange: 'paper-futures', short, scale: { orders: 0, step: '1', takeProfit: '5' } };
  const lonely = new Lonely('SCALE', settings, '45000');
  const [entry] = lonely.placed() as [RunOrder];
  lonely.part(entry, entry.qty, '45000');
  const at = (open: string, high: string, low: string, close: string) => ({
    time: 0,
    volume: ONE,
    trades: 1,
    open: dec(open),
    high: dec(high),
    low: dec(low),
    close: dec(close),
  });
  const candle = at('45000', '45900', '44550', '45000') as never;
  lonely.run.input({ type: 'candle', symbol: 'BTCUSDT', frameMs: 60_000, candle });
  const { stats, budget } = lonely.run.state;
  const lost = (entry.qty * dec('450') * BigInt(share)) / ONE;
  expect(Number(stats.maxDrawdown) / Number((100n * lost * ONE) / budget)).toBeCloseTo(1, 9);
});

it('a stop that sold a part and a target that sold the rest complete one cycle, whichever is heard of last', () => {
  const stop = {
    strategy: 'price_percent_buy',
    trigger: { type: 'exchange', value: '2' },
    order: { type: 'MARKET' },
  };
  const settings = {
    exchange: 'paper-futures',
    stop: [stop],
    scale: { orders: 0, step: '1', takeProfit: '1' },
  };
  const cyclesOf = (last: 'stop' | 'target') => {
    const lonely = new Lonely('SCALE', settings, '45000');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.part(entry, entry.qty, '45000');
    const [target, resting] = lonely.placed() as [RunOrder, RunOrder];
    expect([target.slot, resting.slot]).toEqual(['exit', 'stop:0']);
    for (const { key } of [target, resting]) lonely.change({ key, kind: 'accepted' });
    const [first, second] = last === 'target' ? [resting, target] : [target, resting];
    const part = dec('0.001');
    lonely.part(first, part, '44100');
    lonely.part(second, entry.qty - part, '45450');
    for (const { key } of [first, second]) lonely.change({ key, kind: 'ended' });
    expect(lonely.run.lots.open).toEqual([]);
    return lonely.run.state.stats.cycles;
  };
  expect([cyclesOf('target'), cyclesOf('stop')]).toEqual([1, 1]);
});
