import { describe, expect, it } from 'vitest';
import { headerText, MAX_HEADER_VALUE } from '../../src/access/header-text.ts';

describe('the text of a header', () => {
  it.each([
    ['', ''],
    [' \t ', ''],
    ['a', 'a'],
    [' \ta b\t ', 'a b'],
    ['\u00a0a', '\u00a0a'],
  ])('%j is %j', (value, text) => {
    expect(headerText(value)).toBe(text);
  });

  it('is looked at up to its bound, and what is longer keeps its blanks, so that it is no right value', () => {
    const most = ' '.repeat(MAX_HEADER_VALUE - 1);
    expect(headerText(`a${most}`)).toBe('a');
    expect(headerText(`a${most} `)).toBe(`a${most}`);
    expect(headerText(`a${' '.repeat(16_000)}b`)).toBe(`a${most}`);
  });
});
