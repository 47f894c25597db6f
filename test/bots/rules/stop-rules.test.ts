/**
 * What a stop rule does besides its condition: when it is checked, what it sells and how, what follows
 * (strategies.md 2, "stop").
 */
import { describe, expect, it } from 'vitest';
import { plays, type Scene } from '../../scenarios/scene.ts';
import { compiled } from '../settings/support.ts';
import { cell, cells, fibo, type Settings, squeeze, stop } from './bots.ts';

const BOUGHT = ['0 105', '10 100'];
const BUY = '10 BUY 1 at 100 maker';
/** Two lots, the one at 98 the newer. */
const PAIRS = [
  ['100', '110'],
  ['98', '120'],
] as const;
const BOUGHT_TWO = ['0 105', '10 98'];
const BUY_TWO = ['10 BUY 1 at 100 maker', '10 BUY 1.02 at 98 maker'];

const guarded = (rule: Settings | readonly Settings[], scene: Omit<Scene, 'settings'>) =>
  plays('CHANNEL', { settings: cell({ stop: rule }), ...scene });
const guardedTwo = (rule: Settings | readonly Settings[], scene: Omit<Scene, 'settings'>) =>
  plays('CHANNEL', { settings: cells(PAIRS, { stop: rule }), ...scene });

describe('a stop rule works', () => {
  // proves: bot stop-rule alone, bot stop-rule newest, bot stop-rule snoozeDuration
  it('each by itself: while one sleeps the other sells, each the newest lot', async () => {
    const rules = ['97', '95'].map((value) => stop('fixed', 'kline', { value }, { snoozeDuration: 60_000 }));
    await guardedTwo(rules, {
      events: [...BOUGHT_TWO, '20 97', '25 96', '30 95'],
      fills: [...BUY_TWO, '20 SELL 1.02 at 97 taker', '30 SELL 1 at 95 taker'],
    });
  });

  // proves: bot stop-rule snoozeDuration
  it('again after its sleep', async () => {
    await guardedTwo(stop('fixed', 'kline', { value: '97' }, { snoozeDuration: 60_000 }), {
      events: [...BOUGHT_TWO, '20 97', '30 96', '79.999 95', '80 94'],
      fills: [...BUY_TWO, '20 SELL 1.02 at 97 taker', '80 SELL 1 at 94 taker'],
    });
  });

  // proves: bot stop-rule average-entry, bot stop-rule complete, bot rounding one-sale
  it('from the mean of the fill prices, weighted by what filled before fees, and sells all at once', async () => {
    // (1 x 100 + 1.02 x 98) / 2.02 = 98.990..., less 5 % = 94.0405...; held are 0.999 and 1.01898.
    await guardedTwo(stop('price_percent_buy', 'kline', { value: '5' }, { complete: true }), {
      rules: { makerRate: '0.001' },
      events: [...BOUGHT_TWO, '20 94.05', '30 94.04'],
      fills: [...BUY_TWO, '30 SELL 2.017 at 94.04 taker'],
    });
  });

  // proves: bot stop-rule break-even
  it('with a break-even that pays the fees of both ways, at the rate of who takes', async () => {
    const rates = { makerRate: '0.0004', takerRate: '0.001' };
    const rule = stop('breakeven', 'kline', { value: '5' });
    // 100 x 1.001 / 0.999 = 100.2002...
    await guarded(rule, {
      rules: rates,
      events: [...BOUGHT, '20 105', '30 100.21', '40 100.2'],
      fills: [BUY, '40 SELL 0.999 at 100.2 taker'],
    });
    // 100 x 0.999 / 1.001 = 99.8001...
    await plays('CHANNEL', {
      futures: true,
      rules: rates,
      settings: cell({ short: true, levels: [{ buy: '90', sell: '100' }], stop: rule }),
      events: ['0 95', '10 100', '20 95', '30 99.8', '40 99.81'],
      fills: ['10 SELL 1 at 100 maker', '40 BUY 1 at 99.81 taker'],
    });
  });

  // proves: bot stop-rule best-price
  it('with a highest price that starts with the tick of the fill', async () => {
    // Bought at 100 by a tick at 98: 5 % below 98 is 93.1.
    await guarded(stop('trailing', 'kline', { value: '5' }), {
      events: ['0 105', '10 98', '20 93.11', '30 93.1'],
      fills: [BUY, '30 SELL 1 at 93.1 taker'],
    });
  });
});

describe('within one input a rule comes first', () => {
  // proves: bot input stops-first
  it('before the strategy: it sells where the strategy would end the run and keep the position', async () => {
    await plays('CHANNEL', {
      settings: cell({ stopBelow: '95', stop: stop('fixed', 'kline', { value: '95' }, { complete: true }) }),
      events: [...BOUGHT, '20 94'],
      fills: [BUY, '20 SELL 1 at 94 taker'],
      total: { BTC: '0' },
      reason: 'completed',
    });
  });

  // proves: bot input reference-first
  it('but at a close after the reference of SQUEEZE: what follows the sale is placed from a new one, at the close after it', async () => {
    const fills = ['60 BUY 1.01 at 99 maker', '120 SELL 1.01 at 95 taker'];
    const settings = squeeze({
      stop: stop('fixed', 'kline', { value: '96', closed: true }, { complete: true }),
    });
    const events = ['0 100', '60 99', '70 95', '120', '120 98', '179.999'];
    await plays('SQUEEZE', { settings, events, fills, open: 'none' });
    await plays('SQUEEZE', { settings, events: [...events, '180'], fills, open: 'BUY LIMIT 97.02 1.03' });
  });
});

describe('a rule of candles is looked at', () => {
  it.each([
    // 5 % below 110 are 104.5, below the close of 104 at 60 s; 5 % below 100 are 95.
    ['each price', '110', '60 SELL 1 at 104 taker'],
    ['no price that is not the highest', '109', undefined],
  ])('with closed at closes, though a trailing one follows %s in between', async (_what, high, sale) => {
    await plays('CHANNEL', {
      settings: cell({
        levels: [{ buy: '100', sell: '130' }],
        stop: stop('trailing', 'kline', { value: '5', closed: true, timeFrame: 60_000 }),
      }),
      events: ['0 105', '10 100', '20 108', '25 107', '30 101', '35', `40 ${high}`, '50 104', '60'],
      fills: ['10 BUY 1 at 100 maker', ...(sale ? [sale] : [])],
    });
  });

  // proves: bot stop-rule kline-closed
  it('with closed at each close of its candles only', async () => {
    await guarded(stop('fixed', 'kline', { value: '95', closed: true }), {
      events: [...BOUGHT, '20 94', '50 99', '60', '70 94', '119.999', '120'],
      fills: [BUY, '120 SELL 1 at 94 taker'],
    });
    await guarded(stop('fixed', 'kline', { value: '95', closed: true, timeFrame: 180_000 }), {
      events: [...BOUGHT, '70 94', '120', '179.999', '180'],
      fills: [BUY, '180 SELL 1 at 94 taker'],
    });
  });

  // proves: bot stop-rule kline-frame
  it('of the bot’s own frame, a minute if it has none', () => {
    const rule = stop('fixed', 'kline', { value: '95' });
    expect(compiled('SQUEEZE', { stop: rule, timeFrame: 300_000 }).stops[0]?.trigger.timeFrame).toBe(300_000);
    expect(compiled('GRID', { stop: rule }).stops[0]?.trigger.timeFrame).toBe(60_000);
  });

  // proves: bot stop-rule kline-forming
  it('else at each tick, on the value of the candle being built', async () => {
    // The high of the first candle is 105; that of the second is its first price.
    await guarded(stop('fixed', 'kline', { value: '95', edge: 'high' }), {
      events: [...BOUGHT, '20 94', '30 90', '60 94.5'],
      fills: [BUY, '60 SELL 1 at 94.5 taker'],
    });
  });

  // proves: bot stop-rule kline-edge, bot candles edge
  it.each([
    ['open', '97', '96.99'],
    ['close', '95', '94.99'],
    [undefined, '95', '94.99'],
    ['high', '101', '100.99'],
    ['low', '93', '92.99'],
    ['hl2', '97', '96.99'],
    ['oc2', '96', '95.99'],
    ['hlc3', '96.34', '96.33'],
    ['ohlc4', '96.5', '96.49'],
  ])('on the edge %s', async (edge, fires, misses) => {
    const rule = (value: string) => stop('fixed', 'kline', { value, edge, closed: true });
    const events = ['0 105', '10 102', '30 100', '59 105', '60 97', '70 101', '80 93', '90 95', '120'];
    const bought = ['30 BUY 1 at 100 maker'];
    await guarded(rule(fires), { events, fills: [...bought, '120 SELL 1 at 95 taker'] });
    await guarded(rule(misses), { events, fills: bought });
  });
});

it('a trailing rule of closed candles follows the ticks since the entry, not what its candle had before', async () => {
  const rule = stop('trailing', 'kline', { value: '5', closed: true, edge: 'high', timeFrame: 60_000 });
  // 5 % below 105 would be 99.75.
  await guarded(rule, {
    events: ['0 105', '10 100', '60', '70 99.5', '120', '130 94.9', '180'],
    fills: [BUY, '180 SELL 1 at 94.9 taker'],
  });
});

describe('the exit of a rule', () => {
  // proves: bot stop-rule order MARKET, bot stop-rule cancels-exits
  it('is MARKET by default, and takes the exit of its lot away', async () => {
    await guarded(stop('fixed', 'kline', { value: '95' }), {
      events: [...BOUGHT, '20 94'],
      fills: [BUY, '20 SELL 1 at 94 taker'],
      open: 'none',
    });
  });

  // proves: bot stop-rule order LIMIT, bot stop-rule cancels-exits
  it('is a LIMIT at the rule’s own price', async () => {
    await guarded(stop('fixed', 'kline', { value: '95' }, { order: { type: 'LIMIT' } }), {
      events: [...BOUGHT, '20 94', '20 open: SELL LIMIT 95 1', '30 95'],
      fills: [BUY, '30 SELL 1 at 95 maker'],
      open: 'none',
    });
  });

  // proves: bot stop-rule order LIMIT-30s, bot stop-rule cancels-exits
  it.each(['kline', 'exchange'])('of type %s turns into MARKET after 30 s', async (type) => {
    // The other exit resumes on futures, too: reduce-only does not hold it back where others hold part of
    // the position.
    for (const futures of [false, true]) {
      const rule = stop('fixed', type, { value: '95' }, { order: { type: 'LIMIT' }, complete: true });
      const open = 'SELL LIMIT 95 1';
      await guarded(rule, {
        futures,
        events: [...BOUGHT, '20 94', `20 open: ${open}`, '49.999 94.5', `49.999 open: ${open}`, '50'],
        fills: [BUY, '50 SELL 1 at 94.5 taker'],
        open: 'none',
      });
    }
  });

  // proves: bot stop-rule order LIMIT-30s, bot stop-rule newest
  it('turns into MARKET for the lot that it was for alone', async () => {
    const rest = { order: { type: 'LIMIT' }, snoozeDuration: 3_600_000 };
    await guardedTwo(stop('fixed', 'kline', { value: '97' }, rest), {
      events: [...BOUGHT_TWO, '20 96.5', '20 open: SELL LIMIT 97 1.02; SELL LIMIT 110 1', '50'],
      fills: [...BUY_TWO, '50 SELL 1.02 at 96.5 taker'],
      open: 'SELL LIMIT 110 1',
    });
  });

  it('that has become a LIMIT at the exchange and filled leaves no such moment behind', async () => {
    const rule = stop('fixed', 'exchange', { value: '95' }, { order: { type: 'LIMIT' }, complete: true });
    const events = [...BOUGHT, '20 94', '30 95', '40 101', '45 100', '50', '60 99'];
    await guarded(rule, {
      futures: true,
      events,
      fills: [BUY, '30 SELL 1 at 95 maker', '45 BUY 1 at 100 maker'],
      open: 'SELL LIMIT 110 1; SELL STOP_LIMIT 95 @95 1',
    });
  });

  // proves: bot stop-rule exchange-held
  it('is held by the engine on spot while another exit rests', async () => {
    await guarded(stop('fixed', 'exchange', { value: '95' }), {
      events: [...BOUGHT, '10 open: SELL LIMIT 110 1', '20 94.5'],
      fills: [BUY, '20 SELL 1 at 94.5 taker'],
    });
  });

  // proves: bot stop-rule snoozeDuration, bot stop-rule exchange-placed
  it('rests at the exchange again after its sleep, though no tick comes', async () => {
    const rule = stop('fixed', 'exchange', { value: '97' }, { snoozeDuration: 60_000 });
    await guardedTwo(rule, {
      futures: true,
      events: [...BOUGHT_TWO, '20 97', '25 99', '79.999 open: BUY LIMIT 98 1.02; SELL LIMIT 110 1', '80'],
      fills: [...BUY_TWO, '20 SELL 1.02 at 97 taker'],
      open: 'BUY LIMIT 98 1.02; SELL LIMIT 110 1; SELL STOP_MARKET @97 1',
    });
  });

  // proves: bot stop-rule exchange-held
  it('goes to the exchange once no other exit rests, and back when one does', async () => {
    // At 4 % the exits of FIBO are replaced by its trail; below the entry they are placed again.
    await plays('FIBO', {
      settings: fibo({
        green: 4,
        trailingMaxChange: 9,
        stop: stop('fixed', 'exchange', { value: '90' }, { complete: true }),
      }),
      events: [
        ...BOUGHT,
        '10 open: SELL LIMIT 120 1',
        '20 104',
        '20 open: SELL STOP_MARKET @90 1',
        '30 103',
        '30 open: SELL STOP_MARKET @90 1',
        '40 99',
        '40 open: SELL LIMIT 120 1',
        '50 90',
      ],
      fills: [BUY, '50 SELL 1 at 90 taker'],
    });
  });

  // proves: bot stop-rule exchange-held
  it('of several rules on spot one rests, the others are held', async () => {
    const rules = ['90', '95'].map((value) => stop('fixed', 'exchange', { value }, { complete: true }));
    await plays('FIBO', {
      settings: fibo({ green: 4, trailingMaxChange: 9, stop: rules }),
      events: [...BOUGHT, '10 open: SELL LIMIT 120 1', '20 104', '20 open: SELL STOP_MARKET @90 1', '30 95'],
      fills: [BUY, '30 SELL 1 at 95 taker'],
    });
  });

  // proves: bot stop-rule exchange-placed, bot stop-rule exchange-replaced
  it('at the exchange follows the position, and goes with it', async () => {
    const rule = stop('price_percent_buy', 'exchange', { value: '5' }, { complete: true });
    await guardedTwo(rule, {
      futures: true,
      events: [
        '0 105',
        '10 100',
        '10 open: BUY LIMIT 98 1.02; SELL LIMIT 110 1; SELL STOP_MARKET @95 1',
        '20 98',
        '20 open: SELL LIMIT 110 1; SELL LIMIT 120 1.02; SELL STOP_MARKET @94.04 2.02',
        '30 110',
        '30 open: BUY LIMIT 100 1; SELL LIMIT 120 1.02; SELL STOP_MARKET @93.1 1.02',
        '40 120',
      ],
      open: 'BUY LIMIT 100 1; BUY LIMIT 98 1.02',
    });
  });
});

describe('after a rule has sold', () => {
  // proves: bot stop-rule maxStops, bot run label stopped
  it('so often, all rules together, the run stops', async () => {
    const rest = { snoozeDuration: 60_000, maxStops: 2 };
    const rules = ['97', '95'].map((value) => stop('fixed', 'kline', { value }, rest));
    await guardedTwo(rules, {
      events: [...BOUGHT_TWO, '20 97', '30 95', '40 105'],
      fills: [...BUY_TWO, '20 SELL 1.02 at 97 taker', '30 SELL 1 at 95 taker'],
      open: 'none',
      status: 'STOPPED',
      state: 'stopped',
      reason: 'max stops',
    });
  });

  // proves: bot stop-rule freed-cell, bot stop-rule cycle-cells
  it('a cell waits until the price has been above its level, and no cycle is counted', async () => {
    await guarded(stop('fixed', 'kline', { value: '95' }, { complete: true }), {
      events: [...BOUGHT, '20 95', '30 100', '30 open: none', '40 100.01'],
      fills: [BUY, '20 SELL 1 at 95 taker'],
      open: 'BUY LIMIT 100 1',
      stats: { cycles: 0 },
    });
  });

  // proves: bot stop-rule freed-channel
  it('a channel waits until the price has been above its level', async () => {
    const channels = [
      { name: '0', depositePercent: '0', fiboPrice: '80' },
      { name: '0.382', depositePercent: '50' },
      { name: '0.500', depositePercent: '50' },
      { name: '1', depositePercent: '0', fiboPrice: '120' },
    ];
    await plays('FIBO', {
      settings: fibo({ channels, stop: stop('fixed', 'kline', { value: '94' }) }),
      events: ['0 105', '10 95', '20 94', '30 95.28', '30 open: SELL LIMIT 120 0.5', '40 95.29'],
      fills: ['10 BUY 0.5 at 100 maker', '10 BUY 0.524 at 95.28 maker', '20 SELL 0.524 at 94 taker'],
      open: 'SELL LIMIT 120 0.5; BUY LIMIT 95.28 0.524',
    });
  });

  const complete = stop('fixed', 'kline', { value: '95' }, { complete: true });

  // proves: bot stop-rule cycle, bot stop-rule cycle-goes-on
  it('all of a position the cycle is complete, and the next one begins', async () => {
    await plays('FIBO', {
      settings: fibo({ stop: complete }),
      events: ['0 105', '10 100', '20 95', '20 open: none', '30 101'],
      fills: [BUY, '20 SELL 1 at 95 taker'],
      open: 'BUY LIMIT 100 1',
      stats: { cycles: 1 },
    });
    await plays('SQUEEZE', {
      settings: squeeze({ oncePerTimeFrame: true, stop: complete }),
      events: ['0 100', '60', '70 99', '80 95', '120', '120 98', '180'],
      fills: ['70 BUY 1.01 at 99 maker', '80 SELL 1.01 at 95 taker'],
      open: 'BUY LIMIT 97.02 1.03',
      stats: { cycles: 1 },
    });
  });

  // proves: bot stop-rule cycle-onetime, bot stop-rule cycle-max
  it('with onetime the run is completed, unless maxStops is reached', async () => {
    const scene = { events: ['0 105', '10 100', '20 95'], open: 'none', status: 'STOPPED' };
    await plays('FIBO', { settings: fibo({ onetime: true, stop: complete }), ...scene, reason: 'completed' });
    const last = { ...complete, maxStops: 1 };
    await plays('FIBO', { settings: fibo({ onetime: true, stop: last }), ...scene, reason: 'max stops' });
  });
});
