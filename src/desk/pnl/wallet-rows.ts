/**
 * The rows of one wallet in the order of their times: its ledger and the fills of its accounts, a page of
 * each at a time. Rows of one moment come in the order in which they were stored, with one exception: trades
 * of one symbol come in the order of their ids where an exchange numbers them. A trade reported late may have
 * been made before one reported at once, and a position that is reversed between the two has another cost. A
 * position of the opening comes at the time that its exchange gives for it; fills stored before it decide
 * only among executions of that same moment. Synchronous: the caller decides when the desk goes on.
 */
import type { LedgerRecord } from '../../domain/ledger.ts';
import type { HistoryStore, StoredFill, StoredLedgerRow } from '../../store/store.ts';

/** Rows that are read at a time, of each account and of the ledger. */
export const PNL_PAGE = 500;

export type WalletRow = { readonly fill: StoredFill } | { readonly record: LedgerRecord };

interface Source<Row> {
  rows: Row[];
  at: number;
  /** Nothing more was there at the last read. */
  dry: boolean;
  /** Returns the page after the last row. */
  read(last: Row | null): readonly Row[];
}

export interface WalletRowsOptions {
  readonly store: HistoryStore;
  readonly user: string;
  readonly wallet: string;
  /** Ids of the wallet's accounts. */
  readonly accounts: readonly string[];
}

export class WalletRows {
  readonly #ledger: Source<StoredLedgerRow>;
  readonly #fills: readonly Source<StoredFill>[];
  /** Balances at the opening, as of the first row of the wallet. */
  readonly openings: readonly LedgerRecord[];
  /** Positions of the opening that have a time of their own, the earliest first, until they are returned. */
  readonly #placed: Placed[];
  /** Time of the first row; null: not read yet, or there was no row. */
  #first: number | null = null;

  constructor({ store, user, wallet, accounts }: WalletRowsOptions) {
    const found = store.openings({ user, exchange: wallet });
    this.openings = found.flatMap(({ record }) => (record.kind === 'opening' ? [record] : []));
    this.#placed = found
      .flatMap(({ record, fills }) => (isPlaced(record) ? [{ record, fills, isLastKnown: false }] : []))
      .sort((a, b) => a.record.asOf - b.record.asOf);
    let after: { readonly time: number; readonly id: string } | null = null;
    this.#ledger = source(() => {
      const read = store.ledgerFrom({ user, exchange: wallet, limit: PNL_PAGE, after });
      const page = wholeMoments(read, ({ record }) => record.time);
      const last = page.at(-1)?.record;
      if (last) after = { time: last.time, id: last.id };
      // Ids of ledger rows do not show the order in which they were stored.
      return page.toSorted((a, b) => a.record.time - b.record.time || a.fills - b.fills);
    });
    this.#fills = accounts.map((exchange) =>
      source((last) => {
        const from = last && { time: last.fill.time, seq: last.seq };
        return asTraded(store.fillsFrom({ user, exchange, limit: PNL_PAGE, after: from }));
      }),
    );
  }

  /** Returns the time of the wallet's first row; null: it has none. */
  firstAt(): number | null {
    if (this.#first !== null) return this.#first;
    const times = [...this.#fills.map((fills) => peek(fills)?.fill.time), peek(this.#ledger)?.record.time];
    const known = times.filter((time) => time !== undefined);
    this.#first = known.length === 0 ? null : Math.min(...known);
    return this.#first;
  }

  /** Returns the next row, openings left out; null: there is none now. */
  next(): WalletRow | null {
    for (;;) {
      const row = this.#take();
      if (row !== null) return row;
      const sources = [this.#ledger, ...this.#fills];
      // An empty source may have got rows while others were read.
      if (sources.every(({ rows, at }) => rows.length === at) && !this.#refilled()) return null;
    }
  }

  #refilled(): boolean {
    let has = false;
    for (const each of [this.#ledger, ...this.#fills] as Source<unknown>[]) {
      each.dry = false;
      if (peek(each) !== undefined) has = true;
    }
    return has;
  }

  #take(): WalletRow | null {
    let first: Source<StoredFill> | null = null;
    for (const each of this.#fills) {
      const row = peek(each);
      const best = first && peek(first);
      if (row && (!best || isBefore(row, best))) first = each;
    }
    const fill = first && peek(first);
    const row = this.#ledgerRow();
    const placed = this.#place(fill, row);
    if (placed) return { record: placed };
    if (row && !(fill && goesFirst(fill, row))) {
      this.#ledger.at += 1;
      return { record: row.record };
    }
    if (!first || !fill) return null;
    first.at += 1;
    this.#mayBeLast(fill);
    return { fill };
  }

  /** Returns the next ledger row, without openings and positions that `#place` returns. */
  #ledgerRow(): StoredLedgerRow | undefined {
    for (;;) {
      const row = peek(this.#ledger);
      if (!row || !(row.record.kind === 'opening' || isPlaced(row.record))) return row;
      this.#ledger.at += 1;
    }
  }

  /**
   * Returns a position of the opening if it is next; one from before all rows gets the time of the first of
   * them.
   */
  #place(fill: StoredFill | null | undefined, row: StoredLedgerRow | undefined): LedgerRecord | null {
    for (const [n, placed] of this.#placed.entries()) {
      const { record } = placed;
      const time = Math.max(record.asOf, this.firstAt() ?? record.asOf);
      if ((fill && isInPosition(fill, placed)) || (row && row.record.time < time)) continue;
      this.#placed.splice(n, 1);
      return { ...record, time };
    }
    return null;
  }

  /** Notes for positions of the opening that an execution stored before them may be their last one. */
  #mayBeLast({ fill, seq }: StoredFill): void {
    for (const placed of this.#placed) {
      const { symbol, posSide, asOf } = placed.record;
      if (fill.time === asOf && fill.symbol === symbol && fill.posSide === posSide && seq <= placed.fills)
        placed.isLastKnown = true;
    }
  }
}

/** A position of the opening that was not returned yet. */
interface Placed {
  readonly record: PlacedRecord;
  /** `seq` of the last fill that was stored before the position. */
  readonly fills: number;
  /** An execution of the position's own moment was stored before the position. */
  isLastKnown: boolean;
}

type PlacedRecord = LedgerRecord & { readonly asOf: number };

function isPlaced(record: LedgerRecord): record is PlacedRecord {
  return record.kind === 'position' && record.asOf !== undefined;
}

/**
 * Whether an execution is already included in a position as it was reported. If its time is that of the
 * position's last change: when an execution of that moment was stored before the position, those stored later
 * came after it, since a market may stand still for long; otherwise the one that is reported late is its last
 * one.
 */
function isInPosition({ fill, seq }: StoredFill, { record, fills, isLastKnown }: Placed): boolean {
  if (fill.time !== record.asOf) return fill.time < record.asOf;
  return seq <= fills || !isLastKnown;
}

function source<Row>(read: (last: Row | null) => readonly Row[]): Source<Row> {
  return { rows: [], at: 0, dry: false, read };
}

function peek<Row>(from: Source<Row>): Row | undefined {
  if (from.at === from.rows.length && !from.dry) {
    const last = from.rows.at(-1) ?? null;
    const page = from.read(last);
    if (page.length === 0) from.dry = true;
    else {
      from.rows = [...page];
      from.at = 0;
    }
  }
  return from.rows[from.at];
}

function isBefore(a: StoredFill, b: StoredFill): boolean {
  return a.fill.time !== b.fill.time ? a.fill.time < b.fill.time : a.seq < b.seq;
}

/**
 * Whether a fill comes before a ledger row. A position without a time of its own includes every execution
 * stored before it, whatever time its market gave.
 */
function goesFirst({ fill, seq }: StoredFill, { record, fills }: StoredLedgerRow): boolean {
  if (record.kind === 'position' && seq <= fills) return true;
  return fill.time !== record.time ? fill.time < record.time : seq <= fills;
}

/**
 * Returns a page of fills with those of one symbol and moment in the order of their trade ids; each place
 * keeps its `seq`.
 */
function asTraded(page: readonly StoredFill[]): readonly StoredFill[] {
  const rows = [...wholeMoments(page, ({ fill }) => fill.time)];
  const places = new Map<string, number[]>();
  for (const [at, { fill }] of rows.entries()) {
    const key = `${fill.time} ${fill.symbol}`;
    const known = places.get(key);
    if (known) known.push(at);
    else places.set(key, [at]);
  }
  for (const group of places.values()) {
    if (group.length === 1) continue;
    const found = group.map((at) => rows[at] as StoredFill);
    if (!found.every(({ fill }) => COUNTED.test(fill.tradeId))) continue;
    const seqs = found.map(({ seq }) => seq);
    found.sort((a, b) => (BigInt(a.fill.tradeId) < BigInt(b.fill.tradeId) ? -1 : 1));
    for (const [n, at] of group.entries()) rows[at] = { ...(found[n] as StoredFill), seq: seqs[n] as number };
  }
  return rows;
}

const COUNTED = /^\d{1,30}$/;

/**
 * Returns a page without its last moment, of which the next page may have more, unless that moment is the
 * whole page.
 */
function wholeMoments<Row>(page: readonly Row[], timeOf: (row: Row) => number): readonly Row[] {
  const last = page.at(-1);
  if (last === undefined || page.length < PNL_PAGE) return page;
  const whole = page.filter((row) => timeOf(row) !== timeOf(last));
  return whole.length === 0 ? page : whole;
}
