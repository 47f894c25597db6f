/** The tick market's rules, one by one, on the pure core. */
import { describe, expect, it } from 'vitest';
import { CoreBench, fillText } from './paper-support.ts';

function bench(options: ConstructorParameters<typeof CoreBench>[0] = {}, price = '100'): CoreBench {
  const made = new CoreBench(options);
  made.give('BTC', '10');
  if (price) made.tick(price);
  return made;
}

describe('a resting LIMIT', () => {
  it.each([
    ['BUY', '99', '99.01', []],
    ['BUY', '99', '99', ['BUY 1 @ 99 maker']],
    ['BUY', '99', '90', ['BUY 1 @ 99 maker']],
    ['SELL', '101', '100.99', []],
    ['SELL', '101', '101', ['SELL 1 @ 101 maker']],
    ['SELL', '101', '140', ['SELL 1 @ 101 maker']],
  ] as const)('%s at %s meets a tick at %s', (side, price, tick, fills) => {
    const b = bench();
    b.place({ side, price, quantity: '1' });
    expect(b.tick(tick).map(fillText)).toEqual(fills);
  });

  it('fills only beyond its limit in through mode', () => {
    const b = bench({ mode: 'through' });
    b.buy('99', '1');
    expect(b.tick('99')).toEqual([]);
    expect(b.tick('98.99').map(fillText)).toEqual(['BUY 1 @ 99 maker']);
  });

  it('takes at once at the current price when it is marketable', () => {
    const b = bench();
    const id = b.buy('105', '1');
    expect(b.fills()).toEqual(['BUY 1 @ 100 taker']);
    expect(b.state(id)).toMatchObject({ status: 'FILLED', origQty: '1', cumQty: '1', seq: 1 });
    expect(b.balance('USDT')).toBe('99900/0');
  });

  it('rests before the first price, whatever its limit', () => {
    const b = bench({}, '');
    b.buy('105', '1');
    expect(b.tick('104').map(fillText)).toEqual(['BUY 1 @ 105 maker']);
  });

  it('rests again after a restart and fills there', () => {
    const b = bench();
    b.buy('99', '1');
    b.core = b.reloaded();
    expect(b.tick('98').map(fillText)).toEqual(['BUY 1 @ 99 maker']);
  });
});

describe('MARKET', () => {
  it('fills at the current price', () => {
    const b = bench();
    b.place({ type: 'MARKET', quantity: '2' });
    b.place({ type: 'MARKET', side: 'SELL', quantity: '1' });
    expect(b.fills()).toEqual(['BUY 2 @ 100 taker', 'SELL 1 @ 100 taker']);
  });

  it('is worsened by the slippage and rounded to the tick away from the trader', () => {
    const b = bench({ slippageBps: 1.5 }, '100.01');
    b.place({ type: 'MARKET', quantity: '1' });
    b.place({ type: 'MARKET', side: 'SELL', quantity: '1' });
    expect(b.fills()).toEqual(['BUY 1 @ 100.03 taker', 'SELL 1 @ 99.99 taker']);
  });

  // proves: order-type MARKET, S32
  it('buys what quoteOrderQty pays for, rounded down to the step', () => {
    const b = bench({}, '99.7');
    const id = b.place({ type: 'MARKET', quoteOrderQty: '50' });
    expect(b.state(id)).toMatchObject({ origQty: '0.501', cumQty: '0.501', status: 'FILLED' });
  });

  it('is refused before the first price', () => {
    expect(bench({}, '').submit({ type: 'MARKET', quantity: '1' })).toMatchObject({ kind: 'rejected' });
  });
});

describe('fees', () => {
  it('are taken from the asset received, maker and taker apart', () => {
    const b = bench({ makerRate: '0.001', takerRate: '0.002' });
    b.place({ type: 'MARKET', quantity: '1' });
    expect(b.balance('BTC')).toBe('10.998/0');
    b.sell('110', '2');
    b.tick('110');
    expect(b.balance('USDT')).toBe('100119.78/0');
    expect(b.core.fills({ symbol: 'BTCUSDT', from: 0 }).map((f) => [f.comm, f.commAsset])).toEqual([
      ['0.002', 'BTC'],
      ['0.22', 'USDT'],
    ]);
  });
});

describe('LIMIT_MAKER', () => {
  // proves: order-type LIMIT_MAKER
  it.each([
    ['BUY', '100'],
    ['BUY', '101'],
    ['SELL', '100'],
    ['SELL', '99'],
  ] as const)('%s at %s is refused when it would take', (side, price) => {
    expect(bench().submit({ type: 'LIMIT_MAKER', side, price, quantity: '1' })).toEqual({
      kind: 'rejected',
      reason: 'POST_ONLY',
      code: '-2010',
      message: 'Order would immediately match and take.',
    });
  });

  it('rests otherwise', () => {
    const b = bench();
    b.place({ type: 'LIMIT_MAKER', price: '99', quantity: '1' });
    expect(b.tick('99').map(fillText)).toEqual(['BUY 1 @ 99 maker']);
  });
});

describe('time in force', () => {
  // proves: field create-order timeInForce
  it('IOC keeps what it took and ends', () => {
    const b = bench({ participation: '0.1' });
    b.tick('100', '5');
    const id = b.buy('101', '2', { timeInForce: 'IOC' });
    expect(b.state(id)).toMatchObject({ status: 'CANCELLED', cumQty: '0.5', origQty: '2' });
    expect(b.balance('USDT')).toBe('99950/0');
  });

  it('IOC that takes nothing is accepted and ends', () => {
    const b = bench();
    expect(b.submit({ price: '99', quantity: '1', timeInForce: 'IOC' })).toMatchObject({
      kind: 'accepted',
      state: { status: 'CANCELLED', cumQty: '0', text: 'IOC: 1 could not be taken at once' },
    });
  });

  // proves: field create-order timeInForce
  it('FOK takes all or nothing', () => {
    const b = bench({ participation: '0.1' });
    b.tick('100', '5');
    const none = b.buy('101', '2', { timeInForce: 'FOK' });
    const all = b.buy('101', '0.5', { timeInForce: 'FOK' });
    expect([b.state(none), b.state(all)]).toMatchObject([
      { status: 'CANCELLED', cumQty: '0' },
      { status: 'FILLED', cumQty: '0.5' },
    ]);
  });

  it('MARKET ends with what the volume gave', () => {
    const b = bench({ participation: '1' });
    b.tick('100', '0.75');
    const id = b.place({ type: 'MARKET', quantity: '1' });
    expect(b.state(id)).toMatchObject({ status: 'CANCELLED', cumQty: '0.75' });
  });
});

describe('conditional orders', () => {
  // proves: order-type STOP_LIMIT, order-type TAKE_PROFIT_LIMIT
  it.each([
    ['STOP_LIMIT', 'BUY', '105', '104.99', '105'],
    ['STOP_LIMIT', 'SELL', '95', '95.01', '95'],
    ['TAKE_PROFIT_LIMIT', 'BUY', '95', '95.01', '94'],
    ['TAKE_PROFIT_LIMIT', 'SELL', '105', '104.99', '106'],
  ] as const)('%s %s with stop %s waits at %s and fires at %s', (type, side, stopPrice, early, late) => {
    const b = bench();
    const price = side === 'BUY' ? '90' : '110';
    const id = b.place({ type, side, stopPrice, price, quantity: '1' });
    expect(b.state(id).status).toBe('PENDING');
    b.tick(early);
    expect(b.state(id).status).toBe('PENDING');
    b.tick(late);
    expect(b.state(id)).toMatchObject({ status: 'WORKING', seq: 2 });
    expect(b.tick(price).map(fillText)).toEqual([`${side} 1 @ ${price} maker`]);
  });

  it.each([
    ['STOP_LIMIT', 'BUY', '100'],
    ['STOP_LIMIT', 'SELL', '100'],
    ['TAKE_PROFIT_LIMIT', 'BUY', '101'],
    ['TAKE_PROFIT_LIMIT', 'SELL', '99'],
  ] as const)('%s %s with stop %s would trigger at once', (type, side, stopPrice) => {
    expect(bench().submit({ type, side, stopPrice, price: '100', quantity: '1' })).toEqual({
      kind: 'rejected',
      reason: 'STOP_PASSED',
      code: '-2010',
      message: 'Order would trigger immediately.',
    });
  });

  it('told as working first, then filled as taker at the tick price when marketable', () => {
    const b = bench();
    const id = b.sell('90', '1', { type: 'STOP_LIMIT', stopPrice: '95' });
    const before = b.events.length;
    expect(b.tick('94').map(fillText)).toEqual(['SELL 1 @ 94 taker']);
    expect(
      b.events.slice(before).map((event) => (event.kind === 'order' ? event.state.status : event.kind)),
    ).toEqual(['WORKING', 'fill', 'FILLED', 'balances']);
    expect(b.state(id)).toMatchObject({ status: 'FILLED', seq: 3 });
  });

  it('locks while it waits and frees on cancel', () => {
    const b = bench();
    const id = b.buy('106', '1', { type: 'STOP_LIMIT', stopPrice: '105' });
    expect(b.balance('USDT')).toBe('99894/106');
    expect(b.cancel(id)).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
    expect(b.balance('USDT')).toBe('100000/0');
  });

  it('queues anew when it triggers', () => {
    const b = bench();
    const stop = b.buy('90', '1', { type: 'STOP_LIMIT', stopPrice: '105' });
    const resting = b.buy('90', '1');
    b.tick('105');
    expect(b.tick('90').map((fill) => fill.clientId)).toEqual([resting, stop]);
  });

  it('IOC ends at its trigger when it cannot take', () => {
    const b = bench();
    const id = b.buy('90', '1', { type: 'STOP_LIMIT', stopPrice: '105', timeInForce: 'IOC' });
    b.tick('105');
    expect(b.state(id)).toMatchObject({ status: 'CANCELLED', cumQty: '0' });
  });
});

describe('order of matches within a tick', () => {
  it('takes buys from the highest price down, then sells from the lowest up, equal prices by age', () => {
    const b = bench();
    b.give('BTC', '100');
    const ids = [
      b.buy('98', '1'),
      b.buy('99', '1'),
      b.buy('98', '2'),
      b.sell('103', '1'),
      b.sell('102', '1'),
      b.sell('103', '2'),
    ];
    expect(b.tick('97').map((f) => f.clientId)).toEqual([ids[1], ids[0], ids[2]]);
    expect(b.tick('104').map((f) => f.clientId)).toEqual([ids[4], ids[3], ids[5]]);
  });

  it('ranks waiting orders by their stop price among the others', () => {
    const b = bench();
    b.buy('98', '1');
    b.buy('97', '1', { type: 'TAKE_PROFIT_LIMIT', stopPrice: '98.5' });
    b.buy('99', '1');
    b.sell('90', '1', { type: 'STOP_LIMIT', stopPrice: '99' });
    expect(b.tick('96').map(fillText)).toEqual([
      'BUY 1 @ 99 maker',
      'BUY 1 @ 96 taker',
      'BUY 1 @ 98 maker',
      'SELL 1 @ 96 taker',
    ]);
  });

  it('skips an order that is cancelled between two matches', () => {
    const b = bench();
    b.buy('99', '1');
    const second = b.buy('98', '1');
    const fills = b.tick('97', '1000', () => b.cancel(second));
    expect(fills).toHaveLength(1);
    expect(b.state(second).status).toBe('CANCELLED');
  });

  it('fills an order placed between two matches only when it is marketable', () => {
    const b = bench();
    b.buy('99', '1');
    let placed = false;
    const fills = b.tick('97', '1000', () => {
      if (placed) return;
      placed = true;
      b.buy('96.99', '1');
      b.sell('97', '1');
      b.sell('97.01', '1');
    });
    expect(fills.map(fillText)).toEqual(['BUY 1 @ 99 maker', 'SELL 1 @ 97 taker']);
    expect(b.core.openOrders()).toHaveLength(2);
  });
});

describe('iceberg', () => {
  // proves: field create-order icebergQty, S32
  it('fills part by part at its limit, each refill behind the others of its price', () => {
    const b = bench();
    const ice = b.buy('99', '2.5', { icebergQty: '1' });
    const other = b.buy('99', '3');
    const fills = b.tick('98');
    expect(fills.map((f) => [f.clientId, f.qty])).toEqual([
      [ice, '1'],
      [other, '3'],
      [ice, '1'],
      [ice, '0.5'],
    ]);
    expect(fills.every((f) => f.price === '99' && f.maker)).toBe(true);
    expect(b.state(ice)).toMatchObject({ status: 'FILLED', cumQty: '2.5', seq: 4 });
  });

  it('that buys is filled whole before what sells at the same price', () => {
    const b = new CoreBench();
    b.give('BTC', '10');
    // Before the first price both rest, though they would take each other.
    const ice = b.buy('99', '2', { icebergQty: '1' });
    const other = b.sell('99', '3');
    expect(b.tick('99').map((f) => [f.clientId, f.qty])).toEqual([
      [ice, '1'],
      [ice, '1'],
      [other, '3'],
    ]);
  });

  it('locks its whole quantity', () => {
    const b = bench();
    b.buy('99', '10', { icebergQty: '1' });
    expect(b.balance('USDT')).toBe('99010/990');
  });

  it.each([
    ['1', '0.01', 'accepted'],
    ['1.001', '0.01', 'rejected'],
    ['0.999', '0.01', 'accepted'],
    ['100', '1', 'accepted'],
    ['99.001', '0.99', 'rejected'],
    ['0.1', '0.001', 'accepted'],
    ['0.101', '0.001', 'rejected'],
  ])('may have a hundred parts, the last one smaller, and no more: %s in parts of %s is %s', (...given) => {
    const [quantity, icebergQty, kind] = given;
    expect(bench().submit({ price: '99', quantity, icebergQty }).kind).toBe(kind);
  });

  it.each([
    [{ timeInForce: 'IOC' as const }, 'GTC'],
    [{ icebergQty: '0.0015' }, 'LOT_SIZE'],
    [{ quantity: '1', icebergQty: '0.009' }, 'ICEBERG_PARTS: 112 parts'],
  ])('is refused with %o', (more, words) => {
    const outcome = bench().submit({ price: '99', quantity: '1', icebergQty: '0.1', ...more });
    expect(outcome).toMatchObject({ kind: 'rejected', message: expect.stringContaining(words) });
  });
});

describe('participation', () => {
  it('shares a tick volume among our orders and leaves the rest for later ticks', () => {
    const b = bench({ participation: '0.25' });
    b.buy('99', '1');
    b.buy('98', '1');
    expect(b.tick('97', '6').map(fillText)).toEqual(['BUY 1 @ 99 maker', 'BUY 0.5 @ 98 maker']);
    expect(b.tick('97', '0.003')).toEqual([]);
    expect(b.tick('97', '100').map(fillText)).toEqual(['BUY 0.5 @ 98 maker']);
  });

  it('rests what a marketable limit could not take, at its limit', () => {
    const b = bench({ participation: '1' });
    b.tick('100', '1');
    const id = b.buy('101', '3');
    expect(b.state(id)).toMatchObject({ status: 'WORKING', cumQty: '1' });
    expect(b.balance('USDT')).toBe('99698/202');
    expect(b.tick('100', '1').map(fillText)).toEqual(['BUY 1 @ 101 maker']);
  });

  it('gives each tick its volume, also two at one time, but a tick that a start gives again keeps what was taken of it', () => {
    const b = bench({ participation: '1' });
    const at = b.now;
    const tick = () => {
      b.now = at;
      return b.tick('99', '1').map(fillText);
    };
    b.tick('100', '1');
    b.buy('99', '5');
    expect([tick(), tick()]).toEqual([['BUY 1 @ 99 maker'], ['BUY 1 @ 99 maker']]);
    b.core = b.reloaded();
    // After the restart, the feed continues with the tick after the second one of that time.
    b.core.seedPrice('BTCUSDT', '99', at, 2);
    expect([tick(), tick()]).toEqual([[], ['BUY 1 @ 99 maker']]);
  });

  it('after a start that goes on behind the last tick, takes the next of the same moment for another one', () => {
    const b = bench({ participation: '1' });
    const at = b.now;
    b.tick('100', '1');
    b.buy('99', '5');
    b.now = at;
    expect(b.tick('99', '1').map(fillText)).toEqual(['BUY 1 @ 99 maker']);
    b.core = b.reloaded();
    b.core.seedPrice('BTCUSDT', '99', at, 2);
    b.now = at;
    expect(b.tick('99', '2').map(fillText)).toEqual(['BUY 2 @ 99 maker']);
  });

  it.each(['each at its time', 'all at one time'])(
    'gives no volume again when a start gives ticks again, %s: what was matched before the last one stays as it was',
    (times) => {
      const b = bench({ participation: '1' });
      const from = b.now;
      const ticks = [
        ['99', '1'],
        ['98', '2'],
        ['97', '3'],
      ] as const;
      const play = (first: number) =>
        ticks.slice(first).map(([price, volume], i) => {
          b.now = times === 'all at one time' ? from + 10 : from + 10 + first + i;
          return b.tick(price, volume).map(fillText);
        });
      b.buy('99', '50');
      expect(play(0)).toEqual([['BUY 1 @ 99 maker'], ['BUY 2 @ 99 maker'], ['BUY 3 @ 99 maker']]);
      for (const first of [0, 1, 2]) {
        b.core = b.reloaded();
        if (first > 0) {
          const time = times === 'all at one time' ? from + 10 : from + 9 + first;
          b.core.seedPrice('BTCUSDT', '99', time, times === 'all at one time' ? first : 1);
        }
        expect(b.core.lastPrice('BTCUSDT'), `from ${first}`).toBe('97');
        expect(play(first).flat(), `from ${first}`).toEqual([]);
        expect(b.core.lastPrice('BTCUSDT'), `from ${first}`).toBe('97');
      }
      expect(b.tick('97', '4').map(fillText)).toEqual(['BUY 4 @ 99 maker']);
    },
  );

  it('remembers over a restart what was taken of the last tick', () => {
    const b = bench({ participation: '1' });
    b.tick('100', '1');
    b.place({ type: 'MARKET', quantity: '0.6' });
    b.core = b.reloaded();
    const id = b.place({ type: 'MARKET', quantity: '1' });
    expect(b.state(id).cumQty).toBe('0.4');
  });
});
