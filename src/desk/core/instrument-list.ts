/**
 * What an account trades, by its exchange's last list: whether a list differs from it, and a row of it for a
 * start without the exchange.
 */
import type { Instrument } from '../../domain/instrument.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import type { Row } from '../../domain/rows.ts';
import { changeOfInstruments } from '../../engine/instruments.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import { instrumentsRow, keptInstruments } from './known-accounts.ts';
import type { ReadableVenue } from './readable-venue.ts';

export interface InstrumentListOptions {
  readonly venue: Pick<ReadableVenue, 'account' | 'futures'>;
  /** The account as the engine has it now. */
  readonly memory: () => Pick<AccountMemory, 'instruments'>;
  /** Meta rows of the store at the start. */
  readonly meta: ReadonlyMap<string, unknown>;
  /** Stores a row with the next commit. */
  readonly keep: (row: Row) => void;
}

export class InstrumentList {
  /** Whether the list is stored, so that a start without the exchange finds it. */
  isKept: boolean;
  readonly #o: InstrumentListOptions;
  /** The list that was given last; null: none yet. */
  #told: readonly Instrument[] | null = null;

  constructor(options: InstrumentListOptions) {
    this.#o = options;
    this.isKept = keptInstruments(options.meta, options.venue.account.id).length > 0;
  }

  /** Whether this is the same list object as the last one. */
  isTold(list: readonly Instrument[]): boolean {
    return list === this.#told;
  }

  /** Whether the list differs from the one that the engine has. */
  isChange(list: readonly Instrument[]): boolean {
    this.#told = list;
    return changeOfInstruments(this.#o.memory().instruments, list) !== null;
  }

  /** Stores the list, delisted instruments included: a start without the exchange needs them as well. */
  keep(): void {
    this.isKept = true;
    this.#o.keep(instrumentsRow(this.#o.venue.account.id, [...this.#o.memory().instruments.values()]));
  }

  /** Returns the brackets by symbol, delisted ones included: a position may be left in one. */
  brackets(list: readonly Instrument[]): Map<string, readonly LeverageBracket[]> {
    const { futures } = this.#o.venue;
    const symbols = new Set([...list.map(({ symbol }) => symbol), ...this.#o.memory().instruments.keys()]);
    return new Map([...symbols].map((symbol) => [symbol, futures?.brackets(symbol) ?? []]));
  }
}
