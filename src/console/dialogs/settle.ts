/** What happens to a confirmation, and to the form under it, when the desk has answered. */

import type { Session } from '../app/session.ts';
import { formOf } from '../forms/form.ts';
import type { Action, Dialog, UiState } from '../state/ui.ts';

/** Returns the form under a confirmation, as it is at the moment of confirming; null: there is none. */
export function formUnder(ui: UiState, action: Action): Dialog | null {
  const { dialogs } = ui;
  const at = dialogs.findLastIndex((entry) => entry.kind === 'confirm' && entry.action === action);
  const form = dialogs[at - 1];
  return form && formOf(ui, form).confirmed ? form : null;
}

/**
 * Closes the confirmation of this action and, on success, the form under it; otherwise shows the problem in
 * the form. If the person has moved to other dialogs meanwhile, those stay as they are. `form`: as it was
 * confirmed; `goesOn`: the form stays open on success.
 */
export function settle(
  session: Session,
  action: Action,
  form: Dialog | null,
  problem: string | null,
  goesOn = false,
): void {
  session.ui.setState((ui) => {
    const { dialogs } = ui;
    const at = dialogs.findLastIndex((entry) => entry.kind === 'confirm' && entry.action === action);
    // While the confirmation is open, the form under it changes only by news from the desk.
    const own = at < 0 ? dialogs.findLastIndex((entry) => form !== null && isLeft(ui, entry, form)) : at - 1;
    return {
      dialogs: dialogs.flatMap((entry, index): Dialog[] => {
        if (index === at) return [];
        if (index !== own || !formOf(ui, entry).confirmed) return [entry];
        if (problem === null) return goesOn ? [entry] : [];
        return ['refusal' in entry ? ({ ...entry, refusal: problem } as Dialog) : entry];
      }),
    };
  });
}

/** Tells whether the dialog is still the confirmed form, unchanged since. */
function isLeft(ui: UiState, entry: Dialog, form: Dialog): boolean {
  return entry === form || (entry.kind === form.kind && formOf(ui, form).isSame?.(entry, form) === true);
}
