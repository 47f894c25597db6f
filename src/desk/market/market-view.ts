/**
 * What the consoles see of the markets: last prices with their minute closes and the price a day ago, and the
 * equity with its samples. Fed by ticks in market time; keeps at most 60 points per line.
 */
import { OWNER } from '../../domain/actor.ts';
import { type Dec, dec, fixed, toNumber } from '../../domain/decimal.ts';
import { marketKey, walletOf } from '../../domain/exchange.ts';
import { valuation } from '../../engine/balances.ts';
import type { AccountMemory, EngineMemory } from '../../engine/memory.ts';
import type { Tick } from '../../market/feed.ts';
import type { EquityView, PriceView, WalletEquity } from '../console/protocol.ts';
import { dayCounter } from './market-day.ts';
import type { MarketHistory } from './market-history.ts';

const POINTS = 60;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Line {
  readonly market: string;
  readonly symbol: string;
  last: string;
  time: number;
  /** Number of the tick among those at that time. */
  nth: number;
  volume: string;
  minute: number;
  open24h: string | null;
  closes: number[];
}

/** A symbol's last tick; `nth` of those at its time. An older store has neither `nth` nor the volume. */
export type KnownPrice = readonly [
  symbol: string,
  price: string,
  time: number,
  nth?: number,
  volume?: string,
];

/** Stored as meta `equity-day`: the first known equity of a market day, in the set zone. */
export interface EquityDay {
  readonly day: number;
  readonly usd: string;
  /**
   * The part of each wallet, by its name. A wallet connected later is no profit, one disconnected no loss.
   */
  readonly wallets: Readonly<Record<string, string>>;
}

export class MarketView {
  private readonly history: MarketHistory;
  /** By `marketKey`. */
  private readonly lines = new Map<string, Line>();
  private readonly equityPoints: number[] = [];
  /** The equity by wallet; replaced by a new object with each change, usually once a market minute. */
  wallets: Readonly<Record<string, WalletEquity>> = {};
  private equityMinute = -1;
  equityDay: EquityDay | null;
  /** Wallets that the last sample left out, since a price of theirs was missing. */
  private unpriced: ReadonlySet<string> = new Set();

  private readonly dayOf: (time: number) => number;

  /** @param dayOf counts the days for the PnL of today */
  constructor(history: MarketHistory, equityDay: EquityDay | null, dayOf = dayCounter()) {
    this.history = history;
    this.dayOf = dayOf;
    this.equityDay = equityDay;
  }

  /** Fills a symbol's line from the history of its market; its last price is the nth tick's at that time. */
  seed(market: string, [symbol, last, time, nth = 1, volume = '0']: KnownPrice): void {
    const closes = this.history
      .candles(market, symbol, MINUTE_MS, time - POINTS * MINUTE_MS, time)
      .map((candle) => Number(candle.close));
    const open24h = this.dayAgo(market, symbol, time);
    const minute = Math.floor(time / MINUTE_MS);
    const line: Line = { market, symbol, last, time, nth, volume, minute, open24h, closes };
    this.lines.set(marketKey(market, symbol), line);
  }

  onTick(market: string, tick: Tick): void {
    const line = this.lines.get(marketKey(market, tick.symbol));
    if (!line) {
      this.seed(market, [tick.symbol, tick.price, tick.time, 1, tick.volume]);
      return;
    }
    const minute = Math.floor(tick.time / MINUTE_MS);
    if (minute !== line.minute) {
      line.closes.push(Number(line.last));
      if (line.closes.length > POINTS) line.closes.shift();
      line.minute = minute;
      line.open24h = this.dayAgo(market, tick.symbol, tick.time);
    }
    line.last = tick.price;
    line.nth = tick.time === line.time ? line.nth + 1 : 1;
    line.time = tick.time;
    line.volume = tick.volume;
  }

  /** Returns the price of a symbol; undefined: it has none. */
  price(market: string, symbol: string): PriceView | undefined {
    return this.priceAt(marketKey(market, symbol));
  }

  /** Returns the price of a symbol by `marketKey`. */
  priceAt(key: string): PriceView | undefined {
    const line = this.lines.get(key);
    if (!line) return;
    return {
      market: line.market,
      symbol: line.symbol,
      last: line.last,
      time: line.time,
      open24h: line.open24h,
      spark: [...line.closes.slice(1 - POINTS), Number(line.last)],
    };
  }

  /** Returns the `marketKey` of each symbol that has a price. */
  keys(): IterableIterator<string> {
    return this.lines.keys();
  }

  /** Returns the last price of every symbol of a market that has one. */
  last(market: string): KnownPrice[] {
    const own = [...this.lines.values()].filter((line) => line.market === market);
    return own.map(({ symbol, last, time, nth, volume }) => [symbol, last, time, nth, volume]);
  }

  /** Returns the time of a market's newest price, Unix ms; null: it has none. */
  newest(market: string): number | null {
    const times = this.last(market).map(([, , time]) => time);
    return times.length === 0 ? null : Math.max(...times);
  }

  /**
   * Takes the sample of a market minute; true when a new market day has begun and `equityDay` should be
   * stored.
   */
  sampleEquity(memory: EngineMemory, marketTime: number): boolean {
    const minute = Math.floor(marketTime / MINUTE_MS);
    if (minute === this.equityMinute) return false;
    const own = memory.accountsOf(OWNER);
    // What is missing of an account that could not be read yet is no loss.
    if (own.some(({ unread }) => unread.size > 0)) return false;
    this.equityMinute = minute;
    const { usd } = valuation(own);
    this.equityPoints.push(toNumber(usd));
    if (this.equityPoints.length > POINTS) this.equityPoints.shift();
    const changed = this.joinDayOf(this.dayOf(marketTime), own);
    this.wallets = Object.fromEntries(
      [...byWallet(own)].map(([name, account]): [string, WalletEquity] => [
        name,
        {
          dayStartUsd: this.equityDay?.wallets[name] ?? null,
          points: [...(this.wallets[name]?.points ?? []), toNumber(valuation([account]).usd)].slice(
            1 - POINTS,
          ),
        },
      ]),
    );
    return changed;
  }

  private joinDayOf(day: number, own: readonly AccountMemory[]): boolean {
    if (this.equityDay?.day === day) return this.joinDay(own);
    this.equityDay = { day, usd: '0.00', wallets: {} };
    this.joinDay(own);
    return true;
  }

  /**
   * Adds wallets that came since the day began, each when it has all its prices or has waited a minute for
   * them.
   */
  private joinDay(own: readonly AccountMemory[]): boolean {
    const { equityDay } = this;
    if (!equityDay) return false;
    const unpriced = new Set<string>();
    let { usd, wallets } = equityDay;
    for (const [id, account] of byWallet(own)) {
      if (wallets[id] !== undefined) continue;
      const worth = valuation([account]);
      if (worth.partial && !this.unpriced.has(id)) unpriced.add(id);
      else {
        wallets = { ...wallets, [id]: fixed(worth.usd, 2) };
        usd = fixed(dec(usd) + worth.usd, 2);
      }
    }
    this.unpriced = unpriced;
    if (wallets === equityDay.wallets) return false;
    this.equityDay = { ...equityDay, usd, wallets };
    return true;
  }

  /**
   * Books a payment into (or out of) a wallet: no profit of the day. A wallet not counted yet is counted
   * later with what it has then.
   */
  pay(usd: Dec, wallet: string): void {
    const { equityDay } = this;
    const before = equityDay?.wallets[wallet];
    if (!equityDay || before === undefined) return;
    this.equityDay = {
      ...equityDay,
      usd: fixed(dec(equityDay.usd) + usd, 2),
      wallets: { ...equityDay.wallets, [wallet]: fixed(dec(before) + usd, 2) },
    };
    const shown = this.wallets[wallet];
    const dayStartUsd = this.equityDay.wallets[wallet] ?? null;
    if (shown) this.wallets = { ...this.wallets, [wallet]: { ...shown, dayStartUsd } };
  }

  /**
   * Returns what the present wallets were worth when the day began; a later wallet counts with its present
   * worth.
   */
  private dayStart(own: readonly AccountMemory[]): string | null {
    const { equityDay } = this;
    if (!equityDay) return null;
    const there = byWallet(own);
    let usd = dec(equityDay.usd);
    for (const [id, share] of Object.entries(equityDay.wallets)) if (!there.has(id)) usd -= dec(share);
    for (const [id, account] of there)
      if (equityDay.wallets[id] === undefined) usd += valuation([account]).usd;
    return fixed(usd, 2);
  }

  equity(memory: EngineMemory): EquityView {
    const own = memory.accountsOf(OWNER);
    const { usd, btc, partial } = valuation(own);
    return {
      usd: fixed(usd, 2),
      btc: btc === null ? null : fixed(btc, 8),
      partial,
      spark: [...this.equityPoints.slice(1 - POINTS), toNumber(usd)],
      dayStartUsd: this.dayStart(own),
    };
  }

  private dayAgo(market: string, symbol: string, time: number): string | null {
    const from = time - DAY_MS;
    const start = from - (from % MINUTE_MS);
    return this.history.candles(market, symbol, MINUTE_MS, start, from + MINUTE_MS)[0]?.open ?? null;
  }
}

/** Returns one account of each wallet, by the wallet's name: each account has the worth of its wallet. */
function byWallet(own: readonly AccountMemory[]): Map<string, AccountMemory> {
  return new Map(own.map((account) => [walletOf(account.account), account]));
}
