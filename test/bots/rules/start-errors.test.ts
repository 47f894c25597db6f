/**
 * Every start error that strategies.md words, provoked once, reads as in the document: in the backtest and
 * on a desk.
 */
import { describe, expect, it } from 'vitest';
import { START_ERRORS } from '../../coverage/bots/errors.ts';
import { playOnDesk } from '../../scenarios/on-desk.ts';
import { playOnTickMarket } from '../../scenarios/on-tick-market.ts';
import { type Scene, START, scenarioOf } from '../../scenarios/scene.ts';
import { cell, fibo, PAIR, type Settings, scale, stop } from './bots.ts';
import { LiveTest } from './live.ts';

const USDT = 'USDT';

/** The complete error of a start; it is the same in the backtest and on a desk. */
async function startError(type: string, scene: Omit<Scene, 'events'>): Promise<string | null> {
  const scenario = scenarioOf({ ...scene, events: [] });
  const { startError: quick } = playOnTickMarket(type, scenario);
  expect((await playOnDesk(type, scenario)).startError).toBe(quick);
  return quick;
}

/** Channels with these shares from 76.4 to 176.4, so that 0.236 lies at 100. */
const channels = (shares: Readonly<Record<string, string>>): Settings[] =>
  Object.entries(shares).map(([name, depositePercent]) => ({
    name,
    depositePercent,
    ...(name === '0' && { fiboPrice: '76.4' }),
    ...(name === '1' && { fiboPrice: '176.4' }),
  }));

const bracket = {
  symbol: 'BTCUSDT',
  algo: 'bracket',
  side: 'BUY',
  quantity: '1',
  entry: { type: 'LIMIT', price: '100' },
  takeProfit: { price: '95' },
  stopLoss: { price: '90' },
};
const twap = {
  symbol: 'BTCUSDT',
  algo: 'twap',
  side: 'BUY',
  deposit: { value: '82', asset: USDT },
  duration: 20,
};

type Case = readonly [id: keyof typeof START_ERRORS, type: string, scene: Omit<Scene, 'events'>];
const CASES: readonly Case[] = [
  [
    'minimum',
    'FIBO',
    {
      settings: fibo({ channels: channels({ '0': '92', '0.236': '8', '1': '0' }) }),
      rules: { minNotional: '10' },
    },
  ],
  ['line', 'CHANNEL', { settings: cell({ stop: stop('price', 'kline', { value: { [START]: 95 } }) }) }],
  ['deposit-asset', 'CHANNEL', { settings: cell({ deposit: { value: '100', asset: 'BTC' } }) }],
  [
    'stop-exchange',
    'CHANNEL',
    {
      settings: cell({
        stop: stop('trend_percent_price', 'exchange', { value: { 1: 95, 2: 95 }, percent: '1' }),
      }),
    },
  ],
  ['mandatory', 'FIBO', { settings: fibo({ channels: channels({ '0': '50', '0.236': '50' }) }) }],
  ['shares', 'FIBO', { settings: fibo({ channels: channels({ '0': '50', '0.236': '40', '1': '0' }) }) }],
  [
    'span',
    'FIBO',
    {
      settings: fibo({
        maxRangePercent: 50,
        channels: [
          { name: '0', depositePercent: '50', fiboPrice: '80' },
          { name: '1', depositePercent: '50', fiboPrice: '130' },
        ],
      }),
    },
  ],
  [
    'grid-fees',
    'CHANNEL',
    {
      settings: cell({ flavor: 'GRID', levels: undefined, grid: { low: '12.10', high: '12.11', count: 2 } }),
      rules: { makerRate: '0.001' },
    },
  ],
  [
    'scale-deposit',
    'CHANNEL',
    {
      settings: scale(
        { deposit: { value: '1000', asset: USDT } },
        { orders: 5, step: '1', size: '218.453333333333' },
      ),
    },
  ],
  ['bracket-side', 'ALGO', { settings: bracket }],
  ['twap-minimum', 'ALGO', { settings: twap, rules: { minNotional: '10' } }],
  [
    'target',
    'ALARM',
    { settings: { ...PAIR, range: [{ type: 'price', trend: { 1: 95, 2: 95 } }], notify: ['ops'] } },
  ],
];

describe('the start is refused in the words of the document', () => {
  // proves: bot start-error minimum, bot start-error line, bot start-error deposit-asset
  // proves: bot start-error stop-exchange, bot start-error mandatory, bot start-error shares, bot start-error span
  // proves: bot start-error grid-fees, bot start-error scale-deposit, bot start-error bracket-side
  // proves: bot start-error twap-minimum, bot start-error target
  it.each(CASES)('%s', async (id, type, scene) => {
    expect(await startError(type, scene)).toBe(START_ERRORS[id]);
  });

  // proves: bot start-error stop-fired, bot command fired
  it('and so is a stop that would fire at once', () => {
    const t = new LiveTest('CHANNEL', cell({ levels: [{ buy: '95.5', sell: '110' }] }));
    t.tick(0, '96');
    t.tick(10, '95.20');
    const rule = stop('fixed', 'kline', { value: '96' });
    expect(t.host.command('add_stoploss', rule)).toBe(START_ERRORS['stop-fired']);
  });

  // proves: bot start-error scale-deep, bot SCALE deep
  it('where a safety order would rest at zero or below', async () => {
    expect(await startError('CHANNEL', { settings: scale({}, { orders: 2, step: '50' }) })).toBe(
      'scale: order 2 would be 100 % from the entry; it must be below 100',
    );
  });

  // proves: bot start-error trailingFrom
  it('where trailingFrom is more than a year away', async () => {
    const year = 365 * 86_400_000;
    for (const trailingFrom of [START - year - 1, START + year + 1]) {
      expect(await startError('FIBO', { settings: fibo({ trailing: true, trailingFrom }) })).toBe(
        `trailingFrom: must be within 365 days of now, from ${START - year} to ${START + year}, got ${trailingFrom}`,
      );
    }
    expect(
      await startError('FIBO', { settings: fibo({ trailing: true, trailingFrom: START - year }) }),
    ).toBeNull();
  });

  // proves: bot start-error together, bot run all-problems, bot rounding min-at-start
  it('with all that is wrong, of settings, prices and balance', async () => {
    const settings = fibo({
      deposit: { value: '100', asset: USDT },
      channels: channels({ '0': '82', '0.236': '8', '1': '0' }),
      maxRangePercent: 100,
    });
    expect(
      await startError('FIBO', { settings, rules: { minNotional: '10' }, balances: { USDT: '50' } }),
    ).toBe(
      [
        'channels: depositePercent adds up to 90, not 100',
        'channel span of 130.89 % is over maxRangePercent 100',
        'channel 0.236: order of 8.00 USDT is below the exchange minimum of 10 USDT',
        'insufficient balance: the bot needs 100 USDT, 50 is available',
      ].join('; '),
    );
  });
});
