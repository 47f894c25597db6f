/** Which binding tables are in force, innermost first (text field > dialog > pane > screen > global). Pure. */
import { activeField } from '../state/text-fields.ts';
import { type Dialog, tooSmall, topDialog, type UiState } from '../state/ui.ts';
import { ALL_BINDINGS, type Binding, type CommandId, type Scope } from './bindings.ts';

export function activeScopes(ui: UiState, lost: boolean): readonly Scope[] {
  if (lost) return ['lost'];
  if (tooSmall(ui)) return ['small', 'always'];
  const dialog = topDialog(ui);
  if (dialog) return [...dialogScopes(dialog, ui), 'always'];
  if (activeField(ui)) return ['filter', 'always'];
  if (ui.screen === 'orders' && ui.orders.pane === 'detail')
    return ['detail', 'orders', 'list', 'global', 'always'];
  if (ui.screen === 'positions' && ui.positions.pane === 'detail')
    return ['detail', 'positions', 'list', 'global', 'always'];
  return [ui.screen, 'list', 'global', 'always'];
}

function dialogScopes(dialog: Dialog, ui: UiState): readonly Scope[] {
  switch (dialog.kind) {
    case 'ticket':
    case 'split':
    case 'position-form':
    case 'key-form':
      return activeField(ui) ? ['form'] : ['choice', 'form'];
    case 'confirm':
      return activeField(ui) ? ['word'] : ['confirm'];
    case 'notice':
      return dialog.orderId === undefined ? ['notice'] : ['about', 'notice'];
    case 'palette':
    case 'help':
    case 'quit':
      return [dialog.kind];
  }
}

/** The command a key means under these scopes. */
export function commandFor(key: string, scopes: readonly Scope[]): CommandId | null {
  for (const scope of scopes) {
    const binding = ALL_BINDINGS.find((entry) => entry.scope === scope && entry.keys.includes(key));
    if (binding) return binding.command;
  }
  return null;
}

/** The bindings the footer shows, most useful first. */
export function footerBindings(scopes: readonly Scope[]): readonly Binding[] {
  return ALL_BINDINGS.filter((entry) => entry.footer !== undefined && scopes.includes(entry.scope)).sort(
    (a, b) => (a.footer ?? 0) - (b.footer ?? 0),
  );
}
