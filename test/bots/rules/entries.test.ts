/**
 * Filters, ranges, start trigger and time to live in action (strategies.md 2, "timeout, filters, range";
 * "Common fields").
 */
import { describe, it } from 'vitest';
import type { CandleRow } from '../../scenarios/scenario.ts';
import { level, plays, type Scene, START } from '../../scenarios/scene.ts';
import { cell, type Settings } from './bots.ts';

const RESTS = 'BUY LIMIT 100 1';
const MINUTE = 60_000;

/** Closed candles of a minute up to the start, flat at their closes. */
function history(closes: readonly number[], volumes: readonly number[] = []): CandleRow[] {
  return closes.map((close, i) => {
    const price = String(close);
    const time = START - (closes.length - i) * MINUTE;
    return [time, price, price, price, price, String(volumes[i] ?? 1)];
  });
}

/** Checks whether the entry rests at these prices, each as `10 105 yes`. */
async function rests(settings: Settings, prices: readonly string[], scene: Partial<Scene> = {}) {
  const events = prices.flatMap((text) => {
    const words = text.split(' ');
    const answer = words.pop();
    return [words.join(' '), `${words[0]} open: ${answer === 'yes' ? RESTS : 'none'}`];
  });
  await plays('CHANNEL', { settings: cell(settings), events, ...scene });
}

describe('filters', () => {
  // proves: bot filter resting, bot filter price.minVal, bot run label paused
  it('cancel a resting entry when they stop passing, and place it again when they pass', async () => {
    await rests(
      { filters: { price: { minVal: '103' } } },
      ['0 105 yes', '10 102.99 no', '20 103 yes', '30 102 no'],
      {
        state: 'paused',
      },
    );
  });

  // proves: bot filter exits
  it('do not hold an exit back', async () => {
    await plays('CHANNEL', {
      settings: cell({ filters: { price: { minVal: '103' } } }),
      events: ['0 105', '10 100', '10 open: SELL LIMIT 110 1', '20 102'],
      open: 'SELL LIMIT 110 1',
      state: 'holding',
    });
  });

  // proves: bot filter all
  it('must all pass', async () => {
    const filters = { price: { minVal: '103' }, blacklist: ['ETHUSDT'] };
    await rests({ filters }, ['0 105 yes', '10 102 no']);
    await rests({ filters: { ...filters, blacklist: ['BTCUSDT'] } }, ['0 105 no', '10 102 no']);
  });

  // proves: bot filter blacklist
  it('blacklist: the symbol is not in the list', async () => {
    await rests({ filters: { blacklist: ['ETHUSDT', 'BTCUSDT'] } }, ['0 105 no', '10 106 no']);
    await rests({ filters: { blacklist: ['ETHUSDT'] } }, ['0 105 yes']);
  });

  // proves: bot filter volume.minVal
  it('volume.minVal: of 24 hours, in quote', async () => {
    await rests({ filters: { volume: { minVal: '210' } } }, [
      '0 105 x1 no',
      '10 105 x0.99 no',
      '20 105 x0.01 yes',
    ]);
  });

  // proves: bot filter volume.percentChange
  it('volume.percentChange: of the last candle over the mean of the 20 before it', async () => {
    const filters = { volume: { percentChange: '50' } };
    const prices = Array(21).fill(105);
    const volumes = Array(20).fill(10);
    await rests({ filters }, ['0 105 yes'], { history: history(prices, [...volumes, 15]) });
    await rests({ filters }, ['0 105 no'], { history: history(prices, [...volumes, 14.9]) });
    await rests({ filters }, ['0 105 no'], { history: history(prices.slice(1), [...volumes.slice(1), 15]) });
  });

  // proves: bot filter price.percentChange-up, bot filter price.percentChange-down
  it('price.percentChange: at least that much up, or down, over 24 hours', async () => {
    const filters = (percentChange: string) => ({ filters: { price: { percentChange } } });
    const day = (price: number) => ({ history: history(Array(1_440).fill(price)) });
    await rests(filters('5'), ['0 107.09 no', '20 107.1 yes', '30 107 no'], day(102));
    await rests(filters('-5'), ['0 104.51 no', '20 104.5 yes', '30 104.6 no'], day(110));
    // The price of a day ago is unknown.
    await rests(filters('-5'), ['0 110 no', '10 104 no']);
  });

  // proves: bot filter market.rsi, bot indicator closed
  it('market.rsi: within min and max, of closed candles', async () => {
    const rsi = (bounds: Settings) => ({ filters: { market: { rsi: { period: 2, ...bounds } } } });
    // A gain and a loss of the same size: 50.
    const past = { history: history([105, 106, 105]) };
    await rests(rsi({ min: '50' }), ['0 200 yes', '10 105 yes'], past);
    await rests(rsi({ min: '51' }), ['0 200 no'], past);
    await rests(rsi({ max: '50' }), ['0 200 yes'], past);
    await rests(rsi({ max: '49' }), ['0 200 no'], past);
    // The close at 107 brings two gains: from then on (1 + 2) / 2 over 0.5 / 2.
    await rests(rsi({ min: '60' }), ['0 105 no', '30 107 no', '59 107 no', '60 107 yes'], past);
  });

  // proves: bot indicator none
  it('without a value do not pass', async () => {
    const rsi = { filters: { market: { rsi: { period: 2, min: '0', max: '100' } } } };
    await rests(rsi, ['0 105 no', '60 105 no', '120 105 no', '180 105 yes']);
    const trend = (way: string) => ({ filters: { market: { trend: way } } });
    const closes = Array.from({ length: 198 }, (_, i) => 101 + i / 100);
    await rests(trend('up'), ['0 105 no', '60 106 no', '120 106 yes'], { history: history(closes) });
    await rests(trend('down'), ['0 105 no'], { history: history(closes) });
  });

  // proves: bot filter market.trend-up, bot filter market.trend-down
  it('market.trend: EMA 50 above or below EMA 200', async () => {
    const trend = (way: string) => ({ filters: { market: { trend: way } } });
    const rising = Array.from({ length: 200 }, (_, i) => 101 + i / 100);
    await rests(trend('up'), ['0 105 yes'], { history: history(rising) });
    await rests(trend('down'), ['0 105 no'], { history: history(rising) });
    await rests(trend('up'), ['0 105 no'], { history: history(rising.toReversed()) });
    await rests(trend('down'), ['0 105 yes'], { history: history(rising.toReversed()) });
    // An equal price counts neither as above nor as below.
    const flat = { history: history(Array(200).fill(105)) };
    for (const way of ['up', 'down']) await rests(trend(way), ['0 105 no'], flat);
  });
});

describe('range', () => {
  // proves: bot range price
  it('price: from min to max, both included', async () => {
    const range = { type: 'price', min: '103', max: '106' };
    await rests({ range }, ['0 106 yes', '10 106.01 no', '20 103 yes', '30 102.99 no']);
  });

  // proves: bot range kline_percent
  it('kline_percent: the change of the candle being built', async () => {
    const range = { type: 'kline_percent', min: '-1', max: '1' };
    await rests({ range }, ['0 105 yes', '10 106.05 yes', '20 106.06 no', '60 106.06 yes', '70 104.99 no']);
  });

  // proves: bot range scaled_price
  it('scaled_price: the change from the first price of the run', async () => {
    const range = { type: 'scaled_price', min: '-2' };
    await rests({ range }, ['0 105 yes', '10 102.9 yes', '20 102.89 no', '60 120 yes']);
  });

  // proves: bot range trend_percent_price
  it('trend_percent_price: the distance from the line', async () => {
    const range = { type: 'trend_percent_price', trend: level(100), min: '4', max: '5' };
    await rests({ range }, ['0 105 yes', '10 105.01 no', '20 104 yes', '30 103.99 no']);
  });

  // proves: bot range several
  it('several must all hold', async () => {
    const range = [
      { type: 'price', min: '103' },
      { type: 'scaled_price', max: '1' },
    ];
    await rests({ range }, ['0 105 yes', '10 102 no', '20 106.06 no', '30 106 yes']);
  });
});

describe('startTrigger', () => {
  const trigger = (direction?: string) => ({
    startTrigger: { trend: level(104), ...(direction && { direction }) },
  });

  // proves: bot common startTrigger up, bot common startTrigger standby
  it('up: only what comes through the line from below starts the work', async () => {
    await rests(trigger('up'), ['0 105 no', '10 103 no', '20 104 no', '30 104.01 yes']);
    await rests(trigger('up'), ['0 105 no', '10 103 no'], { status: 'STARTED', state: 'standby' });
  });

  // proves: bot common startTrigger down
  it('down: from above', async () => {
    await rests(trigger('down'), ['0 103 no', '10 105 no', '20 104 no', '30 103.99 yes']);
  });

  // proves: bot common startTrigger both
  it('both: either way', async () => {
    for (const direction of [undefined, 'both']) {
      await rests(trigger(direction), ['0 105 no', '30 103.99 yes']);
      await rests(trigger(direction), ['0 103 no', '30 104.01 yes']);
    }
  });

  // proves: bot common startTrigger deposit, bot deposit percent
  it('the deposit is checked and reckoned at the crossing', async () => {
    const deposit = { value: '50', asset: 'USDT', strategy: 'percent' };
    await plays('CHANNEL', {
      settings: cell({ ...trigger('up'), deposit }),
      balances: { USDT: '1000' },
      events: ['0 103', '10 105'],
      open: 'BUY LIMIT 100 5',
    });
    await plays('CHANNEL', {
      settings: cell({ ...trigger('up'), deposit: { value: '2000', asset: 'USDT' } }),
      balances: { USDT: '1000' },
      events: ['0 103', '10 105'],
      open: 'none',
      status: 'ERROR',
    });
  });
});

describe('timeout', () => {
  const ttl = (type: string) => ({ timeout: { type, value: 30_000 } });

  // proves: bot timeout ttl, bot timeout position, bot run end-cancels
  it('ttl: the run ends that long after its start, its orders are cancelled and its position is kept', async () => {
    await plays('CHANNEL', {
      settings: cell(ttl('ttl')),
      events: ['0 105', '10 100', '29.999', '29.999 open: SELL LIMIT 110 1', '30', '40 110'],
      fills: ['10 BUY 1 at 100 maker'],
      open: 'none',
      total: { BTC: '1' },
      status: 'STOPPED',
      state: 'stopped',
      reason: 'ttl',
    });
  });

  // proves: bot timeout others
  it('of another type is ignored', async () => {
    await rests(ttl('idle'), ['0 105 yes', '60 105 yes']);
  });
});
