/**
 * The random walk behind the synthetic prices, shared by the live ticks and the generated past: a log price
 * moves by a common market shock and one of its own, each a diffusion with rare jumps, and slowly reverts to
 * its start price, so that years at full speed stay plausible. Floats are used only here and in the
 * generator; prices leave as whole ticks.
 */
import { dec, div, toNumber } from '../domain/decimal.ts';
import type { SeededRandom } from './random.ts';
import { decimalsOf, formatScaled, parseScaled, powerOfTen } from './scaled.ts';
import type { MarketSpec } from './symbols.ts';
import { DAY_MS } from './timeframe.ts';

/** Share of the variance that comes from jumps, and how often jumps occur. */
const JUMP_SHARE = 0.2;
const JUMPS_PER_DAY = 4;
/** Part of the distance to the start price that reverts per day. */
const REVERSION_PER_DAY = 0.012;
const DIFFUSION = Math.sqrt(1 - JUMP_SHARE);

/** Constants of shocks over steps of one length. */
export interface StepModel {
  readonly jumpChance: number;
  readonly jumpSize: number;
  /** Factor from a day's volatility to that of a step. */
  readonly root: number;
  readonly reversion: number;
}

export function stepModel(stepMs: number): StepModel {
  const part = stepMs / DAY_MS;
  const jumpChance = JUMPS_PER_DAY * part;
  return {
    jumpChance,
    jumpSize: Math.sqrt(JUMP_SHARE / jumpChance),
    root: Math.sqrt(part),
    reversion: REVERSION_PER_DAY * part,
  };
}

/** Returns a shock with mean 0 and variance 1. */
export function shock(random: SeededRandom, model: StepModel): number {
  const diffusion = DIFFUSION * random.normal();
  return random.uniform() < model.jumpChance ? diffusion + model.jumpSize * random.normal() : diffusion;
}

/**
 * A symbol's parameters, parsed once. Prices are counted in `10^-priceDecimals`, quantities in
 * `10^-volumeDecimals`.
 */
export interface SyntheticMarket {
  readonly symbol: string;
  readonly priceDecimals: number;
  readonly volumeDecimals: number;
  readonly startLog: number;
  readonly volatility: number;
  /** Weights of the common and the own shock; their squares add up to 1. */
  readonly common: number;
  readonly own: number;
  /** Mean volume per day in volume units. */
  readonly dailyVolume: number;
  readonly maxPrice: number;
}

/** Parses a row of the table. Tick and step must be powers of ten. */
export function compileMarket(spec: MarketSpec): SyntheticMarket {
  const priceDecimals = decimalsOf(spec.tickSize);
  const volumeDecimals = decimalsOf(spec.stepSize);
  for (const [name, text, decimals] of [
    ['tick', spec.tickSize, priceDecimals],
    ['step', spec.stepSize, volumeDecimals],
  ] as const) {
    if (formatScaled(1, decimals) !== text)
      throw new RangeError(`${spec.symbol}: ${name} ${text} is not a power of ten`);
  }
  const startPrice = toNumber(dec(spec.startPrice));
  return {
    symbol: spec.symbol,
    priceDecimals,
    volumeDecimals,
    startLog: Math.log(startPrice * powerOfTen(priceDecimals)),
    volatility: spec.dailyVolatility,
    common: spec.correlation,
    own: Math.sqrt(1 - spec.correlation ** 2),
    dailyVolume: (spec.dailyTurnover / startPrice) * powerOfTen(volumeDecimals),
    maxPrice: Math.min(2 ** 50, toNumber(div(dec(spec.maxPrice), dec(spec.tickSize)))),
  };
}

/** Returns the whole ticks nearest to a log price, at least one. */
export function ticksOf(market: SyntheticMarket, log: number): number {
  return Math.min(market.maxPrice, Math.max(1, Math.round(Math.exp(log))));
}

/**
 * Returns how far a walk with the given distance between its ends went beyond them: the maximum of a Brownian
 * bridge.
 */
export function excursion(random: SeededRandom, distance: number, sigma: number): number {
  return (Math.sqrt(distance * distance + 2 * sigma * sigma * random.exponential()) - distance) / 2;
}

/** Returns a step's volume as a multiple of the mean: more when the price moved more. Its own mean is 1. */
export function activity(random: SeededRandom, move: number): number {
  return (0.6 + 0.5 * move) * (0.6 + 0.8 * random.uniform());
}

/** A candle in whole ticks and volume units. */
export interface TickCandle {
  time: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

export function candleTexts(market: SyntheticMarket, candle: TickCandle) {
  const price = (ticks: number) => formatScaled(ticks, market.priceDecimals);
  return {
    time: candle.time,
    open: price(candle.open),
    high: price(candle.high),
    low: price(candle.low),
    close: price(candle.close),
    volume: formatScaled(candle.volume, market.volumeDecimals),
  };
}

export function candleTicks(
  market: SyntheticMarket,
  candle: { time: number; open: string; high: string; low: string; close: string; volume: string },
): TickCandle {
  const ticks = (text: string) => parseScaled(text, market.priceDecimals);
  return {
    time: candle.time,
    open: ticks(candle.open),
    high: ticks(candle.high),
    low: ticks(candle.low),
    close: ticks(candle.close),
    volume: parseScaled(candle.volume, market.volumeDecimals),
  };
}
