/** Assets that an account has ever told: exchanges leave out what there is none of, and what was there before may have gone. */
import type { ExchangeBalance } from '../../domain/exchange.ts';

export class HeldAssets {
  readonly #held = new Set<string>();

  add(asset: string): void {
    this.#held.add(asset);
  }

  /** What was told, and zero of all that is not in it any more. `time`: of the answer, Unix ms. */
  whole(told: readonly ExchangeBalance[], time?: number): readonly ExchangeBalance[] {
    const named = new Set(told.map(({ asset }) => asset));
    const gone = [...this.#held].filter((asset) => !named.has(asset));
    for (const asset of named) this.#held.add(asset);
    const none = { free: '0', locked: '0', ...(time === undefined ? {} : { time }) };
    return [...told, ...gone.map((asset): ExchangeBalance => ({ asset, ...none }))];
  }
}
