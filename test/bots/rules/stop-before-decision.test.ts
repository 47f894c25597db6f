/**
 * One tick reaches a stop and a level: the stop sells first, and the run decides about the tick with what is
 * left (strategies.md R10).
 */
import { describe, expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { plays } from '../../scenarios/scene.ts';
import { Lonely } from '../run/lonely.ts';
import { NOW } from '../settings/support.ts';
import { fibo, scale, stop } from './bots.ts';

/** Half at 100, half at 98, each as a MARKET order when its level is reached. */
const LEVELS = [
  { name: '0', fiboPrice: '98', depositePercent: '50' },
  { name: '0.500', fiboPrice: '100', depositePercent: '50' },
  { name: '1', fiboPrice: '104', depositePercent: '0' },
];
const AT_MARKET = fibo({ orders: { buy: { type: 'MARKET' } }, channels: LEVELS, onetime: true });

const RULE = { complete: true };

// proves: bot ruling R10
describe.each([false, true])('a tick through a stop and a level, futures %s', (futures) => {
  it.each([
    ['a stop that rests', stop('price_percent_buy', 'exchange', { value: '1' }, RULE)],
    ['a rule of every tick', stop('price_percent_buy', 'kline', { value: '1', closed: false }, RULE)],
  ])('%s sells, and nothing is bought for the cycle that is over', async (_what, rule) => {
    await plays('FIBO', {
      futures,
      settings: { ...AT_MARKET, stop: rule },
      events: ['0 102', '10 100', '20 97.5', '30 99'],
      fills: ['10 BUY 0.5 at 100 taker', '20 SELL 0.5 at 97.5 taker'],
      status: 'STOPPED',
      reason: 'completed',
    });
  });

  it('where nothing rests beside the stop the same', async () => {
    await plays('FIBO', {
      futures,
      settings: {
        ...AT_MARKET,
        buyOnly: true,
        stop: stop('price_percent_buy', 'exchange', { value: '1' }, RULE),
      },
      events: ['0 102', '10 100', '20 97.5', '30 99'],
      fills: ['10 BUY 0.5 at 100 taker', '20 SELL 0.5 at 97.5 taker'],
      status: 'STOPPED',
      reason: 'completed',
    });
  });
});

/** A run that holds a lot of the upper level, with its stop at the exchange. */
function holding(): { lonely: Lonely; resting: RunOrder } {
  const lonely = new Lonely(
    'FIBO',
    {
      buyOnly: true,
      orders: { buy: { type: 'MARKET' } },
      channels: [
        { name: '0', fiboPrice: '40000', depositePercent: '50' },
        { name: '0.500', fiboPrice: '45000', depositePercent: '50' },
        { name: '1', fiboPrice: '50000', depositePercent: '0' },
      ],
      onetime: false,
      stop: stop('price_percent_buy', 'exchange', { value: '5' }, RULE),
    },
    '46000',
  );
  lonely.tick('45000');
  const [entry] = lonely.placed();
  lonely.fill(entry as RunOrder, '45000');
  lonely.change({ key: (entry as RunOrder).key, kind: 'ended' });
  const [resting] = lonely.placed();
  expect(resting).toMatchObject({ role: 'exit', type: 'STOP_MARKET' });
  return { lonely, resting: resting as RunOrder };
}

describe('a stop that has fired and whose sale is on its way', () => {
  it('lets the run decide about the last price once it is over, not before', () => {
    const { lonely, resting } = holding();
    lonely.change({ key: resting.key, kind: 'triggered' });
    lonely.tick('39900');
    lonely.tick('39800');
    expect(lonely.placed()).toEqual([]);
    lonely.fill(resting, '39900');
    lonely.change({ key: resting.key, kind: 'ended' });
    // A new cycle, whose levels are above the price: they wait until the price has been above them.
    expect(lonely.placed()).toEqual([]);
    expect(lonely.run.state.stats.cycles).toBe(1);
    expect(lonely.run.state.tick).toBeNull();
    lonely.tick('46000');
    lonely.tick('45000');
    expect(lonely.placed().map(({ label }) => label)).toEqual(['channel 0.500']);
  });

  it.each([false, true])(
    'the run knows then which price came before it, started again meanwhile: %s',
    (again) => {
      const settings = {
        mode: 'bounce',
        trend: { [NOW]: 45000, [NOW + 1_000]: 45000 },
        maxEntries: 2,
        stop: stop('fixed', 'exchange', { value: '44000' }, RULE),
      };
      const lonely = new Lonely('INTRADAY', settings, '46000');
      lonely.tick('45000');
      lonely.tick('45200');
      const [entry] = lonely.placed() as [RunOrder];
      lonely.fill(entry, '45200');
      lonely.change({ key: entry.key, kind: 'ended' });
      const targets = lonely.placed();
      for (const { key } of targets) lonely.change({ key, kind: 'accepted' });
      lonely.tick('46000');
      lonely.tick('43900');
      if (again) lonely.again((state) => structuredClone(state));
      for (const { key } of targets) lonely.change({ key, kind: 'ended' });
      const [sale] = lonely.placed() as [RunOrder];
      lonely.fill(sale, '43900');
      lonely.change({ key: sale.key, kind: 'ended' });
      expect(lonely.run.state.stats.cycles).toBe(1);
      // From above the line to below it: the second cycle has its touch.
      expect(lonely.run.own).toMatchObject({ stage: 'touched' });
    },
  );

  it('is sold again at its time where the exchange has refused it, and the run decides meanwhile', () => {
    const { lonely, resting } = holding();
    lonely.change({ key: resting.key, kind: 'triggered' });
    lonely.tick('39900');
    expect(lonely.placed()).toEqual([]);
    lonely.change({ key: resting.key, kind: 'rejected', reason: 'busy', why: 'other', sent: true });
    expect(lonely.run.state.tick).toBeNull();
    lonely.wait(1_000);
    expect(lonely.placed().map(({ role, type }) => `${role} ${type}`)).toEqual(['exit MARKET']);
  });

  it.each(['the entries first', 'the sale first'])(
    'no entry is placed beside it that it would sell as well, and the run buys again when it is over: told of %s',
    (order) => {
      const settings = scale(
        { entryPrice: '45000', stop: stop('price_percent_buy', 'kline', { value: '1.5', closed: false }) },
        { orders: 2, step: '0.5' },
      );
      const lonely = new Lonely('SCALE', settings, '44900');
      const [base] = lonely.placed() as [RunOrder];
      lonely.change({ key: base.key, kind: 'accepted' });
      // Too little to be sold separately.
      const few = base.qty / 50n - ((base.qty / 50n) % lonely.run.rules.step);
      lonely.part(base, few, '44900');
      const safeties = lonely.placed().filter(({ role }) => role === 'entry');
      expect(safeties.map(({ label }) => label)).toEqual(['safety order 1', 'safety order 2']);
      for (const { key } of safeties) lonely.change({ key, kind: 'accepted' });
      lonely.tick('44000');
      // The rest fills at a better price than the average: the safety orders' prices move, and the stop
      // sells.
      lonely.part(base, base.qty - few, '45000');
      lonely.change({ key: base.key, kind: 'ended' });
      const toldOfEntries = () => {
        for (const { key } of safeties) lonely.change({ key, kind: 'ended' });
        expect(lonely.placed().filter(({ role }) => role === 'entry')).toEqual([]);
      };
      const asked = lonely.placed();
      if (order === 'the entries first') toldOfEntries();
      const sale = [...asked, ...lonely.placed()].find(({ role }) => role === 'exit') as RunOrder;
      expect(sale).toMatchObject({ type: 'MARKET' });
      lonely.fill(sale, '44000');
      lonely.change({ key: sale.key, kind: 'ended' });
      if (order === 'the sale first') toldOfEntries();
      expect(lonely.run.state.stats.cycles).toBe(1);
      lonely.tick('44900');
      expect(lonely.placed().map(({ label }) => label)).toEqual(['base order']);
    },
  );
});
