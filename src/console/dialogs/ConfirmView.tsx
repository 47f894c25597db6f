/** A confirmation: what it is about, what happens next, Cancel in focus. */
import type { ReactNode } from 'react';
import { useConsole } from '../components/context.ts';
import { type Line, span, wrapWords } from '../components/line.ts';
import { type BoundBinding, shownKey } from '../keys/bindings.ts';
import { closingKeys, keyOf } from '../keys/overrides.ts';
import type { ConfirmDialog } from '../state/ui.ts';
import { DialogFrame, type DialogRow } from './DialogFrame.tsx';
import type { Room } from './DialogView.tsx';

const NAME = 11;
/** Of one value. */
const MOST_LINES = 3;

export function ConfirmView({ dialog, room }: { dialog: ConfirmDialog; room: Room }): ReactNode {
  const { session } = useConsole();
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const rows: DialogRow[] = [
    [
      dialog.paper
        ? span(' PAPER ', 'paper', { inverse: true, bold: true })
        : span(' LIVE ', 'live', { inverse: true, bold: true }),
      span(dialog.paper ? '  no real money moves' : '  REAL MONEY', dialog.paper ? 'muted' : 'danger'),
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
      tone={dialog.paper ? 'paper' : 'danger'}
      keep={tail.length}
    />
  );
}

function answerRows(dialog: ConfirmDialog, inner: number, bindings: readonly BoundBinding[]): DialogRow[] {
  if (dialog.busy) return [[], [span('at work …', 'warn')]];
  const cancel: Line = [
    span(' Cancel ', 'focus', { inverse: true }),
    span(` ${closingKeys(bindings, 'confirm')}`, 'muted'),
  ];
  if (dialog.word !== undefined && dialog.typed !== dialog.word) {
    const before: Line = [
      span('type ', 'muted'),
      span(dialog.word, 'danger', { bold: true }),
      span(' : ', 'muted'),
    ];
    const used = 5 + [...dialog.word].length + 3;
    return [
      [],
      {
        before,
        field: { id: 'confirm', value: dialog.typed, width: Math.max(8, inner - used), focus: true },
        after: [],
      },
      [span(shownKey(keyOf(bindings, 'dialog.close', 'word')), 'key'), span(' cancels', 'muted')],
    ];
  }
  return [
    [],
    [
      ...cancel,
      span('    '),
      span(shownKey(keyOf(bindings, 'confirm.yes')), 'key'),
      span(` ${dialog.verb}`, 'danger', { bold: true }),
    ],
  ];
}
