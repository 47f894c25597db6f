/** The dialogs of a panic: the choice of its parts, and the progress of its run. */

import { type FormKind, REVIEW } from '../forms/form.ts';
import { reviewPanic, togglePart } from './commands.ts';
import { PanicRunView, PanicView } from './PanicView.tsx';
import { PANIC_PARTS, type PanicForm, type PanicRunDialog } from './panic.ts';

export const PANIC_FORM: FormKind<PanicForm> = {
  kind: 'panic',
  View: PanicView,
  fields: () => [...PANIC_PARTS, REVIEW],
  choose: togglePart,
  review: reviewPanic,
};

export const PANIC_RUN: FormKind<PanicRunDialog> = {
  kind: 'panic-run',
  View: PanicRunView,
  scopes: (_, { panic }) =>
    panic?.items.some(({ state }) => state === 'failed') ? ['panic-failed', 'panic'] : ['panic'],
};
