/** The dialogs of operators and sessions. */
import { type FormKind, REVIEW } from '../forms/form.ts';
import { fieldText } from '../forms/text-fields.ts';
import { chooseInOperator, reviewEnd, reviewOperator } from './commands.ts';
import { OperatorFormView, SessionEndView } from './OperatorFormView.tsx';
import { operatorFields } from './operator-form.ts';
import type { OperatorDialog, SessionEndDialog } from './people-page.ts';

/** Largest length of a public key's line, in characters: RSA of 16,384 bits, and room for its comment. */
const KEY_MAX = 4_000;
const TYPED: ReadonlySet<string> = new Set(['name', 'key', 'from', 'end']);

export const OPERATOR: FormKind<OperatorDialog> = {
  kind: 'operator',
  View: OperatorFormView,
  confirmed: true,
  fields: operatorFields,
  text: (dialog) =>
    TYPED.has(dialog.focus)
      ? { id: `operator.${dialog.focus}`, value: dialog[dialog.focus as 'name' | 'key' | 'from' | 'end'] }
      : null,
  withText: (dialog, text) => ({ ...dialog, [dialog.focus]: text, refusal: null }),
  typed: (id, raw) => fieldText(raw, id === 'operator.key' ? KEY_MAX : undefined),
  pasted: (_, raw) => fieldText(raw, KEY_MAX).trim(),
  choose: (session, dialog, by) => chooseInOperator(session, dialog, by),
  review: reviewOperator,
};

export const SESSION_END: FormKind<SessionEndDialog> = {
  kind: 'session-end',
  View: SessionEndView,
  confirmed: true,
  fields: () => ['reason', REVIEW],
  text: ({ focus, reason }) => (focus === 'reason' ? { id: 'session.reason', value: reason } : null),
  withText: (dialog, reason) => ({ ...dialog, reason, refusal: null }),
  review: reviewEnd,
};
