/** The candle in which a run starts, as that run sees it (strategies.md 1). */
import { describe, expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { FirstCandle, runView } from '../../../src/bots/market/first-candle.ts';
import { dec } from '../../../src/domain/decimal.ts';

const M = 60_000;
const T = 1_699_999_200_000;
const BTC = 'BTCUSDT';

function market(time = T): {
  hub: CandleHub;
  tick: (time: number, price: string, ...firsts: FirstCandle[]) => boolean[];
} {
  const hub = new CandleHub({ time });
  return {
    hub,
    tick: (time, price, ...firsts) => {
      hub.advance(time, () => {});
      hub.tick(BTC, time, dec(price), dec('1'));
      return firsts.map((first) => first.tick(BTC, time, dec(price), dec('1')));
    },
  };
}

// proves: bot candles first
describe('the candle in which a run starts', () => {
  it('is built from the ticks since the start, also where others see a longer one', () => {
    const { hub, tick } = market();
    hub.need(BTC, M, { keep: 3 });
    tick(T, '100');
    tick(T + 10, '90');
    const first = new FirstCandle(BTC, M, T + 10);
    const view = runView(hub.view(BTC), [first]);
    expect(view.forming(M)).toBeNull();
    expect(hub.view(BTC).forming(M)).not.toBeNull();
    expect(tick(T + 20, '95', first)).toEqual([true]);
    tick(T + 30, '97', first);
    const own = {
      time: T,
      open: dec('95'),
      high: dec('97'),
      low: dec('95'),
      close: dec('97'),
      volume: dec('2'),
    };
    expect(view.forming(M)).toEqual(own);
    expect(hub.view(BTC).forming(M)).toMatchObject({ open: dec('100'), low: dec('90'), volume: dec('4') });
    expect(tick(T + M, '96', first)).toEqual([false]);
    expect(view.lastClosed(M)).toEqual(own);
    expect(view.forming(M)).toBe(hub.view(BTC).forming(M));
    hub.advance(T + 3 * M, () => {});
    expect(view.lastClosed(M)).toBe(hub.view(BTC).lastClosed(M));
    expect(view.closed(M, 3)).toEqual([own, ...hub.view(BTC).closed(M, 2)]);
    expect(view.closed(M, 2)).toEqual(hub.view(BTC).closed(M, 2));
    hub.advance(T + 4 * M, () => {});
    expect(view.closed(M, 9)).toEqual(hub.view(BTC).closed(M, 9));
  });

  it('stands after the candles of history', () => {
    const { hub, tick } = market(T + 5);
    hub.need(BTC, M, { keep: 3 });
    const bar = { open: '50', high: '60', low: '40', close: '55', volume: '9' };
    hub.history(BTC, M, [
      { time: T - 2 * M, ...bar },
      { time: T - M, ...bar },
    ]);
    const first = new FirstCandle(BTC, M, T + 5);
    const view = runView(hub.view(BTC), [first]);
    expect(view.lastClosed(M)?.time).toBe(T - M);
    tick(T + 5, '51', first);
    hub.advance(T + M, () => {});
    expect(view.closed(M, 3).map(({ time, open }) => [time - T, open])).toEqual([
      [-2 * M, dec('50')],
      [-M, dec('50')],
      [0, dec('51')],
    ]);
  });

  it('is flat at the price of the start when no tick came since', () => {
    const { hub, tick } = market();
    hub.subscribe(BTC, M);
    tick(T, '100');
    tick(T + 10, '90');
    const view = runView(hub.view(BTC), [new FirstCandle(BTC, M, T + 20)]);
    hub.advance(T + M, () => {});
    const flat = { time: T, open: dec('90'), high: dec('90'), low: dec('90'), close: dec('90'), volume: 0n };
    expect(view.lastClosed(M)).toEqual(flat);
    expect(view.closed(M, 1)).toEqual([flat]);
    expect(hub.view(BTC).lastClosed(M)).toMatchObject({ open: dec('100'), volume: dec('2') });
  });

  it('is none when no price was known in it', () => {
    const { hub, tick } = market();
    hub.need(BTC, M, { keep: 2 });
    const first = new FirstCandle(BTC, M, T + 20);
    const view = runView(hub.view(BTC), [first]);
    hub.advance(T + M, () => {});
    expect([view.lastClosed(M), view.closed(M, 2), view.forming(M)]).toEqual([null, [], null]);
    tick(T + M, '100', first);
    expect(view.forming(M)).toBe(hub.view(BTC).forming(M));
    hub.advance(T + 2 * M, () => {});
    expect(view.closed(M, 2)).toEqual(hub.view(BTC).closed(M, 2));
  });

  it('is one of each frame the run reads; indicators, price and figures are everybody’s', () => {
    const { hub, tick } = market();
    hub.need(BTC, M, { rsi: 1, keep: 2 });
    hub.need(BTC, 5 * M, { ema: 1 });
    hub.needDay(BTC);
    tick(T, '100');
    const firsts = [new FirstCandle(BTC, M, T + 2 * M + 1), new FirstCandle(BTC, 5 * M, T + 2 * M + 1)];
    const view = runView(hub.view(BTC), firsts);
    tick(T + 2 * M + 1, '110', ...firsts);
    expect([view.forming(M)?.time, view.forming(5 * M)?.time]).toEqual([T + 2 * M, T]);
    expect(tick(T + 3 * M, '120', ...firsts)).toEqual([false, true]);
    hub.advance(T + 5 * M, () => {});
    expect(view.lastClosed(5 * M)).toMatchObject({ time: T, open: dec('110'), high: dec('120') });
    expect(hub.view(BTC).lastClosed(5 * M)).toMatchObject({ time: T, open: dec('100') });
    expect([view.priceTime, view.ticks]).toEqual([T + 3 * M, 3]);
    expect([view.symbol, view.price, view.rsi(M, 1), view.previousRsi(M, 1), view.ema(5 * M, 1)]).toEqual([
      BTC,
      dec('120'),
      50,
      100,
      120,
    ]);
    expect(view.day()).toBe(hub.view(BTC).day());
    expect([view.forming(3 * M), view.lastClosed(3 * M)]).toEqual([null, null]);
  });

  it('goes on from its snapshot', () => {
    for (const before of ['95', null]) {
      const { hub, tick } = market();
      hub.subscribe(BTC, M);
      tick(T, '100');
      const first = new FirstCandle(BTC, M, T + 1);
      if (before !== null) tick(T + 2, before, first);
      const again = FirstCandle.restore(JSON.parse(JSON.stringify(first.snapshot())));
      tick(T + 3, '94', first, again);
      hub.advance(T + M, () => {});
      const [a, b] = [first, again].map((one) => runView(hub.view(BTC), [one]).lastClosed(M));
      expect(b).toEqual(a);
      expect(b).toMatchObject({ time: T, open: dec(before ?? '94'), close: dec('94') });
    }
  });

  it('of no frame leaves the shared view as it is', () => {
    const { hub } = market();
    expect(runView(hub.view(BTC), [])).toBe(hub.view(BTC));
  });
});
