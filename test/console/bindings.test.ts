/** The one table of keys and what is generated from it. */
import { describe, expect, it } from 'vitest';
import { ALL_BINDINGS, type Scope } from '../../src/console/keys/bindings.ts';
import { keyNames } from '../../src/console/keys/key-names.ts';
import { bindingsMarkdown } from '../../src/console/keys/markdown.ts';

const scopes = [...new Set(ALL_BINDINGS.map((binding) => binding.scope))];

describe('bindings', () => {
  it.each(scopes)('a key means one thing in %s', (scope: Scope) => {
    const keys = ALL_BINDINGS.filter((binding) => binding.scope === scope).flatMap((binding) => binding.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('h j k l g G only ever move', () => {
    const moving = ALL_BINDINGS.filter(({ keys }) => keys.some((key) => /^[hjklgG]$/.test(key)));
    for (const { command } of moving) expect(command).toMatch(/^(list|detail|notice|form|choice)\./);
  });

  it('Enter is bound to nothing that acts or is dangerous', () => {
    for (const binding of ALL_BINDINGS) {
      if (!binding.keys.includes('enter')) continue;
      expect(binding.acts).toBeUndefined();
      expect(binding.dangerous).toBeUndefined();
    }
  });

  it('function keys are not used (Ink cannot tell them)', () => {
    expect(ALL_BINDINGS.flatMap((binding) => binding.keys).filter((key) => /^f\d/.test(key))).toEqual([]);
  });

  it('makes the table of the README', () => {
    const table = bindingsMarkdown();
    expect(table).toContain('| Everywhere | `1` | Overview |');
    expect(table).toContain('| Confirmations | `y` | do it |');
    expect(
      table
        .trimEnd()
        .split('\n')
        .every((line) => line.startsWith('|') && line.endsWith('|')),
    ).toBe(true);
  });

  it('names keys, one for each character that came together', () => {
    expect(keyNames('jjj', {})).toEqual(['j', 'j', 'j']);
    expect(keyNames('a\r\t ', {})).toEqual(['a', 'enter', 'tab', 'space']);
    expect(keyNames('\x1512\x7f', {})).toEqual(['ctrl-u', '1', '2', 'backspace']);
    expect(keyNames('l', { ctrl: true })).toEqual(['ctrl-l']);
    expect(keyNames('', { tab: true, shift: true })).toEqual(['shift-tab']);
    expect(keyNames('', {})).toEqual([]);
    expect(keyNames('\x00\x1b', {})).toEqual([]);
  });
});
