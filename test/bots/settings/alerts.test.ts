/** Settings of ALARM and NOTIFY (strategies.md 8, 9). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AlarmSettings } from '../../../src/bots/types/alarm/settings.ts';
import type { NotifySettings } from '../../../src/bots/types/notify/settings.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { compiled, LINE, problems, warnings } from './support.ts';

const TREND = { t1: 1_700_000_000_000, p1: dec('100'), t2: 1_700_003_600_000, p2: dec('110') };

function alarm(changes: Record<string, unknown> = {}): AlarmSettings {
  return compiled<AlarmSettings>('ALARM', changes);
}

function notify(changes: Record<string, unknown> = {}): NotifySettings {
  return compiled<NotifySettings>('NOTIFY', changes);
}

// proves: bot ALARM settings
describe('ALARM', () => {
  it('takes the price alert of the README', () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const [, json = ''] = /<!-- example: alarm\.json -->\n```json\n([\s\S]*?)```/.exec(readme) ?? [];
    const { type, settings } = JSON.parse(json) as { type: string; settings: Record<string, unknown> };
    expect(type).toBe('ALARM');
    expect(alarm(settings).lines).toMatchObject([{ trend: { p1: dec('98000'), p2: dec('98000') } }]);
  });

  it('has its defaults', () => {
    expect(alarm()).toMatchObject({
      type: 'ALARM',
      symbol: 'BTCUSDT',
      timeFrame: 60_000,
      deposit: null,
      short: false,
      onetime: false,
      stops: [],
      filters: null,
      ranges: [],
      lines: [{ trend: TREND, direction: 'both', on: 'tick' }],
      rsi: [],
      repeat: 'once',
      snoozeDuration: 60_000,
      message: null,
      notify: ['console'],
    });
  });

  it('takes what is given', () => {
    const given = {
      range: { trend: LINE, direction: 'down', on: 'close' },
      rsi: [{ above: '70' }, { period: 5, below: 30, above: 80 }],
      repeat: 'always',
      snoozeDuration: 0,
      message: '{symbol} {price} {condition} {time}',
      notify: ['bell', 'phone', 'bell'],
    };
    expect(alarm(given)).toMatchObject({
      lines: [{ trend: TREND, direction: 'down', on: 'close' }],
      rsi: [
        { period: 14, above: 70, below: null },
        { period: 5, above: 80, below: 30 },
      ],
      repeat: 'always',
      snoozeDuration: 0,
      message: given.message,
      notify: ['console', 'bell', 'phone'],
    });
    expect(warnings('ALARM', given)).toEqual([]);
  });

  it('needs a condition', () => {
    const needs = ['at least one condition is needed: range or rsi'];
    expect(problems('ALARM', { range: undefined })).toEqual(needs);
    expect(problems('ALARM', { range: [], rsi: [] })).toEqual(needs);
    expect(problems('ALARM', { range: undefined, rsi: [{ above: 70 }] })).toEqual([]);
    expect(problems('ALARM', { rsi: { above: 70 } })).toEqual([]);
  });

  it.each([
    [{ range: [{ type: 'volume', trend: LINE }] }, 'range[0].type: must be price, got "volume"'],
    [
      { range: [{ trend: LINE, direction: 'out' }] },
      'range[0].direction: must be one of up, down, both, got "out"',
    ],
    [{ range: [{ trend: LINE, on: 'open' }] }, 'range[0].on: must be tick or close, got "open"'],
    [{ rsi: [{}] }, 'rsi[0]: needs above or below'],
    [{ rsi: [{ above: 101 }] }, 'rsi[0].above: must be a decimal from 0 to 100, got 101'],
    [{ rsi: { below: 30, period: 0 } }, 'rsi[0].period: must be an integer from 1 to 500, got 0'],
    [{ repeat: 'twice' }, 'repeat: must be once or always, got "twice"'],
    [{ snoozeDuration: -1 }, 'snoozeDuration: must be an integer that is not negative, got -1'],
    [{ message: '' }, 'message: must be a text of 1 to 1000 characters, got ""'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('ALARM', changes)).toEqual([problem]);
  });

  it('warns of a placeholder that it does not know', () => {
    expect(warnings('ALARM', { message: '{symbol} at {prize}' })).toEqual([
      'message: {prize} stays as it is; known are {symbol}, {price}, {condition}, {time}',
    ]);
  });
});

// proves: bot ALARM notify, bot NOTIFY notify
describe('who hears of an alert', () => {
  it.each(['ALARM', 'NOTIFY'] as const)(
    'is the console, the bell, or a target of the configuration (%s)',
    (kind) => {
      expect(problems(kind, { notify: ['console', 'bell', 'phone'] })).toEqual([]);
      expect(problems(kind, { notify: ['ops', 'phone', 'desk'] })).toEqual([
        'notify[0]: no target named "ops" in the configuration',
        'notify[2]: no target named "desk" in the configuration',
      ]);
      expect(problems(kind, { notify: 'phone' })).toEqual([
        'notify: must be an array of at most 20 entries, got "phone"',
      ]);
      expect(problems(kind, { notify: ['https://example.com/'] })).toEqual([
        'notify[0]: must be a name of 1 to 64 characters from A-Z a-z 0-9 . _ : -, got "https://example.com/"',
      ]);
    },
  );
});

// proves: bot NOTIFY settings
describe('NOTIFY', () => {
  it('has its defaults', () => {
    expect(notify()).toMatchObject({
      type: 'NOTIFY',
      symbol: '',
      quote: null,
      timeFrame: 300_000,
      conditions: [{ type: 'price_change', percent: dec('2') }],
      match: 'all',
      filters: null,
      top: 10,
      cooldown: 3_600_000,
      message: null,
      notify: ['console'],
    });
    expect(notify({ timeFrame: 900_000 }).cooldown).toBe(10_800_000);
  });

  it('takes every kind of condition', () => {
    const conditions = [
      { type: 'price_change', percent: -3 },
      { type: 'volume_surge', ratio: '3' },
      { type: 'rsi', above: 70 },
      { type: 'breakout', lookback: 3 },
    ];
    expect(notify({ conditions, match: 'any', top: 2, cooldown: 0 })).toMatchObject({
      conditions: [
        { type: 'price_change', percent: dec('-3') },
        { type: 'volume_surge', ratio: dec('3'), lookback: 20 },
        { type: 'rsi', period: 14, above: 70, below: null },
        { type: 'breakout', lookback: 3 },
      ],
      match: 'any',
      top: 2,
      cooldown: 0,
    });
  });

  // proves: bot NOTIFY settings, limit notify-timeFrame
  it('has candles of five minutes or more', () => {
    for (const timeFrame of [60_000, 299_999, 330_000]) {
      expect(problems('NOTIFY', { timeFrame })).toEqual([
        `timeFrame: must be an integer from 300000 to 604800000 in steps of 60000, got ${timeFrame}`,
      ]);
    }
    expect(problems('NOTIFY', { timeFrame: undefined })).toEqual([
      'timeFrame: missing; must be an integer from 300000 to 604800000 in steps of 60000',
    ]);
  });

  it.each([
    [{ conditions: undefined }, 'conditions: missing; must be an array of at most 50 entries'],
    [{ conditions: [] }, 'conditions: at least one condition is needed'],
    [{ conditions: [5] }, 'conditions[0].type: must be one of price_change, volume_surge, rsi, breakout'],
    [
      { conditions: [{ type: 'news' }] },
      'conditions[0].type: must be one of price_change, volume_surge, rsi, breakout, got "news"',
    ],
    [
      { conditions: [{ type: 'price_change', percent: 0 }] },
      'conditions[0].percent: must not be 0: any price passes',
    ],
    [
      { conditions: [{ type: 'price_change' }] },
      'conditions[0].percent: missing; must be a decimal above -100 and at most 1000000',
    ],
    [
      { conditions: [{ type: 'volume_surge', ratio: 0 }] },
      'conditions[0].ratio: must be a decimal above 0, got 0',
    ],
    [
      { conditions: [{ type: 'breakout', lookback: 0 }] },
      'conditions[0].lookback: must be an integer from 1 to 500, got 0',
    ],
    [{ conditions: [{ type: 'rsi' }] }, 'conditions[0]: needs above or below'],
    [{ match: 'some' }, 'match: must be all or any, got "some"'],
    [{ top: 0 }, 'top: must be an integer from 1 to 500, got 0'],
    [{ cooldown: -1 }, 'cooldown: must be an integer that is not negative, got -1'],
    [{ quote: 'EUR' }, 'quote: no symbol of paper-spot is priced in "EUR"'],
    [{ quote: 'BTC', symbol: 'BTCUSDT' }, 'quote: BTCUSDT is priced in USDT, not in BTC'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('NOTIFY', changes)).toEqual([problem]);
  });

  it('may be narrowed to one quote asset', () => {
    expect(notify({ quote: 'BTC' }).quote).toBe('BTC');
  });

  it('trades nothing', () => {
    expect(warnings('NOTIFY', { deposit: { value: '1', asset: 'USDT' }, short: true })).toEqual([
      'deposit: unknown field and ignored',
      'short: unknown field and ignored',
    ]);
  });
});
