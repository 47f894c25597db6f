/**
 * Bounds on an exchange's messages: exactly at each bound, for any form of the text, and on texts that are
 * not JSON.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ANSWER,
  BoundedBody,
  boundsProblem,
  FRAME,
  INSTRUMENT_LIST,
  type TextBounds,
} from '../../../src/venues/kit/bounds.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The bounds that a value needs, counted on the value and not on its text: an independent computation. */
function needs(value: Json, length: number): TextBounds {
  const needed = { length, depth: 0, string: 0, number: 0, rows: 0, fields: 0 };
  const written = (text: string) => {
    needed.string = Math.max(needed.string, JSON.stringify(text).length - 2);
  };
  const visit = (one: Json, depth: number): void => {
    if (typeof one === 'string') written(one);
    else if (typeof one === 'number') needed.number = Math.max(needed.number, JSON.stringify(one).length);
    else if (Array.isArray(one)) {
      needed.depth = Math.max(needed.depth, depth);
      needed.rows = Math.max(needed.rows, one.length);
      for (const inner of one) visit(inner, depth + 1);
    } else if (typeof one === 'object' && one !== null) {
      needed.depth = Math.max(needed.depth, depth);
      const fields = Object.entries(one);
      // A name and its value count as one.
      needed.fields = Math.max(needed.fields, fields.length);
      for (const [name, inner] of fields) {
        written(name);
        visit(inner, depth + 1);
      }
    }
  };
  visit(value, 1);
  return needed;
}

const NUMBERS = fc.oneof(
  fc.integer(),
  fc.integer({ min: -9999, max: 9999 }).map((n) => n / 100),
);
const WORDS = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('"', '\\', '[{,', '1', ''),
);
const { value: VALUES } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    NUMBERS,
    WORDS,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(WORDS, tie('value'), { maxKeys: 6 }),
  ),
}));

describe('the bounds of a text', () => {
  it('let everything through that keeps them exactly, and nothing that breaks one by one', () => {
    fc.assert(
      fc.property(VALUES, fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const exact = needs(value, text.length);
        expect(boundsProblem(text, exact)).toBeNull();
        for (const name of Object.keys(exact) as (keyof TextBounds)[])
          if (exact[name] > 0)
            expect(boundsProblem(text, { ...exact, [name]: exact[name] - 1 }), name).not.toBeNull();
      }),
      { numRuns: 400 },
    );
  });

  it('are looked at to the end of any text, JSON or not, and never throw', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '1',
      '-',
      'e',
      ' ',
      'x',
      '\u2028',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (all) => {
        const problem = boundsProblem(all.join(''), { ...FRAME, depth: 5, string: 8, number: 4, rows: 3 });
        expect(problem === null || problem.length < 100).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['depth', '['.repeat(33), /nested more than 32 deep/],
    ['depth of objects', '{"a":'.repeat(33), /nested more than 32 deep/],
    ['a string', `["${'x'.repeat(513)}"]`, /string in it is longer than 512/],
    ['a string that does not end', `["${'x'.repeat(600)}`, /string in it is longer than 512/],
    ['a name', `{"${'x'.repeat(513)}":1}`, /string in it is longer than 512/],
    ['a number', `[${'9'.repeat(41)}]`, /number in it has more than 40/],
    ['an exponent', `[1e${'9'.repeat(41)}]`, /number in it has more than 40/],
    ['rows', `[${'1,'.repeat(10_000)}1]`, /list in it has more than 10000 entries/],
    ['rows of rows', `[${'[],'.repeat(10_000)}[]]`, /list in it has more than 10000 entries/],
    ['length', ' '.repeat(1_048_577), /longer than 1048576/],
  ])('have words: %s', (_, text, words) => {
    expect(boundsProblem(text, FRAME)).toMatch(words);
  });

  it('are those of the design', () => {
    expect([ANSWER.length, INSTRUMENT_LIST.length, FRAME.length]).toEqual([16 << 20, 32 << 20, 1 << 20]);
    expect([ANSWER.rows, INSTRUMENT_LIST.rows]).toEqual([10_000, 5_000]);
    for (const { depth, string, number } of [ANSWER, INSTRUMENT_LIST, FRAME])
      expect([depth, string, number]).toEqual([32, 512, 40]);
  });

  it('of a deep text cost no more than its length, and no stack', () => {
    const deep = '['.repeat(1_000_000);
    expect(boundsProblem(deep, { ...FRAME, depth: Number.POSITIVE_INFINITY })).toBeNull();
  });
});

describe('a body in pieces', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  it('is whole up to its bound, a letter that is cut in two included', () => {
    const all = bytes('{"a":"ä€"}');
    const body = new BoundedBody({ length: all.byteLength });
    for (const byte of all) expect(body.add(Uint8Array.of(byte))).toBe(true);
    expect(body.text()).toBe('{"a":"ä€"}');
  });

  it('is given up one byte beyond it, for good', () => {
    const body = new BoundedBody({ length: 4 });
    expect([body.add(bytes('abcd')), body.add(bytes('e')), body.add(bytes(''))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(body.text()).toBeNull();
  });

  it('is nothing where it is not UTF-8', () => {
    const body = new BoundedBody({ length: 4 });
    body.add(Uint8Array.of(0xff, 0xfe));
    expect(body.text()).toBeNull();
  });
});
