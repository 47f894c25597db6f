/** The form that registers a key, made here or its public half pasted; shows problems during typing. */
import type { ReactNode } from 'react';
import type { KeyProblem } from '../../domain/access-key.ts';
import { useWholeDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { keyed, type Line, lineWidth, type Span, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import type { KeyForm } from './key-draft.ts';
import {
  accountOf,
  ipEntries,
  type KeyFieldId,
  keyFields,
  placeOf,
  shownProblems,
  TIER_WORDS,
} from './key-draft.ts';

const NAME = 11;
const INDENT = NAME + 3;
/** Lines reserved for the problem, and for the entries of an address list. */
const WORD_LINES = 3;
const ENTRY_LINES = 3;

export function KeyFormView({ dialog, room }: { dialog: KeyForm; room: Room }): ReactNode {
  const known = useWholeDesk((state) => state.accounts);
  const accounts = known.map(({ id }) => id);
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const { mode, draft, field, checked } = dialog;
  const problems = shownProblems(draft, dialog.problems, dialog.tried);
  const form: { readonly field: KeyFieldId; readonly row: DialogRow }[] = [];
  for (const id of keyFields(mode, draft, accounts)) {
    if (id === 'review') continue;
    form.push({ field: id, row: fieldRow(id, dialog, problems, inner) });
    if (id !== 'ipText') continue;
    const entries = entryLines(
      draft.ipText,
      checked?.ipText === draft.ipText ? dialog.problems : null,
      inner,
    );
    form.push(...entries.map((row) => ({ field: id, row })));
  }
  const tail: DialogRow[] = [[], ...wordLines(dialog, problems, inner), buttonRow(field === 'review')];
  const space = room.height - 2 - tail.length;
  const at = form.findIndex((entry) => entry.field === field);
  const focus = at < 0 ? form.length - 1 : at;
  const start = Math.min(Math.max(0, focus - space + 2), Math.max(0, form.length - space));
  const title = mode === 'paste' ? 'Register a public key' : 'Generate a key';
  const rows = [...form.slice(start, start + space).map(({ row }) => row), ...tail];
  return <DialogFrame title={title} rows={rows} width={width} room={room} tone="focus" keep={tail.length} />;
}

const LABELS: Readonly<Record<string, string>> = {
  label: 'label',
  publicKey: 'public key',
  tier: 'tier',
  addresses: 'addresses',
  ipText: '',
  accounts: 'accounts',
};

function fieldRow(
  id: KeyFieldId,
  dialog: KeyForm,
  problems: readonly KeyProblem[],
  inner: number,
): DialogRow {
  const { draft } = dialog;
  const focus = dialog.field === id;
  const wrong = problems.some((problem) => placeOf(problem) === id);
  const tone = wrong ? 'warn' : focus ? 'focus' : 'muted';
  const label = span(`${focus ? '▸' : ' '} ${(LABELS[id] ?? '').padEnd(NAME)} `, tone);
  switch (id) {
    case 'label':
    case 'publicKey':
    case 'ipText':
      return {
        before: [label],
        field: { id: `key.${id}`, value: draft[id], width: inner - INDENT, focus },
        after: [],
      };
    case 'tier':
      return [label, ...choice(draft.tier, focus), span(`   ${TIER_WORDS[draft.tier]}`, 'muted')];
    case 'addresses':
      return [
        label,
        ...choice(draft.addresses === 'any' ? 'any' : 'only these', focus),
        span(
          draft.addresses === 'any' ? '   requests may come from anywhere' : '   up to 10, apart by blanks',
          'muted',
        ),
      ];
    case 'accounts':
      return [
        label,
        ...choice(draft.accounts === 'all' ? 'all' : 'only these', focus),
        span(draft.accounts === 'all' ? '   also those connected later' : '', 'muted'),
      ];
    default: {
      const account = accountOf(id) ?? '';
      const box = draft.chosen.includes(account) ? '[x]' : '[ ]';
      return [label, span(`${box} `, focus ? 'focus' : 'text'), span(account, 'text', { bold: focus })];
    }
  }
}

function choice(value: string, focus: boolean): Line {
  return focus ? [span('◂ ', 'key'), span(value, 'text', { bold: true }), span(' ▸', 'key')] : [span(value)];
}

/** The entries of the address list, each with its mark. `problems` null: not checked yet. */
function entryLines(text: string, problems: readonly KeyProblem[] | null, inner: number): Line[] {
  const lines: Span[][] = [[span(' '.repeat(INDENT))]];
  for (const [index, entry] of ipEntries(text).entries()) {
    const wrong = problems?.some(({ field, entry: at }) => field === 'ipList' && at === index);
    const mark = problems === null ? '·' : wrong ? '✗' : '✓';
    const part = span(`${mark} ${entry}  `, problems === null ? 'muted' : wrong ? 'warn' : 'ok');
    const line = lines.at(-1) as Span[];
    if (line.length > 1 && lineWidth(line) + lineWidth([part]) > inner) lines.push([line[0] as Span, part]);
    else line.push(part);
  }
  return lines.slice(0, ENTRY_LINES);
}

/** The problem of the field in focus, else the first problem, else the hint for the field in focus. */
function wordLines(dialog: KeyForm, problems: readonly KeyProblem[], inner: number): Line[] {
  if (dialog.refusal !== null) return lines(dialog.refusal, 'danger', inner);
  const here = problems.find((problem) => placeOf(problem) === dialog.field);
  const problem = here ?? problems.find(({ field }) => field === 'keys') ?? problems[0];
  if (problem) return lines(sentence(problem), 'warn', inner);
  return lines(hint(dialog), 'muted', inner);
}

function lines(text: string, tone: Span['tone'], inner: number): Line[] {
  return wrapWords(text, inner)
    .slice(0, WORD_LINES)
    .map((line) => [span(line, tone)]);
}

function sentence({ field, message }: KeyProblem): string {
  const name = { label: 'label: ', tier: 'tier: ', allowedExchanges: 'accounts: ' }[field as string] ?? '';
  return `${name}${message}`;
}

function hint({ mode, field }: KeyForm): string {
  if (field === 'publicKey') return '43 characters (base64url), or a public-key PEM pasted whole.';
  if (field === 'ipText') return 'Addresses or ranges: 203.0.113.7  10.0.0.0/8  2001:db8::/32';
  if (accountOf(field) !== null) return 'space takes the account, or gives it back.';
  return mode === 'paste'
    ? 'The private half stays where it is.'
    : 'Ed25519; the private key goes to keys/ in the data folder, nowhere else.';
}

function buttonRow(focus: boolean): Line {
  return [
    span(focus ? '▸ ' : '  ', 'focus'),
    span(' Review ', focus ? 'focus' : 'muted', { inverse: focus }),
    keyed('form.review', focus ? '  enter shows the confirmation' : '  ctrl-r reviews', 'muted'),
  ];
}
