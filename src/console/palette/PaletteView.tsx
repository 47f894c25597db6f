/** The command palette: the typed text, the matching entries, and the kind of each. */
import type { ReactNode } from 'react';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { windowStart } from '../lists/cursor.ts';
import { type Line, span, spread } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import type { PaletteDialog } from './palette.ts';

const SHOWN = 12;

export function PaletteView({ dialog, room }: { dialog: PaletteDialog; room: Room }): ReactNode {
  const { entries, index: at } = dialog;
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const start = windowStart(at, entries.length, SHOWN);
  const rows: DialogRow[] = [
    {
      before: [span(': ', 'key')],
      field: { id: 'palette', value: dialog.text, width: inner - 2, focus: true },
      after: [],
    },
    [span('─'.repeat(inner), 'border')],
  ];
  entries.slice(start, start + SHOWN).forEach(({ label, hint, target }, index) => {
    const here = start + index === at;
    const keyed = target.to === 'command' || target.to === 'elsewhere';
    const left: Line = [
      span(here ? '▸ ' : '  ', 'focus'),
      span(label, here ? 'focus' : keyed && target.acts ? 'muted' : 'text'),
    ];
    rows.push(spread(left, [span(` ${hint}`, keyed ? 'key' : 'muted')], inner));
  });
  if (entries.length === 0)
    rows.push([span('  no screen, command, symbol, bot or order has that name', 'muted')]);
  while (rows.length < SHOWN + 2) rows.push([]);
  const count = entries.length > SHOWN ? [span(`${at + 1} of ${entries.length}`, 'muted')] : [];
  return <DialogFrame title="Command" rows={rows} width={width} room={room} tone="focus" foot={count} />;
}
