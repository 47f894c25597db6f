/** The form of the Accounts screen. */

import { type FormKind, REVIEW } from '../forms/form.ts';
import { fieldText } from '../forms/text-fields.ts';
import { AccountFormView } from './AccountFormView.tsx';
import { type AccountForm, accountFields, withAccountValue } from './account-forms.ts';
import { chooseInAccount, reviewAccount } from './commands.ts';
import { credentialText } from './connect-form.ts';

function isSecret(id: string): boolean {
  return id.startsWith('secret.');
}

export const ACCOUNT_FORM: FormKind<AccountForm> = {
  kind: 'account-form',
  View: AccountFormView,
  confirmed: true,
  fields: (dialog) => [...accountFields(dialog).map(({ id }) => id), REVIEW],
  text(dialog) {
    const field = accountFields(dialog).find(({ id }) => id === dialog.focus);
    if (!field || field.choices) return null;
    const group = field.hidden ? 'secret' : 'account';
    return { id: `${group}.${field.id}`, value: dialog.values[field.id] ?? '' };
  },
  withText: (dialog, text) => withAccountValue(dialog, dialog.focus, text),
  // A secret is kept exactly as it was typed, because it is not drawn; it may be a file of several lines.
  typed: (id, raw) => (isSecret(id) ? credentialText(raw) : fieldText(raw).normalize('NFC')),
  pasted: (id, raw) => (isSecret(id) ? credentialText(raw) : fieldText(raw).trim()),
  choose: (session, _, by) => chooseInAccount(session, by),
  review: reviewAccount,
};
