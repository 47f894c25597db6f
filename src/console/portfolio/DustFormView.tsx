/**
 * The preview of a conversion of small balances: what each would give, which are chosen, and when it is
 * possible.
 */
import type { ReactNode } from 'react';
import { reviewRow } from '../accounts/AccountFormView.tsx';
import { chosenDust, type DustForm } from '../accounts/account-forms.ts';
import { useConsole, useUi } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { exact } from '../ui/format.ts';
import { cell, keyed, type Line, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { dustProblem } from './commands.ts';
import { waitText } from './dust.ts';

export function DustFormView({ dialog, room }: { dialog: DustForm; room: Room }): ReactNode {
  const { session } = useConsole();
  // Redraws each minute: the countdown has no seconds.
  useUi((ui) => ui.minute);
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const wall = session.wall();
  const { offer, failed, nextAt, focus, left, refusal, exchange } = dialog;
  const head: DialogRow[] = [
    [span('account  ', 'muted'), span(exchange)],
    nextAt > wall
      ? [span(`possible again in ${waitText(nextAt - wall)}: once in 6 h`, 'warn', { bold: true })]
      : [span('possible now; then not for 6 h', 'muted')],
    [],
  ];
  const hint: Line =
    offer !== null && offer.length > 0
      ? [keyed('choice.next', 'space'), span(' takes an asset or leaves it', 'muted')]
      : [];
  const tail: DialogRow[] = [[], hint];
  const problem = refusal ?? (offer === null && failed === null ? null : dustProblem(dialog, wall));
  for (const text of wrapWords(problem ?? '', inner).slice(0, 2))
    tail.push([span(text, refusal === null ? 'warn' : 'danger')]);
  tail.push(reviewRow(focus === 'review'));
  const lines = offerLines(dialog);
  const space = Math.max(1, room.height - 2 - head.length - tail.length);
  const at = Math.max(0, offer?.findIndex(({ asset }) => asset === focus) ?? 0);
  const start = Math.min(Math.max(0, at - space + 3), Math.max(0, lines.length - space));
  const rows = [...head, ...lines.slice(start, start + space), ...tail];
  const title = `Convert small balances${left.length > 0 ? `, ${chosenDust(dialog).length} chosen` : ''}`;
  return <DialogFrame title={title} rows={rows} width={width} room={room} tone="focus" keep={tail.length} />;
}

function offerLines({ offer, failed, focus, left }: DustForm): Line[] {
  if (failed !== null) return [[span(`the exchange did not say: ${failed}`, 'danger')]];
  if (offer === null) return [[span('asking the exchange …', 'muted')]];
  if (offer.length === 0)
    return [[span('no balance is small enough (under 10 USDT) and has a price', 'muted')]];
  const title: Line = [
    span('       '),
    cell('asset', 8, 'left', 'muted'),
    cell('free', 16, 'right', 'muted'),
    cell('worth USDT', 14, 'right', 'muted'),
    cell('gives', 18, 'right', 'muted'),
  ];
  const rows = offer.map(({ asset, free, value, toAmount, toAsset }): Line => {
    const here = focus === asset;
    return [
      span(here ? ' ▸ ' : '   ', 'focus'),
      span(left.includes(asset) ? '[ ] ' : '[x] ', here ? 'focus' : 'text'),
      cell(asset, 8, 'left'),
      cell(exact(free), 16, 'right'),
      cell(exact(value), 14, 'right'),
      cell(`${exact(toAmount)} ${toAsset}`, 18, 'right', 'ok'),
    ];
  });
  return [title, ...rows];
}
