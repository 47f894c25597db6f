/**
 * A run's orders as requests, and its figures as they are shown: both sides, both position modes, before and
 * after the run's end.
 */
import { describe, expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import type { Run } from '../../../src/bots/run/run.ts';
import { keyOf, requestOf } from '../../../src/bots/runtime/bot-orders.ts';
import { figuresOf } from '../../../src/bots/runtime/figures.ts';
import { dec, ZERO } from '../../../src/domain/decimal.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';

const runOf = (kind: 'spot' | 'futures', short = false, positionSide = 'BOTH') =>
  ({ rules: { kind, symbol: 'BTCUSDT' }, settings: { short, positionSide } }) as unknown as Run;
const order = (change: Partial<RunOrder>): RunOrder =>
  ({
    side: 'BUY',
    type: 'LIMIT',
    qty: dec('2'),
    price: dec('90'),
    stopPrice: null,
    reduceOnly: false,
    ...change,
  }) as RunOrder;

describe('the request of an order', () => {
  const exit = order({ side: 'SELL', reduceOnly: true });
  const stop = order({ type: 'STOP_MARKET', price: null, stopPrice: dec('80'), reduceOnly: true });
  const sent = (one: RunOrder, run: Run, hedge = false) => requestOf(one, 'x', run, hedge);

  it('says on futures that it only reduces, in hedge mode which position it is for instead', () => {
    expect(sent(exit, runOf('futures'))).toMatchObject({ reduceOnly: true });
    expect(sent(exit, runOf('futures'))).not.toHaveProperty('positionSide');
    for (const [run, side] of [
      [runOf('futures'), 'LONG'],
      [runOf('futures', true), 'SHORT'],
      [runOf('futures', false, 'SHORT'), 'SHORT'],
      [runOf('futures', true, 'LONG'), 'LONG'],
    ] as const) {
      const request = sent(exit, run, true);
      expect(request).toMatchObject({ side: 'SELL', positionSide: side });
      expect(request).not.toHaveProperty('reduceOnly');
    }
  });

  it('on spot says nothing of positions', () => {
    const request = sent(stop, runOf('spot'));
    expect(request).toEqual({
      exchange: 'x',
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'STOP_MARKET',
      quantity: '2',
      stopPrice: '80',
    });
  });

  it('of a stop on futures goes by the last price unless its rule says by the mark price', () => {
    expect(sent(stop, runOf('futures')).workingType).toBe('CONTRACT_PRICE');
    expect(sent({ ...stop, workingType: 'MARK_PRICE' }, runOf('futures')).workingType).toBe('MARK_PRICE');
    expect(sent(exit, runOf('futures'))).not.toHaveProperty('workingType');
  });

  it('is known again by what was stored with the order, and only with an order of a bot', () => {
    const stored = (creator: string, metadata: string) => keyOf({ creator, metadata } as OrderRecord);
    expect(stored('BOT', '{"level":"a","key":"7"}')).toBe('7');
    expect([stored('API', '{"key":"7"}'), stored('BOT', ''), stored('BOT', '{"key":7}')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('the figures of a run', () => {
  const DAY = 86_400_000;
  const figures = (now: number, endedAt: number | null, budget = '1000') => {
    const stats = { realised: dec('10'), fees: ZERO, volume: ZERO, maxDrawdown: ZERO, unfilled: ZERO };
    const state = { startedAt: DAY, endedAt, budget: dec(budget) };
    const run = { state, now, stats: () => stats, unrealised: () => dec('-5') };
    const { roi, annualised } = figuresOf(run as unknown as Run);
    return [roi, annualised];
  };

  it('are annualised after more than a day, by its own age: after its end that stands still', () => {
    expect(figures(2 * DAY, null)).toEqual(['0.5', null]);
    expect(figures(2 * DAY + 1, null)[1]).not.toBeNull();
    expect(figures(3 * DAY, null)).toEqual(['0.5', '91.25']);
    expect(figures(99 * DAY, 3 * DAY)).toEqual(['0.5', '91.25']);
    expect(figures(99 * DAY, 2 * DAY)).toEqual(['0.5', null]);
  });

  it('of a run without a deposit have no return', () => {
    expect(figures(9 * DAY, null, '0')).toEqual([null, null]);
  });
});
