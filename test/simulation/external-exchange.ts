/**
 * An exchange account outside the desk's process: it has its own storage and commits, and goes on while the
 * desk is down.
 */
import type { Clock, Random } from '../../src/domain/clock.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { PaperFaults } from '../../src/venues/paper/faults.ts';
import type { PaperOptions } from '../../src/venues/paper/options.ts';
import type { PaperVenue } from '../../src/venues/paper/paper-venue.ts';
import type { VenueSink } from '../../src/venues/venue.ts';
import type { SimAccount } from './accounts.ts';

export interface ExternalOptions {
  readonly account: SimAccount;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: PaperFaults;
  readonly paper: PaperOptions;
  readonly marketTime: () => number;
  /** Whether this commit fails. */
  readonly fails: () => boolean;
  readonly stored: (rows: readonly Row[]) => void;
}

export class ExternalExchange {
  readonly tables = new Map<string, Map<string, unknown>>();
  readonly venue: PaperVenue;
  readonly #stored: (rows: readonly Row[]) => void;
  /** The desk that listens; null: none does. */
  sink: VenueSink | null = null;

  constructor(o: ExternalOptions) {
    this.#stored = o.stored;
    this.venue = o.account.create({
      account: o.account.account,
      instruments: o.account.instruments,
      load: () => this.tables,
      lane: {
        commit: (rows) => {
          if (o.fails()) throw new Error('the exchange cannot store this');
          this.#keep(rows);
          o.stored(rows);
        },
      },
      clock: o.clock,
      random: o.random,
      faults: o.faults,
      marketTime: o.marketTime,
      options: { ...o.paper, startBalances: o.account.startBalances },
    });
  }

  open(): Promise<void> {
    return this.venue.open({
      order: (state) => this.sink?.order(state),
      fill: (fill) => this.sink?.fill(fill),
      balances: (changed) => this.sink?.balances(changed),
      positions: (changed) => this.sink?.positions?.(changed),
      ledger: () => this.sink?.ledger?.(),
      stream: (state) => this.sink?.stream(state),
    });
  }

  /** Stores rows before the account opens. */
  seed(rows: readonly Row[]): void {
    this.#keep(rows);
    this.#stored(rows);
  }

  #keep(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind !== 'paper') continue;
      let table = this.tables.get(row.table);
      if (!table) {
        table = new Map();
        this.tables.set(row.table, table);
      }
      if (row.doc === null) table.delete(row.id);
      else table.set(row.id, row.doc);
    }
  }
}
