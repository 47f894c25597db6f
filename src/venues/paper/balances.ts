/**
 * Balances of one account: free and locked per asset. Every movement is checked; nothing ever goes below
 * zero.
 */
import { type Dec, dec, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeBalance } from '../../domain/exchange.ts';
import { byCodePoint } from '../../domain/market-name.ts';
import { invariant } from './invariant.ts';

interface Holding {
  free: Dec;
  locked: Dec;
}

/** Amounts are decimals; `touched` collects the assets that changed since it was last taken. */
export class Balances {
  readonly #holdings = new Map<string, Holding>();
  #touched = new Set<string>();

  free(asset: string): Dec {
    return this.#holdings.get(asset)?.free ?? ZERO;
  }

  locked(asset: string): Dec {
    return this.#holdings.get(asset)?.locked ?? ZERO;
  }

  /** Adds to free (`amount` may be negative) and to locked. */
  change(asset: string, free: Dec, locked: Dec): void {
    const held = this.#of(asset);
    held.free += free;
    held.locked += locked;
    invariant(
      held.free >= ZERO && held.locked >= ZERO,
      `${asset} would go negative: free ${str(held.free)}, locked ${str(held.locked)}`,
    );
    this.#touched.add(asset);
  }

  /** Sets a balance, without a movement. */
  set(asset: string, free: Dec, locked: Dec): void {
    invariant(free >= ZERO && locked >= ZERO, `${asset} set to a negative balance`);
    const held = this.#of(asset);
    held.free = free;
    held.locked = locked;
    this.#touched.add(asset);
  }

  restore(balance: ExchangeBalance): void {
    this.set(balance.asset, dec(balance.free), dec(balance.locked));
    this.#touched.delete(balance.asset);
  }

  /** All assets ever held, by name. */
  assets(): string[] {
    return [...this.#holdings.keys()].sort(byCodePoint);
  }

  of(asset: string): ExchangeBalance {
    return { asset, free: str(this.free(asset)), locked: str(this.locked(asset)) };
  }

  /** The changed balances, absolute, by name of the asset; marks them as unchanged. */
  takeTouched(): ExchangeBalance[] {
    if (this.#touched.size === 0) return [];
    const changed = [...this.#touched].sort(byCodePoint).map((asset) => this.of(asset));
    this.#touched = new Set();
    return changed;
  }

  #of(asset: string): Holding {
    let held = this.#holdings.get(asset);
    if (!held) {
      held = { free: ZERO, locked: ZERO };
      this.#holdings.set(asset, held);
    }
    return held;
  }
}
