/** Settings of the paper exchange: how it matches and what it charges, with all defaults. */
import { type Dec, dec, decOfInt, ONE, str, ZERO } from '../../domain/decimal.ts';

export interface PaperOptions {
  /** Delay of every request before the exchange sees it, ms. */
  readonly latencyMs?: number;
  /** Added to the delay: uniform in 0 .. jitterMs. */
  readonly jitterMs?: number;
  /**
   * The slippage of a MARKET order against the last price, basis points; the result is rounded to the tick,
   * away from the trader.
   */
  readonly slippageBps?: number;
  /**
   * Share of a tick's volume that all our orders together can take, decimal string in (0, 1]; null:
   * unlimited.
   */
  readonly participation?: string | null;
  /** `touch`: a resting order fills when the price reaches its limit; `through`: only when it goes beyond. */
  readonly mode?: 'touch' | 'through';
  /** Fee rates, decimal strings (`0.001` is 0.1 %); a negative maker rate is a rebate. */
  readonly makerRate?: string;
  readonly takerRate?: string;
  /** The balances of a new or reset account: asset -> amount. */
  readonly startBalances?: Readonly<Record<string, string>>;
  /** The number of finished orders that can still be asked for; older ones are dropped. */
  readonly finishedKept?: number;
  /** The number of trades that can still be asked for. */
  readonly tradesKept?: number;
  /**
   * Futures: the rate paid every 8 h on the position's notional at mark; above 0 longs pay shorts. Decimal
   * string, may be negative.
   */
  readonly fundingRate?: string;
  /**
   * Futures: time constant with which the mark price follows the last price, ms; 0: the mark is the last
   * price.
   */
  readonly markLagMs?: number;
  /** Futures: liquidation fee for every symbol, decimal string; null: each symbol's own. */
  readonly liquidationFeeRate?: string | null;
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
  readonly fundingRate: Dec;
  readonly markLagMs: number;
  readonly liquidationFeeRate: Dec | null;
}

/** The default fee rates. Futures: 0.02 % maker, 0.05 % taker; spot: 0.1 % both (engine.md, "fees"). */
const DEFAULT_FEES = {
  spot: { maker: '0.001', taker: '0.001' },
  futures: { maker: '0.0002', taker: '0.0005' },
} as const;

/** Checks and reads the options once. Throws RangeError with the option's name. */
export function compilePaperOptions(
  options: PaperOptions = {},
  kind: 'spot' | 'futures' = 'spot',
): CompiledPaperOptions {
  const fees = DEFAULT_FEES[kind];
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
    makerRate: rate('makerRate', options.makerRate ?? fees.maker, -ONE),
    takerRate: rate('takerRate', options.takerRate ?? fees.taker),
    startBalances: options.startBalances ?? { USDT: '100000' },
    finishedKept: within('finishedKept', options.finishedKept ?? 10_000, 1, 1_000_000),
    tradesKept: within('tradesKept', options.tradesKept ?? 20_000, 1, 1_000_000),
    fundingRate: fundingRate(options.fundingRate ?? '0.0001'),
    markLagMs: within('markLagMs', options.markLagMs ?? 0, 0, 3_600_000),
    liquidationFeeRate:
      options.liquidationFeeRate == null ? null : rate('liquidationFeeRate', options.liquidationFeeRate),
  };
}

function within(name: string, value: number, low: number, high: number): number {
  if (!(value >= low && value <= high)) {
    throw new RangeError(`${name} must be between ${low} and ${high}, not ${value}`);
  }
  return value;
}

function rate(name: string, text: string, least = ZERO): Dec {
  const value = dec(text);
  if (value < least || value >= ONE)
    throw new RangeError(`${name} must be at least ${str(least)} and below 1, not ${text}`);
  return value;
}

/** Binance caps funding at 3 % where it sets no tighter limit. */
function fundingRate(text: string): Dec {
  const value = dec(text);
  const most = dec('0.03');
  if (value > most || value < -most) {
    throw new RangeError(`fundingRate must be between -0.03 and 0.03, not ${text}`);
  }
  return value;
}
