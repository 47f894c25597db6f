/** Joins the feed's closed candles and those built here to one row without gaps (strategies.md 1). Pure. */
import { type Dec, dec } from '../../domain/decimal.ts';
import type { Candle } from '../../domain/rows.ts';
import { flatCandle, readCandle } from './candle.ts';
import type { BotCandle } from './view.ts';

/** Maximum number of past candles that are read: what a feed returns for one request. */
export const MAX_HISTORY = 5_000;

export interface JoinOptions {
  /** Candles of the feed, oldest first. */
  readonly history: readonly Candle[];
  /** Candles built from ticks, without gaps, oldest first; they take precedence over the feed's. */
  readonly own: readonly BotCandle[];
  /** Open time of the candle in `own` whose beginning was not seen: the feed's candle replaces it. */
  readonly partial: number | null;
  readonly frameMs: number;
  /** Close time of the last period that is wanted, on a frame boundary. */
  readonly end: number;
}

/**
 * Returns every closed candle up to `end`, the last 5,000 at most; a period that neither source has is flat
 * at the close before it.
 */
export function joinHistory({ history, own, partial, frameMs, end }: JoinOptions): BotCandle[] {
  const joined: BotCandle[] = [];
  const ownStart = own[0]?.time ?? end;
  let next = end - MAX_HISTORY * frameMs;
  let close: Dec | null = null;
  const fillTo = (time: number) => {
    if (close !== null) for (; next < time; next += frameMs) joined.push(flatCandle(next, close));
  };
  const put = (candle: BotCandle) => {
    fillTo(candle.time);
    joined.push(candle);
    next = candle.time + frameMs;
    close = candle.close;
  };
  let whole: BotCandle | null = null;
  for (const candle of history) {
    if (candle.time % frameMs !== 0) continue;
    if (candle.time === partial) whole = readCandle(candle);
    if (candle.time >= ownStart) continue;
    if (candle.time >= next) put(readCandle(candle));
    else if (joined.length === 0) close = dec(candle.close);
  }
  for (const candle of own) put(candle.time === partial && whole ? whole : candle);
  fillTo(end);
  return joined;
}
