/** Refusals of the paper exchange, locked balances, ids, reset, dust, retention. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DUST_INTERVAL_MS } from '../../src/venues/paper/dust.ts';
import { compilePaperOptions } from '../../src/venues/paper/options.ts';
import { CoreBench, plain } from './paper-support.ts';

function bench(options: ConstructorParameters<typeof CoreBench>[0] = {}): CoreBench {
  const made = new CoreBench(options);
  made.give('BTC', '10');
  made.tick('100');
  return made;
}

describe('filters', () => {
  it.each([
    [{ symbol: 'XXXUSDT', price: '99', quantity: '1' }, '-1121', 'Invalid symbol: XXXUSDT.'],
    [{ type: 'STOP_MARKET', quantity: '1', stopPrice: '90' }, '-1116', 'STOP_MARKET is not supported'],
    [{ type: 'TAKE_PROFIT_MARKET', quantity: '1', stopPrice: '90' }, '-1116', 'TAKE_PROFIT_MARKET'],
    [{ price: '99.001', quantity: '1' }, '-1013', 'PRICE_FILTER: price 99.001 is not a multiple of 0.01'],
    [{ price: '99', quantity: '0.0015' }, '-1013', 'LOT_SIZE: quantity 0.0015 is not a multiple of 0.001'],
    [{ price: '99', quantity: '1001' }, '-1013', 'LOT_SIZE: quantity 1001 is above 1000'],
    [{ price: '99', quantity: '0.05' }, '-1013', 'NOTIONAL: 4.95 is below the minimum of 5'],
    [{ price: '19.99', quantity: '1' }, '-1013', 'PERCENT_PRICE: price must be between 20 and 500'],
    [{ side: 'SELL', price: '500.01', quantity: '1' }, '-1013', 'PERCENT_PRICE'],
    [{ type: 'MARKET', quantity: '100.001' }, '-1013', 'LOT_SIZE'],
    [{ type: 'MARKET', quantity: '0.04' }, '-1013', 'NOTIONAL: 4 is below'],
    [{ type: 'MARKET', quoteOrderQty: '0.09' }, '-1013', 'LOT_SIZE: 0.09 buys 0'],
    [{ type: 'MARKET', quantity: '1', quoteOrderQty: '1' }, '-1102', 'either quantity or quoteOrderQty'],
    [{ type: 'MARKET', quantity: '1', price: '99' }, '-1106', "'price'"],
    [{ price: '99' }, '-1102', 'needs quantity'],
    [{ quantity: '1' }, '-1102', 'needs price'],
    [{ price: '99', quantity: '1', stopPrice: '98' }, '-1102', 'has no stopPrice'],
    [{ type: 'STOP_LIMIT', price: '99', quantity: '1' }, '-1102', 'needs stopPrice'],
    [{ type: 'STOP_LIMIT', price: '99', quantity: '1', stopPrice: '105.005' }, '-1013', 'stopPrice 105.005'],
    [{ type: 'LIMIT_MAKER', price: '99', quantity: '1', timeInForce: 'IOC' }, '-1106', 'GTC'],
    [{ price: '99', quantity: '1', reduceOnly: true }, '-1106', 'reduceOnly'],
    [{ price: '99', quantity: '-1' }, '-1100', "'quantity'"],
    [{ price: '9e1', quantity: '1' }, '-1100', "'price'"],
    [{ price: '0', quantity: '1' }, '-1100', "'price'"],
  ] as const)('refuses %o', (order, code, words) => {
    const b = bench();
    const before = plain(b.core.documents());
    expect(b.submit(order)).toMatchObject({
      kind: 'rejected',
      code,
      message: expect.stringContaining(words),
    });
    expect(plain(b.core.documents())).toEqual(before);
  });

  it('counts open orders, waiting ones too', () => {
    const b = bench();
    for (let n = 0; n < 199; n++) b.buy('50', '0.1');
    b.sell('90', '0.1', { type: 'STOP_LIMIT', stopPrice: '95' });
    expect(b.submit({ price: '50', quantity: '0.1' })).toMatchObject({
      kind: 'rejected',
      message: 'Filter failure: MAX_NUM_ORDERS: 200 open orders on BTCUSDT already.',
    });
    b.place({ type: 'MARKET', quantity: '0.1' });
  });
});

describe('locks', () => {
  it('a BUY locks quote, a SELL base; a fill pays out of the lock', () => {
    const b = bench();
    b.buy('99', '2');
    b.sell('101', '4');
    expect([b.balance('USDT'), b.balance('BTC')]).toEqual(['99802/198', '6/4']);
    b.tick('101');
    expect([b.balance('USDT'), b.balance('BTC')]).toEqual(['100205.596/198', '6/0']);
    b.core.audit();
  });

  it.each([
    { price: '99', quantity: '100' },
    { type: 'MARKET', quantity: '100' },
    { side: 'SELL', price: '101', quantity: '10.001' },
    { type: 'STOP_LIMIT', price: '110', stopPrice: '110', quantity: '100' },
  ] as const)('refuses %o beyond what is free', (order) => {
    const b = bench();
    b.give('USDT', '9899.99');
    expect(b.submit(order)).toEqual({
      kind: 'rejected',
      reason: 'BALANCE',
      code: '-2010',
      message: 'Account has insufficient balance for requested action.',
    });
    expect(plain(b.reloaded().documents())).toEqual(plain(b.core.documents()));
  });
});

describe('ids', () => {
  it('refuses the id of an open and of a finished order', () => {
    const b = bench();
    b.buy('99', '1', { clientId: 'x' });
    const twice = {
      kind: 'rejected',
      reason: 'DUPLICATE_ID',
      code: '-2010',
      message: 'Duplicate order sent.',
    };
    expect(b.submit({ clientId: 'x', price: '98', quantity: '1' })).toEqual(twice);
    b.tick('99');
    expect(b.submit({ clientId: 'x', price: '98', quantity: '1' })).toEqual(twice);
  });

  it('takes a used id again under the Binance rule, as another order', () => {
    const b = bench();
    b.buy('99', '1', { clientId: 'x' });
    b.tick('99');
    const again = b.core.submit(
      {
        clientId: 'x',
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        price: '98',
        quantity: '1',
        timeInForce: 'GTC',
      },
      9,
      true,
    );
    expect(b.keep(again)).toMatchObject({ kind: 'accepted', state: { status: 'WORKING', cumQty: '0' } });
    const q = { clientId: 'x', symbol: 'BTCUSDT' };
    expect(b.core.query(q)).toMatchObject({ kind: 'found', fills: [] });
    b.tick('98');
    expect(b.core.query(q)).toMatchObject({ fills: [{ price: '98' }] });
    expect(b.core.fills({ symbol: 'BTCUSDT', from: 0 })).toHaveLength(2);
    expect(plain(b.reloaded().documents())).toEqual(plain(b.core.documents()));
  });

  it('a cancel of something not open tells how it ended, if it is known', () => {
    const b = bench();
    const id = b.buy('99', '1');
    b.tick('99');
    expect(b.cancel(id)).toMatchObject({ kind: 'gone', state: { status: 'FILLED' } });
    expect(b.cancel('nobody')).toEqual({ kind: 'gone', state: null });
  });
});

describe('reset', () => {
  it('cancels everything, restores the first balances and goes on counting', () => {
    const b = bench();
    b.place({ type: 'MARKET', quantity: '1' });
    const id = b.buy('99', '1');
    b.keep(b.core.reset(50));
    expect([b.balance('USDT'), b.balance('BTC')]).toEqual(['100000/0', '0/0']);
    expect(b.state(id)).toMatchObject({ status: 'CANCELLED', text: 'the paper account was reset' });
    b.place({ type: 'MARKET', quantity: '1' });
    const ids = b.core.fills({ symbol: 'BTCUSDT', from: 0 }).map((fill) => fill.tradeId);
    expect(new Set(ids).size).toBe(2);
    expect(plain(b.reloaded().documents())).toEqual(plain(b.core.documents()));
  });
});

describe('retention', () => {
  it('forgets the oldest finished orders and trades, in memory and in the store', () => {
    const b = new CoreBench({ finishedKept: 2, tradesKept: 3 });
    b.tick('100');
    const ids = [1, 2, 3, 4, 5].map(() => b.place({ type: 'MARKET', quantity: '1' }));
    const known = ids.map((clientId) => b.core.query({ clientId, symbol: 'BTCUSDT' }).kind);
    expect(known).toEqual(['absent', 'absent', 'absent', 'found', 'found']);
    expect(b.core.fills({ symbol: 'BTCUSDT', from: 0 })).toHaveLength(3);
    const sizes = [...b.lane.tables].map(([name, table]) => `${name} ${table.size}`).sort();
    expect(sizes).toEqual(['spot.balance 2', 'spot.meta 1', 'spot.order 2', 'spot.price 1', 'spot.trade 3']);
    expect(plain(b.reloaded().documents())).toEqual(plain(b.core.documents()));
  });
});

describe('retention in order', () => {
  it('forgets by the time of ending, over a restart too', () => {
    const b = new CoreBench({ finishedKept: 2 });
    b.tick('100');
    const [first, second, third] = [b.buy('99', '1'), b.buy('98', '1'), b.buy('97', '1')];
    for (const id of [first, second]) b.cancel(id);
    b.core = b.reloaded();
    b.cancel(third);
    const known = [first, second, third].map(
      (clientId) => b.core.query({ clientId, symbol: 'BTCUSDT' }).kind,
    );
    expect(known).toEqual(['absent', 'found', 'found']);
  });

  it('holds when one reset ends more than is kept', () => {
    const b = new CoreBench({ finishedKept: 2 });
    b.tick('100');
    for (let n = 0; n < 5; n++) b.buy('99', '1');
    b.keep(b.core.reset(9));
    expect(b.lane.tables.get('spot.order')?.size).toBe(2);
    expect(plain(b.reloaded().documents())).toEqual(plain(b.core.documents()));
  });
});

describe('an id that is used again and again', () => {
  it('is known by its latest order, as long as that is among the last that are kept, over restarts too', () => {
    const command = fc.record({
      id: fc.constantFrom('x', 'y', 'z'),
      what: fc.constantFrom('begin', 'begin', 'end', 'restart'),
    });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (commands, kept) => {
        const b = new CoreBench({ finishedKept: kept });
        b.tick('100');
        const open = new Map<string, string>();
        const ended: { readonly id: string; readonly qty: string }[] = [];
        for (const [n, { id, what }] of commands.entries()) {
          const qty = `1.${100 + n}`.replace(/0+$/, '');
          const limit = { clientId: id, symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '99' } as const;
          if (what === 'restart') b.core = b.reloaded();
          else if (what === 'begin') {
            const { kind } = b.keep(
              b.core.submit({ ...limit, quantity: qty, timeInForce: 'GTC' }, b.now++, true),
            );
            expect(kind).toBe(open.has(id) ? 'rejected' : 'accepted');
            if (kind === 'accepted') open.set(id, qty);
          } else {
            const own = open.get(id);
            b.cancel(id);
            open.delete(id);
            if (own !== undefined) ended.push({ id, qty: own });
          }
          for (const one of ['x', 'y', 'z']) {
            const latest = open.get(one) ?? ended.slice(-kept).findLast((order) => order.id === one)?.qty;
            const found = b.core.query({ clientId: one, symbol: 'BTCUSDT' });
            expect(found.kind === 'found' ? found.state.origQty : undefined).toBe(latest);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('dust', () => {
  function dusty(): CoreBench {
    const b = new CoreBench();
    b.give('BTC', '0.05');
    b.give('DOGE', '100');
    b.give('SHIB', '7');
    b.tick('100');
    b.tick('0.2', '1', undefined, 'DOGEUSDT');
    b.tick('600', '1', undefined, 'BNBUSDT');
    return b;
  }

  it('offers priced balances below 10 USDT and converts them for 2 %', () => {
    const b = dusty();
    expect(b.core.dust()).toEqual([
      { asset: 'BTC', free: '0.05', value: '5', toAsset: 'BNB', toAmount: '0.0081666634' },
    ]);
    expect(b.keep(b.core.convertDust(['BTC'], 1_000))).toEqual({
      kind: 'done',
      conversion: {
        converted: [{ asset: 'BTC', amount: '0.05', received: '0.0081666634', fee: '0.0001666666' }],
        toAsset: 'BNB',
        received: '0.0081666634',
      },
    });
    expect([b.balance('BTC'), b.balance('BNB')]).toEqual(['0/0', '0.0081666634/0']);
  });

  it('is of what is free: a balance that is set leaves what orders have locked', () => {
    const b = dusty();
    b.tick('50000');
    b.keep(b.core.setBalance('BTC', '1'));
    const id = b.place({ side: 'SELL', type: 'LIMIT', price: '60000', quantity: '0.4' });
    expect(b.balance('BTC')).toBe('0.6/0.4');
    b.keep(b.core.setBalance('BTC', '0.0001'));
    expect(b.balance('BTC')).toBe('0.0001/0.4');
    // Under another symbol's name the order is neither found nor cancelled.
    const other = { clientId: id, symbol: 'ETHUSDT' };
    expect(b.core.query(other)).toEqual({ kind: 'absent' });
    expect(b.keep(b.core.cancel(other, 60))).toEqual({ kind: 'gone', state: null });
    b.keep(b.core.cancel({ ...other, symbol: 'BTCUSDT' }, 60));
    expect(b.balance('BTC')).toBe('0.4001/0');
    expect(b.keep(b.core.cancel(other, 60))).toEqual({ kind: 'gone', state: null });
    expect(b.core.query(other)).toEqual({ kind: 'absent' });
  });

  it('is what is worth less than 10 USDT: at 10 it is none', () => {
    const b = dusty();
    b.tick('50000');
    b.keep(b.core.setBalance('BTC', '0.0002'));
    expect(b.core.dust()).toEqual([]);
    expect(b.keep(b.core.convertDust(['BTC'], 1_000))).toMatchObject({ kind: 'rejected' });
    b.keep(b.core.setBalance('BTC', '0.00019999'));
    expect(b.core.dust()).toMatchObject([{ asset: 'BTC', value: '9.9995' }]);
  });

  it.each([[['BTC', 'BTC']], [['DOGE', 'BTC', 'DOGE']], [['BTC', 'DOGE', 'BTC', 'BTC', 'DOGE']]])(
    'converts each asset once, however often it is named: %j',
    (named) => {
      const converted = (assets: readonly string[]) => {
        const b = dusty();
        b.give('DOGE', '40');
        const { kind } = b.keep(b.core.convertDust(assets, 1_000));
        return [kind, ...['BTC', 'DOGE', 'BNB'].map((asset) => b.balance(asset))];
      };
      const once = [...new Set(named)];
      expect(converted(once).slice(0, 2)).toEqual(['done', '0/0']);
      expect(converted(named)).toEqual(converted(once));
    },
  );

  // proves: rule dust-every-6-hours, limit dust, S11
  it('happens once in six hours, a restart in between or not', () => {
    const b = dusty();
    b.keep(b.core.convertDust(['BTC'], 1_000));
    b.give('BTC', '0.05');
    b.core = b.reloaded();
    expect(b.core.convertDust(['BTC'], 1_000 + 90 * 60_000).outcome).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('possible again in 4 h 30 min'),
    });
    expect(b.core.convertDust(['BTC'], 1_000 + DUST_INTERVAL_MS).outcome.kind).toBe('done');
  });

  it('does not wait for what the account before a reset has converted, over a restart either', () => {
    const b = dusty();
    b.keep(b.core.convertDust(['BTC'], 1_000));
    b.keep(b.core.reset(50));
    expect(b.core.dustWaitMs(2_000)).toBe(0);
    expect(b.reloaded().dustWaitMs(2_000)).toBe(0);
  });

  it.each([[['DOGE']], [['SHIB']], [['BTC', 'BNB']], [[]]])('refuses %j as a whole', (assets) => {
    const b = dusty();
    expect(b.core.convertDust(assets, 1).outcome.kind).toBe('rejected');
    expect(b.balance('BTC')).toBe('0.05/0');
  });
});

describe('options', () => {
  it.each([
    { participation: '0' },
    { participation: '1.5' },
    { makerRate: '-1.1' },
    { slippageBps: -1 },
    { latencyMs: Number.NaN },
  ])('refuses %o', (options) => {
    expect(() => compilePaperOptions(options)).toThrow(RangeError);
  });
});

it('a cancelled order leaves its place: as many may be open again as before', () => {
  const b = new CoreBench();
  b.tick('100');
  const ids = Array.from({ length: 199 }, () => b.buy('50', '0.1'));
  ids.push(b.place({ type: 'STOP_LIMIT', side: 'BUY', stopPrice: '150', price: '150', quantity: '0.1' }));
  const full = {
    kind: 'rejected',
    message: 'Filter failure: MAX_NUM_ORDERS: 200 open orders on BTCUSDT already.',
  };
  expect(b.submit({ price: '50', quantity: '0.1' })).toMatchObject(full);
  for (const id of ids) b.cancel(id);
  for (let n = 0; n < 200; n++) b.buy('50', '0.1');
  expect(b.submit({ price: '50', quantity: '0.1' })).toMatchObject(full);
});
