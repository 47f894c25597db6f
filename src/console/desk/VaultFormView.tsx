/** The form that makes the vault, opens it, or changes its passphrase. What is typed is never drawn. */
import type { ReactNode } from 'react';
import { useConsole, useWholeDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { timeOfDay } from '../ui/format.ts';
import { keyed, type Line, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { zoneLabel } from '../ui/zone.ts';
import { type VaultAsk, type VaultField, type VaultForm, vaultFields } from './vault-form.ts';

const NAME = 16;

const TITLES: Readonly<Record<VaultAsk, string>> = {
  init: 'Make the vault',
  unlock: 'Unlock the vault',
  change: 'Another passphrase of the vault',
};
const LABELS: Readonly<Record<VaultAsk, Readonly<Record<VaultField, string>>>> = {
  init: { old: '', passphrase: 'passphrase', again: 'once more' },
  unlock: { old: '', passphrase: 'passphrase', again: '' },
  change: { old: 'old passphrase', passphrase: 'new passphrase', again: 'once more' },
};
const VERBS: Readonly<Record<VaultAsk, string>> = { init: 'Make it', unlock: 'Unlock', change: 'Change it' };
const ABOUT: Readonly<Record<VaultAsk, string>> = {
  init: 'The secrets of connections are kept in it. At least 12 characters; several words are good. Nobody can find it out: without it what is in the vault is lost.',
  unlock: 'Until it is open, accounts of connections answer 503 and their bots wait.',
  change: 'The secrets stay as they are. Copies of the database keep the old passphrase.',
};

export function VaultFormView({ dialog, room }: { dialog: VaultForm; room: Room }): ReactNode {
  const { session } = useConsole();
  const { connections, retryAt } = useWholeDesk((state) => state.vault);
  const { what, values, focus, busy, refusal } = dialog;
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const rows: DialogRow[] = wrapWords(ABOUT[what], inner).map((line): Line => [span(line)]);
  if (connections.length > 0) rows.push([span(`In it: ${connections.join(', ')}`, 'muted')]);
  rows.push([]);
  for (const id of vaultFields(what)) {
    const here = focus === id && !busy;
    const head = span(`${here ? '▸' : ' '} ${LABELS[what][id].padEnd(NAME)} `, here ? 'focus' : 'muted');
    const field = {
      id: `vault.${id}`,
      value: values[id],
      width: inner - NAME - 3,
      focus: here,
      hidden: true,
    };
    rows.push({ before: [head], field, after: [] });
  }
  const waits =
    retryAt !== null && retryAt > session.wall()
      ? `after wrong passphrases it waits until ${timeOfDay(retryAt)} ${zoneLabel(retryAt)}`
      : null;
  const problem = busy ? null : (refusal ?? waits);
  const words = problem === null ? [] : wrapWords(problem, inner - 2).slice(0, 2);
  rows.push([]);
  for (let at = 0; at < 2; at++)
    rows.push([span(`  ${words[at] ?? ''}`, refusal === null ? 'warn' : 'danger')]);
  rows.push([], doRow(VERBS[what], focus === 'review', busy));
  return <DialogFrame title={TITLES[what]} rows={rows} width={width} room={room} tone="focus" keep={2} />;
}

function doRow(verb: string, focus: boolean, busy: boolean): Line {
  if (busy) return [span('  the desk works on it ...', 'muted')];
  return [
    span(focus ? '▸ ' : '  ', 'focus'),
    span(` ${verb} `, focus ? 'focus' : 'muted', { inverse: focus }),
    keyed(
      'form.review',
      focus ? '  enter does it' : '  ctrl-r does it, and so does enter in the last field',
      'muted',
    ),
  ];
}
