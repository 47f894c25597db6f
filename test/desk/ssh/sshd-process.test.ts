/**
 * sshd as a child process: started again when it ends, with growing delays, and never while the desk stops.
 */
import { expect, it } from 'vitest';
import { SshdProcess } from '../../../src/desk/ssh/sshd-process.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** `deaf`: the process does not end when it is told to. */
function rig({ deaf = false } = {}) {
  const clock = new VirtualClock();
  const told: string[] = [];
  let end: (code: number | null) => void = () => {};
  let line: (text: string) => void = () => {};
  const process = new SshdProcess({
    command: ['sshd', '-D'],
    clock,
    line: (text) => told.push(`line ${text}`),
    ended: (lines, pauseMs) => told.push(`ended ${lines.join('|')} ${pauseMs}`),
    start: (command, on) => {
      told.push(`start ${command.join(' ')}`);
      ({ end, line } = on);
      return {
        pid: 1,
        stop: () => {
          told.push('stop');
          if (!deaf) on.end(0);
        },
        kill: () => void told.push('kill'),
      };
    },
  });
  return {
    clock,
    told,
    process,
    end: (code = 255) => end(code),
    say: (text: string) => line(text),
    starts: () => told.filter((text) => text.startsWith('start')).length,
  };
}

it('waits longer after every end that follows soon, and anew after a minute without one', async () => {
  const { clock, told, process, end, say, starts } = rig();
  process.start();
  say('fatal: no');
  for (const pause of [1_000, 2_000, 5_000, 15_000, 60_000, 60_000]) {
    end();
    expect(told.at(-1)).toMatch(new RegExp(`^ended .* ?${pause}$`));
    const before = starts();
    await clock.advance(pause - 1);
    expect(starts()).toBe(before);
    await clock.advance(1);
    expect(starts()).toBe(before + 1);
  }
  await clock.advance(60_000);
  end();
  expect(told.at(-1)).toBe('ended  1000');
  expect(told).toContain('ended fatal: no 1000');
});

it('ends with the desk and is not started again', async () => {
  const { clock, told, process } = rig();
  process.start();
  await process.stop();
  await clock.advance(600_000);
  process.start();
  expect(told).toEqual(['start sshd -D', 'stop']);
});

it('is not started when the desk stops in a pause', async () => {
  const { clock, process, end, starts } = rig();
  process.start();
  end();
  await process.stop();
  await clock.advance(600_000);
  expect(starts()).toBe(1);
});

it('is ended by force when it does not end', async () => {
  const { clock, told, process } = rig({ deaf: true });
  process.start();
  let stopped = false;
  void process.stop().then(() => {
    stopped = true;
  });
  await clock.advance(1_999);
  expect(stopped).toBe(false);
  await clock.advance(1);
  expect([stopped, told.at(-1)]).toEqual([true, 'kill']);
});

it('is started anew at once with what its files say, the pauses forgotten', async () => {
  const { told, process, end, clock } = rig();
  process.start();
  end();
  await clock.advance(1_000);
  await process.restart();
  expect(told.slice(-2)).toEqual(['stop', 'start sshd -D']);
  end();
  expect(told.at(-1)).toBe('ended  1000');
});
