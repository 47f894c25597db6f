/**
 * A terminal that does not read is disconnected before it costs much memory; a terminal that is merely slow
 * is not.
 */
import { expect, it } from 'vitest';
import { STUCK_MS, UNSENT_BYTES, UNSENT_MAX_BYTES, watchOutput } from '../../src/cli/stuck-output.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

function rig() {
  const clock = new VirtualClock();
  const output = { writableLength: 0, bytesWritten: 0 };
  const reasons: string[] = [];
  const watch = watchOutput(output, clock, (reason) => reasons.push(reason));
  return { clock, output, reasons, watch };
}

it('ends a session whose terminal takes nothing for half a minute, once', async () => {
  const { clock, output, reasons } = rig();
  await clock.advance(60_000);
  Object.assign(output, { writableLength: 4_096, bytesWritten: 5_000 });
  await clock.advance(STUCK_MS - 1_000);
  expect(reasons).toEqual([]);
  await clock.advance(3_000);
  expect(reasons).toEqual(['the terminal does not read what it is sent; 4 KiB wait for it']);
  await clock.advance(600_000);
  expect(reasons).toHaveLength(1);
});

it('keeps one that is slow, as long as little waits for it', async () => {
  const { clock, output, reasons } = rig();
  for (let second = 0; second < 120; second++) {
    output.bytesWritten += 3_000;
    output.writableLength = UNSENT_BYTES;
    await clock.advance(1_000);
  }
  expect(reasons).toEqual([]);
});

it('ends one that reads and falls ever further behind', async () => {
  const { clock, output, reasons } = rig();
  for (let second = 0; second < 40 && reasons.length === 0; second++) {
    output.bytesWritten += 100_000;
    output.writableLength = UNSENT_BYTES + second * 10_000 + 1;
    await clock.advance(1_000);
  }
  expect(reasons).toHaveLength(1);
});

it('ends one at once for which very much waits', async () => {
  const { clock, output, reasons } = rig();
  output.writableLength = UNSENT_MAX_BYTES + 1;
  await clock.advance(1_000);
  expect(reasons).toHaveLength(1);
});

it('looks no more when the session is over', async () => {
  const { clock, output, reasons, watch } = rig();
  watch.cancel();
  output.writableLength = UNSENT_MAX_BYTES + 1;
  await clock.advance(60_000);
  expect(reasons).toEqual([]);
});
