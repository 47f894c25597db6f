/** The dialog that makes a price alert: one field, with the current price above it and the effect below. */
import type { ReactNode } from 'react';
import { useDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { hints } from '../dialogs/ShortList.tsx';
import { onStep } from '../ui/format.ts';
import { type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { type PriceAlertForm, type ResolvedAlert, resolveAlert } from './price-alerts.ts';

export function PriceAlertView({ dialog, room }: { dialog: PriceAlertForm; room: Room }): ReactNode {
  const state = useDesk((desk) => desk);
  const width = Math.min(room.width - 4, 64);
  const meant = resolveAlert(state, dialog);
  const tick = meant.instrument?.tickSize;
  const rows: DialogRow[] = [
    [span('  last     ', 'muted'), span(onStep(meant.last, tick)), span(`  ${dialog.exchange}`, 'muted')],
    {
      before: [span('▸ price    ', 'focus')],
      field: { id: 'price-alert', value: dialog.value, width: width - 15, focus: !dialog.busy },
      after: [],
    },
    [],
    effectLine(meant, tick, dialog),
  ];
  const foot = hints(['form.enter', 'enter', 'sets it'], ['dialog.close', 'esc', 'close']);
  return (
    <DialogFrame
      title={`Price alert, ${dialog.symbol}`}
      rows={rows}
      width={width}
      room={room}
      tone="focus"
      foot={foot}
    />
  );
}

/** The line below the field: when the alert fires, what is wrong, or what can be typed. */
function effectLine(meant: ResolvedAlert, tick: string | undefined, { refusal }: PriceAlertForm): Line {
  if (refusal !== null) return [span(refusal, 'danger')];
  if (meant.problem !== null) return [span(meant.problem, 'warn')];
  if (meant.price === null) return [span('a price, or a distance from it: 61500, -2%, +50t', 'muted')];
  return [
    span(
      meant.above ? '▲ tells once it rises to ' : '▼ tells once it falls to ',
      meant.above ? 'up' : 'down',
    ),
    span(onStep(meant.price, tick)),
    span(`  ${meant.distance}`, 'muted'),
  ];
}
