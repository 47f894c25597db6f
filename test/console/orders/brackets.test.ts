/** An entry with its exits is one row of the orders list, which can be expanded, and is acted on as one. */
import { describe, expect, it } from 'vitest';
import { bracketsOf, withBrackets } from '../../../src/console/orders/exits/bracket.ts';
import { ok } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import { exitsBot } from '../../../src/schemas/bots/index.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const WANTED = {
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  quantity: '0.5',
  takeProfit: '66000',
  stopLoss: '58000',
} as const;
const { type, settings } = exitsBot({ ...WANTED, entry: { type: 'LIMIT', price: '60000' } });
const managed = (change: object = {}) =>
  bot('bx', { type, settings, options: { managed: true }, status: 'STARTED', runId: 'run1', ...change });
const mine = { creator: 'BOT', creatorId: 'bx' } as const;
const entry = (change: Partial<OrderView> = {}) => order('entry', { ...mine, price: '60000', ...change });
const target = order('target', {
  ...mine,
  side: 'SELL',
  price: '66000',
  origQty: '0.2',
  orderTime: NOON - 10_000,
});
const OTHER = order('other', { symbol: 'ETHUSDT', price: '3000.00', orderTime: NOON - 90_000 });

function deskOf(orders: readonly OrderView[], change: object = {}): FakeDesk {
  const desk = new FakeDesk(
    deskState({
      orders: Object.fromEntries([...orders, OTHER].map((one) => [one.id, one])),
      bots: { bx: managed(change) },
    }),
  );
  desk.answers['bots.stop'] = ({ id, runId }) =>
    ok({ id, runId, status: 'STOPPED', stoppedAt: NOON, reason: 'asked' });
  return desk;
}

const part = (): readonly OrderView[] => [entry({ executedQty: '0.2', fillPrice: '60000' }), target];
const rowsOf = (screen: { screenLines(): string[] }): readonly string[] =>
  screen.screenLines().filter((line) => /BUY|SELL/.test(line));

describe('an entry with its exits', () => {
  it('is one row while its entry waits, and opens into the exits that wait for it', async () => {
    const screen = await open(deskOf([entry()]));
    await screen.press('2');
    expect(rowsOf(screen)).toHaveLength(2);
    expect(rowsOf(screen)[0]).toMatch(/\+BTCUSDT +BUY +LIMIT .*60,000.00 .*OPENED/);
    await screen.press('v');
    expect(rowsOf(screen)).toHaveLength(4);
    expect(rowsOf(screen)[0]).toContain('-BTCUSDT');
    expect(rowsOf(screen)[1]).toMatch(/ BTCUSDT +SELL +TP LMT +0.50000 +66,000.00 .*WAITS/);
    expect(rowsOf(screen)[2]).toMatch(/ BTCUSDT +SELL +STOP +0.50000 +58,000.00 .*WAITS/);
    expect(screen.screenText()).toContain('2 open');
    await screen.press('v');
    expect(rowsOf(screen)).toHaveLength(2);
  });

  it('has the order of its take-profit in it, and a stop that is watched, once something has filled', async () => {
    const screen = await open(deskOf(part()), { columns: 200, rows: 50 });
    await screen.press('2');
    expect(rowsOf(screen)).toHaveLength(2);
    expect(rowsOf(screen)[0]).toMatch(/ 58,000.00 .* target 66,000.00/);
    await screen.press('v');
    expect(rowsOf(screen)[1]).toMatch(/ BTCUSDT +SELL +LIMIT .*66,000.00 .*OPENED/);
    expect(rowsOf(screen)[2]).toMatch(/ BTCUSDT +SELL +STOP .*58,000.00 .*WATCHED/);
  });

  it('is stood for by its take-profit once the entry has filled whole', async () => {
    const filled = entry({ status: 'CLOSED', executedQty: '0.5', fillPrice: '60000', isWorking: false });
    const screen = await open(deskOf([filled, target]), { columns: 200, rows: 50 });
    await screen.press('2');
    expect(rowsOf(screen)).toHaveLength(2);
    expect(rowsOf(screen)[0]).toMatch(/\+BTCUSDT +SELL +LIMIT .*66,000.00 .*58,000.00/);
    expect(rowsOf(screen)[0]).toContain('BUY at 60,000.00');
    await screen.press('\r');
    await screen.shows('BUY 0.5 filled at 60,000.00 · stop 58,000.00, by this desk');
  });

  it.each([
    ['its row', []],
    ['an exit that is no order', ['v', 'j', 'j']],
  ])('goes as one with x on %s, which says what stands without a stop', async (_, keys) => {
    const desk = deskOf(part());
    const screen = await open(desk);
    await screen.press('2', ...keys, 'x');
    await screen.shows('Cancel the entry with its exits');
    expect(screen.screenText()).toContain('0.2 BTC: it will stand without this stop');
    await screen.press('y');
    await screen.shows('BTCUSDT: its exits are not watched any more');
    expect(desk.acting).toEqual(['bots.stop']);
    expect(desk.calls.find(({ method }) => method === 'bots.stop')?.params).toEqual({
      id: 'bx',
      runId: 'run1',
      way: {},
    });
  });

  it('says of what is held what the exits have not sold yet', async () => {
    const filled = entry({ status: 'CLOSED', executedQty: '0.5', fillPrice: '60000', isWorking: false });
    const screen = await open(deskOf([filled, { ...target, executedQty: '0.1' }]));
    await screen.press('2', 'x');
    await screen.shows('Take the exits off');
    expect(screen.screenText()).toContain('0.4 BTC: it will stand without this stop');
  });

  it('hides none of its orders from cancel-all', async () => {
    const screen = await open(deskOf(part()));
    await screen.press('2', 'X', '\x0f');
    await screen.shows('type cancel 3');
  });

  it('is single orders as any once its run has ended, and for bots of the operator’s own', async () => {
    for (const change of [{ runId: undefined, status: 'STOPPED' }, { options: {} }]) {
      const screen = await open(deskOf(part(), change));
      await screen.press('2', 'v');
      expect(rowsOf(screen)).toHaveLength(3);
      expect(screen.screenText()).not.toContain('+BTC');
      expect(screen.screenText()).toContain('it has no exits of its own');
    }
  });

  it('is found by a filter that only one of its orders matches', async () => {
    const screen = await open(deskOf(part()));
    await screen.press('2', '/', ...'sell', '\r');
    expect(rowsOf(screen)).toHaveLength(1);
    expect(rowsOf(screen)[0]).toContain('66,000.00');
  });
});

it('every order of a list is in one row of it, opened or not, and none is twice', () => {
  const state = deskOf(part()).state;
  const orders = Object.values(state.orders);
  const ids = (opened: readonly string[]) =>
    withBrackets(orders, bracketsOf(state), opened).map(({ id }) => id);
  expect(ids([]).toSorted()).toEqual(['entry', 'other']);
  expect(ids(['bx']).toSorted()).toEqual(['bx stop', 'entry', 'other', 'target']);
});

it('a target that has ended is watched again: its exit is among the others, as long as none rests', () => {
  const held = entry({ status: 'CLOSED', executedQty: '0.5', fillPrice: '60000' });
  const state = deskOf([held, { ...target, status: 'CANCELLED' }]).state;
  const rows = withBrackets(Object.values(state.orders), bracketsOf(state), ['bx']);
  const shown = rows.map(({ id, type: kind, price, stopPrice }) => [id, kind, price ?? stopPrice]);
  expect(shown).toContainEqual(['bx target', 'TAKE_PROFIT_LIMIT', '66000']);
  expect(shown).toContainEqual(['bx stop', 'STOP_MARKET', '58000']);
  const resting = deskOf([held, target]).state;
  const ids = withBrackets(Object.values(resting.orders), bracketsOf(resting), ['bx']).map(({ id }) => id);
  expect(ids).not.toContain('bx target');
});

it('a run that ends, or begins, is seen although no order of it changes', () => {
  const { state } = deskOf(part());
  expect(bracketsOf(state).map(({ runId }) => runId)).toEqual(['run1']);
  const ended = { ...state, bots: { bx: managed({ runId: undefined, status: 'STOPPED' }) } };
  expect(bracketsOf(ended)).toEqual([]);
  expect(bracketsOf({ ...state, bots: { bx: managed({ runId: 'run2' }) } })[0]?.runId).toBe('run2');
});
