/** Which key tables are in force, innermost first (text field > dialog > pane > screen > global). Pure. */
import { focusOf, formOf, REVIEW } from '../forms/form.ts';
import { activeField } from '../forms/text-fields.ts';
import { inDetail, listInView } from '../lists/list-views.ts';
import { type Dialog, placeOf, tooSmall, topDialog, type UiState } from '../state/ui.ts';
import type { BoundBinding, CommandId, Scope } from './binding.ts';

/** State of the connection to the desk: not there yet, there, or lost. */
export type LineState = 'opening' | 'open' | 'lost';

export function activeScopes(ui: UiState, line: LineState): readonly Scope[] {
  if (line === 'lost') return ['lost'];
  if (line === 'opening') return ['opening', 'global', 'always'];
  if (tooSmall(ui)) return ['small', 'always'];
  const dialog = topDialog(ui);
  if (dialog) return [...dialogScopes(dialog, ui), 'always'];
  if (activeField(ui)) return ['filter', 'always'];
  const screen: readonly Scope[] = [placeOf(ui), 'list', 'global', 'always'];
  const list = listInView(ui);
  if (list === null || !inDetail(ui[list])) return screen;
  return [...(ui.parts.places[placeOf(ui)].detailScopes?.(ui) ?? []), 'detail', ...screen];
}

function dialogScopes(dialog: Dialog, ui: UiState): readonly Scope[] {
  return formOf(ui, dialog).scopes?.(dialog, ui) ?? formScopes(dialog, ui);
}

/**
 * The scopes of a form: its own keys, and those of a choice while no text is typed. The review row offers no
 * choice.
 */
export function formScopes(dialog: Dialog, ui: UiState): readonly Scope[] {
  const onReview = focusOf(formOf(ui, dialog), dialog) === REVIEW;
  return activeField(ui) || onReview ? ['form'] : ['choice', 'form'];
}

/** Whether a command works without the desk: showing another screen, redrawing, leaving. */
export function needsNoDesk(command: CommandId): boolean {
  return command.startsWith('screen.') || command === 'quit.give-up';
}

/** The command a key means under these scopes. */
export function commandFor(
  bindings: readonly BoundBinding[],
  key: string,
  scopes: readonly Scope[],
): CommandId | null {
  for (const scope of scopes) {
    const binding = bindings.find((entry) => entry.scope === scope && entry.keys.includes(key));
    if (binding) return binding.command;
  }
  return null;
}

/**
 * The bindings the footer shows, most useful first; without those whose key has another meaning in an inner
 * scope.
 */
export function footerBindings(
  bindings: readonly BoundBinding[],
  scopes: readonly Scope[],
): readonly BoundBinding[] {
  return bindings
    .filter(
      ({ footer, scope, keys, command }) =>
        footer !== undefined &&
        scopes.includes(scope) &&
        commandFor(bindings, keys[0] ?? '', scopes) === command,
    )
    .sort((a, b) => (a.footer ?? 0) - (b.footer ?? 0));
}
