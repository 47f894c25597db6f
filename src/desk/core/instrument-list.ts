/** What an account trades, as its exchange has told it last: whether that is another list, and a row of it for a start without it. */
import type { Instrument } from '../../domain/instrument.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import type { Row } from '../../domain/rows.ts';
import { changeOfInstruments } from '../../engine/instruments.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import { instrumentsRow, keptInstruments } from './known-accounts.ts';
import type { ReadableVenue } from './readable-venue.ts';

export interface InstrumentListOptions {
  readonly venue: Pick<ReadableVenue, 'account' | 'futures'>;
  /** Of the account, as the engine has it now. */
  readonly memory: () => Pick<AccountMemory, 'instruments'>;
  /** Meta rows of the store at the start. */
  readonly meta: ReadonlyMap<string, unknown>;
  /** Stores a row with the next commit. */
  readonly keep: (row: Row) => void;
}

export class InstrumentList {
  /** A start without the exchange finds it. */
  isKept: boolean;
  readonly #o: InstrumentListOptions;
  /** The list that was given last; null: none was. */
  #told: readonly Instrument[] | null = null;

  constructor(options: InstrumentListOptions) {
    this.#o = options;
    this.isKept = keptInstruments(options.meta, options.venue.account.id).length > 0;
  }

  /** It is the very list that was given last. */
  isTold(list: readonly Instrument[]): boolean {
    return list === this.#told;
  }

  /** Whether it is another one than the engine has. */
  isChange(list: readonly Instrument[]): boolean {
    this.#told = list;
    return changeOfInstruments(this.#o.memory().instruments, list) !== null;
  }

  /** With those that are not traded any more: a start without the exchange needs them as well. */
  keep(): void {
    this.isKept = true;
    this.#o.keep(instrumentsRow(this.#o.venue.account.id, [...this.#o.memory().instruments.values()]));
  }

  /** By symbol; also of those that are not traded any more: a position may be left in one. */
  brackets(list: readonly Instrument[]): Map<string, readonly LeverageBracket[]> {
    const { futures } = this.#o.venue;
    const symbols = new Set([...list.map(({ symbol }) => symbol), ...this.#o.memory().instruments.keys()]);
    return new Map([...symbols].map((symbol) => [symbol, futures?.brackets(symbol) ?? []]));
  }
}
