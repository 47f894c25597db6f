/**
 * A stop rule works as it does alone, whatever rule stands before or behind it (strategies.md 2, "stop"): one
 * that is switched off, that looks at other candles, at another moment, or at a price that is far away.
 */
import { describe, expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { str } from '../../../src/domain/decimal.ts';
import { START } from '../../scenarios/scene.ts';
import { Lonely } from '../run/lonely.ts';
import { cell, cells, fibo, type Settings, stop } from './bots.ts';
import { LiveTest } from './live.ts';

const HOUR = 3_600_000;

/** Rules that do nothing while these tests last. */
const OTHERS: readonly (readonly [name: string, rule: Settings])[] = [
  ['that is switched off', stop('fixed', 'kline', { value: '99999' }, { disabled: true })],
  ['of larger candles', stop('fixed', 'kline', { value: '99999', closed: true, timeFrame: 6 * HOUR })],
  ['of a price that is far away', stop('fixed', 'kline', { value: '1' })],
  ['at the exchange that is far away', stop('fixed', 'exchange', { value: '1' })],
  ['of a later moment', stop('fixed', 'time', { value: '99999', time: START + 9 * HOUR })],
  ['of an age that is not reached', stop('timeout_buy', 'timeout', { value: String(9 * HOUR) })],
  ['that is never armed', stop('breakeven', 'kline', { value: '90' })],
];

/** Rules, prices by seconds after 1 BTC was bought at 100, and how each sells. */
const RULES: readonly (readonly [
  name: string,
  rule: Settings,
  prices: readonly (readonly [number, string | null])[],
  sale: string,
])[] = [
  [
    'fixed, of each tick',
    stop('fixed', 'kline', { value: '95' }),
    [
      [10, '95.5'],
      [20, '94.8'],
    ],
    '20 at 94.8',
  ],
  [
    'fixed, of closed candles',
    stop('fixed', 'kline', { value: '95', closed: true, timeFrame: 60_000 }),
    [
      [10, '94'],
      [30, '94.5'],
      [60, null],
    ],
    '60 at 94.5',
  ],
  [
    'fixed, at the exchange',
    stop('fixed', 'exchange', { value: '95' }),
    [
      [10, '96'],
      [20, '94'],
    ],
    '20 at 94',
  ],
  [
    'trailing',
    stop('trailing', 'kline', { value: '5' }),
    [
      [10, '104'],
      [20, '99'],
      [30, '98.8'],
    ],
    '30 at 98.8',
  ],
  [
    'trailing, at the exchange',
    stop('trailing', 'exchange', { value: '5' }),
    [
      [10, '104'],
      [20, '99'],
      [30, '98.5'],
    ],
    '30 at 98.5',
  ],
  [
    'break-even',
    stop('breakeven', 'kline', { value: '3' }),
    [
      [10, '103'],
      [20, '100.5'],
      [30, '100'],
    ],
    '30 at 100',
  ],
  [
    'of a moment',
    stop('fixed', 'time', { value: '95', time: START + 45_000 }),
    [
      [30, '103'],
      [50, '104'],
    ],
    '45 at 103',
  ],
  [
    'of an age',
    stop('timeout_buy', 'timeout', { value: '30000' }),
    [
      [20, '103'],
      [50, '104'],
    ],
    '32.001 at 103',
  ],
];

/** The sales of a run with these rules that has bought at 100 after two seconds. */
function sales(
  rules: readonly Settings[],
  prices: readonly (readonly [number, string | null])[],
  kind: string,
): string[] {
  const t = new LiveTest('CHANNEL', cell({ stop: rules }), { kind });
  t.tick(1, '105');
  t.tick(2, '100');
  for (const [seconds, price] of prices) {
    if (price === null) t.pass(seconds);
    else t.tick(seconds, price);
  }
  return t.market.fills.flatMap(({ side, at, price }) =>
    side === 'SELL' ? [`${(at - START) / 1_000} at ${str(price)}`] : [],
  );
}

describe.each(['spot', 'futures'])('on %s', (kind) => {
  it.each(RULES)('a rule %s sells as if it were alone', (_name, rule, prices, sale) => {
    expect(sales([rule], prices, kind)).toEqual([sale]);
    const beside = OTHERS.flatMap(([name, other]) =>
      [
        [other, rule],
        [rule, other],
      ].map((rules, at) => [`${at === 0 ? 'behind' : 'before'} one ${name}`, sales(rules, prices, kind)]),
    );
    expect(beside).toEqual(beside.map(([name]) => [name, [sale]]));
  });
});

describe('an entry', () => {
  it.each(OTHERS)('waits for the rule that would sell it at once, which stands behind one %s', (_, other) => {
    const bars = stop('fixed', 'exchange', { value: '46000' }, { complete: true });
    for (const rules of [
      [other, bars],
      [bars, other],
    ]) {
      const lonely = new Lonely('SCALE', { stop: rules }, '45000');
      lonely.tick('45900');
      expect(lonely.placed()).toEqual([]);
      lonely.tick('46001');
      expect(lonely.placed().map(({ role, type }) => `${role} ${type}`)).toEqual(['entry MARKET']);
    }
  });

  it('does not go out while the second of two rules is selling, and what is decided waits for that sale', () => {
    const lonely = new Lonely(
      'FIBO',
      {
        buyOnly: true,
        orders: { buy: { type: 'MARKET' } },
        channels: [
          { name: '0', fiboPrice: '40000', depositePercent: '50' },
          { name: '0.500', fiboPrice: '45000', depositePercent: '50' },
          { name: '1', fiboPrice: '50000', depositePercent: '0' },
        ],
        onetime: false,
        stop: [
          stop('fixed', 'kline', { value: '1' }),
          stop('price_percent_buy', 'exchange', { value: '5' }, { complete: true }),
        ],
      },
      '46000',
    );
    lonely.tick('45000');
    const [entry] = lonely.placed() as [RunOrder];
    lonely.fill(entry, '45000');
    lonely.change({ key: entry.key, kind: 'ended' });
    const [resting] = lonely.placed() as [RunOrder];
    expect(resting).toMatchObject({ role: 'exit', slot: 'stop:1' });
    lonely.change({ key: resting.key, kind: 'triggered' });
    lonely.tick('39900');
    expect([lonely.placed(), lonely.run.state.tick === null]).toEqual([[], false]);
    lonely.fill(resting, '39900');
    lonely.change({ key: resting.key, kind: 'ended' });
    expect([lonely.placed(), lonely.run.state.tick, lonely.run.state.stats.cycles]).toEqual([[], null, 1]);
  });

  it('is not bought at a tick at which the second of two rules sells', () => {
    const channels = [
      { name: '0', fiboPrice: '98', depositePercent: '50' },
      { name: '0.500', fiboPrice: '100', depositePercent: '50' },
      { name: '1', fiboPrice: '104', depositePercent: '0' },
    ];
    const rules = [
      stop('fixed', 'kline', { value: '1' }),
      stop('price_percent_buy', 'kline', { value: '1', closed: false }, { complete: true }),
    ];
    const orders = { buy: { type: 'MARKET' } };
    const t = new LiveTest('FIBO', fibo({ orders, channels, onetime: true, stop: rules }));
    for (const [seconds, price] of [
      [0, '102'],
      [10, '100'],
      [20, '97.5'],
      [30, '99'],
    ] as const)
      t.tick(seconds, price);
    expect(t.market.fills.map(({ side, price }) => `${side} at ${str(price)}`)).toEqual([
      'BUY at 100',
      'SELL at 97.5',
    ]);
    expect(t.run.state).toMatchObject({ phase: 'ended', reason: 'completed' });
  });
});

describe('maxStops of one rule', () => {
  const rest = { snoozeDuration: HOUR };
  const two = (first: Settings, second: Settings) => {
    const stops = [
      stop('fixed', 'kline', { value: '97' }, first),
      stop('fixed', 'kline', { value: '95' }, second),
    ];
    const pairs = [
      ['100', '110'],
      ['98', '120'],
    ] as const;
    const t = new LiveTest('CHANNEL', cells(pairs, { stop: stops }));
    const sold: string[] = [];
    for (const [i, price] of ['105', '98', '97', '95'].entries()) {
      t.tick(10 * i, price);
      sold.push(`${t.run.state.reason ?? t.run.state.phase}`);
    }
    expect(t.market.fills.filter(({ side }) => side === 'BUY')).toHaveLength(2);
    return sold.slice(2);
  };

  it('counts what all of them have sold, but ends the run only when that rule itself sells', () => {
    expect(two(rest, rest)).toEqual(['running', 'running']);
    expect(two({ ...rest, maxStops: 1 }, rest)).toEqual(['max stops', 'max stops']);
    expect(two(rest, { ...rest, maxStops: 1 })).toEqual(['running', 'max stops']);
    expect(two(rest, { ...rest, maxStops: 2 })).toEqual(['running', 'max stops']);
    expect(two({ ...rest, maxStops: 2 }, rest)).toEqual(['running', 'running']);
    expect(two(rest, { ...rest, maxStops: 3 })).toEqual(['running', 'running']);
  });
});
