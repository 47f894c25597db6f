/**
 * Runs whose orders are refused, given back, or left unchanged: they go on, end when they should, and leave
 * resting orders alone.
 */
import { describe, expect, it } from 'vitest';
import type { RunOrder, WantedEntry } from '../../../src/bots/run/contract.ts';
import { applyStopCommand } from '../../../src/bots/run/stop-commands.ts';
import { dec, ZERO } from '../../../src/domain/decimal.ts';
import { NOW } from '../settings/support.ts';
import { holding, Lonely } from './lonely.ts';

const STOP_AND_SELL = { type: 'stop', cleanup: 'cancelAllOrders', sell: true } as const;

// proves: bot run entry-retry
it('what is wanted instead of a rejected entry goes out at once, not when that would have been tried again', () => {
  const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '44000' };
  const lonely = new Lonely('SCALE', scale, '45000');
  const [entry] = lonely.placed() as [RunOrder];
  lonely.change({ key: entry.key, kind: 'rejected', reason: 'busy', why: 'other' });
  expect(lonely.placed()).toEqual([]);
  const want = lonely.run.slots.get(entry.slot)?.want as WantedEntry;
  lonely.run.want(entry.slot, { ...want, price: dec('43000') });
  lonely.run.input({ type: 'timer', name: 'nothing' });
  expect(lonely.placed()).toMatchObject([{ slot: entry.slot, price: dec('43000') }]);
});

// proves: bot run entry-retry
describe('refusals of an entry', () => {
  const NO_RESERVE = { deposit: { value: '1000', asset: 'USDT', allocate: 'no_reserve' } };
  const WAITS = [1_000, 5_000, 30_000];

  /**
   * Refuses the order once for each retry delay, so that it is sent again each time; returns the last one
   * sent.
   */
  function triedAgain(lonely: Lonely, first: RunOrder, refuse: (order: RunOrder) => void): RunOrder {
    return WAITS.reduce((order, ms) => {
      refuse(order);
      lonely.wait(ms - 1);
      expect(lonely.placed()).toEqual([]);
      lonely.wait(1);
      const [again] = lonely.placed();
      expect(again).toMatchObject({ slot: first.slot, price: first.price });
      return again as RunOrder;
    }, first);
  }

  it.each([
    [1, 'other', {}],
    [2, 'other', {}],
    [3, 'other', {}],
    [1, 'balance', NO_RESERVE],
    [2, 'balance', NO_RESERVE],
    [3, 'balance', NO_RESERVE],
  ] as const)(
    'are its own: what is wanted instead after %i of them (%s) has all its tries before it',
    (times, why, changes) => {
      const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '44000', ...changes };
      const lonely = new Lonely('SCALE', scale, '45000');
      const refuse = ({ key }: RunOrder) =>
        lonely.change({ key, kind: 'rejected', reason: 'busy', why, sent: true });
      let [order] = lonely.placed() as [RunOrder];
      for (const [i, ms] of WAITS.slice(0, times).entries()) {
        if (i > 0) [order] = lonely.placed() as [RunOrder];
        refuse(order);
        if (i < times - 1) lonely.wait(ms);
      }
      const want = lonely.run.slots.get(order.slot)?.want as WantedEntry;
      lonely.run.want(order.slot, { ...want, price: dec('43000') });
      lonely.run.input({ type: 'timer', name: 'nothing' });
      const [other] = lonely.placed() as [RunOrder];
      expect(other).toMatchObject({ slot: order.slot, price: dec('43000') });
      const last = triedAgain(lonely, other, refuse);
      expect(lonely.run.state.phase).toBe('running');
      refuse(last);
      expect(lonely.run.state.phase).toBe(why === 'other' ? 'ended' : 'running');
    },
  );
});

// proves: bot run exit-retry
describe('a stop that sells', () => {
  it('sells when the exit that it withdraws turns out to have been rejected', () => {
    const { lonely, exit } = holding();
    lonely.run.input({ ...STOP_AND_SELL, force: false });
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: exit.key });
    lonely.change({ key: exit.key, kind: 'rejected', reason: 'it never arrived', why: 'other' });
    const [sale] = lonely.placed();
    expect(sale).toMatchObject({ type: 'MARKET', side: 'SELL', slot: 'end' });
    lonely.fill(sale as RunOrder, '45000');
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator' });
  });

  // proves: bot run stop_and_sell
  it.each([false, true])(
    'sells at MARKET whatever way the bot sells at its targets, with force %s',
    (force) => {
      const { lonely } = holding({ orders: { sell: { type: 'LIMIT', price: '0.4', size: 2 } } });
      expect(lonely.run.lots.open).toHaveLength(1);
      lonely.run.input({ ...STOP_AND_SELL, force });
      const sales = lonely.placed();
      expect(sales).toMatchObject(
        [1, 2].map(() => ({ type: 'MARKET', side: 'SELL', slot: 'end', price: null })),
      );
      for (const sale of sales) lonely.fill(sale, '44000');
      expect(lonely.run.lots.open).toEqual([]);
      expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator' });
    },
  );

  it('ends when the exit that it withdraws has sold everything before its cancel', () => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ ...STOP_AND_SELL, force: false });
    lonely.asked();
    lonely.fill(exit, '45450');
    expect(lonely.placed()).toEqual([]);
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator' });
  });

  it.each([
    ['that waits for it', { ...STOP_AND_SELL, force: false }],
    ['that does not wait', { ...STOP_AND_SELL, sell: false, force: true }],
  ])('asks again at its time for a cancel that was refused before the stop %s', (_what, stop) => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.want(exit.slot, null);
    lonely.run.input({ type: 'timer', name: 'nothing' });
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: exit.key });
    lonely.change({ key: exit.key, kind: 'stays' });
    lonely.run.input(stop);
    lonely.asked();
    lonely.wait(5_000);
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: exit.key });
  });

  it('asks again for a cancel that was refused, and does not end before', () => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: false });
    lonely.asked();
    lonely.change({ key: exit.key, kind: 'stays' });
    expect(lonely.run.state.phase).toBe('ending');
    expect(lonely.run.nextTimer()).toBeLessThan(NOW + 60_000);
    lonely.run.input({ type: 'timer', name: `retry ${exit.slot}` });
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: exit.key });
    lonely.change({ key: exit.key, kind: 'ended' });
    expect(lonely.run.state.phase).toBe('ended');
  });

  it('with force gives up a sale that the exchange takes and gives back', () => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ ...STOP_AND_SELL, force: true });
    expect(lonely.run.state.phase).toBe('ended');
    lonely.asked();
    lonely.change({ key: exit.key, kind: 'ended' });
    const [sale] = lonely.placed();
    lonely.change({ key: (sale as RunOrder).key, kind: 'ended' });
    const after = lonely.asked();
    expect(after.map((action) => action.do)).toEqual(['notice']);
    expect([...lonely.run.slots.orders()]).toEqual([]);
  });
});

// proves: bot run stop_and_sell, bot run force
describe('after the end of a run that was told to stop by force', () => {
  const SCALE = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '44000' };
  /** A resting entry that fills although its cancel is under way. */
  function filledLate(sell: boolean): { lonely: Lonely; entry: RunOrder } {
    const lonely = new Lonely('SCALE', SCALE, '45000');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell, force: true });
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: entry.key });
    expect(lonely.run.state.phase).toBe('ended');
    lonely.part(entry, entry.qty / 2n, '44000');
    return { lonely, entry };
  }

  it('what an entry still buys is sold, all of it, where selling was asked for', () => {
    const { lonely, entry } = filledLate(true);
    expect(lonely.placed()).toMatchObject([
      { type: 'MARKET', side: 'SELL', slot: 'end', qty: entry.qty / 2n },
    ]);
  });

  it('what an entry still buys is kept where it was not', () => {
    const { lonely, entry } = filledLate(false);
    expect(lonely.placed()).toEqual([]);
    expect(lonely.run.lots.total()).toBe(entry.qty / 2n);
  });

  it('a sale that the exchange gives back in part goes out again for the rest', () => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ ...STOP_AND_SELL, force: true });
    lonely.change({ key: exit.key, kind: 'ended' });
    const [sale] = lonely.placed() as [RunOrder];
    const half = dec('0.01');
    lonely.part(sale, half, '45000');
    lonely.change({ key: sale.key, kind: 'ended' });
    expect(lonely.placed()).toMatchObject([{ type: 'MARKET', side: 'SELL', qty: sale.qty - half }]);
  });
});

/** A run whose stop rule has triggered and whose sale was refused by the exchange. */
function refusedSale(): { lonely: Lonely; sale: RunOrder } {
  const rule = { strategy: 'price_percent_buy', trigger: { type: 'kline', value: 1 }, complete: true };
  const { lonely, exit } = holding({ stop: { ...rule, order: { type: 'MARKET' } } });
  lonely.change({ key: exit.key, kind: 'accepted' });
  lonely.tick('44000');
  lonely.change({ key: exit.key, kind: 'ended' });
  const [sale] = lonely.placed();
  lonely.change({ key: (sale as RunOrder).key, kind: 'rejected', reason: 'busy', why: 'other' });
  lonely.asked();
  return { lonely, sale: sale as RunOrder };
}

describe('an entry that rested and was cancelled by somebody else', () => {
  it.each([
    ['other', {}],
    ['balance', { deposit: { value: '1000', asset: 'USDT', allocate: 'no_reserve' } }],
  ] as const)('has all its tries before it again (%s)', (why, changes) => {
    const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '44000', ...changes };
    const lonely = new Lonely('SCALE', scale, '45000');
    const refused = (): RunOrder => {
      const [order] = lonely.placed() as [RunOrder];
      lonely.change({ key: order.key, kind: 'rejected', reason: 'busy', why, sent: true });
      return order;
    };
    for (const wait of [1_000, 5_000]) {
      refused();
      lonely.wait(wait);
    }
    const [order] = lonely.placed() as [RunOrder];
    lonely.change({ key: order.key, kind: 'accepted' });
    lonely.change({ key: order.key, kind: 'ended' });
    for (const wait of [1_000, 5_000, 30_000]) {
      refused();
      lonely.wait(wait - 1);
      expect(lonely.run.actions.filter(({ do: what }) => what === 'place')).toEqual([]);
      lonely.wait(1);
    }
    expect(lonely.placed()).toMatchObject([{ slot: order.slot, price: order.price }]);
    expect(lonely.run.state.phase).toBe('running');
  });
});

// proves: bot run exit-retry
describe('the sale of a stop rule that the exchange has refused', () => {
  it('is tried again by a run that is told to stop', () => {
    const { lonely, sale } = refusedSale();
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: false });
    expect(lonely.run.state.phase).toBe('ending');
    lonely.wait(60_000);
    const [again] = lonely.placed();
    expect(again).toMatchObject({ type: 'MARKET', side: 'SELL', slot: sale.slot, qty: sale.qty });
    lonely.fill(again as RunOrder, '44000');
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator' });
  });
});

describe('the sale of a stop rule that is too little while more is bought', () => {
  it('does not keep a run from ending that leaves its orders', () => {
    const rule = { strategy: 'price_percent_buy', trigger: { type: 'kline', value: 1 }, complete: true };
    const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '45000' };
    const stop = { ...rule, order: { type: 'MARKET' } };
    const lonely = new Lonely('SCALE', { ...scale, stop }, '46000');
    const [entry] = lonely.placed() as [RunOrder];
    const fill = { price: dec('45000'), qty: dec('0.0001'), fee: ZERO, feeAsset: 'BTC', maker: true };
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.change({ key: entry.key, kind: 'fill', fill });
    lonely.tick('44000');
    lonely.run.input({ type: 'stop', cleanup: 'leaveAllOrders', sell: false, force: false });
    expect(lonely.run.state.phase).toBe('ended');
  });
});

describe('a cancel that was refused', () => {
  it('is asked for again at its time, however often the order is filled in part meanwhile', () => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: false });
    lonely.asked();
    lonely.change({ key: exit.key, kind: 'stays' });
    for (let i = 0; i < 2; i++) {
      lonely.wait(2_000);
      // The host reports with each event of the order that no cancel is under way.
      lonely.change({ key: exit.key, kind: 'stays' });
    }
    lonely.wait(2_000);
    const asked = lonely.asked();
    expect(asked).toContainEqual({ do: 'cancel', key: exit.key });
    expect(asked.filter(({ do: what }) => what === 'notice')).toHaveLength(1);
  });
});

describe('a stop with a limit that another price than the last one triggers', () => {
  it('is not hurried to the market while it has not been triggered', () => {
    const { lonely, exit } = holding({ exchange: 'paper-futures' });
    lonely.change({ key: exit.key, kind: 'accepted' });
    const order = { type: 'STOP_LIMIT', stopPrice: '44000', workingType: 'MARK_PRICE' };
    const params = { strategy: 'fixed', trigger: { type: 'exchange' }, order, complete: true };
    expect(applyStopCommand(lonely.run, 'add_stoploss', params)).toBeNull();
    lonely.tick('45000');
    const [stop] = lonely.placed();
    expect(stop).toMatchObject({ type: 'STOP_LIMIT', workingType: 'MARK_PRICE' });
    // The last price crosses it and comes back; the mark price does not.
    lonely.tick('43900');
    lonely.tick('44900');
    lonely.wait(31_000);
    expect(lonely.asked()).toEqual([]);
    lonely.change({ key: (stop as RunOrder).key, kind: 'accepted' });
    lonely.tick('43900');
    lonely.wait(31_000);
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: (stop as RunOrder).key });
    lonely.change({ key: (stop as RunOrder).key, kind: 'ended' });
    lonely.change({ key: exit.key, kind: 'ended' });
    expect(lonely.placed()).toMatchObject([{ type: 'MARKET', side: 'SELL' }]);
  });
});

// proves: bot stop-rule cancels-exits
describe('a stop with a limit that the exchange has triggered', () => {
  /**
   * Two rules at the exchange with a limit, the second some dollars below the first, and the strategy's
   * exit: all for one lot.
   */
  function twoStops() {
    const { lonely, exit } = holding({ exchange: 'paper-futures' });
    lonely.change({ key: exit.key, kind: 'accepted' });
    for (const value of ['44000', '43990']) {
      const params = {
        strategy: 'fixed',
        trigger: { type: 'exchange', value },
        order: { type: 'LIMIT' },
        complete: true,
      };
      expect(applyStopCommand(lonely.run, 'add_stoploss', params)).toBeNull();
    }
    lonely.tick('45000');
    const [first, second] = lonely.placed() as [RunOrder, RunOrder];
    expect([first, second]).toMatchObject([{ type: 'STOP_LIMIT' }, { type: 'STOP_LIMIT' }]);
    return { lonely, exit, first, second };
  }

  it('has fired: no other exit of its lots stays, though all of them were triggered at once', () => {
    const { lonely, exit, first, second } = twoStops();
    lonely.change({ key: first.key, kind: 'accepted' });
    lonely.change({ key: second.key, kind: 'accepted' });
    lonely.tick('43900');
    const cancels = lonely.asked().filter((action) => action.do === 'cancel');
    expect(cancels).toEqual([exit.key, second.key].map((key) => ({ do: 'cancel', key })));
    lonely.change({ key: exit.key, kind: 'ended' });
    lonely.change({ key: second.key, kind: 'ended' });
    lonely.tick('43950');
    expect(lonely.asked()).toEqual([]);
    lonely.fill(first, '44000');
    expect(lonely.run.lots.open).toEqual([]);
  });

  it('has not fired for the one that takes its place: that rests when the first is gone', () => {
    const { lonely, exit, first, second } = twoStops();
    lonely.change({ key: first.key, kind: 'accepted' });
    lonely.change({ key: second.key, kind: 'accepted' });
    const params = {
      strategy: 'fixed',
      trigger: { type: 'exchange', value: '44000' },
      order: { type: 'LIMIT', workingType: 'MARK_PRICE' },
      complete: true,
    };
    expect(applyStopCommand(lonely.run, 'update_stoploss', params)).toBeNull();
    lonely.tick('45000');
    expect(lonely.asked()).toEqual([{ do: 'cancel', key: first.key }]);
    lonely.change({ key: first.key, kind: 'triggered' });
    expect(lonely.asked()).toEqual([]);
    lonely.change({ key: first.key, kind: 'ended' });
    expect(lonely.placed()).toMatchObject([{ type: 'STOP_LIMIT', workingType: 'MARK_PRICE', qty: exit.qty }]);
  });

  it('has fired as soon as the exchange tells, before the price is known here', () => {
    const { lonely, exit, first, second } = twoStops();
    lonely.change({ key: first.key, kind: 'accepted', triggered: true });
    lonely.change({ key: second.key, kind: 'accepted', triggered: true });
    const cancels = lonely.asked().filter((action) => action.do === 'cancel');
    expect(cancels).toEqual([exit.key, second.key].map((key) => ({ do: 'cancel', key })));
    lonely.tick('43900');
    expect(lonely.asked()).toEqual([]);
  });

  it('rests again, as the limit that it is by now, when somebody else cancels it', () => {
    const { lonely, exit, first, second } = twoStops();
    lonely.tick('43900');
    for (const { key } of [exit, second, first]) lonely.change({ key, kind: 'ended' });
    const [again] = lonely.placed();
    expect(again).toMatchObject({ type: 'LIMIT', side: 'SELL', price: first.price, stopPrice: null });
  });
});

describe('an exit that brings the cost back', () => {
  it('keeps nothing of what was bought after it was placed', () => {
    const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '45000' };
    const lonely = new Lonely('SCALE', { ...scale, profitAsset: 'base' }, '46000');
    const [entry] = lonely.placed() as [RunOrder];
    const part = { qty: entry.qty / 2n, price: dec('45000'), fee: ZERO, feeAsset: 'BTC', maker: true };
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.change({ key: entry.key, kind: 'fill', fill: part });
    const [exit] = lonely.placed() as [RunOrder];
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.change({ key: entry.key, kind: 'fill', fill: part });
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: exit.key });
    // The cancel comes too late.
    lonely.fill(exit, '45450');
    const [rest] = lonely.placed();
    expect(rest).toMatchObject({ role: 'exit', side: 'SELL' });
    expect((rest as RunOrder).qty).toBeGreaterThanOrEqual(exit.qty);
  });
});

describe('what is left of an entry', () => {
  it('is all that is placed again when the exchange rejects it after a part has filled', () => {
    const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '45000' };
    const lonely = new Lonely('SCALE', scale, '46000');
    const [entry] = lonely.placed() as [RunOrder];
    const qty = entry.qty / 2n;
    const fill = { price: dec('45000'), qty, fee: ZERO, feeAsset: 'BTC', maker: true };
    lonely.change({ key: entry.key, kind: 'accepted' });
    lonely.change({ key: entry.key, kind: 'fill', fill });
    lonely.asked();
    lonely.change({ key: entry.key, kind: 'rejected', reason: 'later', why: 'other' });
    lonely.wait(2_000);
    expect(lonely.placed()).toMatchObject([{ role: 'entry', qty: entry.qty - qty }]);
  });

  it('is not placed again where it is below the minimum of the exchange', () => {
    const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, entryPrice: '45000' };
    const lonely = new Lonely('SCALE', { ...scale, range: { type: 'price', max: '47000' } }, '46000');
    const [entry] = lonely.placed();
    if (!entry) throw new Error('no entry');
    lonely.change({ key: entry.key, kind: 'accepted' });
    const qty = entry.qty - dec('0.0001');
    const fill = { price: dec('45000'), qty, fee: ZERO, feeAsset: 'BTC', maker: true };
    lonely.change({ key: entry.key, kind: 'fill', fill });
    // The range closes and opens again.
    lonely.tick('48000');
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: entry.key });
    lonely.change({ key: entry.key, kind: 'ended' });
    lonely.tick('46000');
    expect(lonely.placed().filter(({ role }) => role === 'entry')).toEqual([]);
    expect(lonely.run.state.phase).toBe('running');
  });
});

describe('an order that rests as it was wanted', () => {
  it('stays when the price moves under a stop entry that is sized by money', () => {
    const changes = {
      quantity: undefined,
      deposit: { value: '1000', asset: 'USDT' },
      entry: { type: 'STOP_MARKET', stopPrice: '46000' },
      takeProfit: { percent: '2' },
      stopLoss: { percent: '2' },
    };
    const lonely = new Lonely('BRACKET', changes, '45000');
    const [entry] = lonely.placed();
    lonely.change({ key: (entry as RunOrder).key, kind: 'accepted' });
    lonely.tick('42000');
    expect(lonely.touched()).toEqual([]);
  });

  it('stays when an exit of a part is less than its lot by the fee', () => {
    const lonely = new Lonely('FIBO', { crossChannelSell: true }, '47000');
    const [entry] = lonely.placed();
    lonely.fill(entry as RunOrder, '45000');
    for (const { key } of lonely.placed()) lonely.change({ key, kind: 'accepted' });
    expect(lonely.touched()).toEqual([]);
  });
});
