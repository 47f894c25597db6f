/** Settings of the paper exchange: how it matches and what it charges. Every default stands here. */
import { type Dec, dec, decOfInt, ONE, ZERO } from '../../domain/decimal.ts';

export interface PaperOptions {
  /** Delay of every request before the exchange sees it, ms. */
  readonly latencyMs?: number;
  /** Added to the delay: uniform in 0 .. jitterMs. */
  readonly jitterMs?: number;
  /** How much worse than the last price a MARKET order fills, basis points; the result is rounded to the tick, away from the trader. */
  readonly slippageBps?: number;
  /** Share of a tick's volume that all our orders together can take, decimal string in (0, 1]; null: unlimited. */
  readonly participation?: string | null;
  /** `touch`: a resting order fills when the price reaches its limit; `through`: only when it goes beyond. */
  readonly mode?: 'touch' | 'through';
  /** Fee rates, decimal strings (`0.001` is 0.1 %). */
  readonly makerRate?: string;
  readonly takerRate?: string;
  /** Wallet of a new or reset account: asset -> amount. */
  readonly startBalances?: Readonly<Record<string, string>>;
  /** Finished orders that can still be asked for; older ones are forgotten. */
  readonly finishedKept?: number;
  /** Trades that can still be asked for. */
  readonly tradesKept?: number;
}

export interface CompiledPaperOptions {
  readonly latencyMs: number;
  readonly jitterMs: number;
  /** Slippage as a fraction of the price. */
  readonly slippage: Dec;
  readonly participation: Dec | null;
  readonly through: boolean;
  readonly makerRate: Dec;
  readonly takerRate: Dec;
  readonly startBalances: Readonly<Record<string, string>>;
  readonly finishedKept: number;
  readonly tradesKept: number;
}

/** Checks and reads the options once. Throws RangeError with the option's name. */
export function compilePaperOptions(options: PaperOptions = {}): CompiledPaperOptions {
  const slippageBps = within('slippageBps', options.slippageBps ?? 0, 0, 5_000);
  const participation = options.participation == null ? null : dec(options.participation);
  if (participation !== null && (participation <= ZERO || participation > ONE)) {
    throw new RangeError(`participation must be above 0 and at most 1, not ${options.participation}`);
  }
  return {
    latencyMs: within('latencyMs', options.latencyMs ?? 0, 0, 60_000),
    jitterMs: within('jitterMs', options.jitterMs ?? 0, 0, 60_000),
    slippage: decOfInt(Math.round(slippageBps * 100)) / 1_000_000n,
    participation,
    through: options.mode === 'through',
    makerRate: rate('makerRate', options.makerRate ?? '0.001'),
    takerRate: rate('takerRate', options.takerRate ?? '0.001'),
    startBalances: options.startBalances ?? { USDT: '100000' },
    finishedKept: within('finishedKept', options.finishedKept ?? 10_000, 1, 1_000_000),
    tradesKept: within('tradesKept', options.tradesKept ?? 20_000, 1, 1_000_000),
  };
}

function within(name: string, value: number, low: number, high: number): number {
  if (!(value >= low && value <= high)) {
    throw new RangeError(`${name} must be between ${low} and ${high}, not ${value}`);
  }
  return value;
}

function rate(name: string, text: string): Dec {
  const value = dec(text);
  if (value < ZERO || value >= ONE)
    throw new RangeError(`${name} must be at least 0 and below 1, not ${text}`);
  return value;
}
