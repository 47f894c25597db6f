/**
 * The log lines of a panic: the start is stored first, the results are counted, and nothing else is written.
 */
import { describe, expect, it } from 'vitest';
import { notePanic } from '../../../src/desk/console/panic-note.ts';
import type { PanicNote } from '../../../src/desk/console/protocol.ts';
import type { DeskCore } from '../../../src/desk/core/desk-core.ts';

/** The line in the log, or the code of the refusal. */
async function said(note: unknown, failing = false): Promise<string> {
  const lines: string[] = [];
  const core = {
    recorded: async (_level: string, _source: string, text: string) => {
      if (failing) throw new Error('the disk is full');
      lines.push(text);
    },
  };
  const outcome = await notePanic(core as unknown as DeskCore, note as PanicNote);
  expect(lines).toHaveLength(outcome.ok ? 1 : 0);
  return outcome.ok ? (lines[0] as string) : outcome.error.code;
}

describe('its beginning', () => {
  it.each([
    [['bots'], false, 'panic: stop all bots, asked by operator'],
    [['orders', 'positions'], false, 'panic: cancel all orders, close all positions, asked by operator'],
    [['positions'], true, 'panic for what failed, again: close all positions, asked by operator'],
  ])('names its parts: %j, again %s', async (parts, again, text) => {
    expect(await said({ phase: 'start', parts, ...(again ? { again } : {}) })).toBe(text);
  });

  it.each([[[]], [['bots', 'all']], [['toString']], ['bots'], [undefined], [[1]]])(
    'is refused with the parts %j',
    async (parts) => {
      expect(await said({ phase: 'start', parts })).toBe('INVALID_REQUEST');
    },
  );

  it('is refused where it cannot be stored: nothing of it may be done then', async () => {
    expect(await said({ phase: 'start', parts: ['bots'] }, true)).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('its end', () => {
  it.each([
    [{ all: 0, done: 0, failed: 0 }, 'panic over: 0 of 0 done'],
    [{ all: 3, done: 3, failed: 0 }, 'panic over: 3 of 3 done'],
    [{ all: 3, done: 2, failed: 1 }, 'panic over: 2 of 3 done, 1 failed'],
  ])('has what came of it: %j', async (counts, text) => {
    expect(await said({ phase: 'end', ...counts })).toBe(text);
  });

  it.each([{ all: -1 }, { done: 0.5 }, { failed: '1' }, { all: Number.NaN }, { done: 2 ** 53 }])(
    'is refused with %j',
    async (wrong) => {
      expect(await said({ phase: 'end', all: 1, done: 1, failed: 0, ...wrong })).toBe('INVALID_REQUEST');
    },
  );

  it('is the only other line there is', async () => {
    expect(await said({ phase: 'middle', all: 1, done: 1, failed: 0 })).toBe('INVALID_REQUEST');
  });
});
