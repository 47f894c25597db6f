/**
 * Executions of an account by symbol, from where they are known (OD Transaction details): three days by the quick list, three months by
 * the other. Rows name their orders by number alone: which of our orders each is of is found out here.
 */
import type { ExchangeFill } from '../../domain/exchange.ts';
import type { FillsPage, FillsQuery } from '../venue.ts';
import { idOfWire } from './client-ids.ts';
import type { Listed, Listing } from './instruments.ts';
import { type FillRow, readFills } from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import type { OrderQuestions } from './order-questions.ts';
import { fillOfRow } from './order-states.ts';
import { PAGE, type Questions } from './questions.ts';
import { readOn } from './reading-place.ts';
import { OKX } from './requests.ts';

/** Of the quick list, with a margin, ms. */
const RECENT_MS = 70 * 3_600_000;
/** Executions of one page. */
const LIMIT = 1_000;
/** Conversions and the like, which are no orders: the ledger tells of them (`subType`: easy convert, system conversion). */
const NO_ORDERS: ReadonlySet<string> = new Set(['118', '119', '236', '237']);

export interface FillsOptions {
  readonly questions: Questions;
  readonly orders: OrderQuestions;
  readonly names: OrderNamesKept;
  readonly listed: Listed;
  /** The exchange's time now, Unix ms. */
  readonly now: () => number;
}

export class Fills {
  readonly #o: FillsOptions;

  constructor(options: FillsOptions) {
    this.#o = options;
  }

  async page({ symbol, after, since }: FillsQuery): Promise<FillsPage | null> {
    const { questions, listed, now } = this.#o;
    const listing = listed.of(symbol);
    if (!listing) return null;
    const of = { instId: listing.instId, limit: String(PAGE) };
    const read = await readOn<FillRow>({
      after,
      since,
      limit: LIMIT,
      now: now(),
      recentMs: RECENT_MS,
      ask: ({ isRecent, begin, end, after: last }) =>
        questions.rows(
          isRecent ? OKX.fills : OKX.fillsHistory,
          { ...of, begin, end, ...(last === null ? {} : { after: last }) },
          readFills,
        ),
    });
    if (!read) return null;
    const fills = await this.#named(
      listing,
      read.rows.filter(({ subType = '' }) => !NO_ORDERS.has(subType)),
    );
    return fills && { ...read, fills };
  }

  /** With the ids of their orders; null: a question failed. */
  async #named(listing: Listing, rows: readonly FillRow[]): Promise<ExchangeFill[] | null> {
    const { names } = this.#o;
    const fills: ExchangeFill[] = [];
    for (const row of rows) {
      const clientId = names.clientId(row.ordId) ?? (await this.#ask(listing, row));
      if (clientId === null) return null;
      fills.push(fillOfRow(row, listing, clientId));
    }
    return fills;
  }

  /** A trigger may have made its order, which goes by another id then than its own; null: it could not be asked. */
  async #ask(listing: Listing, { ordId, clOrdId = '' }: FillRow): Promise<string | null> {
    const own = idOfWire(clOrdId);
    if (own !== clOrdId) return own;
    const asked = await this.#o.orders.order(listing, { ordId });
    if (asked.kind === 'failed') return null;
    // What is not known there any more stays as its executions call it.
    const state = asked.kind === 'found' ? this.#o.orders.stateOf(asked.value) : null;
    const clientId = state?.clientId ?? clOrdId;
    this.#o.names.heard(ordId, clientId);
    return clientId;
  }
}
