/**
 * Funding of the paper market's contracts, which no feed reports: the rate is the paper exchange's own, and
 * the next payment follows its schedule.
 */
import { OWNER } from '../../domain/actor.ts';
import { str } from '../../domain/decimal.ts';
import { marketOf } from '../../domain/exchange.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import { nextFunding } from '../../venues/paper/futures/funding.ts';
import { compilePaperOptions } from '../../venues/paper/options.ts';

/**
 * Returns the funding of a contract. Null: no such contract is traded there. `time`: market time, Unix ms.
 */
export function paperFunding(
  memory: EngineMemory,
  market: string,
  symbol: string,
  time: number,
): { readonly rate: string; readonly at: number } | null {
  const isContract = memory
    .accountsOf(OWNER)
    .some(
      ({ account, instruments }) =>
        account.kind === 'futures' && marketOf(account) === market && instruments.has(symbol),
    );
  return isContract
    ? { rate: str(compilePaperOptions({}, 'futures').fundingRate), at: nextFunding(time) }
    : null;
}
