/**
 * Every stop strategy with every trigger, long and short, on the tick market and on a desk (strategies.md 2,
 * "stop").
 */
import { describe, expect, it } from 'vitest';
import { at, level, line, plays, refusesToStart } from '../../scenarios/scene.ts';
import { problems } from '../settings/support.ts';
import { cell, cells, type Settings, stop } from './bots.ts';

/** Bought 1 at 100 ten seconds after the start; its exit rests at 110. */
const BOUGHT = ['0 105', '10 100'];
const BUY = '10 BUY 1 at 100 maker';

const guarded = (rule: Settings) => cell({ stop: { ...rule, complete: true } });
/** On futures both the exit and the stop rest: checks the open orders and the fills. */
async function rests(rule: Settings, open: string, events: readonly string[], fills: readonly string[]) {
  const all = [...BOUGHT, `10 open: SELL LIMIT 110 1; ${open}`, ...events];
  await plays('CHANNEL', { futures: true, settings: guarded(rule), events: all, fills: [BUY, ...fills] });
}

/** A rule checked at each tick: nothing happens at the first prices, it sells at the last. */
async function looks(rule: Settings, events: readonly string[], fill: string) {
  const settings = guarded(rule);
  const [first, last] = [events.slice(0, -1), events.slice(-1)];
  const seen = Math.max(50, ...first.map((event) => Number.parseInt(event, 10)));
  const before = [...BOUGHT, ...first, `${seen} open: SELL LIMIT 110 1`, ...last];
  await plays('CHANNEL', { settings, events: before, fills: [BUY, fill] });
}

describe('a rule that looks at candles sells when', () => {
  // proves: bot stop price kline, bot line value
  it('price: the price is at or below the line of that moment', async () => {
    await looks(
      stop('price', 'kline', { value: line(94, 96, 120) }),
      ['20 94.4', '60 95'],
      '60 SELL 1 at 95 taker',
    );
  });

  // proves: bot stop price_percent_buy kline
  it('price_percent_buy: it is that much below the average entry', async () => {
    await looks(
      stop('price_percent_buy', 'kline', { value: '5' }),
      ['20 95.01', '60 95'],
      '60 SELL 1 at 95 taker',
    );
  });

  // proves: bot stop trend_percent_price kline
  it('trend_percent_price: it is that much below the line', async () => {
    const rule = stop('trend_percent_price', 'kline', { value: line(100, 104, 120), percent: '5' });
    await looks(rule, ['20 96', '60 96.9'], '60 SELL 1 at 96.9 taker');
  });

  // proves: bot stop breakeven kline
  it('breakeven: it has been that much above the entry and is back at the entry', async () => {
    const rule = stop('breakeven', 'kline', { value: '5' });
    await looks(rule, ['20 99', '30 105', '40 100.01', '60 100'], '60 SELL 1 at 100 taker');
  });

  // proves: bot stop timeout_buy kline
  it('timeout_buy: the first lot is too old at a tick, or at a close', async () => {
    const ticks = stop('timeout_buy', 'kline', { value: '50000' });
    await looks(ticks, ['45 101', '61 102'], '61 SELL 1 at 102 taker');
    const closes = stop('timeout_buy', 'kline', { value: '50000', closed: true });
    await looks(closes, ['45 101', '60', '90 102', '120'], '120 SELL 1 at 102 taker');
  });

  // proves: bot stop fixed kline
  it('fixed: it is at a plain price, of its own or of its order', async () => {
    await looks(stop('fixed', 'kline', { value: '95' }), ['20 95.01', '60 95'], '60 SELL 1 at 95 taker');
    const order = { type: 'MARKET', stopPrice: '95' };
    await looks({ ...stop('fixed', 'kline'), order }, ['20 95.01', '60 95'], '60 SELL 1 at 95 taker');
  });

  // proves: bot stop trailing kline
  it('trailing: it is that much below the highest price since the entry', async () => {
    const rule = stop('trailing', 'kline', { value: '5' });
    await looks(rule, ['20 108', '40 102.61', '60 102.6'], '60 SELL 1 at 102.6 taker');
  });
});

describe('a rule at the exchange is a stop order', () => {
  // proves: bot stop price exchange, bot stop-rule exchange-line
  it('price: at the height of its line', async () => {
    const rule = stop('price', 'exchange', { value: level(95) });
    await rests(rule, 'SELL STOP_MARKET @95 1', ['20 95.01', '30 94.5'], ['30 SELL 1 at 94.5 taker']);
  });

  // proves: bot stop price_percent_buy exchange
  it('price_percent_buy: that much below the average entry', async () => {
    const rule = stop('price_percent_buy', 'exchange', { value: '5' });
    await rests(rule, 'SELL STOP_MARKET @95 1', ['20 95.01', '30 95'], ['30 SELL 1 at 95 taker']);
  });

  // proves: bot stop breakeven exchange, bot stop-rule exchange-placed
  it('breakeven: at the entry, as soon as it is armed', async () => {
    const settings = guarded(stop('breakeven', 'exchange', { value: '5' }));
    const events = [
      ...BOUGHT,
      '20 104.99',
      '20 open: SELL LIMIT 110 1',
      '30 105',
      '30 open: SELL LIMIT 110 1; SELL STOP_MARKET @100 1',
      '40 99.5',
    ];
    const fills = [BUY, '40 SELL 1 at 99.5 taker'];
    await plays('CHANNEL', { futures: true, settings, events, fills });
  });

  // proves: bot stop fixed exchange
  it('fixed: at its plain price', async () => {
    const rule = stop('fixed', 'exchange', { value: '95' });
    await rests(rule, 'SELL STOP_MARKET @95 1', ['20 95.01', '30 95'], ['30 SELL 1 at 95 taker']);
  });

  // proves: bot stop trailing exchange, bot stop-rule exchange-replaced
  it('trailing: below the highest price, moved up with it', async () => {
    const rule = stop('trailing', 'exchange', { value: '5' });
    await rests(
      rule,
      'SELL STOP_MARKET @95 1',
      ['20 108', '20 open: SELL LIMIT 110 1; SELL STOP_MARKET @102.6 1', '30 104', '40 102.6'],
      ['40 SELL 1 at 102.6 taker'],
    );
  });

  // proves: bot stop trend_percent_price exchange, bot stop timeout_buy exchange, bot start-error stop-exchange
  it.each([
    ['trend_percent_price', { value: level(100), percent: '2' }],
    ['timeout_buy', { value: '60000' }],
  ])('but not %s, which cannot rest there', async (strategy, trigger) => {
    const settings = guarded(stop(strategy, 'exchange', trigger));
    const words = `stop[0]: ${strategy} cannot rest at the exchange`;
    await refusesToStart('CHANNEL', { settings, events: [] }, words);
    expect(problems('FIBO', { stop: stop(strategy, 'exchange', trigger) })).toEqual([words]);
  });
});

const VALUES: Readonly<Record<string, Settings>> = {
  price: { value: level(200) },
  price_percent_buy: { value: '5' },
  trend_percent_price: { value: level(200), percent: '5' },
  breakeven: { value: '5' },
  timeout_buy: { value: '1' },
  fixed: { value: '200' },
  trailing: { value: '5' },
};

describe('a rule of type time', () => {
  // proves: bot stop price time, bot stop price_percent_buy time, bot stop trend_percent_price time
  // proves: bot stop breakeven time, bot stop timeout_buy time, bot stop fixed time, bot stop trailing time
  it.each(Object.entries(VALUES))('%s sells once at its moment, and not before', async (strategy, value) => {
    const settings = guarded(stop(strategy, 'time', { ...value, time: at(45) }));
    await plays('CHANNEL', {
      settings,
      events: [
        ...BOUGHT,
        '20 90',
        '30 103',
        '44.999',
        '44.999 open: SELL LIMIT 110 1',
        '45',
        '60 100',
        '120 90',
      ],
      fills: [BUY, '45 SELL 1 at 103 taker', '60 BUY 1 at 100 maker'],
      open: 'SELL LIMIT 110 1',
    });
  });

  // proves: bot stop-rule time-flat
  it('does nothing when no position is open, also later', async () => {
    const settings = guarded(stop('fixed', 'time', { time: at(5) }));
    await plays('CHANNEL', {
      settings,
      events: [...BOUGHT, '60 101'],
      fills: [BUY],
      open: 'SELL LIMIT 110 1',
    });
  });
});

describe('a rule of type timeout', () => {
  // proves: bot stop timeout_buy timeout
  it('is timeout_buy’s own: it sells when the first lot is older than that', async () => {
    const settings = guarded(stop('timeout_buy', 'timeout', { value: '30000' }));
    await plays('CHANNEL', {
      settings,
      events: [...BOUGHT, '20 103', '40', '40 open: SELL LIMIT 110 1', '41'],
      fills: [BUY, '40.001 SELL 1 at 103 taker'],
    });
  });

  it('counts the age of the next lot when the first is gone', async () => {
    await plays('CHANNEL', {
      settings: cells(
        [
          ['100', '110'],
          ['98', '120'],
        ],
        { stop: stop('timeout_buy', 'timeout', { value: '30000' }) },
      ),
      events: ['0 105', '10 100', '20 98', '30 110', '49.999 111', '51'],
      fills: [
        '10 BUY 1 at 100 maker',
        '20 BUY 1.02 at 98 maker',
        '30 SELL 1 at 110 maker',
        '50.001 SELL 1.02 at 111 taker',
      ],
    });
  });

  // proves: bot stop price timeout, bot stop price_percent_buy timeout, bot stop trend_percent_price timeout
  // proves: bot stop breakeven timeout, bot stop fixed timeout, bot stop trailing timeout
  it.each(Object.entries(VALUES).filter(([strategy]) => strategy !== 'timeout_buy'))(
    'is not for %s',
    async (strategy, value) => {
      const words = `stop[0].trigger.type: timeout is for timeout_buy only, not for ${strategy}`;
      const settings = guarded(stop(strategy, 'timeout', value));
      await refusesToStart('CHANNEL', { settings, events: [] }, words);
    },
  );
});

/** Sold 1 at 100, its exit rests at 90. */
const SOLD = ['0 95', '10 100'];
const short = (rule: Settings) =>
  cell({ short: true, levels: [{ buy: '90', sell: '100' }], stop: { ...rule, complete: true } });

describe('a rule of a short bot is mirrored', () => {
  // proves: bot stop-short price, bot stop-short price_percent_buy, bot stop-short trend_percent_price
  // proves: bot stop-short breakeven, bot stop-short fixed, bot stop-short trailing, bot stop-short timeout_buy
  it.each<[string, Settings, string[], string]>([
    ['price', { value: level(105) }, ['20 104.99', '50 105'], '50 BUY 1 at 105 taker'],
    ['price_percent_buy', { value: '5' }, ['20 104.99', '50 105'], '50 BUY 1 at 105 taker'],
    [
      'trend_percent_price',
      { value: level(100), percent: '5' },
      ['20 104.99', '50 105'],
      '50 BUY 1 at 105 taker',
    ],
    ['breakeven', { value: '5' }, ['20 101', '30 95', '40 99.99', '50 100'], '50 BUY 1 at 100 taker'],
    ['fixed', { value: '105' }, ['20 104.99', '50 105'], '50 BUY 1 at 105 taker'],
    ['trailing', { value: '5' }, ['20 92', '40 96.59', '50 96.6'], '50 BUY 1 at 96.6 taker'],
    ['timeout_buy', { value: '30000' }, ['20 101', '50 99'], '50 BUY 1 at 99 taker'],
  ])('%s', async (strategy, trigger, events, fill) => {
    const settings = short(stop(strategy, 'kline', trigger));
    const fills = ['10 SELL 1 at 100 maker', fill];
    await plays('CHANNEL', { futures: true, settings, events: [...SOLD, ...events], fills, held: null });
  });

  it('at the exchange too', async () => {
    const settings = short(stop('price_percent_buy', 'exchange', { value: '5' }));
    await plays('CHANNEL', {
      futures: true,
      settings,
      events: [...SOLD, '10 open: BUY LIMIT 90 1; BUY STOP_MARKET @105 1', '20 106'],
      fills: ['10 SELL 1 at 100 maker', '20 BUY 1 at 106 taker'],
      held: null,
    });
  });
});

describe.each([
  ['long', false, '105 100', 'SELL LIMIT 110 1', 'SELL STOP_MARKET @95 1', '1'],
  ['short', true, '95 100', 'BUY LIMIT 90 1', 'BUY STOP_MARKET @105 1', '-1'],
] as const)('the exit and the stop of a %s position', (_what, short, prices, exit, atVenue, amount) => {
  const levels = [short ? { buy: '90', sell: '100' } : { buy: '100', sell: '110' }];
  const settings = cell({ short, levels, stop: stop('price_percent_buy', 'exchange', { value: '5' }) });
  const events = prices.split(' ').map((price, i) => `${i * 10} ${price}`);

  it.each([
    ['its own alone rest both', null, `${exit}; ${atVenue}`],
    ['that was there before rest one at a time: the exchange would fill the second out of it', amount, exit],
  ])('%s', async (_name, before, open) => {
    await plays('CHANNEL', {
      futures: true,
      settings,
      events,
      open,
      ...(before ? { position: { amount: before, entryPrice: '100' } } : {}),
    });
  });
});
