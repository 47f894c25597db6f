/**
 * Alerts beyond the limit per minute are counted by bot, and reported once when that minute is over (S60).
 */
import { describe, expect, it } from 'vitest';
import { AlertPace } from '../../../src/bots/runtime/alert-pace.ts';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 10, 30);
const runOf = (botId: string, id = botId) => ({ id, parts: { botId } }) as unknown as LiveRun;

/** How many of `count` alerts are kept. */
const kept = (pace: AlertPace, live: LiveRun, count: number, time: number) =>
  Array.from({ length: count }, () => pace.admits(live, time)).filter(Boolean).length;
const told = (pace: AlertPace, time: number) => [...pace.over(time)].map(({ live, text }) => [live, text]);

describe('the alerts of a minute', () => {
  const [a, b] = [runOf('a'), runOf('b')];

  it('are sixty of each bot, also of one with two runs', () => {
    const pace = new AlertPace();
    const second = runOf('a', 'second');
    expect(kept(pace, a, 40, START)).toBe(40);
    expect(kept(pace, b, 61, START + 1)).toBe(60);
    expect(kept(pace, second, 40, START + MINUTE - 1)).toBe(20);
    expect(told(pace, START + MINUTE - 1)).toEqual([]);
    const rest = ['in the minute from 2026-01-05T10:30:00: 60 are kept, the others only counted'];
    const words = told(pace, START + MINUTE).map(([live, text]) => [
      live,
      String(text).replace(/ UTC|Z|\.000/g, ''),
    ]);
    // Reported for the run that alerted last.
    expect(words).toEqual([
      [second, `20 more alerts ${rest}`],
      [b, `1 more alert ${rest}`],
    ]);
    expect(told(pace, START + MINUTE)).toEqual([]);
  });

  it('are counted anew in the next, which says nothing where none was beyond', () => {
    const pace = new AlertPace();
    expect(kept(pace, a, 60, START)).toBe(60);
    expect(kept(pace, a, 60, START + MINUTE)).toBe(60);
    expect(told(pace, START + 2 * MINUTE)).toEqual([]);
  });

  it('of a time before that of the last input are of the minute that goes on', () => {
    const pace = new AlertPace();
    expect(kept(pace, a, 50, START + MINUTE)).toBe(50);
    expect(kept(pace, a, 50, START)).toBe(10);
    expect(told(pace, START + 2 * MINUTE)).toHaveLength(1);
  });

  it('of two minutes in which nobody looked are told of both', () => {
    const pace = new AlertPace();
    kept(pace, a, 61, START);
    kept(pace, b, 62, START + MINUTE);
    expect(told(pace, START + 5 * MINUTE).map(([live]) => live)).toEqual([a, b]);
  });
});
