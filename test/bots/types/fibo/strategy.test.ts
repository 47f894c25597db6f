/** FIBO in action: prices of channels, options, states (strategies.md 3). */
import { describe, it } from 'vitest';
import { at, plays } from '../../../scenarios/scene.ts';
import { fibo, type Settings, stop } from '../../rules/bots.ts';

/** 0 (80), 0.382 (95.28), 0.500 (100) and 1 (120), half of 100 on each of the middle ones unless changed. */
function channels(changes: Readonly<Record<string, Settings>> = {}): Settings[] {
  const all: Settings[] = [
    { name: '0', depositePercent: '0', fiboPrice: '80' },
    { name: '0.382', depositePercent: '50' },
    { name: '0.500', depositePercent: '50' },
    { name: '1', depositePercent: '0', fiboPrice: '120' },
  ];
  return all.map((channel) => ({ ...channel, ...changes[String(channel.name)] }));
}
const two = (settings: Settings = {}, changes = {}) => fibo({ channels: channels(changes), ...settings });
const BUYS = ['10 BUY 0.5 at 100 maker', '10 BUY 0.524 at 95.28 maker'];

describe('prices of a channel', () => {
  // proves: bot FIBO price-given
  it('may be given', async () => {
    await plays('FIBO', {
      settings: two({}, { '0.500': { buy: '101', sell: 111.5 } }),
      events: ['0 105', '0 open: BUY LIMIT 101 0.495; BUY LIMIT 95.28 0.524', '10 101'],
      open: 'SELL LIMIT 111.5 0.495; BUY LIMIT 95.28 0.524',
    });
  });

  // proves: bot FIBO from level
  it('may lie a percent from the level', async () => {
    const from = { buy: { from: 'level', percent: '1' }, sell: { from: 'level', percent: '5' } };
    await plays('FIBO', {
      settings: two({}, { '0.500': from }),
      events: ['0 105', '0 open: BUY LIMIT 101 0.495; BUY LIMIT 95.28 0.524', '10 101'],
      open: 'SELL LIMIT 105 0.495; BUY LIMIT 95.28 0.524',
    });
  });

  // proves: bot FIBO from price
  it('may lie a percent from the last price when it is placed', async () => {
    const from = { buy: { from: 'price', percent: '-2' }, sell: { from: 'price', percent: '4' } };
    await plays('FIBO', {
      settings: two({}, { '0.500': from }),
      // 2 % below 105; the tick that fills it is at 102.5, 4 % above that is 106.6.
      events: ['0 105', '0 open: BUY LIMIT 102.9 0.485; BUY LIMIT 95.28 0.524', '10 102.5'],
      open: 'SELL LIMIT 106.6 0.485; BUY LIMIT 95.28 0.524',
    });
  });

  // proves: bot FIBO from entry
  it('may lie a percent from the entry of the lot', async () => {
    const from = { buy: '101', sell: { from: 'entry', percent: '10' } };
    await plays('FIBO', {
      settings: two({}, { '0.500': from }),
      events: ['0 105', '10 101'],
      open: 'SELL LIMIT 111.1 0.495; BUY LIMIT 95.28 0.524',
    });
  });
});

describe('trailing', () => {
  // proves: bot FIBO trailing-low, bot FIBO trailing-default, bot rounding one-buy
  it('one low serves all armed channels, which stay armed until the buy', async () => {
    // The first is armed at 99.5, the second at 95; 1 % above the low of 94 is 94.94.
    await plays('FIBO', {
      settings: two({ trailing: true }),
      events: ['0 105', '10 99.5', '20 100.4', '30 95', '40 94', '50 94.93', '60 94.94'],
      fills: ['60 BUY 1.052 at 94.94 taker'],
    });
    // Once its level was reached, the channel is bought where the price turned, above the level.
    await plays('FIBO', {
      settings: two({ trailing: true }),
      events: ['0 105', '10 99.5', '20 100.49', '30 100.5'],
      fills: ['30 BUY 0.497 at 100.5 taker'],
    });
  });

  it.each([false, true])(
    'with waitFullSell (%s) a level that has sold is not armed before all is',
    async (waitFullSell) => {
      const first = ['50 BUY 1.052 at 94.94 taker', '60 SELL 0.526 at 100 maker'];
      await plays('FIBO', {
        settings: two({ trailing: true, waitFullSell }),
        events: ['0 105', '10 99.5', '20 95', '30 94', '50 94.94', '60 100', '70 94', '80 95'],
        fills: waitFullSell ? first : [...first, '80 BUY 0.526 at 95 taker'],
      });
    },
  );

  // proves: bot FIBO trailing-from
  it('before trailingFrom entries rest as usual', async () => {
    await plays('FIBO', {
      settings: two({ trailing: true, trailingFrom: at(60) }),
      events: [
        '0 105',
        '0 open: BUY LIMIT 100 0.5; BUY LIMIT 95.28 0.524',
        '59.999',
        '59.999 open: BUY LIMIT 100 0.5; BUY LIMIT 95.28 0.524',
        '60',
        '60 open: none',
        '70 99',
        '80 100',
      ],
      fills: ['80 BUY 0.5 at 100 taker'],
    });
  });

  it('from trailingFrom on what was bought by then keeps its exit, and only the others are armed', async () => {
    await plays('FIBO', {
      settings: two({ trailing: true, trailingFrom: at(60) }),
      events: ['0 105', '10 100', '60', '60 open: SELL LIMIT 120 0.5', '70 95', '80 95.96'],
      fills: ['10 BUY 0.5 at 100 maker', '80 BUY 0.521 at 95.96 taker'],
      open: 'SELL LIMIT 120 0.5; SELL LIMIT 100 0.521',
    });
  });
});

describe('options', () => {
  // proves: bot FIBO buyOnly
  it('buyOnly: no exits, stop rules still sell, complete when every share is bought', async () => {
    await plays('FIBO', {
      settings: two({ buyOnly: true, onetime: true }),
      events: ['0 105', '10 100', '10 open: BUY LIMIT 95.28 0.524', '20 120', '30 95'],
      fills: ['10 BUY 0.5 at 100 maker', '30 BUY 0.524 at 95.28 maker'],
      open: 'none',
      status: 'STOPPED',
      state: 'completed',
    });
    await plays('FIBO', {
      settings: two({ buyOnly: true, stop: stop('fixed', 'kline', { value: '98' }) }),
      events: ['0 105', '10 100', '20 98'],
      fills: ['10 BUY 0.5 at 100 maker', '20 SELL 0.5 at 98 taker'],
    });
  });

  // proves: bot FIBO crossChannelSell
  it('crossChannelSell: an exit sells the oldest lots first, whatever channel opened them', async () => {
    // The exit of the newer channel fills: it takes all of the older lot and 0.024 of its own.
    await plays('FIBO', {
      settings: two({ crossChannelSell: true }),
      events: ['0 105', '10 100', '20 95', '30 100', '40 100.01'],
      fills: ['10 BUY 0.5 at 100 maker', '20 BUY 0.524 at 95.28 maker', '30 SELL 0.524 at 100 maker'],
      total: { BTC: '0.5' },
      open: 'SELL LIMIT 120 0.5; BUY LIMIT 100 0.5',
    });
  });

  // proves: bot FIBO crossChannelSell
  it('crossChannelSell: all exits together sell what is held, and no more', async () => {
    // The first exit at 120 sells what is left of the newer lot, whose own exit has sold the older one.
    const events = ['0 105', '10 100', '20 95', '30 100', '40 100.01', '50 100'];
    const settings = two({ crossChannelSell: true });
    await plays('FIBO', {
      settings,
      events,
      total: { BTC: '1' },
      open: 'SELL LIMIT 120 0.5; SELL LIMIT 120 0.5',
    });
    await plays('FIBO', { settings, events: [...events, '60 120'], total: { BTC: '0' } });
  });

  it.each([false, true])(
    'waitFullSell: a level that has sold waits until nothing is held, one that has not bought yet does not (trailing: %s)',
    async (trailing) => {
      const targets = { '0.382': { sell: '130' }, '0.500': { sell: '105' } };
      const settings = two({ waitFullSell: true, trailing, trailingMaxChange: 0.5 }, targets);
      // The upper level is below the price for the first time when the lower one is held already.
      const bought = ['0 97', '10 95', '20 96', '30 101', '40 99', '50 100'];
      await plays('FIBO', {
        settings,
        events: [...bought, '60 105', '70 99', '80 101', '90 99', '100 101'],
        fills: trailing
          ? ['20 BUY 0.52 at 96 taker', '50 BUY 0.5 at 100 taker', '60 SELL 0.5 at 105 maker']
          : ['10 BUY 0.524 at 95.28 maker', '40 BUY 0.5 at 100 maker', '60 SELL 0.5 at 105 maker'],
        open: trailing ? 'SELL LIMIT 130 0.52' : 'SELL LIMIT 130 0.524',
      });
    },
  );

  const equal = (a: string, b: string) => ({
    '0': { depositePercent: '0' },
    '0.382': { depositePercent: a },
    '0.500': { depositePercent: b },
  });

  // proves: bot FIBO mergeChannels, bot FIBO merge-target
  it('mergeChannels: neighbours of nearly equal shares become one, with the target of the upper', async () => {
    // (95.28 + 100) / 2 = 97.64; 100 / 97.64 = 1.0241...
    await plays('FIBO', {
      settings: fibo({ mergeChannels: true, channels: channels(equal('49.5', '50.5')) }),
      events: ['0 105', '0 open: BUY LIMIT 97.64 1.024', '10 97'],
      open: 'SELL LIMIT 120 1.024',
    });
    await plays('FIBO', {
      settings: fibo({ mergeChannels: true, channels: channels(equal('49.4', '50.6')) }),
      events: ['0 105'],
      open: 'BUY LIMIT 95.28 0.518; BUY LIMIT 100 0.506',
    });
  });

  it('mergeChannels: two by two from the bottom, the mean rounded down to the tick', async () => {
    const names = ['0', '0.236', '0.382', '1'];
    const all = names.map((name) => ({
      name,
      depositePercent: '25',
      ...(name === '0' && { fiboPrice: '80' }),
      ...(name === '1' && { fiboPrice: '100' }),
    }));
    // The average of 80 and 84.72 is 82.36; of 87.64 and 100 it is 93.82.
    await plays('FIBO', {
      settings: fibo({ mergeChannels: true, channels: all }),
      events: ['0 105'],
      open: 'BUY LIMIT 82.36 0.607; BUY LIMIT 93.82 0.532',
    });
  });

  // proves: bot FIBO green-back
  it('green: when the profit is gone before the sale the exits are placed again', async () => {
    await plays('FIBO', {
      settings: two({ green: 4, trailingMaxChange: 5 }),
      events: [
        '0 105',
        '10 100',
        '20 104',
        '20 open: BUY LIMIT 95.28 0.524',
        '30 99.99',
        '30 open: BUY LIMIT 95.28 0.524; SELL LIMIT 120 0.5',
      ],
      fills: ['10 BUY 0.5 at 100 maker'],
    });
  });

  // proves: bot FIBO green-both
  it('green: if the trail and the loss come with one tick the sale wins', async () => {
    await plays('FIBO', {
      settings: two({ green: 4, trailingMaxChange: 5 }),
      events: ['0 105', '10 100', '20 104', '30 98.8'],
      fills: ['10 BUY 0.5 at 100 maker', '30 SELL 0.5 at 98.8 taker'],
    });
  });

  it.each([false, true])(
    'green: a run that only buys is not complete while it sells, with a stop that rests: %s',
    async (rests) => {
      const levels = [
        { name: '0', fiboPrice: '90', depositePercent: '50' },
        { name: '0.500', fiboPrice: '97', depositePercent: '50' },
        { name: '1', fiboPrice: '104', depositePercent: '0' },
      ];
      const resting = stop('price_percent_buy', 'exchange', { value: '20' });
      await plays('FIBO', {
        settings: fibo({
          channels: levels,
          orders: { buy: { type: 'MARKET' } },
          buyOnly: true,
          onetime: true,
          green: 1,
          trailingMaxChange: 1,
          ...(rests ? { stop: resting } : {}),
        }),
        // At 96.5 the last share is bought and the trail sells the first.
        events: ['0 96', '10 90', '20 100', '30 96.5'],
        fills: ['10 BUY 0.555 at 90 taker', '30 BUY 0.518 at 96.5 taker', '30 SELL 0.555 at 96.5 taker'],
        status: 'STARTED',
      });
    },
  );

  // proves: bot FIBO green
  it('green: the peak of a cycle ends with it, and the next one has its exits again', async () => {
    await plays('FIBO', {
      settings: two({ green: 4, trailingMaxChange: 1 }),
      events: [
        '0 105',
        '10 100',
        '20 110',
        '30 108',
        '40 100',
        '40 open: BUY LIMIT 95.28 0.524; SELL LIMIT 120 0.5',
        '50 104',
        '50 open: BUY LIMIT 95.28 0.524',
        '60 102.9',
      ],
      fills: [
        '10 BUY 0.5 at 100 maker',
        '30 SELL 0.5 at 108 taker',
        '40 BUY 0.5 at 100 maker',
        '60 SELL 0.5 at 102.9 taker',
      ],
      stats: { cycles: 2 },
    });
  });

  // proves: bot FIBO quantity, bot FIBO strategy fixed
  it('quantity: the budget of the channel over its entry price, rounded down', async () => {
    await plays('FIBO', { settings: two(), events: ['0 105', '10 95'], fills: BUYS });
  });
});

describe('the state', () => {
  // proves: bot FIBO states
  it.each<[string, Settings, string[]]>([
    ['waiting', {}, ['0 105']],
    ['armed', { trailing: true }, ['0 105', '10 99']],
    ['armed', { trailing: true }, ['0 105', '10 99', '20 100.5', '30 95']],
    ['holding', {}, ['0 105', '10 99']],
    ['trailing_sell', { green: 4 }, ['0 105', '10 100', '20 105']],
    ['paused', { range: { type: 'price', min: '103' } }, ['0 105', '10 102']],
    ['completed', { onetime: true }, ['0 105', '10 100', '20 120']],
  ])('%s', async (state, settings, events) => {
    await plays('FIBO', { settings: two(settings), events, state });
  });
});

describe('after a sale by a rule', () => {
  it('a level whose lot it has sold buys again only once the price has been above it', async () => {
    const rule = stop('fixed', 'kline', { value: '94' }, { snoozeDuration: 3_600_000 });
    const scene = { settings: two({ stop: rule }), fills: [...BUYS, '20 SELL 0.524 at 94 taker'] };
    const held = 'SELL LIMIT 120 0.5';
    const events = ['0 105', '10 95.28', '20 94', '20 open: SELL LIMIT 120 0.5', '30 95', '40 95.28'];
    await plays('FIBO', { ...scene, events, open: held });
    await plays('FIBO', {
      ...scene,
      events: [...events, '50 95.29'],
      open: `${held}; BUY LIMIT 95.28 0.524`,
    });
  });
});
