/** How a run that scans many symbols treats the candle in which it starts (strategies.md 1, 9). */
import { describe, expect, it } from 'vitest';
import { RunHost } from '../../../src/bots/backtest/run-host.ts';
import { TickMarket } from '../../../src/bots/backtest/tick-market.ts';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { FirstCandlePool } from '../../../src/bots/market/first-candle-pool.ts';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import { FirstCandles, firstsAgain, type StoredFirst } from '../../../src/bots/run/first-candles.ts';
import { kindOf } from '../../../src/bots/types/kinds.ts';
import { dec, ONE, str } from '../../../src/domain/decimal.ts';
import { START } from '../../scenarios/scene.ts';
import { rules } from '../backtest/support.ts';
import { compiled } from '../settings/support.ts';

const M = 60_000;
const FRAME = 5 * M;
const ETH = 'ETHUSDT';
const BTC = 'BTCUSDT';

/**
 * A NOTIFY that starts two minutes into a five-minute candle, whose beginning another reader may have seen.
 */
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
    const strategy = kindOf('NOTIFY').strategy;
    this.host = new RunHost({
      settings,
      strategy,
      market,
      hub,
      start,
      history: () => [],
      symbols: [BTC, ETH],
    });
    this.host.start();
  }

  /** Feeds a price, this many minutes after the boundary. */
  tick(minute: number, price: string): this {
    this.host.tick(ETH, dec(price), ONE, START + minute * M);
    return this;
  }

  /** Another reader is added, and the feed's candle of that period replaces the one that began late. */
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
  const firsts = () => state.firsts?.map(({ keep, time }) => [keep, time]);
  expect(firsts()).toEqual([[3, START]]);
  expect(decodeState(encodeState(state)).firsts).toEqual(state.firsts);
  scan.tick(14, '108');
  expect(firsts()).toEqual([[3, START]]);
  scan.tick(20, '108');
  expect(firsts()).toEqual([]);
});

const flat = { time: START, open: dec('7'), high: dec('9'), low: dec('5'), close: dec('8'), volume: ONE };

describe('the pool of a market', () => {
  const at = (pool: FirstCandlePool, minute: number, frameMs = FRAME, symbol = ETH) =>
    pool.take(symbol, frameMs, START + minute * M);
  const tick = (pool: FirstCandlePool, minute: number, price: string, symbol = ETH) =>
    pool.tick(symbol, START + minute * M, dec(price), ONE);
  const closed = (pool: FirstCandlePool, id: number, symbol = ETH) => {
    const { open, high, low, close } = pool.of(id)?.ofClosed(symbol, flat) ?? {};
    return [open, high, low, close].map((value) => (value === undefined ? null : str(value))).join(' ');
  };

  it('gives runs that begin with the same tick one candle, and those that begin with another tick their own', () => {
    const pool = new FirstCandlePool();
    const first = at(pool, 1);
    expect(at(pool, 2)).toBe(first);
    tick(pool, 3, '10');
    const later = at(pool, 3);
    expect(later).not.toBe(first);
    expect([at(pool, 3, 10 * M), at(pool, 3, FRAME, BTC), at(pool, 3, FRAME, '')]).not.toContain(later);
    tick(pool, 4, '12');
    expect([closed(pool, first), closed(pool, later)]).toEqual(['10 12 10 12', '12 12 12 12']);
  });

  it('does not share over a boundary, though no tick came between', () => {
    const pool = new FirstCandlePool();
    const first = at(pool, 1);
    expect(at(pool, FRAME / M + 1)).not.toBe(first);
  });

  it('of all symbols keeps them apart, and shares until any of them has a tick', () => {
    const pool = new FirstCandlePool();
    const all = at(pool, 1, FRAME, '');
    expect(at(pool, 1, FRAME, '')).toBe(all);
    tick(pool, 2, '10');
    tick(pool, 2, '50', BTC);
    expect(at(pool, 2, FRAME, '')).not.toBe(all);
    tick(pool, 3, '9');
    expect([closed(pool, all), closed(pool, all, BTC)]).toEqual(['10 10 9 9', '50 50 50 50']);
    expect(closed(pool, all, 'SOLUSDT')).toBe('8 8 8 8');
  });

  it('drops one when its last reader leaves', () => {
    const pool = new FirstCandlePool();
    const id = at(pool, 1);
    at(pool, 1);
    pool.release(id);
    expect(pool.of(id)).toBeDefined();
    pool.release(id);
    expect(pool.of(id)).toBeUndefined();
    tick(pool, 2, '10');
    pool.release(id);
    expect(at(pool, 2)).not.toBe(id);
  });

  it('gives for storage what has changed, once, and again where the commit did not have it', () => {
    const pool = new FirstCandlePool();
    const [eth, btc] = [at(pool, 1), at(pool, 1, FRAME, BTC)];
    const ids = () => pool.rows().map(([id, snapshot]) => [id, snapshot?.candles.length ?? null]);
    expect(ids()).toEqual([
      [eth, 0],
      [btc, 0],
    ]);
    pool.stored();
    expect(ids()).toEqual([]);
    tick(pool, 2, '10');
    expect(ids()).toEqual([[eth, 1]]);
    expect(ids()).toEqual([[eth, 1]]);
    pool.stored();
    // The candle's period is over.
    tick(pool, 5, '10');
    expect(ids()).toEqual([]);
    pool.release(eth);
    expect(ids()).toEqual([[eth, null]]);
    pool.stored();
    expect(ids()).toEqual([]);
  });

  it('goes on after a restart: what runs take up again is as it was, the rest is gone, and no number comes twice', () => {
    const pool = new FirstCandlePool();
    const [kept, left] = [at(pool, 1, FRAME, ''), at(pool, 1)];
    tick(pool, 2, '10');
    const rows = JSON.parse(JSON.stringify(pool.rows()));
    const next = new FirstCandlePool();
    const settle = next.restore(rows);
    expect(next.again(kept)).toBeDefined();
    settle();
    expect([next.of(left), next.rows()]).toEqual([undefined, [[left, null]]]);
    for (const one of [pool, next]) tick(one, 3, '9');
    expect(closed(next, kept)).toBe(closed(pool, kept));
    expect([kept, left]).not.toContain(at(next, 4));
  });
});

describe('of a run', () => {
  const pooled = (pool: FirstCandlePool, symbol: string, frameMs: number, keep?: number): StoredFirst => ({
    id: pool.take(symbol, frameMs, START + 2 * M),
    frameMs,
    time: START,
    ...(keep === undefined ? {} : { keep }),
  });

  it('one without a tick since the start is flat at its close, whatever is told of it later', () => {
    const pool = new FirstCandlePool();
    const firsts = new FirstCandles([pooled(pool, '', FRAME, 2)], pool);
    expect(firsts.close(ETH, FRAME, flat).candle).toMatchObject({
      open: dec('8'),
      high: dec('8'),
      low: dec('8'),
    });
    expect(firsts.close(ETH, FRAME, { ...flat, close: dec('9') }).candle).toMatchObject({ close: dec('8') });
  });

  it('those of other frames stay when one is read no more', () => {
    const pool = new FirstCandlePool();
    const stored = [pooled(pool, '', FRAME, 1), pooled(pool, '', 10 * M, 3)];
    const [gone, left] = stored.map(({ id }) => id);
    const firsts = new FirstCandles(stored, pool);
    const next = { ...flat, time: START + FRAME };
    expect(firsts.close(ETH, FRAME, next)).toEqual({ candle: next, changed: true });
    expect([stored.map(({ id }) => id), pool.of(gone as number)]).toEqual([[left], undefined]);
    expect(firsts.close(BTC, FRAME, next)).toEqual({ candle: next, changed: false });
    firsts.release();
    expect(pool.of(left as number)).toBeUndefined();
  });

  it('ticks are looked at until the last period is over, in whatever order they are stored', () => {
    const pool = new FirstCandlePool();
    const frames = [60 * M, FRAME, M].map((frameMs) => ({ id: 0, frameMs, time: START }));
    for (const stored of [frames, frames.toReversed()])
      expect(new FirstCandles([...stored], pool).until).toBe(START + 60 * M);
  });

  it('that kept them itself, as older stores have it, they go into the pool as they were', () => {
    const pool = new FirstCandlePool();
    const row = (price: string) => [START, price, price, price, price, '1'] as const;
    const stored = [
      { frameMs: FRAME, time: START, candle: row('5') },
      { frameMs: 10 * M, time: START, candle: null },
      { symbol: ETH, keep: 2, frameMs: FRAME, time: START, candle: row('10') },
      { symbol: 'SOLUSDT', keep: 2, frameMs: FRAME, time: START, candle: null },
    ];
    const again = firstsAgain(BTC, stored, pool);
    expect(again.map(({ frameMs, time, keep }) => [frameMs, time, keep])).toEqual([
      [FRAME, START, undefined],
      [10 * M, START, undefined],
      [FRAME, START, 2],
    ]);
    pool.tick(ETH, START + 3 * M, dec('12'), ONE);
    pool.tick(BTC, START + 3 * M, dec('4'), ONE);
    const firsts = new FirstCandles(again, pool);
    const of = (symbol: string, frameMs: number) => firsts.close(symbol, frameMs, flat).candle;
    expect(of(BTC, FRAME)).toMatchObject({ open: dec('5'), low: dec('4') });
    expect(of(BTC, 10 * M)).toMatchObject({ open: dec('4') });
    expect(of(ETH, FRAME)).toMatchObject({ open: dec('10'), close: dec('12') });
    expect(of('SOLUSDT', FRAME)).toMatchObject({ open: dec('8') });
    // The next start finds them by their numbers.
    expect(firstsAgain(BTC, again, pool)).toEqual(again);
  });
});
