/** The editor of a bot as a dialog. */

import type { FormKind } from '../../forms/form.ts';
import { BotEditorView } from './BotEditorView.tsx';
import { type BotEditor, editedEditor, focusedCell, isTyped } from './editor.ts';
import { checkEditor, editorTouched, replayEditor } from './live-commands.ts';

/** Delay of the live results: what is typed in the same moment is checked together. */
const EDITOR_MS = 10;
/** The replay begins when nothing has been typed for this time. */
const REPLAY_DELAY_MS = 300;

function field(dialog: BotEditor) {
  const cell = dialog.pane === 'form' ? focusedCell(dialog) : null;
  return cell && isTyped(cell) ? { id: `editor.${cell.path}`, value: cell.text } : null;
}

export const BOT_EDITOR: FormKind<BotEditor> = {
  kind: 'bot-editor',
  View: BotEditorView,
  confirmed: true,
  scopes(dialog) {
    if (dialog.pane === 'live') return ['editor-live'];
    return field(dialog) ? ['editor'] : ['editor-choice', 'editor'];
  },
  text: field,
  withText: (dialog, text) => editedEditor(dialog, { do: 'type', path: dialog.focus, text }),
  changed(session) {
    editorTouched(session);
    session.later('editor', EDITOR_MS, () => void checkEditor(session));
    session.later('editor-replay', REPLAY_DELAY_MS, () => void replayEditor(session));
  },
};
