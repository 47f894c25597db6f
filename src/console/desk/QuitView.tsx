/** The question when a person leaves: whether the desk goes on. */
import type { ReactNode } from 'react';
import { useConsole, useUi, useWholeDesk } from '../app/context.ts';
import { heldHere } from '../bots/held-here.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import type { CommandId } from '../input/binding.ts';
import { closingKeys, keyOf } from '../input/overrides.ts';
import { shownKey } from '../input/shown-key.ts';
import { isRunning } from '../trading/bots.ts';
import { counted } from '../ui/format.ts';
import { span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import type { QuitDialog } from './leaving.ts';

export function QuitView({ dialog, room }: { dialog: QuitDialog; room: Room }): ReactNode {
  const { session } = useConsole();
  const key = (command: CommandId) => shownKey(keyOf(session.bindings, command, 'quit'));
  const detach = key('quit.detach');
  const running = useWholeDesk((state) => Object.values(state.bots).filter(isRunning).length);
  const bots: DialogRow[] =
    running === 0
      ? []
      : [
          [
            span(
              `${counted(running, 'bot is', 'bots are')} running: ${detach} leaves ${running === 1 ? 'it' : 'them'} at work`,
              'warn',
            ),
          ],
          [],
        ];
  const orders = useWholeDesk((state) => state.orders);
  const futures = useWholeDesk((state) => state.futures);
  const held = heldHere({ orders, futures });
  const panic = useUi((ui) => ui.panic?.running === true);
  const undone: DialogRow[] = panic
    ? [[span('The panic is under way. What is left of it stays undone.', 'danger', { bold: true })], []]
    : [];
  const rows: DialogRow[] = dialog.stopping
    ? [[span('stopping …', 'warn')]]
    : [
        ...undone,
        ...bots,
        [span(detach, 'key'), span('  detach: this terminal leaves, the desk goes on')],
        [span(key('quit.stop'), 'key'), span('  stop the desk: open orders stay at the exchange', 'warn')],
        ...held.map((text): DialogRow => [span(`   ${text}`, 'danger')]),
        dialog.remark === 'again' ? [span('press it again', 'warn', { bold: true })] : [],
        [
          span(' Stay ', 'focus', { inverse: true }),
          span(` ${closingKeys(session.bindings, 'quit')}`, 'muted'),
        ],
      ];
  return (
    <DialogFrame title="Leave" rows={rows} width={Math.min(room.width - 4, 58)} room={room} tone="focus" />
  );
}
