/**
 * Ink's key events as names (`j`, `G`, `ctrl-d`, `enter`). Bytes that arrive together give several names.
 * Pure.
 */
import type { Key } from 'ink';
import { closest } from '../../domain/did-you-mean.ts';

const SPECIAL = {
  upArrow: 'up',
  downArrow: 'down',
  leftArrow: 'left',
  rightArrow: 'right',
  pageUp: 'pageup',
  pageDown: 'pagedown',
  home: 'home',
  end: 'end',
  return: 'enter',
  escape: 'esc',
  backspace: 'backspace',
  delete: 'delete',
} as const;

export function keyNames(input: string, key: Partial<Key>): string[] {
  if (key.eventType === 'release') return [];
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  for (const [flag, name] of Object.entries(SPECIAL)) if (key[flag as keyof typeof SPECIAL]) return [name];
  if (key.ctrl) return input === '' ? [] : [`ctrl-${input}`];
  if (key.meta) return input === '' ? [] : [`alt-${input}`];
  const names: string[] = [];
  for (const char of input) {
    if (char === '\r' || char === '\n') names.push('enter');
    else if (char === '\t') names.push('tab');
    else if (char === ' ') names.push('space');
    else if (char === '\x7f' || char === '\b') names.push('backspace');
    else if (char >= '\x01' && char <= '\x1a')
      names.push(`ctrl-${String.fromCharCode(char.charCodeAt(0) + 96)}`);
    else if (char >= ' ') names.push(char);
  }
  return names;
}

/** The character a key name types into a text field; null for all others. */
export function typed(name: string): string | null {
  if (name === 'space') return ' ';
  return [...name].length === 1 ? name : null;
}

const NAMED = [
  'up',
  'down',
  'left',
  'right',
  'home',
  'end',
  'pageup',
  'pagedown',
  'enter',
  'esc',
  'tab',
  'shift-tab',
  'space',
  'backspace',
  'delete',
];
const OTHER_NAMES: Readonly<Record<string, string>> = {
  escape: 'esc',
  return: 'enter',
  pgup: 'pageup',
  pgdn: 'pagedown',
  del: 'delete',
};
/** Letters that with ctrl send the same byte as another key. */
const SAME_BYTES: Readonly<Record<string, string>> = { h: 'backspace', i: 'tab', j: 'enter', m: 'enter' };

/**
 * Converts a key as people write it (`x`, `Ctrl-D`, `pgdn`) to its name here, or says what is wrong with it.
 */
export function parseKey(text: string): { readonly key: string } | { readonly problem: string } {
  if (text === ' ') return { key: 'space' };
  const shown = JSON.stringify(text.slice(0, 20));
  if (/^[^\p{C}\p{Z}\p{M}]$/u.test(text)) return { key: text };
  const low = text.toLowerCase().replace(/\+(?=.)/, '-');
  const named = OTHER_NAMES[low] ?? low;
  if (NAMED.includes(named)) return { key: named };
  const ctrl = /^ctrl-([a-z])$/.exec(low)?.[1];
  if (ctrl !== undefined) {
    const same = SAME_BYTES[ctrl];
    return same === undefined
      ? { key: `ctrl-${ctrl}` }
      : { problem: `terminals send the same for ctrl-${ctrl} and ${same}` };
  }
  const alt = /^alt[-+]([!-~])$/i.exec(text)?.[1];
  if (alt !== undefined) return { key: `alt-${alt}` };
  if (/^f\d{1,2}$/.test(low)) return { problem: `function keys such as ${low} are not told apart here` };
  const meant = closest(named, [...NAMED, ...Object.keys(OTHER_NAMES)]);
  return {
    problem:
      meant === null
        ? `there is no key ${shown}: a key is one character, ctrl-a to ctrl-z, alt- and a character, or one of ${NAMED.join(', ')}`
        : `there is no key ${shown}: did you mean ${meant}?`,
  };
}
