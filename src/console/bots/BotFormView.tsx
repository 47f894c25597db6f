/** The form of a new bot as JSON: a template, file or paste to start from, the text, and its problems. */
import type { ReactNode } from 'react';
import { useConsole, useDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { cursorOf, type TextArea } from '../forms/text-area.ts';
import { windowStart } from '../lists/cursor.ts';
import { keyed, type Line, type Span, span, spread, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import type { BotForm } from './bot-forms.ts';
import { draftOf, remarksOf } from './new-bot.ts';

const NAME = 11;
/** Width of the line number and the mark before each line of the text. */
const GUTTER = 5;
const REMARKS = 4;

type Remark = ReturnType<typeof remarksOf>[number];

export function BotFormView({ dialog, room }: { dialog: BotForm; room: Room }): ReactNode {
  const { session } = useConsole();
  // Problems about accounts change with the accounts.
  useDesk((state) => state.accounts);
  const width = Math.min(room.width - 2, 104);
  const inner = width - 4;
  const draft = draftOf(session, dialog.area.text);
  const remarks = remarksOf(dialog, draft);
  const { focus, area } = dialog;
  const { row } = cursorOf(area);
  const lines = area.text.split('\n');
  const most = room.height - 2;
  const notes = Math.max(2, Math.min(remarkRows(remarks, inner), Math.max(REMARKS, Math.floor(most / 3))));
  const areaRows = Math.max(3, Math.min(most - notes - 5, Math.max(14, lines.length + 1)));
  const name = (id: BotForm['focus'], text: string): Span =>
    span(`${focus === id ? '▸' : ' '} ${text.padEnd(NAME)} `, focus === id ? 'focus' : 'muted');
  const type: Line =
    focus === 'type'
      ? [span('◂ ', 'key'), span(dialog.type, 'text', { bold: true }), span(' ▸', 'key')]
      : [span(dialog.type)];
  const place: Line = [span(`line ${row + 1} of ${lines.length}`, 'muted')];
  const rows: DialogRow[] = [
    [name('type', 'template'), ...type, span('  left and right take another', 'muted')],
    {
      before: [name('file', 'file')],
      field: {
        id: 'bot.file',
        value: dialog.file,
        width: inner - NAME - 3,
        focus: focus === 'file',
        placeholder: 'path of a JSON file, enter reads it; or paste JSON',
      },
      after: [],
    },
    spread(
      [name('json', 'JSON'), span('as POST /bots takes it, or the settings alone', 'muted')],
      place,
      inner,
    ),
    ...areaLines(area, remarks, focus === 'json', inner, areaRows),
    [span('─'.repeat(inner), 'border')],
    ...noteLines(dialog, remarks, inner, notes),
    buttonRow(dialog),
  ];
  return <DialogFrame title={dialog.title} rows={rows} width={width} room={room} tone="focus" keep={1} />;
}

/** The part of the text around the cursor; the cursor is an inverse cell. */
function areaLines(
  area: TextArea,
  remarks: readonly Remark[],
  focus: boolean,
  inner: number,
  height: number,
): Line[] {
  const lines = area.text.split('\n');
  const { row, column } = cursorOf(area);
  const start = windowStart(row, lines.length, height);
  const room = inner - GUTTER;
  // A long line is shifted to the left until its cursor is visible.
  const shift = Math.max(0, column + 2 - room);
  return Array.from({ length: height }, (_, at) => {
    const index = start + at;
    const text = lines[index];
    if (text === undefined) return [];
    const chars = [...text];
    const worst = remarks.find(({ line, kind }) => line === index + 1 && kind === 'problem')
      ? 'problem'
      : remarks.find(({ line }) => line === index + 1)?.kind;
    const here = focus && index === row;
    const mark = worst === 'problem' ? '✗' : worst === 'warning' ? '!' : ' ';
    const gutter: Line = [
      span(String(index + 1).padStart(3), here ? 'focus' : 'muted'),
      span(`${mark} `, 'warn', { bold: true }),
    ];
    const tone = worst === 'problem' ? 'warn' : 'text';
    if (!here) return [...gutter, span(text, tone)];
    return [
      ...gutter,
      span(chars.slice(shift, column).join(''), tone),
      span(chars[column] ?? ' ', 'focus', { inverse: true }),
      span(chars.slice(column + 1).join(''), tone),
    ];
  });
}

function wrapped({ text, kind }: Remark, inner: number): Line[] {
  const sign = kind === 'problem' ? '✗ ' : '! ';
  return wrapWords(text, inner - 2).map((line, index) => [
    span(index === 0 ? sign : '  ', 'warn', { bold: true }),
    span(line, kind === 'problem' ? 'warn' : 'muted'),
  ]);
}

function remarkRows(remarks: readonly Remark[], inner: number): number {
  return remarks.reduce((sum, remark) => sum + wrapped(remark, inner).length, 0);
}

function noteLines(dialog: BotForm, remarks: readonly Remark[], inner: number, height: number): Line[] {
  const lines: Line[] = remarks.flatMap((remark) => wrapped(remark, inner));
  if (lines.length === 0) {
    const checked = dialog.check?.text === dialog.area.text;
    lines.push(
      checked
        ? [
            span('✓ ', 'ok'),
            span('nothing stands against it; price and balance count when it starts', 'muted'),
          ]
        : [span('checking …', 'muted')],
    );
  }
  const over = lines.length - height;
  const shown =
    over > 0 ? [...lines.slice(0, height - 1), [span(`  ${over + 1} more lines`, 'muted')]] : lines;
  return Array.from({ length: height }, (_, at) => shown[at] ?? []);
}

function buttonRow({ focus, refusal, leaving }: BotForm): Line {
  const here = focus === 'review';
  const note = leaving
    ? keyed('new-bot.leave', '  esc again leaves what is written behind', 'warn')
    : refusal !== null
      ? span(`  ${refusal}`, 'danger')
      : keyed(
          'form.review',
          here ? '  enter shows the confirmation; nothing starts' : '  ctrl-r reviews, tab goes on',
          'muted',
        );
  return [
    span(here ? '▸ ' : '  ', 'focus'),
    span(' Review ', here ? 'focus' : 'muted', { inverse: here }),
    note,
  ];
}
