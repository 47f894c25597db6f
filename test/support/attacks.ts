/**
 * Counts attacks: a test that attacks the product reports the class of the attacks, how many were tried and
 * how many were repelled. If OUTCRY_ATTACKS names a file, a line is appended to it: docs/security-tests.md is
 * made from these lines.
 */
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { ATTACK_CLASSES } from '../security/classes.ts';

/** One line of the file. */
export interface Attacked {
  readonly name: string;
  readonly tries: number;
  readonly held: number;
  /** The test's file. */
  readonly test: string;
}

/** Reports attacks at the end of a test: fails if one was not repelled. */
export function attacked(name: string, tries: number, held: number): void {
  if (!ATTACK_CLASSES.some((one) => one.name === name)) throw new Error(`no class of attacks "${name}"`);
  expect(tries, `${name}: tries`).toBeGreaterThan(0);
  expect(held, `${name}: tries that were held`).toBe(tries);
  const file = process.env.OUTCRY_ATTACKS;
  if (!file) return;
  const line: Attacked = { name, tries, held, test: testFile() };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/**
 * The tests of a file that are attacks of one class, for classes whose tests are rows of a table: reported
 * when all have run.
 */
export interface AttackClass {
  /** A test that counts as this many attacks; all are repelled if it passes. */
  counts<T extends readonly unknown[]>(
    test: (...args: T) => Promise<void> | void,
    tries?: number,
  ): (...args: T) => Promise<void>;
}

export function attackClass(name: string): AttackClass {
  let tried = 0;
  let held = 0;
  afterAll(() => {
    // Zero when the tests of the class were filtered out.
    if (tried > 0) attacked(name, tried, held);
  });
  return {
    counts:
      (test, tries = 1) =>
      async (...args) => {
        tried += tries;
        await test(...args);
        held += tries;
      },
  };
}

function testFile(): string {
  const path = (expect.getState().testPath ?? '').replaceAll('\\', '/');
  return path.slice(path.lastIndexOf('/test/') + '/test/'.length);
}
