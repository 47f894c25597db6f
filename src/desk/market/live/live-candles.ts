/**
 * The closed candles of a live market that are in use: loaded before the step that needs them, extended by
 * the candles that the exchange closes, asked for again where some are missing. A frame that the exchange
 * does not have is made from the largest one it has that fits. Never made from ticks.
 */
import type { Clock } from '../../../domain/clock.ts';
import type { Candle } from '../../../domain/rows.ts';
import { aggregate, closedFrames, fillFlat, frameStart, MAX_CANDLES } from '../../../market/aggregate.ts';
import type { MarketData } from '../../../market/market-data.ts';
import type { CandleCache, Unbroken } from './candle-cache.ts';

/** A candle that the exchange has not sent this long after its end is asked for, ms. */
export const ASK_AFTER_MS = 2_000;
/** If an answer this long after a candle's end lacks it, nothing was traded in it, ms. */
const QUIET_AFTER_MS = 10_000;
/** A row that was not read for this long is dropped, ms. */
const KEEP_MS = 60_000;
/**
 * The history of a row that only gets new candles is dropped after this time, ms, except for FOLLOWED
 * candles: its readers have read it.
 */
const PAST_KEPT_MS = 10_000;
const FOLLOWED = 10;
/** Wait between two questions for missing candles, ms: doubled after each failure. */
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;
/**
 * Most answers to one question: an exchange that sends a few candles at a time must not keep the desk asking.
 */
const PAGES_MAX = 100;
/** Most questions at a time: later ones wait, so that a hundred symbols do not flood the exchange. */
const ASKING_MAX = 4;
/** The same limit for questions that nobody waits for. */
const ASKING_PATIENT_MAX = 2;
/**
 * Most candles in a row: the most that one answer has, and those that close while somebody still reads older
 * ones.
 */
const KEPT_MAX = MAX_CANDLES + 500;

/** Closed candles without a hole, of one symbol and one frame of the exchange. */
interface Row {
  readonly symbol: string;
  readonly frameMs: number;
  /** Nobody waits for its history: it is asked for in places of its own. */
  isPatient: boolean;
  candles: Candle[];
  /** Open times: the start of the loaded range, and the first candle after it, which is not here yet. */
  from: number;
  end: number;
  /** Open time from which candles are wanted: earlier than `from` while those have not been loaded. */
  wanted: number;
  /** Monotonic times of the last read of its history, and of the last use of any kind. */
  readAt: number;
  neededAt: number;
  /** Open time from which somebody waits for new candles; Infinity: nobody does. */
  followed: number;
  asking: Promise<void> | null;
  /** Monotonic time before which nothing is asked again, and the number of failures in a row. */
  notBefore: number;
  failures: number;
}

/** The candles of a range up to `to`; beyond it they were not asked for. */
interface Brought {
  readonly candles: Candle[];
  readonly to: number;
}

export interface LiveCandlesOptions {
  readonly data: Pick<MarketData, 'market' | 'frames' | 'candles' | 'now'>;
  readonly clock: Clock;
  /** Candles that earlier starts have loaded; left out: none. */
  readonly cache?: Pick<CandleCache, 'read' | 'write' | 'flush'>;
  /** Called when more candles of a symbol are here. */
  readonly loaded: (symbol: string) => void;
  readonly failed: (text: string) => void;
}

export class LiveCandles {
  readonly #o: LiveCandlesOptions;
  readonly #rows = new Map<string, Row>();
  #asking = 0;
  #askingPatient = 0;

  constructor(options: LiveCandlesOptions) {
    this.#o = options;
  }

  /** Returns the largest frame of the exchange from which this one can be made; null: none fits. */
  baseOf(frameMs: number): number | null {
    let base = 0;
    for (const one of this.#o.data.frames) if (frameMs % one === 0 && one > base) base = one;
    return base === 0 ? null : base;
  }

  /**
   * Returns closed candles, oldest first, at most 5,000. Null: they are not here and are being loaded.
   * `isPatient`: the caller goes on without them.
   */
  read(
    symbol: string,
    frameMs: number,
    from: number,
    to: number,
    isPatient = false,
  ): readonly Candle[] | null {
    return this.#read(frameMs, from, to, (base, start) => {
      const row = this.#row(symbol, base, start, isPatient);
      row.readAt = row.neededAt;
      return row;
    });
  }

  /** Returns the same from candles that are here; asks for nothing. */
  peek(symbol: string, frameMs: number, from: number, to: number): readonly Candle[] {
    return this.#read(frameMs, from, to, (base) => this.#rows.get(keyOf(symbol, base))) ?? [];
  }

  #read(
    frameMs: number,
    from: number,
    to: number,
    rowOf: (base: number, start: number) => Row | undefined,
  ): readonly Candle[] | null {
    const base = this.baseOf(frameMs);
    if (base === null) return [];
    const asked = closedFrames(frameMs, from, to, Math.min(to, this.#o.data.now()));
    if (!asked) return [];
    const start = Math.max(asked.start, asked.end - MAX_CANDLES * base);
    const row = rowOf(base, start);
    if (!row) return null;
    // The newest candle may not have been sent yet, and cannot be known before.
    if (row.from > start || row.end < asked.end - frameMs) return null;
    const end = frameStart(Math.min(row.end, asked.end), frameMs);
    const within = row.candles.filter(({ time }) => time >= start && time < end);
    return base === frameMs ? within : aggregate(within, frameMs);
  }

  /** Returns the closed candle of a frame that opens at `time`; null: it is not here. */
  at(symbol: string, frameMs: number, time: number): Candle | null {
    const base = this.baseOf(frameMs);
    const row = base === null ? undefined : this.#rows.get(keyOf(symbol, base));
    if (!row || row.from > time || row.end < time + frameMs) return null;
    const first = (time - row.end) / row.frameMs + row.candles.length;
    const within = row.candles.slice(Math.max(first, 0), Math.max(first + frameMs / row.frameMs, 0));
    return aggregate(within, frameMs)[0] ?? null;
  }

  /**
   * Whether the frame that opens at `time` is over, and the exchange has no candle of it or before it: none
   * will ever come.
   */
  isBefore(symbol: string, frameMs: number, time: number): boolean {
    const base = this.baseOf(frameMs);
    const row = base === null ? undefined : this.#rows.get(keyOf(symbol, base));
    if (!row || row.from > time || row.end < time + frameMs) return false;
    const [first] = row.candles;
    return first === undefined || first.time >= time + frameMs;
  }

  /** Keeps the candles of a frame coming as they close, from `from` on. */
  follow(symbol: string, frameMs: number, from: number): void {
    const base = this.baseOf(frameMs);
    if (base === null) return;
    const row = this.#row(symbol, base, from);
    row.followed = frameStart(from, base);
  }

  /** Returns the frames of the exchange that are kept of a symbol. */
  frames(symbol: string): number[] {
    return [...this.#rows.values()].filter((row) => row.symbol === symbol).map(({ frameMs }) => frameMs);
  }

  /** Takes a candle that the exchange has closed. Candles missing before it are asked for. */
  closed(symbol: string, frameMs: number, candle: Candle): void {
    const row = this.#rows.get(keyOf(symbol, frameMs));
    if (!row || candle.time < row.end || candle.time % frameMs !== 0) return;
    if (candle.time > row.end || row.asking || row.wanted < row.from) {
      this.#ask(row);
      return;
    }
    this.#put(row, [candle], candle.time + frameMs);
    this.#o.cache?.write(symbol, frameMs, [candle]);
    this.#o.loaded(symbol);
  }

  /** Asks for overdue candles and drops rows that nobody reads. Called about once a second. */
  look(): void {
    this.#o.cache?.flush();
    const mono = this.#o.clock.monotonic();
    for (const [key, row] of this.#rows) {
      if (mono - row.neededAt > KEEP_MS && !row.asking) this.#rows.delete(key);
      else if (this.#isMissing(row)) this.#ask(row);
      else if (mono - row.readAt > PAST_KEPT_MS && !row.asking) this.#trim(row);
    }
  }

  /** Asks for the newest candles again, since reports may be missing. Empty: of every symbol. */
  gap(symbol: string): void {
    for (const row of this.#rows.values()) {
      if (symbol !== '' && row.symbol !== symbol) continue;
      row.notBefore = Number.NEGATIVE_INFINITY;
      if (frameStart(this.#o.data.now(), row.frameMs) > row.end) this.#ask(row);
    }
  }

  /** Resolves when no question that somebody waits for is under way. */
  async settled(): Promise<void> {
    for (;;) {
      const asking = [...this.#rows.values()].flatMap(({ asking, isPatient }) =>
        asking && !isPatient ? [asking] : [],
      );
      if (asking.length === 0) return;
      await Promise.all(asking);
    }
  }

  /**
   * Returns the row, with its history from `from` on wanted. `isPatient` left out: the caller does not read
   * its history.
   */
  #row(symbol: string, frameMs: number, from: number, isPatient?: boolean): Row {
    const key = keyOf(symbol, frameMs);
    const neededAt = this.#o.clock.monotonic();
    const known = this.#rows.get(key);
    const start = frameStart(from, frameMs);
    if (known) {
      if (isPatient === false) known.isPatient = false;
      known.neededAt = neededAt;
      known.wanted = Math.min(known.wanted, start);
      if (known.wanted < known.from) this.#ask(known);
      return known;
    }
    const row: Row = {
      symbol,
      frameMs,
      isPatient: isPatient === true,
      candles: [],
      from: Number.POSITIVE_INFINITY,
      end: start,
      wanted: start,
      readAt: neededAt,
      neededAt,
      followed: Number.POSITIVE_INFINITY,
      asking: null,
      notBefore: Number.NEGATIVE_INFINITY,
      failures: 0,
    };
    this.#rows.set(key, row);
    this.#ask(row);
    return row;
  }

  /** Drops the older candles of a row that only gets new ones. */
  #trim(row: Row): void {
    const from = Math.min(row.end - FOLLOWED * row.frameMs, row.followed);
    const excess = row.candles.findIndex(({ time }) => time >= from);
    if (excess <= 0) return;
    row.candles = row.candles.slice(excess);
    row.from = from;
    row.wanted = from;
  }

  #isMissing(row: Row): boolean {
    return row.wanted < row.from || this.#o.data.now() >= row.end + row.frameMs + ASK_AFTER_MS;
  }

  #ask(row: Row): void {
    if (row.asking || this.#o.clock.monotonic() < row.notBefore) return;
    const { isPatient } = row;
    // A patient question may take minutes: questions that somebody waits for have places of their own.
    if (isPatient ? this.#askingPatient >= ASKING_PATIENT_MAX : this.#asking >= ASKING_MAX) return;
    const count = (by: number) => {
      if (isPatient) this.#askingPatient += by;
      else this.#asking += by;
    };
    count(1);
    row.asking = this.#bring(row).then(() => {
      count(-1);
      row.asking = null;
      if (row.failures === 0) this.#o.loaded(row.symbol);
      // Asks for what became wanted meanwhile, of this row or others.
      for (const other of this.#rows.values()) if (this.#isMissing(other)) this.#ask(other);
    });
  }

  async #bring(row: Row): Promise<void> {
    const { data, clock, failed } = this.#o;
    const failing = (): void => {
      row.failures += 1;
      const wait = Math.min(RETRY_MS * 2 ** (row.failures - 1), RETRY_MAX_MS);
      row.notBefore = clock.monotonic() + wait;
      if (row.failures === 1)
        failed(`${data.market}: candles of ${row.symbol} could not be asked for; asking again`);
    };
    try {
      const isWhole = row.wanted < row.from;
      const from = isWhole ? row.wanted : row.end;
      const to = frameStart(this.#o.data.now(), row.frameMs);
      const stored = this.#o.cache?.read(row.symbol, row.frameMs, from, to) ?? [];
      const brought = await this.#around(row, from, to, stored);
      if (brought === null) return failing();
      const { candles } = brought;
      if (isWhole) Object.assign(row, { candles: [], from, end: from });
      this.#put(row, candles, this.#endOf(row, candles, brought.to));
      this.#write(row, candles, from, stored);
      row.failures = 0;
      const isMore = isWhole || row.end > from;
      row.notBefore = isMore ? Number.NEGATIVE_INFINITY : clock.monotonic() + RETRY_MS;
    } catch {
      failing();
    }
  }

  /**
   * Returns the stored candles, and those of the exchange before, between and after them; null: a question
   * failed.
   */
  async #around(row: Row, from: number, to: number, stored: readonly Unbroken[]): Promise<Brought | null> {
    const candles: Candle[] = [];
    let next = from;
    for (const part of [...stored, []]) {
      const end = part[0]?.time ?? to;
      const asked = await this.#pages(row, next, end);
      if (asked === null) return null;
      candles.push(...asked.candles);
      // The rest is another question: stored candles behind it would leave a hole.
      if (asked.to < end) return { candles, to: asked.to };
      candles.push(...part);
      next = (part.at(-1)?.time ?? to) + row.frameMs;
    }
    return { candles, to };
  }

  /**
   * Stores the exchange's new candles from `from` on; minutes that were filled in here are asked for again.
   */
  #write(
    { symbol, frameMs }: Row,
    candles: readonly Candle[],
    from: number,
    stored: readonly Unbroken[],
  ): void {
    const known = new Set(stored.flat().map(({ time }) => time));
    const fresh = candles.filter(({ time }) => time >= from && !known.has(time));
    if (fresh.length > 0) this.#o.cache?.write(symbol, frameMs, fresh);
  }

  async #pages(row: Row, from: number, to: number): Promise<Brought | null> {
    const { symbol, frameMs } = row;
    const candles: Candle[] = [];
    let next = from;
    for (let page = 0; next < to; page++) {
      if (page === PAGES_MAX) return { candles, to: next };
      const answer = await this.#o.data.candles({
        symbol,
        frameMs,
        from: next,
        to,
        ...(row.isPatient ? { isPatient: true } : {}),
      });
      if (answer === null) return null;
      const fresh = answer.filter(({ time }) => time >= next && time < to && time % frameMs === 0);
      const last = fresh.at(-1);
      if (!last) break;
      for (const candle of fresh) if (candle.time > (candles.at(-1)?.time ?? -1)) candles.push(candle);
      next = last.time + frameMs;
    }
    return { candles, to };
  }

  /** Returns how far an answer goes: missing periods at its end had no trades only if they are long over. */
  #endOf({ frameMs }: Row, candles: readonly Candle[], to: number): number {
    const last = candles.at(-1);
    const told = last ? last.time + frameMs : Number.NEGATIVE_INFINITY;
    const over = frameStart(this.#o.data.now() - QUIET_AFTER_MS, frameMs);
    return Math.max(told, Math.min(to, over));
  }

  #put(row: Row, candles: readonly Candle[], end: number): void {
    const start = row.end;
    if (end <= start) return;
    const before = row.candles.at(-1)?.close ?? null;
    const filled = fillFlat([...candles], row.frameMs, { start, end }, () => before);
    row.candles.push(...filled);
    row.end = end;
    const excess = row.candles.length - KEPT_MAX;
    if (excess > 0) {
      row.candles.splice(0, excess);
      row.from = row.candles[0]?.time ?? row.from;
      row.wanted = Math.max(row.wanted, row.from);
    }
  }
}

function keyOf(symbol: string, frameMs: number): string {
  return `${frameMs} ${symbol}`;
}
