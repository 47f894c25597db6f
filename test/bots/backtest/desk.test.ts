/**
 * A backtest has the same fills as a whole desk on the same candles: order engine, store, paper exchange and
 * all.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CandleTable, tickPrice, tickTime } from '../../../src/bots/market/candle-table.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import { playOnDesk } from '../../scenarios/on-desk.ts';
import type { CandleRow, Scenario } from '../../scenarios/scenario.ts';
import { seedOr } from '../../support/seeds.ts';
import { BOTS, M, played, rules, SYMBOL, table, walks, world } from './support.ts';

/** Number of cases played for each type; more are played while none of them has traded. */
const SAMPLES = 4;
const SAMPLES_MAX = 40;
const SEED = seedOr(20_260_105);
const EXCHANGE = 'paper-spot';
const TRADERS = Object.keys(BOTS).filter((name) => name !== 'ALARM' && name !== 'NOTIFY');

/**
 * Settings that differ by design are left out: a slice's jitter depends on the run's id, filters over the
 * past read a feed that this desk does not have, and the tick market has no price bands of an exchange.
 */
function isComparable(settings: Readonly<Record<string, unknown>>): boolean {
  const filters = JSON.stringify(settings.filters ?? {});
  return settings.jitter === undefined && settings.entryPrice === undefined && !/rsi|volume/.test(filters);
}

/** Maker and taker orders have different fees. */
const RULES = rules({ makerRate: dec('0.0004') });

/** The candles as the desk's feed returns them. */
function pastOf({ times, open, high, low, close, count, decimals }: CandleTable): CandleRow[] {
  return Array.from({ length: count }, (_, i): CandleRow => {
    const text = (series: Float64Array) => String((series[i] as number) / 10 ** decimals);
    return [times[i] as number, text(open), text(high), text(low), text(close), '8'];
  });
}

// proves: bot backtest same
it.each(TRADERS)('%s trades in the backtest as it does on the desk', async (name) => {
  const cases = fc.sample(fc.tuple(BOTS[name] as (typeof BOTS)[string], walks, fc.constantFrom(M, 5 * M)), {
    numRuns: SAMPLES_MAX * 3,
    seed: SEED,
  });
  const comparable = cases
    .filter(([bot]) => isComparable(bot.settings as Record<string, unknown>))
    .slice(0, SAMPLES_MAX);
  let compared = 0;
  for (const [n, [drawn, rows, frameMs]] of comparable.entries()) {
    if (n >= SAMPLES && compared > 0) break;
    const settings: Record<string, unknown> = { ...(drawn.settings as object), exchange: EXCHANGE };
    const candles = table(rows, { frameMs });
    const events = Array.from({ length: candles.count * 4 }, (_, i) => {
      const row = Math.floor(i / 4);
      const at = tickTime(candles.times[row] as number, frameMs, i % 4);
      return { at, tick: String(tickPrice(candles, row, i % 4) / 10 ** candles.decimals), volume: '2' };
    });
    const { base, quote } = RULES;
    const scenario: Scenario = {
      name,
      about: '',
      instrument: {
        symbol: SYMBOL,
        base,
        quote,
        kind: 'spot',
        tickSize: '0.1',
        stepSize: '0.001',
        minQty: '0.001',
        minNotional: '5',
        makerRate: str(RULES.makerRate),
        takerRate: str(RULES.takerRate),
      },
      balances: { USDT: '100000', ...(settings.side === 'SELL' ? { BTC: String(settings.quantity) } : {}) },
      settings,
      ...(drawn.options ? { options: drawn.options as Record<string, unknown> } : {}),
      // A run that is started anew reads the candles that closed before.
      history: pastOf(candles),
      start: candles.times[0] as number,
      events,
      expect: {},
    };
    const desk = await playOnDesk(drawn.type, scenario);
    const accounts = new Map([[EXCHANGE, { kind: 'spot' as const, hedge: false }]]);
    const { trades } = played({
      bot: { ...drawn, settings },
      candles: [candles],
      world: { ...world(RULES), accounts },
    });
    expect(desk.startError).toBeNull();
    expect(
      trades.map(({ at, side, price, qty, maker, fee, feeAsset, label }) => ({
        at,
        side,
        price,
        qty,
        maker,
        label,
        fee: `${fee} ${feeAsset}`,
      })),
    ).toEqual(desk.fills);
    compared += trades.length;
  }
  expect(compared).toBeGreaterThan(0);
});
