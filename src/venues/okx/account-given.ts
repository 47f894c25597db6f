/** What every account of OKX, spot or swap, is made with. */
import type { MarketKind } from '../../domain/connection.ts';
import type { AccountGiven as GivenToAll } from '../kit/account-given.ts';

/** The two markets of OKX that are traded here. */
export type OkxMarketKind = Extract<MarketKind, 'spot' | 'swap'>;

/**
 * Whether an order of this type belongs to the market. Crossed spot orders, required by some account modes,
 * may count as margin orders at the exchange.
 */
export function isOfMarket(kind: OkxMarketKind, instType: string | undefined): boolean {
  if (instType === undefined) return true;
  return kind === 'swap' ? instType === 'SWAP' : instType === 'SPOT' || instType === 'MARGIN';
}

/**
 * The parameter for lists of orders. Spot lists are asked for without a type; rows that are not listed here
 * are left out.
 */
export function ordersOf(kind: OkxMarketKind): Readonly<Record<string, string>> {
  return kind === 'swap' ? { instType: 'SWAP' } : {};
}

/** Instrument types as the exchange writes them. */
export const INST_TYPE: Readonly<Record<OkxMarketKind, 'SPOT' | 'SWAP'>> = { spot: 'SPOT', swap: 'SWAP' };

export interface AccountGiven extends GivenToAll {
  readonly kind: OkxMarketKind;
  /** All markets of the connection: one wallet serves them. */
  readonly markets: readonly MarketKind[];
  /** Name of the connection: all requests of one key are counted together. */
  readonly connection: string;
}
