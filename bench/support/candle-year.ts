/** A year of generated minutes as a candle file, and bots to run over it; always the same bytes. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MARKETS, type MarketSpec } from '../../src/market/symbols.ts';
import { SyntheticHistory } from '../../src/market/synthetic-history.ts';
import { candleTexts, compileMarket } from '../../src/market/synthetic-model.ts';
import { MINUTE_MS } from '../../src/market/timeframe.ts';
import { temporaryFolder } from './children.ts';

export const CANDLES = 525_600;
const SEED = [7, 0];
const END = Date.UTC(2026, 0, 1);

export interface CandleYear {
  readonly candles: string;
  readonly squeeze: string;
  readonly fibo: string;
}

let written: CandleYear | null = null;

/** Returns the files; creates them again if an earlier bench has removed them. */
export function candleYear(): CandleYear {
  if (written === null || !existsSync(written.candles)) written = write(temporaryFolder());
  return written;
}

function write(folder: string): CandleYear {
  const market = compileMarket(MARKETS[0] as MarketSpec);
  const lines = ['time,open,high,low,close,volume'];
  let firstPrice = 0;
  new SyntheticHistory(SEED, END, [market]).visit(
    ...([0, END - CANDLES * MINUTE_MS, END, MINUTE_MS] as const),
    (time, open, high, low, close, volume) => {
      const texts = candleTexts(market, { time, open, high, low, close, volume });
      firstPrice ||= Number(texts.open);
      lines.push([time, texts.open, texts.high, texts.low, texts.close, texts.volume].join(','));
    },
  );
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const common = {
    exchange: 'paper-spot',
    symbol: { base: 'BTC', quote: 'USDT' },
    deposit: { value: '10000', asset: 'USDT' },
    stop: { strategy: 'price_percent_buy', trigger: { type: 'kline', value: '12' }, complete: true },
  };
  const squeeze = { ...common, timeFrame: MINUTE_MS, price: { percent: { buy: '0.5', sell: '0.6' } } };
  const price = (factor: number) => (firstPrice * factor).toFixed(2);
  const share = (name: string) => ({ name, depositePercent: '20' });
  const fibo = {
    ...common,
    onetime: false,
    channels: [
      { ...share('0'), fiboPrice: price(0.85) },
      ...['0.236', '0.382', '0.500', '0.618'].map(share),
      { name: '1', depositePercent: '0', fiboPrice: price(1.1) },
    ],
  };
  return {
    candles: file('BTCUSDT-1m.csv', `${lines.join('\n')}\n`),
    squeeze: file('squeeze.json', JSON.stringify({ type: 'SQUEEZE', settings: squeeze })),
    fibo: file('fibo.json', JSON.stringify({ type: 'FIBO', settings: fibo })),
  };
}
