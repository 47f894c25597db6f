/**
 * Leverage brackets and liquidation fees of the contracts: facts of the real exchange (Binance USDT-M, brackets as of
 * October 2024, fees from its exchangeInfo of 2022 and 2026), written down anew. A tier is the leverage it allows, its
 * notional cap and its maintenance margin rate; floors and maintenance amounts follow from these.
 */
import { type Dec, dec, maxDec, mul, str, ZERO } from '../../../domain/decimal.ts';
import type { LeverageBracket } from '../../../domain/position.ts';

/** One tier, read once. `cumulative`: the maintenance amount, `notional * rate - cumulative` is the margin. */
export interface Tier {
  readonly leverage: number;
  readonly floor: Dec;
  readonly cap: Dec;
  readonly rate: Dec;
  readonly cumulative: Dec;
}

/** Tiers of a symbol, lowest first. */
export type Tiers = readonly Tier[];

/** Per base asset: `leverage cap rate` of each tier, lowest first. SHIB has the tiers of the contract on 1000 SHIB. */
const TABLE: Readonly<Record<string, string>> = {
  BTC:
    '125 50000 0.004, 100 600000 0.005, 75 3000000 0.0065, 50 12000000 0.01, 25 70000000 0.02, ' +
    '20 100000000 0.025, 10 230000000 0.05, 5 480000000 0.1, 4 600000000 0.125, 3 800000000 0.15, ' +
    '2 1200000000 0.25, 1 1800000000 0.5',
  ETH:
    '125 50000 0.004, 100 600000 0.005, 75 3000000 0.0065, 50 12000000 0.01, 25 50000000 0.02, ' +
    '20 65000000 0.025, 10 150000000 0.05, 5 320000000 0.1, 4 400000000 0.125, 3 530000000 0.15, ' +
    '2 800000000 0.25, 1 1200000000 0.5',
  BNB:
    '75 10000 0.005, 50 50000 0.006, 40 200000 0.01, 25 1500000 0.02, 20 3000000 0.025, ' +
    '10 15000000 0.05, 5 30000000 0.1, 4 37500000 0.125, 2 75000000 0.25, 1 150000000 0.5',
  SOL:
    '100 20000 0.005, 75 100000 0.0065, 50 800000 0.01, 25 4000000 0.02, 20 8000000 0.025, ' +
    '10 40000000 0.05, 5 80000000 0.1, 4 100000000 0.125, 2 200000000 0.25, 1 400000000 0.5',
  XRP:
    '75 10000 0.005, 50 20000 0.0065, 40 160000 0.01, 25 800000 0.02, 20 1600000 0.025, 10 8000000 0.05, ' +
    '5 16000000 0.1, 4 20000000 0.125, 2 40000000 0.25, 1 80000000 0.5',
  DOGE:
    '75 10000 0.005, 50 50000 0.007, 40 750000 0.01, 25 800000 0.02, 20 1600000 0.025, 10 8000000 0.05, ' +
    '5 16000000 0.1, 4 20000000 0.125, 2 40000000 0.25, 1 80000000 0.5',
  ADA:
    '75 10000 0.005, 50 50000 0.01, 40 100000 0.015, 25 500000 0.02, 20 1000000 0.025, 10 5000000 0.05, ' +
    '5 10000000 0.1, 4 20000000 0.125, 2 30000000 0.25, 1 50000000 0.5',
  TRX:
    '75 10000 0.0065, 50 90000 0.01, 40 120000 0.015, 25 650000 0.02, 20 800000 0.025, 10 3000000 0.05, ' +
    '5 6000000 0.1, 4 12000000 0.125, 2 20000000 0.25, 1 30000000 0.5',
  AVAX:
    '75 5000 0.005, 50 25000 0.0065, 40 80000 0.01, 25 400000 0.02, 20 800000 0.025, 10 4000000 0.05, ' +
    '5 8000000 0.1, 4 10000000 0.125, 2 20000000 0.25, 1 50000000 0.5',
  LINK:
    '75 10000 0.005, 50 50000 0.01, 40 80000 0.015, 25 400000 0.02, 20 800000 0.025, 10 4000000 0.05, ' +
    '5 8000000 0.1, 4 20000000 0.125, 2 30000000 0.25, 1 50000000 0.5',
  DOT:
    '75 10000 0.0065, 50 50000 0.01, 40 100000 0.015, 25 500000 0.02, 20 800000 0.025, 10 4000000 0.05, ' +
    '5 8000000 0.1, 4 10000000 0.125, 2 30000000 0.25, 1 50000000 0.5',
  LTC:
    '75 10000 0.005, 50 50000 0.01, 40 100000 0.015, 25 750000 0.02, 20 1000000 0.025, 10 5000000 0.05, ' +
    '5 10000000 0.1, 4 20000000 0.125, 2 30000000 0.25, 1 50000000 0.5',
  BCH:
    '75 5000 0.005, 50 10000 0.0065, 40 100000 0.01, 25 500000 0.02, 20 1000000 0.025, 10 5000000 0.05, ' +
    '5 10000000 0.1, 4 15000000 0.125, 2 25000000 0.25, 1 50000000 0.5',
  UNI:
    '75 10000 0.006, 50 50000 0.01, 40 80000 0.015, 25 300000 0.02, 20 900000 0.025, 10 3000000 0.05, ' +
    '5 6000000 0.1, 4 7500000 0.125, 2 18000000 0.25, 1 30000000 0.5',
  ATOM:
    '75 10000 0.006, 50 50000 0.01, 40 80000 0.015, 25 200000 0.02, 20 600000 0.025, 10 2000000 0.05, ' +
    '5 4000000 0.1, 4 5000000 0.125, 2 12000000 0.25, 1 20000000 0.5',
  XLM:
    '50 10000 0.015, 20 150000 0.025, 15 250000 0.03, 10 1000000 0.05, 5 2000000 0.1, 4 5000000 0.125, ' +
    '2 10000000 0.25, 1 20000000 0.5',
  NEAR:
    '75 10000 0.01, 50 100000 0.015, 25 500000 0.02, 20 1000000 0.025, 10 5000000 0.05, 5 10000000 0.1, ' +
    '4 12500000 0.125, 2 25000000 0.25, 1 50000000 0.5',
  SUI:
    '75 20000 0.01, 50 200000 0.015, 25 1000000 0.02, 20 2000000 0.025, 10 10000000 0.05, ' +
    '5 20000000 0.1, 4 25000000 0.125, 2 50000000 0.25, 1 100000000 0.5',
  AAVE:
    '75 10000 0.01, 50 40000 0.015, 25 200000 0.02, 20 400000 0.025, 10 2000000 0.05, 5 4000000 0.1, ' +
    '4 5000000 0.125, 2 10000000 0.25, 1 20000000 0.5',
  SHIB:
    '75 10000 0.0065, 50 25000 0.0075, 40 150000 0.01, 25 300000 0.02, 20 600000 0.025, 10 3000000 0.05, ' +
    '5 6000000 0.1, 4 7500000 0.125, 2 15000000 0.25, 1 30000000 0.5',
};

/** Contracts that the table does not know get the tiers of a middling one. */
const FALLBACK = TABLE.ADA as string;

/** `liquidationFee` of exchangeInfo per base asset; 0.015 elsewhere. */
const LIQUIDATION_FEES: Readonly<Record<string, string>> = {
  BTC: '0.0125',
  ETH: '0.0125',
  BNB: '0.01',
  SOL: '0.01',
  XRP: '0.01',
  DOGE: '0.01',
  ADA: '0.02',
  TRX: '0.025',
  AVAX: '0.02',
  LINK: '0.02',
  DOT: '0.02',
  NEAR: '0.025',
};

/**
 * The maintenance amount makes the margin continuous from tier to tier: floor of tier n x (rate n - rate n-1) + amount
 * n-1 (Binance FAQ b3c689c1f50a44cabb3a84e663b81d93, "Maintenance Amount formula").
 */
export function readTiers(text: string): Tiers {
  const tiers: Tier[] = [];
  for (const cell of text.split(', ')) {
    const [leverage = '', cap = '', rate = ''] = cell.split(' ');
    const below = tiers.at(-1);
    const floor = below?.cap ?? ZERO;
    const step = below ? mul(floor, dec(rate) - below.rate) + below.cumulative : ZERO;
    tiers.push({ leverage: Number(leverage), floor, cap: dec(cap), rate: dec(rate), cumulative: step });
  }
  return tiers;
}

export function tiersOf(base: string): Tiers {
  return readTiers(TABLE[base] ?? FALLBACK);
}

export function liquidationFeeOf(base: string): Dec {
  return dec(LIQUIDATION_FEES[base] ?? '0.015');
}

/** The tier of a notional; beyond the last cap the last one. */
export function tierAt(tiers: Tiers, notional: Dec): Tier {
  return tiers.find((tier) => notional <= tier.cap) ?? (tiers.at(-1) as Tier);
}

/** Maintenance margin = notional x rate - maintenance amount, both of the notional's tier (same FAQ). */
export function maintenanceMargin(tiers: Tiers, notional: Dec): Dec {
  const tier = tierAt(tiers, notional);
  return maxDec(mul(notional, tier.rate) - tier.cumulative, ZERO);
}

/** Largest notional that this leverage may hold: the cap of the highest tier that still allows it; 0 when none does. */
export function maxNotional(tiers: Tiers, leverage: number): Dec {
  return tiers.reduce((most, tier) => (tier.leverage >= leverage ? tier.cap : most), ZERO);
}

/** Highest leverage of the symbol. */
export function maxLeverage(tiers: Tiers): number {
  return tiers[0]?.leverage ?? 1;
}

/** As the port shows them. */
export function bracketsOf(tiers: Tiers): LeverageBracket[] {
  return tiers.map((tier) => ({
    initialLeverage: tier.leverage,
    notionalFloor: str(tier.floor),
    notionalCap: str(tier.cap),
    maintenanceMarginRate: str(tier.rate),
    cumulative: str(tier.cumulative),
  }));
}
