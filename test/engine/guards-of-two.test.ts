/**
 * What counts towards the guards of an account where there are two of everything: symbols, accounts, sides,
 * orders at different prices, balances that are told and executions that are not told yet.
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { Guards } from '../../src/domain/guards.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { exposure } from '../../src/engine/guard-figures.ts';
import { guardMeters } from '../../src/engine/guard-settings.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { ACCOUNT, BTC, ETH, FUTURES_ACCOUNT, FUTURES_BTC, OPERATOR } from './support/market.ts';

const FUTURES_ETH = { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' };
const OTHER = 'paper-other';

function guard(bench: Bench, change: Partial<Guards>, exchange = bench.exchange): void {
  const asked = bench.ask({ type: 'guards', exchange, change }, { actor: OPERATOR });
  expect(asked.reply().message).toBe('');
}

/** `sent`, or the reason of the refusal. */
function outcome(bench: Bench, request: Partial<CreateOrder>): string {
  const { token } = bench.place(request);
  return bench.isAnswered(token) ? (bench.reply(token).reason ?? 'answered') : 'sent';
}

function futures(positions: readonly ExchangePosition[], options: BenchOptions = {}): Bench {
  const instruments = [FUTURES_BTC, FUTURES_ETH];
  const more = [{ ...FUTURES_ACCOUNT, id: OTHER }];
  const bench = new Bench({ futures: true, instruments, more, ...options });
  bench.tick('2000', 'ETHUSDT');
  for (const exchange of [bench.exchange, OTHER]) {
    const changed = [{ asset: 'USDT', free: '9000000', locked: '0' }];
    bench.event({ type: 'venue.balances', exchange, changed, all: true });
    bench.event({ type: 'venue.settings', exchange, hedge: false, leverage: [] });
    bench.event({ type: 'venue.positions', exchange, changed: positions, all: true });
  }
  return bench;
}

describe('the value of a symbol after its orders have filled', () => {
  const worthAfter = (bench: Bench, side: 'BUY' | 'SELL') => {
    const { memory } = bench.engine;
    const like = { symbol: 'BTCUSDT', side, positionSide: 'BOTH' } as const;
    return str(exposure(memory, memory.account(bench.exchange), like, []) ?? -1n);
  };

  it.each([
    ['55000 50000 59000', ['55000', '50000', '59000']],
    ['59000 55000 50000', ['59000', '55000', '50000']],
    ['50000 59000 55000', ['50000', '59000', '55000']],
  ])('has the cheapest of them close first, placed at %s', (_, prices) => {
    const bench = futures([positionOf('BTCUSDT', '-1.5', 1)]);
    for (const price of prices) bench.resting({ price, quantity: '1' });
    // 50,000 and half of 55,000 close.
    expect(worthAfter(bench, 'BUY')).toBe('86500');
  });

  it('has of each order what is not executed yet, and one over an amount at least as much as that buys', () => {
    const bench = futures([positionOf('BTCUSDT', '1', 1)]);
    const order = bench.resting({ price: '50000', quantity: '1' });
    bench.fill(bench.trade(order, '0.4', { commAsset: 'USDT', rPnl: '0' }));
    // The position of 1 and what it has bought, at 60,000, and the rest at its price.
    expect(worthAfter(bench, 'BUY')).toBe('114000');
    const amount = { type: 'MARKET', price: undefined, quantity: undefined, quoteOrderQty: '30030' };
    // It buys 0.5 now, and 30 dollars more once the price has fallen by as much.
    bench.place(amount as unknown as Partial<CreateOrder>);
    expect(worthAfter(bench, 'BUY')).toBe('144030');
  });

  it('counts on spot all that is held, free or locked, with what executions have brought and taken since', () => {
    const bench = new Bench({ balances: [{ asset: 'USDT', free: '900000', locked: '0' }] });
    const has = (free: string, locked: string) => {
      const changed = [{ asset: 'BTC', free, locked }];
      bench.event({ type: 'venue.balances', exchange: bench.exchange, changed });
    };
    has('0.03', '0.07');
    expect(worthAfter(bench, 'BUY')).toBe('6000');
    const bought = bench.place({ type: 'MARKET', quantity: '0.05' }).order;
    bench.accepted(bought, { status: 'WORKING' });
    bench.fill(bench.trade(bought, '0.05', { price: '60000', commAsset: 'USDT' }));
    expect(worthAfter(bench, 'BUY')).toBe('9000');
    const sale = bench.place({ type: 'MARKET', side: 'SELL', quantity: '0.02' }).order;
    bench.accepted(sale, { status: 'WORKING' });
    bench.fill(bench.trade(sale, '0.02', { price: '60000', commAsset: 'USDT' }));
    expect(worthAfter(bench, 'BUY')).toBe('7800');
    guard(bench, { maxPositionValue: '10000' });
    expect(outcome(bench, { price: '50000', quantity: '0.045' })).toBe('GUARD_MAX_POSITION_VALUE');
    expect(outcome(bench, { price: '50000', quantity: '0.044' })).toBe('sent');
  });
});

describe('a close beside other orders', () => {
  it('is as large as what those of its own symbol, side and account leave of the position', () => {
    const bench = futures([positionOf('BTCUSDT', '5', 1), positionOf('ETHUSDT', '9', 1)]);
    guard(bench, { maxOrderValue: '1' });
    const exit = { side: 'SELL', price: '61000' } as const;
    bench.resting({ ...exit, exchange: OTHER, quantity: '4' });
    expect(outcome(bench, { ...exit, symbol: 'ETHUSDT', price: '2100', quantity: '8' })).toBe('sent');
    bench.resting({ ...exit, quantity: '2' });
    expect(outcome(bench, { ...exit, quantity: '3.001' })).toBe('GUARD_MAX_ORDER_VALUE');
    expect(outcome(bench, { ...exit, quantity: '3' })).toBe('sent');
  });

  it('is judged by the position on its side alone: a purchase beside a long one opens', () => {
    const bench = futures([positionOf('BTCUSDT', '5', 1), positionOf('ETHUSDT', '-9', 1)]);
    guard(bench, { maxOrderValue: '1' });
    expect(outcome(bench, { price: '50000', quantity: '1' })).toBe('GUARD_MAX_ORDER_VALUE');
    expect(outcome(bench, { symbol: 'ETHUSDT', price: '1900', quantity: '9' })).toBe('sent');
  });
});

describe('the guards of one account', () => {
  it('count its own orders and entries, and those of no other', () => {
    const bench = new Bench({ more: [{ ...ACCOUNT, id: OTHER }] });
    const changed = [{ asset: 'USDT', free: '9000000', locked: '0' }];
    bench.event({ type: 'venue.balances', exchange: OTHER, changed, all: true });
    for (const price of ['50000', '50001']) bench.resting({ exchange: OTHER, price });
    guard(bench, { maxOpenOrders: 1, maxOrdersPerMinute: 1, maxPositionValue: '60060000' });
    guard(bench, { maxOpenOrders: 3 }, OTHER);
    expect(outcome(bench, { price: '60000', quantity: '1' })).toBe('sent');
    expect(outcome(bench, { exchange: OTHER, price: '50000', quantity: '1' })).toBe('sent');
    expect(outcome(bench, { exchange: OTHER, price: '50000', quantity: '1' })).toBe('GUARD_MAX_OPEN_ORDERS');
    const { memory } = bench.engine;
    expect(guardMeters(memory, memory.account(bench.exchange), bench.mono)).toMatchObject({
      openOrders: 1,
      entries: 1,
    });
  });
});

it('an order that waits for its margin type is one of the open ones, and no entry of the minute before it is sent', () => {
  const bench = futures([]);
  guard(bench, { maxOpenOrders: 1, maxOrdersPerMinute: 1 });
  const { order } = bench.place({ price: '50000', quantity: '1', marginType: 'ISOLATED' });
  expect(order.phase).toBe('waiting');
  const meters = () =>
    guardMeters(bench.engine.memory, bench.engine.memory.account(bench.exchange), bench.mono);
  expect(meters()).toMatchObject({ openOrders: 1, entries: 0 });
  expect(outcome(bench, { symbol: 'ETHUSDT', price: '1900', quantity: '1' })).toBe('GUARD_MAX_OPEN_ORDERS');
  bench.event({ type: 'setting-done', id: `set-${order.id}`, outcome: { kind: 'done' } });
  expect([order.phase, meters()?.openOrders, meters()?.entries]).toEqual(['sending', 1, 1]);
});

describe('the entries of the last minute, after a restart', () => {
  const restarted = (place: (bench: Bench) => void) => {
    const bench = new Bench({ more: [{ ...ACCOUNT, id: OTHER }] });
    guard(bench, { maxOrdersPerMinute: 9 });
    place(bench);
    bench.restart();
    const { memory } = bench.engine;
    return { bench, entries: () => guardMeters(memory, memory.account(bench.exchange), bench.mono)?.entries };
  };

  it.each<[string, (bench: Bench) => void, number]>([
    ['an entry that rests', (bench) => bench.resting(), 1],
    [
      'one that has ended',
      (bench) =>
        bench.submitted(bench.place({ price: '50000', quantity: '1' }).order, {
          kind: 'rejected',
          reason: 'OTHER',
          code: '-1',
          message: 'no',
        }),
      1,
    ],
    ['one on its way', (bench) => bench.place({ price: '50000', quantity: '1' }), 1],
    ['a sale', (bench) => bench.resting({ side: 'SELL', price: '61000' }), 0],
    [
      'what is held here',
      (bench) => bench.place({ type: 'STOP_MARKET', stopPrice: '65000', quantity: '1' }),
      0,
    ],
    [
      'one that a guard has kept back',
      (bench) => {
        guard(bench, { maxOrderValue: '60000' });
        bench.place({ type: 'STOP_MARKET', stopPrice: '60000.01', quantity: '1' });
        bench.tick('60000.01');
      },
      0,
    ],
    [
      'an order of others',
      (bench) => {
        const terms = {
          side: 'BUY',
          type: 'LIMIT',
          price: '50000',
          timeInForce: 'GTC',
          reduceOnly: false,
          closePosition: false,
          positionSide: 'BOTH',
          workingType: 'MARK_PRICE',
        } as const;
        bench.stream({
          clientId: 'web',
          symbol: 'BTCUSDT',
          status: 'WORKING',
          origQty: '1',
          cumQty: '0',
          seq: 1,
          time: 1,
          terms,
        });
      },
      0,
    ],
  ])('count %s: as %#', (_, place, count) => {
    expect(restarted(place).entries()).toBe(count);
  });

  it('leave one by one as each turns a minute old, in whatever order they were made', () => {
    const { bench, entries } = restarted((b) => {
      const stop = { type: 'STOP_MARKET', stopPrice: '60100', quantity: '1' } as const;
      const { order } = b.place(stop);
      b.pass(10_000);
      b.resting();
      b.pass(20_000);
      b.tick('60100');
      b.accepted(order);
      b.pass(5_000);
    });
    expect(entries()).toBe(2);
    bench.pass(34_999);
    expect(entries()).toBe(2);
    bench.pass(1);
    expect(entries()).toBe(1);
    bench.pass(19_999);
    expect(entries()).toBe(1);
    bench.pass(1);
    expect(entries()).toBe(0);
  });
});

describe('the largest position that is shown', () => {
  const shown = (bench: Bench) => {
    const { memory } = bench.engine;
    return guardMeters(memory, memory.account(bench.exchange), bench.mono)?.position;
  };

  it('is on spot of what is held or wanted, whichever is worth more', () => {
    const balances = [
      { asset: 'USDT', free: '900000', locked: '0' },
      { asset: 'BTC', free: '0.1', locked: '0' },
      { asset: 'ETH', free: '1', locked: '4' },
    ];
    const bench = new Bench({ instruments: [BTC, ETH], balances });
    guard(bench, { maxOpenOrders: 9 });
    // Without a price nothing is known of it.
    expect(shown(bench)).toEqual({ symbol: 'BTCUSDT', value: '6000' });
    bench.tick('2000', 'ETHUSDT');
    expect(shown(bench)).toEqual({ symbol: 'ETHUSDT', value: '10000' });
    bench.resting({ price: '50000', quantity: '0.1' });
    expect(shown(bench)).toEqual({ symbol: 'BTCUSDT', value: '11000' });
    bench.event({ type: 'instruments', exchange: bench.exchange, instruments: [BTC] });
    bench.tick('9000', 'ETHUSDT');
    expect(shown(bench)).toEqual({ symbol: 'BTCUSDT', value: '11000' });
  });

  it('is in hedge mode of one side, with the entries of that side alone', () => {
    const long = { ...positionOf('BTCUSDT', '2', 1), side: 'LONG' } as const;
    const short = { ...positionOf('BTCUSDT', '3', 1), side: 'SHORT' } as const;
    const bench = futures([long, short]);
    bench.event({ type: 'venue.settings', exchange: bench.exchange, hedge: true });
    guard(bench, { maxOpenOrders: 9 });
    expect(shown(bench)).toEqual({ symbol: 'BTCUSDT', value: '180000' });
    bench.resting({ positionSide: 'LONG', price: '50000', quantity: '2' });
    expect(shown(bench)).toEqual({ symbol: 'BTCUSDT', value: '220000' });
    bench.resting({ side: 'SELL', positionSide: 'LONG', price: '61000', quantity: '2' });
    bench.resting({ side: 'BUY', positionSide: 'SHORT', price: '59000', quantity: '3' });
    expect(shown(bench)).toEqual({ symbol: 'BTCUSDT', value: '220000' });
  });

  it('is none where there is none', () => {
    const bench = new Bench({ balances: [{ asset: 'USDT', free: '1', locked: '0' }] });
    guard(bench, { maxOpenOrders: 9 });
    expect(shown(bench)).toBeNull();
  });
});

describe('the edge of the price band', () => {
  it.each([
    ['BUY', '66000.01', '66000.02', 'at most 66000.01;'],
    ['SELL', '54000.01', '54000', 'at least 54000.01;'],
  ] as const)('is for a %s the last tick within it: %s and not %s', (side, within, beyond, words) => {
    const bench = new Bench({ futures: true, price: '60000.01' });
    guard(bench, { priceBand: '10' });
    expect(outcome(bench, { side, price: within, quantity: '1' })).toBe('sent');
    const { reply } = bench.place({ side, price: beyond, quantity: '1' });
    expect(reply()).toMatchObject({ reason: 'GUARD_PRICE_BAND', message: expect.stringContaining(words) });
  });

  it('holds for the close of a person that may only rest as for any other', () => {
    const bench = new Bench();
    guard(bench, { priceBand: '10' });
    const maker = { side: 'SELL', type: 'LIMIT_MAKER', quantity: '1' } as const;
    expect(outcome(bench, { ...maker, price: '53999.99' })).toBe('GUARD_PRICE_BAND');
    expect(outcome(bench, { ...maker, price: '61000' })).toBe('sent');
  });
});
