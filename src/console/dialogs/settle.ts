/** What becomes of a confirmation, and of the form it came from, when the desk has answered. */

import type { Session } from '../app/session.ts';
import { formOf } from '../forms/form.ts';
import type { Action, Dialog, UiState } from '../state/ui.ts';

/** The form under a confirmation, as it is when that is given. */
export function formUnder(ui: UiState, action: Action): Dialog | null {
  const { dialogs } = ui;
  const at = dialogs.findLastIndex((entry) => entry.kind === 'confirm' && entry.action === action);
  const form = dialogs[at - 1];
  return form && formOf(ui, form).confirmed ? form : null;
}

/**
 * Closes the confirmation of this action and, when it went well, the form it came from; else the problem stands in the form.
 * The person may have left them meanwhile and be in other dialogs: those stay as they are. `form`: as it was confirmed;
 * `goesOn`: it is not done with.
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
    // While its confirmation is open, nothing but news comes to a form.
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

/** Still the form that was confirmed, with nothing in it changed since. */
function isLeft(ui: UiState, entry: Dialog, form: Dialog): boolean {
  return entry === form || (entry.kind === form.kind && formOf(ui, form).isSame?.(entry, form) === true);
}
