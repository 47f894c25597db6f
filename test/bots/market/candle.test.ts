/** The values of a candle that a setting can name, and candles as JSON (strategies.md 2, `edge`). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candleOfRow, candleRow, edgeOf } from '../../../src/bots/market/candle.ts';
import type { BotCandle } from '../../../src/bots/market/view.ts';
import type { CandleEdge } from '../../../src/bots/settings/compiled.ts';
import { dec, str } from '../../../src/domain/decimal.ts';

const candle: BotCandle = {
  time: 1_700_000_040_000,
  open: dec('10.2'),
  high: dec('12'),
  low: dec('9.1'),
  close: dec('11.3'),
  volume: dec('0.5'),
};

// proves: bot candles edge
describe('the edge of a candle', () => {
  it.each<[CandleEdge, string]>([
    ['open', '10.2'],
    ['close', '11.3'],
    ['high', '12'],
    ['low', '9.1'],
    // (12 + 9.1) / 2, (10.2 + 11.3) / 2, (12 + 9.1 + 11.3) / 3, (10.2 + 12 + 9.1 + 11.3) / 4.
    ['hl2', '10.55'],
    ['oc2', '10.75'],
    ['hlc3', '10.8'],
    ['ohlc4', '10.65'],
  ])('%s is exact', (edge, value) => {
    expect(str(edgeOf(candle, edge))).toBe(value);
  });

  it('hlc3 is cut at 30 places where the third does not end', () => {
    // 32.5 / 3
    expect(str(edgeOf({ ...candle, close: dec('11.4') }, 'hlc3'))).toBe(`10.8${'3'.repeat(29)}`);
  });
});

describe('a candle as JSON', () => {
  it('comes back as it was', () => {
    const value = fc.bigInt({ min: 1n, max: 10n ** 40n });
    fc.assert(
      fc.property(fc.array(value, { minLength: 5, maxLength: 5 }), (values) => {
        const [open, high, low, close, volume] = values as [bigint, bigint, bigint, bigint, bigint];
        const any = { time: candle.time, open, high, low, close, volume };
        expect(candleOfRow(JSON.parse(JSON.stringify(candleRow(any))))).toEqual(any);
      }),
    );
  });
});
