/**
 * What a soak needs to know about an exchange: its emulator, the key, the addresses, limits for the load, the
 * traded pairs.
 */
import { spelt } from './okx-spelling.ts';

/** Markets as connections name them. */
export type SoakMarket = 'spot' | 'futures' | 'swap';

export interface SoakPair {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  /** Decimals of a price. */
  readonly tick: number;
  readonly least: number;
  readonly step: number;
}

export interface SoakVenue {
  readonly name: string;
  /** Path of the emulator below `test/emulators/`. */
  readonly serve: string;
  readonly apiKey: string;
  readonly secret: string;
  /** Passphrase of the key; left out: there is none. */
  readonly passphrase?: string;
  /** Returns settings of the emulator; `isRaised`: its limits do not apply. */
  readonly settings: (isRaised: boolean) => Record<string, unknown>;
  /** Returns the entries of `[exchanges.NAME.endpoints]` that the markets need. */
  readonly endpoints: (http: string, ws: string, markets: readonly SoakMarket[]) => Record<string, string>;
  /** Whether spot and futures share one wallet. */
  readonly isShared: boolean;
  readonly pairs: Readonly<Partial<Record<SoakMarket, readonly SoakPair[]>>>;
  /**
   * Returns the wire form of one of the program's order ids where no stored row has it; left out: unchanged.
   */
  readonly spelt?: (id: string) => string;
}

const MUCH = 100_000_000;
const pair = (base: string, tick: number, least: number, step: number): SoakPair => ({
  symbol: `${base}USDT`,
  base,
  quote: 'USDT',
  tick,
  least,
  step,
});

const limit = (label: string, seconds: number, words: string) => ({ label, seconds, limit: MUCH, words });

export const SOAK_VENUES: Readonly<Record<string, SoakVenue>> = {
  binance: {
    name: 'binance',
    serve: 'binance/serve.ts',
    apiKey: 'emulatorHmacKey000000000000000000000000000000000000000000000001',
    secret: 'emulatorSecret0000000000000000000000000000000000000000000000001',
    settings: (isRaised) => ({
      ...(isRaised
        ? {
            spotLimits: {
              weightPerMinute: MUCH,
              orders: [limit('10S', 10, '10 SECOND'), limit('1D', 86_400, '1 DAY')],
            },
            futuresLimits: {
              weightPerMinute: MUCH,
              orders: [limit('10S', 10, '10 SECOND'), limit('1M', 60, '1 MINUTE')],
            },
          }
        : {}),
      spotBalances: { USDT: '100000000', BTC: '1000', ETH: '10000', BNB: '10000' },
      futuresBalances: { USDT: '100000000' },
    }),
    endpoints: (http, ws, markets) => ({
      // Keys of futures, too, are asked about here.
      'spot-rest': http,
      ...(markets.includes('spot') ? { 'spot-api': `${ws}/ws-api/v3`, 'spot-stream': ws } : {}),
      ...(markets.includes('futures')
        ? {
            'futures-rest': http,
            'futures-public': `${ws}/public`,
            'futures-market': `${ws}/market`,
            'futures-private': `${ws}/private`,
          }
        : {}),
    }),
    isShared: false,
    pairs: {
      spot: [pair('BTC', 2, 0.001, 0.00001), pair('ETH', 2, 0.02, 0.0001), pair('BNB', 2, 0.1, 0.001)],
      futures: [pair('BTC', 1, 0.002, 0.001), pair('ETH', 2, 0.02, 0.001), pair('SOL', 2, 0.2, 0.01)],
    },
  },
  bybit: {
    name: 'bybit',
    serve: 'bybit/serve.ts',
    apiKey: 'EmuBybitKey0000001',
    secret: 'EmuBybitSecret0000000000000000000001',
    settings: (isRaised) => ({
      ...(isRaised ? { limits: { addressRequests: MUCH, factor: MUCH, sockets: MUCH } } : {}),
      matchMs: [0, 10],
      balances: { USDT: '100000000', BTC: '1000', ETH: '10000', SOL: '10000' },
    }),
    endpoints: (http, ws) => ({
      rest: http,
      'spot-stream': `${ws}/v5/public/spot`,
      'linear-stream': `${ws}/v5/public/linear`,
      'private-stream': `${ws}/v5/private`,
    }),
    isShared: true,
    pairs: {
      spot: [pair('BTC', 1, 0.001, 0.00001), pair('ETH', 2, 0.02, 0.0001), pair('SOL', 2, 0.1, 0.001)],
      futures: [pair('BTC', 1, 0.002, 0.001), pair('ETH', 2, 0.02, 0.01), pair('SOL', 2, 0.2, 0.1)],
    },
  },
  okx: {
    name: 'okx',
    serve: 'okx/serve.ts',
    apiKey: '00000000-0000-4000-8000-000000000001',
    secret: '00000000000000000000000000000A01',
    passphrase: 'Emulator-Pass-1',
    settings: (isRaised) => ({
      ...(isRaised ? { limitFactor: 1_000 } : {}),
      maxPending: 100_000,
      balances: { USDT: '100000000', BTC: '1000', ETH: '10000', SOL: '10000' },
    }),
    endpoints: (http, ws) => ({
      rest: http,
      'public-stream': `${ws}/ws/v5/public`,
      'private-stream': `${ws}/ws/v5/private`,
      'business-stream': `${ws}/ws/v5/business`,
    }),
    isShared: true,
    pairs: {
      spot: [pair('BTC', 1, 0.001, 0.00001), pair('ETH', 2, 0.02, 0.0001), pair('SOL', 2, 0.1, 0.001)],
      swap: [pair('BTC', 1, 0.002, 0.0001), pair('ETH', 2, 0.02, 0.001), pair('SOL', 2, 0.2, 0.01)],
    },
    spelt,
  },
};
