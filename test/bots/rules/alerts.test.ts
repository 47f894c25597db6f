/** ALARM and NOTIFY in action: crossings, zones, messages, scans (strategies.md 8, 9). */
import { describe, expect, it } from 'vitest';
import { tableOfCandles } from '../../../src/bots/market/candle-table.ts';
import { utcText } from '../../../src/domain/utc-time.ts';
import type { CandleRow } from '../../scenarios/scenario.ts';
import { level, line, plays, START } from '../../scenarios/scene.ts';
import { played, rules, table, world } from '../backtest/support.ts';
import { PAIR, type Settings } from './bots.ts';

const FRAME = 300_000;
const alarm = (changes: Settings) => ({ ...PAIR, ...changes });
const crossing = (more: Settings = {}) => ({ type: 'price', trend: level(100), ...more });

/** Closed candles of a minute up to the start, flat at their closes. */
function history(closes: readonly number[]): CandleRow[] {
  return closes.map((close, i) => {
    const price = String(close);
    return [START - (closes.length - i) * 60_000, price, price, price, price, '1'];
  });
}

describe('ALARM', () => {
  // proves: bot ALARM cross both, bot ALARM cross up, bot ALARM cross down, bot ALARM no-orders
  it('fires when the price crosses in the asked direction, either way unless told', async () => {
    const events = ['0 99', '10 101', '20 99', '30 101'];
    const always = { repeat: 'always', snoozeDuration: 0 };
    for (const [direction, alerts] of [
      [undefined, ['10 BTCUSDT range[0]', '20 BTCUSDT range[0]', '30 BTCUSDT range[0]']],
      ['both', ['10 BTCUSDT range[0]', '20 BTCUSDT range[0]', '30 BTCUSDT range[0]']],
      ['up', ['10 BTCUSDT range[0]', '30 BTCUSDT range[0]']],
      ['down', ['20 BTCUSDT range[0]']],
    ] as const) {
      const range = [crossing(direction && { direction })];
      await plays('ALARM', {
        settings: alarm({ range, ...always }),
        events,
        alerts,
        fills: [],
        open: 'none',
      });
    }
  });

  // proves: bot ALARM rsi-strict
  it('with an RSI fires strictly beyond its bound; with both bounds either one is the zone', async () => {
    // Two changes: 105, 106, 105 is 50; the close at 107 makes it (0.5 + 2) / 2 over 0.5 / 2.
    const past = history([105, 106, 105]);
    const scene = { history: past, events: ['0 105', '30 105', '60 105', '119 107', '120'] };
    const rsi = (zone: Settings) => alarm({ rsi: [{ period: 2, ...zone }], repeat: 'always' });
    await plays('ALARM', { ...scene, settings: rsi({ above: 50 }), alerts: ['120 BTCUSDT rsi[0]'] });
    await plays('ALARM', {
      ...scene,
      settings: rsi({ above: 60, below: 10 }),
      alerts: ['120 BTCUSDT rsi[0]'],
    });
    // Flat at 105 the average loss halves each time and the ratio stays 50.
    await plays('ALARM', { ...scene, settings: rsi({ below: 50 }), alerts: [] });
  });

  it('with an RSI that has a value at the start fires at the first close that enters the zone, and at none that was in it', async () => {
    const settings = alarm({ rsi: [{ period: 2, above: 50 }], repeat: 'always' });
    await plays('ALARM', {
      settings,
      history: history([105, 106, 105]),
      events: ['0 105', '59 107', '60', '119 108', '120'],
      alerts: ['60 BTCUSDT rsi[0]'],
    });
    await plays('ALARM', {
      settings,
      history: history([105, 106, 107]),
      events: ['0 107', '59 108', '60'],
      alerts: [],
    });
  });

  // proves: bot ALARM rsi-none
  it('with an RSI that has no value yet fires nothing, and the first value decides nothing', async () => {
    const settings = alarm({ rsi: [{ period: 2, above: 10 }] });
    // Closes at 60, 120 and 180: the value exists at 180, and is in the zone from the first.
    await plays('ALARM', {
      settings,
      events: ['0 100', '60 101', '120 102', '180 103', '240'],
      alerts: [],
      status: 'STARTED',
    });
  });

  it('once ends when all its conditions have fired, of whichever sort the last one is', async () => {
    const past = history([105, 106, 105]);
    const both = { range: [crossing({ trend: level(104) })], rsi: [{ period: 2, above: 50 }] };
    const line = { alerts: ['30 BTCUSDT range[0]'], status: 'STARTED' } as const;
    await plays('ALARM', { history: past, settings: alarm(both), events: ['0 105', '30 103'], ...line });
    const events = ['0 105', '60 105', '119 107', '120', '130 103'];
    await plays('ALARM', {
      history: past,
      settings: alarm(both),
      events: events.slice(0, 4),
      alerts: ['120 BTCUSDT rsi[0]'],
      status: 'STARTED',
    });
    await plays('ALARM', {
      history: past,
      settings: alarm(both),
      events,
      alerts: ['120 BTCUSDT rsi[0]', '130 BTCUSDT range[0]'],
      status: 'STOPPED',
      reason: 'completed',
    });
  });

  // proves: bot ALARM snooze
  it('is told again from exactly the last time and the snooze on, a minute unless given', async () => {
    const events = ['0 99', '10 101', '20 99', '69.999 101', '69.9995 99', '70 101', '90 99', '129.999 101'];
    for (const [settings, alerts] of [
      [{}, ['10 BTCUSDT range[0]', '70 BTCUSDT range[0]']],
      [{ snoozeDuration: 119_999 }, ['10 BTCUSDT range[0]', '129.999 BTCUSDT range[0]']],
      [{ snoozeDuration: 120_000 }, ['10 BTCUSDT range[0]']],
    ] as const) {
      const line = { range: [crossing({ direction: 'up' })], repeat: 'always', ...settings };
      await plays('ALARM', { settings: alarm(line), events, alerts });
    }
  });

  it('at a close goes by where the line was when the candle before the start closed, not when it opened', async () => {
    // 40 a minute before the start, 100 at the start, 160 a minute after it.
    const range = [crossing({ trend: line(100, 160, 60), on: 'close' })];
    for (const [close, alerts] of [
      ['159', []],
      ['161', ['60 BTCUSDT range[0]']],
    ] as const)
      await plays('ALARM', {
        settings: alarm({ range, timeFrame: 60_000 }),
        history: history([99]),
        events: ['0 99', `59 ${close}`, '60'],
        alerts,
      });
  });

  const told = (changes: Settings) => {
    const settings = { exchange: 'paper', ...alarm({ range: [crossing()], ...changes }) };
    const { alerts } = played({
      bot: { type: 'ALARM', settings },
      candles: [
        table([
          [99, 101, 99, 101],
          [101, 101, 101, 101],
        ]),
      ],
    });
    return alerts[0];
  };

  // proves: bot ALARM message
  it('has a message that may hold symbol, price, condition and time', () => {
    const alert = told({ message: '{symbol} at {price} by {condition}, {time}, {other}' });
    const time = utcText(alert?.at ?? 0);
    expect(alert?.message).toBe(`BTCUSDT at 101 by range[0], ${time}, {other}`);
  });

  // proves: bot ALARM message-default
  it('else says what crossed what', () => {
    expect(told({})?.message).toBe('BTCUSDT: 101 crossed up through 100');
  });

  it.each([
    [{ above: 60, below: 10 }, 'above 60 or below 10'],
    [{ above: 60 }, 'above 60'],
  ])('or what RSI is, and its zone: %j', (zone, words) => {
    // Two gains of 1 and 2 and a loss of 1: (0.5 + 2) / 2 over 0.5 / 2.
    const closes = [100, 101, 100, 102].map((close) => [close, close, close, close] as const);
    const settings = { exchange: 'paper', ...alarm({ rsi: [{ period: 2, ...zone }] }) };
    const { alerts } = played({ bot: { type: 'ALARM', settings }, candles: [table(closes)] });
    expect(alerts.map(({ message }) => message)).toEqual([`BTCUSDT: RSI(2) is 83.3, ${words}`]);
  });
});

describe('NOTIFY', () => {
  type Row = readonly [number, number, number, number];
  const scan = (series: Readonly<Record<string, readonly Row[]>>, settings: Settings) => {
    const given = { exchange: 'paper', timeFrame: FRAME, ...settings };
    const names = Object.keys(series);
    const { alerts } = played({
      bot: { type: 'NOTIFY', settings: given },
      candles: names.map((symbol) => table(series[symbol] ?? [], { frameMs: FRAME, symbol })),
      world: {
        ...world(),
        symbols: () => names,
        instrument: (_, symbol) => rules({ symbol, base: symbol.slice(0, -4), quote: 'USDT' }),
      },
    });
    return alerts.map(({ symbol, condition, message, at }) => ({
      symbol,
      condition,
      message,
      scan: Math.round((at - START) / FRAME),
    }));
  };
  const rise = (percent: number): Row => [100, 100 + percent, 100, 100 + percent];
  const flat: Row = [100, 100, 100, 100];
  const change = { conditions: [{ type: 'price_change', percent: 1 }] };

  // proves: bot NOTIFY scan symbol
  it('scans one symbol when it is given', () => {
    const series = { BTCUSDT: [rise(2)], ETHUSDT: [rise(3)] };
    expect(scan(series, { ...change, symbol: 'BTCUSDT' }).map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
    expect(scan(series, change).map(({ symbol }) => symbol)).toEqual(['ETHUSDT', 'BTCUSDT']);
  });

  // proves: bot NOTIFY rsi
  it('tells of an RSI above or below', () => {
    const closes = (...prices: number[]): Row[] => prices.map((price) => [price, price, price, price]);
    const series = {
      BTCUSDT: closes(100, 101, 102),
      ETHUSDT: closes(100, 99, 98),
      SOLUSDT: closes(100, 101, 100),
    };
    const rsi = (zone: Settings) => scan(series, { conditions: [{ type: 'rsi', period: 2, ...zone }] });
    expect(rsi({ above: 50 }).map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
    expect(rsi({ below: 50 }).map(({ symbol }) => symbol)).toEqual(['ETHUSDT']);
    expect(rsi({ above: 90, below: 10 }).map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'ETHUSDT']);
  });

  // proves: bot NOTIFY filters, bot NOTIFY blacklist
  it('passes over symbols that a filter does not let through', () => {
    const series = { BTCUSDT: [rise(2)], ETHUSDT: [rise(3)] };
    expect(scan(series, { ...change, filters: { price: { minVal: '103' } } })).toMatchObject([
      { symbol: 'ETHUSDT' },
    ]);
    expect(scan(series, { ...change, filters: { blacklist: ['ETHUSDT'] } })).toMatchObject([
      { symbol: 'BTCUSDT' },
    ]);
    // 8 BTC have traded at four prices of 100, 100, 102 and 102, and as many ETH of up to 103.
    const traded = (minVal: string) =>
      scan(series, { ...change, filters: { volume: { minVal } } }).map(({ symbol }) => symbol);
    expect(traded('808')).toEqual(['ETHUSDT', 'BTCUSDT']);
    expect(traded('808.1')).toEqual(['ETHUSDT']);
    expect(traded('812')).toEqual(['ETHUSDT']);
    expect(traded('812.1')).toEqual([]);
  });

  // proves: bot NOTIFY cooldown-top, bot NOTIFY top
  it('in cooldown a symbol takes no place in top; one that is cut off starts none', () => {
    const series = { BTCUSDT: [rise(3), rise(3), flat], ETHUSDT: [rise(2), rise(2), flat] };
    const settings = { ...change, top: 1, cooldown: 2 * FRAME };
    expect(scan(series, settings).map(({ symbol, scan: at }) => `${at} ${symbol}`)).toEqual([
      '1 BTCUSDT',
      '2 ETHUSDT',
    ]);
  });

  // proves: bot NOTIFY cooldown
  it('speaks again at exactly the last time and the cooldown, twelve candles unless given', () => {
    const series = { BTCUSDT: Array(14).fill(rise(2)) as Row[] };
    expect(scan(series, change).map(({ scan: at }) => at)).toEqual([1, 13]);
    expect(scan(series, { ...change, cooldown: 5 * FRAME }).map(({ scan: at }) => at)).toEqual([1, 6, 11]);
  });

  it('tells of a volume that is exactly so many times the mean of those before, and of no smaller one', () => {
    const of = (volumes: readonly number[]) => {
      const candles = tableOfCandles(
        'BTCUSDT',
        FRAME,
        volumes.map((volume, i) => ({
          time: START + i * FRAME,
          open: '100',
          high: '100',
          low: '100',
          close: '100',
          volume: String(volume),
        })),
      );
      const surge = { type: 'volume_surge', ratio: '3', lookback: 3 };
      const settings = { exchange: 'paper', timeFrame: FRAME, symbol: 'BTCUSDT', conditions: [surge] };
      return played({ bot: { type: 'NOTIFY', settings }, candles: [candles] }).alerts.length;
    };
    expect(
      [
        [1, 2, 3, 6],
        [1, 2, 3, 5.99],
        [0, 2, 3, 6],
      ].map(of),
    ).toEqual([1, 0, 1]);
  });

  it('tells of a close beyond all highs or lows of the candles before, and of none that is at one', () => {
    const of = (close: number) => {
      const candles = [100, 100, 100, close].map((at, i) => ({
        time: START + i * FRAME,
        open: '100',
        close: String(at),
        volume: '1',
        high: i === 1 ? '103' : '104',
        low: i === 1 ? '98' : '97',
      }));
      const condition = { type: 'breakout', lookback: 2 };
      const settings = { exchange: 'paper', timeFrame: FRAME, symbol: 'BTCUSDT', conditions: [condition] };
      const [first, ...rest] = candles;
      // The first lies further back than the bot looks.
      const wide = { ...(first as (typeof candles)[number]), high: '110', low: '90' };
      const one = tableOfCandles('BTCUSDT', FRAME, [wide, ...rest]);
      return played({ bot: { type: 'NOTIFY', settings }, candles: [one] }).alerts.length;
    };
    expect([104, 104.01, 97, 96.99, 103.5].map(of)).toEqual([0, 1, 0, 1, 0]);
  });

  // proves: bot NOTIFY message
  it('has a message of its own, or says what passed', () => {
    const series = { BTCUSDT: [rise(2.5)] };
    expect(scan(series, change)[0]?.message).toBe('BTCUSDT: price change, +2.5 % at 102.5');
    const message = '{symbol} {price} {condition}';
    expect(scan(series, { ...change, message })[0]?.message).toBe('BTCUSDT 102.5 conditions[0]');
  });

  it('tells of the strongest first, of falls as of rises, and by how much they fell', () => {
    const fall: Row = [100, 100, 97.456, 97.456];
    const conditions = [1, -1].map((percent) => ({ type: 'price_change', percent }));
    const series = { BTCUSDT: [rise(2)], SOLUSDT: [rise(1)], ETHUSDT: [fall] };
    const told = scan(series, { conditions, match: 'any', top: 2 });
    expect(told.map(({ message, condition }) => `${condition} ${message}`)).toEqual([
      'conditions[1] ETHUSDT: price change, -2.54 % at 97.456',
      'conditions[0] BTCUSDT: price change, +2 % at 102',
    ]);
  });

  // proves: bot NOTIFY 500, bot NOTIFY scan all
  it('scans 500 symbols in one pass', () => {
    const names = Array.from({ length: 500 }, (_, i) => `A${i}USDT`);
    const series = Object.fromEntries(names.map((name, i) => [name, [rise(i % 5 === 0 ? 2 : 0.5)]]));
    const told = scan(series, { ...change, top: 500 });
    expect(told).toHaveLength(100);
    expect(new Set(told.map(({ scan: at }) => at))).toEqual(new Set([1]));
  });
});
