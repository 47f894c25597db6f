/** The command palette and the help page. */
import type { CommandId } from '../keys/bindings.ts';
import { paletteEntries } from '../model/palette.ts';
import { closeDialog, openDialog, patchDialog, type Session, say } from '../session.ts';
import { topDialog } from '../state/ui.ts';
import { loadTheme, themeNames } from '../theme.ts';

export function openPalette(session: Session): void {
  openDialog(session, { kind: 'palette', text: '', index: 0 });
}

export function openHelp(session: Session): void {
  openDialog(session, { kind: 'help', offset: 0 });
}

export function entriesOf(session: Session, text: string) {
  return paletteEntries(text, session.ui.getState().screen, themeNames(session.themeFolders));
}

export function movePalette(session: Session, by: number): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'palette') return;
  const count = entriesOf(session, dialog.text).length;
  if (count > 0) patchDialog(session, 'palette', ({ index }) => ({ index: (index + by + count) % count }));
}

/** Enter: opens or shows; what would change the desk at once is left to its own key. */
export function runPalette(session: Session, run: (session: Session, command: CommandId) => void): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'palette') return;
  const entry = entriesOf(session, dialog.text)[dialog.index];
  if (!entry) return;
  closeDialog(session);
  if (entry.theme !== undefined) setTheme(session, entry.theme);
  else if (entry.acts) say(session, `press ${entry.key} to ${entry.label}`);
  else if (entry.command) run(session, entry.command);
}

export function setTheme(session: Session, name: string): void {
  const { theme, problem } = loadTheme(name, session.themeFolders, session.depth);
  if (theme) session.ui.setState({ theme });
  say(session, problem ?? `theme ${name}`, problem ? 'warn' : 'muted');
}
