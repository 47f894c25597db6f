/** UTC text computed without a clock, against the platform's own. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utcText } from '../../src/domain/utc-time.ts';

describe('a moment as UTC text', () => {
  it('is what Date makes of it, in any year from 0 to 9999', () => {
    const first = Date.UTC(2000, 0, 1) - 2_000 * 366 * 86_400_000;
    fc.assert(
      fc.property(
        fc.integer({ min: Math.max(first, -62_167_219_200_000), max: 253_402_300_799_999 }),
        (ms) => {
          expect(utcText(ms)).toBe(new Date(ms).toISOString());
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each(['2024-02-29T23:59:59.999Z', '2100-03-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'])(
    'is %s',
    (text) => {
      expect(utcText(Date.parse(text))).toBe(text);
    },
  );
});
