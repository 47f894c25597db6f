/**
 * One symbol that terminals look at: the exchange's own candle of a minute replaces the one built from
 * ticks, and never adds to it.
 */
import { describe, expect, it } from 'vitest';
import { Looked } from '../../../src/desk/market/looked.ts';

const MINUTE = 60_000;
const AT = Date.UTC(2026, 0, 5, 12, 0, 0);
const tick = (time: number, price: string, volume: string) => ({ time, price, volume });
const candle = (time: number, high: string, low: string, volume: string) => ({
  time,
  open: low,
  high,
  low,
  close: high,
  volume,
});

it('has each trade of the day once, heard before the market told its minute or after that', () => {
  const looked = new Looked('one', 'BTCUSDT', MINUTE);
  looked.tick(tick(AT + 1_000, '100', '1'));
  looked.tick(tick(AT + 2_000, '101', '2'));
  expect(looked.day(AT + 3_000)).toEqual({ high: '101', low: '100', volume: '3' });
  looked.tell([candle(AT, '102', '99', '4')]);
  const told = { high: '102', low: '99', volume: '4' };
  expect(looked.day(AT + MINUTE)).toEqual(told);
  // The exchange's clock is ahead of ours: a trade within the minute that was already reported comes later.
  looked.tick(tick(AT + MINUTE - 1, '103', '5'));
  expect(looked.day(AT + MINUTE)).toEqual(told);
  looked.tick(tick(AT + MINUTE, '98', '6'));
  expect(looked.day(AT + MINUTE)).toEqual({ high: '102', low: '98', volume: '10' });
  expect(looked.forming(MINUTE, AT + MINUTE)).toMatchObject({ time: AT + MINUTE, open: '98', volume: '6' });
});

describe('the trades', () => {
  const print = (looked: Looked, from: number, count: number) =>
    looked.print(
      Array.from({ length: count }, (_, n) => ({
        symbol: 'BTCUSDT',
        time: AT + from + n,
        side: n % 2 === 0 ? ('BUY' as const) : ('SELL' as const),
        price: String(from + n),
        volume: '0.5',
      })),
    );

  it('are the last 60, the newest first, from any one of them on', () => {
    const looked = new Looked('one', 'BTCUSDT', MINUTE);
    print(looked, 0, 3);
    expect(looked.tape()).toEqual([
      { time: AT + 2, side: 'BUY', price: '2', quantity: '0.5' },
      { time: AT + 1, side: 'SELL', price: '1', quantity: '0.5' },
      { time: AT, side: 'BUY', price: '0', quantity: '0.5' },
    ]);
    const prices = (from?: number) => looked.tape(from).map(({ price }) => Number(price));
    expect([looked.trades, prices(1), prices(3)]).toEqual([3, [2, 1], []]);
    for (let n = 3; n < 300; n += 27) print(looked, n, 27);
    expect(looked.trades).toBe(300);
    expect(prices()).toEqual(Array.from({ length: 60 }, (_, n) => 299 - n));
    expect([prices(298), prices(240).length, prices(0).length]).toEqual([[299, 298], 60, 60]);
  });

  it('are none that the exchange has not told as one', () => {
    const looked = new Looked('one', 'BTCUSDT', MINUTE);
    looked.print([
      { symbol: 'BTCUSDT', price: '1', volume: '1', time: AT },
      { symbol: 'BTCUSDT', price: '2', volume: '1', side: 'BUY' },
      { symbol: 'BTCUSDT', price: '3', volume: '1', side: 'SELL', time: AT },
    ]);
    expect([looked.tape().map(({ price }) => price), looked.trades]).toEqual([['3'], 1]);
  });
});

describe('the candle that runs', () => {
  it('is made of what the market told of its frame and what was heard since, at its own time', () => {
    const looked = new Looked('one', 'BTCUSDT', MINUTE);
    expect(looked.forming(5 * MINUTE, AT)).toBeNull();
    looked.tell([
      candle(AT - MINUTE, '500', '1', '50'),
      candle(AT, '110', '90', '2'),
      candle(AT + MINUTE, '120', '95', '3'),
    ]);
    const now = AT + 3 * MINUTE;
    expect(looked.forming(5 * MINUTE, now)).toEqual({
      time: AT,
      open: '90',
      high: '120',
      low: '90',
      close: '120',
      volume: '5',
    });
    looked.tick(tick(AT + 2 * MINUTE + 5, '130', '1'));
    looked.tick(tick(now, '85', '0.5'));
    looked.tick(tick(now + 1, '99', '0.25'));
    const whole = { time: AT, open: '90', high: '130', low: '85', close: '99', volume: '6.75' };
    expect(looked.forming(5 * MINUTE, now + 1)).toEqual(whole);
    expect(looked.forming(MINUTE, now + 1)).toEqual({
      time: now,
      open: '85',
      high: '99',
      low: '85',
      close: '99',
      volume: '0.75',
    });
    // The market's own candle of a minute takes the place of what was heard of it, and of that minute alone.
    looked.tell([
      candle(AT, '110', '90', '2'),
      candle(AT + MINUTE, '120', '95', '3'),
      candle(AT + 2 * MINUTE, '131', '96', '4'),
    ]);
    expect(looked.forming(5 * MINUTE, now + 1)).toEqual({ ...whole, high: '131', volume: '9.75' });
    // The next frame has begun, of which nothing is known.
    expect(looked.forming(5 * MINUTE, AT + 5 * MINUTE)).toBeNull();
    looked.tick(tick(AT + 5 * MINUTE, '70', '1'));
    expect(looked.forming(5 * MINUTE, AT + 5 * MINUTE)).toMatchObject({ open: '70', volume: '1' });
  });
});

it('what is heard is held of 1,500 minutes at most, the newest', () => {
  const looked = new Looked('one', 'BTCUSDT', MINUTE);
  for (let n = 0; n < 1_501; n++) looked.tick(tick(AT + n * MINUTE, '1', '1'));
  expect(looked.forming(Number.MAX_SAFE_INTEGER, AT)).toMatchObject({ volume: '1500' });
});

it('the day reaches back 24 hours', () => {
  const looked = new Looked('one', 'BTCUSDT', MINUTE);
  const day = 1_440 * MINUTE;
  expect(looked.day(AT)).toBeNull();
  looked.tick(tick(AT, '200', '1'));
  looked.tick(tick(AT + MINUTE, '100', '2'));
  expect(looked.day(AT + day)).toEqual({ high: '200', low: '100', volume: '3' });
  expect(looked.day(AT + day + 1)).toEqual({ high: '100', low: '100', volume: '2' });
});
