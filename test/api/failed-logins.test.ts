/**
 * Requests without a proven key cannot flood the log: it has a few lines a minute about them, and their
 * number.
 */
import { expect, it } from 'vitest';
import {
  FAILED_LOGIN_ADDRESSES,
  FAILED_LOGIN_LINES,
  FAILED_LOGIN_LINES_ALL,
  FailedLogins,
} from '../../src/api/failed-logins.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { Bench, Signer } from './support.ts';

it('writes the first lines of an address in a minute and counts the rest in one', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const logins = new FailedLogins(clock, (text) => lines.push(text));
  for (let i = 0; i < 900; i++) logins.note(`203.0.113.${i % 12}`, 'refused');
  expect(lines).toHaveLength(12 * FAILED_LOGIN_LINES);
  await clock.advance(60_000);
  expect(lines.at(-1)).toBe(
    'failed logins without a line of their own in the last minute: 780, from 203.0.113.0 and 11 other addresses',
  );
  expect(lines).toHaveLength(12 * FAILED_LOGIN_LINES + 1);
  logins.note('203.0.113.0', 'refused');
  expect(lines.at(-1)).toBe('refused');
  await clock.advance(60_000);
  expect(lines).toHaveLength(12 * FAILED_LOGIN_LINES + 2);
  expect(clock.pendingTimers).toBe(0);
});

it('names in each minute the addresses of that minute only', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const logins = new FailedLogins(clock, (text) => lines.push(text));
  for (const address of ['203.0.113.1', '203.0.113.2']) {
    for (let i = 0; i <= FAILED_LOGIN_LINES; i++) logins.note(address, 'refused');
    await clock.advance(60_000);
    expect(lines.at(-1)).toBe(
      `failed logins without a line of their own in the last minute: 1, from ${address}`,
    );
  }
});

it('bounds the lines of all addresses together, however many they are', () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const logins = new FailedLogins(clock, (text) => lines.push(text));
  for (let i = 0; i < 5 * FAILED_LOGIN_ADDRESSES; i++)
    logins.note(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 'refused');
  expect(lines).toHaveLength(FAILED_LOGIN_LINES_ALL);
  logins.close();
  expect(lines).toHaveLength(FAILED_LOGIN_LINES_ALL + 1);
  expect(clock.pendingTimers).toBe(0);
});

it('gives all addresses together their lines anew with each minute', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const logins = new FailedLogins(clock, (text) => lines.push(text));
  for (const minutes of [1, 2, 3]) {
    for (let i = 0; i < 400; i++) logins.note(`10.0.${i >> 8}.${i & 255}`, 'refused');
    expect(lines.filter((line) => line === 'refused')).toHaveLength(minutes * 300);
    await clock.advance(60_000);
  }
});

it('holds for requests and WebSockets of one address together', async () => {
  const clock = new VirtualClock(undefined, { autoTurns: true });
  await using bench = await Bench.start({}, { clock });
  const stranger = new Signer(Buffer.alloc(32, 9));
  for (let i = 0; i < 40; i++) await bench.send('GET', '/api/v2/ping', { signer: stranger });
  const refused = () => bench.desk.lines.filter(({ text }) => text.includes('INVALID_KEY'));
  expect(refused()).toHaveLength(FAILED_LOGIN_LINES);
  await clock.advance(60_000);
  expect(bench.desk.lines.at(-1)?.text).toContain(`: ${40 - FAILED_LOGIN_LINES}, from 127.0.0.0/8`);
});
