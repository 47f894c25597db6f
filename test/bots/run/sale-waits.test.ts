/**
 * The sale of a stop rule that the exchange refuses is tried again later: until then its lots are its own,
 * whatever else of the strategy would sell them.
 */
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { NOW } from '../settings/support.ts';
import { holding, Lonely } from './lonely.ts';

const channel = (name: string, depositePercent: string, fiboPrice: string) => ({
  name,
  depositePercent,
  fiboPrice,
});
/** Sells what is older than a minute, at whatever price. */
const OLD = {
  strategy: 'timeout_buy',
  trigger: { type: 'timeout', value: '60000' },
  order: { type: 'MARKET' },
  complete: true,
};
const FIBO = {
  onetime: false,
  green: '1',
  channels: [channel('0', '0', '40000'), channel('0.500', '100', '44000'), channel('1', '0', '60000')],
};
const INTRADAY = {
  mode: 'breakout',
  trend: { [NOW]: 45000, [NOW + 1000]: 45000 },
  takeProfits: [
    { percent: '1', size: 60 },
    { percent: '30', size: 40 },
  ],
  breakevenAfter: 1,
  maxEntries: 3,
};

it.each([
  ['FIBO', 'green', FIBO, '45000', ['44000'], ['46000', '44100']],
  ['INTRADAY', 'break-even', INTRADAY, '44000', ['45200', '46200'], ['45250', '45000', '44000']],
] as const)('%s: the %s sale leaves it alone', (kind, _what, settings, first, before, after) => {
  const lonely = new Lonely(kind, { ...settings, stop: [OLD] }, first);
  const open = new Map<string, RunOrder>();
  const listen = () => {
    const placed: RunOrder[] = [];
    for (const action of lonely.asked()) {
      if (action.do === 'place') {
        open.set(action.order.key, action.order);
        placed.push(action.order);
      } else if (action.do === 'cancel' && open.delete(action.key))
        lonely.change({ key: action.key, kind: 'ended' });
    }
    return placed;
  };
  listen();
  for (const price of before) {
    lonely.tick(price);
    listen();
    // The order that is due at this price.
    const due = [...open.values()].find(({ type, role, price: at }) =>
      type === 'MARKET' || role === 'entry' ? true : at !== null && Number(at) / 1e30 <= Number(price),
    );
    if (!due) throw new Error(`nothing is due at ${price}`);
    open.delete(due.key);
    lonely.fill(due, price);
    listen();
  }
  const held = lonely.run.lots.keys;
  expect(held).toHaveLength(1);
  lonely.wait(61_000);
  let sale = [...listen(), ...listen()].at(-1);
  for (const ms of [1_000, 5_000, 0]) {
    expect(sale).toMatchObject({ slot: 'stop:0', type: 'MARKET', from: held });
    open.delete(sale?.key ?? '');
    lonely.change({ key: sale?.key ?? '', kind: 'rejected', reason: 'busy', why: 'other' });
    lonely.wait(ms);
    sale = listen().at(-1);
  }
  for (const price of after) {
    lonely.tick(price);
    expect(listen(), price).toEqual([]);
  }
  lonely.wait(30_000);
  expect(listen()).toMatchObject([{ slot: 'stop:0', type: 'MARKET', from: held }]);
});

it.each([
  [
    'rejects',
    { kind: 'rejected', reason: 'busy', why: 'other' },
    'was rejected after the end of the run: busy',
  ],
  ['takes and gives back', { kind: 'ended' }, 'found nobody after the end of the run'],
] as const)(
  'a sale after a forced end that the exchange %s is told once and never sent again',
  (_how, change, text) => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: true, force: true });
    lonely.change({ key: exit.key, kind: 'ended' });
    const [sale] = lonely.placed() as [RunOrder];
    expect(sale).toMatchObject({ slot: 'end', type: 'MARKET' });
    lonely.change({ key: sale.key, ...change });
    expect(lonely.asked()).toMatchObject([{ do: 'notice', level: 1, text: expect.stringContaining(text) }]);
    lonely.wait(60_000);
    expect(lonely.touched()).toEqual([]);
    expect([...lonely.run.slots.orders()]).toEqual([]);
  },
);

it('the sale of a stop rule that finds nobody goes out again with the next tick, and not before', () => {
  const rule = { strategy: 'price_percent_buy', trigger: { type: 'kline', value: 1 }, complete: true };
  const { lonely, exit } = holding({ stop: { ...rule, order: { type: 'MARKET' } } });
  lonely.change({ key: exit.key, kind: 'accepted' });
  lonely.tick('44000');
  lonely.change({ key: exit.key, kind: 'ended' });
  for (let n = 0; n < 4; n++) {
    const [sale, ...more] = lonely.placed() as [RunOrder];
    expect([sale.type, more]).toEqual(['MARKET', []]);
    lonely.change({ key: sale.key, kind: 'accepted' });
    lonely.change({ key: sale.key, kind: 'ended' });
    lonely.wait(500);
    expect(lonely.placed()).toEqual([]);
    lonely.tick('44000');
  }
});
