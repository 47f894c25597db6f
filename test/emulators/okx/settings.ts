/** Settings of the emulator for tests and persons, with every default in one place. */
import { INSTRUMENTS, type InstrumentSpec } from './instruments.ts';
import { type EmulatorKey, TEST_KEY } from './keys.ts';

export type AccountLevel = '1' | '2' | '3' | '4';
export type PosMode = 'net_mode' | 'long_short_mode';

/** Fees as fractions of a trade; negative: a rebate. */
export interface FeeRates {
  readonly spotMaker: string;
  readonly spotTaker: string;
  readonly swapMaker: string;
  readonly swapTaker: string;
  /** Rates of other fee groups: `SPOT 2`, `SWAP 3` (instrument type and `groupId`). */
  readonly groups?: Readonly<Record<string, { readonly maker: string; readonly taker: string }>>;
}

export interface EmulatorSettings {
  readonly keys?: readonly EmulatorKey[];
  readonly instruments?: readonly InstrumentSpec[];
  /** The wallet of every account at the start: one for spot and swaps. */
  readonly balances?: Readonly<Record<string, string>>;
  /** 1 spot, 2 futures, 3 multi-currency, 4 portfolio. */
  readonly acctLv?: AccountLevel;
  readonly posMode?: PosMode;
  readonly fees?: Partial<FeeRates>;
  /** The exchange's clock minus the given one, ms. */
  readonly clockAheadMs?: number;
  /** Time for which queries for a new order are answered 51603, and lists do not have it, ms. */
  readonly hiddenMs?: number;
  /** Time by which a triggered algo order is reported after its order, ms. */
  readonly algoLagMs?: number;
  /** A cancel is accepted at once and executed after this time, ms: fills in between count. */
  readonly cancelLagMs?: number;
  /** An amendment is accepted at once and executed, or refused on the stream, after this time, ms. */
  readonly amendLagMs?: number;
  /** Every so many messages of `orders` one comes twice, with another `uTime`; 0: none. */
  readonly repeatEvery?: number;
  /** Value of one level of the made-up book, in quote. */
  readonly levelNotional?: string;
  /** Factor of the documented rate limits. */
  readonly limitFactor?: number;
  /**
   * Whether level 2 accepts `isolated` for swaps; the order page of 2026-06 has it for spot margin alone,
   * other pages for swaps too.
   */
  readonly isolatedSwaps?: boolean;
  /** Most open orders of one instrument. */
  readonly maxPending?: number;
  /**
   * Whether `uTime` of a currency changes with its cash alone, not with the amount that orders lock; the
   * documents leave it open.
   */
  readonly cashTimes?: boolean;
  /** Time over which events of account and positions are merged, ms. */
  readonly mergeMs?: number;
}

export function compileSettings(settings: EmulatorSettings = {}) {
  return {
    keys: settings.keys ?? [TEST_KEY],
    instruments: settings.instruments ?? INSTRUMENTS,
    balances: settings.balances ?? { USDT: '100000', BTC: '1', ETH: '10', OKB: '5', ADA: '10000' },
    acctLv: settings.acctLv ?? '2',
    posMode: settings.posMode ?? 'net_mode',
    fees: {
      spotMaker: '0.0008',
      spotTaker: '0.001',
      swapMaker: '0.0002',
      swapTaker: '0.0005',
      ...settings.fees,
    } as FeeRates,
    clockAheadMs: settings.clockAheadMs ?? 0,
    hiddenMs: settings.hiddenMs ?? 0,
    algoLagMs: settings.algoLagMs ?? 0,
    cancelLagMs: settings.cancelLagMs ?? 0,
    amendLagMs: settings.amendLagMs ?? 0,
    repeatEvery: settings.repeatEvery ?? 0,
    levelNotional: settings.levelNotional ?? '50000',
    limitFactor: settings.limitFactor ?? 1,
    isolatedSwaps: settings.isolatedSwaps ?? true,
    maxPending: settings.maxPending ?? 500,
    cashTimes: settings.cashTimes ?? false,
    mergeMs: settings.mergeMs ?? 50,
  } as const;
}

export type CompiledSettings = ReturnType<typeof compileSettings>;
