/**
 * Choosing the account that is shown and traded on: one of them, or all. Enter chooses; nothing on the desk
 * changes.
 */
import type { ReactNode } from 'react';
import { useUi, useWholeDesk } from '../app/context.ts';
import { modeSpan } from '../dialogs/mode.ts';
import { hints, ShortList } from '../dialogs/ShortList.tsx';
import type { FormKind } from '../forms/form.ts';
import { amount, counted } from '../ui/format.ts';
import { cell, type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { ALL, type OnlyChoice, type OnlyDialog, onlyChoices } from './choices.ts';
import { chooseOnly } from './commands.ts';

/** Width of the longest mode, and of the longest account name that is not cut, in cells. */
const MODE = 7;
const NAME = 28;
/** Width of all other parts of a line, in cells. */
const OTHERS = 59;
const WIDEST = 92;

function OnlyView({ dialog, room }: { dialog: OnlyDialog; room: Room }): ReactNode {
  const choices = onlyChoices(useWholeDesk((desk) => desk));
  const only = useUi((ui) => ui.only);
  const width = Math.min(room.width - 2, WIDEST);
  const longest = Math.max(...choices.map(({ id }) => id.length), 'all accounts'.length) + 1;
  const name = Math.min(longest, NAME, Math.max(13, width - 4 - OTHERS));
  return (
    <ShortList
      title="One account, or all"
      rows={choices}
      at={choices.findIndex(({ id }) => id === dialog.focus)}
      line={(choice, here) => choiceLine(choice, name, here, choice.id === (only ?? ALL))}
      widest={WIDEST}
      room={room}
      foot={hints(['form.enter', 'enter', 'looks at it alone'], ['dialog.close', 'esc', 'close'])}
    />
  );
}

function choiceLine(choice: OnlyChoice, name: number, here: boolean, inForce: boolean): Line {
  const { id, mode, kind, orders, positions, usd, up } = choice;
  const blank = ' '.repeat(Math.max(0, MODE - (mode?.length ?? 0)) + 1);
  return [
    span(inForce ? '● ' : '  ', 'focus'),
    ...(mode ? [modeSpan(mode)] : []),
    span(blank),
    cell(id === ALL ? 'all accounts' : id, name, 'left', here ? 'focus' : 'text'),
    cell(up ? kind : 'DOWN', 8, 'left', up ? 'muted' : 'danger'),
    cell(amount(usd, 2), 13, 'right'),
    span('  '),
    span(
      [counted(orders, 'order'), ...(positions > 0 ? [counted(positions, 'position')] : [])].join(', '),
      'muted',
    ),
  ];
}

export const ONLY: FormKind<OnlyDialog> = {
  kind: 'only',
  View: OnlyView,
  scopes: () => ['one-account'],
  fields: (_, state) => (state ? onlyChoices(state).map(({ id }) => id) : []),
  enter(session, { focus }) {
    chooseOnly(session, focus === ALL ? null : focus);
    return true;
  },
};
