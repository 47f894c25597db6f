/** Settings of the emulator for tests and persons, with every default in one place. */
import { type EmulatorKey, TEST_ED25519_KEY, TEST_KEY } from './keys.ts';
import { LIMITS, type LimitSettings } from './limits.ts';
import { FUTURES_SYMBOLS, SPOT_SYMBOLS, type SymbolSpec } from './symbols.ts';

export interface EmulatorSettings {
  readonly keys?: readonly EmulatorKey[];
  readonly spotSymbols?: readonly SymbolSpec[];
  readonly futuresSymbols?: readonly SymbolSpec[];
  readonly spotLimits?: LimitSettings;
  readonly futuresLimits?: LimitSettings;
  /** Wallets of every account at the start. */
  readonly spotBalances?: Readonly<Record<string, string>>;
  readonly futuresBalances?: Readonly<Record<string, string>>;
  /** The exchange's clock minus the given one, ms. */
  readonly clockAheadMs?: number;
  /** Time for which queries for a new order are answered -2013, ms. */
  readonly hiddenMs?: number;
  /** Value of one level of the made-up book, in quote. */
  readonly levelNotional?: string;
  /** Whether the account is in portfolio margin: the futures endpoints refuse it. */
  readonly portfolioMargin?: boolean;
  /** Whether hedge mode is on at the start. */
  readonly hedge?: boolean;
  /** Time that a conditional order waits between its trigger and the matching engine, ms. */
  readonly triggeringMs?: number;
  /** Whether `/private/ws/KEY` carries events too, as the documents still show it. */
  readonly pathListenKey?: boolean;
}

export function compileSettings(settings: EmulatorSettings = {}) {
  return {
    keys: settings.keys ?? [TEST_KEY, TEST_ED25519_KEY],
    spotSymbols: settings.spotSymbols ?? SPOT_SYMBOLS,
    futuresSymbols: settings.futuresSymbols ?? FUTURES_SYMBOLS,
    spotLimits: settings.spotLimits ?? LIMITS.spot,
    futuresLimits: settings.futuresLimits ?? LIMITS.futures,
    spotBalances: settings.spotBalances ?? { USDT: '100000', BTC: '1', ETH: '10', BNB: '5', ADA: '10000' },
    futuresBalances: settings.futuresBalances ?? { USDT: '100000', USDC: '0', BNB: '0' },
    clockAheadMs: settings.clockAheadMs ?? 0,
    hiddenMs: settings.hiddenMs ?? 0,
    levelNotional: settings.levelNotional ?? '50000',
    portfolioMargin: settings.portfolioMargin ?? false,
    hedge: settings.hedge ?? false,
    triggeringMs: settings.triggeringMs ?? 0,
    pathListenKey: settings.pathListenKey ?? false,
  };
}

export type CompiledSettings = ReturnType<typeof compileSettings>;
