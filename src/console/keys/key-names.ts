/** Ink's key events as names (`j`, `G`, `ctrl-d`, `enter`). Bytes that arrive together make several names. Pure. */
import type { Key } from 'ink';

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
