/** The forms of the Accounts screen: the fields, what they mean, and what is wrong with the typed values. */
import type { ReactNode } from 'react';
import { useWholeDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { keyed, type Line, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { type AccountAsk, type AccountForm, accountFields, readAccountForm } from './account-forms.ts';
import { replacedHosts } from './connect-form.ts';

const NAME = 12;
const FIELD = 26;
/** Rows of replaced hosts in the form; the review shows all hosts. */
const HOST_ROWS = 2;

const TITLES: Record<AccountAsk, string> = {
  connect: 'Connect an exchange',
  settings: 'Settings of the paper exchange',
  balance: 'Set a balance',
  faults: 'Faults of the paper exchange',
  guards: 'Guards of the account',
  speed: 'Speed of the feed',
};

export function AccountFormView({ dialog, room }: { dialog: AccountForm; room: Room }): ReactNode {
  const state = useWholeDesk((desk) => desk);
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const { what, exchange, values, focus, refusal } = dialog;
  const fields = accountFields(dialog);
  const about =
    what === 'connect'
      ? ['keys', 'are drawn as stars, tried, and sealed in the vault']
      : what === 'speed'
        ? ['feed', state.clock.feed]
        : ['account', exchange];
  const rows: DialogRow[] = [[span(`  ${about[0]?.padEnd(NAME)} `, 'muted'), span(about[1] ?? '')], []];
  const elsewhere = what === 'connect' ? replacedHosts(dialog.endpoints?.[values.name ?? '']) : null;
  if (elsewhere !== null)
    rows.splice(
      1,
      0,
      ...wrapWords(`are used at other hosts, as config.toml has it: ${elsewhere}`, inner - NAME - 3)
        .slice(0, HOST_ROWS)
        .map((line): DialogRow => [span(' '.repeat(NAME + 3)), span(line, 'danger')]),
    );
  for (const { id, label, choices, words, hidden } of fields) {
    const here = focus === id;
    const head = span(`${here ? '▸' : ' '} ${label.padEnd(NAME)} `, here ? 'focus' : 'muted');
    const value = values[id] ?? '';
    if (choices) rows.push([head, ...choice(words?.[value] ?? value, here)]);
    else {
      const field = hidden
        ? { id: `secret.${id}`, value, width: inner - NAME - 3, focus: here, hidden }
        : { id: `account.${id}`, value, width: FIELD, focus: here };
      rows.push({ before: [head], field, after: [] });
    }
  }
  const hint = fields.find(({ id }) => id === focus)?.hint ?? '';
  rows.push([]);
  for (const line of wrapWords(hint, inner - 2)) rows.push([span(`  ${line}`, 'muted')]);
  const read = readAccountForm(dialog, state);
  const problem = refusal ?? ('problem' in read ? read.problem.message : null);
  const words = problem === null ? [] : wrapWords(problem, inner - 2).slice(0, 2);
  for (let at = 0; at < 2; at++)
    rows.push([span(`  ${words[at] ?? ''}`, refusal === null ? 'warn' : 'danger')]);
  rows.push([], reviewRow(focus === 'review'));
  return <DialogFrame title={TITLES[what]} rows={rows} width={width} room={room} tone="focus" keep={2} />;
}

function choice(value: string, focus: boolean): Line {
  return focus ? [span('◂ ', 'key'), span(value, 'text', { bold: true }), span(' ▸', 'key')] : [span(value)];
}

export function reviewRow(focus: boolean): Line {
  return [
    span(focus ? '▸ ' : '  ', 'focus'),
    span(' Review ', focus ? 'focus' : 'muted', { inverse: focus }),
    keyed(
      'form.review',
      focus ? '  enter shows the confirmation; nothing is done yet' : '  ctrl-r reviews',
      'muted',
    ),
  ];
}
