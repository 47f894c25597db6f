/** A confirmation: its subject, what happens next, and two choices, of which the harmless one is in focus. */
import type { ReactNode } from 'react';
import { useConsole } from '../app/context.ts';
import type { BoundBinding } from '../input/binding.ts';
import { closingKeys, keyOf } from '../input/overrides.ts';
import { shownKey } from '../input/shown-key.ts';
import type { ConfirmDialog } from '../state/ui.ts';
import { type Line, lineWidth, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { DialogFrame, type DialogRow } from './DialogFrame.tsx';
import { MODE_TONES, MODE_WORDS } from './mode.ts';
import { hasWord } from './question.ts';

const NAME = 11;
/** Largest number of lines for one value. */
const MOST_LINES = 3;

export function ConfirmView({ dialog, room }: { dialog: ConfirmDialog; room: Room }): ReactNode {
  const { session } = useConsole();
  const { mode } = dialog;
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const rows: DialogRow[] = [
    [
      span(` ${mode} `, MODE_TONES[mode], { inverse: true, bold: true }),
      span(`  ${MODE_WORDS[mode]}`, mode === 'LIVE' ? 'danger' : 'muted'),
    ],
    [],
  ];
  for (const { name, value, tone } of dialog.rows) {
    const lines = wrapWords(value, inner - NAME - 1);
    const shown = lines.slice(0, MOST_LINES);
    if (lines.length > shown.length) shown.push('…');
    shown.forEach((text, index) => {
      rows.push([
        span(`${index === 0 ? name.padEnd(NAME) : ' '.repeat(NAME)} `, 'muted'),
        span(text, tone ?? 'text'),
      ]);
    });
  }
  rows.push([]);
  for (const text of wrapWords(dialog.next, inner)) rows.push([span(text, 'muted')]);
  const tail = answerRows(dialog, inner, session.bindings);
  rows.push(...tail);
  return (
    <DialogFrame
      title={dialog.title}
      rows={rows}
      width={width}
      room={room}
      tone={mode === 'LIVE' ? 'danger' : MODE_TONES[mode]}
      keep={tail.length}
    />
  );
}

function answerRows(dialog: ConfirmDialog, inner: number, bindings: readonly BoundBinding[]): DialogRow[] {
  const { word, typed, verb, remark, keep = 'Go back' } = dialog;
  if (dialog.busy) return [[], [span('at work …', 'warn')]];
  if (word !== undefined && !hasWord(dialog)) {
    const before: Line = [span('type ', 'muted'), span(word, 'danger', { bold: true }), span(' : ', 'muted')];
    const used = lineWidth(before);
    const pasted: Line = remark === 'pasted' ? [span('    a paste is not taken: type it', 'warn')] : [];
    return [
      [],
      {
        before,
        field: { id: 'confirm', value: typed, width: Math.max(8, inner - used), focus: true },
        after: [],
      },
      [...button(keep, keyOf(bindings, 'dialog.close', 'word'), false), ...pasted],
    ];
  }
  const yes = shownKey(keyOf(bindings, 'confirm.yes'));
  const again: Line = [span(`press ${yes} again`, 'warn', { bold: true })];
  const answer: Line = [
    ...button(keep, closingKeys(bindings, word === undefined ? 'confirm' : 'worded'), word === undefined),
    span('    '),
    span(yes, 'key'),
    span(` ${verb}`, 'danger', { bold: true }),
  ];
  if (word === undefined) return [remark === 'again' ? again : [], answer];
  const ready: Line = [
    span(`✓ ${word}, `, 'ok'),
    ...(remark === 'again' ? again : [span(`now press ${yes}`, 'ok')]),
  ];
  return [[], ready, answer];
}

/** The choice that changes nothing, with its keys. `focus`: Enter chooses it. */
function button(keep: string, keys: string, focus: boolean): Line {
  return [span(` ${keep} `, focus ? 'focus' : 'muted', { inverse: focus }), span(` ${keys}`, 'muted')];
}
