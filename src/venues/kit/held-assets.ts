/**
 * All assets that an account has ever reported: exchanges leave out assets with a zero balance, which may
 * have had one before.
 */
import type { ExchangeBalance } from '../../domain/exchange.ts';

export class HeldAssets {
  readonly #held = new Set<string>();

  add(asset: string): void {
    this.#held.add(asset);
  }

  /**
   * The reported balances, and zero for every known asset missing from them. `time`: of the answer, Unix ms.
   */
  whole(told: readonly ExchangeBalance[], time?: number): readonly ExchangeBalance[] {
    const named = new Set(told.map(({ asset }) => asset));
    const gone = [...this.#held].filter((asset) => !named.has(asset));
    for (const asset of named) this.#held.add(asset);
    const none = { free: '0', locked: '0', ...(time === undefined ? {} : { time }) };
    return [...told, ...gone.map((asset): ExchangeBalance => ({ asset, ...none }))];
  }
}
