/** Settings of CHANNEL: GRID, LEVELS and SCALE (strategies.md 4). */
import { describe, expect, it } from 'vitest';
import type { ChannelSettings } from '../../../../src/bots/types/channel/settings.ts';
import { dec, str } from '../../../../src/domain/decimal.ts';
import { compile, compiled, LINE, problems, warnings } from '../../settings/support.ts';

function channel(kind: 'GRID' | 'LEVELS' | 'SCALE', changes: Record<string, unknown> = {}): ChannelSettings {
  return compiled<ChannelSettings>(kind, changes);
}

// proves: bot CHANNEL settings
describe('CHANNEL', () => {
  it('has its defaults', () => {
    for (const kind of ['GRID', 'LEVELS', 'SCALE'] as const) {
      expect(channel(kind)).toMatchObject({
        type: 'CHANNEL',
        flavor: kind,
        timeFrame: null,
        onetime: false,
        startBuy: false,
        trailUp: false,
        stopAbove: null,
        stopBelow: null,
        sellOnExit: false,
        entryPrice: null,
      });
    }
  });

  it.each([
    [{ flavor: undefined }, 'flavor: missing; must be one of GRID, LEVELS, SCALE'],
    [{ flavor: 'grid' }, 'flavor: must be one of GRID, LEVELS, SCALE, got "grid"'],
    [{ flavor: 'LEVELS' }, 'levels: missing; flavor LEVELS needs pairs of buy and sell'],
    [{ flavor: 'SCALE' }, 'scale: missing; flavor SCALE needs orders, step and takeProfit'],
    [{ grid: undefined }, 'grid: missing; flavor GRID needs low, high and count'],
    [{ stopAbove: 0 }, 'stopAbove: must be a decimal above 0, got 0'],
    [{ stopBelow: '0.001' }, 'stopBelow: must be at least 0.01, the tick size of BTCUSDT, got 0.001'],
    [{ stopAbove: '100', stopBelow: '100' }, 'stopAbove: must be above stopBelow 100, got 100'],
    [{ sellOnExit: 'yes' }, 'sellOnExit: must be true or false, got "yes"'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('GRID', changes)).toEqual([problem]);
  });

  it('warns of fields that its flavor does not look at', () => {
    expect(warnings('GRID', { entryPrice: '40000', levels: [], scale: {} })).toEqual([
      'levels: has no effect with flavor GRID; it is for LEVELS',
      'scale: has no effect with flavor GRID; it is for SCALE',
      'entryPrice: has no effect with flavor GRID; it is for SCALE',
    ]);
    expect(warnings('SCALE', { startBuy: true, trailUp: true, grid: {} })).toEqual([
      'grid: has no effect with flavor SCALE; it is for GRID',
      'startBuy: has no effect with flavor SCALE; it is for GRID',
      'trailUp: has no effect with flavor SCALE; it is for GRID',
    ]);
    expect(warnings('LEVELS', { stopAbove: '60000', stopBelow: '30000', sellOnExit: true })).toEqual([]);
  });

  it('does not look at what it warns of', () => {
    const of = { startBuy: true, trailUp: true };
    expect(warnings('LEVELS', of)).toHaveLength(2);
    expect(channel('LEVELS', of)).toMatchObject({ startBuy: false, trailUp: false });
    expect(channel('GRID', of)).toMatchObject(of);
    const entryPrice = '40000';
    expect([channel('GRID', { entryPrice }).entryPrice, channel('SCALE', { entryPrice }).entryPrice]).toEqual(
      [null, dec(entryPrice)],
    );
  });
});

// proves: bot cells GRID settings
describe('GRID', () => {
  const grid = (changes: Record<string, unknown>) => ({
    grid: { low: '40000', high: '50000', count: 5, ...changes },
  });

  it('has a cell between each two levels', () => {
    const { levels, cells, grid: read } = channel('GRID');
    expect(read).toEqual({ low: dec('40000'), high: dec('50000'), count: 5, spacing: 'arithmetic' });
    expect(levels.map(str)).toEqual(['40000', '42500', '45000', '47500', '50000']);
    expect(cells.map(({ low, high, share }) => `${str(low)} ${str(high)} ${share}`)).toEqual([
      '40000 42500 null',
      '42500 45000 null',
      '45000 47500 null',
      '47500 50000 null',
    ]);
  });

  it('keeps its levels off the tick, and its ends as they are given', () => {
    const geometric = channel('GRID', grid({ low: '40000.001', count: 3, spacing: 'geometric' }));
    expect(geometric.levels.map(str)).toEqual(['40000.001', '44721.3601090127848092747263067', '50000']);
  });

  it.each([
    [{ low: 0 }, 'low: must be a decimal above 0, got 0'],
    [{ low: '0.001' }, 'low: must be at least 0.01, the tick size of BTCUSDT, got 0.001'],
    [{ high: 'x' }, 'high: must be a decimal above 0, got "x"'],
    [{ high: '40000' }, 'high: must be above low 40000, got 40000'],
    [{ high: undefined }, 'high: missing; must be a decimal above 0'],
    [{ count: 1 }, 'count: must be an integer from 2 to 200, got 1'],
    [{ count: 201 }, 'count: must be an integer from 2 to 200, got 201'],
    [{ spacing: 'log' }, 'spacing: must be arithmetic or geometric, got "log"'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('GRID', grid(changes))).toEqual([`grid.${problem}`]);
  });

  // proves: bot cells fees
  it('names every cell that does not cover the fees, at the prices of its orders', () => {
    const link = {
      symbol: { base: 'LINK', quote: 'USDT' },
      grid: { low: '12.10', high: '12.13', count: 4 },
    };
    const cells = ['12.10-12.11', '12.11-12.12', '12.12-12.13'];
    expect(problems('GRID', link)).toEqual(
      cells.map((cell) => `grid: cell ${cell} does not cover the fees of 0.2 %`),
    );
    expect(compile('GRID', link).settings).toMatchObject({ flavor: 'GRID' });
    // 100.20 x 0.999 = 100.0998 and 100 x 1.001 = 100.1: one tick more is a profit.
    const one = (high: string) => problems('GRID', { ...link, grid: { low: '100', high, count: 2 } });
    expect(one('100.20')).toEqual(['grid: cell 100.00-100.20 does not cover the fees of 0.2 %']);
    expect(one('100.21')).toEqual([]);
    // 100.10 x 0.999 = 99.90 x 1.001: the proceeds equal the cost.
    expect(problems('GRID', { ...link, grid: { low: '99.90', high: '100.10', count: 2 } })).toHaveLength(1);
    // The target is rounded up and the entry down before they are compared.
    expect(one('100.201')).toEqual([]);
  });
});

// proves: bot cells LEVELS settings, bot cells LEVELS shares
describe('LEVELS', () => {
  const level = (changes: Record<string, unknown>) => ({ buy: '40000', sell: '41000', ...changes });

  it('has equal parts when no share is given', () => {
    const { cells, levels } = channel('LEVELS');
    expect(levels).toEqual([]);
    expect(cells).toEqual([
      { low: dec('40000'), high: dec('41000'), share: null },
      { low: dec('42000'), high: dec('44000'), share: null },
    ]);
  });

  it('has the shares that are given on all', () => {
    const levels = [level({ depositePercent: 60 }), level({ depositePercent: '40' })];
    expect(channel('LEVELS', { levels }).cells.map(({ share }) => share)).toEqual([dec('60'), dec('40')]);
    expect(problems('LEVELS', { levels: [level({ depositePercent: 60 }), level({})] })).toEqual([
      'levels[1].depositePercent: missing; give it on all levels or on none',
    ]);
    expect(problems('LEVELS', { levels: [level({ depositePercent: 90 })] })).toEqual([
      'levels: depositePercent adds up to 90, not 100',
    ]);
  });

  it.each([
    [{ sell: '40000' }, 'levels[0].sell: must be above buy 40000, got 40000'],
    [{ buy: undefined }, 'levels[0].buy: missing; must be a decimal above 0'],
    [{ buy: '0.001' }, 'levels[0].buy: must be at least 0.01, the tick size of BTCUSDT, got 0.001'],
    [{ depositePercent: 0 }, 'levels[0].depositePercent: must be a decimal above 0, got 0'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('LEVELS', { levels: [level(changes)] })).toContain(problem);
  });

  it('has 1 to 50 of them', () => {
    const rule = 'levels: must be an array of 1 to 50 entries';
    expect(problems('LEVELS', { levels: [] })).toEqual([`${rule}, got an array of 0`]);
    expect(problems('LEVELS', { levels: Array(51).fill(level({})) })).toEqual([
      `${rule}, got an array of 51`,
    ]);
    expect(problems('LEVELS', { levels: Array(50).fill(level({})) })).toEqual([]);
    expect(problems('LEVELS', { levels: level({}) })).toEqual([`${rule}, got an object`]);
    expect(problems('LEVELS', { levels: [5] })).toEqual(['levels[0]: must be an object, got 5']);
  });

  it('warns of a pair that does not cover the fees', () => {
    expect(warnings('LEVELS', { levels: [level({ sell: '40010' })] })).toEqual([
      'levels: cell 40000.00-40010.00 does not cover the fees of 0.2 %',
    ]);
  });
});

// proves: bot SCALE settings, bot SCALE deep
describe('SCALE', () => {
  const scale = (changes: Record<string, unknown>) => ({
    scale: { orders: 3, step: '1', takeProfit: '1', ...changes },
  });

  it('has its defaults', () => {
    expect(channel('SCALE').scale).toEqual({
      orders: 3,
      step: dec('1'),
      stepScale: dec('1'),
      size: null,
      sizeScale: dec('1'),
      takeProfit: dec('1'),
    });
    expect(channel('SCALE', { entryPrice: '40000' }).entryPrice).toBe(dec('40000'));
  });

  it.each([
    [{ orders: undefined }, 'orders: missing; must be an integer from 0 to 100'],
    [{ orders: 101 }, 'orders: must be an integer from 0 to 100, got 101'],
    [{ step: 0 }, 'step: must be a decimal above 0 and below 100, got 0'],
    [{ stepScale: 0 }, 'stepScale: must be a decimal above 0 and at most 100, got 0'],
    [{ size: '0' }, 'size: must be a decimal above 0, got "0"'],
    [{ sizeScale: -1 }, 'sizeScale: must be a decimal above 0 and at most 100, got -1'],
    [{ takeProfit: '0' }, 'takeProfit: must be a decimal above 0 and at most 1000000, got "0"'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('SCALE', scale(changes))).toEqual([`scale.${problem}`]);
  });

  it('rests no order at zero', () => {
    expect(problems('SCALE', scale({ step: '40' }))).toEqual([
      'scale: order 3 would be 120 % from the entry; it must be below 100',
    ]);
    expect(problems('SCALE', scale({ step: '33.3' }))).toEqual([]);
    expect(problems('SCALE', scale({ step: '25', stepScale: '1.5', orders: 2 }))).toEqual([]);
  });

  // proves: bot SCALE over-deposit
  it('does not need more than a fixed deposit, the base order included', () => {
    const sizes = { orders: 4, size: '20.48', sizeScale: '2' };
    const deposit = (value: string, rest = {}) => ({ deposit: { value, asset: 'USDT', ...rest } });
    expect(problems('SCALE', { ...scale(sizes), ...deposit('500') })).toEqual([
      'scale: 5 orders need 634.88 USDT, the deposit is 500',
    ]);
    expect(compile('SCALE', { ...scale(sizes), ...deposit('500') }).settings).not.toBeNull();
    expect(problems('SCALE', { ...scale(sizes), ...deposit('634.88') })).toEqual([]);
    expect(problems('SCALE', { ...scale(sizes), ...deposit('5', { strategy: 'percent' }) })).toEqual([]);
    const odd = { orders: 2, size: '100', sizeScale: '1.333333333' };
    expect(problems('SCALE', { ...scale(odd), ...deposit('300') })).toEqual([
      'scale: 3 orders need 411.11111099 USDT, the deposit is 300',
    ]);
  });

  it('of a short bot takes its profit above zero', () => {
    const short = { short: true, exchange: 'paper-futures', ...scale({ takeProfit: 100 }) };
    expect(problems('SCALE', short)).toEqual([
      'scale.takeProfit: must be below 100 for a short bot, got 100',
    ]);
  });

  it('is not confused by a block of another kind', () => {
    expect(problems('SCALE', { scale: LINE })).toHaveLength(3);
    expect(problems('SCALE', { scale: 'three' })).toEqual(['scale: must be an object, got "three"']);
  });
});
