import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { connectionsWithin, openFileLimit, RESERVED_FILES } from '../../src/api/open-files.ts';

describe('connections within a limit of open files', () => {
  it.each([
    [null, 11_000],
    [1_048_576, 11_000],
    [11_000 + RESERVED_FILES, 11_000],
    [11_000, 11_000 - RESERVED_FILES],
    [1_024, 768],
    [256, 64],
    [1, 1],
  ])('of %s are %i', (openFiles, connections) => {
    expect(connectionsWithin(openFiles, 11_000)).toBe(connections);
  });

  it('are never more than what is set', () => {
    expect(connectionsWithin(1_024, 5)).toBe(5);
  });
});

it.runIf(process.platform !== 'win32')('the limit of this process is what its children inherit', () => {
  const told = execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  expect(openFileLimit()).toBe(told === 'unlimited' ? null : Number(told));
});
