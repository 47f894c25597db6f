/** What an account of OKX is made with, spot or swap: the same for both. */
import type { Clock, Random } from '../../domain/clock.ts';
import type { Environment, MarketKind } from '../../domain/connection.ts';
import type { ExchangeAccount } from '../../domain/exchange.ts';
import type { Way } from '../kit/addresses.ts';
import type { Net } from '../kit/net.ts';
import type { Secrets } from '../venue-kind.ts';

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

export interface AccountGiven {
  readonly account: ExchangeAccount;
  readonly kind: OkxMarketKind;
  /** All markets of its connection: one wallet serves them. */
  readonly markets: readonly MarketKind[];
  /** Name of its connection: what one key may send is counted together. */
  readonly connection: string;
  readonly environment: Environment;
  /** By the endpoint's name. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly net: Net;
  /** Through the lanes of its REST address. */
  readonly way: Way;
  /** What an owner should know: one line, said rarely. */
  readonly report: (text: string) => void;
}
