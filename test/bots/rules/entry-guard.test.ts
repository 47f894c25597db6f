/**
 * An entry is not sent while a stop rule would sell at once what it buys (strategies.md R1), for every type,
 * in the backtest and on the desk.
 */
import { describe, expect, it } from 'vitest';
import { blockingRuleOf } from '../../../src/bots/run/entry-guard.ts';
import { newStopState } from '../../../src/bots/run/stops.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { level, line, plays } from '../../scenarios/scene.ts';
import { Lonely } from '../run/lonely.ts';
import { cell, cells, fibo, PAIR, scale, squeeze, stop } from './bots.ts';

const WHOLE = { complete: true };
const FIXED = stop('fixed', 'exchange', { value: '97' }, WHOLE);

// proves: bot ruling R1
describe('an entry that a rule would sell at once', () => {
  it.each([
    ['at the exchange', stop('fixed', 'exchange', { value: '97' }, WHOLE)],
    ['of every tick', stop('fixed', 'kline', { value: '97', closed: false }, WHOLE)],
    ['of a line', stop('price', 'kline', { value: level(97), closed: false }, WHOLE)],
  ])('does not rest below a rule %s; others do', async (_what, rule) => {
    await plays('CHANNEL', {
      settings: cells(
        [
          ['96', '110'],
          ['98', '110'],
        ],
        { stop: rule },
      ),
      events: ['0 105', '10 95.5', '20 105', '30 99'],
      fills: ['10 BUY 1.02 at 98 maker', '10 SELL 1.02 at 95.5 taker'],
      open: 'BUY LIMIT 98 1.02',
    });
  });

  it('of a short does not rest above it', async () => {
    await plays('CHANNEL', {
      futures: true,
      settings: cell({
        short: true,
        levels: [{ buy: '90', sell: '104' }],
        stop: stop('fixed', 'exchange', { value: '103' }, WHOLE),
      }),
      events: ['0 100', '10 101'],
      open: 'none',
    });
  });

  it('goes out at once when it is wanted at another price, which the market has passed and the rule lets be', async () => {
    await plays('SQUEEZE', {
      settings: squeeze({
        trailingEdge: 'high',
        stop: stop('fixed', 'kline', { value: '97', closed: false }, WHOLE),
      }),
      // 1 % below a high of 97 the rule would sell; 1 % below one of 110 is above the price.
      events: ['0 97', '60 100', '70 110', '70 open: none', '119 105', '120', '121 105'],
      fills: ['120 BUY 0.918 at 105 taker'],
      open: 'SELL LIMIT 106.05 0.918',
    });
  });

  // proves: bot stop-rule snoozeDuration
  it('rests while that rule sleeps', async () => {
    const rule = stop('fixed', 'kline', { value: '97' }, { snoozeDuration: 60_000 });
    await plays('CHANNEL', {
      settings: cells(
        [
          ['100', '110'],
          ['98', '120'],
          ['96', '110'],
        ],
        { stop: rule },
      ),
      events: ['0 105', '0 open: BUY LIMIT 100 1; BUY LIMIT 98 1.02', '10 98', '20 97'],
      fills: ['10 BUY 1 at 100 maker', '10 BUY 1.02 at 98 maker', '20 SELL 1.02 at 97 taker'],
      open: 'SELL LIMIT 110 1; BUY LIMIT 96 1.041',
    });
  });

  it('goes out when the rule is gone, and where its price was passed meanwhile when that is back', async () => {
    const rule = stop('fixed', 'exchange', { value: '97' }, WHOLE);
    const settings = cells([['96', '110']], { stop: rule });
    const gone = `delete_stoploss ${JSON.stringify(rule)}`;
    await plays('CHANNEL', { settings, events: ['0 105', `10 ${gone}`], open: 'BUY LIMIT 96 1.041' });
    await plays('CHANNEL', {
      settings,
      events: ['0 105', '10 95', `20 ${gone}`, '20 open: none', '30 95.5', '30 open: none', '40 96.5'],
      open: 'BUY LIMIT 96 1.041',
    });
  });

  it('at MARKET waits for a price that no rule sells at', async () => {
    await plays('CHANNEL', {
      settings: scale({ stop: FIXED }),
      events: ['0 96', '10 97', '20 97.5'],
      fills: ['20 BUY 1.025 at 97.5 taker'],
    });
    await plays('INTRADAY', {
      settings: {
        ...PAIR,
        deposit: { value: '100', asset: 'USDT' },
        mode: 'bounce',
        trend: level(100),
        takeProfits: [{ percent: '5', size: '100' }],
        stop: stop('fixed', 'exchange', { value: '100.25' }, WHOLE),
      },
      events: ['0 101', '10 100', '20 100.2', '30 100.3'],
      fills: ['30 BUY 0.997 at 100.3 taker'],
    });
    await plays('ALGO', {
      settings: {
        symbol: 'BTCUSDT',
        algo: 'twap',
        side: 'BUY',
        quantity: '1',
        duration: 1,
        stop: FIXED,
      },
      events: ['0 96', '10 97.1'],
      fills: ['10 BUY 1 at 97.1 taker'],
      reason: 'completed',
    });
  });

  it('at a level that is taken at MARKET waits as well', async () => {
    await plays('FIBO', {
      settings: fibo({
        orders: { buy: { type: 'MARKET' } },
        stop: stop('fixed', 'exchange', { value: '98' }, WHOLE),
      }),
      events: ['0 105', '10 97', '20 97.5', '30 98.5'],
      fills: ['30 BUY 1.015 at 98.5 taker'],
    });
  });

  it('is looked at again where the rule is a line that falls', async () => {
    await plays('CHANNEL', {
      settings: cells([['96', '110']], {
        stop: stop('price', 'kline', { value: line(97, 95, 100), closed: false }, WHOLE),
      }),
      events: ['0 105', '40 105', '40 open: none', '60 105'],
      open: 'BUY LIMIT 96 1.041',
    });
  });

  it('below a rule of closed candles waits after a close beyond it, not before', async () => {
    const settings = squeeze({ stop: stop('fixed', 'kline', { value: '96', closed: true }, WHOLE) });
    const sold = ['0 97.5', '60', '70 95.5', '120'];
    const fills = ['70 BUY 1.036 at 96.52 maker', '120 SELL 1.036 at 95.5 taker'];
    await plays('SQUEEZE', {
      settings,
      events: [...sold, '120 95.4', '180', '190 94', '240'],
      fills,
      open: 'none',
    });
  });
});

// proves: bot ruling R1
it('a rule counts as it would stand after the fill', async () => {
  // 5 % below the average of both; the average of the present holding alone would bar it.
  await plays('CHANNEL', {
    settings: cells(
      [
        ['100', '120'],
        ['95', '120'],
        ['90', '120'],
      ],
      { stop: stop('price_percent_buy', 'kline', { value: '5', closed: true, timeFrame: 3_600_000 }) },
    ),
    events: ['0 105', '10 100'],
    fills: ['10 BUY 1 at 100 maker'],
    open: 'SELL LIMIT 120 1; BUY LIMIT 95 1.052; BUY LIMIT 90 1.111',
  });
});

// proves: bot ruling R1
it('the next cycle begins with another tick, where its entry would fill at once', async () => {
  await plays('SQUEEZE', {
    settings: squeeze({ trailingEdge: 'close', trailingSell: true }),
    events: ['0 100', '60', '70 99', '80 150', '120', '130 140', '130 open: none', '140 139'],
    fills: ['70 BUY 1.01 at 99 maker', '130 SELL 1.01 at 140 taker', '140 BUY 0.673 at 139 taker'],
    stats: { cycles: 1 },
  });
});

describe('what waits for a rule', () => {
  it('says so once, and asks for nothing', () => {
    const lonely = new Lonely(
      'SCALE',
      { stop: stop('fixed', 'exchange', { value: '46000' }, WHOLE) },
      '45000',
    );
    for (const price of ['44000', '45500', '45900']) lonely.tick(price);
    const asked = lonely.asked();
    expect(asked.filter(({ do: what }) => what !== 'notice')).toEqual([]);
    expect(
      asked.flatMap((action) => (action.do === 'notice' ? [`${action.level} ${action.text}`] : [])),
    ).toEqual(['1 base order: waits, stop fixed at 46000.00 would sell it at once']);
    lonely.tick('46001');
    expect(lonely.placed().map(({ type }) => type)).toEqual(['MARKET']);
  });

  it('leaves out the ticks that change nothing', () => {
    const lonely = new Lonely(
      'SCALE',
      { stop: stop('fixed', 'exchange', { value: '46000' }, WHOLE) },
      '45000',
    );
    expect(lonely.run.wantsTick(dec('45900'))).toBe(false);
    expect(lonely.run.wantsTick(dec('46000'))).toBe(true);
  });
});

describe('a rule of closed candles', () => {
  const candle = { open: dec('96'), high: dec('96'), low: dec('96'), close: dec('96'), volume: dec('1') };
  const { run } = new Lonely(
    'SCALE',
    { stop: stop('fixed', 'kline', { value: '97', closed: true, timeFrame: 60_000 }) },
    '45000',
  );
  const [rule] = run.stops.rules;
  const bars = (time: number) => {
    const { lots, rules, state } = run;
    const market = { ...run.market, lastClosed: () => ({ ...candle, time }) };
    const ctx = { lots, market, short: false, startedAt: state.startedAt, now: () => run.now };
    const fill = { price: dec('96'), qty: dec('1'), atOnce: true };
    return rule && blockingRuleOf(rule, newStopState(), fill, ctx, rules) !== null;
  };

  it('counts closes that the run has seen, none from before it', () => {
    expect(bars(run.state.startedAt)).toBe(true);
    expect(bars(run.state.startedAt - 59_999)).toBe(true);
    expect(bars(run.state.startedAt - 60_000)).toBe(false);
  });
});
