/**
 * The form of an operator: name, role, key, and allowed networks; and the form of the words with which a
 * session is ended.
 */
import type { ReactNode } from 'react';
import { useConsole } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { keyed, type Line, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { operatorFields, operatorProblem } from './operator-form.ts';
import { ROLE_WORDS } from './operator-list.ts';
import type { OperatorDialog, OperatorField, SessionEndDialog } from './people-page.ts';

const NAME = 9;

const LABELS: Readonly<Record<OperatorField, string>> = {
  name: 'name',
  role: 'role',
  key: 'key',
  from: 'from',
  end: 'last day',
  ca: 'CA',
  verify: 'verify',
  review: '',
};

export function OperatorFormView({ dialog, room }: { dialog: OperatorDialog; room: Room }): ReactNode {
  const { session } = useConsole();
  const width = Math.min(room.width - 4, 90);
  const inner = width - 4;
  const { known, focus, refusal } = dialog;
  const rows: DialogRow[] = known ? [[span(`  ${'name'.padEnd(NAME)} `, 'muted'), span(known.name)]] : [];
  for (const field of operatorFields(dialog)) {
    if (field === 'review') continue;
    const here = focus === field;
    const head = span(`${here ? '▸' : ' '} ${LABELS[field].padEnd(NAME)} `, here ? 'focus' : 'muted');
    if (field === 'role')
      rows.push([head, ...choice(dialog.role, here), span(`   ${ROLE_WORDS[dialog.role]}`, 'muted')]);
    else if (field === 'ca')
      rows.push([
        head,
        ...choice(dialog.ca ? 'yes' : 'no', here),
        span('   the key signs certificates for this name', 'muted'),
      ]);
    else if (field === 'verify')
      rows.push([
        head,
        ...choice(dialog.verify ? 'yes' : 'no', here),
        span('   the key asks for its PIN or finger', 'muted'),
      ]);
    else
      rows.push({
        before: [head],
        field: { id: `operator.${field}`, value: dialog[field], width: inner - NAME - 3, focus: here },
        after: [],
      });
  }
  const problem = refusal ?? hintOf(dialog, session.wall());
  const words = wrapWords(problem, inner - 2).slice(0, 2);
  rows.push([]);
  for (let at = 0; at < 2; at++)
    rows.push([span(`  ${words[at] ?? ''}`, refusal === null ? 'muted' : 'danger')]);
  rows.push(reviewRow(focus === 'review'));
  const title = known ? 'Change an operator' : 'A new operator';
  return <DialogFrame title={title} rows={rows} width={width} room={room} tone="focus" keep={1} />;
}

const HINTS: Readonly<Partial<Record<OperatorField, string>>> = {
  name: 'Small letters, digits, - and _. It stands in the log beside everything asked for.',
  key: 'Paste the line of the .pub file: ssh-ed25519, sk-ssh-ed25519@openssh.com, ecdsa-sha2-nistp256, or ssh-rsa from 3,072 bits.',
  from: 'Addresses or networks that a login may come from: 203.0.113.7 10.0.0.0/8. Empty: anywhere.',
  end: 'No login and no call after that day, such as 2027-01-31. Empty: no end.',
};

/** The problem of what was typed; else a hint about the field in focus. */
function hintOf(dialog: OperatorDialog, wall: number): string {
  const problem = operatorProblem(dialog, wall);
  const typed = problem && problem.field in dialog && dialog[problem.field as 'name' | 'key' | 'end'] !== '';
  return problem && typed ? `${LABELS[problem.field]}: ${problem.message}` : (HINTS[dialog.focus] ?? '');
}

function choice(value: string, focus: boolean): Line {
  return focus ? [span('◂ ', 'key'), span(value, 'text', { bold: true }), span(' ▸', 'key')] : [span(value)];
}

function reviewRow(here: boolean): Line {
  return [
    span(here ? '▸ ' : '  ', 'focus'),
    span(' Review ', here ? 'focus' : 'muted', { inverse: here }),
    keyed(
      'form.review',
      here ? '  enter shows the confirmation; nothing is done yet' : '  ctrl-r reviews',
      'muted',
    ),
  ];
}

export function SessionEndView({ dialog, room }: { dialog: SessionEndDialog; room: Room }): ReactNode {
  const width = Math.min(room.width - 4, 76);
  const { session, reason, focus, refusal } = dialog;
  const here = focus === 'reason';
  const rows: DialogRow[] = [
    [span(`${session.id} of ${session.name}, ${session.from ?? 'this machine'}`, 'muted')],
    [],
    {
      before: [span(`${here ? '▸' : ' '} reason  `, here ? 'focus' : 'muted')],
      field: { id: 'session.reason', value: reason, width: width - 14, focus: here },
      after: [],
    },
    [span('          is shown at that terminal', 'muted')],
    refusal === null ? [] : [span(refusal, 'danger')],
    reviewRow(!here),
  ];
  return <DialogFrame title="End a session" rows={rows} width={width} room={room} tone="focus" keep={1} />;
}
