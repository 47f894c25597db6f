/** The screen of a locked terminal, and the form of the PIN. The PIN is never drawn as typed. */
import type { ReactNode } from 'react';
import { useConsole, useUi, useWholeDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { countWords, panicCounts } from '../panic/panic.ts';
import { keyed, type Line, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { fieldsOf } from './commands.ts';
import { type LockDialog, type LockField, lockWords, type PinDialog } from './lock.ts';

const NAME = 8;

const ABOUT: Readonly<Record<LockField, string>> = {
  pin: '',
  back: 'shows everything again',
  panic: 'stop all bots, cancel all orders, close all positions',
  leave: 'this terminal; the desk goes on',
};
const LABELS: Readonly<Record<LockField, string>> = {
  pin: 'PIN',
  back: 'Unlock',
  panic: 'Panic',
  leave: 'Leave',
};

export function LockView({ dialog, room }: { dialog: LockDialog; room: Room }): ReactNode {
  const { session } = useConsole();
  const me = useWholeDesk((state) => state.me);
  const panic = useUi((ui) => ui.panic);
  if (!me) return null;
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const { focus, pin, busy, refusal } = dialog;
  const rows: DialogRow[] = [[span(`${me.name}, ${me.role}`, 'focus', { bold: true })], []];
  for (const text of lockWords(me)) for (const line of wrapWords(text, inner)) rows.push([span(line)]);
  rows.push([]);
  for (const field of fieldsOf(session) as readonly LockField[]) {
    const here = focus === field && !busy;
    const head = span(`${here ? '▸' : ' '} ${LABELS[field].padEnd(NAME)} `, here ? 'focus' : 'muted');
    if (field === 'pin')
      rows.push({
        before: [head],
        field: { id: 'lock.pin', value: pin, width: inner - NAME - 3, focus: here, hidden: true },
        after: [],
      });
    else rows.push([head, span(ABOUT[field], field === 'panic' ? 'danger' : 'muted')]);
  }
  rows.push([], busy ? [span('  one moment …', 'muted')] : [span(`  ${refusal ?? ''}`, 'danger')]);
  if (panic) {
    const counts = panicCounts(panic.items);
    const done = panic.items.length === 0 ? 'nothing to do' : countWords(counts);
    const words = panic.running ? `panic at work: ${countWords(counts)}` : `panic: ${done}`;
    rows.push([
      span(`  ${words}`, counts.failed > 0 ? 'danger' : panic.running ? 'warn' : 'ok', { bold: true }),
    ]);
  }
  const foot: Line = [
    keyed('form.next', 'tab'),
    span(' next   ', 'muted'),
    span('enter', 'key'),
    span(' does it', 'muted'),
  ];
  return (
    <DialogFrame
      title="OUTCRY is locked"
      rows={rows}
      width={width}
      room={room}
      tone="focus"
      foot={foot}
      keep={2}
    />
  );
}

export function PinView({ dialog, room }: { dialog: PinDialog; room: Room }): ReactNode {
  const isSet = useWholeDesk((state) => state.me?.pin === true);
  const width = Math.min(room.width - 4, 72);
  const inner = width - 4;
  const { focus, busy, refusal } = dialog;
  const about = `4 to 64 characters. New terminals of this machine ask for it, and locked ones. ${
    isSet ? 'Empty takes the PIN away.' : 'There is none yet.'
  }`;
  const rows: DialogRow[] = wrapWords(about, inner).map((line): Line => [span(line)]);
  rows.push([]);
  for (const id of ['pin', 'again'] as const) {
    const here = focus === id && !busy;
    const label = (id === 'pin' ? 'new PIN' : 'once more').padEnd(10);
    rows.push({
      before: [span(`${here ? '▸' : ' '} ${label} `, here ? 'focus' : 'muted')],
      field: { id: `pin.${id}`, value: dialog[id], width: inner - 13, focus: here, hidden: true },
      after: [],
    });
  }
  const here = focus === 'review';
  rows.push(
    [span(busy ? '  one moment …' : `  ${refusal ?? ''}`, busy ? 'muted' : 'danger')],
    [
      span(here ? '▸ ' : '  ', 'focus'),
      span(' Set it ', here ? 'focus' : 'muted', { inverse: here }),
      keyed('form.review', here ? '  enter sets it' : '  ctrl-r sets it', 'muted'),
    ],
  );
  return (
    <DialogFrame
      title="PIN of this machine’s terminals"
      rows={rows}
      width={width}
      room={room}
      tone="focus"
      keep={1}
    />
  );
}
