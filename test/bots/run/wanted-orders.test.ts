/**
 * Wanted orders before they are sent: divided, rounded, trailed, moved to MARKET; and where stops rest and
 * what they forget.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Wanted } from '../../../src/bots/run/contract.ts';
import { asNow, limitPrice, sentAs } from '../../../src/bots/run/sending.ts';
import type { Watch } from '../../../src/bots/run/slot.ts';
import { newStopState, resetStop, restingStop } from '../../../src/bots/run/stops.ts';
import { divided, narrowed, takeParts, trail, trailBounds } from '../../../src/bots/run/wants.ts';
import type { OrderWay, StopRule } from '../../../src/bots/settings/compiled.ts';
import { type Dec, dec, str } from '../../../src/domain/decimal.ts';

describe('a quantity over several orders', () => {
  it.each([
    ['1', 4, '0.25', ['0.25', '0.25', '0.25', '0.25']],
    ['1', 4, '0.251', ['0.333', '0.333', '0.334']],
    ['1', 3, '0', ['0.333', '0.333', '0.334']],
    ['0.002', 3, '0', ['0.001', '0.001']],
    ['1', 4, '0.501', ['1']],
    ['1', 1, '2', ['1']],
  ])('%s over %d of at least %s', (qty, count, least, pieces) => {
    expect(divided(dec(qty), count, dec('0.001'), dec(least)).map(str)).toEqual(pieces);
  });

  it('is all of it, in as many as may be, none too small, all but the last equal and whole steps', () => {
    const step = dec('0.001');
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 1_000 }),
        (steps, count, least) => {
          const qty = BigInt(steps) * step;
          const pieces = divided(qty, count, step, BigInt(least) * step);
          expect(pieces.reduce((sum, one) => sum + one, 0n)).toBe(qty);
          expect(new Set(pieces.slice(0, -1)).size).toBeLessThanOrEqual(1);
          const most = Math.min(count, least === 0 ? steps : Math.floor(steps / least));
          expect(pieces).toHaveLength(Math.max(1, most));
        },
      ),
    );
  });

  it('takes its parts from the first on, and of each what there is', () => {
    const parts = [2n, 0n, 3n].map((qty, n) => ({ lot: `${n}`, label: `${n}`, qty }));
    const taken = (qty: bigint) => takeParts(parts, qty).map((part) => `${part.lot}:${part.qty}`);
    expect([taken(1n), taken(2n), taken(9n), taken(1n)]).toEqual([['0:1'], ['0:1', '2:1'], ['2:2'], []]);
  });
});

describe.each([
  ['long', false, 1],
  ['short', true, -1],
] as const)('an exit trailed by 5 %% from a target of 100, %s', (_what, short, way) => {
  /** The price this far on the winning side of the target. */
  const at = (far: number) => dec(String(100 + way * far));
  const played = (...moves: readonly number[]) => {
    const watch: Watch = { at: dec('100'), falling: short, peak: null };
    const fired = moves.map((far) => trail(watch, dec('5'), at(far), short).fires);
    return { fired: fired.indexOf(true), peak: watch.peak };
  };

  it('follows from the target itself on, to the best price', () => {
    expect(played(-0.01)).toEqual({ fired: -1, peak: null });
    expect(played(0)).toEqual({ fired: -1, peak: at(0) });
    expect(played(0, 3, 1, 2)).toEqual({ fired: -1, peak: at(3) });
  });

  it('sells 5 % off its best, at that very price; not where the price has jumped beyond 5 % off the target', () => {
    // 5 % below 110 is 104.5; for a short, 5 % above 90 is 94.5.
    const trigger = short ? 5.5 : 4.5;
    expect(played(10, trigger).fired).toBe(1);
    expect(played(10, trigger + 0.01).fired).toBe(-1);
    expect(played(10, -5).fired).toBe(1);
    expect(played(10, -5.01).fired).toBe(-1);
    expect(played(10, -5.01, -5).fired).toBe(2);
  });

  it('is told of the ticks at which it follows or sells, and of no other', () => {
    const { below, above } = trailBounds(at(10), dec('5'), short);
    const bounds = [below, above].map((bound) => bound && str(bound));
    expect(bounds).toEqual(short ? ['90', '94.5'] : ['104.5', '110']);
  });
});

it('two who wait are both woken: the nearer of their bounds on each side', () => {
  const quiet = (below: Dec | null, above: Dec | null) => ({ below, above });
  expect(narrowed(quiet(1n, 9n), quiet(2n, 8n))).toEqual(quiet(2n, 8n));
  expect(narrowed(quiet(2n, 8n), quiet(1n, 9n))).toEqual(quiet(2n, 8n));
  expect(narrowed(quiet(null, 8n), quiet(1n, null))).toEqual(quiet(1n, 8n));
  expect(narrowed(quiet(null, null), quiet(null, null))).toEqual(quiet(null, null));
});

describe('what goes out at once', () => {
  const way = (type: 'LIMIT' | 'MARKET' | null, worse: string) =>
    ({ type, worsePercent: dec(worse) }) as unknown as OrderWay;
  const sent = (how: OrderWay | null, side: 'BUY' | 'SELL', price: string | null = '100.07') => {
    const { type, price: at, stopPrice } = asNow(how, side, price === null ? null : dec(price), dec('0.1'));
    expect(stopPrice).toBeNull();
    return at === null ? type : `${type} ${str(at)}`;
  };

  it('is a LIMIT some percent worse where that is asked for, on the tick at which it is no worse', () => {
    expect([sent(way('LIMIT', '1'), 'BUY'), sent(way('LIMIT', '1'), 'SELL')]).toEqual([
      'LIMIT 101',
      'LIMIT 99.1',
    ]);
  });

  it('is MARKET else', () => {
    for (const how of [null, way('MARKET', '1'), way('LIMIT', '0')])
      for (const side of ['BUY', 'SELL'] as const) expect(sent(how, side)).toBe('MARKET');
    expect(sent(way('LIMIT', '1'), 'BUY', null)).toBe('MARKET');
  });

  it('a stop that has fired is what it says itself, a sale at MARKET rests nowhere', () => {
    const want = (change: object) =>
      ({
        role: 'exit',
        type: 'LIMIT',
        price: dec('99.97'),
        stopPrice: dec('100.04'),
        ...change,
      }) as unknown as Wanted;
    const go = (one: Wanted, fired: boolean) => sentAs(one, fired, null, 'SELL', dec('100'), dec('0.1'));
    expect(go(want({}), true)).toEqual({ type: 'LIMIT', price: dec('100'), stopPrice: null });
    expect(go(want({ price: null }), true)).toEqual({ type: 'MARKET', price: null, stopPrice: null });
    expect(go(want({}), false)).toEqual({ type: 'LIMIT', price: dec('100'), stopPrice: dec('100') });
    expect(limitPrice(dec('99.99'), 'BUY', dec('0.1'))).toBe(dec('99.9'));
  });
});

describe('a stop rule', () => {
  it.each([
    [null, false, '100'],
    [null, true, '100'],
    ['2', false, '98'],
    ['2', true, '102'],
  ])('rests its correction further away: %s %%, short %s', (correction, short, level) => {
    const rule = {
      order: { correction: correction === null ? null : dec(correction) },
    } as unknown as StopRule;
    expect(str(restingStop(rule, dec('100'), short))).toBe(level);
  });

  it('forgets what followed a position that is flat, and neither its sleep nor that it was deleted', () => {
    const state = { armed: true, best: 5n, sleepsUntil: 7, removed: true };
    resetStop(state);
    expect(state).toEqual({ ...newStopState(), sleepsUntil: 7, removed: true });
  });
});
