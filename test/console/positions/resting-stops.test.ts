/**
 * The stop of a position: whether the one that rests is changed or another one is placed beside it, and what
 * the question says of one that would be too late.
 */
import { describe, expect, it } from 'vitest';
import { confirmPositionOrder } from '../../../src/console/positions/position-confirmations.ts';
import { protectiveStop, trailingStop } from '../../../src/console/positions/position-orders.ts';
import type { PositionView, TicketCheck } from '../../../src/desk/console/protocol.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { position, somePositions } from '../support/some-futures.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

/** A stop of the long of BTCUSDT. */
function stop(id: string, change: Partial<OrderView> = {}): OrderView {
  return order(id, {
    exchange: 'paper-futures',
    type: 'STOP_MARKET',
    side: 'SELL',
    price: undefined,
    stopPrice: '58000',
    reduceOnly: true,
    ...change,
  });
}

describe('s on a position', () => {
  const trailing = { delta: 100, time: 0 };
  const profit = stop('profit', { type: 'TAKE_PROFIT_MARKET', stopPrice: '70000' });

  it.each<[string, readonly OrderView[], string]>([
    ['the only stop', [stop('a')], 'changes a'],
    ['the only stop beside a take-profit', [profit, stop('a')], 'changes a'],
    ['a stop with a limit', [stop('a', { type: 'STOP_LIMIT', price: '57900' })], 'changes a'],
    ['a stop beside one that trails', [stop('t', { trailing }), stop('a')], 'changes a'],
    ['a stop beside one of another symbol', [stop('eth', { symbol: 'ETHUSDT' }), stop('a')], 'changes a'],
    ['two stops', [stop('a'), stop('b', { stopPrice: '57000' })], 'asks for another'],
    ['the stop of a bot', [stop('a', { creator: 'BOT', creatorId: 'b1' })], 'asks for another'],
    ['a stop that trails', [stop('t', { trailing })], 'asks for another'],
    ['a stop that is being cancelled', [stop('a', { cancelPending: true })], 'asks for another'],
    ['a stop that has ended', [stop('a', { status: 'CANCELLED' })], 'asks for another'],
    ['a take-profit', [profit], 'asks for another'],
    ['a stop that may open', [stop('a', { reduceOnly: false })], 'asks for another'],
    ['none', [], 'asks for another'],
  ])('with %s', async (_what, orders, does) => {
    const all = Object.fromEntries(orders.map((one) => [one.id, one]));
    const screen = await open(new FakeDesk(deskState({ futures: somePositions(), orders: all })));
    await screen.press('5', 's');
    const top = screen.session.ui.getState().dialogs.at(-1);
    expect(top?.kind === 'amend' ? `changes ${top.order.id}` : `asks for another`).toBe(does);
    if (top?.kind !== 'amend') expect(top).toMatchObject({ kind: 'position-form', what: 'stop' });
  });
});

describe('the question of a stop', () => {
  const check = { problems: [], last: '61234.10', next: 'It waits.' } as unknown as TicketCheck;
  const asked = (held: PositionView, of: Parameters<typeof confirmPositionOrder>[2]) =>
    confirmPositionOrder(deskState(), { ...held, id: held.key }, of, check);
  const rowOf = (held: PositionView, of: Parameters<typeof confirmPositionOrder>[2], name: string) =>
    asked(held, of).rows.find((row) => row.name === name)?.value;
  const long = position('BTCUSDT');
  const short = position('BTCUSDT', {
    amount: '-0.5',
    liquidationPrice: '70000.4',
    liquidationDistance: '14',
  });

  it.each([
    ['a long', long, '54210.56', undefined],
    ['a long', long, '54210.55', 'the liquidation price 54,210.55 is reached first'],
    ['a long', long, '54210.54', 'the liquidation price 54,210.55 is reached first'],
    ['a short', short, '70000.3', undefined],
    ['a short', short, '70000.4', 'the liquidation price 70,000.40 is reached first'],
    ['a short', short, '70000.5', 'the liquidation price 70,000.40 is reached first'],
    ['one without liquidation', { ...long, liquidationPrice: null }, '1', undefined],
  ] as const)('of %s says whether it would be too late: %#', (_what, held, price, words) => {
    expect(rowOf(held, protectiveStop(held, price), 'too late')).toBe(words);
  });

  it('that trails says where it would fire now, under the price of a long and over that of a short', () => {
    expect(rowOf(long, trailingStop(long, 150), 'trails by')).toBe('1.5 % of the best price');
    expect(rowOf(long, trailingStop(long, 150), 'fires at')).toBe('60,315.59 as the price is now');
    expect(rowOf(short, trailingStop(short, 150), 'fires at')).toBe('62,152.61 as the price is now');
    expect(rowOf(long, trailingStop(long, 150), 'too late')).toBeUndefined();
  });

  it('is a question of its own kind, and so is each other order of a position', () => {
    const base = { exchange: long.exchange, symbol: long.symbol, side: 'SELL' } as const;
    const titles = [
      protectiveStop(long, '58000'),
      trailingStop(long, 150),
      { ...base, type: 'MARKET', closePosition: true } as const,
      { ...base, type: 'MARKET', quantity: '0.1', reduceOnly: true } as const,
      { ...base, type: 'MARKET', quantity: '0.1', positionSide: 'LONG' } as const,
      { ...base, type: 'MARKET', quantity: '1' } as const,
      { ...base, type: 'LIMIT', quantity: '0.5', price: '62000', reduceOnly: true } as const,
    ].map((of) => {
      const { title, action } = asked(long, of);
      return `${title}: ${action.type}`;
    });
    expect(titles).toEqual([
      'Protective stop: place',
      'Trailing stop: place',
      'Close at market: place',
      'Close a part at market: place',
      'Close a part at market: place',
      'Reverse position: reverse',
      'Close by limit: place',
    ]);
  });
});
