/** Which binding tables are in force, innermost first (text field > dialog > pane > screen > global). Pure. */
import { inDetail, listInView } from '../state/list-views.ts';
import { activeArea, activeField } from '../state/text-fields.ts';
import { type Dialog, placeOf, tooSmall, topDialog, type UiState } from '../state/ui.ts';
import type { BoundBinding, CommandId, Scope } from './bindings.ts';

/** The line to the desk: not there yet, there, or gone. */
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
  return list === 'bots' && ui.bots.page === 'now' ? ['chart', 'detail', ...screen] : ['detail', ...screen];
}

function dialogScopes(dialog: Dialog, ui: UiState): readonly Scope[] {
  switch (dialog.kind) {
    case 'ticket':
    case 'split':
    case 'position-form':
    case 'key-form':
    case 'lab-form':
    case 'account-form':
    case 'dust-form':
    case 'maintenance-form':
    case 'vault-form':
    case 'bot-stop':
    case 'bot-rule':
    case 'bot-tag':
    case 'panic':
      return activeField(ui) || onReview(dialog) ? ['form'] : ['choice', 'form'];
    case 'bot-form':
      if (activeArea(ui)) return ['area', 'new-bot', 'form'];
      return activeField(ui) ? ['new-bot', 'form'] : ['choice', 'new-bot', 'form'];
    case 'alert-mute':
      return ['mute'];
    case 'bot-type':
      return ['bot-type'];
    case 'bot-editor':
      if (dialog.pane === 'live') return ['editor-live'];
      return activeField(ui) ? ['editor'] : ['editor-choice', 'editor'];
    case 'confirm':
      if (dialog.word === undefined) return ['confirm'];
      return [activeField(ui) ? 'word' : 'worded', ...(dialog.bulk ? (['bulk'] as const) : [])];
    case 'notice':
      if (dialog.keyId !== undefined) return ['about-key', 'notice'];
      if (dialog.botId !== undefined) return ['about-bot', 'notice'];
      return dialog.orderId === undefined ? ['notice'] : ['about', 'notice'];
    case 'panic-run':
      return ui.panic?.items.some(({ state }) => state === 'failed') ? ['panic-failed', 'panic'] : ['panic'];
    case 'palette':
    case 'help':
    case 'quit':
      return [dialog.kind];
  }
}

/** The row that reviews the form has nothing to choose. */
function onReview(dialog: Dialog): boolean {
  if ('field' in dialog) return dialog.field === 'review';
  return 'focus' in dialog && dialog.focus === 'review';
}

/** Whether a command needs nothing of the desk: another screen, drawing anew, leaving. */
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

/** The bindings the footer shows, most useful first; not those whose key means something else further in. */
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
