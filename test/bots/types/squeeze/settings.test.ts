/** Settings of SQUEEZE (strategies.md 5). */
import { describe, expect, it } from 'vitest';
import type { SqueezeSettings } from '../../../../src/bots/types/squeeze/settings.ts';
import { dec } from '../../../../src/domain/decimal.ts';
import { compiled, problems, warnings } from '../../settings/support.ts';

const MINUTES = [1, 3, 5, 15, 30, 60, 120, 240, 360, 480, 720, 1440];

function squeeze(changes: Record<string, unknown> = {}): SqueezeSettings {
  return compiled<SqueezeSettings>('SQUEEZE', changes);
}

// proves: bot SQUEEZE settings, bot squeeze
describe('SQUEEZE', () => {
  it('has its defaults', () => {
    expect(squeeze()).toMatchObject({
      type: 'SQUEEZE',
      timeFrame: 60_000,
      buyPercent: dec('1'),
      sellPercent: dec('2'),
      trailing: false,
      trailingEdge: 'low',
      trailingSell: false,
      trailingPart: false,
      trailingDelta: dec('0.5'),
      trailingRules: [],
      oncePerTimeFrame: false,
      onetime: false,
    });
  });

  // proves: bot SQUEEZE trailingEdge
  it('looks at the high of the candle when it is short, unless an edge is given', () => {
    const short = { short: true, exchange: 'paper-futures' };
    expect(squeeze(short).trailingEdge).toBe('high');
    expect(squeeze({ ...short, trailingEdge: 'low' }).trailingEdge).toBe('low');
    expect(squeeze({ trailingEdge: 'ohlc4' }).trailingEdge).toBe('ohlc4');
  });

  // proves: bot SQUEEZE timeFrame
  it('has candles of twelve lengths', () => {
    for (const minutes of MINUTES)
      expect(squeeze({ timeFrame: minutes * 60_000 }).timeFrame).toBe(minutes * 60_000);
    const list = MINUTES.map((minutes) => minutes * 60_000).join(', ');
    for (const timeFrame of [45_000, 120_000, 0]) {
      expect(problems('SQUEEZE', { timeFrame })).toEqual([
        `timeFrame: must be one of ${list}, got ${timeFrame}`,
      ]);
    }
    expect(problems('SQUEEZE', { timeFrame: undefined })).toEqual([
      `timeFrame: missing; must be one of ${list}`,
    ]);
    expect(squeeze({ timeFrame: '300000' }).timeFrame).toBe(300_000);
  });

  // proves: bot SQUEEZE price
  it.each([
    [{ buy: '0', sell: '1' }, ['price.percent.buy: must be a decimal above 0 and below 100, got "0"']],
    [{ buy: 100, sell: '1' }, ['price.percent.buy: must be a decimal above 0 and below 100, got 100']],
    [
      { buy: '1', sell: '-1' },
      ['price.percent.sell: must be a decimal above 0 and at most 1000000, got "-1"'],
    ],
    [
      {},
      [
        'price.percent.buy: missing; must be a decimal above 0 and below 100',
        'price.percent.sell: missing; must be a decimal above 0 and at most 1000000',
      ],
    ],
    [undefined, ['price.percent: missing; must be an object']],
  ])('refuses the percents %j', (percent, expected) => {
    expect(problems('SQUEEZE', { price: { percent } })).toEqual(expected);
  });

  it('of a short bot sells back above zero', () => {
    const price = { percent: { buy: 1, sell: 100 } };
    expect(problems('SQUEEZE', { price, short: true, exchange: 'paper-futures' })).toEqual([
      'price.percent.sell: must be below 100 for a short bot, got 100',
    ]);
    expect(problems('SQUEEZE', { price })).toEqual([]);
  });

  // proves: bot SQUEEZE trailingDelta
  it('trails by a quarter of its target unless told', () => {
    expect(squeeze({ price: { percent: { buy: 1, sell: '1.5' } } }).trailingDelta).toBe(dec('0.375'));
    expect(squeeze({ trailingDelta: 0.2 }).trailingDelta).toBe(dec('0.2'));
    expect(problems('SQUEEZE', { trailingDelta: 0 })).toEqual([
      'trailingDelta: must be a decimal above 0 and below 100, got 0',
    ]);
  });

  // proves: bot SQUEEZE settings
  it('has momentum filters', () => {
    const trailingRules = [
      { type: 'pump_filter', maxChange: 1, count: 2, edge: 'high', timeout: 120_000 },
      { type: 'dump_filter', maxChange: '1.5' },
    ];
    expect(squeeze({ trailingRules, timeFrame: 300_000 }).trailingRules).toEqual([
      { type: 'pump_filter', maxChange: dec('1'), count: 2, edge: 'high', timeout: 120_000 },
      { type: 'dump_filter', maxChange: dec('1.5'), count: 1, edge: 'close', timeout: 300_000 },
    ]);
    expect(warnings('SQUEEZE', { trailingRules })).toEqual([]);
    expect(warnings('SQUEEZE', { trailingRules: [{ type: 'dump_filter', maxChange: 1, count: 2 }] })).toEqual(
      ['trailingRules[0].count: has an effect with pump_filter only'],
    );
  });

  it.each([
    [{ maxChange: 1 }, 'type: missing; must be pump_filter or dump_filter'],
    [{ type: 'spike', maxChange: 1 }, 'type: must be pump_filter or dump_filter, got "spike"'],
    [{ type: 'pump_filter' }, 'maxChange: missing; must be a decimal above 0'],
    [{ type: 'pump_filter', maxChange: 0 }, 'maxChange: must be a decimal above 0, got 0'],
    [{ type: 'pump_filter', maxChange: 1, count: 0 }, 'count: must be an integer from 1 to 500, got 0'],
    [
      { type: 'pump_filter', maxChange: 1, timeout: -1 },
      'timeout: must be an integer that is not negative, got -1',
    ],
  ])('refuses the filter %j', (rule, problem) => {
    expect(problems('SQUEEZE', { trailingRules: [rule] })).toEqual([`trailingRules[0].${problem}`]);
  });

  // proves: bot run all-problems
  it('is told of all its mistakes', () => {
    const mistakes = {
      timeFrame: 45_000,
      deposit: { value: '100', asset: 'BTC' },
      short: true,
      price: { percent: { buy: '0', sell: '-1' } },
    };
    const paths = problems('SQUEEZE', mistakes).map((text) => text.split(':')[0]);
    expect(paths).toEqual(['timeFrame', 'short', 'deposit.asset', 'price.percent.buy', 'price.percent.sell']);
  });
});
