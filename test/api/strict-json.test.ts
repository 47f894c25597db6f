import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBody, parseStrictJson } from '../../src/api/strict-json.ts';
import { MAX_JSON_DEPTH } from '../../src/domain/json-text.ts';
import { withShared } from '../support/shared-data.ts';

/** Texts that JSON allows and this project refuses on purpose. */
const REFUSED_ON_PURPOSE = new Set([
  'y_object_duplicated_key',
  'y_object_duplicated_key_and_value',
  'y_object_escaped_null_in_key',
  'y_string_null_escape',
]);

const COUNTS = { accept: 95, reject: 186, 'implementation-defined': 34 };

interface SuiteCase {
  readonly name: string;
  readonly expect: keyof typeof COUNTS;
  readonly b64: string;
}

function problem(text: string | Buffer): string {
  const result = parseStrictJson(Buffer.from(text));
  return result.ok ? `accepted: ${JSON.stringify(result.data)}` : result.error.message;
}

describe('strict JSON', () => {
  it.each([
    ['{"a":1,}', 'a field name in double quotes expected, found "}" at position 7'],
    ['{"a":1,"\\u0061":2}', 'the field "a" is given twice at position 7'],
    ['{"__proto__":1}', 'the field name __proto__ is not allowed at position 1'],
    ['{"a":{"\\u0063onstructor":1}}', 'the field name constructor is not allowed at position 6'],
    ['{"prototype":1}', 'the field name prototype is not allowed at position 1'],
    ['["\\ud800"]', 'half of a surrogate pair in a string at position 2'],
    ['["\\udc00\\ud800"]', 'half of a surrogate pair in a string at position 2'],
    ['["a\\u0000"]', 'NUL in a string at position 3'],
    ['["a', 'the string is not closed at position 1'],
    ['["a\nb"]', 'control character U+000A in a string at position 3'],
    ['["\\x"]', 'unknown escape in a string at position 2'],
    ['["\\u12g4"]', 'four hexadecimal digits expected after \\u at position 2'],
    ['[1e400]', 'the number is too large at position 1'],
    ['[01]', '"," or "]" expected, found "1" at position 2'],
    ['[1]\u00e9', 'nothing more expected, found U+00E9 at position 3'],
    ['{"a" 1}', '":" expected, found "1" at position 5'],
    ['[tru]', 'a value expected, found "t" at position 1'],
    ['', 'a value expected, found the end at position 0'],
  ])('says where and what is wrong with %j', (text, expected) => {
    expect(problem(text)).toBe(`the body is not valid JSON: ${expected}`);
  });

  it('names the byte at which UTF-8 breaks', () => {
    expect(problem(Buffer.from('{"a":"x\xff"}', 'latin1'))).toBe('the body is not valid UTF-8 at byte 7');
    expect(problem(Buffer.from([0x22, 0xe2, 0x82]))).toBe('the body is not valid UTF-8 at byte 3');
    expect(problem('\ufeff{}')).toContain('byte order mark');
  });

  it('allows 32 levels and not 33', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(parseStrictJson(Buffer.from(nested(MAX_JSON_DEPTH))).ok).toBe(true);
    expect(problem(nested(MAX_JSON_DEPTH + 1))).toContain('nested more than 32 deep at position 32');
    expect(problem('['.repeat(100_000))).toContain('nested more than 32 deep');
  });

  it('takes as a body only what starts with {', () => {
    for (const text of ['[]', '"x"', ' {}', '1', 'null']) {
      expect(parseJsonBody(Buffer.from(text)).ok, text).toBe(false);
    }
    expect(parseJsonBody(Buffer.from('')).ok).toBe(false);
    expect(parseJsonBody(Buffer.from('{"a":[1,{"b":null}]} \n'))).toEqual({
      ok: true,
      data: { a: [1, { b: null }] },
    });
  });

  it('makes objects without a prototype', () => {
    const result = parseStrictJson(Buffer.from('{"toString":1,"hasOwnProperty":2}'));
    expect(result.ok && Object.getPrototypeOf(result.data)).toBe(null);
  });

  it('reads every value as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5, stringUnit: 'grapheme' }), (text) => {
        const result = parseStrictJson(Buffer.from(text));
        fc.pre(result.ok || !/given twice|not allowed|NUL/.test(result.error.message));
        expect(result).toEqual({ ok: true, data: JSON.parse(text) });
      }),
    );
  });

  it('never accepts what JSON.parse refuses, nor throws', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        '"',
        ',',
        ':',
        '\\',
        'u0061',
        '1',
        '-',
        '.',
        'e',
        'true',
        'null',
        ' ',
        '"a"',
        '\n',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        if (parseStrictJson(Buffer.from(text)).ok) JSON.parse(text);
      }),
      { numRuns: 2_000 },
    );
  });

  // proves: D28
  it(
    'agrees with JSONTestSuite but where this project is stricter on purpose',
    withShared('security/jsontestsuite_small.json', 315, (file) => {
      const { cases } = JSON.parse(file) as { cases: SuiteCase[] };
      const counts = { accept: 0, reject: 0, 'implementation-defined': 0 };
      for (const { name, expect: wanted, b64 } of cases) {
        const bytes = Buffer.from(b64, 'base64');
        const result = parseStrictJson(bytes);
        counts[wanted]++;
        if (wanted === 'accept') expect(result.ok, name).toBe(!REFUSED_ON_PURPOSE.has(name));
        if (wanted === 'reject') expect(result.ok, name).toBe(false);
        if (result.ok) expect(result.data, name).toEqual(JSON.parse(bytes.toString()));
      }
      expect(counts).toEqual(COUNTS);
    }),
  );
});
