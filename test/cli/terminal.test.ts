import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openTerminal } from '../../src/cli/terminal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

function terminal() {
  const clock = new VirtualClock();
  const blocking: boolean[] = [];
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => raw.push(on) });
  const handle = { setBlocking: (on: boolean) => void blocking.push(on) };
  const stdout = Object.assign(new PassThrough({ highWaterMark: 1 }), { _handle: handle });
  const stderr = Object.assign(new PassThrough(), { _handle: handle });
  return { clock, blocking, raw, stdin, stdout, terminal: openTerminal(stdin, stdout, clock, [stderr]) };
}

test('a terminal never blocks this thread in a write', () => {
  expect(terminal().blocking).toEqual([false, false]);
});

test.each(['stdin', 'stdout'] as const)(
  'an error of %s means that the terminal is gone, and ends nothing',
  async (way) => {
    const one = terminal();
    let gone = false;
    void one.terminal.gone.then(() => {
      gone = true;
    });
    await one.clock.settle();
    expect(gone).toBe(false);
    expect(() => one[way].emit('error', new Error('EIO'))).not.toThrow();
    await one.clock.settle();
    expect(gone).toBe(true);
    // A second error, and output after it: there is no terminal any more, and neither throws.
    expect(() => one[way].emit('error', new Error('EIO'))).not.toThrow();
    expect(() => one.terminal.say('still there?')).not.toThrow();
  },
);

test('last words wait for a terminal that reads, and a second for one that does not', async () => {
  const one = terminal();
  one.terminal.say('much more than fits');
  one.terminal.say('and more');
  let flushed = false;
  void one.terminal.flush().then(() => {
    flushed = true;
  });
  await one.clock.advance(999);
  expect(flushed).toBe(false);
  await one.clock.advance(1);
  expect(flushed).toBe(true);
});

test('after release nothing is written or read, and its modes are the usual ones', async () => {
  const one = terminal();
  one.stdout.resume();
  await one.terminal.release();
  one.terminal.say('too late');
  one.terminal.restore();
  one.stdout.write('somebody else');
  expect(one.stdin.destroyed).toBe(true);
  expect(one.stdout.writableLength).toBe(0);
  expect(one.raw.at(-1)).toBe(false);
});
