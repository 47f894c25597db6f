/** What a run that scans many symbols makes of the candle in which it starts (strategies.md 1, 9). */
import { describe, expect, it } from 'vitest';
import { RunHost } from '../../../src/bots/backtest/run-host.ts';
import { TickMarket } from '../../../src/bots/backtest/tick-market.ts';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import { FirstCandles, type StoredFirst } from '../../../src/bots/run/first-candles.ts';
import { strategyOf } from '../../../src/bots/strategies/index.ts';
import { dec, ONE } from '../../../src/domain/decimal.ts';
import { START } from '../../scenarios/scene.ts';
import { rules } from '../backtest/support.ts';
import { compiled } from '../settings/support.ts';

const M = 60_000;
const FRAME = 5 * M;
const ETH = 'ETHUSDT';
const BTC = 'BTCUSDT';

/** A NOTIFY that starts two minutes into a candle of five, of which somebody else may have read the beginning. */
class Scan {
  readonly host: RunHost;
  readonly #hub = new CandleHub({ time: START });

  constructor(condition: Readonly<Record<string, unknown>>, others: boolean) {
    const hub = this.#hub;
    if (others) hub.need(ETH, FRAME, {});
    hub.tick(ETH, START + M, dec('100'), ONE);
    const settings = compiled('NOTIFY', { timeFrame: FRAME, conditions: [condition] });
    const market = new TickMarket({ rules: rules(), balances: new Map() });
    const start = START + 2 * M;
    const strategy = strategyOf('NOTIFY') as never;
    this.host = new RunHost({
      ...{ settings, strategy, market, hub, start },
      ...{ history: () => [], symbols: [BTC, ETH] },
    });
    this.host.start();
  }

  /** Minutes after the boundary. */
  tick(minute: number, price: string): this {
    this.host.tick(ETH, dec(price), ONE, START + minute * M);
    return this;
  }

  /** Somebody else begins to read, and the feed's candle of that period is put in the place of the one begun late. */
  seeded(high: string): this {
    const hub = this.#hub;
    hub.need(ETH, FRAME, { keep: 2 });
    const candle = { time: START, open: '100', high, low: '90', close: '110', volume: '1' };
    hub.history(ETH, FRAME, [candle]);
    return this;
  }

  get alerts(): string[] {
    return this.host.alerts.map(({ symbol, at }) => `${symbol} ${(at - START) / M}`);
  }
}

it.each([false, true])(
  'is built from the ticks since the start, whoever has read it before (%s)',
  (others) => {
    const rise = { type: 'price_change', percent: 5 };
    const scan = (first: string) =>
      new Scan(rise, others).tick(3, first).tick(4, '110').tick(5, '110').alerts;
    expect(scan('108')).toEqual([]);
    expect(scan('104')).toEqual(['ETHUSDT 5']);
  },
);

it('stays so when somebody later begins to read the whole of it', () => {
  const broken = { type: 'breakout', lookback: 1 };
  const begun = () => new Scan(broken, false).tick(3, '108').tick(4, '110').tick(6, '111');
  expect(begun().tick(10, '111').alerts).toEqual(['ETHUSDT 10']);
  expect(begun().seeded('120').tick(10, '111').alerts).toEqual(['ETHUSDT 10']);
});

it('is remembered until no condition looks back to it any more', () => {
  const broken = { type: 'breakout', lookback: 2 };
  const scan = new Scan(broken, false).tick(3, '108');
  const { state } = scan.host.run;
  const firsts = () => state.firsts?.map(({ symbol, candle }) => [symbol, candle?.[1]]);
  expect(firsts()).toEqual([
    [BTC, undefined],
    [ETH, '108'],
  ]);
  expect(decodeState(encodeState(state)).firsts).toEqual(state.firsts);
  scan.tick(14, '108');
  expect(firsts()).toContainEqual([ETH, '108']);
  scan.tick(20, '108');
  expect(firsts()?.map(([symbol]) => symbol)).toEqual([BTC]);
});

it('of a symbol without a tick since the start is flat at its close, also after a restart', () => {
  const flat = { time: START, open: dec('7'), high: dec('9'), low: dec('5'), close: dec('8'), volume: ONE };
  const stored = [{ symbol: ETH, keep: 2, frameMs: FRAME, time: START, candle: null }];
  const { candle } = new FirstCandles(BTC, stored).close(ETH, FRAME, flat);
  expect(candle).toMatchObject({ open: dec('8'), high: dec('8'), low: dec('8') });
  const again = new FirstCandles(BTC, stored).close(ETH, FRAME, { ...flat, close: dec('9') });
  expect(again.candle).toMatchObject({ close: dec('8') });
});

describe('of several symbols and frames', () => {
  const of = (symbol: string, keep: number, frameMs = FRAME): StoredFirst => ({
    ...{ symbol, keep, frameMs },
    ...{ time: START, candle: null },
  });

  it('each keeps its place in what is stored when another one is read no more', () => {
    const stored = [of(ETH, 1), of('SOLUSDT', 3)];
    const firsts = new FirstCandles(BTC, stored);
    firsts.tick('SOLUSDT', START + 3 * M, dec('20'), ONE);
    const next = { time: START + FRAME, open: ONE, high: ONE, low: ONE, close: ONE, volume: ONE };
    expect(firsts.close(ETH, FRAME, next).changed).toBe(true);
    firsts.tick('SOLUSDT', START + 4 * M, dec('21'), ONE);
    expect(stored.map(({ symbol, candle }) => [symbol, candle?.[2]])).toEqual([['SOLUSDT', '21']]);
  });

  it('ticks are looked at until the last period is over, in whatever order they are stored', () => {
    const frames = [60 * M, FRAME, M].map((frameMs) => of(ETH, 1, frameMs));
    for (const stored of [frames, frames.toReversed()])
      expect(new FirstCandles(BTC, [...stored]).until).toBe(START + 60 * M);
  });
});
