/**
 * The accounts on the rough exchange: each trades on a market of its own, with the symbols of the other
 * markets at other prices.
 */
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import { futuresInstruments } from '../../../src/market/futures-symbols.ts';
import { spotInstruments } from '../../../src/market/symbols.ts';
import { createPaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import type { SimAccount } from '../accounts.ts';
import { SYMBOLS } from '../market.ts';
import type { RoughFuturesPlan } from './rough-plan.ts';

/** Name of the exchange, and of the market of its spot account. */
export const ROUGH = 'rough';
export const ROUGH_MARKET = ROUGH;
export const ROUGH_FUTURES_MARKET = 'rough-futures';
/** Factor between its prices and those of the paper market: code that confuses the two is found. */
export const ROUGH_SCALE = 1.7;
export const ROUGH_FUTURES_SCALE = 1.3;
/**
 * Prefixes of client ids, in the exchange's own books, of orders that it or somebody else makes: strangers'
 * orders, liquidations, reductions.
 */
const STRANGER = 'web-';
const LIQUIDATION = 'liq-';
const REDUCTION = 'adl-';
/** The one id under which the exchange reports every reduction. */
const REDUCTION_NAME = 'adl_autoclose';
const LIQUIDATION_NAME = 'autoclose-';
/** Opening balance of the asset in which it may take fees. */
const FEE_BALANCE = '50';

const symbols = SYMBOLS.map(({ symbol }) => symbol);

const SPOT: ExchangeAccount = { id: 'rough-spot', name: 'Rough spot', kind: 'spot', market: ROUGH_MARKET };
const FUTURES: ExchangeAccount = {
  id: 'rough-futures',
  name: 'Rough futures',
  kind: 'futures',
  market: ROUGH_FUTURES_MARKET,
};

export const ROUGH_SPOT: SimAccount = {
  account: SPOT,
  instruments: spotInstruments(symbols, SPOT.id),
  startBalances: { USDT: '100000', BTC: '1.5', ETH: '25' },
  create: createPaperVenue,
};

export const ROUGH_FUTURES_ID = FUTURES.id;

export function roughFutures({ taste, feeAsset }: RoughFuturesPlan): SimAccount {
  return {
    account: FUTURES,
    instruments: futuresInstruments(symbols, FUTURES.id),
    startBalances: { USDT: taste.wallet, ...(feeAsset === null ? {} : { [feeAsset]: FEE_BALANCE }) },
    create: createPaperVenue,
  };
}

export function isRough(exchange: string): boolean {
  return exchange.startsWith(`${ROUGH}-`);
}

export const strangersId = (n: number) => `${STRANGER}${n}`;
export const reductionId = (n: number) => `${REDUCTION}${n}`;

/** Whether an order is external, by the client id in the exchange's own books. */
export function isOfOthers(clientId: string): boolean {
  return [STRANGER, LIQUIDATION, REDUCTION].some((prefix) => clientId.startsWith(prefix));
}

export function isLiquidation(clientId: string): boolean {
  return clientId.startsWith(LIQUIDATION);
}

export function isReduction(clientId: string): boolean {
  return clientId.startsWith(REDUCTION);
}

/** The name under which the exchange reports an order. */
export function toldName(clientId: string): string {
  if (isReduction(clientId)) return REDUCTION_NAME;
  return isLiquidation(clientId) ? `${LIQUIDATION_NAME}${clientId.slice(LIQUIDATION.length)}` : clientId;
}

/** Whether a reported name is that of a liquidation. */
export function isLiquidationName(name: string): boolean {
  return name.startsWith(LIQUIDATION_NAME);
}

export function isReductionName(name: string): boolean {
  return name === REDUCTION_NAME;
}

/** Whether an order reported under this name may be an external one. */
export function isOthersName(name: string): boolean {
  return name.startsWith(STRANGER) || isLiquidationName(name) || isReductionName(name);
}
