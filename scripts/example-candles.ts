/** The candles that a clone can replay: one hour of minutes, made by the price generator. */
import type { Candle } from '../src/domain/rows.ts';
import { createSyntheticFeed } from '../src/market/synthetic.ts';

const SEED = 7;
const START = Date.UTC(2026, 0, 5, 9);
const HOUR_MS = 3_600_000;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];

/** Returns the text of each file, by file name. */
export function exampleCandles(): Map<string, string> {
  const rows = new Map(SYMBOLS.map((symbol) => [symbol, [] as Candle[]]));
  const feed = createSyntheticFeed({
    seed: SEED,
    startTime: START,
    live: false,
    onCandle: (symbol, candle) => void rows.get(symbol)?.push(candle),
  });
  while ((feed.next()?.time ?? 0) < START + HOUR_MS + 1_000);
  return new Map([...rows].map(([symbol, candles]) => [`${symbol}-1m.csv`, text(candles)]));
}

function text(candles: readonly Candle[]): string {
  const hour = candles.filter(({ time }) => time < START + HOUR_MS);
  const line = ({ time, open, high, low, close, volume }: Candle) =>
    [time, open, high, low, close, volume].join(',');
  return `${['open_time,open,high,low,close,volume', ...hour.map(line)].join('\n')}\n`;
}
