/** The table of keys and the parts generated from it. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_BINDINGS, KEYS } from '../../../src/console/app/bindings.ts';
import type { Scope } from '../../../src/console/input/binding.ts';
import { keyNames, parseKey } from '../../../src/console/input/key-names.ts';
import { bindingsMarkdown, keysDocument } from '../../../src/console/input/markdown.ts';
import { applyKeys, type KeyEntry, keyOf, MOVES } from '../../../src/console/input/overrides.ts';
import { commandFor, footerBindings } from '../../../src/console/input/scopes.ts';
import { SCREENS } from '../support/parts.ts';

const scopes = [...new Set(ALL_BINDINGS.map((binding) => binding.scope))];

describe('bindings', () => {
  it.each(scopes)('a key means one thing in %s', (scope: Scope) => {
    const keys = ALL_BINDINGS.filter((binding) => binding.scope === scope).flatMap((binding) => binding.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('h j k l g G only ever move', () => {
    const moving = ALL_BINDINGS.filter(({ keys }) => keys.some((key) => /^[hjklgG]$/.test(key)));
    for (const { command } of moving) expect(command).toMatch(MOVES);
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

  it('makes docs/keys.md (`node scripts/documents.ts` under Node 24)', () => {
    expect(readFileSync(new URL('../../../docs/keys.md', import.meta.url), 'utf8')).toBe(keysDocument(KEYS));
  });

  it('makes a table of them all', () => {
    const table = bindingsMarkdown(KEYS);
    expect(table).toContain('| Everywhere | `1` | Overview | `screen.overview` |');
    expect(table).toContain('| Confirmations | `y` | do it | `confirm.yes` |');
    // Every command of a screen, so that its name can be found.
    for (const { command, scope } of ALL_BINDINGS) {
      if (![...SCREENS.map(({ id }) => id), 'global', 'form', 'confirm'].includes(scope)) continue;
      expect(table).toContain(`\`${command}\` |`);
    }
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

describe('keys of the user’s own', () => {
  it('take the place of the command’s keys wherever it stands', () => {
    const { bindings, problems } = applyKeys(KEYS, [
      ['order.cancel', '%'],
      ['ticket.open', ['&', 'ctrl-t']],
    ]);
    expect(problems).toEqual([]);
    expect(commandFor(bindings, '%', ['orders', 'list', 'global'])).toBe('order.cancel');
    expect(commandFor(bindings, 'x', ['orders', 'list', 'global'])).toBeNull();
    for (const screen of ['overview', 'orders', 'positions'] as const) {
      expect(commandFor(bindings, 'ctrl-t', [screen])).toBe('ticket.open');
    }
    const hints = footerBindings(bindings, ['orders', 'list', 'global']);
    expect(hints.find(({ command }) => command === 'order.cancel')?.keys).toEqual(['%']);
    expect(keyOf(bindings, 'ticket.open')).toBe('&');
  });

  it('two commands may change places', () => {
    const { bindings, problems } = applyKeys(KEYS, [
      ['order.cancel', 's'],
      ['order.split', 'x'],
    ]);
    expect(problems).toEqual([]);
    expect(commandFor(bindings, 's', ['orders'])).toBe('order.cancel');
    expect(commandFor(bindings, 'x', ['orders'])).toBe('order.split');
  });

  it('a command of a screen may be left to the palette', () => {
    const { bindings, problems } = applyKeys(KEYS, [['orders.cancel-all', []]]);
    expect(problems).toEqual([]);
    expect(commandFor(bindings, 'X', ['orders'])).toBeNull();
    expect(keyOf(bindings, 'orders.cancel-all')).toBe(':');
  });

  it.each<[string, unknown, string]>([
    ['order.cancle', 'c', 'keys: "order.cancle" is no command; did you mean order.cancel?'],
    ['nothing.like.it', 'c', 'keys: "nothing.like.it" is no command; docs/keys.md lists them'],
    ['toString', 'c', 'keys: "toString" is no command; docs/keys.md lists them'],
    ['order.cancel', 7, 'keys: order.cancel takes a key or a list of keys'],
    ['order.cancel', ['c', null], 'keys: order.cancel takes a key or a list of keys'],
    ['order.cancel', [...'cdefi'], 'keys: order.cancel has 5 keys: it takes 4 at most'],
    ['order.cancel', 'pgdwn', 'keys: order.cancel: there is no key "pgdwn": did you mean pgdn?'],
    ['order.cancel', 'f5', 'keys: order.cancel: function keys such as f5 are not told apart here'],
    ['order.cancel', 'ctrl-m', 'keys: order.cancel: terminals send the same for ctrl-m and enter'],
    [
      'order.cancel',
      'enter',
      'keys: order.cancel cannot be enter: Enter never places, cancels, revokes or starts anything',
    ],
    [
      'confirm.yes',
      'return',
      'keys: confirm.yes cannot be enter: Enter never places, cancels, revokes or starts anything',
    ],
    ['order.cancel', 'j', 'keys: order.cancel cannot be j: h j k l g G always move'],
    ['order.cancel', 's', 'keys: order.cancel cannot be s: that is order.split already (split)'],
    ['order.cancel', 'esc', 'keys: order.cancel cannot be esc: that is list.back already (back)'],
    ['order.cancel', 'ctrl-c', 'keys: order.cancel cannot be ctrl-c: that is quit.now already (quit)'],
    ['palette.open', 'up', 'keys: palette.open cannot be up: that is list.up already (up)'],
    ['confirm.yes', 'n', 'keys: confirm.yes cannot be n: that is dialog.close already (go back)'],
    [
      'form.review',
      'r',
      'keys: form.review cannot be r: it is at work while text is typed, and r belongs to the text; take a key with ctrl or alt',
    ],
    ['dialog.close', [], 'keys: dialog.close needs a key: the palette cannot do it'],
    ['feed.toggle', [], 'keys: feed.toggle needs a key: the palette cannot do it'],
  ])('%s = %j is ignored with its reason', (command, keys, sentence) => {
    const { bindings, problems } = applyKeys(KEYS, [[command, keys]]);
    expect(problems).toEqual([sentence]);
    expect(bindings).toEqual(ALL_BINDINGS);
  });

  it('of two entries that clash the later is ignored', () => {
    const { bindings, problems } = applyKeys(KEYS, [
      ['order.cancel', '%'],
      ['order.split', '%'],
    ]);
    expect(problems).toEqual(['keys: order.split cannot be %: that is order.cancel already (cancel)']);
    expect(commandFor(bindings, '%', ['orders'])).toBe('order.cancel');
    expect(commandFor(bindings, 's', ['orders'])).toBe('order.split');
  });

  it('one that is ignored may take another with it, whose key it would have freed', () => {
    const { bindings, problems } = applyKeys(KEYS, [
      ['order.cancel', 's'],
      ['order.split', 'n'],
    ]);
    expect(problems).toHaveLength(2);
    expect(bindings).toEqual(ALL_BINDINGS);
  });

  it('never leave the table with a clash, an acting Enter or a moved j, whatever they say', () => {
    const commands = [...new Set(ALL_BINDINGS.map(({ command }) => command))];
    const key = fc.constantFrom(
      ...'abcxyzjkhlgGsn:?!19',
      'enter',
      'esc',
      'up',
      'tab',
      'space',
      'ctrl-d',
      'ctrl-x',
    );
    const entry: fc.Arbitrary<KeyEntry> = fc.tuple(
      fc.constantFrom(...commands),
      fc.oneof(key, fc.array(key, { maxLength: 3 })),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
        const { bindings } = applyKeys(KEYS, entries);
        expect(bindings.map(({ command, scope }) => [command, scope])).toEqual(
          ALL_BINDINGS.map(({ command, scope }) => [command, scope]),
        );
        for (const scope of scopes) {
          const taken = new Map<string, string>();
          for (const { command, keys, dangerous, acts } of bindings.filter((one) => one.scope === scope)) {
            for (const name of keys) {
              expect(taken.get(name) ?? command).toBe(command);
              taken.set(name, command);
              if (dangerous || acts) expect(name).not.toBe('enter');
            }
          }
        }
        for (const screen of ['overview', 'orders', 'bots', 'keys', 'log'] as const) {
          const command = commandFor(bindings, 'j', [screen, 'list', 'global', 'always']);
          expect(command === null || MOVES.test(command)).toBe(true);
        }
      }),
    );
  });
});

describe('names of keys', () => {
  it('are taken as people write them', () => {
    const key = (text: string) => ('key' in parseKey(text) ? (parseKey(text) as { key: string }).key : null);
    expect(['x', 'X', ' ', '+', 'ä'].map(key)).toEqual(['x', 'X', 'space', '+', 'ä']);
    expect(['Ctrl-D', 'ctrl+d', 'CTRL-d'].map(key)).toEqual(['ctrl-d', 'ctrl-d', 'ctrl-d']);
    expect(['Alt-x', 'alt+X'].map(key)).toEqual(['alt-x', 'alt-X']);
    expect(['Escape', 'PgDn', 'Return', 'Space', 'shift+tab', 'UP'].map(key)).toEqual([
      'esc',
      'pagedown',
      'enter',
      'space',
      'shift-tab',
      'up',
    ]);
    expect(['', 'xx', 'ctrl-', 'ctrl-i', 'ctrl-1', '\u001b', '\u202e', 'f12'].map(key)).toEqual(
      Array(8).fill(null),
    );
  });

  it('are those the terminal’s keys go by', () => {
    for (const { keys } of ALL_BINDINGS) for (const key of keys) expect(parseKey(key)).toEqual({ key });
  });
});
