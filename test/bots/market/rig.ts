/** A hub with a host that records what it receives, and short forms for candles. */
import { type CandleRow, candleRow } from '../../../src/bots/market/candle.ts';
import { CandleHub, type Close } from '../../../src/bots/market/candle-hub.ts';
import type { BotCandle } from '../../../src/bots/market/view.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { Candle } from '../../../src/domain/rows.ts';

export const M = 60_000;
/** On a boundary of every frame used here. */
export const T = 1_699_999_200_000;
export const BTC = 'BTCUSDT';

export class Rig {
  readonly hub: CandleHub;
  readonly closes: Close[] = [];

  constructor(time = T) {
    this.hub = new CandleHub({ time });
  }

  readonly told = (close: Close): void => {
    this.closes.push(close);
  };

  advance(time: number): void {
    this.hub.advance(time, this.told);
  }

  tick(time: number, price: string, volume = '0', symbol = BTC): void {
    this.advance(time);
    this.hub.tick(symbol, time, dec(price), dec(volume));
  }

  /** Returns the closes since the last call. */
  take(): [time: number, symbol: string, frameMs: number, candle: CandleRow][] {
    return this.closes
      .splice(0)
      .map(({ time, symbol, frameMs, candle }) => [time, symbol, frameMs, candleRow(candle)]);
  }
}

export function rows(candles: readonly BotCandle[]): CandleRow[] {
  return candles.map(candleRow);
}

/** A candle of the feed that is flat at `price`. */
export function flat(time: number, price: string, volume = '1'): Candle {
  return { time, open: price, high: price, low: price, close: price, volume };
}
