/**
 * Trades of one symbol on a real account (S64): its exchange is asked for one page of what the store does not
 * know yet, then the store answers. Executions from before the account was connected are returned but not
 * stored: they do not belong to its sums.
 */
import type { Clock } from '../../domain/clock.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { type ExchangeFill, namesOf } from '../../domain/exchange.ts';
import type { FillRecord } from '../../domain/order.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import { idOfForeign } from '../../engine/wire-ids.ts';
import type { Store } from '../../store/store.ts';
import type { FillsPage } from '../../venues/venue.ts';
import { atMost } from './at-most.ts';
import type { FillsReader } from './fills-reader.ts';

/** How long a read waits for its exchange, ms; after that it answers from the store's rows alone. */
export const TRADES_WAIT_MS = 2_000;
/**
 * How many symbols of one account are asked about for reads at the same time; others are answered from the
 * store.
 */
export const TRADES_AT_ONCE = 4;

export type TradesQuery = Omit<Parameters<Store['trades']>[0], 'user'>;

/** What an exchange has reported from before the account was connected. */
export interface PastFills {
  readonly fills: readonly ExchangeFill[];
  /** `fills` holds everything up to this time, Unix ms; Infinity: it holds everything. */
  readonly until: number;
}

const NOTHING: PastFills = { fills: [], until: Number.POSITIVE_INFINITY };

export interface TradesReaderOptions {
  readonly clock: Clock;
  readonly fills: Pick<FillsReader, 'page' | 'since'>;
  /** Null: the question failed. */
  readonly ask: (q: { symbol: string; after: null; since: number }) => Promise<FillsPage | null>;
  readonly isUp: () => boolean;
}

/** Asks one exchange account on behalf of reads: bounded in time and number, each symbol once at a time. */
export class TradesReader {
  readonly #o: TradesReaderOptions;
  readonly #asking = new Map<string, Promise<PastFills>>();

  constructor(options: TradesReaderOptions) {
    this.#o = options;
  }

  /** Whether the account has ever been connected, now or in an earlier life of the desk. */
  get wasRead(): boolean {
    return this.#o.fills.since !== null;
  }

  /**
   * Asks the exchange for executions that the store lacks. Never rejects: what could not be asked is left
   * out.
   */
  async bring({ symbol, startTime }: Pick<TradesQuery, 'symbol' | 'startTime'>): Promise<PastFills> {
    if (!this.#o.isUp() || !this.wasRead) return NOTHING;
    const key = `${startTime ?? ''} ${symbol}`;
    let asked = this.#asking.get(key);
    if (!asked) {
      if (this.#asking.size >= TRADES_AT_ONCE) return NOTHING;
      asked = this.#ask(symbol, startTime).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asked);
    }
    let told = NOTHING;
    const heard = asked.then((past) => {
      told = past;
    });
    await atMost(this.#o.clock, TRADES_WAIT_MS, heard);
    return told;
  }

  async #ask(symbol: string, startTime: number | undefined): Promise<PastFills> {
    const { fills, ask } = this.#o;
    await fills.page(symbol);
    const since = fills.since ?? 0;
    if (startTime === undefined || startTime >= since) return NOTHING;
    const page = await ask({ symbol, after: null, since: startTime });
    if (!page) return NOTHING;
    const last = page.fills.at(-1)?.time;
    return {
      fills: page.fills.filter(({ time }) => time < since),
      until: page.more && last !== undefined && last < since ? last : Number.POSITIVE_INFINITY,
    };
  }
}

export interface TradesGiven {
  /** Null: nobody else trades the account, so the store knows all. */
  readonly reader: TradesReader | null;
  readonly memory: EngineMemory;
  readonly store: Pick<Store, 'trades'>;
  /** Runs a read after the commit of the turn that it is asked in. */
  readonly read: <T>(run: () => T) => Promise<T>;
}

/** Ascending by time: with startTime the first `limit` from there, else the last `limit` (S37). */
export async function accountTrades(
  { reader, memory, store, read }: TradesGiven,
  user: string,
  q: TradesQuery,
): Promise<Outcome<FillRecord[]>> {
  if (!reader) return ok(await read(() => store.trades({ user, ...q })));
  const past = await reader.bring(q);
  if (!reader.wasRead) return refuse('SERVICE_UNAVAILABLE', `${q.exchange} has not been read yet; try again`);
  const stored = await read(() => store.trades({ user, ...q }));
  const { startTime = Number.POSITIVE_INFINITY, endTime = Number.POSITIVE_INFINITY, limit } = q;
  const older = past.fills
    .filter(({ time }) => time >= startTime && time <= endTime)
    .map((fill) => recordOf(memory, user, q.exchange, fill));
  const known = new Set(older.map(keyOf));
  const all = [...older, ...stored.filter((fill) => !known.has(keyOf(fill)))].sort((a, b) => a.time - b.time);
  // Nothing is known between the end of a page and the store's first row, so nothing after the page is
  // returned.
  return ok(all.filter(({ time }) => time <= past.until).slice(0, older.length > 0 ? limit : undefined));
}

function keyOf({ tradeId, orderId }: FillRecord): string {
  return `${tradeId} ${orderId}`;
}

function recordOf(memory: EngineMemory, user: string, exchange: string, fill: ExchangeFill): FillRecord {
  const {
    clientId,
    venueId,
    symbol,
    side,
    price,
    qty,
    comm,
    commAsset,
    maker,
    rPnl,
    posSide,
    time,
    tradeId,
  } = fill;
  const names = [clientId, ...(venueId === undefined ? [] : [venueId])].filter((name) => name !== '');
  const known = names
    .map((name) => memory.wireIds.orderId(exchange, name, symbol))
    .find((id) => id !== undefined);
  const orderId = known ?? idOfForeign(exchange, namesOf(fill), 0, () => false);
  return {
    exchange,
    tradeId,
    orderId,
    user,
    symbol,
    side,
    price,
    qty,
    comm,
    commAsset,
    maker,
    rPnl,
    posSide,
    time,
  };
}
