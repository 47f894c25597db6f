/** The command palette. */
import type { ReactNode } from 'react';
import { entriesOf } from '../commands/palette.ts';
import { useConsole } from '../components/context.ts';
import { type Line, span, spread } from '../components/line.ts';
import { windowStart } from '../model/order-list.ts';
import type { Dialog } from '../state/ui.ts';
import { DialogFrame, type DialogRow } from './DialogFrame.tsx';
import type { Room } from './DialogView.tsx';

type Palette = Extract<Dialog, { kind: 'palette' }>;
const SHOWN = 12;

export function PaletteView({ dialog, room }: { dialog: Palette; room: Room }): ReactNode {
  const { session } = useConsole();
  const width = Math.min(room.width - 4, 60);
  const inner = width - 4;
  const entries = entriesOf(session, dialog.text);
  const start = windowStart(dialog.index, entries.length, SHOWN);
  const rows: DialogRow[] = [
    {
      before: [span(': ', 'key')],
      field: { id: 'palette', value: dialog.text, width: inner - 2, focus: true },
      after: [],
    },
    [span('─'.repeat(inner), 'border')],
  ];
  entries.slice(start, start + SHOWN).forEach((entry, index) => {
    const here = start + index === dialog.index;
    const left: Line = [
      span(here ? '▸ ' : '  ', 'focus'),
      span(entry.label, here ? 'focus' : entry.acts ? 'muted' : 'text'),
    ];
    rows.push(spread(left, [span(entry.acts ? `only by ${entry.key}` : entry.key, 'key')], inner));
  });
  if (entries.length === 0) rows.push([span('  no such command', 'muted')]);
  while (rows.length < SHOWN + 2) rows.push([]);
  return <DialogFrame title="Command" rows={rows} width={width} room={room} tone="focus" />;
}
