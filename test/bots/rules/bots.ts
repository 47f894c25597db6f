/**
 * Bots for the tests of the rules: small settings around a price of 100, of which a test changes single
 * fields.
 */

export type Settings = Readonly<Record<string, unknown>>;

export const PAIR = { symbol: { base: 'BTC', quote: 'USDT' } };
export const DEPOSIT = { value: '100', asset: 'USDT' };
const TRADER = { ...PAIR, deposit: DEPOSIT };

/** One cell: buys 1 BTC at 100 with a deposit of 100, sells it at 110. */
export function cell(changes: Settings = {}): Settings {
  return { ...TRADER, flavor: 'LEVELS', levels: [{ buy: '100', sell: '110' }], ...changes };
}

/** Cells with equal shares of the deposit, by default 100 for each. */
export function cells(
  pairs: readonly (readonly [buy: string, sell: string])[],
  changes: Settings = {},
): Settings {
  const levels = pairs.map(([buy, sell]) => ({ buy, sell }));
  return { ...cell({ deposit: { ...DEPOSIT, value: String(100 * pairs.length) }, levels }), ...changes };
}

/** Levels 0 (80), 0.500 (100) and 1 (120): buys 1 BTC at 100, sells at 120; goes on after its first cycle. */
export function fibo(changes: Settings = {}): Settings {
  return {
    ...TRADER,
    onetime: false,
    channels: [
      { name: '0', depositePercent: '0', fiboPrice: '80' },
      { name: '0.500', depositePercent: '100' },
      { name: '1', depositePercent: '0', fiboPrice: '120' },
    ],
    ...changes,
  };
}

/** At each close: buys 1 % below the candle's low, sells 1 % above the entry. */
export function squeeze(changes: Settings = {}): Settings {
  return { ...TRADER, timeFrame: 60_000, price: { percent: { buy: '1', sell: '1' } }, ...changes };
}

/** A base order at MARKET, one safety order 10 % below it of the same size, exit 10 % above the average. */
export function scale(changes: Settings = {}, plan: Settings = {}): Settings {
  return {
    ...TRADER,
    deposit: { ...DEPOSIT, value: '200' },
    flavor: 'SCALE',
    scale: { orders: 1, step: '10', takeProfit: '10', ...plan },
    ...changes,
  };
}

/** A stop rule; `trigger` holds the trigger's fields besides its type. */
export function stop(strategy: string, type: string, trigger: Settings = {}, rest: Settings = {}): Settings {
  return { strategy, trigger: { type, ...trigger }, order: { type: 'MARKET' }, ...rest };
}
