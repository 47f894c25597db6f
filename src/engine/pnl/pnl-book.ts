/**
 * The PnL book of a range: the results of the wallets' books (`wallet-book.ts`), summed by group, with the
 * equity at the sample times, the newest closed trades and statistics of all of them. Bounded however long
 * the history is. Pure.
 */
import { type Dec, str, ZERO } from '../../domain/decimal.ts';
import type { PnlUnit } from './calendar.ts';
import type { ClosedTrade } from './closed-trade.ts';
import { addFigures, type Figures, type FigureTexts, figureTexts, netOf, newFigures } from './figures.ts';
import { TradeCounter, type TradeStats } from './trade-stats.ts';
import type { PnlEntry, PnlSink } from './wallet-book.ts';

export const PNL_GROUPS = ['day', 'week', 'month', 'symbol', 'bot', 'account', 'tag'] as const;
export type PnlGroup = (typeof PNL_GROUPS)[number];

/** Most days of a book's range. */
export const PNL_DAYS_MAX = 5_000;
/** Most groups of one book; further ones are summed as `others`. */
export const PNL_ROWS_MAX = 5_000;
/** Most closed trades that a book keeps, the newest. */
export const PNL_TRADES_MAX = 1_000;

/**
 * Group for everything without a bot and tag: manual orders and keys, the wallet itself, and open positions.
 */
export const BY_HAND = '(by hand)';
export const OF_WALLET = '(wallet)';
export const OPEN_NOW = '(open)';
export const UNTAGGED = '(no tag)';
export const OTHERS = '(others)';

export interface PnlRow extends FigureTexts {
  readonly key: string;
  /** Number of closed trades. */
  readonly trades: number;
}

/** One sample of the equity, in dollars. */
export interface EquityPoint {
  readonly time: number;
  readonly equity: string;
  /** Net since the beginning of the range. */
  readonly net: string;
  readonly deposits: string;
}

export interface PnlBookOptions {
  /** Both ends Unix ms: `from` is included, `to` is not. Equal to the first and the last sample. */
  readonly from: number;
  readonly to: number;
  readonly by: PnlGroup;
  readonly samples: readonly number[];
  /** Returns the name of the time unit that a time belongs to. */
  readonly unitOf: (unit: PnlUnit, time: number) => string;
  /** Returns the tag of a bot; null: it has none, or does not exist any more. */
  readonly tagOf: (bot: string) => string | null;
  /** Called for every closed trade of the range. */
  readonly traded?: (trade: ClosedTrade) => void;
}

export class PnlBook implements PnlSink {
  readonly #o: PnlBookOptions;
  readonly #total = newFigures();
  readonly #rows = new Map<string, { readonly figures: Figures; trades: number }>();
  readonly #equity: Dec[];
  /** Deposits between each two samples. */
  readonly #deposits: Dec[];
  readonly #counter = new TradeCounter();
  #trades: ClosedTrade[] = [];

  constructor(options: PnlBookOptions) {
    this.#o = options;
    this.#equity = options.samples.map(() => ZERO);
    this.#deposits = options.samples.map(() => ZERO);
  }

  entry(entry: PnlEntry): void {
    if (!this.#isWithin(entry.time)) return;
    addFigures(this.#total, entry.figures);
    addFigures(this.#row(this.#keyOf(entry)).figures, entry.figures);
    const { deposits = ZERO } = entry.figures;
    if (deposits !== ZERO) {
      const at = this.#stretchOf(entry.time);
      this.#deposits[at] = (this.#deposits[at] ?? ZERO) + deposits;
    }
  }

  trade(trade: ClosedTrade): void {
    if (!this.#isWithin(trade.closedAt)) return;
    this.#counter.add(trade);
    this.#o.traded?.(trade);
    this.#row(this.#keyOf({ ...trade, of: 'trade', time: trade.closedAt })).trades += 1;
    this.#trades.push(trade);
    if (this.#trades.length >= 2 * PNL_TRADES_MAX) this.#trades = this.#newest();
  }

  equity(n: number, usd: Dec): void {
    this.#equity[n] = (this.#equity[n] ?? ZERO) + usd;
  }

  total(): FigureTexts {
    return figureTexts(this.#total);
  }

  /** Returns the groups, by key where they are times, else with the largest net first. */
  rows(): PnlRow[] {
    const isTime = this.#o.by === 'day' || this.#o.by === 'week' || this.#o.by === 'month';
    const order = ([keyA, a]: KeyedFigures, [keyB, b]: KeyedFigures): number => {
      const more = netOf(b.figures) - netOf(a.figures);
      if (!isTime && more !== ZERO) return more > ZERO ? 1 : -1;
      return keyA < keyB ? -1 : 1;
    };
    return [...this.#rows]
      .sort(order)
      .map(([key, { figures, trades }]) => ({ key, ...figureTexts(figures), trades }));
  }

  /** Returns the trades, newest first. */
  trades(): readonly ClosedTrade[] {
    return this.#newest();
  }

  stats(): TradeStats {
    return this.#counter.stats();
  }

  curve(): EquityPoint[] {
    const first = this.#equity[0] ?? ZERO;
    let deposits = ZERO;
    return this.#o.samples.map((time, n) => {
      const equity = this.#equity[n] ?? ZERO;
      deposits += this.#deposits[n - 1] ?? ZERO;
      return { time, equity: str(equity), net: str(equity - first - deposits), deposits: str(deposits) };
    });
  }

  #isWithin(time: number): boolean {
    return time >= this.#o.from && time < this.#o.to;
  }

  #row(key: string): { readonly figures: Figures; trades: number } {
    const known = this.#rows.get(key);
    if (known) return known;
    if (this.#rows.size >= PNL_ROWS_MAX && key !== OTHERS) return this.#row(OTHERS);
    const made = { figures: newFigures(), trades: 0 };
    this.#rows.set(key, made);
    return made;
  }

  #keyOf({ time, symbol, account, of, bot }: Omit<PnlEntry, 'figures'>): string {
    const { by, unitOf, tagOf } = this.#o;
    if (by === 'symbol') return symbol;
    if (by === 'account') return account;
    if (by !== 'bot' && by !== 'tag') return unitOf(by, time);
    if (of === 'wallet') return OF_WALLET;
    if (of === 'open') return OPEN_NOW;
    if (by === 'bot') return bot ?? BY_HAND;
    return (bot === null ? null : tagOf(bot)) ?? UNTAGGED;
  }

  /** Returns n for the interval between the nth and the next sample that contains the time. */
  #stretchOf(time: number): number {
    const { samples } = this.#o;
    let low = 0;
    let high = samples.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((samples[middle] ?? 0) <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #newest(): ClosedTrade[] {
    return this.#trades.toSorted((a, b) => b.closedAt - a.closedAt).slice(0, PNL_TRADES_MAX);
  }
}

type KeyedFigures = readonly [string, { readonly figures: Figures }];
