/**
 * Candles from before a reader was added, and a hub that is stored and restored (strategies.md 1 and 2, run
 * rule 2).
 */
import { describe, expect, it } from 'vitest';
import { MAX_KEPT } from '../../../src/bots/market/candle-series.ts';
import { MAX_HISTORY } from '../../../src/bots/market/join-history.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { BTC, flat, M, Rig, rows, T } from './rig.ts';

// proves: bot candles history
describe('history', () => {
  it('is wanted once, as much as the deepest need', () => {
    const { hub } = new Rig();
    hub.need(BTC, M, { keep: 21 });
    expect(hub.historyWanted(BTC, M)).toBe(21);
    hub.need(BTC, M, { rsi: 14 });
    expect(hub.historyWanted(BTC, M)).toBe(14 * 20);
    hub.need(BTC, M, { ema: 200 });
    expect(hub.historyWanted(BTC, M)).toBe(200 * 20);
    hub.need(BTC, M, { ema: 1_000 });
    expect(hub.historyWanted(BTC, M)).toBe(MAX_HISTORY);
    hub.history(BTC, M, [flat(T - M, '1')]);
    expect(hub.historyWanted(BTC, M)).toBe(0);
    hub.need(BTC, M, { rsi: 14, keep: 5 });
    expect(hub.historyWanted(BTC, M)).toBe(0);
    hub.need(BTC, M, { keep: 30 });
    expect(hub.historyWanted(BTC, M)).toBe(30);
    hub.history(BTC, M, []);
    const leave = hub.need(BTC, M, { keep: 40 });
    hub.history(BTC, M, []);
    expect(hub.historyWanted(BTC, M)).toBe(0);
    leave();
    hub.need(BTC, M, { keep: 40 });
    expect(hub.historyWanted(BTC, M)).toBe(40);
    expect([hub.historyWanted(BTC, 2 * M), hub.historyWanted('ETHUSDT', M)]).toEqual([0, 0]);
  });

  it('begins indicators and the closed candles', () => {
    const { hub } = new Rig();
    hub.need(BTC, M, { rsi: 3, keep: 2 });
    hub.need(BTC, M, { ema: 3 });
    const closes = ['10', '11', '10', '12', '11', '14'];
    hub.history(
      BTC,
      M,
      closes.map((close, at) => flat(T - (6 - at) * M, close)),
    );
    const view = hub.view(BTC);
    // Calculated in indicators.test.ts.
    expect(view.rsi(M, 3)).toBeCloseTo(3900 / 49, 12);
    expect(view.previousRsi(M, 3)).toBeCloseTo(600 / 11, 12);
    // Seed 31 / 3, k = 1/2: 67/6, 133/12, 301/24.
    expect(view.ema(M, 3)).toBeCloseTo(301 / 24, 12);
    expect(rows(view.closed(M, 9))).toEqual([
      [T - 2 * M, '11', '11', '11', '11', '1'],
      [T - M, '14', '14', '14', '14', '1'],
    ]);
    expect(view.lastClosed(M)?.time).toBe(T - M);
  });

  it('is flat where it has a gap and up to the period in progress', () => {
    const { hub } = new Rig(T + 5);
    hub.need(BTC, M, { keep: 10 });
    hub.history(BTC, M, [flat(T - 5 * M, '1'), flat(T - 3 * M, '3')]);
    expect(
      rows(hub.view(BTC).closed(M, 10)).map(([time, , , , close, volume]) => [(time - T) / M, close, volume]),
    ).toEqual([
      [-5, '1', '1'],
      [-4, '1', '0'],
      [-3, '3', '1'],
      [-2, '3', '0'],
      [-1, '3', '0'],
    ]);
  });

  it('is looked at no further back than a bound, gaps of years included', () => {
    const { hub } = new Rig();
    hub.need(BTC, M, { keep: MAX_KEPT, ema: MAX_HISTORY });
    hub.history(BTC, M, [flat(T - 3_000_000 * M, '5'), flat(T - 1_000_000 * M, '7')]);
    const candles = hub.view(BTC).closed(M, MAX_HISTORY);
    expect(candles).toHaveLength(MAX_KEPT);
    expect(candles.every(({ close }) => close === dec('7'))).toBe(true);
    expect(hub.view(BTC).ema(M, MAX_HISTORY)).toBe(7);
  });

  it('leaves out what is not closed, not in order or not on the frame', () => {
    const { hub } = new Rig();
    hub.need(BTC, M, { keep: 10 });
    const times = [T - 210_000, T - 3 * M, T - 2 * M, T - 3 * M, T - 90_000, T - M, T, T + M];
    hub.history(
      BTC,
      M,
      times.map((time, at) => flat(time, `${at + 1}`)),
    );
    expect(rows(hub.view(BTC).closed(M, 10)).map(([time, open]) => [(time - T) / M, open])).toEqual([
      [-3, '2'],
      [-2, '3'],
      [-1, '6'],
    ]);
  });

  it('that comes late begins an indicator anew, with the closes since at its end', () => {
    const rig = new Rig();
    rig.hub.need(BTC, M, { rsi: 2, ema: 3, keep: 2 });
    rig.tick(T, '4');
    rig.tick(T + M, '2');
    rig.advance(T + 2 * M);
    expect([rig.hub.view(BTC).rsi(M, 2), rig.hub.view(BTC).ema(M, 3)]).toEqual([null, null]);
    rig.hub.history(BTC, M, [flat(T - M, '1')]);
    // Changes +3, -2: gain 3 of 5. Mean of 1, 4, 2.
    expect(rig.hub.view(BTC).rsi(M, 2)).toBeCloseTo(60, 12);
    expect(rig.hub.view(BTC).ema(M, 3)).toBeCloseTo(7 / 3, 12);
  });

  it('does not touch the indicators that had theirs', () => {
    const rig = new Rig();
    rig.hub.need(BTC, M, { ema: 2, keep: 2 });
    rig.hub.history(BTC, M, [flat(T - 2 * M, '1'), flat(T - M, '2')]);
    rig.tick(T, '8');
    rig.advance(T + M);
    const before = rig.hub.view(BTC).ema(M, 2);
    rig.hub.need(BTC, M, { ema: 3, keep: 5 });
    rig.hub.history(BTC, M, [flat(T - 3 * M, '50'), flat(T - 2 * M, '50'), flat(T - M, '50'), flat(T, '50')]);
    expect(rig.hub.view(BTC).ema(M, 2)).toBe(before);
    // Candles built or loaded before stay: 50, 50 of the second history are older than those, then 2, 8 ...
    expect(rows(rig.hub.view(BTC).closed(M, 9)).map(([, open]) => open)).toEqual(['50', '50', '2', '8']);
    // ... so the seed is (50 + 50 + 2) / 3 = 34, then 8 x 0.5 + 34 x 0.5.
    expect(rig.hub.view(BTC).ema(M, 3)).toBe(21);
  });

  it('replaces the candle whose beginning was not seen, as soon as somebody else may read it', () => {
    const rig = new Rig();
    rig.tick(T, '100', '5');
    rig.advance(T + 30_000);
    rig.hub.need(BTC, M, { keep: 3 });
    rig.hub.history(BTC, M, []);
    rig.tick(T + 40_000, '101', '1');
    rig.advance(T + M);
    expect(rows(rig.hub.view(BTC).closed(M, 3))).toEqual([[T, '101', '101', '101', '101', '1']]);
    expect(rig.hub.historyWanted(BTC, M)).toBe(1);
    rig.tick(T + M, '102', '1');
    rig.advance(T + 2 * M);
    expect(rig.hub.historyWanted(BTC, M)).toBe(2);
    const whole = { time: T, open: '100', high: '101', low: '100', close: '101', volume: '6' };
    rig.hub.history(BTC, M, [whole, flat(T + M, '50')]);
    expect(rows(rig.hub.view(BTC).closed(M, 3))).toEqual([
      [T, '100', '101', '100', '101', '6'],
      [T + M, '102', '102', '102', '102', '1'],
    ]);
    expect(rig.hub.historyWanted(BTC, M)).toBe(0);
  });

  it('is not wanted for such a candle where nobody reads it any more', () => {
    const rig = new Rig(T + 30_000);
    rig.hub.subscribe(BTC, M);
    rig.hub.history(BTC, M, []);
    rig.tick(T + 30_000, '100');
    expect(rig.hub.historyWanted(BTC, M)).toBe(0);
    rig.advance(T + M);
    expect(rig.hub.historyWanted(BTC, M)).toBe(1);
    rig.advance(T + 2 * M);
    expect(rig.hub.historyWanted(BTC, M)).toBe(0);
  });

  it.each([
    ['a tick at the very time of the start came before it', T, [T], 1],
    ['the start was within it', T + 1, [], 1],
    ['it began with the start', T, [], 0],
  ])('is wanted for a candle or not: %s', (_, start, before, wanted) => {
    const rig = new Rig(start);
    for (const time of before) rig.tick(time, '100');
    rig.hub.subscribe(BTC, M);
    rig.hub.history(BTC, M, []);
    rig.tick(T + 2, '101');
    rig.advance(T + M);
    expect(rig.hub.historyWanted(BTC, M)).toBe(wanted);
  });

  it('newer than the last price is what an empty candle is flat at, older is not', () => {
    const older = new Rig();
    older.hub.lastPrice(BTC, T - 10, dec('77'));
    older.hub.advance(T + 5, () => {});
    older.hub.subscribe(BTC, M);
    older.hub.history(BTC, M, [flat(T - 2 * M, '70')]);
    older.advance(T + M);
    expect(older.take()[0]?.[3][4]).toBe('77');
    const newer = new Rig();
    newer.hub.lastPrice(BTC, T - 2 * M, dec('77'));
    newer.hub.subscribe(BTC, M);
    newer.hub.history(BTC, M, [flat(T - M, '70')]);
    newer.advance(T + M);
    expect(newer.take()[0]?.[3][4]).toBe('70');
  });
});

// proves: bot candles shared
describe('a stored market', () => {
  it('is small: nothing but what somebody reads', () => {
    const rig = new Rig();
    rig.hub.subscribe(BTC, M);
    rig.hub.subscribe('ETHUSDT', M);
    rig.tick(T, '100', '1.5');
    rig.tick(T, '5', '1', 'SOLUSDT');
    expect(rig.hub.formingSnapshot()).toEqual({
      time: T,
      candles: [[BTC, M, [T, '100', '100', '100', '100', '1.5']]],
    });
    rig.advance(T + M);
    expect(rig.hub.formingSnapshot()).toEqual({ time: T + M, candles: [] });
    expect(rig.hub.closedSnapshot().map(({ symbol, candles }) => [symbol, candles.length])).toEqual([
      [BTC, 1],
      ['ETHUSDT', 0],
    ]);
  });

  it('says when its closed part has changed', () => {
    const rig = new Rig();
    const versions = new Set([rig.hub.closedVersion]);
    const changes = (work: () => void) => {
      const before = JSON.stringify(rig.hub.closedSnapshot());
      work();
      const isSame = JSON.stringify(rig.hub.closedSnapshot()) === before;
      const isNew = !versions.has(rig.hub.closedVersion);
      versions.add(rig.hub.closedVersion);
      return [!isSame, isNew];
    };
    let leave = () => {};
    expect(changes(() => rig.tick(T, '100'))).toEqual([false, false]);
    expect(changes(() => (leave = rig.hub.need(BTC, M, { keep: 2 })))).toEqual([true, true]);
    expect(changes(() => rig.hub.history(BTC, M, [flat(T - M, '1')]))).toEqual([true, true]);
    expect(changes(() => rig.tick(T + 1, '100'))).toEqual([false, false]);
    expect(changes(() => rig.advance(T + M))).toEqual([true, true]);
    expect(changes(() => rig.hub.need(BTC, M, { rsi: 3 }))).toEqual([true, true]);
    expect(changes(() => leave())).toEqual([true, true]);
  });

  it('holds what it had until the readers are back, and drops what none of them asked for', () => {
    const rig = new Rig();
    rig.hub.need(BTC, M, { keep: 4, rsi: 2 });
    rig.hub.need(BTC, M, { ema: 2 });
    rig.hub.subscribe('ETHUSDT', M);
    rig.hub.history(
      BTC,
      M,
      [1, 2, 3, 5].map((n, at) => flat(T - (4 - at) * M, `${n}`)),
    );
    rig.tick(T + 1, '9');
    const stored = JSON.parse(JSON.stringify([rig.hub.formingSnapshot(), rig.hub.closedSnapshot()]));
    const next = new Rig();
    next.hub.lastPrice(BTC, T + 1, dec('9'));
    const settle = next.hub.restore(stored[0], stored[1]);
    next.hub.need(BTC, M, { rsi: 2, keep: 2 });
    expect(next.hub.historyWanted(BTC, M)).toBe(0);
    expect(next.hub.view(BTC).ema(M, 2)).toBe(rig.hub.view(BTC).ema(M, 2));
    settle();
    const view = next.hub.view(BTC);
    expect([view.price, view.rsi(M, 2), view.ema(M, 2), view.closed(M, 9).length]).toEqual([
      dec('9'),
      100,
      null,
      2,
    ]);
    expect(view.forming(M)).toMatchObject({ time: T, close: dec('9') });
    next.advance(T + M);
    expect(next.take().map(([, symbol]) => symbol)).toEqual([BTC]);
    expect(() => next.hub.restore(stored[0], stored[1])).toThrow('in use');
  });

  it('takes no price for newer than one it has', () => {
    const { hub } = new Rig();
    hub.tick(BTC, T, dec('5'), 0n);
    hub.lastPrice(BTC, T, dec('6'));
    expect(hub.view(BTC).price).toBe(dec('5'));
    hub.lastPrice(BTC, T + 1, dec('7'));
    expect(hub.view(BTC)).toMatchObject({ price: dec('7'), priceTime: T + 1, ticks: 1 });
  });
});
