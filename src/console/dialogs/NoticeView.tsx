/** Texts over the screen: notices, the help made from the bindings, and the question when leaving. */
import type { ReactNode } from 'react';
import { useDesk, useUi } from '../components/context.ts';
import { cell, type Line, span, wrapWords } from '../components/line.ts';
import { ALL_BINDINGS, type Scope, shownKey, shownKeysOf } from '../keys/bindings.ts';
import { isRunning } from '../model/bot-list.ts';
import { type Dialog, SCREENS } from '../state/ui.ts';
import { DialogFrame, type DialogRow } from './DialogFrame.tsx';
import type { Room } from './DialogView.tsx';

export function NoticeView({
  dialog,
  room,
}: {
  dialog: Extract<Dialog, { kind: 'notice' }>;
  room: Room;
}): ReactNode {
  const width = Math.min(room.width - 4, 110);
  const inner = width - 4;
  const lines: Line[] = dialog.lines.flatMap(({ text, tone, words }) =>
    (words ? wrapWords(text, inner).flatMap((line) => chunks(line, inner)) : chunks(text, inner)).map(
      (part) => [span(part, tone)],
    ),
  );
  return <Scrolled title={dialog.title} lines={lines} offset={dialog.offset} width={width} room={room} />;
}

/** Long values (keys, signatures) go on in the next line: they are there to be read and copied. */
function chunks(text: string, width: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += width) parts.push(text.slice(at, at + width));
  return parts.length === 0 ? [''] : parts;
}

interface ScrolledProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly offset: number;
  readonly width: number;
  readonly room: Room;
}

function Scrolled({ title, lines, offset, width, room }: ScrolledProps): ReactNode {
  const most = room.height - 2;
  const start = Math.min(offset, Math.max(0, lines.length - most));
  const more = lines.length - start - most;
  const foot: Line = [
    ...(more > 0 ? [span(`${more} more, `, 'muted'), span('j', 'key'), span('   ')] : []),
    span('esc', 'key'),
    span(' close', 'muted'),
  ];
  const rows = lines.slice(start, start + most);
  return <DialogFrame title={title} rows={rows} width={width} room={room} tone="focus" foot={foot} />;
}

export function HelpView({
  dialog,
  room,
}: {
  dialog: Extract<Dialog, { kind: 'help' }>;
  room: Room;
}): ReactNode {
  const screen = useUi((ui) => ui.screen);
  const width = Math.min(room.width - 4, 84);
  const half = Math.floor((width - 4) / 2);
  const title = SCREENS.find((entry) => entry.id === screen)?.title ?? '';
  const left = section(title, [screen], half).concat([[]], section('Lists', ['list'], half));
  const right = section('Everywhere', ['global', 'always'], half).concat(
    [[]],
    section('Forms', ['form', 'choice'], half),
    [[]],
    section('Confirmations', ['confirm'], half),
  );
  const lines: Line[] = [];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const one = left[at] ?? [];
    const used = one.reduce((sum, part) => sum + part.text.length, 0);
    lines.push([...one, span(' '.repeat(Math.max(0, half - used))), ...(right[at] ?? [])]);
  }
  lines.push(
    [],
    [span('Enter never places, cancels, revokes or starts anything: y does, after a look.', 'muted')],
  );
  return <Scrolled title="Help" lines={lines} offset={dialog.offset} width={width} room={room} />;
}

function section(title: string, scopes: readonly Scope[], width: number): Line[] {
  const lines: Line[] = [[span(title, 'title')]];
  for (const binding of ALL_BINDINGS) {
    const { label, scope } = binding;
    if (!scopes.includes(scope)) continue;
    const shown = shownKeysOf(binding).map(shownKey).join(' ');
    lines.push([cell(shown, 16, 'left', 'key'), cell(label, width - 17, 'left')]);
  }
  return lines;
}

export function QuitView({
  dialog,
  room,
}: {
  dialog: Extract<Dialog, { kind: 'quit' }>;
  room: Room;
}): ReactNode {
  const running = useDesk((state) => Object.values(state.bots).filter(isRunning).length);
  const bots: DialogRow[] =
    running === 0
      ? []
      : [
          [
            span(
              running === 1
                ? '1 bot is running: d leaves it at work'
                : `${running} bots are running: d leaves them at work`,
              'warn',
            ),
          ],
          [],
        ];
  const rows: DialogRow[] = dialog.stopping
    ? [[span('stopping …', 'warn')]]
    : [
        ...bots,
        [span('d', 'key'), span('  detach: this terminal leaves, the desk goes on')],
        [span('s', 'key'), span('  stop the desk: open orders stay at the exchange', 'warn')],
        [],
        [span(' Cancel ', 'focus', { inverse: true }), span(' enter, esc', 'muted')],
      ];
  return (
    <DialogFrame title="Leave" rows={rows} width={Math.min(room.width - 4, 58)} room={room} tone="focus" />
  );
}
