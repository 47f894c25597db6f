/**
 * The history of accounts, oldest first and from any position on: for books that read all of it. Reads only.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LedgerRecord } from '../../domain/ledger.ts';
import type { FillRecord, OrderRecord } from '../../domain/order.ts';
import type { HistoryStore, StoredFill, StoredLedgerRow } from '../store.ts';

/** Most rows of a page, whatever was requested. */
const MAX_PAGE = 5_000;
/** Earlier than any time. */
const BEGIN = -1;

const SQL = {
  fills: `SELECT f.seq, f.doc, o.doc ->> '$.creator' AS creator, o.doc ->> '$.creatorId' AS creatorId
    FROM fills f INDEXED BY fills_account LEFT JOIN orders o ON o.id = f.order_id
    WHERE f.user = ?1 AND f.exchange = ?2 AND (f.time, f.seq) > (?3, ?4) ORDER BY f.time, f.seq LIMIT ?5`,
  ledger: `SELECT doc, coalesce(fills, 0) AS fills FROM ledger INDEXED BY ledger_time
    WHERE user = ?1 AND exchange = ?2 AND (time, id) > (?3, ?4) ORDER BY time, id LIMIT ?5`,
  // Row ids as the engine makes them; a character after the blank ends the range.
  openings: `SELECT id, doc, coalesce(fills, 0) AS fills FROM ledger WHERE exchange = ?2 AND id >= 'desk opening ' AND id < 'desk opening!' AND user = ?1
    UNION ALL SELECT id, doc, coalesce(fills, 0) FROM ledger WHERE exchange = ?2 AND id >= 'desk position ' AND id < 'desk position!' AND user = ?1
    ORDER BY id LIMIT ${MAX_PAGE}`,
  stops: `SELECT doc FROM orders INDEXED BY orders_stops
    WHERE user = ?1 AND exchange = ?2 AND symbol = ?3 AND order_time BETWEEN ?4 AND ?5 AND instr(doc, '"stopPrice"') > 0 AND (doc ->> '$.stopPrice') IS NOT NULL
    ORDER BY order_time LIMIT ?6`,
} as const;

type Query<M extends keyof HistoryStore> = Parameters<HistoryStore[M]>[0];

export class HistoryReader {
  readonly #db: DatabaseSync;
  /** Statements prepared on first use: a start needs none of them. */
  readonly #prepared = new Map<keyof typeof SQL, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  fillsFrom({ user, exchange, after, limit }: Query<'fillsFrom'>): StoredFill[] {
    const { time, seq } = after ?? { time: BEGIN, seq: 0 };
    const rows = this.#statement('fills').all(
      user,
      exchange,
      time,
      seq,
      pageSize(limit),
    ) as unknown as FillColumns[];
    return rows.map(({ seq: place, doc, creator, creatorId }) => ({
      fill: JSON.parse(doc) as FillRecord,
      seq: place,
      creator,
      creatorId,
    }));
  }

  ledgerFrom({ user, exchange, after, limit }: Query<'ledgerFrom'>): StoredLedgerRow[] {
    const { time, id } = after ?? { time: BEGIN, id: '' };
    const rows = this.#statement('ledger').all(
      user,
      exchange,
      time,
      id,
      pageSize(limit),
    ) as unknown as LedgerColumns[];
    return rows.map(({ doc, fills }) => ({ record: JSON.parse(doc) as LedgerRecord, fills }));
  }

  openings({ user, exchange }: Query<'openings'>): StoredLedgerRow[] {
    const rows = this.#statement('openings').all(user, exchange) as unknown as LedgerColumns[];
    return rows.map(({ doc, fills }) => ({ record: JSON.parse(doc) as LedgerRecord, fills }));
  }

  stopsPlaced({ user, exchange, symbol, from, to, limit }: Query<'stopsPlaced'>): OrderRecord[] {
    const args = [user, exchange, symbol, from, to, pageSize(limit)] as const;
    const rows = this.#statement('stops').all(...args) as unknown as Pick<LedgerColumns, 'doc'>[];
    return rows.map(({ doc }) => JSON.parse(doc) as OrderRecord);
  }

  #statement(name: keyof typeof SQL): StatementSync {
    const known = this.#prepared.get(name);
    if (known) return known;
    const made = this.#db.prepare(SQL[name]);
    this.#prepared.set(name, made);
    return made;
  }
}

interface FillColumns {
  readonly seq: number;
  readonly doc: string;
  readonly creator: StoredFill['creator'];
  readonly creatorId: string | null;
}

interface LedgerColumns {
  readonly doc: string;
  readonly fills: number;
}

function pageSize(limit: number): number {
  return Math.min(Math.max(1, Math.trunc(limit)), MAX_PAGE);
}
