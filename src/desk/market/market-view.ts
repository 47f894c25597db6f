/**
 * What the consoles see of the market: last prices with their minute closes and the price a day ago, and the equity with
 * its samples. Fed by ticks in market time; keeps at most 60 points a line.
 */
import { OWNER } from '../../domain/actor.ts';
import { type Dec, dec, fixed, toNumber } from '../../domain/decimal.ts';
import { valuation } from '../../engine/balances.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import type { Feed, Tick } from '../../market/feed.ts';
import type { EquityView, PriceView } from '../console/protocol.ts';
import { dayCounter } from './market-day.ts';

const POINTS = 60;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Line {
  last: string;
  time: number;
  minute: number;
  open24h: string | null;
  closes: number[];
}

/** Stored as meta `equity-day`: equity at the first moment seen of a market day, in the zone that is set. */
export interface EquityDay {
  readonly day: number;
  readonly usd: string;
}

export class MarketView {
  private readonly feed: Feed;
  private readonly lines = new Map<string, Line>();
  private readonly equityPoints: number[] = [];
  private equityMinute = -1;
  equityDay: EquityDay | null;

  private readonly dayOf: (time: number) => number;

  /** @param dayOf counts the days for the PnL of today */
  constructor(feed: Feed, equityDay: EquityDay | null, dayOf = dayCounter()) {
    this.feed = feed;
    this.dayOf = dayOf;
    this.equityDay = equityDay;
  }

  /** Fills a symbol's line from the feed's history; `last` is the price known at `time`. */
  seed(symbol: string, last: string, time: number): void {
    const closes = this.feed
      .candles(symbol, MINUTE_MS, time - POINTS * MINUTE_MS, time)
      .map((candle) => Number(candle.close));
    const line: Line = { last, time, minute: Math.floor(time / MINUTE_MS), open24h: null, closes };
    this.lines.set(symbol, line);
    line.open24h = this.dayAgo(symbol, time);
  }

  onTick(tick: Tick): void {
    const line = this.lines.get(tick.symbol);
    if (!line) {
      this.seed(tick.symbol, tick.price, tick.time);
      return;
    }
    const minute = Math.floor(tick.time / MINUTE_MS);
    if (minute !== line.minute) {
      line.closes.push(Number(line.last));
      if (line.closes.length > POINTS) line.closes.shift();
      line.minute = minute;
      line.open24h = this.dayAgo(tick.symbol, tick.time);
    }
    line.last = tick.price;
    line.time = tick.time;
  }

  price(symbol: string): PriceView | null {
    const line = this.lines.get(symbol);
    if (!line) return null;
    return {
      symbol,
      last: line.last,
      time: line.time,
      open24h: line.open24h,
      spark: [...line.closes.slice(1 - POINTS), Number(line.last)],
    };
  }

  symbols(): IterableIterator<string> {
    return this.lines.keys();
  }

  /** Symbol, last price and its market time, of every symbol that has one. */
  last(): [symbol: string, price: string, time: number][] {
    return [...this.lines].map(([symbol, { last, time }]) => [symbol, last, time]);
  }

  /** Takes the sample of a market minute; true when a new market day has begun and `equityDay` should be stored. */
  sampleEquity(memory: EngineMemory, marketTime: number): boolean {
    const minute = Math.floor(marketTime / MINUTE_MS);
    if (minute === this.equityMinute) return false;
    const own = memory.accountsOf(OWNER);
    // What is missing of an account that could not be read yet is no loss.
    if (own.some(({ unread }) => unread.size > 0)) return false;
    this.equityMinute = minute;
    const { usd } = valuation(memory, own);
    this.equityPoints.push(toNumber(usd));
    if (this.equityPoints.length > POINTS) this.equityPoints.shift();
    const day = this.dayOf(marketTime);
    if (this.equityDay?.day === day) return false;
    this.equityDay = { day, usd: fixed(usd, 2) };
    return true;
  }

  /** Paid in (or out): no profit of the day. */
  pay(usd: Dec): void {
    const { equityDay } = this;
    if (equityDay) this.equityDay = { ...equityDay, usd: fixed(dec(equityDay.usd) + usd, 2) };
  }

  equity(memory: EngineMemory): EquityView {
    const { usd, btc, partial } = valuation(memory, memory.accountsOf(OWNER));
    return {
      usd: fixed(usd, 2),
      btc: btc === null ? null : fixed(btc, 8),
      partial,
      spark: [...this.equityPoints.slice(1 - POINTS), toNumber(usd)],
      dayStartUsd: this.equityDay?.usd ?? null,
    };
  }

  private dayAgo(symbol: string, time: number): string | null {
    const from = time - DAY_MS;
    return this.feed.candles(symbol, MINUTE_MS, from - (from % MINUTE_MS), from + MINUTE_MS)[0]?.open ?? null;
  }
}
