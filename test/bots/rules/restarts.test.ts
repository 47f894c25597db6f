/**
 * `options.restart`: how many restarts within an hour, and from when on again (S42), in the backtest as on a
 * desk.
 */
import { expect, it } from 'vitest';
import { plays } from '../../scenarios/scene.ts';
import { cell } from './bots.ts';

/** Plays `count` cycles, one every `minutes`, each a run of its own that ends with its last tick. */
function cyclesOf(minutes: number, count: number) {
  const events: string[] = ['0 105'];
  const fills: string[] = [];
  for (let i = 0; i < count; i++) {
    const [above, bought, sold] = [i * minutes * 60 + 1, i * minutes * 60 + 2, (i + 1) * minutes * 60];
    events.push(`${above} 105`, `${bought} 100`, `${sold} 110`);
    fills.push(`${bought} BUY 1 at 100 maker`, `${sold} SELL 1 at 110 maker`);
  }
  events.push(`${count * minutes * 60 + 1} 105`);
  return { events, fills };
}

const again = (restartDelay: number) => ({
  settings: cell({ onetime: true }),
  options: { restart: true, restartDelay },
});

// proves: bot options restart CHANNEL
it.each([0, 500])('ten within an hour, with a delay of %d ms', async (delay) => {
  const { events, fills } = cyclesOf(2, 13);
  // The first run and ten more.
  expect(fills.length).toBe(26);
  await plays('CHANNEL', { ...again(delay), events, fills: fills.slice(0, 22), status: 'STOPPED' });
});

it('one that was exactly an hour ago does not count any more', async () => {
  const { events, fills } = cyclesOf(6, 14);
  await plays('CHANNEL', { ...again(0), events, fills, status: 'STARTED' });
});

it('one that was less than an hour ago does', async () => {
  // Restarts half a second after each end: at the eleventh end the first restart is half a second younger
  // than an hour.
  const { events, fills } = cyclesOf(6, 14);
  await plays('CHANNEL', { ...again(500), events, fills: fills.slice(0, 22), status: 'STOPPED' });
});

it('the bot goes on without a restart of its own where none was asked for', async () => {
  const { events, fills } = cyclesOf(2, 3);
  await plays('CHANNEL', { settings: cell(), events, fills, status: 'STARTED', stats: { cycles: 3 } });
  await plays('CHANNEL', {
    settings: cell({ onetime: true }),
    options: { restart: false },
    events,
    fills: fills.slice(0, 2),
    status: 'STOPPED',
  });
});
