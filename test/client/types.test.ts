/**
 * Programs that the compiler must refuse: `tsc` fails when one of the marked lines has no error. Nothing here
 * is ever called.
 */
import { expect, expectTypeOf, it } from 'vitest';
import type { Client, Order, Position, Stream } from '../../src/client/index.ts';

const onEvent = () => {};

it('filters that never deliver are no types', () => {
  const wrong = (stream: Stream) => [
    stream.subscribe('orders', { exchange: 'paper-spot', symbol: 'BTCUSDT', onEvent }),
    // @ts-expect-error symbol filters only together with exchange
    stream.subscribe('orders', { symbol: 'BTCUSDT', onEvent }),
    // @ts-expect-error balance has no symbol
    stream.subscribe('balance', { exchange: 'paper-spot', symbol: 'BTCUSDT', onEvent }),
    // @ts-expect-error botStatus has no filter
    stream.subscribe('botStatus', { exchange: 'paper-spot', onEvent }),
    // @ts-expect-error no such channel
    stream.subscribe('trades', { onEvent }),
  ];
  expect(wrong).toBeTypeOf('function');
});

it('calls need what the service needs', () => {
  const wrong = (client: Client) => [
    // @ts-expect-error a side is needed
    client.orders.place({ exchange: 'paper-spot', symbol: 'BTCUSDT', type: 'MARKET' }),
    // @ts-expect-error prices are decimal strings
    client.orders.split({ exchange: 'paper-spot', id: 'o1', prices: [1, 2] }),
    // @ts-expect-error settings name an exchange
    client.bots.create({ type: 'FIBO', settings: {} }),
    // @ts-expect-error no such type
    client.bots.create({ type: 'GRID', settings: { exchange: 'paper-spot' } }),
    // @ts-expect-error pairs of bot and run
    client.bots.batchStop({ bots: ['b1'] }),
    // @ts-expect-error no such clean-up
    client.bots.stop({ id: 'b1', runId: 'r1', cleanup: 'all' }),
    // @ts-expect-error a tag is given when the bot is made
    client.bots.patch('b1', { tag: 'x' }),
  ];
  expect(wrong).toBeTypeOf('function');
});

it('events have the types of their channel', () => {
  const right = (stream: Stream) => [
    stream.subscribe('orders', { onEvent: ({ order }) => expectTypeOf(order).toEqualTypeOf<Order>() }),
    stream.subscribe('positions', {
      onEvent: ({ changes }) => expectTypeOf(changes.BTC).toEqualTypeOf<Partial<Position> | undefined>(),
    }),
  ];
  expect(right).toBeTypeOf('function');
});
