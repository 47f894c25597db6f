/** INTRADAY in action: entries, targets, its break-even stop, its ends and states (strategies.md 6). */
import { describe, expect, it } from 'vitest';
import type { RunOrder } from '../../../../src/bots/run/contract.ts';
import { restingStop } from '../../../../src/bots/run/stops.ts';
import type { StopRule } from '../../../../src/bots/settings/compiled.ts';
import { dec, str } from '../../../../src/domain/decimal.ts';
import { at, level, plays } from '../../../scenarios/scene.ts';
import { PAIR, type Settings, stop } from '../../rules/bots.ts';
import { Lonely } from '../../run/lonely.ts';
import { NOW } from '../../settings/support.ts';

/** A level of 100: touched at 100.1, entered 0.2 % above the lowest price since then. */
function bounce(changes: Settings = {}): Settings {
  return {
    ...PAIR,
    deposit: { value: '100', asset: 'USDT' },
    mode: 'bounce',
    trend: level(100),
    takeProfits: [{ percent: '10', size: 100 }],
    ...changes,
  };
}
/** Touched at 100 and bought at 100.2. */
const BOUGHT = ['0 105', '10 100', '20 100.2'];
const BUY = '20 BUY 0.998 at 100.2 taker';
const HALVES = [
  { price: '105', size: 50 },
  { price: '110', size: 50 },
];

describe('the entry', () => {
  // proves: bot INTRADAY entry
  it('is MARKET for the whole deposit, or as orders.buy says', async () => {
    await plays('INTRADAY', { settings: bounce(), events: BOUGHT, fills: [BUY] });
    const settings = bounce({ orders: { buy: { type: 'LIMIT', price: 1 } } });
    // A LIMIT 1 % above 100.2: 100 / 101.2 = 0.988...
    await plays('INTRADAY', { settings, events: BOUGHT, fills: ['20 BUY 0.988 at 100.2 taker'] });
  });
});

it('a line that was broken and is lost again has to be broken anew, also where one price falls through all of it', async () => {
  const settings = bounce({ mode: 'breakout', retest: true });
  const lost = ['0 99', '10 100.5', '20 98.5', '30 99.5', '40 99.9'];
  await plays('INTRADAY', { settings, events: lost, fills: [], state: 'watching' });
  await plays('INTRADAY', {
    settings,
    events: [...lost, '50 100.5', '60 100', '70 100.3'],
    fills: ['70 BUY 0.997 at 100.3 taker'],
  });
});

describe('take-profits', () => {
  // proves: bot INTRADAY targets-price
  it('may be prices', async () => {
    await plays('INTRADAY', {
      settings: bounce({ takeProfits: HALVES }),
      events: BOUGHT,
      fills: [BUY],
      open: 'SELL LIMIT 105 0.499; SELL LIMIT 110 0.499',
    });
  });
});

describe('the break-even stop', () => {
  it('counts no take-profit that was too small to be placed', async () => {
    const takeProfits = [
      { price: '104', size: 2 },
      { price: '105', size: 49 },
      { price: '110', size: 49 },
    ];
    await plays('INTRADAY', {
      settings: bounce({ takeProfits, breakevenAfter: 2 }),
      events: [...BOUGHT, '30 105', '40 100.2', '50 100.1'],
      fills: [BUY, '30 SELL 0.489 at 105 maker'],
      open: 'SELL LIMIT 110 0.509',
    });
  });

  // proves: bot INTRADAY breakeven-uncounted, bot INTRADAY breakevenAfter
  it('does not count for maxStops', async () => {
    const rule = stop('fixed', 'kline', { value: '50' }, { maxStops: 1 });
    await plays('INTRADAY', {
      settings: bounce({ takeProfits: HALVES, breakevenAfter: 1, maxEntries: 2, stop: rule }),
      events: [...BOUGHT, '30 105', '40 100.2'],
      fills: [BUY, '30 SELL 0.499 at 105 maker', '40 SELL 0.499 at 100.2 taker'],
      status: 'STARTED',
      stats: { cycles: 1 },
    });
  });
});

describe('a second cycle', () => {
  it('has all its take-profits and no break-even stop, whatever the first one had sold by then', async () => {
    await plays('INTRADAY', {
      settings: bounce({ takeProfits: HALVES, breakevenAfter: 1, maxEntries: 3 }),
      events: [...BOUGHT, '30 105', '40 100.2', '50 105', '60 100', '70 100.2', '80 100.1'],
      fills: [
        BUY,
        '30 SELL 0.499 at 105 maker',
        '40 SELL 0.499 at 100.2 taker',
        '70 BUY 0.998 at 100.2 taker',
      ],
      open: 'SELL LIMIT 105 0.499; SELL LIMIT 110 0.499',
    });
  });

  it('takes along what the first one was too small to sell', async () => {
    await plays('INTRADAY', {
      settings: bounce({ maxEntries: 3 }),
      rules: { makerRate: '0.0004', takerRate: '0.0004' },
      // 0.9976008 is bought each time, and 0.0006008 is left of the first.
      events: [...BOUGHT, '30 110.22', '40 105', '50 100', '60 100.2'],
      fills: [BUY, '30 SELL 0.997 at 110.22 maker', '60 BUY 0.998 at 100.2 taker'],
      open: 'SELL LIMIT 110.22 0.998',
    });
  });
});

describe('the end', () => {
  // proves: bot INTRADAY expiresAt
  it('is expired when no position is open at that time, or as soon as none is', async () => {
    const settings = bounce({ expiresAt: at(25), maxEntries: 2 });
    await plays('INTRADAY', {
      settings,
      events: ['0 105', '10 100', '24.999', '25'],
      fills: [],
      status: 'STOPPED',
      state: 'expired',
      reason: 'expired',
    });
    await plays('INTRADAY', {
      settings,
      events: [...BOUGHT, '30 101', '40 110.22'],
      fills: [BUY, '40 SELL 0.998 at 110.22 maker'],
      reason: 'expired',
    });
  });

  it('buys no more of an entry that has filled in part, and lets its take-profits sell that', async () => {
    await plays('INTRADAY', {
      participation: '1',
      settings: bounce({
        mode: 'breakout',
        orders: { buy: { type: 'LIMIT', price: 1 } },
        takeProfits: [
          { percent: '1', size: 50 },
          { percent: '2', size: 50 },
        ],
        maxEntries: 2,
        expiresAt: at(25),
      }),
      events: [
        '0 99',
        '10 100.2 x0.4',
        '10 open: BUY LIMIT 101.2 0.588; SELL LIMIT 101.21 0.2; SELL LIMIT 102.21 0.2',
        '25',
        '25 open: SELL LIMIT 101.21 0.2; SELL LIMIT 102.21 0.2',
        '30 100.1 x3',
        '40 103 x3',
      ],
      fills: ['10 BUY 0.4 at 100.2 taker', '40 SELL 0.2 at 101.21 maker', '40 SELL 0.2 at 102.21 maker'],
      status: 'STOPPED',
      reason: 'expired',
    });
  });

  // proves: bot INTRADAY expires-completed, bot INTRADAY cycle
  it('is completed when maxEntries is reached by then', async () => {
    await plays('INTRADAY', {
      settings: bounce({ expiresAt: at(25) }),
      events: [...BOUGHT, '30 101', '40 110.22'],
      reason: 'completed',
    });
    const guarded = bounce({ stop: stop('fixed', 'kline', { value: '95' }, { complete: true }) });
    await plays('INTRADAY', {
      settings: guarded,
      events: [...BOUGHT, '30 95'],
      fills: [BUY, '30 SELL 0.998 at 95 taker'],
      reason: 'completed',
      stats: { cycles: 1 },
    });
  });
});

describe('a stop of its own order', () => {
  // proves: bot INTRADAY stop-order, bot INTRADAY stop-correction
  it.each(['kline', 'exchange'])(
    'rests at the venue, whether its trigger says kline or exchange: %s',
    async (type) => {
      const order = { type: 'STOP_MARKET', stopPrice: '95', correction: 1 };
      await plays('INTRADAY', {
        futures: true,
        settings: bounce({ stop: { strategy: 'fixed', trigger: { type }, order, complete: true } }),
        events: BOUGHT,
        // 1 % below 95.
        open: 'SELL LIMIT 110.22 0.998; SELL STOP_MARKET @94.05 0.998',
      });
      const limit = { type: 'STOP_LIMIT', stopPrice: '95' };
      await plays('INTRADAY', {
        futures: true,
        settings: bounce({ stop: { strategy: 'fixed', trigger: { type }, order: limit, complete: true } }),
        events: BOUGHT,
        open: 'SELL LIMIT 110.22 0.998; SELL STOP_LIMIT 95 @95 0.998',
      });
    },
  );

  // proves: bot INTRADAY stop-correction
  it.each([
    ['long', false, '99'],
    ['short', true, '101'],
  ])('rests further away on the losing side by its correction, of a %s position', (_way, short, at) => {
    const order = { type: 'STOP_MARKET', correction: dec('1') } as const;
    expect(str(restingStop({ order } as unknown as StopRule, dec('100'), short))).toBe(at);
  });
});

describe('maxEntries', () => {
  const CYCLE = ['30 101', '40 110.22'];
  const AGAIN = ['50 105', '60 100', '70 100.2', '80 101', '90 110.22'];
  const SOLD = '40 SELL 0.998 at 110.22 maker';

  // proves: bot INTRADAY maxEntries
  it('is one cycle unless given, and otherwise as many as it says', async () => {
    await plays('INTRADAY', {
      settings: bounce(),
      events: [...BOUGHT, ...CYCLE, ...AGAIN],
      fills: [BUY, SOLD],
      reason: 'completed',
      stats: { cycles: 1 },
    });
    await plays('INTRADAY', {
      settings: bounce({ maxEntries: 2 }),
      events: [...BOUGHT, ...CYCLE, ...AGAIN, '100 105', '110 100', '120 100.2'],
      fills: [BUY, SOLD, '70 BUY 0.998 at 100.2 taker', '90 SELL 0.998 at 110.22 maker'],
      reason: 'completed',
      stats: { cycles: 2 },
    });
  });
});

describe('the state', () => {
  // proves: bot INTRADAY states
  it.each<[string, Settings, string[]]>([
    ['watching', {}, ['0 105']],
    ['touched', {}, ['0 105', '10 100.1']],
    ['broken', { mode: 'breakout', retest: true }, ['0 99', '10 100.2']],
    ['broken', { mode: 'breakout', retest: true }, ['0 99', '10 100.2', '20 100']],
    ['holding', {}, BOUGHT],
    ['expired', { expiresAt: at(5) }, ['0 105', '5']],
    ['completed', {}, [...BOUGHT, '30 110.22']],
  ])('%s', async (state, settings, events) => {
    await plays('INTRADAY', { settings: bounce(settings), events, state });
  });
});

it('the break-even stop looks at the very next tick where the take-profit that arms it fills between two', () => {
  const takeProfits = [
    { percent: '1', size: 60 },
    { percent: '2', size: 40 },
  ];
  const trend = { [NOW]: 45000, [NOW + 1000]: 45000 };
  const lonely = new Lonely('INTRADAY', { mode: 'breakout', trend, takeProfits, breakevenAfter: 1 }, '44000');
  lonely.tick('45200');
  const [entry] = lonely.placed() as [RunOrder];
  lonely.fill(entry, '45200');
  const [first, second] = lonely.placed() as [RunOrder, RunOrder];
  for (const { key } of [first, second]) lonely.change({ key, kind: 'accepted' });
  // The tick before has been decided about.
  lonely.tick('45600');
  lonely.part(first, first.qty, '45652');
  lonely.asked();
  lonely.tick('45100');
  expect(lonely.asked()).toContainEqual({ do: 'cancel', key: second.key });
  lonely.change({ key: second.key, kind: 'ended' });
  expect(lonely.placed()).toMatchObject([{ type: 'MARKET', side: 'SELL', label: 'break-even stop' }]);
});
