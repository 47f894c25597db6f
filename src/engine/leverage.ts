/** Leverage and margin type of a symbol, or of each of its sides where an exchange keeps them apart in hedge mode. */
import { type LeverageInfo, positionKey } from '../domain/position.ts';
import type { PositionSide } from '../schemas/order.ts';

const SIDES = ['BOTH', 'LONG', 'SHORT'] as const;

export class Leverages {
  /** Key: `positionKey`. */
  readonly #known = new Map<string, LeverageInfo>();

  /** Of a side; where the exchange tells none of that side, what it tells of the symbol. */
  of(symbol: string, side: PositionSide = 'BOTH'): LeverageInfo | undefined {
    const exact = this.#known.get(positionKey(symbol, side));
    return exact ?? this.sidesOf(symbol)[0];
  }

  /** Everything that is known of a symbol: one entry in one-way mode, one or two in hedge mode. */
  sidesOf(symbol: string): readonly LeverageInfo[] {
    return SIDES.flatMap((side) => this.#known.get(positionKey(symbol, side)) ?? []);
  }

  all(): Iterable<LeverageInfo> {
    return this.#known.values();
  }

  /** What is told in one mode ends what was told in the other. */
  set(info: LeverageInfo): void {
    for (const side of SIDES)
      if ((side === 'BOTH') !== (info.side === 'BOTH')) this.#known.delete(positionKey(info.symbol, side));
    this.#known.set(positionKey(info.symbol, info.side), info);
  }
}
