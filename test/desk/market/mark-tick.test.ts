/** What a tick changes on the screens: of its own symbol and market, and no more than that. */
import { expect, it } from 'vitest';
import type { DeskCore } from '../../../src/desk/core/desk-core.ts';
import { markTick } from '../../../src/desk/market/mark-tick.ts';
import type { Market } from '../../../src/desk/market/open-market.ts';
import { NO_GUARDS } from '../../../src/domain/guards.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { newGuards } from '../../../src/engine/guard-settings.ts';
import { BTC, CAPS, FUTURES_CAPS } from '../../engine/support/market.ts';
import { order } from '../../store/rows.ts';

function rig() {
  const { memory } = new Engine();
  const add = (id: string, kind: 'spot' | 'futures', market: string) =>
    memory.addAccount({ id, name: id, kind, market }, kind === 'spot' ? CAPS : FUTURES_CAPS, [
      { ...BTC, exchange: id, kind },
    ]);
  add('a-spot', 'spot', 'one');
  add('a-futures', 'futures', 'one');
  add('b-futures', 'futures', 'two');
  const kept: Row[] = [];
  const marks: string[] = [];
  const view = {
    wallets: {},
    equityDay: { day: 1, usd: '5', wallets: {} },
    sampleEquity: () => false,
  };
  const core = {
    engine: { memory },
    turn: { keep: (row: Row) => kept.push(row) },
    mark: (mark: object) => marks.push(Object.values(mark).join(' ')),
  } as unknown as DeskCore;
  let moved = 0;
  const figures = {
    moved: () => {
      moved += 1;
    },
    cancel: () => {},
  };
  return {
    memory,
    view,
    kept,
    moved: () => moved,
    tick: (market = 'one', symbol = 'BTCUSDT') => {
      const told = { symbol, time: 7, price: '1', volume: '1' };
      markTick(core, { view } as unknown as Market, figures, market, told);
      return marks.splice(0);
    },
  };
}

const ALWAYS = ['price one BTCUSDT', 'clock', 'equity'];

it('is the price, the time and the equity, and nothing else where nothing else stands', () => {
  const { tick, kept, moved } = rig();
  expect(tick()).toEqual(ALWAYS);
  expect([kept, moved()]).toEqual([[], 1]);
});

it('is a position of that symbol on that market, with its account', () => {
  const { tick, memory } = rig();
  for (const [id, symbol] of [
    ['a-futures', 'ETHUSDT'],
    ['a-futures', 'BTCUSDT'],
    ['b-futures', 'BTCUSDT'],
  ] as const)
    memory.account(id).futures?.positions.set(`${symbol} BOTH`, { symbol } as never);
  expect(tick()).toEqual([...ALWAYS, 'positions a-futures', 'portfolio a-futures']);
  expect(tick('two')).toEqual([
    'price two BTCUSDT',
    'clock',
    'equity',
    'positions b-futures',
    'portfolio b-futures',
  ]);
  expect(tick('one', 'XRPUSDT')).toEqual(['price one XRPUSDT', 'clock', 'equity']);
});

it('is a trailing stop that is held on that symbol, and no other order', () => {
  const { tick, memory } = rig();
  const held = {
    exchange: 'a-spot',
    phase: 'held',
    type: 'STOP_MARKET',
    status: 'NEW',
    stopPrice: '1',
  } as const;
  const trailing = { ...held, trailing: { delta: 100 } };
  memory.addOrder(order('s0', held), []);
  memory.addOrder(order('t1', trailing), []);
  memory.addOrder(order('t2', { ...trailing, symbol: 'ETHUSDT' }), []);
  memory.addOrder(order('s1', held), []);
  memory.addOrder(order('t3', trailing), []);
  for (const { id, symbol } of memory.orders.values()) memory.market('one').hold({ id, symbol } as never);
  expect(tick()).toEqual(['price one BTCUSDT', 'order t1', 'order t3', 'clock', 'equity']);
});

it('is the accounts where a loss limit is set, and the wallets where they are others', () => {
  const { tick, memory, view } = rig();
  memory.account('b-futures').guards = newGuards({ ...NO_GUARDS, maxOpenOrders: 5 });
  expect(tick()).toEqual(ALWAYS);
  memory.account('b-futures').guards = newGuards({ ...NO_GUARDS, dailyLossLimit: '5' });
  expect(tick()).toEqual([...ALWAYS, 'accounts']);
  view.sampleEquity = () => {
    view.wallets = {};
    return false;
  };
  expect(tick()).toEqual(['wallets', ...ALWAYS, 'accounts']);
});

it('stores the beginning of a day once that has begun', () => {
  const { tick, view, kept } = rig();
  view.sampleEquity = () => {
    view.equityDay = { day: 2, usd: '6', wallets: {} };
    return true;
  };
  tick();
  expect(kept).toEqual([{ kind: 'meta', name: 'equity-day', value: { day: 2, usd: '6', wallets: {} } }]);
});
