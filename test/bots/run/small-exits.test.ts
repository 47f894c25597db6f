/**
 * Lots worth less than the minimum order are dust where the exchange does not accept such an exit, so that
 * no run retries it forever.
 */
import { describe, expect, it } from 'vitest';
import { LotBook, newLotState } from '../../../src/bots/run/lots.ts';
import { leastQty } from '../../../src/bots/run/minimum.ts';
import { BotWorld } from '../../../src/bots/runtime/bot-world.ts';
import type { MarketRules } from '../../../src/bots/settings/compiled.ts';
import { fixedRules } from '../../../src/bots/settings/market-rules.ts';
import { dec, str, ZERO } from '../../../src/domain/decimal.ts';
import { Bench } from '../../engine/support/bench.ts';
import { rules } from '../backtest/support.ts';

const SMALL = { step: dec('0.01'), minQty: dec('0.01'), minNotional: dec('10') };

function held(more: Partial<MarketRules>) {
  const lots = new LotBook(newLotState(), rules({ ...SMALL, ...more }), false, 'quote');
  const fill = { price: dec('100'), qty: dec('0.05'), fee: ZERO, feeAsset: 'USDT', maker: false };
  lots.buy('a', 'a', fill, dec('0.05'), 0);
  return lots;
}

describe.each([
  ['spot', {}, true],
  ['futures', { kind: 'futures' }, false],
  ['futures that take no small close', { kind: 'futures', takesSmallExits: false }, true],
  ['spot that takes any', { takesSmallExits: true }, false],
] as const)('5 USDT of lots where 10 are the least, on %s', (_, more, isDust) => {
  it(isDust ? 'are dust, once and for all' : 'are sold', () => {
    const lots = held(more);
    expect(str(lots.sellable(['a'], dec('100')))).toBe(isDust ? '0' : '0.05');
    expect(str(lots.state.dust)).toBe(isDust ? '0.05' : '0');
    expect(lots.open).toHaveLength(isDust ? 0 : 1);
  });

  it('so are exits of other sizes', () => {
    const least = str(leastQty('exit', dec('100'), rules({ ...SMALL, ...more })));
    expect(least).toBe(isDust ? '0.1' : '0.01');
    expect(str(leastQty('entry', dec('100'), rules({ ...SMALL, ...more })))).toBe('0.1');
  });
});

describe('lots at the very minimum', () => {
  const sells = (qty: string, price: string, dust = '0', minQty = '0.01') => {
    const lots = new LotBook(newLotState(), rules({ ...SMALL, minQty: dec(minQty) }), false, 'quote');
    const fill = { price: dec('100'), qty: dec(qty), fee: ZERO, feeAsset: 'USDT', maker: false };
    lots.buy('a', 'a', fill, dec(qty), 0);
    lots.state.dust = dec(dust);
    return str(lots.sellable(['a'], dec(price)));
  };

  it.each([
    ['just the notional', ['0.1', '100'], '0.1'],
    ['a step less', ['0.09', '100'], '0'],
    ['a tick less', ['0.1', '99.99'], '0'],
    ['just the notional with the dust so far', ['0.095', '100', '0.005'], '0.1'],
    ['less than a step below it with the dust so far', ['0.095', '100', '0.0049'], '0'],
    ['just the quantity', ['0.2', '100', '0', '0.2'], '0.2'],
    ['a step less of that', ['0.19', '100', '0', '0.2'], '0'],
  ] as const)('%s: %j sells %s', (_, of, sold) => {
    const [qty, price, dust, minQty] = of;
    expect(sells(qty, price, dust, minQty)).toBe(sold);
  });
});

describe('what a run knows of small exits', () => {
  it.each([
    ['flag', true],
    ['any', true],
    ['no', false],
    [undefined, true],
  ] as const)('is what its exchange says: %s', (closeBelowMinimum, takes) => {
    const bench = new Bench({ futures: true, caps: closeBelowMinimum ? { closeBelowMinimum } : {} });
    const free = { fees: () => ({ maker: '0', taker: '0' }), maxLeverage: () => 20, targets: [] };
    const world = new BotWorld({ memory: bench.engine.memory, ...free });
    const known = world.rules(bench.exchange, 'BTCUSDT');
    expect(known?.takesSmallExits).toBe(takes);
    if (known) expect(fixedRules(known).takesSmallExits).toBe(takes);
  });
});
