/**
 * The exchange of the backtest: every order type, gaps, partial fills, slippage, balances, margin
 * (strategies.md 1).
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TickMarket, type TickMarketOptions } from '../../../src/bots/backtest/tick-market.ts';
import type { RunOrder, RunOrderType } from '../../../src/bots/run/contract.ts';
import { dec, ONE, str, ZERO } from '../../../src/domain/decimal.ts';
import { rules } from './support.ts';

let keys = 0;

function order(
  side: 'BUY' | 'SELL',
  type: RunOrderType,
  qty: string,
  price?: string,
  stopPrice?: string,
): RunOrder {
  return {
    key: `${++keys}`,
    slot: 'slot',
    role: 'entry',
    side,
    type,
    price: price === undefined ? null : dec(price),
    stopPrice: stopPrice === undefined ? null : dec(stopPrice),
    qty: dec(qty),
    label: 'test',
    reduceOnly: false,
    into: [],
    from: [],
    executed: 0n,
    phase: 'asked',
    cancelAsked: false,
  };
}

class Rig {
  readonly market: TickMarket;
  time = 0;

  constructor(options: Partial<TickMarketOptions> = {}) {
    const balances = new Map([
      ['USDT', dec('10000')],
      ['BTC', dec('10')],
    ]);
    this.market = new TickMarket({ rules: rules(), balances, ...options });
  }

  tick(price: string, volume = '0', drain = () => {}): string[] {
    const before = this.market.fills.length;
    this.market.tick(dec(price), ++this.time, dec(volume), drain);
    return this.fills(before);
  }

  place(...args: Parameters<typeof order>): string {
    const placed = order(...args);
    this.market.place(placed, this.time);
    return placed.key;
  }

  /** Places an order that only reduces. */
  reduce(...args: Parameters<typeof order>): void {
    this.market.place({ ...order(...args), reduceOnly: true }, this.time);
  }

  /** Returns the kinds of the changes since the last call. */
  changes(): string[] {
    const kinds: string[] = [];
    for (let change = this.market.take(); change; change = this.market.take()) {
      kinds.push(change.kind === 'rejected' ? change.reason : change.kind);
    }
    return kinds;
  }

  fills(from = 0): string[] {
    return this.market.fills
      .slice(from)
      .map(({ side, qty, price, maker }) => `${side} ${str(qty)} at ${str(price)}${maker ? ' maker' : ''}`);
  }

  free(asset: string): string {
    return str(this.market.free(asset));
  }

  open(): string[] {
    return [...this.market.open()].map(
      ({ order: { side }, type, price, stopPrice, qty }) =>
        `${side} ${type} ${str(qty)} ${price === null ? '-' : str(price)}/${stopPrice === null ? '-' : str(stopPrice)}`,
    );
  }
}

// proves: bot tick limit-resting, bot tick limit-marketable, bot tick jumps
describe('a LIMIT order', () => {
  it('that rests fills at its limit when a tick is at or beyond it, however far', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('BUY', 'LIMIT', '1', '99');
    expect(rig.tick('99.1')).toEqual([]);
    expect(rig.tick('99')).toEqual(['BUY 1 at 99 maker']);
    rig.place('SELL', 'LIMIT', '1', '101');
    expect(rig.tick('140')).toEqual(['SELL 1 at 101 maker']);
    expect(rig.changes()).toEqual(['accepted', 'fill', 'ended', 'accepted', 'fill', 'ended']);
  });

  it('that is marketable when placed takes at the last price', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('BUY', 'LIMIT', '1', '105');
    rig.place('SELL', 'LIMIT', '1', '95');
    expect(rig.fills()).toEqual(['BUY 1 at 100', 'SELL 1 at 100']);
  });

  it('locks what it may need, and gives back what it did not', () => {
    const rig = new Rig();
    rig.tick('100');
    const key = rig.place('BUY', 'LIMIT', '10', '99');
    expect(rig.free('USDT')).toBe('9010');
    rig.market.cancel(key);
    expect(rig.free('USDT')).toBe('10000');
    rig.place('BUY', 'LIMIT', '1', '105');
    // The fill price was better than the limit; the fee is deducted from what was bought.
    expect([rig.free('USDT'), rig.free('BTC')]).toEqual(['9900', '10.999']);
  });

  it('that the balance does not cover is refused', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('BUY', 'LIMIT', '200', '99');
    rig.place('SELL', 'LIMIT', '11', '101');
    expect(rig.changes()).toEqual(['insufficient balance of USDT', 'insufficient balance of BTC']);
    expect(rig.open()).toEqual([]);
  });
});

// proves: bot tick market-price
describe('a MARKET order', () => {
  it('fills at the last price, as taker', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('SELL', 'MARKET', '2');
    expect(rig.fills()).toEqual(['SELL 2 at 100']);
    expect(rig.free('USDT')).toBe('10199.8');
  });

  it('fills worse by the slippage, rounded to the tick against the trader', () => {
    const rig = new Rig({ slippage: dec('0.0003') });
    rig.tick('100');
    rig.place('BUY', 'MARKET', '1');
    rig.place('SELL', 'MARKET', '1');
    rig.place('BUY', 'LIMIT', '1', '101');
    expect(rig.fills()).toEqual(['BUY 1 at 100.1', 'SELL 1 at 99.9', 'BUY 1 at 100']);
  });

  it('fills at no less than one tick, however much it slips', () => {
    const rig = new Rig({ slippage: dec('0.5'), rules: rules({ minNotional: 0n }) });
    rig.tick('0.1');
    rig.place('SELL', 'MARKET', '1');
    expect(rig.fills()).toEqual(['SELL 1 at 0.1']);
  });
});

// proves: bot tick stop-market, bot tick stop-limit
describe('a stop', () => {
  it('to the market fills at the price of the tick that reaches it, also behind a gap', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('SELL', 'STOP_MARKET', '1', undefined, '98');
    rig.place('BUY', 'STOP_MARKET', '1', undefined, '102');
    expect(rig.open()).toEqual(['SELL STOP_MARKET 1 -/98', 'BUY STOP_MARKET 1 -/102']);
    expect(rig.tick('98.1')).toEqual([]);
    expect(rig.tick('95')).toEqual(['SELL 1 at 95']);
    expect(rig.tick('102')).toEqual(['BUY 1 at 102']);
  });

  it('with a limit becomes that LIMIT order', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('SELL', 'STOP_LIMIT', '1', '97', '98');
    expect(rig.tick('95')).toEqual([]);
    expect(rig.open()).toEqual(['SELL LIMIT 1 97/-']);
    expect(rig.tick('97.2')).toEqual(['SELL 1 at 97 maker']);
  });
});

// proves: bot ruling R2
describe('a stop that the last price has passed', () => {
  it.each([
    ['BUY', '101', 'STOP_MARKET', 'above'],
    ['BUY', '100', 'STOP_LIMIT', 'above'],
    ['SELL', '99', 'STOP_LIMIT', 'below'],
    ['SELL', '100', 'STOP_MARKET', 'below'],
  ] as const)('is refused, %s at %s', (side, last, type, needed) => {
    for (const kind of ['spot', 'futures'] as const) {
      const rig = new Rig({ rules: rules({ kind }) });
      rig.tick(last);
      const limit = type === 'STOP_LIMIT' ? '100' : undefined;
      const key = rig.place(side, type, '1', limit, '100');
      const reason = `stopPrice 100 would trigger at once: the last price is ${last}; a ${type} ${side} needs a stopPrice ${needed} it`;
      expect(rig.market.take()).toEqual({ key, kind: 'rejected', reason, why: 'passed' });
      expect([rig.open(), rig.fills()]).toEqual([[], []]);
    }
  });
});

// proves: bot ruling R2
describe('a stop that triggers', () => {
  const poor = (asset: string, amount: string) => ({ balances: new Map([[asset, dec(amount)]]) });

  it('is refused when the gap asks for more than there is, and nothing is spent', () => {
    const rig = new Rig(poor('USDT', '1000'));
    rig.tick('99');
    const key = rig.place('BUY', 'STOP_MARKET', '10', undefined, '100');
    expect(rig.free('USDT')).toBe('0');
    expect(rig.tick('105')).toEqual([]);
    rig.market.take();
    const reason = 'insufficient balance of USDT';
    expect(rig.market.take()).toEqual({ key, kind: 'rejected', reason, why: 'balance', sent: true });
    expect([rig.open(), rig.free('USDT'), str(rig.market.total('USDT'))]).toEqual([[], '1000', '1000']);
  });

  it('counts once what waits with it', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('SELL', 'STOP_MARKET', '4', undefined, '95');
    rig.place('SELL', 'LIMIT', '3', '110');
    expect([rig.free('BTC'), str(rig.market.total('BTC'))]).toEqual(['3', '10']);
  });

  it('may spend what another stop waits with, which is refused then', () => {
    const rig = new Rig(poor('USDT', '1000'));
    rig.tick('99');
    rig.place('BUY', 'STOP_MARKET', '5', undefined, '100');
    rig.place('BUY', 'STOP_MARKET', '5', undefined, '100');
    expect(rig.tick('105')).toEqual(['BUY 5 at 105']);
    expect(str(rig.market.total('USDT'))).toBe('475');
    expect(rig.changes()).toEqual(['accepted', 'accepted', 'fill', 'ended', 'insufficient balance of USDT']);
  });

  it('on futures is refused when its margin is not there any more', () => {
    const rig = new Rig({ rules: rules({ kind: 'futures' }), ...poor('USDT', '100'), leverage: ONE });
    rig.tick('99');
    rig.place('BUY', 'STOP_MARKET', '1', undefined, '99.5');
    rig.place('BUY', 'LIMIT', '0.5', '95');
    expect(rig.tick('99.6')).toEqual([]);
    expect(rig.changes()).toEqual(['accepted', 'accepted', 'insufficient balance of USDT']);
  });
});

describe('an order that only reduces, on futures', () => {
  const held = (amount: string) =>
    new Rig({
      rules: rules({ kind: 'futures', makerRate: 0n, takerRate: 0n }),
      position: { amount: dec(amount), entryPrice: dec('100') },
    });

  it('sells what is held at most, and ends with it', () => {
    const rig = held('1');
    rig.tick('100');
    rig.reduce('SELL', 'LIMIT', '3', '101');
    rig.reduce('SELL', 'STOP_MARKET', '3', undefined, '95');
    expect(rig.tick('102')).toEqual(['SELL 1 at 101 maker']);
    expect([rig.open(), rig.market.position.amount]).toEqual([[], 0n]);
    expect(rig.changes()).toEqual(['accepted', 'accepted', 'fill', 'ended', 'ended']);
  });

  it('ends where an order turns the position to the other side, and goes on where it only shrinks', () => {
    const rig = held('2');
    rig.tick('100');
    rig.reduce('SELL', 'LIMIT', '2', '120');
    rig.reduce('SELL', 'STOP_LIMIT', '2', '90', '91');
    rig.place('SELL', 'MARKET', '1');
    expect(rig.open()).toHaveLength(2);
    rig.changes();
    rig.place('SELL', 'MARKET', '3');
    expect(rig.open()).toEqual([]);
    expect(rig.changes()).toEqual(['accepted', 'fill', 'ended', 'ended', 'ended']);
  });

  it('is refused without a position, or with one of its own side', () => {
    for (const amount of ['0', '-1']) {
      const rig = held(amount);
      rig.tick('100');
      rig.reduce('SELL', 'MARKET', '1');
      expect(rig.changes()).toEqual(['there is no position that it would reduce']);
      expect(rig.fills()).toEqual([]);
    }
  });
});

// proves: bot ruling R2
it.each(['spot', 'futures'] as const)('no order at random takes a wallet below zero, on %s', (kind) => {
  const side = fc.constantFrom('BUY', 'SELL');
  const price = fc.integer({ min: 80, max: 120 }).map(String);
  const step = fc.record({
    side,
    type: fc.constantFrom('MARKET', 'LIMIT', 'STOP_MARKET', 'STOP_LIMIT'),
    qty: fc.constantFrom('0.05', '1', '4', '9.5', '10'),
    price,
    stopPrice: price,
    reduceOnly: fc.boolean(),
    tick: fc.option(price),
    volume: fc.constantFrom('0', '3', '100'),
  });
  const steps = fc.array(step, { maxLength: 40 });
  const options = fc.record({
    slippage: fc.constantFrom(ZERO, dec('0.004')),
    participation: fc.constantFrom(null, dec('0.5')),
    leverage: fc.constantFrom(ONE, dec('20')),
  });
  fc.assert(
    fc.property(options, steps, (given, drawn) => {
      const balances = new Map([
        ['USDT', dec('1000')],
        ['BTC', dec(kind === 'spot' ? '5' : '0')],
      ]);
      const rig = new Rig({ rules: rules({ kind }), balances, ...given });
      rig.tick('100', '10');
      for (const { type, tick, volume, ...one } of drawn) {
        const limit = type === 'LIMIT' || type === 'STOP_LIMIT' ? one.price : undefined;
        const stop = type.startsWith('STOP') ? one.stopPrice : undefined;
        const place = one.reduceOnly && kind === 'futures' ? 'reduce' : 'place';
        rig[place](one.side as 'BUY', type as 'LIMIT', one.qty, limit, stop);
        if (tick !== null) rig.tick(tick, volume);
        for (const asset of balances.keys()) {
          expect(rig.market.free(asset)).toBeGreaterThanOrEqual(ZERO);
          expect(rig.market.total(asset)).toBeGreaterThanOrEqual(ZERO);
        }
      }
    }),
  );
});

// proves: bot tick order, bot tick fill-by-fill, bot tick placed-within
describe('within one tick', () => {
  it('buys are taken from the highest price, then sells from the lowest, equal prices by age', () => {
    const rig = new Rig({
      balances: new Map([
        ['USDT', dec('100000')],
        ['BTC', dec('10')],
      ]),
    });
    rig.tick('100');
    rig.place('BUY', 'LIMIT', '1', '98');
    rig.place('BUY', 'LIMIT', '2', '99');
    rig.place('BUY', 'LIMIT', '3', '99');
    expect(rig.tick('90')).toEqual(['BUY 2 at 99 maker', 'BUY 3 at 99 maker', 'BUY 1 at 98 maker']);
    rig.place('SELL', 'LIMIT', '1', '93');
    rig.place('SELL', 'LIMIT', '2', '92');
    expect(rig.tick('95')).toEqual(['SELL 2 at 92 maker', 'SELL 1 at 93 maker']);
  });

  it('a stop with a limit has the age of its triggering, not of its placing', () => {
    const rig = new Rig();
    rig.tick('100');
    const stop = rig.place('SELL', 'STOP_LIMIT', '1', '98', '95');
    rig.tick('97');
    const limit = rig.place('SELL', 'LIMIT', '2', '98');
    expect(rig.tick('95')).toEqual([]);
    rig.tick('98');
    expect(rig.market.fills.map(({ key }) => key)).toEqual([limit, stop]);
  });

  it('a fill is handled before the next order is looked at', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('BUY', 'LIMIT', '1', '99');
    const second = rig.place('BUY', 'LIMIT', '1', '98');
    expect(rig.tick('90', '0', () => rig.market.cancel(second))).toEqual(['BUY 1 at 99 maker']);
  });

  it('an order placed during it fills only if it is marketable', () => {
    const rig = new Rig();
    rig.tick('100');
    rig.place('BUY', 'LIMIT', '1', '99');
    let placed = false;
    const fills = rig.tick('90', '0', () => {
      if (placed) return;
      placed = true;
      rig.place('BUY', 'LIMIT', '1', '89');
      rig.place('SELL', 'LIMIT', '1', '85');
    });
    expect(fills).toEqual(['BUY 1 at 99 maker', 'SELL 1 at 90']);
  });
});

// proves: bot tick partial
describe('with a participation', () => {
  it('resting orders share the volume of a tick, whole steps of it, and the rest stays', () => {
    const rig = new Rig({ participation: dec('0.5') });
    rig.tick('100', '1');
    rig.place('BUY', 'LIMIT', '2', '99');
    rig.place('BUY', 'LIMIT', '1', '98');
    expect(rig.tick('97', '4.0019')).toEqual(['BUY 2 at 99 maker']);
    expect(rig.open()).toEqual(['BUY LIMIT 1 98/-']);
    expect(rig.tick('97', '1.003')).toEqual(['BUY 0.501 at 98 maker']);
    expect(rig.open()).toEqual(['BUY LIMIT 0.499 98/-']);
    expect(rig.tick('97', '0')).toEqual([]);
  });

  it('a MARKET order takes what there is, the rest of it ends', () => {
    const rig = new Rig({ participation: ONE });
    rig.tick('100', '1.5');
    rig.place('SELL', 'MARKET', '1');
    rig.place('SELL', 'MARKET', '1');
    rig.place('SELL', 'MARKET', '1');
    expect(rig.fills()).toEqual(['SELL 1 at 100', 'SELL 0.5 at 100']);
    expect(rig.changes()).toEqual([
      'accepted',
      'fill',
      'ended',
      'accepted',
      'fill',
      'ended',
      'accepted',
      'ended',
    ]);
    expect(rig.free('BTC')).toBe('8.5');
  });
});

// proves: bot tick fees-futures
describe('on futures', () => {
  const futures = (leverage: string, wallet = '1000') =>
    new Rig({
      rules: rules({ kind: 'futures', makerRate: 0n, takerRate: dec('0.001') }),
      balances: new Map([['USDT', dec(wallet)]]),
      leverage: dec(leverage),
    });

  it('profit and fees go to the wallet, margin is what the position leaves free of it', () => {
    const rig = futures('5');
    rig.tick('100');
    rig.place('BUY', 'MARKET', '10');
    expect([rig.free('USDT'), str(rig.market.total('USDT'))]).toEqual(['799', '999']);
    rig.tick('90');
    // An unrealised loss of 100, and the margin of a smaller notional.
    expect(rig.free('USDT')).toBe('719');
    rig.place('SELL', 'MARKET', '10');
    expect(str(rig.market.total('USDT'))).toBe('898.1');
    expect(rig.market.position.amount).toBe(0n);
  });

  it('an order whose margin and fee the wallet does not cover is refused', () => {
    const rig = futures('2', '100');
    rig.tick('100');
    rig.place('BUY', 'LIMIT', '2.1', '100');
    rig.place('BUY', 'LIMIT', '1.9', '100');
    expect(rig.changes()).toEqual(['insufficient balance of USDT', 'accepted', 'fill', 'ended']);
    expect(rig.free('USDT')).toBe('4.81');
  });

  it('a position is turned by a larger order the other way', () => {
    const rig = futures('10');
    rig.tick('100');
    rig.place('BUY', 'MARKET', '1');
    rig.tick('110');
    rig.place('SELL', 'MARKET', '3');
    const { amount, entryPrice } = rig.market.position;
    expect([str(amount), str(entryPrice), str(rig.market.total('USDT'))]).toEqual(['-2', '110', '1009.57']);
  });

  it('what a position has gained is margin up to the wallet, no more', () => {
    const order = (qty: string) => {
      const rig = futures('10', '100');
      rig.tick('100');
      rig.place('BUY', 'MARKET', '1');
      rig.tick('200');
      rig.changes();
      rig.place('BUY', 'LIMIT', qty, '200');
      return rig.changes()[0];
    };
    // The wallet is 99.9 and the gain 100; the position's margin is 20. Required are 98 and 0.98, or 100
    // and 1.
    expect([order('4.9'), order('5')]).toEqual(['accepted', 'insufficient balance of USDT']);
  });

  it.each([
    ['BUY', '105', '15.604', '15.606'],
    ['SELL', '95', '14.594', '14.596'],
  ] as const)(
    'a %s that is worse than the price needs what it loses at once, too',
    (side, price, less, enough) => {
      // A tenth of its notional, an immediate loss of 5, a thousandth of the notional as the fee.
      for (const [wallet, outcome] of [
        [less, 'insufficient balance of USDT'],
        [enough, 'accepted'],
      ] as const) {
        const rig = futures('10', wallet);
        rig.tick('100');
        rig.place(side, 'LIMIT', '1', price);
        expect(rig.changes()[0]).toBe(outcome);
      }
    },
  );

  it('a stop with a limit takes margin from others only when it has triggered', () => {
    const rig = futures('1', '100');
    rig.tick('99');
    rig.place('BUY', 'STOP_LIMIT', '0.9', '98', '99.5');
    rig.place('BUY', 'LIMIT', '0.9', '98');
    expect(rig.changes()).toEqual(['accepted', 'accepted']);
    expect(rig.free('USDT')).toBe('11.8');
  });

  it('an order that opens nothing needs no margin, also when the loss has taken all there is', () => {
    const rig = new Rig({
      rules: rules({ kind: 'futures', makerRate: 0n, takerRate: 0n }),
      balances: new Map([['USDT', dec('10')]]),
      position: { amount: dec('1'), entryPrice: dec('100') },
      leverage: dec('100'),
    });
    rig.tick('90.5');
    rig.place('SELL', 'MARKET', '1');
    expect(rig.changes()).toEqual(['accepted', 'fill', 'ended']);
  });

  it('a loss beyond the wallet is not the trader’s', () => {
    const rig = new Rig({
      rules: rules({ kind: 'futures', makerRate: 0n, takerRate: dec('0.001') }),
      balances: new Map([['USDT', dec('10')]]),
      position: { amount: dec('1'), entryPrice: dec('100') },
      leverage: dec('100'),
    });
    rig.tick('80');
    rig.reduce('SELL', 'MARKET', '1');
    expect(str(rig.market.total('USDT'))).toBe('0');
  });

  it('a fill whose fee the wallet has lost since is given back, one that closes is not', () => {
    const rig = new Rig({
      rules: rules({ kind: 'futures', makerRate: dec('0.01'), takerRate: 0n }),
      balances: new Map([['USDT', dec('10')]]),
      position: { amount: dec('1'), entryPrice: dec('100') },
      leverage: dec('100'),
    });
    rig.tick('100');
    rig.place('BUY', 'LIMIT', '1', '90');
    rig.place('SELL', 'STOP_MARKET', '1', undefined, '91');
    // The stop loses 9.5 of the 10; the fee of the buy would be 0.9.
    expect(rig.tick('90.5')).toEqual(['SELL 1 at 90.5']);
    expect(rig.tick('90')).toEqual([]);
    expect([rig.open(), str(rig.market.total('USDT'))]).toEqual([[], '0.5']);
    const exact = new Rig({
      rules: rules({ kind: 'futures', makerRate: dec('0.01'), takerRate: 0n }),
      balances: new Map([['USDT', dec('10')]]),
      position: { amount: dec('1'), entryPrice: dec('100') },
      leverage: dec('100'),
    });
    exact.tick('100');
    exact.place('BUY', 'LIMIT', '1', '90');
    exact.place('SELL', 'STOP_MARKET', '1', undefined, '91');
    // It loses 9.1 of the 10, and leaves exactly the fee of the buy.
    expect(exact.tick('90.9')).toEqual(['SELL 1 at 90.9']);
    expect(exact.tick('90')).toEqual(['BUY 1 at 90 maker']);
    expect(str(exact.market.total('USDT'))).toBe('0');
    const closing = new Rig({
      rules: rules({ kind: 'futures', makerRate: dec('0.01'), takerRate: 0n }),
      balances: new Map([['USDT', dec('0.5')]]),
      position: { amount: dec('1'), entryPrice: dec('100') },
      leverage: dec('100'),
    });
    closing.tick('100');
    closing.reduce('SELL', 'LIMIT', '1', '101');
    expect(closing.tick('101')).toEqual(['SELL 1 at 101 maker']);
    expect(str(closing.market.total('USDT'))).toBe('0.49');
  });
});
