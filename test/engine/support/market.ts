/** Instruments, a spot and a futures account for the tests of the engine. */
import type { Actor } from '../../../src/domain/actor.ts';
import type { Now } from '../../../src/domain/clock.ts';
import type { ExchangeAccount, ExchangeCaps } from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { OrderType } from '../../../src/schemas/order.ts';
import { formsOf } from '../../support/forms.ts';

export const SPOT = 'paper-spot';
/** 2026-01-05 00:00 UTC. */
export const START = Date.UTC(2026, 0, 5);
/** The monotonic clock at START: far from any wall time, so that a confusion of the two is noticed. */
export const MONO_START = 5_000_000;

/** The clocks of a desk whose wall clock was not set since START. */
export function nowAt(wall: number, market = wall): Now {
  return { wall, market, mono: wall - START + MONO_START };
}

export const BTC: Instrument = {
  exchange: SPOT,
  symbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  kind: 'spot',
  tickSize: '0.01',
  minPrice: '1',
  maxPrice: '1000000',
  stepSize: '0.001',
  minQty: '0.002',
  maxQty: '100',
  marketMaxQty: '50',
  minNotional: '5',
  maxNotional: '900000',
  percentDown: '0.2',
  percentUp: '5',
  trailingMinBps: 10,
  trailingMaxBps: 2000,
  maxOrders: 200,
  maxIcebergParts: 100,
};

export const ETH: Instrument = { ...BTC, symbol: 'ETHUSDT', base: 'ETH' };

export const ACCOUNT: ExchangeAccount = { id: SPOT, name: 'Paper spot', kind: 'spot' };

export const NATIVE: readonly OrderType[] = [
  'MARKET',
  'LIMIT',
  'LIMIT_MAKER',
  'STOP_LIMIT',
  'TAKE_PROFIT_LIMIT',
];

export const CAPS: ExchangeCaps = {
  forms: formsOf({ native: NATIVE }),
  validityWindowMs: 5_000,
  idPrefix: 'ps',
};

export const FUTURES = 'paper-futures';
export const FUTURES_ACCOUNT: ExchangeAccount = { id: FUTURES, name: 'Paper futures', kind: 'futures' };
export const FUTURES_BTC: Instrument = { ...BTC, exchange: FUTURES, kind: 'futures', maxNotional: '0' };
export const FUTURES_CAPS: ExchangeCaps = {
  ...CAPS,
  forms: formsOf({
    native: [...NATIVE, 'STOP_MARKET', 'TAKE_PROFIT_MARKET'],
    trailing: true,
    iceberg: false,
  }),
  idPrefix: 'pf',
};

export const KEY_ACTOR: Actor = {
  kind: 'key',
  user: 'owner',
  keyId: 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg',
  tier: 'trade',
  allowedExchanges: null,
};
export const OPERATOR: Actor = { kind: 'operator', user: 'owner' };
export const STRANGER: Actor = { ...KEY_ACTOR, user: 'stranger' };

/** A small seeded generator (mulberry32), so that a run depends on its seed alone. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Whole number in from .. to. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }
}
