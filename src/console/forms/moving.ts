/** Moves through a form and changes its choices; Enter goes to the next field or the review, no further. */

import { type Session, wholeDesk } from '../app/session.ts';
import { topDialog } from '../state/ui.ts';
import { focusOf, formOf, REVIEW, withFocus } from './form.ts';
import { activeField, withField } from './text-fields.ts';

/** Moves to another field. `enter` on the review button opens the confirmation. */
export function moveField(session: Session, by: number, enter = false): void {
  const ui = session.ui.getState();
  const dialog = topDialog(ui);
  if (!dialog) return;
  const kind = formOf(ui, dialog);
  if (enter && kind.enter?.(session, dialog)) return;
  const ids = kind.fields?.(dialog, wholeDesk(session)) ?? [];
  const at = ids.indexOf(focusOf(kind, dialog));
  if (enter && ids[at] === REVIEW) {
    kind.review?.(session);
    return;
  }
  const next = ids[(at + by + ids.length) % ids.length];
  if (next === undefined) return;
  const moved = withFocus(kind, dialog, next);
  session.ui.setState(({ dialogs }) => ({ dialogs: [...dialogs.slice(0, -1), moved] }));
}

/** Handles left, right and space in a field that is chosen. */
export function choose(session: Session, by: number): void {
  const ui = session.ui.getState();
  const dialog = topDialog(ui);
  if (dialog) formOf(ui, dialog).choose?.(session, dialog, by);
}

export function clearField(session: Session): void {
  const field = activeField(session.ui.getState());
  if (!field) return;
  session.ui.setState((ui) => withField(ui, field.id, ''));
  session.fieldChanged();
}

export function reviewForm(session: Session): void {
  const ui = session.ui.getState();
  const dialog = topDialog(ui);
  if (dialog) formOf(ui, dialog).review?.(session);
}

/** Returns the choice that is `by` further, starting over at the ends. */
export function nextOf<T>(choices: readonly T[], now: T, by: number): T {
  return choices[(choices.indexOf(now) + by + choices.length) % choices.length] ?? now;
}
