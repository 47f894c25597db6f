/** The accounts on the rough exchange: each trades on a market of its own, which has the symbols of the others at other prices. */
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import { futuresInstruments } from '../../../src/market/futures-symbols.ts';
import { spotInstruments } from '../../../src/market/symbols.ts';
import { createPaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import type { SimAccount } from '../accounts.ts';
import { SYMBOLS } from '../market.ts';
import type { RoughFuturesPlan } from './rough-plan.ts';

/** Its name, and that of the market of its spot account. */
export const ROUGH = 'rough';
export const ROUGH_MARKET = ROUGH;
export const ROUGH_FUTURES_MARKET = 'rough-futures';
/** Of its prices against those of the paper market: who takes one for the other is found out. */
export const ROUGH_SCALE = 1.7;
export const ROUGH_FUTURES_SCALE = 1.3;
/** Orders that somebody else makes on it begin so in its own books: other people's, liquidations, reductions by itself. */
const STRANGER = 'web-';
const LIQUIDATION = 'liq-';
const REDUCTION = 'adl-';
/** It gives every reduction this id. */
const REDUCTION_NAME = 'adl_autoclose';
const LIQUIDATION_NAME = 'autoclose-';
/** Of the asset in which it may take its fees. */
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

/** By the id in its own books. */
export function isOfOthers(clientId: string): boolean {
  return [STRANGER, LIQUIDATION, REDUCTION].some((prefix) => clientId.startsWith(prefix));
}

export function isLiquidation(clientId: string): boolean {
  return clientId.startsWith(LIQUIDATION);
}

export function isReduction(clientId: string): boolean {
  return clientId.startsWith(REDUCTION);
}

/** What it calls an order when it tells of it. */
export function toldName(clientId: string): string {
  if (isReduction(clientId)) return REDUCTION_NAME;
  return isLiquidation(clientId) ? `${LIQUIDATION_NAME}${clientId.slice(LIQUIDATION.length)}` : clientId;
}

/** Of an order as it is told. */
export function isLiquidationName(name: string): boolean {
  return name.startsWith(LIQUIDATION_NAME);
}

export function isReductionName(name: string): boolean {
  return name === REDUCTION_NAME;
}

/** Whether an order with this name, as it is told, may be of others. */
export function isOthersName(name: string): boolean {
  return name.startsWith(STRANGER) || isLiquidationName(name) || isReductionName(name);
}
