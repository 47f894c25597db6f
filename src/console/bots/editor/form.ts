/** The editor of a bot as a dialog. */

import type { FormKind } from '../../forms/form.ts';
import { BotEditorView } from './BotEditorView.tsx';
import { type BotEditor, editedEditor, focusedCell, isTyped } from './editor.ts';
import { checkEditor, editorTouched, replayEditor } from './live-commands.ts';

/** Its live results follow at once, together with what was typed in the same moment. */
const EDITOR_MS = 10;
/** Its replay begins when nothing has been typed for so long. */
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
