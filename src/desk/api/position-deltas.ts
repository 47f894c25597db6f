/**
 * Positions as their subscribers are told them: only what has changed since the last time (specification, "Events"
 * detail 3). Remembers what was told, by account; bounded by the positions there are. What moves with every price makes no
 * event alone, but comes with every other change.
 */

import { positionKey } from '../../domain/position.ts';
import { positionsNow } from '../../engine/margins.ts';
import type { AccountMemory, FuturesMemory } from '../../engine/memory.ts';
import { positionOf } from '../../engine/positions.ts';
import type { Position } from '../../schemas/futures.ts';

/** By symbol; `symbol` and `side` are always there. */
export type PositionChanges = Record<string, Partial<Position>>;

/** What was told of one position; null: something, but perhaps not what is so. */
interface Told {
  readonly symbol: string;
  readonly side: Position['side'];
  readonly image: Position | null;
}

/** What becomes of a position that is no more. */
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

  /** The changes to tell now, and notes them as told. In hedge mode LONG and SHORT of a symbol come one after the other, since `changes` has one place a symbol. */
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

  /** Nobody listens: what was told is no base for whoever comes next. */
  forget(exchange: string): void {
    this.#told.delete(exchange);
  }

  /** What was told may be wrong: the next time everything is told, ends too. */
  doubt(): void {
    for (const told of this.#told.values()) {
      for (const [key, { symbol, side }] of told) told.set(key, { symbol, side, image: null });
    }
  }
}

/** Figures that move with every price. */
const MOVING: ReadonlySet<string> = new Set(['unrealizedProfit', 'mmr', 'liquidationPrice']);

/** Null: nothing but what moves with every price has changed. */
function deltaOf(before: Position | null, now: Partial<Position>): Partial<Position> | null {
  if (before === null) return now;
  const changed = Object.entries(now).filter(([name, value]) => before[name as keyof Position] !== value);
  if (changed.every(([name]) => MOVING.has(name))) return null;
  const { symbol, side, unrealizedProfit } = now;
  return { symbol, side, unrealizedProfit, ...Object.fromEntries(changed) };
}

/** One object as long as no symbol comes twice. */
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
