/**
 * Fills of an account by symbol, from a cursor on (OD Transaction details): three days by the quick list,
 * three months by the other. Rows name their orders only by number: our id of each order is found here.
 */
import type { ExchangeFill } from '../../domain/exchange.ts';
import type { FillsPage, FillsQuery } from '../venue.ts';
import { idOfWire } from './client-ids.ts';
import { readOn } from './cursor-reader.ts';
import type { Listed, Listing } from './instruments.ts';
import { type FillRow, readFills } from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import type { OrderQuestions } from './order-questions.ts';
import { fillOfRow } from './order-states.ts';
import { PAGE, type Questions } from './questions.ts';
import { OKX } from './requests.ts';

/** How far back the quick list goes, with a margin, ms. */
const RECENT_MS = 70 * 3_600_000;
/** Most executions in one page. */
const LIMIT = 1_000;
/**
 * Conversions and similar rows without an order: the ledger reports them (`subType`: easy convert, system
 * conversion).
 */
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

  /** Returns the fills with our ids of their orders; null: a request failed. */
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

  /**
   * Asks for the id of an execution's order: one made by a trigger goes by the conditional order's id. Null:
   * it could not be asked.
   */
  async #ask(listing: Listing, { ordId, clOrdId = '' }: FillRow): Promise<string | null> {
    const own = idOfWire(clOrdId);
    if (own !== clOrdId) return own;
    const asked = await this.#o.orders.order(listing, { ordId });
    if (asked.kind === 'failed') return null;
    // An order that the exchange does not know any more keeps the id in its executions.
    const state = asked.kind === 'found' ? this.#o.orders.stateOf(asked.value) : null;
    const clientId = state?.clientId ?? clOrdId;
    this.#o.names.heard(ordId, clientId);
    return clientId;
  }
}
