/**
 * Leverage and margin type of a symbol, or of each of its sides where an exchange keeps them apart in hedge
 * mode.
 */
import { type LeverageInfo, positionKey } from '../domain/position.ts';
import type { PositionSide } from '../schemas/order.ts';

const SIDES = ['BOTH', 'LONG', 'SHORT'] as const;

export class Leverages {
  /** The known settings, by `positionKey`. */
  readonly #known = new Map<string, LeverageInfo>();

  /** Returns the setting of a side; where the exchange reports none for that side, the one of the symbol. */
  of(symbol: string, side: PositionSide = 'BOTH'): LeverageInfo | undefined {
    const exact = this.#known.get(positionKey(symbol, side));
    return exact ?? this.sidesOf(symbol)[0];
  }

  /** Returns all settings of a symbol: one in one-way mode, one or two in hedge mode. */
  sidesOf(symbol: string): readonly LeverageInfo[] {
    return SIDES.flatMap((side) => this.#known.get(positionKey(symbol, side)) ?? []);
  }

  all(): Iterable<LeverageInfo> {
    return this.#known.values();
  }

  /** Stores a setting; one reported in one position mode replaces those of the other mode. */
  set(info: LeverageInfo): void {
    for (const side of SIDES)
      if ((side === 'BOTH') !== (info.side === 'BOTH')) this.#known.delete(positionKey(info.symbol, side));
    this.#known.set(positionKey(info.symbol, info.side), info);
  }
}
