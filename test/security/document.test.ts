/** Every class of attacks has tests that carry it out, and docs/security-tests.md names them. */
import { describe, expect, it } from 'vitest';
import { ATTACK_CLASSES } from './classes.ts';
import { countingTests, rowsOfDocument } from './document.ts';

const rows = rowsOfDocument();
const tests = countingTests();

describe('docs/security-tests.md', () => {
  it('has a row for every class, in their order', () => {
    expect(rows.map(({ name }) => name)).toEqual(ATTACK_CLASSES.map(({ name }) => name));
  });

  it.each(rows)(
    '$name: tried and held, by the tests that count it',
    ({ name, tries, held, tests: shown }) => {
      expect(tries).toBeGreaterThan(0);
      expect(held).toBe(tries);
      expect(shown).toEqual(tests.filter(({ classes }) => classes.includes(name)).map(({ file }) => file));
    },
  );
});
