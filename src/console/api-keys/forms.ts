/** The dialogs of the Keys screen: a new key, and the lab. */
import type { Tier } from '../../domain/actor.ts';
import { patchDialog, type Session, wholeDesk } from '../app/session.ts';
import { CHECK_DELAY_MS, type FormKind } from '../forms/form.ts';
import { nextOf } from '../forms/moving.ts';
import { fieldText } from '../forms/text-fields.ts';
import { checkKey, reviewKey } from './commands.ts';
import { KeyFormView } from './KeyFormView.tsx';
import { accountOf, type KeyDraft, type KeyFieldId, type KeyForm, keyFields, toggled } from './key-draft.ts';
import { LAB_FIELDS, LAB_LIMIT, type LabForm, shownBytes } from './key-lab.ts';
import { LabView } from './LabView.tsx';
import { chooseInLab, judgeLab } from './lab-commands.ts';

const TIERS: readonly Tier[] = ['read', 'trade', 'full'];

/** Tells whether a field is typed; all others are chosen. */
function isTyped(field: KeyFieldId): field is 'label' | 'publicKey' | 'ipText' {
  return field === 'label' || field === 'publicKey' || field === 'ipText';
}

/** Returns the draft after a choice; null if the field has no choices. */
function chosen({ field, draft }: KeyForm, by: number, accounts: readonly string[]): KeyDraft | null {
  if (field === 'tier') return { ...draft, tier: nextOf(TIERS, draft.tier, by) };
  if (field === 'addresses') return { ...draft, addresses: draft.addresses === 'any' ? 'listed' : 'any' };
  if (field === 'accounts') return { ...draft, accounts: draft.accounts === 'all' ? 'chosen' : 'all' };
  const account = accountOf(field);
  return account === null ? null : { ...draft, chosen: toggled(draft.chosen, account, accounts) };
}

function accountIds(session: Session): readonly string[] {
  return (wholeDesk(session)?.accounts ?? []).map(({ id }) => id);
}

export const KEY_FORM: FormKind<KeyForm> = {
  kind: 'key-form',
  View: KeyFormView,
  confirmed: true,
  fields: ({ mode, draft }, state) =>
    keyFields(
      mode,
      draft,
      (state?.accounts ?? []).map(({ id }) => id),
    ),
  focus: ({ field }) => field,
  withFocus: (dialog, field) => ({ ...dialog, field: field as KeyFieldId }),
  text: ({ field, draft }) => (isTyped(field) ? { id: `key.${field}`, value: draft[field] } : null),
  withText: (dialog, text) => ({
    ...dialog,
    draft: { ...dialog.draft, [dialog.field]: text },
    refusal: null,
  }),
  choose(session, dialog, by) {
    const draft = chosen(dialog, by, accountIds(session));
    if (!draft) return;
    patchDialog(session, 'key-form', () => ({ draft, refusal: null }));
    session.fieldChanged('key-form');
  },
  review: (session) => void reviewKey(session),
  changed: (session) => session.later('key', CHECK_DELAY_MS, () => void checkKey(session)),
};

export const LAB_FORM: FormKind<LabForm> = {
  kind: 'lab-form',
  View: LabView,
  fields: () => LAB_FIELDS,
  text: ({ focus, draft }) => (focus === 'method' ? null : { id: `lab.${focus}`, value: draft[focus] }),
  withText: (dialog, text) => ({ ...dialog, draft: { ...dialog.draft, [dialog.focus]: text } }),
  // The lab allows longer texts than other fields, and shows characters of the body that cannot be seen.
  typed: (id, raw) =>
    id === 'lab.body' ? shownBytes(raw).slice(0, LAB_LIMIT + 1) : fieldText(raw, LAB_LIMIT),
  // The body is kept to the last byte, except for line ends: terminals turn them into CR.
  pasted: (id, raw) =>
    id === 'lab.body' ? shownBytes(raw.replace(/\r(?!\n)/g, '\n')) : fieldText(raw, LAB_LIMIT).trim(),
  choose: (session, _, by) => chooseInLab(session, by),
  review: (session) => void judgeLab(session),
  changed: (session) => session.later('lab', CHECK_DELAY_MS, () => void judgeLab(session)),
};
