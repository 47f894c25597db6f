/**
 * The hub compared with candles computed from scratch: several symbols and frames, gaps and jumps, readers
 * that are added within candles and removed, and a desk that is stopped and restored at any point without a
 * difference.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CandleHub, type Close } from '../../../src/bots/market/candle-hub.ts';
import { FirstCandle, runView } from '../../../src/bots/market/first-candle.ts';
import type { BotCandle, SymbolView } from '../../../src/bots/market/view.ts';
import { dec, toNumber } from '../../../src/domain/decimal.ts';
import { feedCandle, type NaiveTick, naiveCandle, naiveCandles, naiveEma, naiveRsi } from './naive.ts';

const M = 60_000;
const T = 1_699_999_200_000;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'] as const;
const FRAMES = [M, 3 * M, 5 * M] as const;
const RSI = 3;
const EMA = 4;

type Step =
  | {
      readonly do: 'tick';
      readonly symbol: number;
      readonly after: number;
      readonly cents: number;
      readonly volume: number;
    }
  | { readonly do: 'pass'; readonly after: number }
  | {
      readonly do: 'start';
      readonly symbol: number;
      readonly frame: number;
      readonly keep: number;
      readonly indicators: number;
    }
  | { readonly do: 'stop'; readonly reader: number }
  | { readonly do: 'restart' };

/** Time to the next tick; -1: up to the next minute exactly. */
const after = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 7_000, 20_000, 59_999, M, -1) },
  { weight: 1, arbitrary: fc.nat(20 * M) },
);
const symbol = fc.nat(SYMBOLS.length - 1);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('tick' as const),
        symbol,
        after,
        cents: fc.integer({ min: 9_000, max: 11_000 }),
        volume: fc.nat(20),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), after }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('start' as const),
        symbol,
        frame: fc.nat(FRAMES.length - 1),
        keep: fc.integer({ min: 1, max: 6 }),
        indicators: fc.nat(3),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), reader: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  ),
  { maxLength: 70 },
);

interface Reader {
  readonly symbol: string;
  readonly frameMs: number;
  readonly keep: number;
  readonly rsi: boolean;
  readonly ema: boolean;
  readonly first: FirstCandle;
  /** Number of the first tick after its start. */
  readonly fromTick: number;
  release: () => void;
}

/** A host with its market: drives the hub as the desk does, and knows the expected results. */
class Bench {
  hub = new CandleHub({ time: T });
  now = T;
  readonly #ticks = new Map<string, NaiveTick[]>(SYMBOLS.map((name) => [name, []]));
  #readers: Reader[] = [];
  /** For each series that is built: number of the first tick it saw and its first period. */
  readonly #built = new Map<string, { readonly fromTick: number; readonly open: number }>();

  run(step: Step): void {
    if (step.do === 'tick') this.#tick(step);
    else if (step.do === 'pass') this.#advance(this.#later(step.after));
    else if (step.do === 'start') this.#start(step);
    else if (step.do === 'stop') this.#stop(step.reader);
    else this.#restart();
    this.check();
  }

  check(): void {
    for (const name of SYMBOLS) {
      expect(this.hub.view(name).price).toBe(this.#of(name).at(-1)?.price ?? null);
    }
    for (const reader of this.#readers) this.#checkReader(reader);
    const dues = this.#readers.map(({ frameMs }) => this.now - (this.now % frameMs) + frameMs);
    expect(this.hub.nextDue).toBe(Math.min(...dues));
  }

  #checkReader(reader: Reader): void {
    const { frameMs, keep, first, fromTick } = reader;
    const view: SymbolView = runView(this.hub.view(reader.symbol), [first]);
    const ticks = this.#of(reader.symbol);
    const all = naiveCandles(ticks, frameMs, this.now);
    const own = all.map((candle) =>
      candle.time === first.time ? (naiveCandle(ticks, candle.time, frameMs, fromTick) as BotCandle) : candle,
    );
    expect(view.closed(frameMs, keep)).toEqual(own.slice(-keep));
    expect(view.lastClosed(frameMs)).toEqual(own.at(-1) ?? null);
    const open = this.now - (this.now % frameMs);
    const since = open === first.time ? fromTick : 0;
    const traded = ticks.some(({ time }, at) => at >= since && time >= open);
    expect(view.forming(frameMs)).toEqual(traded ? naiveCandle(ticks, open, frameMs, since) : null);
    const closes = all.map(({ close }) => toNumber(close));
    expectClose(view.rsi(frameMs, RSI), reader.rsi ? naiveRsi(closes, RSI) : undefined);
    expectClose(view.previousRsi(frameMs, RSI), reader.rsi ? naiveRsi(closes.slice(0, -1), RSI) : undefined);
    expectClose(view.ema(frameMs, EMA), reader.ema ? naiveEma(closes, EMA) : undefined);
  }

  #tick({ symbol, after, cents, volume }: Step & { do: 'tick' }): void {
    const name = SYMBOLS[symbol] as string;
    this.#advance(this.#later(after));
    const tick = { time: this.now, price: dec(`${cents / 100}`), volume: dec(`${volume / 8}`) };
    this.hub.tick(name, tick.time, tick.price, tick.volume);
    for (const reader of this.#readers) {
      if (reader.symbol === name) reader.first.tick(name, tick.time, tick.price, tick.volume);
    }
    this.#of(name).push(tick);
  }

  #advance(time: number): void {
    const expected = this.#expectedCloses(time);
    const told: Close[] = [];
    this.hub.advance(time, (close) => told.push(close));
    this.now = time;
    expect(told).toEqual(expected);
    expect(this.hub.time).toBe(time);
  }

  #expectedCloses(until: number): Close[] {
    const closes: Close[] = [];
    for (const [name, { fromTick, open: begun }] of this.#built) {
      const [symbol = '', frame] = name.split(' ');
      const frameMs = Number(frame);
      for (let open = this.now - (this.now % frameMs); open + frameMs <= until; open += frameMs) {
        const candle = naiveCandle(this.#of(symbol), open, frameMs, open === begun ? fromTick : 0);
        if (candle) closes.push({ symbol, frameMs, time: open + frameMs, candle });
      }
    }
    return closes.sort(
      (a, b) =>
        a.time - b.time || (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0) || a.frameMs - b.frameMs,
    );
  }

  #start({ symbol, frame, keep, indicators }: Step & { do: 'start' }): void {
    const name = SYMBOLS[symbol] as string;
    const frameMs = FRAMES[frame] as number;
    const reader: Reader = {
      symbol: name,
      frameMs,
      keep,
      rsi: (indicators & 1) > 0,
      ema: (indicators & 2) > 0,
      first: new FirstCandle(name, frameMs, this.now),
      fromTick: this.#of(name).length,
      release: () => {},
    };
    if (!this.#built.has(key(reader))) {
      this.#built.set(key(reader), { fromTick: reader.fromTick, open: this.now - (this.now % frameMs) });
    }
    this.#read(reader);
    this.#readers.push(reader);
  }

  #read(reader: Reader): void {
    const { symbol, frameMs, keep, rsi, ema } = reader;
    reader.release = this.hub.need(symbol, frameMs, {
      keep,
      ...(rsi ? { rsi: RSI } : {}),
      ...(ema ? { ema: EMA } : {}),
    });
    if (this.hub.historyWanted(symbol, frameMs) === 0) return;
    // A feed may return more than is wanted: with the whole past, the model's indicators begin where the
    // hub's do.
    this.hub.history(symbol, frameMs, naiveCandles(this.#of(symbol), frameMs, this.now).map(feedCandle));
    expect(this.hub.historyWanted(symbol, frameMs)).toBe(0);
  }

  #stop(number: number): void {
    const reader = this.#readers[number % Math.max(1, this.#readers.length)];
    if (!reader) return;
    reader.release();
    this.#readers = this.#readers.filter((other) => other !== reader);
    if (!this.#readers.some((other) => key(other) === key(reader))) this.#built.delete(key(reader));
  }

  /** Kills the desk and starts it again: only what was stored remains. No history is needed then. */
  #restart(): void {
    const stored = JSON.parse(JSON.stringify([this.hub.formingSnapshot(), this.hub.closedSnapshot()]));
    const next = new CandleHub({ time: T });
    for (const name of SYMBOLS) {
      const last = this.#of(name).at(-1);
      if (last) next.lastPrice(name, last.time, last.price);
    }
    const settle = next.restore(stored[0], stored[1]);
    this.hub = next;
    for (const [at, reader] of this.#readers.entries()) {
      const { symbol, frameMs, keep } = reader;
      const first = FirstCandle.restore(JSON.parse(JSON.stringify(reader.first.snapshot())));
      const release = next.need(symbol, frameMs, {
        keep,
        ...(reader.rsi ? { rsi: RSI } : {}),
        ...(reader.ema ? { ema: EMA } : {}),
      });
      this.#readers[at] = { ...reader, first, release };
    }
    settle();
    expect(JSON.parse(JSON.stringify([next.formingSnapshot(), next.closedSnapshot()]))).toEqual(stored);
  }

  #later(after: number): number {
    return after < 0 ? this.now - (this.now % M) + M : this.now + after;
  }

  #of(name: string): NaiveTick[] {
    return this.#ticks.get(name) as NaiveTick[];
  }
}

function key({ symbol, frameMs }: { readonly symbol: string; readonly frameMs: number }): string {
  return `${symbol} ${frameMs}`;
}

/** `expected` undefined: the value may exist or not, depending on other readers. */
function expectClose(value: number | null, expected: number | null | undefined): void {
  if (expected === undefined) return;
  if (value === null || expected === null) expect(value).toBe(expected);
  else expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9);
}

// proves: bot candles bounds, bot candles first, bot candles history, bot rsi formula, bot ema formula
describe('the shared market', () => {
  it('is what computing it from scratch gives, at every step of any session, stopped and restored anywhere', () => {
    fc.assert(
      fc.property(steps, (session) => {
        const bench = new Bench();
        for (const step of session) bench.run(step);
      }),
      { numRuns: 300 },
    );
  });

  it('does the same after a restore as without one, to the last bit', () => {
    const quiet = steps.map((session) => session.filter((step) => step.do !== 'restart'));
    fc.assert(
      fc.property(quiet, fc.nat(60), (session, cut) => {
        const whole = new Bench();
        const stopped = new Bench();
        session.forEach((step, at) => {
          if (at === cut) stopped.run({ do: 'restart' });
          whole.run(step);
          stopped.run(step);
          expect(stopped.hub.formingSnapshot()).toEqual(whole.hub.formingSnapshot());
          expect(stopped.hub.closedSnapshot()).toEqual(whole.hub.closedSnapshot());
        });
      }),
      { numRuns: 100 },
    );
  });
});
