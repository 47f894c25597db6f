/** The form of an operator: its fields, their problems, and the question before it is stored. Pure. */
import type { DeskState, OperatorForm, OperatorRecord } from '../../desk/console/protocol.ts';
import { LOCAL_OWNER, OPERATOR_NAME } from '../../domain/operator.ts';
import { question } from '../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../state/ui.ts';
import { dateTime, moment } from '../ui/format.ts';
import { dayAfter, localDayBegin } from '../ui/zone.ts';
import { keyWords, ROLE_WORDS } from './operator-list.ts';
import type { OperatorDialog, OperatorField, PeopleAction } from './people-page.ts';

/** Last characters of the key that a question shows. */
const KEY_END = 16;

export function newOperator(): OperatorDialog {
  return {
    kind: 'operator',
    known: null,
    name: '',
    role: 'viewer',
    key: '',
    from: '',
    end: '',
    ca: false,
    verify: false,
    focus: 'name',
    refusal: null,
  };
}

/** The form filled with an existing operator. */
export function formOfOperator(known: OperatorRecord): OperatorDialog {
  const { name, role, key, from, expiresAt, ca, verify } = known;
  return {
    kind: 'operator',
    known,
    name,
    role,
    key: `${key.type} ${key.blob}`,
    from: from.join(' '),
    ca,
    verify,
    // Shown as its day; `endOf` keeps an end that was not given as a day.
    end: dayOf(expiresAt),
    focus: 'role',
    refusal: null,
  };
}

const isSecurityKey = (key: string): boolean => key.trim().startsWith('sk-');

/**
 * The fields of the form: the name of an existing operator cannot change; only a security key can ask for its
 * PIN.
 */
export function operatorFields({ known, key }: OperatorDialog): readonly OperatorField[] {
  return [
    ...(known ? [] : (['name'] as const)),
    ...(['role', 'key', 'from', 'end', 'ca'] as const),
    ...(isSecurityKey(key) ? (['verify'] as const) : []),
    'review',
  ];
}

/** The first problem and its field; null: none that the console can see. */
export function operatorProblem(
  form: OperatorDialog,
  wall: number,
): { readonly field: OperatorField; readonly message: string } | null {
  const { name, key, end } = form;
  if (!OPERATOR_NAME.test(name))
    return { field: 'name', message: 'has 1 to 32 small letters, digits, - and _, and begins with a letter' };
  if (name === LOCAL_OWNER) return { field: 'name', message: `${name} is the owner of the data folder` };
  if (key.trim() === '') return { field: 'key', message: 'is needed: the line of a .pub file' };
  if (/PRIVATE KEY/.test(key))
    return { field: 'key', message: 'this is a private key: nobody else may have it' };
  if (end !== '' && localDayBegin(end) === null)
    return { field: 'end', message: `${end} is no day; write it as 2027-01-31` };
  const until = endOf(form);
  return until !== null && until <= wall ? { field: 'end', message: 'is over already' } : null;
}

/** The last valid day; empty: no end. */
function dayOf(expiresAt: number | null): string {
  return expiresAt === null ? '' : dateTime(expiresAt - 1).slice(0, 10);
}

/**
 * The end of the day, Unix ms; null: no end. An existing end at another time of day is kept while its day is
 * unchanged.
 */
function endOf({ end, known }: Pick<OperatorDialog, 'end' | 'known'>): number | null {
  if (known && end === dayOf(known.expiresAt)) return known.expiresAt;
  return localDayBegin(end) === null ? null : localDayBegin(dayAfter(end));
}

/** The form as the desk takes it. */
export function operatorForm(form: OperatorDialog): OperatorForm {
  const { name, role, key, from, ca, verify } = form;
  const networks = from.split(/[\s,]+/).filter((part) => part !== '');
  return {
    name,
    role,
    key: key.trim(),
    expiresAt: endOf(form),
    from: networks,
    ...(ca ? { ca } : {}),
    ...(verify && isSecurityKey(key) ? { verify } : {}),
  };
}

export function confirmOperator(state: DeskState, dialog: OperatorDialog): ConfirmDialog {
  const { known, ca, verify } = dialog;
  const form = operatorForm(dialog);
  const role = dialog.role;
  const [type = '', blob = ''] = form.key.split(/\s+/);
  const key = `${keyWords({ key: { type, blob, fingerprint: '' }, ca, verify })} …${blob.slice(-KEY_END)}`;
  const rows: InfoRow[] = [
    { name: 'name', value: form.name },
    {
      name: 'role',
      value: known && known.role !== role ? `${known.role} → ${role}` : role,
      tone: role === 'owner' ? 'danger' : 'warn',
    },
    { name: 'may', value: ROLE_WORDS[role], tone: role === 'owner' ? 'danger' : 'muted' },
    { name: 'key', value: key },
    { name: 'from', value: form.from?.length ? form.from.join(' ') : 'anywhere' },
    { name: 'until', value: form.expiresAt == null ? 'no end' : moment(form.expiresAt) },
  ];
  const action: PeopleAction = { type: 'operator-set', form, replace: known !== null };
  return question(state, {
    title: known ? `Change ${form.name}` : 'A new operator',
    rows,
    next: known
      ? 'Counts at once: terminals of this operator that may do less or more now are ended and log in again.'
      : 'Whoever has this key can log in over SSH from then on, as this name and in this role.',
    verb: known ? 'change it' : `let ${form.name} in`,
    keep: known ? 'Leave it' : 'Let nobody in',
    // Asks for a word: an owner can do everything, including this.
    ...(role === 'owner' && known?.role !== 'owner' ? { word: form.name } : {}),
    action,
  });
}

export function confirmRemove(
  state: DeskState,
  { name, role, key }: OperatorRecord,
  sessions: number,
): ConfirmDialog {
  return question(state, {
    title: 'Remove an operator',
    rows: [
      { name: 'name', value: name },
      { name: 'role', value: role },
      { name: 'key', value: key.fingerprint },
      {
        name: 'here now',
        value: sessions === 0 ? 'no terminal' : `${sessions}: ended within a second`,
        tone: sessions === 0 ? 'muted' : 'warn',
      },
    ],
    next: 'The key opens nothing here any more. Orders and bots stay as they are; the log keeps the name.',
    verb: `remove ${name}`,
    keep: 'Keep the operator',
    word: name,
    action: { type: 'operator-remove', name },
  });
}
