/** The locked terminal as a dialog in front of everything, and the form of the PIN. */
import { type FormKind, REVIEW } from '../forms/form.ts';
import { fieldText } from '../forms/text-fields.ts';
import { enterLock, setPin } from './commands.ts';
import { LockView, PinView } from './LockView.tsx';
import { type LockDialog, lockFields, type PinDialog } from './lock.ts';

/** Characters of a PIN. */
const PIN_MAX = 64;

export const LOCK: FormKind<LockDialog> = {
  kind: 'lock',
  View: LockView,
  covers: true,
  scopes: () => ['lock'],
  fields: (_, state) => (state?.me ? lockFields(state.me) : ['leave']),
  text: ({ focus, pin, busy }) => (focus === 'pin' && !busy ? { id: 'lock.pin', value: pin } : null),
  withText: (dialog, pin) => ({ ...dialog, pin, refusal: null }),
  typed: (_, raw) => fieldText(raw, PIN_MAX),
  pasted: (_, raw) => fieldText(raw, PIN_MAX).trim(),
  enter: enterLock,
};

export const PIN: FormKind<PinDialog> = {
  kind: 'pin',
  View: PinView,
  fields: () => ['pin', 'again', REVIEW],
  text: ({ focus, busy, ...dialog }) =>
    focus === 'review' || busy ? null : { id: `pin.${focus}`, value: dialog[focus] },
  withText: (dialog, text) => ({ ...dialog, [dialog.focus]: text, refusal: null }),
  typed: (_, raw) => fieldText(raw, PIN_MAX),
  pasted: (_, raw) => fieldText(raw, PIN_MAX).trim(),
  review: (session) => void setPin(session),
};
