/**
 * What terminals mirror of bots and texts: bounded whatever the settings hold, and marked where it is only a
 * part.
 */
import { describe, expect, it } from 'vitest';
import { mirroredAlert, mirroredBot, shortened } from '../../../src/desk/console/mirrored.ts';
import type { AlertRecord, PublicBot } from '../../../src/domain/bot.ts';

const bot = (settings: object, more: object = {}) => ({ id: 'b', settings, ...more }) as unknown as PublicBot;
const sized = (length: number) => 'x'.repeat(length);
/** Characters of JSON. */
const lengthOf = (settings: object) => JSON.stringify(settings).length;

describe('a bot', () => {
  it('of 4,096 characters is whole, of one more it is not; options and metadata count', () => {
    const fits = { a: sized(4_096 - lengthOf({ a: '' })) };
    const one = bot(fits);
    expect(mirroredBot(one)).toBe(one);
    expect(mirroredBot(bot({ a: `${fits.a}x` }))).toEqual({ id: 'b', settings: {}, abridged: true });
    for (const more of [{ options: { restart: true } }, { metadata: 'x' }])
      expect(mirroredBot(bot(fits, more))).toEqual({ id: 'b', settings: {}, abridged: true });
  });

  it('that is too long keeps its small fields, 4,096 characters of them at most', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, sized(100)]));
    const { settings, abridged } = mirroredBot(bot({ huge: sized(5_000), ...many, last: 1 }));
    expect(abridged).toBe(true);
    expect(settings).not.toHaveProperty('huge');
    const count = Object.keys(settings).length;
    expect(count).toBeGreaterThan(30);
    expect(count).toBeLessThan(45);
    expect(lengthOf(settings)).toBeLessThan(4_096 + 4 * count);
    expect(settings).toMatchObject({ f0: sized(100), last: 1 });
  });

  it('whose symbol alone is too long names none', () => {
    const symbol = { base: sized(2_000), quote: 'USDT' };
    expect(mirroredBot(bot({ symbol, junk: sized(4_000) }, { symbol }))).toMatchObject({ symbol: null });
    const small = { base: 'BTC', quote: 'USDT' };
    expect(mirroredBot(bot({ junk: sized(5_000) }, { symbol: small }))).toMatchObject({ symbol: small });
  });
});

describe('a text', () => {
  it('is cut after 2,000 characters, and never in the middle of one', () => {
    expect(shortened(sized(2_000))).toBe(sized(2_000));
    expect(shortened(sized(2_001))).toBe(`${sized(2_000)}…`);
    expect(shortened(`${sized(1_999)}\u{1F600}`)).toBe(`${sized(1_999)}…`);
    expect(shortened(`${sized(1_998)}\u{1F600}x`)).toBe(`${sized(1_998)}\u{1F600}…`);
  });

  it('of an alert is cut, the alert as it is else', () => {
    const alert = { id: 'a', message: 'short' } as AlertRecord;
    expect(mirroredAlert(alert)).toBe(alert);
    expect(mirroredAlert({ ...alert, message: sized(3_000) })).toEqual({
      ...alert,
      message: `${sized(2_000)}…`,
    });
  });
});
