/** Registering a key: generated here, or the public half pasted. */
import type { ReactNode } from 'react';
import { type Line, span } from '../components/line.ts';
import type { Dialog } from '../state/ui.ts';
import { DialogFrame, type DialogRow } from './DialogFrame.tsx';
import type { Room } from './DialogView.tsx';

type KeyForm = Extract<Dialog, { kind: 'key-form' }>;

const MEANING = {
  read: 'sees orders and balances',
  trade: 'may also place and cancel orders',
  full: 'may do everything the API offers',
};

export function KeyFormView({ dialog, room }: { dialog: KeyForm; room: Room }): ReactNode {
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const { field, mode } = dialog;
  const label = (id: string, name: string): Line => [
    span(`${field === id ? '▸' : ' '} ${name.padEnd(11)} `, field === id ? 'focus' : 'muted'),
  ];
  const text = (id: 'label' | 'publicKey', name: string): DialogRow => ({
    before: label(id, name),
    field: { id: `key.${id}`, value: dialog[id], width: inner - 14, focus: field === id },
    after: [],
  });
  const tier: Line =
    field === 'tier'
      ? [span('◂ ', 'key'), span(dialog.tier, 'text', { bold: true }), span(' ▸', 'key')]
      : [span(dialog.tier)];
  const rows: DialogRow[] = [
    text('label', 'label'),
    [...label('tier', 'tier'), ...tier, span(`   ${MEANING[dialog.tier]}`, 'muted')],
    ...(mode === 'paste' ? [text('publicKey', 'public key')] : []),
    [],
    [
      span(
        mode === 'paste'
          ? '43 characters (base64url), or a public-key PEM pasted whole.'
          : 'Ed25519; the private key goes to keys/ in the data folder, nowhere else.',
        'muted',
      ),
    ],
    dialog.problem ? [span(dialog.problem, 'warn')] : [],
    [
      span(field === 'review' ? '▸ ' : '  ', 'focus'),
      span(' Review ', field === 'review' ? 'focus' : 'muted', { inverse: field === 'review' }),
      span(field === 'review' ? '  enter shows the confirmation' : '  ctrl-r reviews', 'muted'),
    ],
  ];
  const title = mode === 'paste' ? 'Register a public key' : 'Generate a key';
  return <DialogFrame title={title} rows={rows} width={width} room={room} tone="focus" />;
}
