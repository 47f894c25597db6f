/** The editor's preview: a bounded backtest in short steps, with the code of the backtest. */
import { describe, expect, it } from 'vitest';
import { type Preview, previewBacktest } from '../../../src/bots/backtest/preview.ts';
import { played, rules, squeeze, T, table, world } from './support.ts';

const M = 60_000;
const rows = Array.from({ length: 3_000 }, (_, i) => [100, 101, 98 + (i % 3), 100] as const);
const CANDLES = table(rows);

function all(steps: ReturnType<typeof previewBacktest>): { preview: Preview; steps: number } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done) return { preview: step.value, steps: count };
  }
}

// proves: bot backtest preview
describe('a preview', () => {
  it('is the backtest of the last 2,000 candles, in short steps', () => {
    const { preview, steps } = all(previewBacktest({ bot: squeeze(), candles: [CANDLES], world: world() }));
    const whole = played({ bot: squeeze(), candles: [CANDLES], from: T + 1_000 * M });
    expect(steps).toBe(10);
    expect(preview).toMatchObject({
      ok: true,
      candles: { from: T + 1_000 * M, count: 2_000 },
      figures: whole.figures,
      fills: whole.trades.length,
    });
    expect(whole.trades.length).toBeGreaterThan(0);
    expect(preview.ok && preview.equity.length).toBeLessThanOrEqual(121);
  });

  it('has all there is of fewer candles', () => {
    const few = table(rows.slice(0, 50));
    const { preview } = all(previewBacktest({ bot: squeeze(), candles: [few], world: world(), points: 10 }));
    expect(preview).toMatchObject({ ok: true, candles: { from: T, count: 50 } });
  });

  it('of several symbols plays so many candles of none, also where one has stopped early', () => {
    const bot = {
      type: 'NOTIFY' as const,
      settings: { exchange: 'paper', timeFrame: 5 * M, conditions: [{ type: 'price_change', percent: 5 }] },
    };
    const both = { ...world(), instrument: (_: string, symbol: string) => rules({ symbol }) };
    const ended = table(rows.slice(0, 5), { symbol: 'ETHUSDT' });
    const candles = [table(rows.slice(0, 50)), ended];
    for (const order of [candles, candles.toReversed()]) {
      const { preview } = all(previewBacktest({ bot, candles: order, world: both, count: 10 }));
      expect(preview).toMatchObject({ ok: true, candles: { from: T + 40 * M, count: 10 } });
    }
  });

  it('says what is wrong with the settings', () => {
    const bot = squeeze({ price: { percent: { buy: '0', sell: '1' } } });
    const { preview } = all(previewBacktest({ bot, candles: [CANDLES], world: world() }));
    expect(preview).toMatchObject({ ok: false, problems: [{ path: 'price.percent.buy' }] });
  });

  it('refuses to play nothing', () => {
    expect(() => all(previewBacktest({ bot: squeeze(), candles: [], world: world() }))).toThrow(RangeError);
    expect(() => all(previewBacktest({ bot: squeeze(), candles: [table([])], world: world() }))).toThrow(
      RangeError,
    );
  });
});
