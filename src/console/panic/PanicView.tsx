/** Panic: the parts to choose from, and the progress of a run with the result of each item. */
import type { ReactNode } from 'react';
import { useUi, useWholeDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { keyed, type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import {
  chosenParts,
  countWords,
  itemTable,
  PANIC_PARTS,
  PANIC_WORD,
  type PanicForm,
  type PanicPart,
  type PanicRunDialog,
  panicCounts,
  partDetail,
  partLines,
} from './panic.ts';

const NAMES: Record<PanicPart, string> = {
  holdings: 'sell what bots hold',
  bots: 'stop all bots',
  orders: 'cancel all orders',
  positions: 'close all positions',
};
const NAME = 21;

export function PanicView({ dialog, room }: { dialog: PanicForm; room: Room }): ReactNode {
  const state = useWholeDesk((desk) => desk);
  const only = useUi((ui) => ui.only);
  const { parts, focus } = dialog;
  const rows: DialogRow[] = PANIC_PARTS.map((part): Line => {
    const here = focus === part;
    const on = parts[part];
    return [
      span(here ? '▸ ' : '  ', 'focus'),
      span(on ? '[x] ' : '[ ] ', here ? 'focus' : on ? 'danger' : 'muted', { bold: on }),
      span(NAMES[part].padEnd(NAME), on ? 'text' : 'muted'),
      span(partDetail(state, part), on ? 'text' : 'muted'),
    ];
  });
  const here = focus === 'review';
  const none = chosenParts(parts).length === 0;
  rows.push(
    [],
    [span('  Positions are those of the futures accounts; other spot balances stay.', 'muted')],
    ...(only === null ? [] : [[span(`  All accounts are meant, not only ${only}.`, 'warn', { bold: true })]]),
    [],
    [
      span(here ? '▸ ' : '  ', 'focus'),
      span(' Review ', here ? 'focus' : 'muted', { inverse: here }),
      ...(none
        ? [span('  nothing is chosen', 'muted')]
        : [
            keyed('form.review', here ? '  enter' : '  ctrl-r', 'muted'),
            span(`, then the word ${PANIC_WORD}; nothing is done before`, 'muted'),
          ]),
    ],
    [keyed('choice.next', '  space chooses a part', 'muted')],
  );
  const width = Math.min(room.width - 4, 84);
  return <DialogFrame title="Panic" rows={rows} width={width} room={room} tone="danger" keep={2} />;
}

export function PanicRunView({ dialog, room }: { dialog: PanicRunDialog; room: Room }): ReactNode {
  const run = useUi((ui) => ui.panic);
  const state = useWholeDesk((desk) => desk);
  if (!run) return null;
  const counts = panicCounts(run.items);
  const head = partLines(run, state);
  const { columns, rows: items } = itemTable(run);
  const most = Math.max(1, room.height - 4 - head.length);
  const start = Math.min(dialog.offset, Math.max(0, items.length - most));
  const more = items.length - start - most;
  const table = { columns, rows: items.slice(start, start + most) };
  const foot: Line = [
    ...(more > 0 ? [span(`${more} more, `, 'muted'), keyed('panic.down', 'j'), span('   ')] : []),
    ...(!run.running && counts.failed > 0
      ? [keyed('panic.again', 'r'), span(' failed again   ', 'muted')]
      : []),
    keyed('dialog.close', 'esc'),
    span(run.running ? ' close, it goes on' : ' close', 'muted'),
  ];
  const title = `Panic: ${run.running ? 'at work, ' : ''}${countWords(counts)}`;
  const tone = counts.failed > 0 ? 'danger' : run.running ? 'warn' : 'ok';
  const rows: DialogRow[] = [...head, { table, height: table.rows.length + 1 }];
  return <DialogFrame title={title} rows={rows} width={room.width - 4} room={room} tone={tone} foot={foot} />;
}
