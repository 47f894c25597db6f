/** Settings of FIBO (strategies.md 3). */
import { describe, expect, it } from 'vitest';
import type { FiboSettings } from '../../../../src/bots/types/fibo/settings.ts';
import { dec, str } from '../../../../src/domain/decimal.ts';
import { compile, compiled, NOW, problems, settingsOf, texts, warnings } from '../../settings/support.ts';

const YEAR_MS = 365 * 86_400_000;
const NAMES = '0, 0.236, 0.382, 0.500, 0.618, 0.786, 1';

type Channel = Record<string, unknown>;

/** Channels 0 and 1 at 40000 and 50000, with others added between them or in their place. */
function channels(...changes: readonly Channel[]): { channels: Channel[] } {
  const ends: Channel[] = [
    { name: '0', depositePercent: '50', fiboPrice: '40000' },
    { name: '1', depositePercent: '50', fiboPrice: '50000' },
  ];
  const changed = ends.map((end) => changes.find(({ name }) => name === end.name) ?? end);
  return { channels: [...changed, ...changes.filter(({ name }) => name !== '0' && name !== '1')] };
}

function fibo(changes: Record<string, unknown>): FiboSettings {
  return compiled<FiboSettings>('FIBO', changes);
}

// proves: bot FIBO settings, bot fibo
describe('FIBO', () => {
  it('has its defaults', () => {
    expect(fibo({})).toMatchObject({
      type: 'FIBO',
      strategy: 'fixed',
      timeFrame: null,
      onetime: true,
      trailing: false,
      trailingFrom: null,
      trailingMaxChange: dec('1'),
      buyOnly: false,
      waitFullSell: false,
      crossChannelSell: false,
      mergeChannels: false,
      green: null,
    });
  });

  it('takes what is given', () => {
    const given = {
      strategy: 'auto',
      timeFrame: 300_000,
      onetime: false,
      trailing: true,
      trailingFrom: NOW,
      buyOnly: true,
      waitFullSell: true,
      crossChannelSell: true,
      mergeChannels: true,
    } as const;
    expect(fibo({ ...given, trailingMaxChange: 0.5, green: '4' })).toMatchObject({
      ...given,
      trailingMaxChange: dec('0.5'),
      green: dec('4'),
    });
  });

  it.each([
    [{ strategy: 'even' }, 'strategy: must be fixed or auto, got "even"'],
    [{ trailing: 'yes' }, 'trailing: must be true or false, got "yes"'],
    [{ trailingMaxChange: 0 }, 'trailingMaxChange: must be a decimal above 0 and below 100, got 0'],
    [{ trailingMaxChange: '100' }, 'trailingMaxChange: must be a decimal above 0 and below 100, got "100"'],
    [{ green: 0 }, 'green: must be a decimal above 0, got 0'],
    [{ maxRangePercent: -1 }, 'maxRangePercent: must be a decimal above 0, got -1'],
    [{ channels: undefined }, 'channels: missing; must be an array of at most 50 entries'],
    [{ channels: {} }, 'channels: must be an array of at most 50 entries, got an object'],
    [{ channels: [] }, 'channels: 0 and 1 are mandatory'],
  ])('refuses %j', (changes, problem) => {
    expect(problems('FIBO', changes)).toContain(problem);
  });
});

// proves: bot FIBO prices, bot FIBO names
describe('channels', () => {
  it('are ordered by price, whichever end is the lower', () => {
    const levels = ({ channels: list }: FiboSettings) =>
      list.map(({ name, level }) => `${name} ${str(level)}`);
    const middle = [{ name: '0.786' }, { name: '0.236' }, { name: '0.500' }];
    expect(levels(fibo(channels(...middle)))).toEqual([
      '0 40000',
      '0.236 42360',
      '0.500 45000',
      '0.786 47860',
      '1 50000',
    ]);
    const turned = channels(
      { name: '0', depositePercent: 100, fiboPrice: 50_000 },
      { name: '1', fiboPrice: '40000' },
      ...middle,
    );
    expect(levels(fibo(turned))).toEqual(['1 40000', '0.786 42140', '0.500 45000', '0.236 47640', '0 50000']);
  });

  it('may have a price of their own', () => {
    const { channels: list } = fibo(channels({ name: '0.382', fiboPrice: '41234.567' }));
    expect(list.map(({ level }) => str(level))).toEqual(['40000', '41234.567', '50000']);
  });

  it('that are left out count as a share of 0', () => {
    const { channels: list } = fibo(channels({ name: '0.618' }));
    expect(list.map(({ share }) => str(share))).toEqual(['50', '0', '50']);
  });

  it('have the names of the list, as text, each once', () => {
    const bad = (name: unknown) => problems('FIBO', channels({ name }));
    expect(bad('0.5')).toEqual([`channels[2].name: must be one of ${NAMES}, got "0.5"`]);
    expect(bad(0.5)).toEqual([`channels[2].name: must be one of ${NAMES}, got the number 0.5`]);
    expect(bad(undefined)).toEqual([`channels[2].name: missing; must be one of ${NAMES}`]);
    const twice = channels({ name: '0.236' }, { name: '0.236' });
    expect(problems('FIBO', twice)).toContain('channels: 0.236 is given twice');
  });

  // proves: bot FIBO names
  it('hold 0 and 1, with their prices', () => {
    const only = (name: string) => ({ channels: [{ name, depositePercent: 100, fiboPrice: '5' }] });
    for (const name of ['0', '1', '0.236']) {
      expect(problems('FIBO', only(name))).toEqual(['channels: 0 and 1 are mandatory']);
    }
    expect(problems('FIBO', channels({ name: '0', depositePercent: 50 }))).toEqual([
      'channels[0].fiboPrice: missing; channel 0 is an end of the grid and needs its price',
    ]);
    expect(problems('FIBO', channels({ name: '1', depositePercent: 50 }))).toEqual([
      'channels[1].fiboPrice: missing; channel 1 is an end of the grid and needs its price',
    ]);
  });

  it('have different prices', () => {
    const same = channels({ name: '0.500', fiboPrice: '40000' });
    expect(problems('FIBO', same)).toEqual(['channels: 0 and 0.500 have the same price 40000']);
  });

  // proves: bot FIBO shares
  it.each([
    ['40', 'channels: depositePercent adds up to 90, not 100'],
    ['49.98', 'channels: depositePercent adds up to 99.98, not 100'],
    ['49.99', null],
    ['50.01', null],
    ['50.02', 'channels: depositePercent adds up to 100.02, not 100'],
    [1000, 'channels: depositePercent adds up to 1050, not 100'],
    ['-1', 'channels[0].depositePercent: must be a decimal of at least 0, got "-1"'],
    ['half', 'channels[0].depositePercent: must be a decimal of at least 0, got "half"'],
  ])('have shares that add up to 100: 50 and %s', (depositePercent, problem) => {
    const changed = channels({ name: '0', depositePercent, fiboPrice: '40000' });
    expect(problems('FIBO', changed)).toEqual(problem === null ? [] : [problem]);
  });

  // proves: bot common unknown-field
  it('point out a share that is misspelled', () => {
    const misspelled = channels({ name: '0', depositPercent: '50', fiboPrice: '40000' });
    expect(problems('FIBO', misspelled)).toEqual(['channels: depositePercent adds up to 50, not 100']);
    expect(warnings('FIBO', misspelled)).toEqual([
      'channels[0].depositPercent: unknown field; did you mean "depositePercent"?',
    ]);
  });

  it('may enter and leave at other prices', () => {
    const priced = channels(
      { name: '0.236', buy: '42000.5', sell: 43_000 },
      { name: '0.500', buy: { from: 'level', percent: '-0.5' }, sell: { from: 'entry', percent: 2 } },
    );
    const { channels: list } = fibo(priced);
    expect(list.map(({ buy, sell }) => ({ buy, sell }))).toEqual([
      { buy: null, sell: null },
      { buy: { kind: 'fixed', price: dec('42000.5') }, sell: { kind: 'fixed', price: dec('43000') } },
      {
        buy: { kind: 'from', from: 'level', percent: dec('-0.5') },
        sell: { kind: 'from', from: 'entry', percent: dec('2') },
      },
      { buy: null, sell: null },
    ]);
  });

  it.each([
    [{ buy: '0' }, 'buy: must be a decimal above 0, got "0"'],
    [{ buy: '' }, 'buy: must be a decimal above 0, got ""'],
    [{ buy: true }, 'buy: must be a decimal above 0, got true'],
    [{ sell: 0.001 }, 'sell: must be at least 0.01, the tick size of BTCUSDT, got 0.001'],
    [{ buy: { from: 'entry', percent: 1 } }, 'buy.from: must be level or price, got "entry"'],
    [{ buy: { percent: 1 } }, 'buy.from: missing; must be level or price'],
    [{ sell: { from: 'top', percent: 1 } }, 'sell.from: must be one of level, price, entry, got "top"'],
    [{ sell: { from: 'entry' } }, 'sell.percent: missing; must be a decimal above -100 and at most 1000000'],
    [
      { sell: { from: 'entry', percent: -100 } },
      'sell.percent: must be a decimal above -100 and at most 1000000, got -100',
    ],
    [{ buy: ['42000'] }, 'buy: must be an object, got an array of 1'],
    [{ fiboPrice: 0 }, 'fiboPrice: must be a decimal above 0, got 0'],
    [{ fiboPrice: '0.009' }, 'fiboPrice: must be at least 0.01, the tick size of BTCUSDT, got 0.009'],
  ])('refuse %j', (changes, problem) => {
    expect(problems('FIBO', channels({ name: '0.382', ...changes }))).toEqual([`channels[2].${problem}`]);
  });

  it('of a short bot leave room below for the target of the lowest', () => {
    const wide = (share: string, rest: Channel = {}) => ({
      short: true,
      exchange: 'paper-futures',
      ...channels({ name: '0', depositePercent: share, fiboPrice: '20000', ...rest }),
    });
    expect(problems('FIBO', wide('50'))).toEqual([
      'channels: the target of 0 would be at or below 0; give its sell a price',
    ]);
    expect(problems('FIBO', wide('50', { sell: '15000' }))).toEqual([]);
    const none = wide('0').channels.map((channel, i) =>
      i === 1 ? { ...channel, depositePercent: 100 } : channel,
    );
    expect(problems('FIBO', { ...wide('0'), channels: none })).toEqual([]);
    expect(problems('FIBO', { ...wide('50'), short: false })).toEqual([]);
  });
});

// proves: bot FIBO maxRangePercent
describe('maxRangePercent', () => {
  const range = (high: string, maxRangePercent: unknown) =>
    problems('FIBO', { ...channels({ name: '1', depositePercent: 50, fiboPrice: high }), maxRangePercent });

  it('bounds the span from the lowest to the highest channel', () => {
    expect(range('65000', 50)).toEqual(['channel span of 62.5 % is over maxRangePercent 50']);
    expect(range('65000', '62.5')).toEqual([]);
    expect(range('60000', 50)).toEqual([]);
  });

  it('counts channels with prices of their own', () => {
    const far = channels({ name: '0.786', fiboPrice: '65000' });
    expect(problems('FIBO', { ...far, maxRangePercent: 50 })).toEqual([
      'channel span of 62.5 % is over maxRangePercent 50',
    ]);
  });

  it('shows as many digits as it takes to see the difference', () => {
    expect(range('53333.33', 30)).toEqual(['channel span of 33.33 % is over maxRangePercent 30']);
    expect(range('60000.01', 50)).toEqual(['channel span of 50.00003 % is over maxRangePercent 50']);
  });
});

// proves: bot FIBO trailingFrom, limit trailingFrom, S43
describe('trailingFrom', () => {
  const rule = `must be within 365 days of now, from ${NOW - YEAR_MS} to ${NOW + YEAR_MS}`;

  it.each([
    [NOW - YEAR_MS, null],
    [NOW + YEAR_MS, null],
    [`${NOW}`, null],
    [NOW - YEAR_MS - 1, `${rule}, got ${NOW - YEAR_MS - 1}`],
    [NOW + YEAR_MS + 1, `${rule}, got ${NOW + YEAR_MS + 1}`],
    ['yesterday', 'must be an integer that is not negative, got "yesterday"'],
  ])('%s', (trailingFrom, problem) => {
    expect(problems('FIBO', { trailingFrom })).toEqual(problem === null ? [] : [`trailingFrom: ${problem}`]);
  });
});

// proves: bot run all-problems
describe('a FIBO bot with several mistakes', () => {
  const mistakes = {
    deposit: { value: '0.5', asset: 'BTC' },
    maxRangePercent: 50,
    trailing: true,
    trailingFrom: NOW - 400 * 86_400_000,
    channels: [
      { name: '0', depositePercent: '40', fiboPrice: '40000' },
      { name: '0.500', depositePercent: '50' },
      { name: '1', depositePercent: '0', fiboPrice: '65000' },
    ],
  };

  it('is told of all of them', () => {
    expect(problems('FIBO', mistakes)).toEqual([
      'deposit.asset: must be USDT for BTCUSDT on paper-spot',
      'channels: depositePercent adds up to 90, not 100',
      'channel span of 62.5 % is over maxRangePercent 50',
      `trailingFrom: must be within 365 days of now, from ${NOW - YEAR_MS} to ${NOW + YEAR_MS}, got ${mistakes.trailingFrom}`,
    ]);
  });

  it('is compiled for the checks of price and balance where every value could be read', () => {
    const readable = compile('FIBO', { ...mistakes, deposit: settingsOf('FIBO').deposit });
    expect(readable.ok).toBe(false);
    expect(readable.settings).toMatchObject({ type: 'FIBO', deposit: { value: dec('1000') } });
    const unreadable = compile('FIBO', mistakes);
    expect([unreadable.ok, unreadable.settings]).toEqual([false, null]);
    if (!unreadable.ok) expect(texts(unreadable.problems)).toHaveLength(4);
  });
});
