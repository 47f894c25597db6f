/** The form that stops one bot or several; it shows what happens to orders and position. */
import type { ReactNode } from 'react';
import { useDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { keyed, type Line, type Span, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import type { BotStopForm } from './bot-forms.ts';
import { stopRows } from './bot-stop.ts';

const NAME = 11;
const CLEANUP_WORDS = {
  cancelAllOrders: 'every open order is cancelled',
  cancelBuyOrders: 'entries are cancelled, exits stay',
  leaveAllOrders: 'every order stays at the exchange',
} as const;

export function BotStopView({ dialog, room }: { dialog: BotStopForm; room: Room }): ReactNode {
  const state = useDesk((desk) => desk);
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const { focus, cleanup, sell, force, runs } = dialog;
  const choice = (id: BotStopForm['focus'], name: string, value: string, words: string): Line => {
    const here = focus === id;
    const chosen: Span[] = here
      ? [span('◂ ', 'key'), span(value, 'text', { bold: true }), span(' ▸', 'key')]
      : [span(value)];
    const label = span(`${here ? '▸' : ' '} ${name.padEnd(NAME)} `, here ? 'focus' : 'muted');
    return [label, ...chosen, span(`  ${words}`, 'muted')];
  };
  const rows: DialogRow[] = [
    choice('cleanup', 'orders', cleanup, CLEANUP_WORDS[cleanup]),
    choice(
      'sell',
      'position',
      sell ? 'stop_and_sell' : 'keep',
      sell ? 'closed at market' : 'stays as it is, without its stops',
    ),
    choice(
      'force',
      'force',
      force ? 'yes' : 'no',
      force ? 'counts as stopped at once' : 'waits for the exchange',
    ),
    [span('─'.repeat(inner), 'border')],
  ];
  for (const { name, value, tone } of stopRows(state, dialog)) {
    wrapWords(value, inner - NAME - 1)
      .slice(0, 3)
      .forEach((text, index) => {
        rows.push([span((index === 0 ? name : '').padEnd(NAME + 1), 'muted'), span(text, tone ?? 'text')]);
      });
  }
  const here = focus === 'review';
  rows.push(
    [],
    [
      span(here ? '▸ ' : '  ', 'focus'),
      span(' Review ', here ? 'focus' : 'muted', { inverse: here }),
      keyed(
        'form.review',
        here ? '  enter shows the confirmation; nothing stops yet' : '  ctrl-r reviews',
        'muted',
      ),
    ],
  );
  const title = runs.length > 1 ? `Stop ${runs.length} bots` : 'Stop bot';
  return <DialogFrame title={title} rows={rows} width={width} room={room} tone="focus" keep={2} />;
}
