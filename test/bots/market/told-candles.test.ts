/**
 * Candles that only the exchange closes: each closes once and in order, whenever it is told, for its own
 * symbol and frame; periods that the exchange has no candle of are passed over.
 */
import { describe, expect, it } from 'vitest';
import { candleRow } from '../../../src/bots/market/candle.ts';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import type { BotCandle } from '../../../src/bots/market/view.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { BTC, flat, M, rows, T } from './rig.ts';

const ETH = 'ETHUSDT';

/** A candle of the exchange whose values all differ. */
const own = (time: number, open: number): BotCandle => ({
  time,
  open: dec(`${open}`),
  high: dec(`${open + 3}`),
  low: dec(`${open - 2}`),
  close: dec(`${open + 1}`),
  volume: dec(`${open / 10}`),
});

/** A hub whose exchange tells, `into` a minute, with readers of two symbols and two frames. */
function told(into = 0) {
  const hub = new CandleHub({ time: T + into, told: true });
  hub.need(BTC, M, { keep: 4, rsi: 2, ema: 2 });
  hub.need(BTC, 5 * M, { keep: 2 });
  hub.need(ETH, M, { keep: 4 });
  const view = hub.view(BTC);
  return {
    hub,
    view,
    tick: (time: number, price: string, volume = '1', symbol = BTC) => {
      hub.advance(time, () => {
        throw new Error('closed by time');
      });
      hub.tick(symbol, time, dec(price), dec(volume));
    },
    forming: () => {
      const candle = view.forming(M);
      return candle && candleRow(candle);
    },
    closes: () => view.closed(M, 9).map(({ time, close }) => [(time - T) / M, Number(close / 10n ** 30n)]),
  };
}

describe('a candle that the exchange closes', () => {
  it('closes once, is the next one of its own symbol and frame, and none else', () => {
    const { hub, view } = told();
    const version = hub.closedVersion;
    expect(hub.told(BTC, M, own(T + M, 20))).toBeNull();
    expect(hub.told(BTC, M, own(T - M, 20))).toBeNull();
    expect(hub.told('SOLUSDT', M, own(T, 20))).toBeNull();
    expect(hub.told(BTC, 2 * M, own(T, 20))).toBeNull();
    expect([hub.closedVersion, hub.time, view.lastClosed(M)]).toEqual([version, T, null]);
    const close = hub.told(BTC, M, own(T, 20));
    expect(close).toEqual({ symbol: BTC, frameMs: M, time: T + M, candle: own(T, 20) });
    expect(hub.closedVersion).toBeGreaterThan(version);
    expect(hub.told(BTC, M, own(T, 30))).toBeNull();
    expect(rows(view.closed(M, 9))).toEqual([candleRow(own(T, 20))]);
    expect([hub.toldNext(BTC, M), hub.toldNext(ETH, M), hub.toldNext(BTC, 5 * M)]).toEqual([T + M, T, T]);
    expect([hub.toldNext('SOLUSDT', M), hub.toldNext(BTC, 2 * M)]).toEqual([null, null]);
    expect([hub.view(ETH).lastClosed(M), view.lastClosed(5 * M)]).toEqual([null, null]);
  });

  it('moves the time on to its end, and never back', () => {
    const { hub } = told();
    hub.told(BTC, M, own(T, 20));
    expect(hub.time).toBe(T + M);
    hub.told(BTC, 5 * M, own(T, 20));
    expect(hub.time).toBe(T + 5 * M);
    hub.told(ETH, M, own(T, 20));
    expect(hub.time).toBe(T + 5 * M);
    expect(hub.nextDue).toBe(Number.POSITIVE_INFINITY);
  });

  it('told in time leaves nothing of its ticks to the next one, and told late leaves the next one’s', () => {
    const { hub, tick, forming } = told();
    tick(T + 1, '10');
    tick(T + 2, '14');
    hub.told(BTC, M, own(T, 20));
    expect(forming()).toBeNull();
    tick(T + M + 1, '30', '2');
    tick(T + M + 2, '28', '3');
    tick(T + 2 * M, '40', '4');
    // It is of the newest period, although the one before is not closed.
    expect(forming()).toEqual([T + 2 * M, '40', '40', '40', '40', '4']);
    hub.told(BTC, M, own(T + M, 29));
    expect(forming()).toEqual([T + 2 * M, '40', '40', '40', '40', '4']);
    tick(T + 2 * M + 5, '39', '0.5');
    expect(forming()).toEqual([T + 2 * M, '40', '40', '39', '39', '4.5']);
    expect(hub.view(BTC).price).toBe(dec('39'));
  });

  it('feeds the indicators with its own close, not with that of the ticks', () => {
    const { hub, view, tick } = told();
    for (const [n, open] of [9, 11, 10].entries()) {
      tick(T + n * M + 1, '500');
      hub.told(BTC, M, own(T + n * M, open));
    }
    // Closes 10, 12, 11: gains 2, losses 1; mean 11, then 11.
    expect(view.rsi(M, 2)).toBeCloseTo(200 / 3, 12);
    expect(view.ema(M, 2)).toBeCloseTo(11, 12);
  });
});

describe('a period that the exchange has no candle of', () => {
  it('is passed over: nothing closes, and what comes after it stays', () => {
    const { hub, view, tick, forming, closes } = told();
    tick(T + 1, '10');
    hub.told(BTC, M, own(T, 20));
    tick(T + M + 1, '30');
    hub.none(BTC, M);
    expect([forming(), hub.toldNext(BTC, M), closes()]).toEqual([null, T + 2 * M, [[0, 21]]]);
    hub.none(BTC, M);
    tick(T + 3 * M + 1, '50');
    hub.none(ETH, M);
    expect(hub.toldNext(BTC, M)).toBe(T + 3 * M);
    // One more that is told of late leaves the period in progress alone.
    tick(T + 4 * M + 1, '60', '7');
    hub.none(BTC, M);
    expect(forming()).toEqual([T + 4 * M, '60', '60', '60', '60', '7']);
    hub.told(BTC, M, own(T + 4 * M, 40));
    expect(closes()).toEqual([
      [0, 21],
      [4, 41],
    ]);
    expect([hub.toldNext(BTC, M), hub.toldNext(ETH, M), hub.toldNext(BTC, 5 * M)]).toEqual([
      T + 5 * M,
      T + M,
      T,
    ]);
    expect(view.ema(M, 2)).toBeCloseTo(31, 12);
  });

  it('means nothing for a market whose candles close by time', () => {
    const hub = new CandleHub({ time: T });
    hub.need(BTC, M, {});
    hub.tick(BTC, T, dec('5'), 0n);
    hub.none(BTC, M);
    expect(hub.told(BTC, M, own(T, 20))).toBeNull();
    const closes: number[] = [];
    hub.advance(T + M, ({ time }) => closes.push(time));
    expect(closes).toEqual([T + M]);
  });
});

describe('where a reader begins within a period', () => {
  it('the exchange’s own candle is whole: no history is wanted for it', () => {
    for (const told1 of [true, false]) {
      const { hub, tick } = told(M / 2);
      hub.history(BTC, M, [flat(T - M, '9')]);
      expect(hub.historyWanted(BTC, M)).toBe(0);
      tick(T + M / 2, '10');
      if (told1) hub.told(BTC, M, own(T, 20));
      else hub.none(BTC, M);
      hub.told(BTC, M, own(T + M, 22));
      expect(hub.historyWanted(BTC, M)).toBe(0);
    }
  });

  it('what closes next is what follows the newest candle of the history, also where that is late', () => {
    for (const [newest, next] of [
      [T - M, T],
      [T - 2 * M, T - M],
      [T - 4 * M, T - 3 * M],
      [T + M, T],
    ] as const) {
      const { hub } = told(M / 2);
      hub.history(BTC, M, [flat(newest - M, '8'), flat(newest, '9')]);
      expect(hub.toldNext(BTC, M)).toBe(next);
      expect(hub.toldNext(ETH, M)).toBe(T);
      // A second history does not move it.
      hub.told(BTC, M, own(next, 20));
      hub.history(BTC, M, [flat(newest - M, '8'), flat(newest, '9')]);
      expect(hub.toldNext(BTC, M)).toBe(next + M);
    }
  });
});
