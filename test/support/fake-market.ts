/**
 * A fake live market: an exchange's candles as a plain function of time, ticks and closes when a test says
 * so, and candle requests that can fail, hang or be answered in small pages.
 */
import type { Clock } from '../../src/domain/clock.ts';
import type { Candle } from '../../src/domain/rows.ts';
import type { CandleQuestion, LiveTick, MarketData, MarketSink } from '../../src/market/market-data.ts';

export const MINUTE = 60_000;

export class FakeMarket implements MarketData {
  readonly market: string;
  readonly frames: readonly number[];
  sink: MarketSink | null = null;
  /** All requests for candles, oldest first. */
  readonly asked: CandleQuestion[] = [];
  /** The last watch list that was set: frames by symbol. */
  watched: ReadonlyMap<string, readonly number[]> = new Map();
  opened = 0;
  closed = false;
  /** Number of candles in one response. */
  page = 1_000;
  answers = {
    open: async (): Promise<void> => {},
    candles: (question: CandleQuestion): Promise<readonly Candle[] | null> =>
      Promise.resolve(this.history(question)),
    prices: async (): Promise<readonly (readonly [string, string])[] | null> => [],
  };
  readonly #clock: Pick<Clock, 'wall'>;
  /** Time of the first candle, Unix ms. */
  readonly since: number;

  constructor(
    clock: Pick<Clock, 'wall'>,
    {
      market = 'other-spot',
      frames = [MINUTE, 5 * MINUTE],
      since = 0,
    }: { readonly market?: string; readonly frames?: readonly number[]; readonly since?: number } = {},
  ) {
    this.#clock = clock;
    this.market = market;
    this.frames = frames;
    this.since = since;
  }

  async open(sink: MarketSink): Promise<void> {
    this.opened += 1;
    await this.answers.open();
    this.sink = sink;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  now(): number {
    return this.#clock.wall();
  }

  candles(question: CandleQuestion): Promise<readonly Candle[] | null> {
    this.asked.push(question);
    return this.answers.candles(question);
  }

  prices(): Promise<readonly (readonly [string, string])[] | null> {
    return this.answers.prices();
  }

  watch(wanted: ReadonlyMap<string, readonly number[]>): void {
    this.watched = wanted;
  }

  /** The exchange's candles that have closed by now. */
  history({ frameMs, from, to }: CandleQuestion): Candle[] {
    const candles: Candle[] = [];
    const start = Math.ceil(Math.max(from, this.since) / frameMs) * frameMs;
    for (let time = start; time < to && candles.length < this.page; time += frameMs)
      if (time + frameMs <= this.#clock.wall()) candles.push(exchangeCandle(time, frameMs));
    return candles;
  }

  ticks(...ticks: readonly (readonly [symbol: string, price: string, volume?: string])[]): void {
    this.sink?.ticks(ticks.map(([symbol, price, volume = '1']): LiveTick => ({ symbol, price, volume })));
  }

  /** Reports that the candle which opened at `time` has closed. */
  tellClose(symbol: string, frameMs: number, time: number): void {
    this.sink?.closed(symbol, frameMs, exchangeCandle(time, frameMs));
  }
}

/**
 * A candle of the exchange: prices around 100 that depend on its time only; larger frames are made from the
 * minutes.
 */
export function exchangeCandle(time: number, frameMs: number): Candle {
  const minutes = Array.from({ length: frameMs / MINUTE }, (_, at) => priceOf(time + at * MINUTE));
  const opens = minutes.map((cents) => cents - 3);
  const of = (cents: number) => (cents / 100).toFixed(2).replace(/\.?0+$/, '');
  return {
    time,
    open: of(opens[0] ?? 0),
    high: of(Math.max(...minutes) + 5),
    low: of(Math.min(...opens) - 5),
    close: of(minutes.at(-1) ?? 0),
    volume: String(minutes.length),
  };
}

/** The price in hundredths. */
function priceOf(time: number): number {
  const minute = time / MINUTE;
  return 10_000 + ((minute * 7) % 41) + ((minute * minute) % 13);
}
