/**
 * Random input for a whole console: every key of every level, text, pastes, known and unknown sequences.
 * Seeded.
 */

import { ALL_BINDINGS } from '../../../src/console/app/bindings.ts';
import { activeScopes } from '../../../src/console/input/scopes.ts';
import { type Dialog, topDialog, type UiState } from '../../../src/console/state/ui.ts';
import type { Dice } from '../../simulation/dice.ts';
import { SCREENS } from '../support/parts.ts';

/**
 * Bytes that terminals send for named keys; escape is in the kitty protocol's form, after which nothing can
 * follow.
 */
const BYTES: Readonly<Record<string, readonly string[]>> = {
  up: ['\x1b[A', '\x1bOA', '\x1b[1;5A'],
  down: ['\x1b[B', '\x1bOB'],
  right: ['\x1b[C', '\x1bOC'],
  left: ['\x1b[D', '\x1bOD'],
  home: ['\x1b[H', '\x1b[1~', '\x1bOH'],
  end: ['\x1b[F', '\x1b[4~', '\x1bOF'],
  pageup: ['\x1b[5~'],
  pagedown: ['\x1b[6~'],
  delete: ['\x1b[3~'],
  enter: ['\r', '\n'],
  esc: ['\x1b[27u', '\x1b'],
  tab: ['\t'],
  'shift-tab': ['\x1b[Z'],
  space: [' '],
  backspace: ['\x7f', '\b'],
};

/** Unbound sequences, replies of terminals, halves of sequences, meaningless bytes. */
const UNKNOWN: readonly string[] = [
  '\x1bOP',
  '\x1b[11~',
  '\x1b[15~',
  '\x1b[[A',
  '\x1b[2~',
  '\x1b[1;2R',
  '\x1b[12;40R',
  '\x1b[0n',
  '\x1b[I',
  '\x1b[O',
  '\x1b[<0;10;10M',
  '\x1b[<64;1;1m',
  '\x1b[?1;2c',
  '\x1b]11;rgb:0000/0000/0000\x07',
  '\x1b[200',
  '\x1b[',
  '\x1bO',
  '\x1b\x1b',
  '\x1b\x1b[A',
  '\x1b[999999999z',
  '\x1b[1;9Z',
  '\x1b[97;5u',
  '\x1b[121;1:3u',
  '\x00',
  '\x1c',
  '\x1f',
  '\x80',
  '\x9b',
  '\ud83d',
  '\ufffd',
  '\u200f',
  '\u0301',
  '\x1b[201~',
  '\x1by',
];

const TEXTS: readonly string[] = [
  '0.5',
  '60500',
  '61000..62000 5',
  '-1',
  '1e9',
  '99999999999999999999',
  '0.00000000000000001',
  'BTCUSDT',
  'eth',
  '10.0.0.0/8, ::1',
  'panic',
  'theme light',
  'start',
  'grid',
  '{"a":[1,',
  '報告',
  '👩‍👩‍👧‍👦',
  'e\u0301',
  '\u202eabc',
  'a\tb',
  '   ',
  'yyyy',
  ':cancel\ry',
  ':panic\r',
  ':quit\rs',
  'y\r',
  'xy',
  'jjjj',
  'ggG',
  'dy',
  'Xy\r',
  'stop',
  'x'.repeat(300),
];

const APART = ['\x03', '\b', '\x1b', '\x7f'];
/** Keys of the bindings as bytes; each occurs once for every command that has it. */
const BOUND: readonly string[] = ALL_BINDINGS.flatMap(({ keys }) => keys.flatMap((key) => bytesOf(key)));
const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));

export function bytesOf(key: string): readonly string[] {
  const control = /^ctrl-([a-z])$/.exec(key)?.[1];
  if (control !== undefined) return [String.fromCharCode(control.charCodeAt(0) - 96)];
  const meta = /^alt-(.)$/.exec(key)?.[1];
  if (meta !== undefined) return [`\x1b${meta}`];
  return BYTES[key] ?? [key];
}

/**
 * One input event. Often it is the one that the dialog in front needs to go on, so that the fuzz reaches what
 * lies behind it.
 */
export function nextInput(dice: Dice, ui: UiState): string {
  const dialog = topDialog(ui);
  const wanted = dialog && dice.chance(0.35) ? towards(dice, dialog) : null;
  if (wanted !== null) return wanted;
  switch (
    dice.weighted({ here: 40, screen: 4, bound: 16, printable: 12, text: 8, many: 6, paste: 6, unknown: 8 })
  ) {
    case 'here': {
      const scopes = activeScopes(ui, 'open');
      const here = ALL_BINDINGS.filter(({ scope, keys }) => scopes.includes(scope) && keys.length > 0);
      return dice.pick(bytesOf(dice.pick(dice.pick(here).keys)));
    }
    case 'screen':
      return dice.pick(SCREENS).digit;
    case 'bound':
      return dice.pick(BOUND);
    case 'printable':
      return dice.pick(PRINTABLE);
    case 'text':
      return dice.pick(TEXTS);
    case 'many': {
      // While a question is open, as one event: Ink splits a write at these.
      const asked = ui.dialogs.some(({ kind }) => kind === 'confirm' || kind === 'quit');
      const keys = asked ? BOUND.filter((bytes) => !APART.some((byte) => bytes.includes(byte))) : BOUND;
      return Array.from({ length: dice.int(2, 6) }, () => dice.pick(keys)).join('');
    }
    case 'paste':
      return `\x1b[200~${dice.pick(TEXTS)}${dice.chance(0.3) ? '\n' : ''}\x1b[201~`;
    case 'unknown':
      return dice.pick(UNKNOWN);
  }
}

function towards(dice: Dice, dialog: Dialog): string | null {
  if (dialog.kind !== 'confirm') return dice.chance(0.3) ? '\x12' : dice.pick(['\t', '\x1b[C', '1', '0']);
  const { word, typed } = dialog;
  if (word === undefined || word === typed) return 'y';
  if (dice.chance(0.2)) return dice.pick(['y', 'y', '\r']);
  return word.startsWith(typed) ? (word[typed.length] ?? 'y') : '\x15';
}
