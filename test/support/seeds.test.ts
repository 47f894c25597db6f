/** Random numbers in tests come from one place, can be set, and a failure says how to repeat them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../architecture/source-text.ts';
import { freshSeed, replayCommand, seedOr } from './seeds.ts';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
/** Code that draws random numbers itself, or configures fast-check. */
const CHANCE = /\bMath\.random\b|\brandomInt\b|\bconfigureGlobal\b/;
/** A property's options with a seed: it would override the seed of the run. */
const OWN_SEED = /\{ seed: [\d_]+(?:, numRuns[^}]*)? \}|\bnumRuns: [^}\n]*\bseed:/;
/**
 * Files that may: the place itself, this file, a demo to look at, and files that explain their draws
 * themselves.
 */
const MAY = [
  'support/chance.ts',
  'support/seeds.test.ts',
  'console/support/demo.tsx',
  'bots/rules/second-round.test.ts',
];

describe('the seed of a test run', () => {
  it('is the one that stands in the test, or OUTCRY_SEED', () => {
    expect(freshSeed({})).toBeNull();
    expect(freshSeed({ OUTCRY_SEED: '' })).toBeNull();
    expect(freshSeed({ OUTCRY_SEED: '0' })).toBe(0);
    expect(freshSeed({ OUTCRY_SEED: '2147483647' })).toBe(2_147_483_647);
    expect(seedOr(7)).toBe(freshSeed() ?? 7);
  });

  it.each(['x', '-1', '1.5', '1e3', '2147483648', ' 1'])('OUTCRY_SEED=%j is refused in words', (text) => {
    expect(() => freshSeed({ OUTCRY_SEED: text })).toThrow(
      `OUTCRY_SEED is "${text}": it must be a whole number from 0 to 2147483647`,
    );
  });

  // proves: S52
  it('is what every property begins at', () => {
    expect(fc.readConfigureGlobal().seed).toBe(freshSeed() ?? 20_260_105);
  });

  // proves: S52
  it('leaves no test a chance of its own', () => {
    const drawing = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
      .map((path) => path.split(sep).join('/'))
      .filter((path) => /\.tsx?$/.test(path) && !MAY.includes(path))
      .filter((path) => {
        const text = readFileSync(join(TESTS, path), 'utf8');
        const code = codeOf(text);
        return CHANCE.test(code) || (text.includes("from 'fast-check'") && OWN_SEED.test(code));
      });
    expect(drawing).toEqual([]);
  });
});

// proves: S52
describe('the command that repeats a failure', () => {
  it('names the seed, the file and that one test', () => {
    expect(replayCommand(77, 'test/a.test.ts', 'a group > does it')).toBe(
      "OUTCRY_SEED=77 npm test -- test/a.test.ts -t '^a group > does it$'",
    );
  });

  it('needs no seed where the run had none', () => {
    expect(replayCommand(null, 'test/a.test.ts', 'does it')).toBe(
      "npm test -- test/a.test.ts -t '^does it$'",
    );
  });

  it('keeps a shell and a pattern from reading the name as theirs', () => {
    const [, name = ''] = /-t '(.*)'$/.exec(replayCommand(1, 'f', "what isn't (so): $5 [a] x*?")) ?? [];
    const given = name.replaceAll(`'\\''`, "'");
    expect(new RegExp(given).test("what isn't (so): $5 [a] x*?")).toBe(true);
    expect(new RegExp(given).test("what isn't (so): $5 [a] x*? more")).toBe(false);
  });
});
