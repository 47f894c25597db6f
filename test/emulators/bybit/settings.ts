/** Settings of the emulator for tests and persons, with every default in one place. */
import { type EmulatorKey, TEST_KEY } from './keys.ts';
import { LIMITS, type LimitSettings } from './limits.ts';
import { LINEAR_SYMBOLS, SPOT_SYMBOLS, type SymbolSpec } from './symbols.ts';

export interface EmulatorSettings {
  readonly keys?: readonly EmulatorKey[];
  readonly spotSymbols?: readonly SymbolSpec[];
  readonly linearSymbols?: readonly SymbolSpec[];
  readonly limits?: Partial<LimitSettings>;
  /** Coins of every account at the start. */
  readonly balances?: Readonly<Record<string, string>>;
  /** The exchange's clock minus the given one, ms. */
  readonly clockAheadMs?: number;
  /**
   * Time from the acknowledgement of a request to the matching engine, ms, least and most; 0: before the
   * answer.
   */
  readonly matchMs?: number | readonly [number, number];
  /** Time for which a new order is in no list, ms. */
  readonly hiddenMs?: number;
  /** Delay of `order/history` and `execution/list`, ms. */
  readonly lagMs?: number;
  /** Value of one level of the made-up book, in quote. */
  readonly levelNotional?: string;
  /** Whether every USDT perpetual is in hedge mode at the start. */
  readonly hedge?: boolean;
  /** `unifiedMarginStatus`. */
  readonly accountStatus?: number;
  /** Whether disconnection protection is granted. */
  readonly dcp?: boolean;
  /**
   * Whether the cancel of a finished order is answered with how it ended (110008, 110010, 170139, 170142)
   * instead of 110001, 170213.
   */
  readonly namesTheEnd?: boolean;
  /** Treatment of undocumented names: refused (10001), or ignored as the exchange does. */
  readonly unknownNames?: 'refuse' | 'ignore';
  /** Whether rows of orders and executions write empty values in another way (spelling.ts). */
  readonly otherSpelling?: boolean;
  /** Most rows on a page of linear instruments. */
  readonly instrumentsPage?: number;
}

export function compileSettings(settings: EmulatorSettings = {}) {
  return {
    keys: settings.keys ?? [TEST_KEY],
    spotSymbols: settings.spotSymbols ?? SPOT_SYMBOLS,
    linearSymbols: settings.linearSymbols ?? LINEAR_SYMBOLS,
    limits: { ...LIMITS, ...settings.limits },
    balances: settings.balances ?? {
      USDT: '100000',
      USDC: '0',
      BTC: '1',
      ETH: '10',
      MNT: '100',
      ADA: '10000',
    },
    clockAheadMs: settings.clockAheadMs ?? 0,
    matchMs: settings.matchMs ?? 0,
    hiddenMs: settings.hiddenMs ?? 0,
    lagMs: settings.lagMs ?? 0,
    levelNotional: settings.levelNotional ?? '50000',
    hedge: settings.hedge ?? false,
    accountStatus: settings.accountStatus ?? 6,
    dcp: settings.dcp ?? false,
    namesTheEnd: settings.namesTheEnd ?? false,
    unknownNames: settings.unknownNames ?? 'refuse',
    otherSpelling: settings.otherSpelling ?? false,
    instrumentsPage: settings.instrumentsPage ?? 1000,
  };
}

export type CompiledSettings = ReturnType<typeof compileSettings>;
