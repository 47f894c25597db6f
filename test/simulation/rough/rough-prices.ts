/**
 * The rough exchange's market as a desk receives it: late, cut, with candle closes that get lost and requests
 * that fail; only watched symbols are reported. Its candles are made of all its trades, whoever receives
 * them.
 */
import { marketOf } from '../../../src/domain/exchange.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import type { CandleQuestion, MarketData, MarketSink } from '../../../src/market/market-data.ts';
import type { Dice } from '../dice.ts';
import type { SimClock } from '../sim-clock.ts';
import type { RoughExchange, RoughTick } from './rough-exchange.ts';

const MINUTE = 60_000;
/** Chance that a tick cuts the stream. */
const CUT = 0.004;
/** Candles in one answer. */
const PAGE = 3;

export interface RoughPricesOptions {
  readonly exchange: RoughExchange;
  readonly clock: SimClock;
  readonly dice: Dice;
  readonly healed: () => boolean;
  readonly struck: (name: string) => void;
  /** Chance that a request fails. */
  readonly queryFails: number;
}

export class RoughPrices {
  readonly #o: RoughPricesOptions;
  readonly #candles = new Map<string, Candle[]>();
  #sink: MarketSink | null = null;
  #watched: ReadonlyMap<string, readonly number[]> = new Map();
  #dueAt = 0;
  #cutUntil = 0;

  constructor(options: RoughPricesOptions) {
    this.#o = options;
  }

  /** The market for the present desk. `awake`: whether it receives messages. */
  market(awake: () => boolean): MarketData {
    const { exchange } = this.#o;
    return {
      market: marketOf(exchange.account),
      frames: [MINUTE],
      now: () => this.#now(),
      open: async (sink) => {
        this.#sink = sink;
        this.#watched = new Map();
      },
      close: async () => this.disconnect(),
      candles: (question) => this.#later(() => this.#answer(question), awake),
      prices: () =>
        this.#later(() => {
          const lasts = exchange.instruments.map(({ symbol }) => [symbol, exchange.last(symbol)] as const);
          return lasts.flatMap(([symbol, last]) => {
            if (last === null) return [];
            exchange.tell({ symbol, price: String(last), mark: null });
            return [[symbol, String(last)] as const];
          });
        }, awake),
      watch: (wanted) => {
        this.#watched = wanted;
      },
    };
  }

  disconnect(): void {
    this.#sink = null;
  }

  /** Reports a trade at the exchange. */
  tick(tick: RoughTick, awake: () => boolean): void {
    const { clock, dice, healed, struck, exchange } = this.#o;
    this.#note(tick);
    if (!healed() && dice.chance(CUT) && clock.now >= this.#cutUntil) this.#cut();
    // Ticks keep their order, however late each is.
    this.#dueAt = Math.max(this.#dueAt, clock.now + dice.between(0, exchange.plan.priceDelayMs));
    const sink = this.#sink;
    const isLost = clock.now < this.#cutUntil;
    if (isLost) struck('a price is lost');
    if (!sink || isLost || !this.#watched.has(tick.symbol)) return;
    clock.after(this.#dueAt - clock.now, () => {
      if (this.#sink !== sink || !awake()) return;
      exchange.tell(tick);
      if (tick.mark !== null) sink.mark(tick.symbol, tick.mark);
      sink.ticks([{ symbol: tick.symbol, price: tick.price, volume: tick.volume }]);
    });
  }

  /**
   * Cuts the stream: the desk learns it when the cut is noticed; then the stream is back, without the
   * messages in between.
   */
  #cut(): void {
    const { clock, dice, struck } = this.#o;
    struck('the price stream is cut');
    const forMs = dice.between(500, 12_000);
    this.#cutUntil = clock.now + forMs;
    const told = (tell: (sink: MarketSink) => void) => () => {
      if (this.#sink) tell(this.#sink);
    };
    clock.after(
      dice.between(0, forMs),
      told((sink) => sink.stale('', 'the stream is cut')),
    );
    clock.after(
      forMs,
      told((sink) => {
        sink.stale('', null);
        sink.gap('');
      }),
    );
  }

  #note({ symbol, price, volume }: RoughTick): void {
    const { clock, dice, healed, struck } = this.#o;
    const candles = this.#candles.get(symbol) ?? [];
    this.#candles.set(symbol, candles);
    const time = Math.floor(this.#now() / MINUTE) * MINUTE;
    const last = candles.at(-1);
    if (last?.time === time) {
      const candle = {
        time,
        open: last.open,
        close: price,
        high: Number(price) > Number(last.high) ? price : last.high,
        low: Number(price) < Number(last.low) ? price : last.low,
        volume: (Number(last.volume) + Number(volume)).toFixed(6),
      };
      candles[candles.length - 1] = candle;
      return;
    }
    candles.push({ time, open: price, high: price, low: price, close: price, volume });
    if (!last) return;
    if (!healed() && dice.chance(0.3)) {
      struck('a closed candle is lost');
      return;
    }
    const sink = this.#sink;
    clock.after(dice.between(0, 1_500), () => {
      if (sink && this.#sink === sink && this.#watched.get(symbol)?.includes(MINUTE))
        sink.closed(symbol, MINUTE, last);
    });
  }

  #answer({ symbol, from, to }: CandleQuestion): Candle[] {
    const now = this.#now();
    const closed = (this.#candles.get(symbol) ?? []).filter(({ time }) => time + MINUTE <= now);
    return closed.filter(({ time }) => time >= from && time < to).slice(0, PAGE);
  }

  /** The exchange's clock. */
  #now(): number {
    return this.#o.clock.now + this.#o.exchange.plan.driftMs;
  }

  #later<T>(answer: () => T, awake: () => boolean): Promise<T | null> {
    const { clock, dice, healed, struck, queryFails } = this.#o;
    const fails = !healed() && dice.chance(queryFails);
    return new Promise((resolve) => {
      clock.after(dice.between(1, healed() ? 100 : 2_500), () => {
        if (!awake()) return;
        if (fails) struck('a question for prices fails');
        resolve(fails ? null : answer());
      });
    });
  }
}
