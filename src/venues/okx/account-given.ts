/** What an account of OKX is made with, spot or swap: the same for both. */
import type { MarketKind } from '../../domain/connection.ts';
import type { AccountGiven as GivenToAll } from '../kit/account-given.ts';

/** The two markets of OKX that are traded here. */
export type OkxMarketKind = Extract<MarketKind, 'spot' | 'swap'>;

/** Of orders on it. Those of spot that are crossed, as some account modes want them, may count as margin orders there. */
export function isOfMarket(kind: OkxMarketKind, instType: string | undefined): boolean {
  if (instType === undefined) return true;
  return kind === 'swap' ? instType === 'SWAP' : instType === 'SPOT' || instType === 'MARGIN';
}

/** Orders are asked for by it; of spot by no type, and what is not listed here is left out. */
export function ordersOf(kind: OkxMarketKind): Readonly<Record<string, string>> {
  return kind === 'swap' ? { instType: 'SWAP' } : {};
}

/** As the exchange writes them. */
export const INST_TYPE: Readonly<Record<OkxMarketKind, 'SPOT' | 'SWAP'>> = { spot: 'SPOT', swap: 'SWAP' };

export interface AccountGiven extends GivenToAll {
  readonly kind: OkxMarketKind;
  /** All markets of its connection: one wallet serves them. */
  readonly markets: readonly MarketKind[];
  /** Name of its connection: what one key may send is counted together. */
  readonly connection: string;
}
