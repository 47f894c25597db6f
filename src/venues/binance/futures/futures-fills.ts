/**
 * Fills of a USD-M futures account by symbol, from a cursor on. The list goes back three months, seven days a
 * request, and names orders only by the exchange's numbers: our id of each order is found here.
 */
import type { ExchangeFill } from '../../../domain/exchange.ts';
import type { FillsPage, FillsQuery } from '../../venue.ts';
import { type FuturesTrade, readOrders, readTrades } from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import { figure } from './order-states.ts';
import type { Questions } from './questions.ts';
import { FUTURES } from './requests.ts';

const DAY_MS = 24 * 3_600_000;
/** Longest time range of one request. */
const WINDOW_MS = 7 * DAY_MS - 1;
/** The exchange does not list older fills (change log 2026-08-26). */
const OLDEST_MS = 89 * DAY_MS;
const ROWS = 1_000;
/** A replica may list a trade this long after it was made. */
const LATE_MS = 60_000;
/** Most order requests for the fills of one page. */
const ORDER_PAGES = 5;

export interface FuturesFillsOptions {
  readonly questions: Questions;
  readonly names: OrderNamesKept;
  /** The exchange's time now, Unix ms. */
  readonly now: () => number;
  /** Finds out which orders of a symbol were made by triggers. */
  readonly learn: (symbol: string) => Promise<boolean>;
}

/** The cursor of a symbol: after a trade, or at a time. */
interface Cursor {
  readonly id: string | null;
  readonly time: number;
}

export class FuturesFills {
  readonly #o: FuturesFillsOptions;

  constructor(options: FuturesFillsOptions) {
    this.#o = options;
  }

  async page({ symbol, after, since }: FillsQuery): Promise<FillsPage | null> {
    const { questions, now } = this.#o;
    const today = now();
    const place = cursorOf(after) ?? { id: null, time: since };
    const oldest = today - OLDEST_MS;
    // Reads on by trade number while a request without times certainly covers it, else by time.
    const byId = place.id !== null && place.time > today - WINDOW_MS + DAY_MS;
    const start = Math.max(place.time, oldest);
    const end = start + WINDOW_MS;
    const trades = await questions.value(
      FUTURES.trades,
      byId
        ? { symbol, fromId: place.id ?? '', limit: String(ROWS) }
        : { symbol, startTime: String(start), endTime: String(end), limit: String(ROWS) },
      readTrades,
    );
    if (!trades) return null;
    const all = trades.toSorted((a, b) => a.time - b.time || Number(BigInt(a.id) - BigInt(b.id)));
    const fresh = all.filter(({ id }) => place.id === null || BigInt(id) > BigInt(place.id));
    const isFull = all.length >= ROWS;
    const isPast = !byId && end < today;
    const last = fresh.at(-1);
    // A full page of known fills gives no way on.
    if (isFull && !last) return null;
    const fills = await this.#named(symbol, fresh);
    if (!fills) return null;
    let next = place;
    if (last) next = { id: String(last.id), time: last.time };
    // The last moments up to now are not final, since a replica may lag.
    else if (isPast) next = { ...place, time: Math.min(end + 1, today - LATE_MS) };
    // The cursor moves seldom: each move is stored.
    else if (!byId && today - start > DAY_MS) next = { ...place, time: today - LATE_MS };
    return { fills, next: textOf(next), more: isFull || isPast };
  }

  /** Returns the fills with our ids of their orders; null: a request failed. */
  async #named(symbol: string, trades: readonly FuturesTrade[]): Promise<ExchangeFill[] | null> {
    const { names, learn } = this.#o;
    const orders = [...new Set(trades.map(({ orderId }) => String(orderId)))];
    const isKnown = (id: string) => names.known(symbol, id) !== null;
    let strange = orders.filter((id) => !isKnown(id)).sort(byNumber);
    if (strange.length > 0) {
      if (!(await learn(symbol))) return null;
      strange = strange.filter((id) => !isKnown(id));
      for (let pages = 0; strange.length > 0 && pages < ORDER_PAGES; pages++) {
        const [first = ''] = strange;
        const found = await this.#o.questions.value(
          FUTURES.allOrders,
          { symbol, orderId: first, limit: String(ROWS) },
          readOrders,
        );
        if (!found) return null;
        for (const order of found) names.order(symbol, String(order.orderId), order.clientOrderId);
        const before = strange.length;
        strange = strange.filter((id) => !isKnown(id));
        // Orders that the exchange does not know any more stay without our id.
        if (strange.length === before) strange = strange.slice(1);
      }
    }
    return trades.map((trade) =>
      fillOfTrade(trade, names.known(symbol, String(trade.orderId))?.clientId ?? ''),
    );
  }
}

export function fillOfTrade(trade: FuturesTrade, clientId: string): ExchangeFill {
  const { symbol, side, positionSide = 'BOTH', price, qty, commission, commissionAsset, maker, time } = trade;
  return {
    tradeId: String(trade.id),
    clientId,
    venueId: String(trade.orderId),
    symbol,
    side,
    price: figure(price),
    qty: figure(qty),
    comm: figure(commission),
    commAsset: commissionAsset,
    maker,
    rPnl: trade.realizedPnl === undefined ? null : figure(trade.realizedPnl),
    posSide: positionSide,
    time,
  };
}

/** Reads a cursor: `id@time`, or `@time`. */
function cursorOf(after: string | null): Cursor | null {
  const match = /^(\d{0,25})@(\d{1,16})$/.exec(after ?? '');
  if (!match) return null;
  const [, id = '', time = '0'] = match;
  return { id: id === '' ? null : id, time: Number(time) };
}

function textOf({ id, time }: Cursor): string {
  return `${id ?? ''}@${time}`;
}

function byNumber(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
