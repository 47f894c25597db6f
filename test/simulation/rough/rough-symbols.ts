/**
 * The symbols of the rough exchange, which change now and then: one is delisted and comes back, a tick size
 * doubles and halves.
 */
import { dec, isMultiple, str } from '../../../src/domain/decimal.ts';
import type { ExchangeOrder, SubmitOutcome } from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { Dice } from '../dice.ts';
import type { SimClock } from '../sim-clock.ts';

/** Most doublings of a tick size; the exchange's own books keep the finest one. */
const MOST_DOUBLES = 3;

export interface RoughSymbolsOptions {
  readonly instruments: readonly Instrument[];
  /** Mean time between two changes, ms; 0: never. */
  readonly everyMs: number;
  readonly clock: SimClock;
  readonly dice: Dice;
  readonly healed: () => boolean;
  readonly struck: (name: string) => void;
  readonly tell: (list: readonly Instrument[]) => void;
}

export class RoughSymbols {
  list: readonly Instrument[];
  readonly #o: RoughSymbolsOptions;
  readonly #doubles = new Map<string, number>();
  readonly #gone = new Set<string>();
  /** True time since which a symbol that was delisted is traded again. */
  readonly #since = new Map<string, number>();

  constructor(options: RoughSymbolsOptions) {
    this.#o = options;
    this.list = options.instruments;
    this.#arm();
  }

  /** Whether the symbol was traded at that time, and still is. */
  isTraded(symbol: string, since: number): boolean {
    return !this.#gone.has(symbol) && (this.#since.get(symbol) ?? 0) < since;
  }

  /** Restores everything as it was at first. */
  heal(): void {
    for (const symbol of this.#gone) this.#since.set(symbol, this.#o.clock.now);
    this.#gone.clear();
    this.#doubles.clear();
    this.#tell();
  }

  /** The refusal of an order that the core would accept; null: none. */
  refuses({ symbol, price, stopPrice }: ExchangeOrder): SubmitOutcome | null {
    const instrument = this.list.find((one) => one.symbol === symbol);
    if (!instrument)
      return { kind: 'rejected', reason: 'SYMBOL_UNKNOWN', code: '-1121', message: 'Invalid symbol.' };
    const tick = dec(instrument.tickSize);
    const isOff = [price, stopPrice].some((text) => text !== undefined && !isMultiple(dec(text), tick));
    if (!isOff) return null;
    const message = 'Filter failure: PRICE_FILTER';
    return { kind: 'rejected', reason: 'PRICE_FILTER', code: '-1013', message };
  }

  #arm(): void {
    const { everyMs, clock, dice, healed } = this.#o;
    if (everyMs === 0) return;
    clock.after(everyMs * dice.between(0.3, 1.7), () => {
      if (healed()) return;
      this.#change();
      this.#tell();
      this.#arm();
    });
  }

  #change(): void {
    const { dice, struck, instruments } = this.#o;
    const { symbol } = dice.pick(instruments);
    if (this.#gone.delete(symbol)) {
      this.#since.set(symbol, this.#o.clock.now);
      struck('symbol is traded again');
    } else if (dice.chance(0.4) && this.#gone.size + 1 < instruments.length) {
      this.#gone.add(symbol);
      struck('symbol is not traded any more');
    } else {
      const doubles = this.#doubles.get(symbol) ?? 0;
      const more = doubles === 0 || (doubles < MOST_DOUBLES && dice.chance(0.5));
      this.#doubles.set(symbol, doubles + (more ? 1 : -1));
      struck('another tick size');
    }
  }

  #tell(): void {
    this.list = this.#o.instruments
      .filter(({ symbol }) => !this.#gone.has(symbol))
      .map((one) => {
        const times = 2n ** BigInt(this.#doubles.get(one.symbol) ?? 0);
        return { ...one, tickSize: str(dec(one.tickSize) * times) };
      });
    this.#o.tell(this.list);
  }
}
