/**
 * One symbol that terminals look at: the exchange's own candle of a minute replaces the one built from
 * ticks, and never adds to it.
 */
import { expect, it } from 'vitest';
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
