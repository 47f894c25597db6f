/** The small parts that accounts of all exchanges share: what they remember, read and leave out. */
import { describe, expect, it } from 'vitest';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import { algoName, numbersOf } from '../../../src/venues/kit/algo-names.ts';
import { keep } from '../../../src/venues/kit/bounded-map.ts';
import { candleOf } from '../../../src/venues/kit/candles.ts';
import { Complaints } from '../../../src/venues/kit/complaints.ts';
import { HeldAssets } from '../../../src/venues/kit/held-assets.ts';
import { hasToReduce, realize } from '../../../src/venues/kit/held-positions.ts';
import {
  nameOf,
  plain,
  positive,
  readEach,
  UnreadableInstrument,
  withUnread,
} from '../../../src/venues/kit/instrument-reading.ts';
import { parseExact } from '../../../src/venues/kit/json.ts';
import { UnreadableEvents } from '../../../src/venues/kit/unreadable-events.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { BTC } from '../paper-support.ts';

describe('assets that an account has held', () => {
  it('are told as zero once an answer lacks them, with the time of that answer', () => {
    const [held, other] = [new HeldAssets(), new HeldAssets()];
    const btc = { asset: 'BTC', free: '1', locked: '2' };
    const usdt = { asset: 'USDT', free: '30', locked: '0' };
    held.add('BNB');
    expect(held.whole([btc, usdt])).toEqual([btc, usdt, { asset: 'BNB', free: '0', locked: '0' }]);
    expect(held.whole([usdt], 9)).toEqual([
      usdt,
      { asset: 'BNB', free: '0', locked: '0', time: 9 },
      { asset: 'BTC', free: '0', locked: '0', time: 9 },
    ]);
    expect(held.whole([btc], 10).map(({ asset, free }) => `${asset} ${free}`)).toEqual([
      'BTC 1',
      'BNB 0',
      'USDT 0',
    ]);
    expect(other.whole([])).toEqual([]);
  });
});

describe('positions that an account holds', () => {
  const position = (symbol: string, side: 'BOTH' | 'LONG' | 'SHORT', amount: string, realizedPnl: string) =>
    ({ symbol, side, amount, realizedPnl }) as ExchangePosition;
  const positions = () =>
    new Map(
      [
        position('LONG1', 'BOTH', '1', '5'),
        position('SHORT1', 'BOTH', '-1', '6'),
        position('FLAT', 'BOTH', '0', '7'),
        position('HEDGED', 'LONG', '2', '8'),
        position('HEDGED', 'SHORT', '3', '9'),
        position('HALF', 'LONG', '2', '10'),
        position('HALF', 'SHORT', '0', '11'),
      ].map((one) => [`${one.symbol} ${one.side}`, one]),
    );

  it.each([
    ['LONG1', 'BOTH', false, true],
    ['SHORT1', 'BOTH', true, false],
    ['FLAT', 'BOTH', false, false],
    ['NONE', 'BOTH', false, false],
    ['HEDGED', 'LONG', false, true],
    ['HEDGED', 'SHORT', true, false],
    ['HALF', 'LONG', false, true],
    ['HALF', 'SHORT', false, false],
    ['HALF', 'BOTH', false, false],
  ] as const)('of %s %s are reduced by a buy: %s, by a sell: %s', (symbol, side, buys, sells) => {
    expect((['BUY', 'SELL'] as const).map((one) => hasToReduce(positions(), symbol, one, side))).toEqual([
      buys,
      sells,
    ]);
  });

  it('realise what an execution of their side has, and of no other', () => {
    const all = positions();
    const before = positions();
    realize(all, 'HEDGED', 'SHORT', '-0.5');
    realize(all, 'HEDGED', 'SHORT', '0.25');
    realize(all, 'LONG1', 'BOTH', '0');
    realize(all, 'NONE', 'BOTH', '3');
    expect(all.get('HEDGED SHORT')).toEqual(position('HEDGED', 'SHORT', '3', '8.75'));
    all.delete('HEDGED SHORT');
    before.delete('HEDGED SHORT');
    expect(all).toEqual(before);
  });
});

describe('a list of instruments', () => {
  const instrument = (symbol: string, more: Partial<Instrument> = {}): Instrument => ({
    ...BTC,
    symbol,
    ...more,
  });

  it('is read one by one: what is odd, or named twice, is left out and said with its reason', () => {
    const read = readEach(
      [
        { symbol: 'A' },
        { symbol: 'ODD1' },
        { symbol: 'NOT HERE' },
        { symbol: 'A' },
        { symbol: 'B' },
        { name: 'C' },
        null,
        ...[2, 3, 4, 5, 6, 7].map((n) => ({ symbol: `ODD${n}` })),
      ],
      (raw) => {
        const name = nameOf(raw);
        if (name.startsWith('ODD')) throw new UnreadableInstrument('has no tick');
        if (name.startsWith('a ')) throw new UnreadableInstrument('has no name');
        return name === 'NOT HERE' ? null : instrument(name, { tickSize: name === 'A' ? '1' : '2' });
      },
    );
    expect(read.instruments.map(({ symbol }) => symbol)).toEqual(['A', 'B']);
    expect(read.problems).toEqual([
      'ODD1, ODD2, ODD3, ODD4, ODD5 and 2 more: has no tick',
      'A: is named twice, the second is left out',
      'a symbol without a name, a symbol without a name: has no name',
    ]);
    expect(read.unread).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => `ODD${n}`),
      'A',
      'a symbol without a name',
      'a symbol without a name',
    ]);
    expect(() =>
      readEach([{ symbol: 'A' }], () => {
        throw new TypeError('a mistake of ours');
      }),
    ).toThrow('a mistake of ours');
  });

  it('keeps what was known and cannot be read now, halted; what is gone is gone', () => {
    const before = [instrument('A'), instrument('B'), instrument('C'), instrument('D', { tickSize: '5' })];
    const instruments = [instrument('A', { tickSize: '7' })];
    expect(withUnread({ instruments, unread: ['A', 'D', 'E'] }, before)).toEqual([
      ...instruments,
      { ...before[3], halt: 'halted' },
    ]);
    expect(withUnread({ instruments, unread: [] }, before)).toBe(instruments);
  });

  it('has positive numbers where it must, and plain ones', () => {
    for (const text of [undefined, '', '0', '0.000', '-1'])
      expect(() => positive(text, 'tick size')).toThrow('has no tick size');
    expect(positive('0.50', 'tick size')).toBe(positive('0.5', 'x'));
    expect([undefined, null, '', '0.00', '1.500', '-2.0'].map(plain)).toEqual([
      '0',
      '0',
      '0',
      '0',
      '1.5',
      '-2',
    ]);
    expect(nameOf({ instId: 'x'.repeat(70), symbol: 7 }, 'instId')).toBe('x'.repeat(64));
    expect(nameOf({ symbol: 7 })).toBe('a symbol without a name');
  });
});

it('JSON is read with every digit of an integer, and all else as ever', () => {
  const text =
    '{"id":9007199254740993,"neg":-9007199254740993,"fine":9007199254740991,"f":0.1234567890123456789,"s":"12345678901234567890","list":[12345678901234567,1],"e":1e20}';
  expect(parseExact(text)).toEqual({
    id: '9007199254740993',
    neg: '-9007199254740993',
    fine: 9007199254740991,
    f: 0.12345678901234568,
    s: '12345678901234567890',
    list: ['12345678901234567', 1],
    e: 1e20,
  });
  expect(parseExact('{"a":1.5,"b":null}')).toEqual({ a: 1.5, b: null });
  for (const odd of ['{', '{"id":9007199254740993']) expect(() => parseExact(odd)).toThrow(SyntaxError);
});

it.each([
  ['1', '2', '0.5', '1.5', true],
  ['1', '1', '1', '1', true],
  ['2', '2', '1', '1', true],
  ['1', '2', '1', '2', true],
  ['2.1', '2', '1', '1', false],
  ['0.9', '2', '1', '1', false],
  ['1', '2', '1', '2.1', false],
  ['1', '2', '1', '0.9', false],
  ['1', '1', '2', '1', false],
  ['0', '1', '0', '1', false],
  ['1', '1', '-1', '1', false],
])('a candle of open %s, high %s, low %s and close %s can be: %s', (open, high, low, close, can) => {
  const candle = { time: 60_000, open, high, low, close, volume: '7.50' };
  expect(candleOf(candle)).toEqual(can ? { time: 60_000, open, high, low, close, volume: '7.5' } : null);
});

it('a map that is bounded drops the one that was set longest ago', () => {
  const map = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'c', 'a', 'd'].entries()) keep(map, key, at, 3);
  expect([...map]).toEqual([
    ['c', 2],
    ['a', 3],
    ['d', 4],
  ]);
  for (let n = 0; n < 20_001; n++) keep(map, `${n}`, n);
  expect([map.size, map.has('0'), map.has('1'), map.has('20000')]).toEqual([20_000, false, true, true]);
});

it('an order that a trigger has made has two numbers, told apart by their names', () => {
  expect(algoName('77')).toBe('a77');
  expect(numbersOf()).toEqual({});
  expect(numbersOf(['a77'])).toEqual({ algoId: '77' });
  expect(numbersOf(['77'])).toEqual({ orderId: '77' });
  // The first conditional number made it, and the last other one is the order of now.
  expect(numbersOf(['a77', '88', 'a99', '111'])).toEqual({ algoId: '77', orderId: '111' });
});

it('events that cannot be read are said each, and lead to a question once a minute', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  let gaps = 0;
  const events = new UnreadableEvents({
    clock,
    complaints: new Complaints({ clock, report: (text) => lines.push(text) }),
    gap: () => gaps++,
  });
  expect(events.read('order', { ok: true, value: 7 })).toBe(7);
  expect([lines, gaps]).toEqual([[], 0]);
  expect(events.read('order', { ok: false, problem: 'no id' })).toBeNull();
  expect(events.read('fill', { ok: false, problem: 'no price' })).toBeNull();
  expect([lines, gaps]).toEqual([['order: no id', 'fill: no price'], 1]);
  await clock.advance(59_999);
  events.say('other', 'odd');
  expect(gaps).toBe(1);
  await clock.advance(1);
  events.say('other', 'odd');
  events.say('other', 'odd');
  expect([gaps, lines.length]).toEqual([2, 3]);
  await clock.advance(60_000);
  events.say('other', 'odd');
  expect([gaps, lines.at(-1)]).toEqual([3, 'other: odd (and 2 times before)']);
});
