/** Theme files and the choice of colour depth. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { colourDepth, loadTheme, parseTheme, TOKENS, themeNames } from '../../../src/console/ui/theme.ts';

const FOLDER = fileURLToPath(new URL('../../../themes', import.meta.url));
const dark = (): Record<string, unknown> => JSON.parse(readFileSync(`${FOLDER}/dark.json`, 'utf8'));

describe('themes', () => {
  it.each(themeNames([FOLDER]))('%s has every token at every depth', (name) => {
    for (const depth of ['truecolor', 'ansi256', 'ansi16', 'none'] as const) {
      const { theme, problem } = loadTheme(name, [FOLDER], depth);
      expect(problem).toBeNull();
      expect(Object.keys(theme?.styles ?? {})).toEqual([...TOKENS]);
    }
  });

  it('uses no colour at all without colour', () => {
    const { theme } = loadTheme('dark', [FOLDER], 'none');
    expect(Object.values(theme?.styles ?? {}).some((style) => style.color)).toBe(false);
  });

  it('says what is wrong with a file and never falls over it', () => {
    const broken = (change: Record<string, unknown>) => () =>
      parseTheme(JSON.stringify({ ...dark(), ...change }), 'ansi16');
    expect(broken({ tokens: {} })).toThrow('token "text" is missing');
    expect(broken({ tokens: { ...(dark().tokens as object), glitter: {} } })).toThrow(
      'unknown token "glitter"',
    );
    expect(loadTheme('../../etc/passwd', [FOLDER], 'ansi16').problem).toBe('no theme "../../etc/passwd"');
    expect(loadTheme('nope', [FOLDER], 'ansi16').problem).toBe('no theme "nope"');
  });

  it('takes the depth from the environment', () => {
    expect(colourDepth({ TERM: 'xterm-256color', COLORTERM: 'truecolor' })).toBe('truecolor');
    expect(colourDepth({ TERM: 'xterm-256color' })).toBe('ansi256');
    expect(colourDepth({ TERM: 'xterm' })).toBe('ansi16');
    expect(colourDepth({ TERM: 'dumb', COLORTERM: 'truecolor' })).toBe('none');
    expect(colourDepth({ TERM: 'xterm-256color', NO_COLOR: '1' })).toBe('none');
  });
});
