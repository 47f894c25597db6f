/** The market of the scripted desk: its time, symbols, prices and history. */
import type { Instrument } from '../../../src/domain/instrument.ts';

/** 2026-03-02 14:07:31 UTC. */
export const NOON = Date.UTC(2026, 2, 2, 14, 7, 31);

export const PRICES: readonly [string, string, string, string][] = [
  ['ADAUSDT', '0.7312', '0.7508', '0.0001'],
  ['AVAXUSDT', '31.42', '30.11', '0.01'],
  ['BCHUSDT', '412.80', '409.10', '0.1'],
  ['BNBUSDT', '612.34', '598.00', '0.01'],
  ['BTCUSDT', '61234.10', '60410.55', '0.01'],
  ['DOGEUSDT', '0.16212', '0.16840', '0.00001'],
  ['DOTUSDT', '6.874', '6.911', '0.001'],
  ['ETHUSDT', '3120.44', '3188.02', '0.01'],
  ['LINKUSDT', '17.93', '17.20', '0.01'],
  ['LTCUSDT', '88.41', '88.41', '0.01'],
  ['NEARUSDT', '5.212', '5.001', '0.001'],
  ['SOLUSDT', '148.77', '141.02', '0.01'],
  ['TRXUSDT', '0.13420', '0.13310', '0.00001'],
  ['UNIUSDT', '9.114', '9.320', '0.001'],
  ['XRPUSDT', '0.6120', '0.6004', '0.0001'],
];

export function wave(seed: number, count = 60): number[] {
  return Array.from(
    { length: count },
    (_, at) => 100 + Math.sin(seed + at / 6) * 4 + Math.cos(seed * 3 + at / 2.3),
  );
}

export function instrument(exchange: string, symbol: string, tickSize: string): Instrument {
  return {
    exchange,
    symbol,
    base: symbol.slice(0, -4),
    quote: 'USDT',
    kind: exchange.endsWith('futures') ? 'futures' : 'spot',
    tickSize,
    minPrice: tickSize,
    maxPrice: '1000000',
    stepSize: '0.00001',
    minQty: '0.00001',
    maxQty: '9000',
    marketMaxQty: '100',
    minNotional: '5',
    maxNotional: '9000000',
    percentDown: '0.2',
    percentUp: '5',
    trailingMinBps: 10,
    trailingMaxBps: 2000,
    maxOrders: 200,
    maxIcebergParts: 100,
  };
}
