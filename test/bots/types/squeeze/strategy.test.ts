/** SQUEEZE in action: momentum filters, trailed exits, states (strategies.md 5). */
import { describe, it } from 'vitest';
import type { CandleRow } from '../../../scenarios/scenario.ts';
import { plays, START } from '../../../scenarios/scene.ts';
import { type Settings, squeeze, stop } from '../../rules/bots.ts';

/** A flat minute at 100 before the start, then one from 100 to 102 with a high of 110. */
const RISE = ['0 100', '20 110', '40 102'];
const PAST: readonly CandleRow[] = [-2, -1].map((minute) => [
  START + minute * 60_000,
  '100',
  '100',
  '100',
  '100',
  '1',
]);

const filtered = (rule: Settings, changes: Settings = {}) => squeeze({ trailingRules: [rule], ...changes });

describe('a second cycle', () => {
  // proves: bot orders sell fixed
  it('sells at a target of its own where one target is fixed for each cycle', async () => {
    // Bought at 99 and sold at 99.99; then 1 % below a low of 99.5, and 1 % above that.
    await plays('SQUEEZE', {
      settings: squeeze({ orders: { sell: { priceStrategy: 'fixed' } } }),
      events: ['0 100', '60', '70 99', '80 100', '119 99.6', '125 99.5', '180', '190 98.4'],
      open: 'SELL LIMIT 99.49 1.015',
    });
  });
});

it('one target that is fixed for the cycle is that of its first fill, wherever the rest of the entry fills', async () => {
  // The close puts the entry at 99, above the price: the part that takes costs 98, the rest is bought at 99.
  await plays('SQUEEZE', {
    participation: '1',
    settings: squeeze({ trailingEdge: 'high', orders: { sell: { priceStrategy: 'fixed' } } }),
    events: ['0 100', '59 98 x0.4', '60', '70 98.5 x0.3'],
    fills: ['60 BUY 0.4 at 98 taker', '70 BUY 0.3 at 99 maker'],
    open: 'BUY LIMIT 99 0.31; SELL LIMIT 98.98 0.7',
  });
});

it('the half that is trailed takes along what the cycle before was too small to sell', async () => {
  await plays('SQUEEZE', {
    settings: squeeze({ trailingPart: true }),
    rules: { makerRate: '0.0002', takerRate: '0.0002' },
    events: [
      '0 100',
      '60',
      '70 99',
      '80 100.5',
      '90 95',
      '119 100',
      '120',
      '130 94',
      '140 95.5',
      '150 90',
      '179 95.2',
    ],
    // 1.009798 was bought, then 1.062787: with 0.000798 left of the first it is 1.063585.
    fills: [
      '70 BUY 1.01 at 99 maker',
      '80 SELL 0.504 at 99.99 maker',
      '119 SELL 0.505 at 100 taker',
      '130 BUY 1.063 at 94.05 maker',
      '140 SELL 0.531 at 95 maker',
      '179 SELL 0.532 at 95.2 taker',
    ],
  });
});

describe('a trailing entry', () => {
  // With a filter every tick is checked, not only those that may move the entry.
  it.each([
    ['alone', {}],
    ['beside a filter', { filters: { price: { minVal: '1' } } }],
  ])(
    'moves within a candle by at least a thousandth of where it is, each time, and never back (%s)',
    async (_, changes) => {
      await plays('SQUEEZE', {
        settings: squeeze({ trailing: true, trailingEdge: 'high', ...changes }),
        events: [
          '0 100',
          '60',
          '60 open: BUY LIMIT 99 1.01',
          '65 100.09',
          '65 open: BUY LIMIT 99 1.01',
          '70 101',
          '70 open: BUY LIMIT 99.99 1',
          '75 101.1',
          '75 open: BUY LIMIT 99.99 1',
          '80 101.2',
          '80 open: BUY LIMIT 100.18 0.998',
          '85 101',
          '85 open: BUY LIMIT 100.18 0.998',
        ],
      });
    },
  );
});

describe('with oncePerTimeFrame', () => {
  it.each([false, true])(
    'nothing is bought between a sale and the next close, wherever the price goes (trailing: %s)',
    async (trailing) => {
      await plays('SQUEEZE', {
        settings: squeeze({ oncePerTimeFrame: true, trailing, trailingEdge: 'close' }),
        events: [
          '0 100',
          '60',
          '70 99',
          '80 100',
          '80 open: none',
          '90 103',
          '90 open: none',
          '100 105',
          '110 90',
          '110 open: none',
          '119 101',
          '120',
          '120 open: BUY LIMIT 99.99 1',
        ],
        fills: ['70 BUY 1.01 at 99 maker', '80 SELL 1.01 at 99.99 maker'],
      });
    },
  );
});

it('what it has bought is too little to be sold: the next entry rests, and no cycle was completed', async () => {
  await plays('SQUEEZE', {
    settings: squeeze(),
    participation: '1',
    rules: { minNotional: '5' },
    events: ['0 100', '60', '70 99 x0.02', '119 100', '120'],
    fills: ['70 BUY 0.02 at 99 maker'],
    open: 'BUY LIMIT 98.01 1.02',
    stats: { cycles: 0 },
  });
});

describe('after a sale by a rule', () => {
  it('nothing is bought before the next close, whatever the price does', async () => {
    const rule = stop('price_percent_buy', 'kline', { value: '5' }, { complete: true });
    await plays('SQUEEZE', {
      settings: squeeze({ stop: rule }),
      // The entry from the close before would be at 99: far above the price that follows the sale.
      events: [
        '0 100',
        '60',
        '70 99',
        '80 94',
        '80 open: none',
        '85 95',
        '90 98',
        '119.999 open: none',
        '120',
      ],
      fills: ['70 BUY 1.01 at 99 maker', '80 SELL 1.01 at 94 taker'],
      open: 'BUY LIMIT 93.06 1.074',
    });
  });
});

describe('a momentum filter', () => {
  // proves: bot SQUEEZE filter-edge
  it('compares the edge of its own, the close unless given', async () => {
    const scene = { history: PAST, events: [...RISE, '60'] };
    const pump = { type: 'pump_filter', maxChange: 3 };
    // Closes rose by 2 %, highs by 10 %.
    await plays('SQUEEZE', { ...scene, settings: filtered(pump), open: 'BUY LIMIT 99 1.01' });
    await plays('SQUEEZE', {
      ...scene,
      settings: filtered({ ...pump, edge: 'high' }),
      open: 'none',
      state: 'filtered',
    });
    await plays('SQUEEZE', { ...scene, settings: filtered({ ...pump, maxChange: 2 }), open: 'none' });
    // From a high of 108 to one of 110 the rise is smaller.
    const before: CandleRow[] = [[START - 60_000, '100', '108', '100', '100', '1']];
    const settings = filtered({ ...pump, edge: 'high' });
    await plays('SQUEEZE', { ...scene, history: before, settings, open: 'BUY LIMIT 99 1.01' });
  });

  // proves: bot SQUEEZE filter-between, bot SQUEEZE filter-timeout
  it('that goes off between closes puts the entry back at once', async () => {
    const rule = { type: 'pump_filter', maxChange: 2, timeout: 30_000 };
    await plays('SQUEEZE', {
      history: PAST,
      settings: filtered(rule),
      events: [...RISE, '60', '89.999 102', '89.999 open: none', '90'],
      open: 'BUY LIMIT 99 1.01',
    });
  });

  it('that goes off after a sale lets nothing be bought before the next close, with oncePerTimeFrame', async () => {
    const price = { percent: { buy: '1', sell: '10' } };
    const rule = { type: 'pump_filter', maxChange: 3, timeout: 30_000 };
    await plays('SQUEEZE', {
      settings: filtered(rule, { oncePerTimeFrame: true, price }),
      // The candle of the entry rises by 4 % while it is held.
      events: [
        '0 100',
        '60',
        '70 99',
        '119 104',
        '130 108.9',
        '150',
        '150 open: none',
        '170 104',
        '170 open: none',
        '180',
      ],
      fills: ['70 BUY 1.01 at 99 maker', '130 SELL 1.01 at 108.9 maker'],
      open: 'BUY LIMIT 102.96 0.971',
    });
  });

  it('that comes on again while it is on lasts from then on', async () => {
    await plays('SQUEEZE', {
      settings: filtered({ type: 'pump_filter', maxChange: 3, timeout: 90_000 }),
      history: PAST,
      // Rises of 3 % and more until 60 and until 120, none after that.
      events: ['0 100', '59 103', '60', '119 107', '120', '150', '150 open: none', '179 107', '180', '210'],
      open: 'BUY LIMIT 105.93 0.944',
    });
  });

  it('of several the last one that goes off puts the entry back', async () => {
    const rule = { type: 'pump_filter', maxChange: 2 };
    const trailingRules = [30_000, 90_000].map((timeout) => ({ ...rule, timeout }));
    await plays('SQUEEZE', {
      history: PAST,
      settings: squeeze({ trailingRules }),
      events: [...RISE, '60', '70 102', '90', '90 open: none', '119 102', '120', '149.999 open: none', '150'],
      open: 'BUY LIMIT 100.98 0.99',
    });
  });

  it('of falls compares a candle with the one before it, whatever count it has', async () => {
    await plays('SQUEEZE', {
      history: PAST,
      settings: filtered({ type: 'dump_filter', maxChange: 3, count: 3 }),
      // A fall of 3.6 %, though it has risen over three candles.
      events: ['0 100', '59 110', '60', '61 110', '119 106', '120'],
      open: 'none',
      state: 'filtered',
    });
  });

  // proves: bot SQUEEZE filter-short
  it('is not mirrored for a short', async () => {
    for (const [type, open] of [
      ['pump_filter', 'none'],
      ['dump_filter', 'SELL LIMIT 111.1 0.9'],
    ]) {
      await plays('SQUEEZE', {
        futures: true,
        history: PAST,
        settings: filtered({ type, maxChange: 2 }, { short: true }),
        events: [...RISE, '60'],
        open,
      });
    }
  });
});

describe('a trailed exit', () => {
  // proves: bot SQUEEZE trailingSell-gap, bot SQUEEZE trailingSell, bot SQUEEZE trailingDelta
  it('sells nothing below the target less its delta, until the price is back above', async () => {
    // Bought at 99, target 108.9; 2 % below it is 106.722; 2 % below the peak of 112 is 109.76.
    await plays('SQUEEZE', {
      settings: squeeze({
        trailingSell: true,
        trailingDelta: '2',
        price: { percent: { buy: '1', sell: '10' } },
      }),
      events: ['0 100', '60', '70 99', '80 112', '90 106.72', '100 105', '110 106.73'],
      fills: ['70 BUY 1.01 at 99 maker', '110 SELL 1.01 at 106.73 taker'],
    });
  });
});

describe('the state', () => {
  // proves: bot SQUEEZE states
  it.each<[string, Settings, string[]]>([
    ['waiting', {}, ['0 100', '60']],
    ['holding', {}, ['0 100', '60', '70 99']],
    ['trailing_sell', { trailingSell: true }, ['0 100', '60', '70 99', '80 100']],
    ['paused', { range: { type: 'price', min: '103' } }, ['0 104', '10 102.99', '60']],
    ['completed', { onetime: true }, ['0 100', '60', '70 99', '80 100']],
  ])('%s', async (state, settings, events) => {
    await plays('SQUEEZE', { settings: squeeze(settings), events, state });
  });
});
