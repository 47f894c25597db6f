/** A run does not buy and sell repeatedly at one price, neither in the backtest nor on a desk (R1). */
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import type { RunOrder, Wanted, WantedExit } from '../../../src/bots/run/contract.ts';
import { MOST_SENDS, paceName, SendPace } from '../../../src/bots/run/send-pace.ts';
import type { Slot } from '../../../src/bots/run/slot.ts';
import { type Dec, dec } from '../../../src/domain/decimal.ts';
import { playOnDesk } from '../../scenarios/on-desk.ts';
import { playOnTickMarket } from '../../scenarios/on-tick-market.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { holding, Lonely } from './lonely.ts';

const START = 1_700_000_040_000;
const DROP = START + 70_000;

/** The price falls through the entry and stays beyond the stop: what is bought is sold at once. */
const CIRCLE = {
  name: 'bought into a passed stop',
  instrument: {
    symbol: 'BTCUSDT',
    base: 'BTC',
    quote: 'USDT',
    kind: 'spot',
    tickSize: '0.01',
    stepSize: '0.001',
    minQty: '0.001',
    minNotional: '5',
    makerRate: '0.001',
    takerRate: '0.001',
  },
  balances: { USDT: '1000', BTC: '0' },
  settings: {
    symbol: { base: 'BTC', quote: 'USDT' },
    exchange: 'paper-spot',
    timeFrame: 60_000,
    deposit: { value: '900', asset: 'USDT' },
    price: { percent: { buy: '1', sell: '1' } },
    stop: [
      {
        strategy: 'fixed',
        trigger: { type: 'exchange', value: '97' },
        order: { type: 'MARKET' },
        complete: true,
      },
    ],
  },
  start: START,
  events: [
    { at: START, tick: '100' },
    { at: START + 60_000, advance: true },
    { at: DROP, tick: '96' },
  ],
  expect: {},
} as unknown as Scenario;

describe('a slot that sends at one moment of market time', () => {
  it.each([
    ['in the backtest', async () => playOnTickMarket('SQUEEZE', CIRCLE)],
    ['on a desk', () => playOnDesk('SQUEEZE', CIRCLE)],
  ])('does not buy again into the stop that has just sold, %s', async (_where, play) => {
    const { fills } = await play();
    expect(fills.map(({ at, side }) => `${at - DROP} ${side}`)).toEqual(['0 BUY', '0 SELL']);
  });

  it('has its three again at the next moment, and another slot has its own', () => {
    const pace = new SendPace();
    for (let n = 0; n < MOST_SENDS; n++) {
      expect(pace.allows('entry', 5)).toBe(true);
      pace.sent('entry', 5);
    }
    expect(pace.allows('entry', 5)).toBe(false);
    expect([pace.waits('entry'), pace.waits('entry')]).toEqual([true, false]);
    expect(pace.allows('exit', 5)).toBe(true);
    expect(pace.allows('entry', 6)).toBe(true);
  });

  it('is that of an entry as a whole, of an exit by its lot, and what rests for one apart from its sale', () => {
    const exit = (lots: string[], change: object = {}) =>
      ({ role: 'exit', type: 'LIMIT', price: 1n, stopPrice: null, lots, ...change }) as unknown as WantedExit;
    const named = (want: Wanted, fired = false) => paceName({ name: 'x', fired } as Slot, want);
    const names = [
      named({ role: 'entry', type: 'MARKET', price: null, stopPrice: null } as unknown as Wanted),
      named(exit(['a', 'b'])),
      named(exit(['b'])),
      named(exit([])),
      named(exit(['a']), true),
      named(exit(['b']), true),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(named(exit(['a'], { type: 'MARKET', price: null }))).toBe(named(exit(['a']), true));
    // A stop at MARKET rests until it fires.
    expect(named(exit(['a'], { type: 'MARKET', price: null, stopPrice: 1n }))).toBe(named(exit(['a', 'b'])));
  });

  // proves: bot ruling R1
  it('is an exit that grows: the one that is there stays when it may not be replaced, till the next tick', () => {
    const lonely = new Lonely('SCALE', { scale: { orders: 5, step: '1', takeProfit: '1' } }, '45000');
    const [base] = lonely.placed() as [RunOrder];
    lonely.fill(base, '45000');
    lonely.change({ key: base.key, kind: 'ended' });
    const asked = lonely.placed();
    const safety = asked.filter(({ role }) => role === 'entry');
    let exit = asked.find(({ role }) => role === 'exit') as RunOrder;
    expect(safety).toHaveLength(5);
    const notices: string[] = [];
    for (const order of safety) {
      lonely.fill(order, '42000');
      lonely.change({ key: order.key, kind: 'ended' });
      for (const action of lonely.asked()) {
        if (action.do === 'notice' && action.level === 1) notices.push(action.text);
        if (action.do !== 'cancel') continue;
        lonely.change({ key: action.key, kind: 'ended' });
        exit = lonely.placed().find(({ role }) => role === 'exit') as RunOrder;
      }
    }
    // Sent three times: with the base order, and with the first two of the safety orders.
    expect(exit.from).toHaveLength(3);
    expect(exit.cancelAsked).toBe(false);
    expect(notices).toEqual(['exit: sent again and again at one price; it waits for the next tick']);
    lonely.tick('42000');
    expect(lonely.asked()).toEqual([{ do: 'cancel', key: exit.key }]);
    lonely.change({ key: exit.key, kind: 'ended' });
    expect(lonely.placed().map(({ from }) => from.length)).toEqual([6]);
  });

  // proves: bot ruling R1
  it('is an exit of all that is held: it stays at its price when it may not be replaced, till the next tick', () => {
    const { lonely, exit } = holding();
    const { name, want } = lonely.run.slots.get(exit.slot) as Slot;
    let rests = exit;
    lonely.change({ key: rests.key, kind: 'accepted' });
    for (let n = 1; n <= 5; n++) {
      lonely.run.want(name, { ...(want as WantedExit), price: (want?.price as Dec) + dec(String(n)) });
      for (const action of lonely.touched()) {
        if (action.do !== 'cancel') continue;
        lonely.change({ key: action.key, kind: 'ended' });
        [rests] = lonely.placed() as [RunOrder];
        lonely.change({ key: rests.key, kind: 'accepted' });
      }
      expect([rests.cancelAsked, lonely.run.slots.find(rests.key)?.order]).toEqual([false, rests]);
    }
    expect(rests.price).toBe((want?.price as Dec) + dec('2'));
    lonely.tick('45000');
    expect(lonely.asked()).toEqual([{ do: 'cancel', key: rests.key }]);
    lonely.change({ key: rests.key, kind: 'ended' });
    expect(lonely.placed().map(({ price }) => price)).toEqual([(want?.price as Dec) + dec('5')]);
  });

  // proves: bot ruling R1
  it.each([
    ['at a later moment without a tick', (lonely: Lonely) => lonely.wait(1_000)],
    ['after a restart', (lonely: Lonely) => lonely.again((state) => decodeState(encodeState(state)))],
  ])(
    'is an exit that waits for the next tick: it rests %s, and is not taken back before',
    (_when, passes) => {
      const { lonely, exit } = holding();
      const { name, want } = lonely.run.slots.get(exit.slot) as Slot;
      lonely.change({ key: exit.key, kind: 'accepted' });
      let rests = exit;
      for (let n = 1; n <= MOST_SENDS; n++) {
        lonely.run.want(name, { ...(want as WantedExit), price: (want?.price as Dec) + dec(String(n)) });
        for (const action of lonely.touched()) {
          if (action.do !== 'cancel') continue;
          lonely.change({ key: action.key, kind: 'ended' });
          [rests] = lonely.placed() as [RunOrder];
          lonely.change({ key: rests.key, kind: 'accepted' });
        }
      }
      passes(lonely);
      expect(lonely.touched()).toEqual([]);
      lonely.tick('45000');
      expect(lonely.asked()).toEqual([{ do: 'cancel', key: rests.key }]);
      lonely.change({ key: rests.key, kind: 'ended' });
      expect(lonely.placed().map(({ price }) => price)).toEqual([
        (want?.price as Dec) + dec(`${MOST_SENDS}`),
      ]);
    },
  );
});
