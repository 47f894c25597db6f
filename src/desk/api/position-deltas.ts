/**
 * Changes of positions for subscribers: only what has changed since the last time (specification, "Events"
 * detail 3). Remembers what was sent, by account; bounded by the number of positions. Values that move with
 * every price make no event alone, but come with every other change.
 */

import { positionKey } from '../../domain/position.ts';
import { positionsNow } from '../../engine/margins.ts';
import type { AccountMemory, FuturesMemory } from '../../engine/memory.ts';
import { positionOf } from '../../engine/positions.ts';
import type { Position } from '../../schemas/futures.ts';

/** By symbol; `symbol` and `side` are always there. */
export type PositionChanges = Record<string, Partial<Position>>;

/** The last sent values of one position; `image` null: some were sent, but they may be wrong. */
interface Told {
  readonly symbol: string;
  readonly side: Position['side'];
  readonly image: Position | null;
}

/** Values of a position that has been closed. */
const FLAT = {
  amount: '0',
  entryPrice: '0',
  unrealizedProfit: '0',
  isolatedWallet: '0',
  liquidationPrice: null,
  bepPrice: '0',
  mmr: '0',
} as const;

export class PositionDeltas {
  /** By exchange, then by key of the position. */
  readonly #told = new Map<string, Map<string, Told>>();

  /**
   * Returns the changes to send now, and remembers them as sent. In hedge mode LONG and SHORT of a symbol
   * come one after the other, since `changes` has one place for a symbol.
   */
  take(exchange: string, account: AccountMemory, futures: FuturesMemory): PositionChanges[] {
    const told = this.#told.get(exchange) ?? new Map<string, Told>();
    this.#told.set(exchange, told);
    const deltas: Partial<Position>[] = [];
    for (const [key, { symbol, side, image }] of told) {
      if (futures.positions.has(key)) continue;
      told.delete(key);
      deltas.push(deltaOf(image, { ...image, symbol, side, ...FLAT }) ?? { symbol, side, ...FLAT });
    }
    for (const position of positionsNow(account)) {
      const key = positionKey(position.symbol, position.side);
      const now = positionOf(account, position);
      const delta = deltaOf(told.get(key)?.image ?? null, now);
      if (delta === null) continue;
      told.set(key, { symbol: now.symbol, side: now.side, image: now });
      deltas.push(delta);
    }
    return bySymbol(deltas);
  }

  /** Forgets an account while nobody listens: later subscribers start from another state. */
  forget(exchange: string): void {
    this.#told.delete(exchange);
  }

  /** Notes that what was sent may be wrong: the next time everything is sent, closed positions included. */
  doubt(): void {
    for (const told of this.#told.values()) {
      for (const [key, { symbol, side }] of told) told.set(key, { symbol, side, image: null });
    }
  }
}

/** Fields that move with every price. */
const MOVING: ReadonlySet<string> = new Set(['unrealizedProfit', 'mmr', 'liquidationPrice']);

/** Returns the changed fields. Null: only fields that move with every price have changed. */
function deltaOf(before: Position | null, now: Partial<Position>): Partial<Position> | null {
  if (before === null) return now;
  const changed = Object.entries(now).filter(([name, value]) => before[name as keyof Position] !== value);
  if (changed.every(([name]) => MOVING.has(name))) return null;
  const { symbol, side, unrealizedProfit } = now;
  return { symbol, side, unrealizedProfit, ...Object.fromEntries(changed) };
}

/** Joins the deltas into one object, or more where a symbol comes twice. */
function bySymbol(deltas: readonly Partial<Position>[]): PositionChanges[] {
  const all: PositionChanges[] = [];
  for (const delta of deltas) {
    const symbol = delta.symbol as string;
    const place = all.find((changes) => !Object.hasOwn(changes, symbol));
    if (place) place[symbol] = delta;
    else all.push({ [symbol]: delta });
  }
  return all;
}
