/**
 * Reads the PnL book of a range from the store, slice by slice, so that the desk goes on meanwhile: each
 * wallet is read from its first row on, since what was sold may have been bought long before. Holds pages,
 * never a whole history.
 */
import { OWNER } from '../../domain/actor.ts';
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { OrderRecord } from '../../domain/order.ts';
import { type ClosedTrade, riskMultiple } from '../../engine/pnl/closed-trade.ts';
import { PNL_DAYS_MAX, PnlBook } from '../../engine/pnl/pnl-book.ts';
import { WalletBook } from '../../engine/pnl/wallet-book.ts';
import { signedAmount } from '../../engine/positions.ts';
import type { WalletMemory } from '../../engine/wallet.ts';
import type { Store } from '../../store/store.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { MarketHistory } from '../market/market-history.ts';
import { Periods } from './periods.ts';
import { PNL_POINTS_MAX, type PnlQuery, type PnlTrade, type PnlView } from './pnl-methods.ts';
import { END_OF_TIME, PnlPrices } from './pnl-prices.ts';
import { rangeOf } from './pnl-range.ts';
import { type WalletRow, WalletRows } from './wallet-rows.ts';

/** Rows that are processed before the desk goes on. */
const SLICE = 500;
/** Most rows of all wallets that one book reads; later ones are left out, and the answer says so. */
export const PNL_ROWS_READ_MAX = 3_000_000;
/** Most closed trades of an answer. */
const TRADES_MAX = 500;
/** Most stops of a symbol that are checked for one trade. */
const STOPS_MAX = 50;
const USUAL_POINTS = 100;

export interface PnlDesk {
  readonly core: Pick<DeskCore, 'turn' | 'engine' | 'bots'>;
  readonly store: Store;
  readonly history: Pick<MarketHistory, 'candles'>;
  readonly marketTime: () => number;
  readonly timeZone: string;
  /** Lets the desk go on. */
  readonly pause: () => Promise<void>;
}

/**
 * @param traded is called with all closed trades of the range, some at a time, roughly in the order in which
 * they closed
 */
export async function readPnl(
  o: PnlDesk,
  asked: PnlQuery,
  traded: (trades: readonly PnlTrade[]) => Promise<void> = async () => {},
): Promise<Outcome<PnlView>> {
  const periods = new Periods(o.timeZone);
  const range = rangeOf(asked, periods, o.marketTime());
  if (!range.ok) return range;
  const { by, exchange, points } = asked;
  const q: PnlQuery = {
    by,
    ...range.data,
    ...(exchange === undefined ? {} : { exchange }),
    ...(points === undefined ? {} : { points }),
  };
  const { engine, turn } = o.core;
  const notes: string[] = [];
  const wallets = walletsOf(o, q.exchange);
  if (wallets.length === 0)
    return refuse('INVALID_REQUEST', `there is no account ${q.exchange ?? ''}`.trimEnd(), 'EXCHANGE');
  const sources = await turn.read(() =>
    wallets.flatMap((wallet) => {
      const accounts = wallet.accounts.map(({ account }) => account.id);
      if (wallet.ledger?.place?.opened)
        return {
          wallet,
          rows: new WalletRows({ store: o.store, user: OWNER, wallet: wallet.name, accounts }),
        };
      notes.push(`${wallet.name}: what it had at first is not known yet, so it is left out`);
      return [];
    }),
  );
  const begins = sources.map(({ rows }) => rows.firstAt()).filter((time) => time !== null);
  const now = o.marketTime();
  const from = q.from ?? Math.min(now, ...begins);
  const until = q.to ?? Math.max(now, from + 1);
  const samples = samplesOf(q, periods, from, until);
  if (!samples)
    return refuse('INVALID_REQUEST', `the range has more than ${PNL_DAYS_MAX} days; choose a shorter one`);
  const to = q.to ?? END_OF_TIME;
  if (q.to === undefined) samples[samples.length - 1] = END_OF_TIME;
  const closed: ClosedTrade[] = [];
  const tags = new Map([...(o.core.bots?.book.of(OWNER) ?? [])].map(({ id, tag }) => [id, tag]));
  const book = new PnlBook({
    from,
    to,
    by: q.by,
    samples,
    unitOf: (unit, time) => periods.name(unit, Math.min(time, until - 1)),
    tagOf: (bot) => tags.get(bot) ?? null,
    traded: (trade) => closed.push(trade),
  });
  const told = async () => {
    if (closed.length > 0)
      await traded(await turn.read(() => closed.splice(0).map((trade) => viewOf(o, trade))));
  };
  const prices = new PnlPrices(o.history);
  const unpriced = new Set<string>();
  const differences: PnlView['differences'][number][] = [];
  let left = PNL_ROWS_READ_MAX;
  for (const { wallet, rows } of sources) {
    const fold = new WalletBook({
      wallet: wallet.name,
      accounts: wallet.accounts.map(({ account, instruments }) => ({
        id: account.id,
        kind: account.kind,
        instruments,
      })),
      prices: prices.of(wallet.accounts),
      samples,
      sink: book,
    });
    const openedAt = rows.firstAt() ?? from;
    for (const record of rows.openings) fold.ledger(record, openedAt);
    for (let more = true; more; ) {
      more = await turn.read(() => {
        for (let n = 0; n < SLICE; n++) {
          const row = left > 0 ? rows.next() : null;
          if (row === null || timeOf(row) >= to) {
            fold.finish();
            // In the same turn: nothing has moved since.
            const current = engine === o.core.engine && row === null && left > 0 && q.to === undefined;
            if (current) differences.push(...differencesOf(wallet, fold));
            return false;
          }
          left -= 1;
          if ('record' in row) fold.ledger(row.record);
          else fold.fill({ ...row.fill.fill, bot: row.fill.creator === 'BOT' ? row.fill.creatorId : null });
        }
        return true;
      });
      await told();
      if (more) await o.pause();
    }
    for (const asset of fold.unpriced()) unpriced.add(asset);
    if (fold.skipped > 0)
      notes.push(`${wallet.name}: ${fold.skipped} rows are of symbols that are not known any more`);
  }
  if (left <= 0) notes.push(`there are more than ${PNL_ROWS_READ_MAX} rows: those after them are left out`);
  const trades = await turn.read(() =>
    book
      .trades()
      .slice(0, TRADES_MAX)
      .map((trade) => viewOf(o, trade)),
  );
  return ok({
    from,
    to: until,
    by: q.by,
    timeZone: o.timeZone,
    rows: book.rows(),
    total: book.total(),
    stats: book.stats(),
    trades,
    curve: curveOf(book, q, from, until),
    unpriced: [...unpriced],
    differences,
    notes,
  });
}

function walletsOf({ core }: PnlDesk, exchange: string | undefined): WalletMemory[] {
  const own = core.engine.memory.accountsOf(OWNER);
  const asked = own.filter(({ account }) => exchange === undefined || account.id === exchange);
  return [...new Set(asked.map(({ wallet }) => wallet))];
}

function timeOf(row: WalletRow): number {
  return 'record' in row ? row.record.time : row.fill.fill.time;
}

function curveTimes({ points = USUAL_POINTS }: PnlQuery, from: number, to: number): number[] {
  const parts = Math.min(Math.max(1, Math.trunc(points)), PNL_POINTS_MAX) + 1;
  const times = Array.from({ length: parts - 1 }, (_, n) =>
    Math.round(from + ((to - from) * (n + 1)) / parts),
  );
  return times.filter((time) => time > from && time < to);
}

/** Returns the times of the samples, ascending, with both ends; null: too many days. */
function samplesOf(q: PnlQuery, periods: Periods, from: number, to: number): number[] | null {
  const { by } = q;
  const starts = by === 'day' || by === 'week' || by === 'month' ? periods.starts(by, from, to) : [];
  return starts && [...new Set([from, ...starts, ...curveTimes(q, from, to), to])].sort((a, b) => a - b);
}

/** Returns the points of the curve, without those that only the groups needed. */
function curveOf(book: PnlBook, q: PnlQuery, from: number, to: number): PnlView['curve'] {
  const wanted = new Set([from, ...curveTimes(q, from, to)]);
  const curve = book.curve();
  return curve.flatMap((point, n) => {
    if (n === curve.length - 1) return [{ ...point, time: to }];
    return wanted.has(point.time) ? [point] : [];
  });
}

/** Returns what balances and positions hold beyond what the rows explain. */
function differencesOf(wallet: WalletMemory, fold: WalletBook): PnlView['differences'][number][] {
  const made = fold.balances();
  const found: PnlView['differences'][number][] = [];
  const note = (what: string, amount: Dec) => {
    if (amount !== ZERO) found.push({ wallet: wallet.name, what, amount: str(amount) });
  };
  for (const asset of new Set([...wallet.balances.keys(), ...made.keys()])) {
    const { free, locked } = wallet.balances.get(asset) ?? { free: ZERO, locked: ZERO };
    note(asset, free + locked - (made.get(asset) ?? ZERO));
  }
  const sizes = fold.positions();
  for (const { account, futures } of wallet.accounts) {
    for (const [key, position] of futures?.positions ?? []) {
      const name = `${account.id} ${key}`;
      note(name, signedAmount(position) - (sizes.get(name) ?? ZERO));
      sizes.delete(name);
    }
  }
  for (const [name, size] of sizes) note(name, -size);
  return found;
}

function viewOf({ store }: PnlDesk, trade: ClosedTrade): PnlTrade {
  const { account, symbol, kind, side, openedAt, closedAt, bot } = trade;
  const stop = stopOf(store, trade);
  const r = stop === null ? null : riskMultiple(trade, stop);
  return {
    account,
    symbol,
    kind,
    side,
    openedAt,
    closedAt,
    bot,
    qty: str(trade.qty),
    entry: str(trade.entry),
    exit: str(trade.exit),
    realised: str(trade.realised),
    fees: str(trade.fees),
    funding: str(trade.funding),
    net: str(trade.net),
    stop: r === null ? null : str(stop as Dec),
    r: r === null ? null : str(r),
  };
}

/**
 * Returns the stop price of the first order that would have closed the trade at a loss; null: there was none.
 */
function stopOf(store: Store, trade: ClosedTrade): Dec | null {
  const { account, symbol, openedAt, closedAt } = trade;
  const asked = { user: OWNER, exchange: account, symbol, from: openedAt, to: closedAt, limit: STOPS_MAX };
  const isStop = ({ type, side, positionSide, stopPrice }: OrderRecord) =>
    (type === 'STOP_MARKET' || type === 'STOP_LIMIT') &&
    side === (trade.side === 'LONG' ? 'SELL' : 'BUY') &&
    (trade.kind === 'spot' || positionSide === trade.posSide) &&
    stopPrice !== undefined &&
    riskMultiple(trade, dec(stopPrice)) !== null;
  const first = store.stopsPlaced(asked).find(isStop);
  return first?.stopPrice === undefined ? null : dec(first.stopPrice);
}
